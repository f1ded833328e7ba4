"""The diagonal recurrence with the spectrum of a Gaussian matrix: energies and samples."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import sigprop
from sigprop.recurrences import GinibreSpectrum, Recurrence
from sigprop.theory import energy

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "structured.json").read_text())


def _exact(n, k):
    """n (n+1) ... (n+k) / ((k+1) n^(k+1))."""
    rising = math.prod(range(n, n + k + 1))
    return Fraction(rising, (k + 1) * n ** (k + 1))


@pytest.mark.parametrize("entry", REFERENCE["ginibre_eigenvalues_only"], ids=str)
def test_reference(entry):
    got = GinibreSpectrum(entry["n"]).impulse_energy(entry["k"])
    assert float(got) == pytest.approx(float(entry["eig_only"]), rel=1e-12)


@pytest.mark.parametrize("n", [1, 3, 64, 10**6])
def test_energies_are_the_rationals(n):
    # Largest error measured: 2e-15.
    spectrum, total = GinibreSpectrum(n), Fraction(0)
    depths = np.arange(60)
    impulse, state = spectrum.impulse_energy(depths), spectrum.state_energy(depths)
    logs = spectrum.log_state_energy(depths)
    for k in depths:
        total += _exact(n, int(k))
        assert impulse[k] == pytest.approx(float(_exact(n, int(k))), rel=1e-13)
        assert state[k] == pytest.approx(float(total), rel=1e-13)
        assert logs[k] == pytest.approx(math.log(total), rel=1e-13, abs=1e-13)


def test_far_beyond_the_float_range():
    spectrum = GinibreSpectrum(4)
    want = math.lgamma(4 + 1001) - math.lgamma(4) - 1001 * math.log(4.0) - math.log(1001.0)
    assert spectrum.impulse_energy(1000) == spectrum.state_energy(1000) == math.inf
    assert spectrum.log_state_energy(1000) == pytest.approx(want, rel=1e-3)


def test_the_matrix_itself_is_larger_by_its_non_normality():
    # Ratio k (1 - e^{-c^2})/c^2, c = k/sqrt(n).
    n, k = 10**6, 500
    c = k / math.sqrt(n)
    ratio = energy.rnn_energy(n, k) / GinibreSpectrum(n).impulse_energy(k)
    assert ratio == pytest.approx(k * -math.expm1(-(c**2)) / c**2, rel=0.03)


def test_colour_does_not_matter():
    spectrum = GinibreSpectrum(7)
    for law in ("constant", ("ar1", 0.5), [1.0, 0.3]):
        assert np.array_equal(spectrum.state_energy([0, 5], law), spectrum.state_energy([0, 5]))


def test_no_limit():
    spectrum = GinibreSpectrum(7)
    for question in (spectrum.stationary_energy, lambda: spectrum.horizon("mean_lag")):
        with pytest.raises(ValueError, match="outside the unit circle with some probability"):
            question()
    # The energies grow again; a schedule holds as long as they fall.
    assert GinibreSpectrum(400).input_schedule(6)[1] == pytest.approx(1.0 - 401 / 800, rel=1e-14)
    with pytest.raises(ValueError, match="no input scaling holds the mean energy"):
        spectrum.input_schedule(30)
    assert spectrum.gradient_energy("state", 3) == spectrum.impulse_energy(3)


def test_samples_have_the_energies():
    spectrum = GinibreSpectrum(12)
    assert isinstance(spectrum, Recurrence)
    for law in ("white", "constant"):
        cells = sigprop.simulate(spectrum, [1, 3], 2000, rng=1, inputs=law).cells
        assert all(abs(cell.z) < 4.0 for cell in cells)
        # The dense matrix with this spectrum has S_3 > 4.
        assert (energy.lru_energy(12, 3) - cells[1].mean) / cells[1].standard_error > 4.0


def test_sampled_moments():
    eigenvalue = GinibreSpectrum(5).sample(np.random.default_rng(0), 3000).eigenvalue
    for k in (1, 2, 4):
        moments = np.mean(np.abs(eigenvalue) ** (2 * k), axis=1)
        error = moments.std(ddof=1) / math.sqrt(3000)
        assert abs(moments.mean() - float(_exact(5, k))) < 4.0 * error
        assert abs(moments.mean() - 1.0 / (k + 1.0)) > 4.0 * error  # the ring, n = infinity
