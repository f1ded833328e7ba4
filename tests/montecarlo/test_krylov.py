"""The width-free sampler has the law of direct simulation at every width, and costs no width."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

import sigprop
from sigprop.montecarlo import krylov
from sigprop.montecarlo.chunks import log_energies
from sigprop.recurrences import GaussianLRU, GaussianRNN

SAMPLES = 4000
REJECT = 1e-3

MODELS = {"rnn": GaussianRNN, "lru": GaussianLRU}


def _p_values(left, right):
    """KS on marginals and on random projections of the path of log energies."""
    rng = np.random.default_rng(7)
    varying = np.ptp(left, axis=0) > 0.0
    left, right = left[:, varying], right[:, varying]
    columns = np.linspace(0, left.shape[1] - 1, 5).astype(int)
    p_values = [ks_2samp(left[:, j], right[:, j]).pvalue for j in columns]
    for _ in range(6):
        direction = rng.standard_normal(left.shape[1])
        p_values.append(ks_2samp(left @ direction, right @ direction).pvalue)
    return np.array(p_values)


@pytest.mark.parametrize("field", ["complex", "real"])
@pytest.mark.parametrize("model", ["rnn", "lru"])
@pytest.mark.parametrize(("n", "depth"), [(5, 12), (16, 16), (40, 30)])
def test_the_law_is_that_of_direct_simulation(model, field, n, depth):
    recurrence = MODELS[model](n, field=field)
    depths = list(range(depth + 1))
    left = log_energies("krylov", recurrence, depths, SAMPLES, seed=11)
    right = log_energies("direct", recurrence, depths, SAMPLES, seed=12)
    assert _p_values(left, right).min() > REJECT


@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_a_wrong_residual_law_is_rejected(monkeypatch, model):
    # Negative control: one degree of freedom too many in every residual norm.
    recurrence = MODELS[model](5)
    depths = list(range(13))
    right = log_energies("direct", recurrence, depths, SAMPLES, seed=12)
    honest = krylov._residual_norms
    monkeypatch.setattr(krylov, "_residual_norms", lambda r, b, f, s: honest(r, b, f + 1, s))
    left = log_energies("krylov", recurrence, depths, SAMPLES, seed=11)
    assert _p_values(left, right).min() < REJECT


@pytest.mark.parametrize("field", ["complex", "real"])
@pytest.mark.parametrize("model", ["rnn", "lru"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_smallest_widths(model, field, n):
    recurrence = MODELS[model](n, field=field)
    depths = [0, 1, 2, 5]
    left = log_energies("krylov", recurrence, depths, SAMPLES, seed=1)
    right = log_energies("direct", recurrence, depths, SAMPLES, seed=2)
    assert _p_values(left, right).min() > REJECT


@pytest.mark.parametrize("recurrence", [GaussianRNN(30), GaussianLRU(30, field="real", gain=0.9)])
def test_the_batch_changes_nothing(recurrence):
    depths = [3, 0, 40, 3]
    whole = log_energies("krylov", recurrence, depths, 300, seed=5)
    for batch in (1, 7, 256):
        np.testing.assert_array_equal(
            log_energies("krylov", recurrence, depths, 300, 5, batch), whole
        )
    np.testing.assert_array_equal(whole[:, 0], whole[:, 3])


@pytest.mark.parametrize("recurrence", [GaussianRNN(9), GaussianLRU(9)])
def test_fewer_samples_are_a_prefix(recurrence):
    more = log_energies("krylov", recurrence, [4], 300, seed=5)
    np.testing.assert_array_equal(log_energies("krylov", recurrence, [4], 270, seed=5), more[:270])


@pytest.mark.parametrize("gain", [1e-300, 0.5, 1e300])
def test_the_gain_of_an_rnn_is_a_power(gain):
    plain = log_energies("krylov", GaussianRNN(8), [0, 20], 50, seed=3)
    # The streams are keyed by the gain, so only the shift of the medians can be compared;
    # rounding is 1e-16 of the 2.8e4 that 40 log(1e300) is.
    scaled = log_energies("krylov", GaussianRNN(8, gain=gain), [0, 20], 50, seed=3)
    assert np.all(np.isfinite(scaled))
    np.testing.assert_array_equal(scaled[:, 0], 0.0)
    spread = np.std(plain[:, 1])
    shift = 40.0 * np.log(gain)
    assert abs(np.median(scaled[:, 1]) - shift - np.median(plain[:, 1])) < 1.5 * spread


def test_the_lru_survives_any_gain():
    tiny = log_energies("krylov", GaussianLRU(8, gain=1e-300), [0, 20], 500, seed=3)
    # Nothing is remembered: every energy is that of the last input.
    assert abs(np.exp(tiny[:, 1]).mean() - 1.0) < 4.0 / np.sqrt(8 * 500)
    assert np.all(np.isfinite(log_energies("krylov", GaussianLRU(8, gain=1e300), [20], 50, 3)))


def test_a_width_that_no_matrix_could_have():
    cell = sigprop.simulate(GaussianRNN(10**9), [300], 200, rng=1).cells[0]
    assert cell.method == "krylov"
    assert abs(cell.z) < 4
    assert cell.trustworthy


def test_what_does_not_apply_is_refused():
    with pytest.raises(ValueError, match="depths must be at most 20000 for method 'krylov'"):
        sigprop.simulate(GaussianRNN(10), [10**5], 10, method="krylov")
