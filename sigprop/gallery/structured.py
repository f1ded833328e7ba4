"""Structured recurrences: how their state grows under white and constant inputs, and forgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sigprop.plots import COLOURS, MARKERS, Curve
from sigprop.plots.curve import draw_samples, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sigprop.recurrences import StructuredRecurrence

Row = dict[str, Any]

_LRU = ("LRU ListOps", "LRU Pathfinder", "LRU PathX")
_HEADS = ("RotRNN", "S4D lin", "S4D inv")
_LAWS = ("white", "constant")
_HORIZONS = ("half_energy", "mean_lag", "burn_in")
_REMEMBERED = (
    "LRU Text",
    "LRU Retrieval",
    "LRU ListOps",
    "LRU Pathfinder",
    "LRU sCIFAR",
    "LRU PathX",
    "RotRNN",
    "S4D lin",
    "S4D inv",
    "S4D legs",
)
_POINTS = 33
_FEW_POINTS = 8
_DEEPEST = 30000
_SAMPLED_DEPTHS = {"white": (0, 3, 14, 59), "constant": (1, 7, 29, 99)}
"""Side by side, so that no point hides another."""

_SAMPLES = 512
_FEW_SAMPLES = 128


def compute(
    fast: bool = False, seed: int = 0, progress: Callable[[int, int], Any] | None = None
) -> list[Row]:
    """Return the table of all that is plotted, one row per point.

    Parameters
    ----------
    fast : bool
        Few depths and samples, and no S4D "inv".
    seed : int
        Root of the random streams, >= 0.
    progress : callable, optional
        Called as ``progress(done, total)`` after each layer.

    Returns
    -------
    list of dict
        Rows with the keys model, kind (exact, sampled, horizon), inputs, depth, value and
        standard_error. Energies are per unit for the LRU, whose stationary white energy is
        then 1, and per head or channel for the others. For a horizon the key inputs has its
        name and value its number of steps.
    """
    models = (*_LRU, *_HEADS[: 2 if fast else None])
    rows: list[Row] = []
    for done, name in enumerate(models, start=1):
        for inputs in _LAWS:
            rows += _exact(name, inputs, _FEW_POINTS if fast else _POINTS)
            rows += _sampled(name, inputs, _FEW_SAMPLES if fast else _SAMPLES, seed)
        if progress is not None:
            progress(done, len(models))
    for name in _REMEMBERED:
        for kind in _HORIZONS:
            rows.append(_row(name, "horizon", kind, None, _recurrence(name).horizon(kind)))
    return rows


def _row(
    model: str,
    kind: str,
    inputs: str,
    depth: int | None,
    value: float,
    standard_error: float | None = None,
) -> Row:
    return {
        "model": model,
        "kind": kind,
        "inputs": inputs,
        "depth": depth,
        "value": value,
        "standard_error": standard_error,
    }


def _recurrence(name: str) -> StructuredRecurrence:
    from sigprop.recurrences import DiagonalLRU
    from sigprop.recurrences.rotrnn import RotRNN
    from sigprop.recurrences.s4d import S4D

    family, _, kind = name.partition(" ")
    if family == "LRU":
        return DiagonalLRU.from_preset(kind)
    return RotRNN(heads=8, head_size=32) if family == "RotRNN" else S4D(64, kind, channels=8)


def _units(name: str) -> int:
    """Return by what energies per unit are multiplied: 1, or the units of a head."""
    return 1 if name in _LRU else _recurrence(name).units_per_head


def _exact(name: str, inputs: str, points: int) -> Iterator[Row]:
    depths = np.unique(np.geomspace(1, _DEEPEST, points).round().astype(np.int64)) - 1
    energies = _units(name) * _recurrence(name).state_energy(depths, inputs)
    for depth, value in zip(depths, energies, strict=True):
        yield _row(name, "exact", inputs, int(depth), float(value))


def _sampled(name: str, inputs: str, samples: int, seed: int) -> Iterator[Row]:
    from sigprop.montecarlo import simulate

    units = _units(name)
    recurrence = _recurrence(name)
    depths = _SAMPLED_DEPTHS[inputs]
    for cell in simulate(recurrence, depths, samples, rng=seed, inputs=inputs).cells:
        error = None if cell.standard_error is None else units * cell.standard_error
        yield _row(name, "sampled", inputs, cell.depth, units * cell.mean, error)


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: LRU, heads and channels, horizons."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 4.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _energy_panel(left, table, _LRU)
    left.set_ylabel(r"$\mathbb{E}\,\|h_t\|^2/n$")
    left.set_title("LRU of three tasks")
    _energy_panel(middle, table, _HEADS)
    middle.set_ylabel(r"$\mathbb{E}\,\|h_t\|^2$ of a head or channel")
    middle.set_title("RotRNN heads, S4D channels")
    _horizon_panel(right, [row for row in table if row["kind"] == "horizon"])
    return figure


def _energy_panel(ax: Axes, table: list[Row], models: tuple[str, ...]) -> None:
    for name, colour, marker in zip(models, COLOURS, MARKERS, strict=False):
        for inputs, dashes in zip(_LAWS, ("-", "--"), strict=True):
            exact = _curve(table, name, "exact", inputs)
            if exact.c:
                ax.plot(
                    *points(exact),
                    color=colour,
                    linestyle=dashes,
                    linewidth=1.8 if inputs == "white" else 1.3,
                    label=name if inputs == "white" else None,
                )
                draw_samples(ax, _curve(table, name, "sampled", inputs), colour, marker)
    ax.plot([], [], color="0.4", label="solid: white inputs")
    ax.plot(
        [],
        [],
        color="0.4",
        linestyle="--",
        label="dashed: constant ones,\non the solid line at full phase",
    )
    ax.plot([], [], "o", color="0.4", markerfacecolor="white", label="points: sampled")
    ax.axhline(1.0, color="0.7", linewidth=0.7, zorder=0.0)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(1, _DEEPEST)
    ax.set_ylim(5e-4, 30.0)
    ax.set_xlabel("steps $t + 1$")
    ax.legend(loc="lower right")


def _curve(table: list[Row], name: str, kind: str, inputs: str) -> Curve:
    chosen = [
        row for row in table if (row["model"], row["kind"], row["inputs"]) == (name, kind, inputs)
    ]
    return Curve(
        "_nolegend_",
        [row["depth"] + 1 for row in chosen],
        [row["value"] for row in chosen],
        [row["standard_error"] for row in chosen],
    )


def _horizon_panel(ax: Axes, rows: list[Row]) -> None:
    labels = ("half of the energy", "mean lag", "95 % of the energy")
    places = {name: i for i, name in enumerate(_REMEMBERED)}
    for kind, label, colour, marker in zip(_HORIZONS, labels, COLOURS, MARKERS, strict=False):
        chosen = [row for row in rows if row["inputs"] == kind]
        ax.plot(
            [row["value"] for row in chosen],
            [places[row["model"]] for row in chosen],
            linestyle="none",
            marker=marker,
            color=colour,
            label=label,
        )
    ax.set_xscale("symlog", linthresh=1.0)
    ax.set_xlim(-0.15, _DEEPEST)
    ax.set_yticks(range(len(places)), list(places))
    ax.set_ylim(len(places) - 0.5, -0.5)
    ax.grid(axis="y", color="0.9")
    ax.set_axisbelow(True)
    ax.set_xlabel("lag, steps; white inputs")
    ax.set_title("how far back they remember")
    ax.legend(loc="upper right")
