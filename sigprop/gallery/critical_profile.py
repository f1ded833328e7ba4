"""Scaling collapse: energies of several widths against c, and the profile they tend to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sigprop.plots import Curve, scaling_collapse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = dict[str, Any]

_WIDTHS = (16, 100, 500, 2000)
_SAMPLED_C = {
    16: (0.5, 1.25, 2.0),
    100: (0.8, 1.5, 1.9),
    500: (0.25, 1.0, 1.75),
    2000: (0.65, 1.35, 1.65),
}
"""Where each width is sampled: side by side, so that no point hides another."""

_SAMPLES = {16: 16384, 100: 8192, 500: 2048, 2000: 1024}
"""Trajectories: narrow layers fluctuate more and cost less."""

_LARGEST_C = 3.5
_LIMIT_POINTS = 141


def compute(
    fast: bool = False, seed: int = 0, progress: Callable[[int, int], Any] | None = None
) -> list[Row]:
    """Return the table of all that is plotted, one row per point.

    Parameters
    ----------
    fast : bool
        Two widths, few points and few samples.
    seed : int
        Root of the random streams, >= 0.
    progress : callable, optional
        Called as ``progress(done, total)`` after each simulated cell.

    Returns
    -------
    list of dict
        Rows with the keys model, kind (exact, sampled, limit, infinite width), width,
        depth, c, value and standard_error; None where a key has no meaning. For the LRU
        the value is the energy over sqrt(n).
    """
    widths = _WIDTHS[:2] if fast else _WIDTHS
    rows: list[Row] = []
    for model in ("rnn", "lru"):
        rows += _limits(model)
        for width in widths:
            rows += _exact(model, width)
    cells = [(model, width) for model in ("rnn", "lru") for width in widths if width in _SAMPLED_C]
    for done, (model, width) in enumerate(cells, start=1):
        rows += _sampled(model, width, 1024 if fast else _SAMPLES[width], seed)
        if progress is not None:
            progress(done, len(cells))
    return rows


def _row(
    model: str,
    kind: str,
    c: float,
    value: float,
    width: int | None = None,
    depth: int | None = None,
    standard_error: float | None = None,
) -> Row:
    return {
        "model": model,
        "kind": kind,
        "width": width,
        "depth": depth,
        "c": c,
        "value": value,
        "standard_error": standard_error,
    }


def _limits(model: str) -> Iterator[Row]:
    from sigprop.theory.asymptotics import critical_integral, critical_profile

    profile = critical_profile if model == "rnn" else critical_integral
    grid = np.linspace(0.0, _LARGEST_C, _LIMIT_POINTS)
    for c, value in zip(grid, profile(grid), strict=True):
        yield _row(model, "limit", float(c), float(value))
    for c in grid:
        yield _row(model, "infinite width", float(c), 1.0 if model == "rnn" else float(c))


def _exact(model: str, width: int) -> Iterator[Row]:
    from sigprop.theory.energy import lru_energy, rnn_energy

    scale = 1.0 if model == "rnn" else math.sqrt(width)
    energy = rnn_energy if model == "rnn" else lru_energy
    depths = range(math.floor(_LARGEST_C * math.sqrt(width)) + 1)
    for depth, value in zip(depths, energy(width, np.array(depths)), strict=True):
        c = depth / math.sqrt(width)
        yield _row(model, "exact", c, float(value) / scale, width=width, depth=depth)


def _sampled(model: str, width: int, samples: int, seed: int) -> Iterator[Row]:
    from sigprop.montecarlo import simulate
    from sigprop.recurrences import GaussianLRU, GaussianRNN

    scale = 1.0 if model == "rnn" else math.sqrt(width)
    recurrence = GaussianRNN(width) if model == "rnn" else GaussianLRU(width)
    depths = [round(c * math.sqrt(width)) for c in _SAMPLED_C[width]]
    for cell in simulate(recurrence, depths, samples, rng=seed).cells:
        error = cell.standard_error
        yield _row(
            model,
            "sampled",
            cell.c,
            cell.mean / scale,
            width=width,
            depth=cell.depth,
            standard_error=None if error is None else error / scale,
        )


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: the RNN on the left, the LRU right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    _panel(left, [row for row in table if row["model"] == "rnn"])
    _panel(right, [row for row in table if row["model"] == "lru"])
    left.set_title(r"RNN: $Q_{n,k}\;\to\;(2/c^2)\,\sinh(c^2/2)$")
    left.set_ylabel(r"$Q_{n,k}=\mathbb{E}\,\|W^k x\|^2/n$")
    right.set_title(r"LRU: $S_{n,t}/\sqrt{n}\;\to\;\int_0^c (2/u^2)\,\sinh(u^2/2)\,du$")
    right.set_ylabel(r"$S_{n,t}/\sqrt{n}=\mathbb{E}\,\|h_t\|^2/n^{3/2}$")
    right.set_ylim(bottom=0.1)
    _legends(left, right)
    return figure


def _legends(left: Axes, right: Axes) -> None:
    """Say the lines on the left and the sampled points on the right; both hold for both."""
    handles, labels = left.get_legend_handles_labels()
    named = list(zip(handles, labels, strict=True))
    for ax, points in ((left, False), (right, True)):
        chosen = [pair for pair in named if pair[1].startswith("sampled") is points]
        ax.legend(*zip(*chosen, strict=True), loc="upper left")


def _panel(ax: Axes, rows: list[Row]) -> None:
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    widths = sorted({row["width"] for row in rows if row["width"] is not None})
    exact = [_curve(rows, "exact", f"exact, n = {width}", width) for width in widths]
    sampled = [
        _curve(rows, "sampled", f"sampled, n = {width} ($\\pm$ 1 standard error)", width)
        for width in widths
        if any(row["kind"] == "sampled" and row["width"] == width for row in rows)
    ]
    scaling_collapse(
        ax,
        exact,
        _curve(rows, "limit", "limit at fixed c"),
        sampled,
        reference=_curve(rows, "infinite width", "infinite width, fixed depth"),
    )
    ax.set_xlim(0.0, _LARGEST_C)
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FormatStrFormatter("%g"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def _curve(rows: list[Row], kind: str, label: str, width: int | None = None) -> Curve:
    chosen = [row for row in rows if row["kind"] == kind and row["width"] == width]
    return Curve(
        label,
        [row["c"] for row in chosen],
        [row["value"] for row in chosen],
        [row["standard_error"] for row in chosen] if kind == "sampled" else None,
    )
