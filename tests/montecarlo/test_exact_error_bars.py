"""Sample means and error bars against exact means and exact standard errors."""

import numpy as np
import pytest

from sigprop.montecarlo import simulate, simulate_log_energies
from sigprop.recurrences import GaussianLRU, GaussianRNN
from sigprop.theory.energy import lru_energy, rnn_energy
from sigprop.theory.fluctuations import relative_variance

WIDTHS = (8, 16, 25, 64, 100)
C_VALUES = (0.5, 1.0, 2.0)
MODELS = {"rnn": (GaussianRNN, rnn_energy), "lru": (GaussianLRU, lru_energy)}


@pytest.mark.parametrize("method", ["krylov", "direct"])
@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_thirty_cells_within_four_exact_standard_errors(model, method):
    # 5 widths x 3 depths here, times two models: 30 cells by each sampler.
    family, _ = MODELS[model]
    scores = []
    for n in WIDTHS:
        depths = [max(1, round(c * np.sqrt(n))) for c in C_VALUES]
        cells = simulate(family(n), depths, 2000, rng=21, method=method).cells
        assert all(cell.exact_standard_error is not None for cell in cells)
        scores += [cell.z for cell in cells]
    assert len(scores) == 15
    assert np.max(np.abs(scores)) < 4.0
    # Negative control: means that are ten standard errors off would show.
    assert np.max(np.abs(np.array(scores) + 10.0)) > 4.0


@pytest.mark.parametrize("model", ["rnn", "lru"])
@pytest.mark.parametrize(("n", "c"), [(8, 0.5), (16, 0.5), (64, 0.5), (64, 1.0)])
def test_the_error_bar_of_the_sample_is_the_exact_one(model, n, c):
    # 20000 trajectories: the standard error of a standard error is then below 2 % in these
    # cells (measured), so 5 % is beyond two of them.
    family, _ = MODELS[model]
    cell = simulate(family(n), round(c * np.sqrt(n)), 20_000, rng=3, method="krylov").cells[0]
    assert abs(cell.standard_error / cell.exact_standard_error - 1.0) < 0.05


@pytest.mark.parametrize("model", ["rnn", "lru"])
@pytest.mark.parametrize(("n", "c"), [(64, 0.5), (64, 1.0), (256, 1.0)])
def test_intervals_cover_as_often_as_they_say(model, n, c):
    family, energy = MODELS[model]
    depth = round(c * np.sqrt(n))
    seeds, size = 200, 400
    logs = simulate_log_energies(family(n), depth, seeds * size, rng=17, method="krylov")
    samples = np.exp(logs[:, 0]).reshape(seeds, size)
    error = samples.std(axis=1, ddof=1) / np.sqrt(size)
    covered = np.abs(samples.mean(axis=1) - energy(n, depth)) < 1.96 * error
    assert 182 <= np.count_nonzero(covered) <= 198
    # Negative control: intervals of half the width cover far less.
    narrow = np.abs(samples.mean(axis=1) - energy(n, depth)) < 0.98 * error
    assert np.count_nonzero(narrow) < 160


def test_the_exact_relative_variance_is_that_of_the_sample():
    logs = simulate_log_energies(GaussianRNN(64), 8, 40_000, rng=9, method="krylov")[:, 0]
    energies = np.exp(logs)
    sampled = energies.var(ddof=1) / energies.mean() ** 2
    # The variance of 40000 draws of this law has a relative error of 3 % (measured).
    assert abs(sampled / relative_variance(64, 8) - 1.0) < 0.12


@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_real_weights_agree_at_twelve_cells(model):
    # 4 widths x 3 depths for each model, width-free; the sample error bar beyond depth 7.
    family, energy = MODELS[model]
    scores, controls = [], []
    for n in (16, 36, 64, 144):
        depths = [max(2, round(c * np.sqrt(n))) for c in (0.5, 1.0, 1.5)]
        cells = simulate(family(n, "real"), depths, 4000, rng=23, method="krylov").cells
        for cell in cells:
            assert cell.exact == float(energy(n, cell.depth, field="real"))
            assert (cell.exact_standard_error is not None) == (cell.depth <= 7)
            scores.append(cell.z)
            error = cell.exact_standard_error or cell.standard_error
            controls.append((cell.mean - float(energy(n, cell.depth))) / error)
    assert len(scores) == 12
    assert np.max(np.abs(scores)) < 4.0
    # Negative control: the energies of complex weights are found out.
    assert np.max(np.abs(controls)) > 4.0
