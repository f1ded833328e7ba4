"""Where regimes lie in the plane of width and depth, and where layers that people use lie."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sigprop.plots import COLOURS, DASHES, Marks, energy_plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = dict[str, Any]
_Integers = npt.NDArray[np.int64]

_WIDTH_ENDS = (10.0, 1e5)
_DEPTH_ENDS = (1.0, 1e5)
_POINTS = 81
_FEW_POINTS = 25
_TOLERANCES = (0.01, 0.1, 1.0)
_WINDOW_ERROR = 0.1
_EXCESS_LEVELS = (-6.0, -4.0, 2.0, 6.0, 30.0, 300.0, 3e3, 3e4)
"""Contours of log10 of the excess; the boundaries stand for those between 1 % and 100 %."""

_ENERGY_LEVELS = (1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 1e3, 1e4, 1e5)
"""Contours of log10 S."""

_TASK_LENGTHS = {
    "sCIFAR": 1024,
    "ListOps": 2048,
    "Text": 4096,
    "Retrieval": 4000,
    "Pathfinder": 1024,
    "PathX": 16384,
}
"""Lengths of the sequences of the tasks of arXiv 2303.06349 and 2111.00396."""

_STATE_SIZE_S4 = 64
_DEFAULT_WIDTHS = (64, 256, 1024)
_FACTOR = 10.0
_LONGEST = 10**5


def compute(
    fast: bool = False, seed: int = 0, progress: Callable[[int, int], Any] | None = None
) -> list[Row]:
    """Return the table of all that is plotted, one row per point of the plane.

    Parameters
    ----------
    fast : bool
        A coarse grid.
    seed : int
        Not used: nothing is random.
    progress : callable, optional
        Called as ``progress(done, total)`` after each part.

    Returns
    -------
    list of dict
        Rows with the keys kind, name, width, depth and value. On the grid ("excess", "log10
        energy") the value is log10 of S/(t+1) - 1 and log10 of S, None where it is zero.
        "boundary" is the first depth whose excess is above the tolerance in value; "window
        start" and "window end" the ends of the depths at which the published form is within
        the error in value. "model" is a layer and its task. "default" is the first depth at
        which the mean energy of real weights, drawn as a framework draws them, has changed
        by a factor 10, and value the squared gain; it has no depth if it never does.
    """
    points = _FEW_POINTS if fast else _POINTS
    widths = _grid(_WIDTH_ENDS, points)
    depths = _grid(_DEPTH_ENDS, points)
    parts = (
        lambda: _plane(widths, depths),
        lambda: _boundaries(widths),
        lambda: _window(widths),
        _models,
        _defaults,
    )
    rows: list[Row] = []
    for done, part in enumerate(parts, start=1):
        rows += part()
        if progress is not None:
            progress(done, len(parts))
    return rows


def _grid(ends: tuple[float, float], points: int) -> _Integers:
    return np.unique(np.geomspace(*ends, points).round().astype(np.int64))


def _row(
    kind: str, name: str, width: int, depth: int | None = None, value: float | None = None
) -> Row:
    return {"kind": kind, "name": name, "width": width, "depth": depth, "value": value}


def _plane(widths: _Integers, depths: _Integers) -> Iterator[Row]:
    from sigprop.theory.energy import log_lru_energy, lru_excess

    n, t = np.meshgrid(widths, depths)
    energy = np.asarray(log_lru_energy(n, t)) / math.log(10.0)
    with np.errstate(divide="ignore"):
        excess = np.log10(lru_excess(n, t))
    # Where the excess is above the float range, 1 is nothing to it.
    excess = np.where(np.isposinf(excess), energy - np.log10(t + 1.0), excess)
    for kind, values in (("excess", excess), ("log10 energy", energy)):
        for width, depth, value in zip(n.flat, t.flat, values.flat, strict=True):
            number = float(value) if math.isfinite(value) else None
            yield _row(kind, "", int(width), int(depth), number)


def _boundaries(widths: _Integers) -> Iterator[Row]:
    from sigprop.regimes import breakdown_depth

    for tolerance in _TOLERANCES:
        for width, depth in zip(widths, breakdown_depth(widths, tolerance), strict=True):
            yield _row("boundary", f"{100 * tolerance:g} %", int(width), int(depth), tolerance)


def _window(widths: _Integers) -> Iterator[Row]:
    """Yield the ends of the last stretch of depths, beyond sqrt(n), within the error."""
    from sigprop.theory.asymptotics import published_lru
    from sigprop.theory.energy import log_lru_energy

    for width in widths:
        # Below 2.5 sqrt(n) the form crosses S by accident; beyond 4 n^(2/3) it is too large.
        first, last = 2.5 * math.sqrt(width), 4.0 * width ** (2.0 / 3.0)
        depths = np.arange(math.ceil(first), math.ceil(last) + 1)
        log_ratio = published_lru(width, depths).log_value - log_lru_energy(width, depths)
        inside = depths[np.abs(np.expm1(np.minimum(log_ratio, 1.0))) <= _WINDOW_ERROR]
        if inside.size:
            yield _row("window start", "published", int(width), int(inside[0]), _WINDOW_ERROR)
            yield _row("window end", "published", int(width), int(inside[-1]), _WINDOW_ERROR)


def _models() -> Iterator[Row]:
    from sigprop.recurrences import DiagonalLRU

    for task, length in _TASK_LENGTHS.items():
        yield _row("model", f"LRU {task}", DiagonalLRU.from_preset(task).width, length)
        yield _row("model", f"S4 {task}", _STATE_SIZE_S4, length)


def _defaults() -> Iterator[Row]:
    from sigprop.initialization import DEFAULTS
    from sigprop.theory.energy import log_rnn_energy

    for default in DEFAULTS:
        for width in _DEFAULT_WIDTHS:
            depths = np.arange(1, 40 * math.isqrt(width))
            log_mean = log_rnn_energy(width, depths, field="real")
            log_mean = log_mean + depths * math.log(default.gain_squared)
            changed = depths[np.abs(log_mean) >= math.log(_FACTOR)]
            depth = int(changed[0]) if default.independent and changed.size else None
            yield _row("default", default.name, width, depth, default.gain_squared)


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: the excess left, the energy right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 5.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    _excess_panel(left, table)
    _energy_panel(right, table)
    return figure


def _excess_panel(ax: Axes, table: list[Row]) -> None:
    names = [f"$10^{{{level:g}}}$" for level in _EXCESS_LEVELS]
    _draw_plane(ax, table, "excess", _EXCESS_LEVELS, names)
    boundaries = [row for row in table if row["kind"] == "boundary"]
    tolerances = list(dict.fromkeys(row["name"] for row in boundaries))
    for name, colour, dashes in zip(tolerances, COLOURS, DASHES, strict=False):
        rows = [row for row in boundaries if row["name"] == name]
        ax.plot(
            [row["width"] for row in rows],
            [row["depth"] for row in rows],
            color=colour,
            linestyle=dashes,
            linewidth=1.8,
            label=f"breakdown depth, excess {name}",
        )
    start = [row for row in table if row["kind"] == "window start"]
    end = [row for row in table if row["kind"] == "window end"]
    ax.fill_between(
        [row["width"] for row in start],
        [row["depth"] for row in start],
        [row["depth"] for row in end],
        facecolor=COLOURS[4],
        alpha=0.55,
        edgecolor="0.3",
        hatch="///",
        linewidth=0.5,
        label="published super-critical form within 10 %",
    )
    ax.set_ylabel("depth $t$")
    ax.set_title(r"excess $S_{n,t}/(t+1) - 1$ over infinite width")
    ax.legend(loc="upper left", bbox_to_anchor=(0.0, -0.12))


def _energy_panel(ax: Axes, table: list[Row]) -> None:
    names = [f"$10^{{{level:g}}}$" for level in _ENERGY_LEVELS]
    _draw_plane(ax, table, "log10 energy", _ENERGY_LEVELS, names, _marks(table))
    ax.set_ylabel("depth $t$; length of the sequence")
    ax.set_title(r"energy $S_{n,t}$ of a Gaussian layer of that width")
    ax.legend(loc="upper left", bbox_to_anchor=(0.0, -0.12))


def _draw_plane(
    ax: Axes,
    table: list[Row],
    kind: str,
    levels: tuple[float, ...],
    names: list[str],
    marks: tuple[Marks, ...] = (),
) -> None:
    rows = [row for row in table if row["kind"] == kind]
    widths = sorted({row["width"] for row in rows})
    depths = sorted({row["depth"] for row in rows})
    values = [-np.inf if row["value"] is None else row["value"] for row in rows]
    # Contours need finite numbers; zero excess is far below the lowest level.
    plane = np.maximum(np.array(values).reshape(len(depths), len(widths)), -30.0)
    energy_plane(ax, widths, depths, plane, levels, names, marks)
    ax.set_xlim(widths[0], widths[-1])
    ax.set_ylim(depths[0], depths[-1])


def _marks(table: list[Row]) -> tuple[Marks, ...]:
    models = [row for row in table if row["kind"] == "model"]
    lru = [row for row in models if row["name"].startswith("LRU")]
    s4 = [row for row in models if row["name"].startswith("S4")]
    defaults = [row for row in table if row["kind"] == "default"]
    glorot = [row for row in defaults if row["value"] == 1.0 and row["depth"] is not None]
    uniform = [row for row in defaults if row["value"] < 1.0]
    orthogonal = [row for row in defaults if row["depth"] is None]
    return (
        _mark("LRU, width and length of its tasks", lru, "o", COLOURS[0]),
        _mark(f"S4, state size {_STATE_SIZE_S4} and lengths", s4, "s", COLOURS[1], named=False),
        _mark("Glorot and LeCun weights: mean energy times 10", glorot, "^", COLOURS[2], False),
        _mark("PyTorch RNN default: divided by 10", uniform, "v", COLOURS[3], False),
        _mark("orthogonal (Keras, Flax): never", orthogonal, "D", COLOURS[4], False),
    )


def _mark(label: str, rows: list[Row], marker: str, colour: str, named: bool = True) -> Marks:
    """Return points; those without a depth are on the upper edge."""
    places = dict.fromkeys((row["width"], row["depth"] or _LONGEST) for row in rows)
    names = dict.fromkeys(places, "")
    if named:
        for row in rows:
            place = (row["width"], row["depth"])
            task = row["name"].split()[-1]
            names[place] = f"{names[place]}, {task}" if names[place] else task
    widths, depths = [place[0] for place in places], [place[1] for place in places]
    return Marks(label, widths, depths, list(names.values()), marker, colour)
