"""Same spectrum, different energy: a Gaussian matrix against the diagonal of its eigenvalues."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sigprop.plots import Curve, compared_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sigprop.recurrences import Recurrence

Row = dict[str, Any]

_WIDTH = 64
_DEEPEST = 40
_SAMPLED_DEPTHS = {"dense": (1, 2, 4, 8, 16), "diagonal": (1, 3, 6, 12, 22)}
_SAMPLES = 2048
_FEW_SAMPLES = 256
_WIDTHS = (16, 100, 1000, 10**4)
_LARGEST_C = 5.0
_POINTS = 61
_MODELS = ("dense", "diagonal")


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
        Called as ``progress(done, total)`` after each part.

    Returns
    -------
    list of dict
        Rows with the keys panel (impulse, state, ratio), model, kind (exact, sampled, limit),
        width, depth, x, value and standard_error. "impulse" is what is left of one input
        after k steps, "state" the energy with an input at every step, "ratio" the quotient
        of the two impulse energies over k + 1 against k / sqrt(n).
    """
    samples = _FEW_SAMPLES if fast else _SAMPLES
    rows: list[Row] = []
    for done, model in enumerate(_MODELS, start=1):
        rows += _exact(model)
        rows += _sampled(model, samples, seed)
        if progress is not None:
            progress(done, len(_MODELS))
    for width in _WIDTHS[:2] if fast else _WIDTHS:
        rows += _ratios(width)
    for c in np.linspace(_LARGEST_C / _POINTS, _LARGEST_C, _POINTS):
        rows.append(_row("ratio", "both", "limit", float(c), -math.expm1(-c * c) / (c * c)))
    return rows


def _row(
    panel: str,
    model: str,
    kind: str,
    x: float,
    value: float,
    width: int | None = None,
    depth: int | None = None,
    standard_error: float | None = None,
) -> Row:
    return {
        "panel": panel,
        "model": model,
        "kind": kind,
        "width": width,
        "depth": depth,
        "x": x,
        "value": value,
        "standard_error": standard_error,
    }


def _recurrence(model: str) -> Recurrence:
    from sigprop.recurrences import GaussianLRU, GinibreSpectrum

    return GaussianLRU(_WIDTH) if model == "dense" else GinibreSpectrum(_WIDTH)


def _exact(model: str) -> Iterator[Row]:
    recurrence: Any = _recurrence(model)
    depths = np.arange(_DEEPEST + 1)
    panels = {
        "impulse": recurrence.impulse_energy(depths),
        "state": recurrence.state_energy(depths),
    }
    for panel, values in panels.items():
        for depth, value in zip(depths, values, strict=True):
            yield _row(panel, model, "exact", float(depth + 1), float(value), _WIDTH, int(depth))


def _sampled(model: str, samples: int, seed: int) -> Iterator[Row]:
    from sigprop.montecarlo import simulate

    for cell in simulate(_recurrence(model), _SAMPLED_DEPTHS[model], samples, rng=seed).cells:
        x, error = float(cell.depth + 1), cell.standard_error
        yield _row("state", model, "sampled", x, cell.mean, _WIDTH, cell.depth, error)


def _ratios(n: int) -> Iterator[Row]:
    from sigprop.recurrences import GinibreSpectrum
    from sigprop.theory.energy import log_rnn_energy

    c = np.linspace(_LARGEST_C / _POINTS, _LARGEST_C, _POINTS)
    depths = np.unique(np.round(c * math.sqrt(n)).astype(np.int64))
    depths = depths[depths > 0]
    diagonal = np.log(GinibreSpectrum(n).impulse_energy(depths))
    logs = log_rnn_energy(n, depths) - diagonal - np.log(depths + 1.0)
    for depth, value in zip(depths, np.exp(logs), strict=True):
        yield _row("ratio", "both", "exact", depth / math.sqrt(n), float(value), n, int(depth))


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: impulses, states, and the quotient."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.5, 3.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _energy_panel(left, [row for row in table if row["panel"] == "impulse"])
    left.set_ylabel(r"$\mathbb{E}\,\|W^k x\|^2/n$")
    left.set_title("what is left of one input")
    left.plot([1, _DEEPEST], [1, 1 / _DEEPEST], color="0.5", linewidth=0.8, label="$1/(k+1)$")
    left.legend(loc="upper left")
    _energy_panel(middle, [row for row in table if row["panel"] == "state"])
    middle.set_ylabel(r"$\mathbb{E}\,\|h_t\|^2/n$")
    middle.set_title("an input at every step")
    steps = np.geomspace(1.0, _DEEPEST, 40)
    middle.plot(steps, steps, color="0.5", linewidth=0.8, label="$t+1$")
    harmonic = np.log(steps) + np.euler_gamma + 0.5 / steps
    middle.plot(steps, harmonic, color="0.5", linestyle=":", label=r"$\log (t+1) + \gamma$")
    middle.legend(loc="upper left")
    _ratio_panel(right, [row for row in table if row["panel"] == "ratio"])
    return figure


def _energy_panel(ax: Axes, rows: list[Row]) -> None:
    names = ("dense $W$", "diagonal, eigenvalues of $W$")
    lines = [
        _curve(rows, model, "exact", f"{name}, exact")
        for model, name in zip(_MODELS, names, strict=True)
    ]
    samples = [_curve(rows, model, "sampled", f"{model}, sampled") for model in _MODELS]
    compared_lines(ax, lines, [sample if sample.c else None for sample in samples])
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(1, _DEEPEST)
    ax.set_xlabel(f"depth + 1, $n = {_WIDTH}$")


def _ratio_panel(ax: Axes, rows: list[Row]) -> None:
    widths = sorted({row["width"] for row in rows if row["width"] is not None})
    lines = [
        _curve([row for row in rows if row["width"] == n], "both", "exact", f"$n = {n}$")
        for n in widths
    ]
    limit = _curve(rows, "both", "limit", r"limit, $(1-e^{-c^2})/c^2$")
    compared_lines(ax, lines, reference=limit)
    ax.set_xlim(0.0, _LARGEST_C)
    ax.set_ylim(0.0, 1.05)
    ax.set_xlabel(r"$c = k/\sqrt{n}$")
    ax.set_ylabel(r"$Q_{n,k}\,/\,((k+1)\,Q^{\mathrm{eig}}_{n,k})$")
    ax.set_title("dense over diagonal")
    ax.legend(loc="upper right")


def _curve(rows: list[Row], model: str, kind: str, label: str) -> Curve:
    chosen = [row for row in rows if (row["model"], row["kind"]) == (model, kind)]
    return Curve(
        label,
        [row["x"] for row in chosen],
        [row["value"] for row in chosen],
        [row["standard_error"] for row in chosen] if kind == "sampled" else None,
    )
