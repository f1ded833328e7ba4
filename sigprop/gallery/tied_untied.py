"""One W at every step against a fresh one: depths of the order of sqrt(n) against n."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sigprop.plots import Curve, compared_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sigprop.recurrences import GaussianRNN

Row = dict[str, Any]

_KINDS = ("complex", "real", "leaky ReLU", "ReLU")
_FOURTH_MOMENTS = {"complex": 2.0, "real": 3.0, "leaky ReLU": 4.08, "ReLU": 6.0}
r"""E phi(z)^4 / (E phi(z)^2)^2 for normal z: :math:`6 (1+\alpha^4)/(1+\alpha^2)^2`, real units.

A fresh layer multiplies E[energy^2] by 1 + (this - 1)/n.
"""

_TIED_WIDTH = 64
_TIED_DEPTHS = {
    "complex": (4, 8, 12, 16),
    "real": (3, 9, 11, 14),
    "leaky ReLU": (4, 6, 8, 10, 12),
    "ReLU": (3, 5, 7, 9, 11),
}
_LARGEST_C = 2.25
_UNTIED_WIDTH = 32
_UNTIED_DEPTHS = {
    "complex": (8, 16, 32),
    "real": (8, 16, 24),
    "leaky ReLU": (4, 8, 16),
    "ReLU": (3, 6, 10),
}
_LARGEST_SHARE = 1.1
_SAMPLES = {"tied": 8192, "untied": 4096}
_FEW_SAMPLES = {"tied": 1024, "untied": 1024}
_THRESHOLD = 0.25
_LINE_WIDTHS = (10, 18, 32, 56, 100, 178, 316, 562, 1000, 1778, 3162)
_CROSSING_DEPTHS = {16: 6, 64: 9, 256: 15}
"""Widths at which the breakdown of rectified units is measured, and how deep it is looked for."""


def compute(
    fast: bool = False, seed: int = 0, progress: Callable[[int, int], Any] | None = None
) -> list[Row]:
    """Return the table of all that is plotted, one row per point.

    Parameters
    ----------
    fast : bool
        Few samples, and no breakdown of rectified units at width 256.
    seed : int
        Root of the random streams, >= 0.
    progress : callable, optional
        Called as ``progress(done, total)`` after each kind of units.

    Returns
    -------
    list of dict
        Rows with the keys panel, units, kind (exact, sampled), width, depth, x, value and
        standard_error. Panel "tied" has the mean energy against depth / sqrt(n), "untied"
        the relative variance of the energy against depth / n, and "tied breakdown" and
        "untied breakdown" the depth at which these reach 1.25 and 0.25, against the width.
    """
    samples = _FEW_SAMPLES if fast else _SAMPLES
    rows: list[Row] = []
    for done, units in enumerate(_KINDS, start=1):
        rows += _tied(units, samples["tied"], seed)
        rows += _untied(units, samples["untied"], seed)
        rows += _breakdowns(units)
        if "ReLU" in units:
            for width in list(_CROSSING_DEPTHS)[: 2 if fast else None]:
                rows += _measured_breakdown(units, width, samples["tied"] * 32 // width, seed)
        if progress is not None:
            progress(done, len(_KINDS))
    return rows


def _row(
    panel: str,
    units: str,
    kind: str,
    x: float,
    value: float,
    width: int,
    depth: int | None = None,
    standard_error: float | None = None,
) -> Row:
    return {
        "panel": panel,
        "units": units,
        "kind": kind,
        "width": width,
        "depth": depth,
        "x": x,
        "value": value,
        "standard_error": standard_error,
    }


def _recurrence(units: str, width: int, tied: bool) -> GaussianRNN:
    from sigprop.recurrences import GaussianRNN

    if units in ("complex", "real"):
        return GaussianRNN(width, units, tied=tied)
    return GaussianRNN(width, "real", activation=units.lower().replace(" ", "_"), tied=tied)


def _tied(units: str, samples: int, seed: int) -> Iterator[Row]:
    from sigprop.montecarlo import simulate

    n = _TIED_WIDTH
    recurrence = _recurrence(units, n, tied=True)
    grid = np.arange(math.floor(_LARGEST_C * math.sqrt(n)) + 1)
    exact = recurrence.state_energy(grid)
    if exact is not None:
        for depth, value in zip(grid, exact, strict=True):
            x = float(depth) / math.sqrt(n)
            yield _row("tied", units, "exact", x, float(value), n, int(depth))
    # Plain sampling for all kinds, to see where each loses its mean.
    plain = "direct" if exact is None else "krylov"
    depths = _TIED_DEPTHS[units]
    for cell in simulate(recurrence, depths, samples, rng=seed, method=plain).cells:
        error = cell.standard_error
        yield _row("tied", units, "sampled", cell.c, cell.mean, n, cell.depth, error)


def _untied(units: str, samples: int, seed: int) -> Iterator[Row]:
    from sigprop.montecarlo import simulate_log_energies

    n = _UNTIED_WIDTH
    for depth in range(math.floor(_LARGEST_SHARE * n) + 1):
        value = math.expm1(depth * _log_growth(units, n))
        yield _row("untied", units, "exact", depth / n, value, n, depth)
    depths = _UNTIED_DEPTHS[units]
    logs = simulate_log_energies(_recurrence(units, n, tied=False), depths, samples, rng=seed)
    squares = np.exp(2.0 * logs)
    errors = squares.std(axis=0, ddof=1) / math.sqrt(samples)
    for depth, mean, error in zip(depths, squares.mean(axis=0), errors, strict=True):
        # The mean energy is 1 exactly.
        yield _row("untied", units, "sampled", depth / n, float(mean) - 1.0, n, depth, float(error))


def _log_growth(units: str, n: int) -> float:
    return math.log1p((_FOURTH_MOMENTS[units] - 1.0) / n)


def _breakdowns(units: str) -> Iterator[Row]:
    from sigprop.regimes import breakdown_depth

    for n in _LINE_WIDTHS:
        if units in ("complex", "real"):
            depth = breakdown_depth(n, _THRESHOLD, "rnn", units)
            yield _row("tied breakdown", units, "exact", n, float(depth), n, depth)
        value = math.log1p(_THRESHOLD) / _log_growth(units, n)
        yield _row("untied breakdown", units, "exact", n, value, n)


def _measured_breakdown(units: str, n: int, samples: int, seed: int) -> Iterator[Row]:
    """Yield the depth, between integers, at which the log of the sampled mean passes log 1.25."""
    from sigprop.montecarlo import simulate

    depths = range(1, _CROSSING_DEPTHS[n] + 1)
    cells = simulate(_recurrence(units, n, tied=True), depths, samples, rng=seed).cells
    goal = math.log1p(_THRESHOLD)
    for before, after in itertools.pairwise(cells):
        low, high = math.log(before.mean), math.log(after.mean)
        if low < goal <= high:
            depth = before.depth + (goal - low) / (high - low)
            error = after.standard_error
            if error is not None:
                error = error / after.mean / (high - low)
            yield _row("tied breakdown", units, "sampled", n, depth, n, standard_error=error)
            return


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: one W, fresh W, and both against n."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.5, 4.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _tied_panel(left, table)
    _untied_panel(middle, table)
    _breakdown_panel(right, table)
    return figure


def _tied_panel(ax: Axes, table: list[Row]) -> None:
    _lines(ax, [row for row in table if row["panel"] == "tied"])
    ax.axhline(1.0, color="0.5", linewidth=0.8, label="fresh $W$, all units: exactly 1")
    ax.set_yscale("log")
    ax.set_ylim(0.9, 20.0)
    ax.set_yticks([1.0, 2.0, 5.0, 10.0, 20.0], ["1", "2", "5", "10", "20"])
    ax.tick_params(axis="y", which="minor", labelleft=False)
    ax.set_xlim(0.0, _LARGEST_C)
    ax.set_xlabel(rf"$c = k/\sqrt{{n}}$, $n = {_TIED_WIDTH}$")
    ax.set_ylabel(r"$\mathbb{E}\,\|h_k\|^2/n$")
    ax.set_title(r"one $W$: the mean departs at $\sqrt{n}$")
    ax.legend(loc="upper left")


def _untied_panel(ax: Axes, table: list[Row]) -> None:
    _lines(ax, [row for row in table if row["panel"] == "untied"])
    ax.set_yscale("log")
    ax.set_ylim(0.05, 30.0)
    ax.set_xlim(0.0, _LARGEST_SHARE)
    ax.set_xlabel(f"$k/n$, $n = {_UNTIED_WIDTH}$")
    ax.set_ylabel(r"Var$\,(\|h_k\|^2/n)$")
    ax.set_title("fresh $W$: mean 1, variance of order $k/n$")
    ax.legend(loc="lower right", ncols=2, fontsize=7.5)


def _breakdown_panel(ax: Axes, table: list[Row]) -> None:
    _lines(ax, [row for row in table if row["panel"] == "untied breakdown"], named=True)
    tied = [row for row in table if row["panel"] == "tied breakdown"]
    _lines(ax, tied, named=False)
    widths = np.array([_LINE_WIDTHS[0], _LINE_WIDTHS[-1]], dtype=np.float64)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(*widths)
    ax.set_ylim(0.4, 2000.0)
    legend = (
        "slope 1: fresh $W$\nslope 1/2: one $W$, linear units\npoints: one $W$, rectified units"
    )
    ax.text(0.04, 0.97, legend, transform=ax.transAxes, va="top", size=8.0)
    ax.set_xlabel("width $n$")
    ax.set_ylabel("depth at which the mean is 1.25, or the variance 0.25")
    ax.set_title(r"$\sqrt{n}$ against $n$")


def _lines(ax: Axes, rows: list[Row], named: bool = True) -> None:
    """Draw exact lines and sampled points of all units, each in its own colour."""
    lines = [_curve(rows, units, "exact", f"{units}, exact" if named else None) for units in _KINDS]
    samples = [
        _curve(rows, units, "sampled", f"{units}, sampled" if named else None) for units in _KINDS
    ]
    compared_lines(ax, lines, samples)


def _curve(rows: list[Row], units: str, kind: str, label: str | None) -> Curve | None:
    chosen = [row for row in rows if (row["units"], row["kind"]) == (units, kind)]
    if not chosen:
        return None
    return Curve(
        label or "_nolegend_",
        [row["x"] for row in chosen],
        [row["value"] for row in chosen],
        [row["standard_error"] for row in chosen] if kind == "sampled" else None,
    )
