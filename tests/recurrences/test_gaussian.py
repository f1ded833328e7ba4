"""Dense Gaussian recurrences: arguments, weights, inputs, steps and exact energies."""

import math
import pickle
from dataclasses import FrozenInstanceError

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

    @pytest.mark.parametrize("family", FAMILIES)
    def test_real_weights_have_no_theory_yet(self, family):
        assert family(5, "real").state_energy([1, 2]) is None
        assert family(5, "real").log_state_energy(3) is None


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

    def test_batch_is_checked(self, family):
        with pytest.raises(ValueError, match="batch must be an integer >= 1, got 0"):
            family(3).sample(np.random.default_rng(5), 0)


class TestStatesAndInputs:
    @pytest.mark.parametrize("field", FIELDS)
    def test_rnn_starts_from_a_fixed_state(self, field):
        start = GaussianRNN(7, field).initial_state()
        assert start.dtype == (np.complex128 if field == "complex" else np.float64)
        assert np.linalg.norm(start) == math.sqrt(7)
        assert GaussianRNN(7, field).inputs(np.random.default_rng(0), 2, 3) is None

    @pytest.mark.parametrize("field", FIELDS)
    def test_lru_inputs_have_unit_variance(self, field):
        recurrence = GaussianLRU(50, field)
        inputs = recurrence.inputs(np.random.default_rng(2), 40, 100)
        assert inputs.shape == (40, 100, 50)
        assert recurrence.initial_state() is None
        # 2e5 entries: 4 standard errors are 0.9 % (complex) or 1.3 % (real).
        assert abs(_z(np.abs(inputs.ravel()) ** 2, 1.0)) < 4.0
        assert abs(_z(inputs.ravel().real, 0.0)) < 4.0

    def test_gain_does_not_touch_the_inputs(self):
        loud, plain = GaussianLRU(4, gain=9.0), GaussianLRU(4)
        assert np.array_equal(
            loud.inputs(np.random.default_rng(2), 3, 5),
            plain.inputs(np.random.default_rng(2), 3, 5),
        )

    @pytest.mark.parametrize("field", FIELDS)
    def test_inputs_come_step_after_step(self, field):
        recurrence = GaussianLRU(4, field)
        together = recurrence.inputs(np.random.default_rng(2), 1, 5)
        rng = np.random.default_rng(2)
        parts = [recurrence.inputs(rng, 1, steps) for steps in (2, 3)]
        assert np.array_equal(together, np.concatenate(parts, axis=1))


class TestStep:
    # The tiles of the product change shape at widths 63|64 and 1020|1021.
    @pytest.mark.parametrize("width", [1, 2, 63, 64, 65, 130, 1019, 1020, 1021, 1031])
    @pytest.mark.parametrize("field", FIELDS)
    def test_is_the_matrix_product(self, width, field):
        recurrence = GaussianLRU(width, field)
        rng = np.random.default_rng(width)
        weights = recurrence.sample(rng)
        state, x = recurrence.inputs(rng, 2, 1)[:, 0]
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
        states = recurrence.inputs(rng, 3, 1)[:, 0]
        together = recurrence.step(weights, states)
        assert together.shape == (3, width)
        for product, matrix, state in zip(together, weights, states, strict=True):
            assert np.array_equal(product, recurrence.step(matrix, state))

    def test_arguments_are_left_alone(self):
        recurrence = GaussianLRU(3)
        rng = np.random.default_rng(0)
        weights = recurrence.sample(rng)
        state, x = recurrence.inputs(rng, 2, 1)[:, 0]
        before = weights.copy(), state.copy(), x.copy()
        recurrence.step(weights, state, x)
        for old, new in zip(before, (weights, state, x), strict=True):
            assert np.array_equal(old, new)
