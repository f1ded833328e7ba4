"""Direct simulation: the plain loop, the log scale, batches and memory."""

import itertools
import math

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


def _plain_loop(recurrence, depths, samples, seed):
    """Iterate the recurrence as it is written, on the same random numbers."""
    key = cell_key(recurrence, depths, "direct")
    result = np.empty((samples, len(depths)))
    for sample in range(samples):
        if sample % CHUNK == 0:
            streams = chunk_streams(seed, key, sample // CHUNK)
        weights = recurrence.sample(streams.weights)
        inputs = recurrence.inputs(streams.inputs, 1, max(depths) + 1)
        state = recurrence.initial_state() if inputs is None else inputs[0, 0]
        energies = [np.sum(np.abs(state) ** 2)]
        for step in range(1, max(depths) + 1):
            state = weights @ state
            if inputs is not None:
                state = state + inputs[0, step]
            energies.append(np.sum(np.abs(state) ** 2))
        result[sample] = np.log(np.array(energies)[depths] / recurrence.width)
    return result


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


def test_more_samples_extend_fewer():
    few = log_energies("direct", GaussianLRU(4), [3], 300, seed=5)
    assert np.array_equal(log_energies("direct", GaussianLRU(4), [3], 600, seed=5)[:300], few)


def test_depths_in_any_order_and_repeated():
    recurrence = GaussianRNN(4)
    ordered = log_energies("direct", recurrence, [1, 2, 3], 10, seed=5)
    assert np.array_equal(
        log_energies("direct", recurrence, [3, 1, 2, 3], 10, seed=5), ordered[:, [2, 0, 1, 2]]
    )


def test_windows_of_inputs_are_one_stream(monkeypatch):
    recurrence = GaussianLRU(4)
    expected = log_energies("direct", recurrence, [11], 5, seed=5, batch=5)
    monkeypatch.setattr(direct, "_INPUT_BYTES", 16 * 4 * 5)  # five steps at a time
    assert np.array_equal(log_energies("direct", recurrence, [11], 5, seed=5, batch=1), expected)
    assert np.array_equal(log_energies("direct", recurrence, [11], 5, seed=5), expected)


def test_default_batch_bounds_memory():
    assert direct._default_batch(GaussianRNN(1), 10) == CHUNK
    assert direct._default_batch(GaussianRNN(1024), 64) == 1
    assert direct._default_batch(GaussianLRU(64), 10**6) == 1
    for width in (1, 8, 64, 256, 500):
        batch = direct._default_batch(GaussianLRU(width), 100)
        assert batch * 16 * width**2 <= direct._CACHED_BYTES
        assert batch * 16 * width * 101 <= direct._INPUT_BYTES


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
        (GaussianLRU(4), [3]),
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
