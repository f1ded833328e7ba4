"""Real weights: the same critical profile as complex ones, and then twice the exponent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sigprop.plots import COLOURS, Curve, scaling_collapse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = dict[str, Any]

_WIDTHS = (64, 256, 1024)
_SAMPLED_C = {64: (0.5, 1.1, 1.6), 256: (0.75, 1.4), 1024: (1.0, 1.75)}
_SAMPLES = {64: 16384, 256: 8192, 1024: 2048}
_LARGEST_C = 3.0
_DEEP_WIDTH = 100
_DEEPEST = 80
_LIMIT_POINTS = 121


def compute(
    fast: bool = False, seed: int = 0, progress: Callable[[int, int], Any] | None = None
) -> list[Row]:
    """Return the table of all that is plotted, one row per point.

    Parameters
    ----------
    fast : bool
        Two widths and few samples.
    seed : int
        Root of the random streams, >= 0.
    progress : callable, optional
        Called as ``progress(done, total)`` after each simulated width.

    Returns
    -------
    list of dict
        Rows with the keys panel (collapse, exponent), kind (exact, sampled, limit, real,
        complex, uniform, takeover), width, depth, c, value and standard_error. Values of
        the panel "exponent" are natural logarithms of energies.
    """
    widths = _WIDTHS[:2] if fast else _WIDTHS
    rows = [*_limit(), *_exponent()]
    for done, width in enumerate(widths, start=1):
        rows += _exact(width)
        rows += _sampled(width, 1024 if fast else _SAMPLES[width], seed)
        if progress is not None:
            progress(done, len(widths))
    return rows


def _row(
    panel: str,
    kind: str,
    c: float,
    value: float,
    width: int | None = None,
    depth: int | None = None,
) -> Row:
    return {
        "panel": panel,
        "kind": kind,
        "width": width,
        "depth": depth,
        "c": c,
        "value": value,
        "standard_error": None,
    }


def _limit() -> Iterator[Row]:
    from sigprop.theory.asymptotics import critical_profile

    grid = np.linspace(0.0, _LARGEST_C, _LIMIT_POINTS)
    for c, value in zip(grid, critical_profile(grid), strict=True):
        yield _row("collapse", "limit", float(c), float(value))


def _exact(width: int) -> Iterator[Row]:
    from sigprop.theory.energy import rnn_energy

    depths = np.arange(math.floor(_LARGEST_C * math.sqrt(width)) + 1)
    values = rnn_energy(width, depths, field="real")
    for depth, value in zip(depths, values, strict=True):
        c = float(depth) / math.sqrt(width)
        yield _row("collapse", "exact", c, float(value), width, int(depth))


def _sampled(width: int, samples: int, seed: int) -> Iterator[Row]:
    from sigprop.montecarlo import simulate
    from sigprop.recurrences import GaussianRNN

    depths = [round(c * math.sqrt(width)) for c in _SAMPLED_C[width]]
    for cell in simulate(GaussianRNN(width, "real"), depths, samples, rng=seed).cells:
        row = _row("collapse", "sampled", cell.c, cell.mean, width, cell.depth)
        yield row | {"standard_error": cell.standard_error}


def _exponent() -> Iterator[Row]:
    from sigprop.theory.asymptotics import real_uniform_rnn, takeover_depth
    from sigprop.theory.energy import log_rnn_energy

    depths = np.arange(_DEEPEST + 1)
    lines = {
        "real": log_rnn_energy(_DEEP_WIDTH, depths, field="real"),
        "complex": log_rnn_energy(_DEEP_WIDTH, depths),
        "uniform": real_uniform_rnn(_DEEP_WIDTH, depths).log_value,
    }
    root = math.sqrt(_DEEP_WIDTH)
    for kind, values in lines.items():
        for depth, value in zip(depths, values, strict=True):
            yield _row("exponent", kind, depth / root, float(value), _DEEP_WIDTH, int(depth))
    takeover = int(takeover_depth(_DEEP_WIDTH))
    value = float(lines["real"][takeover])
    yield _row("exponent", "takeover", takeover / root, value, _DEEP_WIDTH, takeover)


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: the collapse left, the exponent right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    _collapse(left, [row for row in table if row["panel"] == "collapse"])
    _doubling(right, [row for row in table if row["panel"] == "exponent"])
    return figure


def _collapse(ax: Axes, rows: list[Row]) -> None:
    widths = sorted({row["width"] for row in rows if row["width"] is not None})
    scaling_collapse(
        ax,
        [_curve(rows, "exact", f"exact, n = {width}", width) for width in widths],
        _curve(rows, "limit", "limit, real and complex"),
        [_curve(rows, "sampled", f"sampled, n = {width}", width) for width in widths],
    )
    ax.set_yscale("log")
    ax.set_xlim(0.0, _LARGEST_C)
    ax.set_ylim(0.8, 300.0)
    ax.set_title(r"real weights at $k = c\sqrt{n}$: the same profile")
    ax.set_ylabel(r"$Q^R_{n,k}$")
    ax.legend(loc="upper left")


def _doubling(ax: Axes, rows: list[Row]) -> None:
    real, complex_, uniform = (_depth_line(rows, kind) for kind in ("real", "complex", "uniform"))
    ax.plot(*real, color=COLOURS[1], linewidth=1.8, label="real, exact")
    ax.plot(*complex_, color=COLOURS[0], linewidth=1.8, label="complex, exact")
    ax.plot(*uniform, color="black", linestyle=":", linewidth=1.4, label="real, uniform form")
    ax.plot(
        complex_[0],
        2.0 * np.array(complex_[1]),
        color=COLOURS[0],
        linestyle="--",
        linewidth=1.0,
        label="complex, exponent doubled",
    )
    (takeover,) = (row for row in rows if row["kind"] == "takeover")
    ax.plot(
        takeover["depth"],
        takeover["value"],
        "o",
        color=COLOURS[1],
        markerfacecolor="white",
        label=rf"$k^* = {takeover['depth']}$: real = 2 complex",
    )
    ax.set_xlim(0, _DEEPEST)
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel(f"depth $k$, n = {_DEEP_WIDTH}")
    ax.set_ylabel(r"$\log Q_{n,k}$")
    ax.set_title("then twice the exponent")
    ax.legend(loc="upper left")


def _depth_line(rows: list[Row], kind: str) -> tuple[list[int], list[float]]:
    chosen = [row for row in rows if row["kind"] == kind]
    return [row["depth"] for row in chosen], [row["value"] for row in chosen]


def _curve(rows: list[Row], kind: str, label: str, width: int | None = None) -> Curve:
    chosen = [row for row in rows if row["kind"] == kind and row["width"] == width]
    return Curve(
        label,
        [row["c"] for row in chosen],
        [row["value"] for row in chosen],
        [row["standard_error"] for row in chosen] if kind == "sampled" else None,
    )
