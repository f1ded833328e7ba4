"""Mean against typical: what one draw of W does, and which draws carry the mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sigprop.plots import Bands, Curve, energy_bands, sampled_energies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = dict[str, Any]

_WIDTH = 100
_LARGEST_C = 8.0
_LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
_SAMPLED_C = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)
_SAMPLES = {"plain": 16384, "importance": 4096}
_FEW_SAMPLES = {"plain": 1024, "importance": 512}


def compute(
    fast: bool = False, seed: int = 0, progress: Callable[[int, int], Any] | None = None
) -> list[Row]:
    """Return the table of all that is plotted, one row per point.

    Parameters
    ----------
    fast : bool
        Few depths and samples.
    seed : int
        Root of the random streams, >= 0.
    progress : callable, optional
        Called as ``progress(done, total)`` after each part.

    Returns
    -------
    list of dict
        Rows with the keys kind, level, width, depth, c, value, error and samples. Values are
        natural logarithms of energies. "quantile" is that of the level, with its stated
        error; "mean" is exact; "plain" and "importance" are logarithms of sampled means with
        standard errors of the logarithm, None where it was refused.
    """
    step = 6 if fast else 2
    depths = range(0, math.floor(_LARGEST_C * math.sqrt(_WIDTH)) + 1, step)
    rows = [*_mean(), *_quantiles(depths)]
    if progress is not None:
        progress(1, 3)
    for done, method in enumerate(_SAMPLES, start=2):
        samples = _FEW_SAMPLES if fast else _SAMPLES
        rows += _sampled(method, samples[method], seed)
        if progress is not None:
            progress(done, 3)
    return rows


def _row(
    kind: str,
    depth: int,
    value: float,
    level: float | None = None,
    error: float | None = None,
    samples: int | None = None,
) -> Row:
    return {
        "kind": kind,
        "level": level,
        "width": _WIDTH,
        "depth": depth,
        "c": depth / math.sqrt(_WIDTH),
        "value": value,
        "error": error,
        "samples": samples,
    }


def _mean() -> Iterator[Row]:
    from sigprop.theory.energy import log_rnn_energy

    depths = np.arange(math.floor(_LARGEST_C * math.sqrt(_WIDTH)) + 1)
    for depth, value in zip(depths, log_rnn_energy(_WIDTH, depths), strict=True):
        yield _row("mean", int(depth), float(value))


def _quantiles(depths: range) -> Iterator[Row]:
    from sigprop.typical import energy_quantiles

    for depth in depths:
        law = energy_quantiles(_WIDTH, depth, _LEVELS)
        for level, value, error in zip(law.q, law.values, law.errors, strict=True):
            yield _row("quantile", depth, value, level, error)


def _sampled(method: str, samples: int, seed: int) -> Iterator[Row]:
    """Yield sampled means: plain ones at all depths, importance sampling where the mean is rare."""
    from sigprop.montecarlo import simulate
    from sigprop.recurrences import GaussianRNN

    plain = method == "plain"
    depths = [round(c * math.sqrt(_WIDTH)) for c in _SAMPLED_C if plain or c > 2.5]
    name = "krylov" if plain else "importance"
    for cell in simulate(GaussianRNN(_WIDTH), depths, samples, rng=seed, method=name).cells:
        # A refused standard error says that the tail was not seen.
        error = cell.standard_error
        relative = None if error is None else error / cell.mean
        value = math.log(cell.mean)
        yield _row(method, cell.depth, value, error=relative, samples=samples)


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: log energies left, ratios to exact right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.4, 1.0))
    _bands_panel(left, table)
    _share_panel(right, table)
    return figure


def _bands_panel(ax: Axes, table: list[Row]) -> None:
    quantiles = [row for row in table if row["kind"] == "quantile"]
    low, lower, median, upper, high = (
        [row["value"] for row in quantiles if row["level"] == level] for level in _LEVELS
    )
    c = [row["c"] for row in quantiles if row["level"] == _LEVELS[2]]
    mean = [row for row in table if row["kind"] == "mean"]
    exact = np.interp(c, [row["c"] for row in mean], [row["value"] for row in mean])
    energy_bands(ax, Bands(c, (low, high), (lower, upper), median, list(exact)))
    _points(ax, table, shift=False)
    ax.set_xlim(0.0, _LARGEST_C)
    ax.set_ylim(-4.0, 26.0)
    ax.set_ylabel(r"$\log\,(\|W^k x\|^2/n)$")
    ax.set_title(f"one draw and the mean, complex, $n = {_WIDTH}$")
    ax.legend(loc="upper left")


def _share_panel(ax: Axes, table: list[Row]) -> None:
    ax.axhline(0.0, color="black", linewidth=1.8, label="mean, exact")
    _points(ax, table, shift=True)
    ax.set_xlim(0.0, _LARGEST_C)
    ax.set_ylabel("log (sampled mean / exact mean)")
    ax.set_title("plain sampling loses the mean")
    ax.legend(loc="lower left")


def _points(ax: Axes, table: list[Row], shift: bool) -> None:
    exact = {row["depth"]: row["value"] for row in table if row["kind"] == "mean"}
    curves = []
    for method in _SAMPLES:
        rows = [row for row in table if row["kind"] == method]
        curves.append(
            Curve(
                f"{method} sampling, {rows[0]['samples']} draws",
                [row["c"] for row in rows],
                [row["value"] - (exact[row["depth"]] if shift else 0.0) for row in rows],
                [row["error"] for row in rows],
            )
        )
    # The first colours are those of the bands.
    sampled_energies(ax, [], [Curve("_nolegend_", [], []), *curves])
    ax.set_xlabel(r"$c = k/\sqrt{n}$")
