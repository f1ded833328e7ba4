"""Dense Gaussian recurrences: arguments, weights, inputs, steps and exact energies."""

import itertools
import math
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from sigprop.recurrences import GaussianLRU, GaussianRNN, Recurrence
from sigprop.theory import energy

FAMILIES = (GaussianRNN, GaussianLRU)
FIELDS = ("complex", "real")


@pytest.mark.parametrize("family", FAMILIES)
class TestArguments:
    def test_defaults(self, family):
        recurrence = family(8)
        assert (recurrence.width, recurrence.field, recurrence.gain) == (8, "complex", 1.0)
        assert recurrence.model == family.__name__.removeprefix("Gaussian").lower()

    def test_numbers_of_any_kind_become_plain(self, family):
        recurrence = family(np.int64(8), gain=np.float32(2.0))
        assert type(recurrence.width) is int
        assert type(recurrence.gain) is float
        assert recurrence == family(8, "complex", 2.0)

    @pytest.mark.parametrize("width", [0, -1, 2.5, math.nan, math.inf])
    def test_width_out_of_range(self, family, width):
        with pytest.raises(ValueError, match="width must be an integer >= 1, got"):
            family(width)

    @pytest.mark.parametrize("width", [True, "8", None, [8]])
    def test_width_of_wrong_kind(self, family, width):
        with pytest.raises(TypeError, match="width must be an integer >= 1, got"):
            family(width)

    @pytest.mark.parametrize("field", ["Complex", "", None, 1])
    def test_unknown_field(self, family, field):
        with pytest.raises(ValueError, match="field must be one of 'complex', 'real', got"):
            family(8, field)

    @pytest.mark.parametrize("gain", [0.0, -1.0, math.nan, math.inf])
    def test_gain_out_of_range(self, family, gain):
        with pytest.raises(ValueError, match="gain must be a finite number"):
            family(8, gain=gain)

    def test_frozen_hashable_picklable(self, family):
        recurrence = family(8, "real", 0.5)
        with pytest.raises(FrozenInstanceError):
            recurrence.gain = 1.0
        assert hash(recurrence) == hash(family(8, "real", 0.5))
        assert pickle.loads(pickle.dumps(recurrence)) == recurrence
        assert recurrence.with_gain(2.0) == family(8, "real", 2.0)

    def test_is_a_recurrence(self, family):
        assert isinstance(family(8), Recurrence)


class TestFurtherArguments:
    RNN = GaussianRNN(8, "real", 0.5, activation="leaky_relu", slope=0.25, start="sphere")
    LRU = GaussianLRU(8, inputs=("ar1", 0.5), input_vectors="real_gaussian", dtype="float32")

    def test_defaults(self):
        rnn, lru = GaussianRNN(8), GaussianLRU(8)
        assert (rnn.activation, rnn.slope, rnn.start) == ("linear", 0.5, "fixed")
        assert (lru.inputs, lru.input_vectors) == ("white", "gaussian")
        assert rnn.tied is lru.tied is True
        assert rnn.dtype == lru.dtype == "float64"

    def test_are_given_by_name(self):
        with pytest.raises(TypeError):
            GaussianRNN(8, "real", 1.0, "relu")
        with pytest.raises(TypeError):
            GaussianLRU(8, "real", 1.0, "white")

    def test_shown_where_they_differ_from_their_defaults(self):
        assert repr(GaussianRNN(8)) == "GaussianRNN(width=8, field='complex', gain=1.0)"
        assert repr(self.LRU) == (
            "GaussianLRU(width=8, field='complex', gain=1.0, dtype='float32', "
            "inputs=('ar1', 0.5), input_vectors='real_gaussian')"
        )
        for recurrence in (self.RNN, self.LRU, GaussianRNN(8, tied=False)):
            assert eval(repr(recurrence)) == recurrence

    @pytest.mark.parametrize("recurrence", [RNN, LRU], ids=repr)
    def test_are_kept(self, recurrence):
        assert pickle.loads(pickle.dumps(recurrence)) == recurrence
        assert recurrence.with_gain(2.0) == replace(recurrence, gain=2.0)
        assert recurrence != type(recurrence)(8, recurrence.field, recurrence.gain)
        assert len({recurrence, replace(recurrence)}) == 1

    def test_numbers_of_any_kind_become_plain(self):
        rnn = GaussianRNN(
            8, "real", activation="leaky_relu", slope=np.float32(0.25), tied=np.bool_(False)
        )
        assert (type(rnn.slope), rnn.tied) == (float, False)
        assert type(rnn.tied) is bool
        assert GaussianLRU(8, inputs=["ar1", np.float64(0.5)]).inputs == ("ar1", 0.5)

    @pytest.mark.parametrize(
        ("family", "arguments", "text"),
        [
            (GaussianRNN, {"activation": "tanh"}, "activation must be one of 'linear', 'relu'"),
            (GaussianRNN, {"activation": None}, "activation must be one of"),
            (GaussianRNN, {"activation": "relu"}, "activation must be 'linear' unless field is"),
            (
                GaussianRNN,
                {"activation": "leaky_relu", "field": "complex"},
                "activation must be 'linear' unless field is 'real', got 'leaky_relu' with",
            ),
            (GaussianRNN, {"slope": math.nan}, "slope must be a finite number, got nan"),
            (GaussianRNN, {"slope": math.inf}, "slope must be a finite number, got inf"),
            (GaussianRNN, {"slope": 0.2}, "slope is that of activation 'leaky_relu', got 0.2"),
            (
                GaussianRNN,
                {"slope": 0.2, "activation": "relu", "field": "real"},
                "slope is that of activation 'leaky_relu', got 0.2 with activation 'relu'",
            ),
            (GaussianRNN, {"start": "zero"}, "start must be one of 'fixed', 'sphere', 'gaus"),
            (GaussianRNN, {"dtype": "float16"}, "dtype must be one of 'float64', 'float32', got"),
            (GaussianLRU, {"dtype": np.float32}, "dtype must be one of 'float64', 'float32', got"),
            (GaussianLRU, {"tied": False}, "tied must be True for an LRU, got False"),
            (GaussianLRU, {"inputs": "pink"}, "inputs must be 'white', 'constant'"),
            (GaussianLRU, {"inputs": ("ar1", 1.0)}, "rho of inputs must lie strictly between"),
            (GaussianLRU, {"inputs": ("ar1", -1.5)}, "rho of inputs must lie strictly between"),
            (GaussianLRU, {"inputs": ("ar1", math.nan)}, "rho of inputs must be a finite number"),
            (GaussianLRU, {"input_vectors": "cube"}, "input_vectors must be one of"),
            (GaussianLRU, {"input_vectors": "fixed"}, "'fixed' needs inputs 'constant', got 'wh"),
            (
                GaussianLRU,
                {"input_vectors": "fixed", "inputs": ("ar1", 0.5)},
                r"input_vectors 'fixed' needs inputs 'constant', got \('ar1', 0.5\)",
            ),
            (
                GaussianLRU,
                {"input_vectors": "sphere", "inputs": ("ar1", 0.5)},
                "input_vectors must be 'gaussian' or 'real_gaussian' for inputs",
            ),
            (
                GaussianLRU,
                {"input_vectors": "real_gaussian", "field": "real"},
                "input_vectors must be 'gaussian' for real inputs of a real LRU",
            ),
        ],
    )
    def test_out_of_range(self, family, arguments, text):
        with pytest.raises(ValueError, match=text):
            family(8, **arguments)

    @pytest.mark.parametrize(
        ("family", "arguments", "text"),
        [
            (GaussianRNN, {"tied": 0}, "tied must be True or False, got 0 of type int"),
            (GaussianRNN, {"tied": "no"}, "tied must be True or False, got 'no' of type str"),
            (GaussianRNN, {"slope": "steep"}, "slope must be a finite number, got 'steep'"),
            (GaussianRNN, {"slope": None}, "slope must be a finite number, got None"),
            (GaussianLRU, {"inputs": ("ar1", "0.5")}, "rho of inputs must be a finite number"),
        ],
    )
    def test_of_wrong_kind(self, family, arguments, text):
        with pytest.raises(TypeError, match=text):
            family(8, **arguments)


def test_plain_are_those_with_the_law_of_the_width_free_sampler():
    for field in FIELDS:
        for rnn in (GaussianRNN(8, field), GaussianRNN(8, field, 2.0, start="sphere")):
            assert rnn.is_plain
        assert GaussianLRU(8, field, 0.5).is_plain
        for change in ({"start": "gaussian"}, {"tied": False}, {"dtype": "float32"}):
            assert not GaussianRNN(8, field, **change).is_plain
        for change in (
            {"inputs": "constant"},
            {"inputs": ("ar1", 0.0)},
            {"input_vectors": "sphere"},
            {"dtype": "float32"},
        ):
            assert not GaussianLRU(8, field, **change).is_plain
    assert not GaussianRNN(8, "real", activation="relu").is_plain
    assert not GaussianRNN(8, "real", activation="leaky_relu", slope=1.0).is_plain
    assert not GaussianLRU(8, input_vectors="real_gaussian").is_plain


def test_other_objects_are_no_recurrences():
    assert not isinstance(object(), Recurrence)
    assert not isinstance("rnn", Recurrence)


class TestEnergies:
    def test_rnn_is_theory(self):
        depths = np.arange(6)
        recurrence = GaussianRNN(5, gain=0.9)
        assert np.array_equal(recurrence.state_energy(depths), energy.rnn_energy(5, depths, 0.9))
        assert np.array_equal(
            recurrence.log_state_energy(depths), energy.log_rnn_energy(5, depths, 0.9)
        )

    def test_lru_is_theory(self):
        depths = np.arange(6)
        recurrence = GaussianLRU(5, gain=0.9)
        assert np.array_equal(recurrence.state_energy(depths), energy.lru_energy(5, depths, 0.9))
        assert np.array_equal(
            recurrence.log_state_energy(depths), energy.log_lru_energy(5, depths, 0.9)
        )

    def test_scalar_depth_gives_a_scalar(self):
        assert GaussianRNN(5).state_energy(3) == 1.2
        assert np.ndim(GaussianLRU(5).log_state_energy(3)) == 0

    @pytest.mark.parametrize("start", ["sphere", "gaussian"])
    @pytest.mark.parametrize("dtype", ["float64", "float32"])
    def test_start_and_precision_do_not_matter(self, start, dtype):
        rnn = GaussianRNN(5, gain=0.9, start=start, dtype=dtype)
        for depths in (3, [0, 4]):
            expected = GaussianRNN(5, gain=0.9).log_state_energy(depths)
            assert np.array_equal(rnn.log_state_energy(depths), expected)

    @pytest.mark.parametrize(
        "law",
        [
            {"inputs": "constant"},
            {"inputs": ("ar1", 0.9)},
            {"input_vectors": "sphere"},
            {"input_vectors": "real_gaussian"},
            {"inputs": "constant", "input_vectors": "fixed"},
        ],
        ids=str,
    )
    def test_inputs_of_a_complex_lru_do_not_matter(self, law):
        lru, white = GaussianLRU(5, gain=0.9, **law), GaussianLRU(5, gain=0.9)
        assert np.array_equal(lru.state_energy([0, 4]), white.state_energy([0, 4]))
        assert lru.log_state_energy(4) == white.log_state_energy(4)

    @pytest.mark.parametrize("activation", ["linear", "relu", "leaky_relu"])
    @pytest.mark.parametrize("gain", [1.0, 0.5, 2.0])
    def test_fresh_weights_have_powers_of_the_gain(self, activation, gain):
        rnn = GaussianRNN(5, "real", gain, tied=False, activation=activation)
        depths = np.array([[0, 1], [2, 10**6]])
        with np.errstate(over="ignore", under="ignore"):
            assert np.array_equal(rnn.state_energy(depths), gain ** (2.0 * depths))
        assert np.array_equal(rnn.log_state_energy(depths), 2.0 * depths * math.log(gain))
        assert np.ndim(rnn.state_energy(3)) == np.ndim(rnn.log_state_energy(3)) == 0
        assert GaussianRNN(5, "complex", gain, tied=False).state_energy(2) == gain**4

    def test_depths_of_fresh_weights_are_checked(self):
        for depth in (-1, 0.5):
            with pytest.raises(ValueError, match="depth must hold integers from 0 to"):
                GaussianRNN(5, tied=False).state_energy(depth)

    @pytest.mark.parametrize("activation", ["relu", "leaky_relu"])
    def test_rectified_recurrences_have_no_theory(self, activation):
        rnn = GaussianRNN(5, "real", activation=activation)
        assert rnn.state_energy([1, 2]) is rnn.log_state_energy(3) is None

    @pytest.mark.parametrize("law", ["white", "constant", ("ar1", 0.5), [1.0, 0.25]], ids=str)
    @pytest.mark.parametrize("own", ["white", ("ar1", -0.5)], ids=str)
    def test_another_law_for_one_question(self, own, law):
        lru, other = (GaussianLRU(10, "real", 0.5, inputs=inputs) for inputs in (own, law))
        assert np.array_equal(lru.state_energy([2, 4], law), other.state_energy([2, 4]))
        assert lru.log_state_energy(4, inputs=law) == other.log_state_energy(4)
        assert lru.head_energy(4, law) == lru.layer_energy(4, law) == 10 * other.state_energy(4)
        assert np.array_equal(lru.state_energy([2, 4], None), lru.state_energy([2, 4]))

    def test_laws_that_are_refused(self):
        with pytest.raises(ValueError, match="inputs must be"):
            GaussianLRU(10).state_energy(3, "pink")
        for rnn in (GaussianRNN(5), GaussianRNN(5, "real", activation="relu")):
            for question in (rnn.state_energy, rnn.log_state_energy, rnn.head_energy):
                with pytest.raises(ValueError, match="inputs must be None for GaussianRNN"):
                    question(3, "white")

    def test_energies_of_the_layer(self):
        rnn = GaussianRNN(5)
        assert rnn.head_energy(3) == rnn.layer_energy(3) == 6.0
        assert GaussianRNN(5, "real", activation="relu").layer_energy(3) is None

    def test_arguments_are_named(self):
        for recurrence in (GaussianRNN(5), GaussianLRU(5)):
            for question in (recurrence.state_energy, recurrence.log_state_energy):
                with pytest.raises(ValueError, match="depth must hold integers from 0"):
                    question(1.5)
            with pytest.raises(ValueError, match="lag must hold integers from 0"):
                recurrence.impulse_energy(1.5)
            with pytest.raises(ValueError, match="depth must hold integers from 0"):
                recurrence.gradient_energy("state", 1.5)
            for seed in (0, None):
                with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator, as"):
                    recurrence.sample(seed)

    @pytest.mark.parametrize("field", FIELDS)
    def test_two_steps_of_a_schedule_at_gain_one(self, field):
        # Q_0 = Q_1 = 1.
        assert GaussianLRU(8, field).input_schedule(1, target=3.0).tolist() == [3.0]
        assert GaussianLRU(8, field).input_schedule(2, target=3.0).tolist() == [3.0, 0.0]
        with pytest.raises(ValueError, match=r"xi_2\^2"):
            GaussianLRU(8, field).input_schedule(3)

    def test_real_weights_have_the_real_energies(self):
        assert GaussianRNN(7, "real").state_energy(3) == pytest.approx(417 / 343, rel=1e-14)
        lru = GaussianLRU(10, "real", inputs="constant", gain=0.5)
        # 1 + g^2 + g^4 Q_2 + 2 g^2 C_02 with C_02 = 1/n, by hand.
        assert lru.state_energy(2) == pytest.approx(1 + 0.25 + 0.0625 * 1.02 + 0.05, rel=1e-14)
        assert lru.log_state_energy(2) == pytest.approx(np.log(lru.state_energy(2)), rel=1e-14)


def _entries(recurrence, factor=1.0):
    """Return 400 x 50 x 50 = 1e6 entries of W; a factor other than 1 spoils the law."""
    return factor * recurrence.sample(np.random.default_rng(11), 400).ravel()


def _z(values, expected):
    return (values.mean() - expected) / (values.std(ddof=1) / math.sqrt(values.size))


@pytest.mark.parametrize("family", FAMILIES)
class TestWeights:
    # 1e6 entries: the standard error of a variance is 0.14 % (real) or 0.1 % (complex), so
    # that 4 of them detect a variance that is 1 % off.

    @pytest.mark.parametrize("gain", [1.0, 0.5])
    @pytest.mark.parametrize("field", FIELDS)
    def test_second_moment(self, family, field, gain):
        entries = _entries(family(50, field, gain))
        assert abs(_z(np.abs(entries) ** 2, gain**2 / 50)) < 4.0
        assert abs(_z(entries.real, 0.0)) < 4.0

    def test_complex_entries_are_proper(self, family):
        entries = _entries(family(50))
        squares = entries**2
        assert abs(_z(squares.real, 0.0)) < 4.0
        assert abs(_z(squares.imag, 0.0)) < 4.0
        assert abs(_z(entries.real**2, 1.0 / 100.0)) < 4.0
        assert abs(_z(entries.imag**2, 1.0 / 100.0)) < 4.0

    def test_wrong_variances_are_detected(self, family):
        for factor in (math.sqrt(2.0), 1.01):
            entries = _entries(family(50), factor)
            assert abs(_z(np.abs(entries) ** 2, 1.0 / 50.0)) > 4.0

    def test_real_entries_are_not_proper(self, family):
        entries = _entries(family(50, "real"))
        assert entries.dtype == np.float64
        assert abs(_z(entries**2, 0.0)) > 4.0

    @pytest.mark.parametrize("field", FIELDS)
    def test_a_batch_is_its_members_in_turn(self, family, field):
        recurrence = family(3, field)
        together = recurrence.sample(np.random.default_rng(5), 4)
        rng = np.random.default_rng(5)
        assert together.shape == (4, 3, 3)
        for weights in together:
            assert np.array_equal(weights, recurrence.sample(rng))

    @pytest.mark.parametrize("field", FIELDS)
    def test_single_precision_rounds_the_same_numbers(self, family, field):
        double, single = (
            family(9, field, dtype=dtype).sample(np.random.default_rng(6), 2)
            for dtype in ("float64", "float32")
        )
        assert single.dtype == (np.complex64 if field == "complex" else np.float32)
        assert np.array_equal(single, double.astype(single.dtype))

    def test_batch_is_checked(self, family):
        with pytest.raises(ValueError, match="batch must be an integer >= 1, got 0"):
            family(3).sample(np.random.default_rng(5), 0)


@pytest.mark.parametrize(
    ("activation", "slope", "scale"),
    [("relu", 0.5, math.sqrt(2.0)), ("leaky_relu", 0.5, math.sqrt(1.6)), ("leaky_relu", 1.0, 1.0)],
)
def test_weights_of_rectified_units_are_larger(activation, slope, scale):
    rnn = GaussianRNN(50, "real", 0.5, activation=activation, slope=slope)
    assert rnn.weight_scale == pytest.approx(0.5 * scale, rel=1e-15)
    linear = GaussianRNN(50, "real", 0.5)
    assert linear.weight_scale == 0.5
    # The same normals: one rounding of the factor.
    assert np.allclose(
        rnn.sample(np.random.default_rng(7)),
        scale * linear.sample(np.random.default_rng(7)),
        rtol=1e-15,
        atol=0.0,
    )


class TestStatesAndInputs:
    @pytest.mark.parametrize("field", FIELDS)
    def test_rnn_starts_from_a_fixed_state(self, field):
        start = GaussianRNN(7, field).initial_state()
        assert start.dtype == (np.complex128 if field == "complex" else np.float64)
        assert np.linalg.norm(start) == math.sqrt(7)
        assert GaussianRNN(7, field).draw_inputs(np.random.default_rng(0), 2, 3) is None

    @pytest.mark.parametrize("field", FIELDS)
    @pytest.mark.parametrize("start", ["sphere", "gaussian"])
    def test_random_starts(self, field, start):
        rnn = GaussianRNN(7, field, start=start)
        starts = rnn.initial_state(np.random.default_rng(1), 4000)
        assert starts.shape == (4000, 7)
        assert starts.dtype == (np.complex128 if field == "complex" else np.float64)
        squares = np.sum(np.abs(starts) ** 2, axis=1)
        if start == "sphere":
            assert np.allclose(squares, 7.0, rtol=1e-14)
        else:
            assert abs(_z(squares, 7.0)) < 4.0
            assert squares.std() > 1.0
        assert abs(_z(starts[:, 0].real, 0.0)) < 4.0
        assert np.array_equal(rnn.initial_state(np.random.default_rng(1)), starts[0])

    def test_a_random_start_needs_a_generator(self):
        with pytest.raises(TypeError, match="rng must be a Generator for start 'sphere', got None"):
            GaussianRNN(7, start="sphere").initial_state()

    def test_fixed_starts_of_a_batch(self):
        starts = GaussianRNN(4).initial_state(batch=3)
        assert np.array_equal(starts, [[2.0, 0.0, 0.0, 0.0]] * 3)

    @pytest.mark.parametrize("field", FIELDS)
    def test_every_law_of_the_inputs(self, field):
        gaussian = ("gaussian",) if field == "real" else ("gaussian", "real_gaussian")
        laws = [
            *itertools.product(("white", "constant", ("ar1", 0.5)), gaussian),
            *itertools.product(("white", "constant"), ("sphere",)),
            ("constant", "fixed"),
        ]
        for inputs, law in laws:
            lru = GaussianLRU(3, field, inputs=inputs, input_vectors=law)
            x = lru.draw_inputs(np.random.default_rng(2), 3000, 2)
            assert x.shape == (3000, 2, 3)
            assert x.dtype == (np.complex128 if field == "complex" else np.float64)
            assert lru.initial_state() is None
            squares = np.sum(np.abs(x) ** 2, axis=2)
            assert np.allclose(squares, 3.0) or abs(_z(squares[:, 1], 3.0)) < 4.0
            products = np.sum(x[:, 0].conj() * x[:, 1], axis=1).real
            correlation = {"white": 0.0, "constant": 3.0}.get(inputs, 1.5)
            assert np.allclose(products, 3.0) or abs(_z(products, correlation)) < 4.0

    @pytest.mark.parametrize("field", FIELDS)
    def test_lru_inputs_have_unit_variance(self, field):
        recurrence = GaussianLRU(50, field)
        inputs = recurrence.draw_inputs(np.random.default_rng(2), 40, 100)
        assert inputs.shape == (40, 100, 50)
        assert recurrence.initial_state() is None
        # 2e5 entries: 4 standard errors are 0.9 % (complex) or 1.3 % (real).
        assert abs(_z(np.abs(inputs.ravel()) ** 2, 1.0)) < 4.0
        assert abs(_z(inputs.ravel().real, 0.0)) < 4.0

    def test_gain_does_not_touch_the_inputs(self):
        loud, plain = GaussianLRU(4, gain=9.0), GaussianLRU(4)
        assert np.array_equal(
            loud.draw_inputs(np.random.default_rng(2), 3, 5),
            plain.draw_inputs(np.random.default_rng(2), 3, 5),
        )

    @pytest.mark.parametrize("field", FIELDS)
    def test_inputs_come_step_after_step(self, field):
        recurrence = GaussianLRU(4, field)
        together = recurrence.draw_inputs(np.random.default_rng(2), 1, 5)
        rng = np.random.default_rng(2)
        parts = [recurrence.draw_inputs(rng, 1, steps) for steps in (2, 3)]
        assert np.array_equal(together, np.concatenate(parts, axis=1))


class TestStep:
    # The tiles of the product change shape at widths 63|64 and 1020|1021.
    @pytest.mark.parametrize("width", [1, 2, 63, 64, 65, 130, 1019, 1020, 1021, 1031])
    @pytest.mark.parametrize("field", FIELDS)
    def test_is_the_matrix_product(self, width, field):
        recurrence = GaussianLRU(width, field)
        rng = np.random.default_rng(width)
        weights = recurrence.sample(rng)
        state, x = recurrence.draw_inputs(rng, 2, 1)[:, 0]
        # Rounding of sums of up to 1031 terms of size 1/sqrt(n): 4e-15 was measured.
        assert np.allclose(recurrence.step(weights, state), weights @ state, rtol=0, atol=1e-13)
        assert np.allclose(
            recurrence.step(weights, state, x), weights @ state + x, rtol=0, atol=1e-13
        )

    @pytest.mark.parametrize("width", [1, 5, 70, 200])
    @pytest.mark.parametrize("field", FIELDS)
    def test_a_batch_is_its_members(self, width, field):
        recurrence = GaussianLRU(width, field)
        rng = np.random.default_rng(width)
        weights = recurrence.sample(rng, 3)
        states = recurrence.draw_inputs(rng, 3, 1)[:, 0]
        together = recurrence.step(weights, states)
        assert together.shape == (3, width)
        for product, matrix, state in zip(together, weights, states, strict=True):
            assert np.array_equal(product, recurrence.step(matrix, state))

    @pytest.mark.parametrize(
        ("activation", "expected"),
        [("linear", [3.0, -1.0]), ("relu", [3.0, 0.0]), ("leaky_relu", [3.0, -0.5])],
    )
    def test_units(self, activation, expected):
        rnn = GaussianRNN(2, "real", activation=activation)
        weights, state = np.array([[1.0, 1.0], [0.0, -1.0]]), np.array([2.0, 1.0])
        assert np.array_equal(rnn.step(weights, state), expected)
        assert np.array_equal(rnn.step(weights, state - 1.0, np.array([2.0, -1.0])), expected)

    @pytest.mark.parametrize("field", FIELDS)
    def test_single_precision(self, field):
        lru = GaussianLRU(40, field, dtype="float32")
        rng = np.random.default_rng(3)
        weights = lru.sample(rng, 2)
        state, x = lru.draw_inputs(rng, 2, 2).swapaxes(0, 1)
        product = lru.step(weights, state)
        assert product.dtype == weights.dtype
        # Sums of 40 terms of size 1/sqrt(40) with 24 bits: 3e-7 was measured.
        exact = np.einsum("bij,bj->bi", weights.astype(state.dtype), state)
        assert 0.0 < np.abs(product - exact).max() < 2e-6
        assert np.array_equal(lru.step(weights, state, x), product + x)

    def test_arguments_are_left_alone(self):
        recurrence = GaussianLRU(3)
        rng = np.random.default_rng(0)
        weights = recurrence.sample(rng)
        state, x = recurrence.draw_inputs(rng, 2, 1)[:, 0]
        before = weights.copy(), state.copy(), x.copy()
        recurrence.step(weights, state, x)
        for old, new in zip(before, (weights, state, x), strict=True):
            assert np.array_equal(old, new)
