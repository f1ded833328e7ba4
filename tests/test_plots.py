"""Plots of simulations: points without an error bar look it, and the legend says why."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from sigprop import plots, simulate
from sigprop.recurrences import GaussianRNN

TRUSTED = plots.Curve("trusted", [0.5, 1.0], [1.0, 1.1], [0.1, 0.1])
FLAGGED = plots.Curve("flagged", [1.0, 8.0], [1.1, 0.5], [0.1, None])
EXACT = plots.Curve("exact", [0.5, 1.0, 8.0], [1.0, 1.05, 1e9])
RUN = plots.Running("c = 8", [4, 16, 64], [0.1, 0.2, 0.9], [None, None, 0.05])


@pytest.fixture
def ax():
    return Figure().add_subplot()


def labels(ax):
    return ax.get_legend_handles_labels()[1]


def crosses(ax):
    """Return the points drawn as crosses."""
    lines = [line for line in ax.lines if line.get_marker() == "x"]
    return [point for line in lines for point in line.get_xydata().tolist()]


def with_error_bars(ax):
    """Return the points drawn with an error bar."""
    lines = [container.lines[0] for container in ax.containers]
    return [point for line in lines for point in line.get_xydata().tolist()]


def test_refused_errors_are_crosses_and_the_others_are_not(ax):
    assert plots.sampled_energies(ax, [EXACT], [FLAGGED]) is ax
    assert crosses(ax) == [[8.0, 0.5]]
    assert with_error_bars(ax) == [[1.0, 1.1]]
    assert plots.FLAGGED in labels(ax)


def test_no_cross_no_words_about_it(ax):
    plots.sampled_energies(ax, [EXACT], [TRUSTED])
    assert crosses(ax) == []
    assert plots.FLAGGED not in labels(ax)


def test_simulated_cells_are_flagged_in_the_plot(ax):
    cells = simulate(GaussianRNN(64), [8, 64], 2000, rng=1, method="krylov").cells
    means, errors = zip(*((cell.mean, cell.standard_error) for cell in cells), strict=True)
    plots.sampled_energies(ax, [EXACT], [plots.Curve("sampled", [1.0, 8.0], means, errors)])
    assert with_error_bars(ax) == [[1.0, means[0]]]
    assert crosses(ax) == [[8.0, means[1]]]


def test_running_estimates(ax):
    assert plots.convergence(ax, [RUN], exact=1.0) is ax
    assert crosses(ax) == [[4.0, 0.1], [16.0, 0.2]]
    assert with_error_bars(ax) == [[64.0, 0.9]]
    assert ax.get_xscale() == "log"
    assert labels(ax) == ["exact", plots.FLAGGED, "c = 8"]
    (dashed,) = [line for line in ax.lines if line.get_label() == "exact"]
    assert np.unique(dashed.get_ydata()).tolist() == [1.0]


def test_running_estimates_without_a_known_value(ax):
    plots.convergence(ax, [RUN])
    assert "exact" not in labels(ax)


def test_more_than_there_are_colours(ax):
    with pytest.raises(ValueError, match="runs must hold at most 6 of them, got 7"):
        plots.convergence(ax, [RUN] * 7)
    with pytest.raises(ValueError, match="samples must hold at most 6 of them, got 7"):
        plots.sampled_energies(ax, [EXACT], [TRUSTED] * 7)
