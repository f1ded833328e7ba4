"""Direct simulation: the plain loop, the log scale, batches and memory."""

import itertools
import math
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from sigprop.montecarlo import direct
from sigprop.montecarlo.chunks import log_energies
from sigprop.montecarlo.streams import CHUNK, cell_key, chunk_streams
from sigprop.recurrences import GaussianLRU, GaussianRNN

RECURRENCES = [
    family(width, field)
    for family, width, field in itertools.product(
        (GaussianRNN, GaussianLRU), (1, 2, 5, 64), ("complex", "real")
    )
]


FURTHER = [
    *(
        GaussianRNN(width, "real", activation=activation, tied=tied, start=start)
        for width, (activation, start), tied in itertools.product(
            (2, 33),
            (("relu", "fixed"), ("relu", "sphere"), ("leaky_relu", "gaussian")),
            (True, False),
        )
    ),
    *(GaussianRNN(5, tied=False, start=start) for start in ("fixed", "sphere", "gaussian")),
    GaussianRNN(1, "real", tied=False),
    GaussianRNN(40, tied=False),
    GaussianRNN(6, start="sphere"),
    GaussianRNN(6, "real", start="gaussian"),
    GaussianLRU(5, inputs="constant"),
    GaussianLRU(5, "real", inputs="constant", input_vectors="fixed"),
    GaussianLRU(5, inputs=("ar1", 0.7)),
    GaussianLRU(64, "real", inputs=("ar1", -0.7)),
    GaussianLRU(5, input_vectors="sphere"),
    GaussianLRU(5, input_vectors="real_gaussian"),
]
"""Every activation, tying, start and input law beyond the plain ones."""


def _plain_loop(recurrence, depths, samples, seed):
    """Iterate the recurrence as it is written, on the same random numbers."""
    key = cell_key(recurrence, depths, "direct")
    deepest = max(depths)
    result = np.empty((samples, len(depths)))
    for sample in range(samples):
        if sample % CHUNK == 0:
            streams = chunk_streams(seed, key, sample // CHUNK)
        layers = [recurrence.sample(streams.weights) for _ in range(_layers(recurrence, deepest))]
        state = recurrence.initial_state(streams.inputs)
        inputs = recurrence.draw_inputs(streams.inputs, 1, deepest + 1)
        if inputs is not None:
            state = inputs[0, 0]
        energies = [np.sum(np.abs(state) ** 2)]
        for step in range(1, deepest + 1):
            state = layers[min(step, len(layers)) - 1] @ state
            if inputs is not None:
                state = state + inputs[0, step]
            if recurrence.model == "rnn" and recurrence.activation != "linear":
                slope = {"relu": 0.0, "leaky_relu": recurrence.slope}[recurrence.activation]
                state = np.maximum(state, 0.0) + slope * np.minimum(state, 0.0)
            energies.append(np.sum(np.abs(state) ** 2))
        with np.errstate(divide="ignore"):
            result[sample] = np.log(np.array(energies)[depths] / recurrence.width)
    return result


def _layers(recurrence, deepest):
    return 1 if recurrence.tied else deepest


@pytest.mark.parametrize("recurrence", RECURRENCES, ids=str)
@pytest.mark.parametrize("gain", [1.0, 0.3])
def test_equals_the_plain_loop(recurrence, gain):
    recurrence = recurrence.with_gain(gain)
    depths = [0, 1, 2, 7]
    # Rounding of seven steps: 2e-14 absolute was measured over all these cases.
    assert np.allclose(
        log_energies("direct", recurrence, depths, 12, seed=3),
        _plain_loop(recurrence, depths, 12, seed=3),
        rtol=0.0,
        atol=1e-12,
    )


@pytest.mark.parametrize("recurrence", FURTHER, ids=repr)
def test_equals_the_plain_loop_for_every_law(recurrence):
    recurrence = recurrence.with_gain(0.8)
    depths = [0, 1, 2, 7]
    simulated = log_energies("direct", recurrence, depths, 12, seed=3)
    looped = _plain_loop(recurrence, depths, 12, seed=3)
    # Rounding of seven steps: 9e-15 absolute was measured; energies of zero agree exactly.
    assert np.array_equal(simulated == -math.inf, looped == -math.inf)
    alive = looped > -math.inf
    assert np.allclose(simulated[alive], looped[alive], rtol=0.0, atol=1e-12)


def test_chunks_continue_where_the_last_one_ended():
    recurrence, depths = GaussianLRU(3), [2]
    assert np.allclose(
        log_energies("direct", recurrence, depths, CHUNK + 10, seed=3),
        _plain_loop(recurrence, depths, CHUNK + 10, seed=3),
        rtol=0.0,
        atol=1e-12,
    )


@pytest.mark.parametrize("recurrence", RECURRENCES, ids=str)
@pytest.mark.parametrize("samples", [1, 40, 300])
def test_batch_never_changes_a_bit(recurrence, samples):
    expected = log_energies("direct", recurrence, [0, 3, 9], samples, seed=5)
    for batch in (1, 7, 255, 10**6):
        actual = log_energies("direct", recurrence, [0, 3, 9], samples, seed=5, batch=batch)
        assert np.array_equal(actual, expected)


@pytest.mark.parametrize("recurrence", FURTHER, ids=repr)
def test_batch_never_changes_a_bit_for_any_law(recurrence):
    expected = log_energies("direct", recurrence, [0, 3, 9], 40, seed=5)
    for batch in (1, 7, 10**6):
        actual = log_energies("direct", recurrence, [0, 3, 9], 40, seed=5, batch=batch)
        assert np.array_equal(actual, expected)
    single = replace(recurrence, dtype="float32")
    one, seven = (
        log_energies("direct", single, [0, 3, 9], 20, seed=5, batch=batch) for batch in (1, 7)
    )
    assert np.array_equal(one, seven)


@pytest.mark.parametrize("recurrence", [GaussianLRU(4), *FURTHER], ids=repr)
def test_more_samples_extend_fewer(recurrence):
    few = log_energies("direct", recurrence, [3], 30, seed=5)
    more = log_energies("direct", recurrence, [3], 270, seed=5)
    assert np.array_equal(more[:30], few)
    assert not np.any(more[30:60] == few) or np.any(few == -math.inf)


def test_depths_in_any_order_and_repeated():
    recurrence = GaussianRNN(4)
    ordered = log_energies("direct", recurrence, [1, 2, 3], 10, seed=5)
    assert np.array_equal(
        log_energies("direct", recurrence, [3, 1, 2, 3], 10, seed=5), ordered[:, [2, 0, 1, 2]]
    )


@pytest.mark.parametrize(
    "recurrence",
    [GaussianLRU(4), GaussianLRU(4, inputs="constant"), GaussianLRU(4, inputs=("ar1", 0.7))],
    ids=repr,
)
def test_windows_of_inputs_are_one_stream(monkeypatch, recurrence):
    expected = log_energies("direct", recurrence, [11], 5, seed=5, batch=5)
    monkeypatch.setattr(direct, "_INPUT_BYTES", 16 * 4 * 5)  # five steps at a time
    assert np.array_equal(log_energies("direct", recurrence, [11], 5, seed=5, batch=1), expected)
    assert np.array_equal(log_energies("direct", recurrence, [11], 5, seed=5), expected)


def test_default_batch_bounds_memory():
    assert direct._default_batch(GaussianRNN(64, tied=False), 10) == 6
    assert direct._default_batch(GaussianRNN(64, tied=False), 100) == 1
    assert direct._default_batch(GaussianRNN(1), 10) == CHUNK
    assert direct._default_batch(GaussianRNN(1024), 64) == 1
    assert direct._default_batch(GaussianLRU(64), 10**6) == 1
    for width in (1, 8, 64, 256, 500):
        batch = direct._default_batch(GaussianLRU(width), 100)
        assert batch * 16 * width**2 <= direct._CACHED_BYTES
        assert batch * 16 * width * 101 <= direct._INPUT_BYTES


class CountingRNN(GaussianRNN):
    """Remembers how many matrices were drawn at a time."""

    drawn: ClassVar[list[int]] = []

    def sample(self, rng, batch=None):
        self.drawn.append(batch)
        return super().sample(rng, batch)


@pytest.mark.parametrize("batch", [None, 1, 10**6])
def test_fresh_weights_are_drawn_when_they_are_due(monkeypatch, batch):
    recurrence, depths = CountingRNN(8, "real", tied=False), [11]
    expected = log_energies("direct", GaussianRNN(8, "real", tied=False), depths, 5, seed=5)
    for held in (1, 3, 11, 40):  # matrices that may be in memory
        monkeypatch.setattr(direct, "_CACHED_BYTES", 16 * 8**2 * held)
        CountingRNN.drawn.clear()
        actual = log_energies("direct", recurrence, depths, 5, seed=5, batch=batch)
        assert np.array_equal(actual, expected)
        assert max(CountingRNN.drawn) <= held
        assert sum(CountingRNN.drawn) == 5 * 11


def test_tied_weights_are_drawn_once():
    CountingRNN.drawn.clear()
    log_energies("direct", CountingRNN(8), [11], 5, seed=5)
    assert CountingRNN.drawn == [5]


@pytest.mark.parametrize("recurrence", FURTHER, ids=repr)
def test_single_precision_agrees(recurrence):
    double, single = (
        direct.chunk_log_energies(
            replace(recurrence, dtype=dtype), [0, 1, 5, 20], 30, chunk_streams(3, (1, 2, 3, 4), 0)
        )
        for dtype in ("float64", "float32")
    )
    alive = double > -math.inf
    assert np.array_equal(alive, single > -math.inf)
    # 2.3e-5 was measured at depths 5 and 20, 9e-7 at depth 1; nothing at depth 0.
    assert np.allclose(single[alive], double[alive], rtol=0.0, atol=1e-4)
    assert np.array_equal(single[:, 0], double[:, 0])
    assert np.any(single != double) or recurrence.width == 1


def _means(recurrence, depths, samples, seed=7):
    """Return means and standard errors of the energies at every depth."""
    x = np.exp(log_energies("direct", recurrence, depths, samples, seed))
    return x.mean(axis=0), x.std(axis=0, ddof=1) / math.sqrt(samples)


EXACT = [
    *(
        GaussianRNN(16, field, 0.9, tied=False, start=start)
        for field in ("complex", "real")
        for start in ("fixed", "sphere", "gaussian")
    ),
    *(
        GaussianRNN(16, "real", tied=False, activation=activation, slope=slope)
        for activation, slope in (("relu", 0.5), ("leaky_relu", 0.5), ("leaky_relu", -0.3))
    ),
    *(GaussianRNN(16, start=start) for start in ("fixed", "sphere", "gaussian")),
    *(
        GaussianLRU(16, inputs=inputs, input_vectors=law)
        for inputs in ("white", "constant", ("ar1", 0.8), ("ar1", -0.8))
        for law in ("gaussian", "real_gaussian")
    ),
    GaussianLRU(16, input_vectors="sphere"),
    GaussianLRU(16, inputs="constant", input_vectors="fixed"),
]
"""Recurrences beyond the plain ones whose mean energy is known."""


@pytest.mark.parametrize("recurrence", EXACT, ids=repr)
def test_means_are_exact(recurrence):
    depths = [0, 1, 2, 4]
    means, errors = _means(recurrence, depths, 600)
    exact = recurrence.state_energy(depths)
    # A start of fixed norm has no error: rounding alone.
    assert np.all(np.abs(means - exact) < 4.0 * errors + 1e-12)


def test_wrong_means_are_detected():
    fresh, tied = GaussianRNN(4, tied=False), GaussianRNN(4)
    # Q_{4,4} = 63/32, nearly twice the energy of fresh weights, at 3 % error.
    means, errors = _means(tied, [4], 4000)
    assert abs(means - fresh.state_energy([4])) > 4.0 * errors
    assert abs(means - tied.state_energy([4])) < 4.0 * errors
    # Weights of rectified units that are not calibrated halve the energy at every step.
    means, errors = _means(GaussianRNN(16, "real", activation="relu").with_gain(0.5**0.5), [1], 600)
    assert abs(means - 1.0) > 4.0 * errors
    assert abs(means - 0.5) < 4.0 * errors


@pytest.mark.parametrize(("activation", "slope"), [("relu", 0.5), ("leaky_relu", 0.1)])
@pytest.mark.parametrize("start", ["fixed", "sphere"])
def test_calibrated_units_keep_the_energy_of_the_first_layer(activation, slope, start):
    # One step has fresh weights: exactly 1, tied or not. 4 errors are 0.051 for the ReLU.
    rnn = GaussianRNN(32, "real", activation=activation, slope=slope, start=start)
    means, errors = _means(rnn, [1], 1000)
    assert abs(means - 1.0) < 4.0 * errors < 0.06


REAL_LRU = [
    (1, "white", 5.0),
    (1, "constant", 7.0),
    (2, "white", 3.5),
    (2, "constant", 4.5),
    (2, ("ar1", 0.5), 3.75),
    (2, ("ar1", -0.5), 3.75),
]
"""Energies of a real LRU at depth 2: 3 + 2/n^2 + 2 rho^2/n, with rho^2 = 0 white, 1 constant."""


@pytest.mark.parametrize(("width", "inputs", "exact"), REAL_LRU)
def test_inputs_of_a_real_lru_matter(width, inputs, exact):
    means, errors = _means(GaussianLRU(width, "real", inputs=inputs), [2], 20_000)
    assert abs(means - exact) < 4.0 * errors
    for other_width, other, value in REAL_LRU:
        if other_width == width and abs(value - exact) > 0.5:
            assert abs(means - value) > 4.0 * errors, other


def test_energies_of_zero():
    # One ReLU with one weight w is off for good if w < 0, else h^(k) = (sqrt(2) w)^k.
    recurrence, depths = GaussianRNN(1, "real", activation="relu"), [0, 1, 2, 3]
    logs = log_energies("direct", recurrence, depths, 20_000, seed=9)
    dead = logs == -math.inf
    assert not np.any(np.isnan(logs))
    assert not np.any(dead[:, 0])
    assert np.array_equal(dead[:, 1], dead[:, 2])
    assert np.array_equal(dead[:, 1], dead[:, 3])
    assert abs(np.mean(dead[:, 1]) - 0.5) < 4.0 * 0.5 / math.sqrt(20_000)
    assert np.allclose(logs[~dead[:, 1], 3], 3.0 * logs[~dead[:, 1], 1], rtol=0, atol=1e-13)
    x = np.exp(logs)
    errors = x.std(axis=0, ddof=1) / math.sqrt(20_000)
    # E (2 w^2)^k / 2 with E w^2 = 1 and E w^4 = 3.
    assert np.all(np.abs(x.mean(axis=0) - [1.0, 1.0, 6.0, 60.0]) <= 4.0 * errors)
    # With fresh weights half of the survivors die at every step.
    fresh = log_energies("direct", replace(recurrence, tied=False), depths, 20_000, seed=9)
    for depth in (1, 2, 3):
        share = np.mean(fresh[:, depth] > -math.inf)
        p = 0.5**depth
        assert abs(share - p) < 4.0 * math.sqrt(p * (1.0 - p) / 20_000)


@pytest.mark.parametrize("family", [GaussianRNN, GaussianLRU])
@pytest.mark.parametrize("gain", [1e-300, 1e-20, 1e20, 1e300])
def test_no_gain_overflows(family, gain):
    depths = [0, 1, 50]
    logs = log_energies("direct", family(3, gain=gain), depths, 20, seed=1)
    assert np.all(np.isfinite(logs))
    if gain > 1.0:
        # h^(k) is gain^k times a state of order one: between e^-100 and e^100 after 50 steps.
        shift = 2.0 * math.log(gain) * np.array(depths)
        assert np.all(np.abs(logs - shift) < 100.0)
    if gain < 1.0 and family is GaussianLRU:
        # Only the last input is left: its energy does not depend on the depth in law.
        assert np.all(np.abs(logs) < 5.0)


def test_long_products_do_not_overflow():
    logs = log_energies("direct", GaussianLRU(2), [5000], 20, seed=1)
    assert np.all(np.isfinite(logs))
    # Some of the twenty have a spectral radius above 1.2: energies beyond the float range.
    assert logs.max() > 710.0


def test_same_seed_same_numbers_other_seed_other_numbers():
    first, again, other = (
        log_energies("direct", GaussianRNN(4), [3], 10, seed) for seed in (5, 5, 6)
    )
    assert np.array_equal(first, again)
    assert not np.any(first == other)


def test_other_cells_have_other_numbers():
    base = log_energies("direct", GaussianRNN(4), [3], 10, seed=5)
    for recurrence, depths in (
        (GaussianRNN(4, gain=1.0 + 2.0**-52), [3]),
        (GaussianRNN(4), [3, 4]),
        (GaussianRNN(4, "real"), [3]),
        (GaussianRNN(4, tied=False), [3]),
        (GaussianRNN(4, start="sphere"), [3]),
        (GaussianRNN(4, dtype="float32"), [3]),
        (GaussianLRU(4), [3]),
        (GaussianLRU(4, inputs="constant"), [3]),
    ):
        assert not np.any(
            log_energies("direct", recurrence, depths, 10, seed=5)[:, 0] == base[:, 0]
        )


def test_progress_counts_trajectories():
    calls = []
    log_energies(
        "direct", GaussianRNN(4), [3], 300, 5, batch=100, progress=lambda *step: calls.append(step)
    )
    assert calls == [(100, 300), (200, 300), (256, 300), (300, 300)]


def test_an_error_in_the_callback_comes_through():
    def fail(done, total):
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        log_energies("direct", GaussianRNN(4), [3], 300, 5, batch=10, progress=fail)


def test_too_wide_for_a_matrix():
    with pytest.raises(ValueError, match="width must be at most 16384 for method 'direct'"):
        log_energies("direct", GaussianRNN(10**9), [3], 10, seed=5)
