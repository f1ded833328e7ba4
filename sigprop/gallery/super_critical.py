"""Beyond the critical depths: exact energies against the published form, which ends at n^(2/3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sigprop.plots import Curve, compared_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = dict[str, Any]
_Depths = npt.NDArray[np.int64]

_WIDTH = 10**4
_WIDTHS = (10**2, 10**4, 10**6, 10**9, 10**12)
_POINTS = 121
_FEW_POINTS = 31
_LARGEST_C = 1000.0
_LARGEST_B = 3.0
_FORMS = ("exact", "published", "super-critical")


def compute(
    fast: bool = False, seed: int = 0, progress: Callable[[int, int], Any] | None = None
) -> list[Row]:
    """Return the table of all that is plotted, one row per point.

    Parameters
    ----------
    fast : bool
        Three widths and few depths.
    seed : int
        Not used: nothing is random.
    progress : callable, optional
        Called as ``progress(done, total)`` after each panel.

    Returns
    -------
    list of dict
        Rows with the keys panel (energies, c, departure), kind, width, depth, x (what the
        panel has across: depth, depth / n^(1/2), depth / n^(2/3)) and value: log S in the
        panel "energies", else the logarithm of the published form over the exact energy; the
        limit of that has no width.
    """
    points = _FEW_POINTS if fast else _POINTS
    widths = _WIDTHS[:3] if fast else _WIDTHS
    rows = [*_energies(points)]
    panels: tuple[tuple[str, float, tuple[float, float]], ...] = (
        ("c", 0.5, (0.5, _LARGEST_C)),
        ("departure", 2.0 / 3.0, (0.02, _LARGEST_B)),
    )
    for done, (panel, power, ends) in enumerate(panels, start=1):
        for width in widths:
            rows += _departures(panel, width, power, ends, points)
        if progress is not None:
            progress(done, len(panels))
    grid = np.geomspace(0.02, _LARGEST_B, points)
    rows += [_row("departure", "limit", float(b), float(b**3 / 6.0)) for b in grid]
    return rows


def _row(
    panel: str,
    kind: str,
    x: float,
    value: float,
    width: int | None = None,
    depth: int | None = None,
) -> Row:
    return {
        "panel": panel,
        "kind": kind,
        "width": width,
        "depth": depth,
        "x": x,
        "value": value,
    }


def _depths(width: int, power: float, ends: tuple[float, float], points: int) -> _Depths:
    """Return depths x n^power for x between two ends, at least 1 and at most 100 n."""
    x = np.geomspace(*ends, points)
    depths = np.unique(np.round(x * float(width) ** power).astype(np.int64))
    return depths[(depths >= 1) & (depths <= 100 * width)]


def _energies(points: int) -> Iterator[Row]:
    from sigprop.theory.asymptotics import published_lru, super_critical_lru
    from sigprop.theory.energy import log_lru_energy

    depths = _depths(_WIDTH, 0.5, (0.1, _LARGEST_C), points)
    logs = (
        log_lru_energy(_WIDTH, depths),
        published_lru(_WIDTH, depths).log_value,
        super_critical_lru(_WIDTH, depths).log_value,
    )
    for kind, values in zip(_FORMS, logs, strict=True):
        for depth, value in zip(depths, values, strict=True):
            yield _row("energies", kind, float(depth), float(value), _WIDTH, int(depth))


def _departures(
    panel: str, width: int, power: float, ends: tuple[float, float], points: int
) -> Iterator[Row]:
    from sigprop.theory.asymptotics import published_lru
    from sigprop.theory.energy import log_lru_energy

    depths = _depths(width, power, ends, points)
    values = published_lru(width, depths).log_value - log_lru_energy(width, depths)
    for depth, value in zip(depths, values, strict=True):
        x = float(depth) / float(width) ** power
        yield _row(panel, "published / exact", x, float(value), width, int(depth))


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: energies, the window, its upper end."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 3.8), layout="constrained")
    panels = figure.subplots(1, 3)
    _energies_panel(panels[0], [row for row in table if row["panel"] == "energies"])
    _window_panel(panels[1], [row for row in table if row["panel"] == "c"])
    _departure_panel(panels[2], [row for row in table if row["panel"] == "departure"])
    return figure


def _energies_panel(ax: Axes, rows: list[Row]) -> None:
    labels = ("exact", "published, $n^2 e^{t^2/2n}/t^3$", r"super-critical, $e^{n\varphi(t/n)}$")
    curves = [_curve(rows, kind, label) for kind, label in zip(_FORMS, labels, strict=True)]
    compared_lines(ax, curves)
    _depth_line(ax, math.sqrt(_WIDTH), r"$\sqrt{n}$")
    _depth_line(ax, _WIDTH ** (2.0 / 3.0), "$n^{2/3}$")
    _depth_line(ax, _WIDTH, "$n$")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.minorticks_off()
    ax.set_xlim(10.0, rows[-1]["depth"])
    ax.set_ylim(2.0, 1e6)
    ax.set_xlabel(f"depth $t$, $n = 10^{{{round(math.log10(_WIDTH))}}}$")
    ax.set_ylabel(r"$\log S_{n,t}$")
    ax.set_title(r"the exponent is $n\varphi(t/n)$, not $t^2/2n$")
    ax.legend(loc="upper left")


def _depth_line(ax: Axes, depth: float, name: str) -> None:
    ax.axvline(depth, color="0.7", linewidth=0.7, zorder=0.0)
    ax.annotate(
        name,
        (depth, 0.0),
        (3.0, 3.0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        color="0.4",
        size=8.0,
    )


def _window_panel(ax: Axes, rows: list[Row]) -> None:
    compared_lines(ax, _by_width(rows))
    ax.axhspan(math.log(0.9), math.log(1.1), color="0.85", label=r"within 10 %")
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_xlim(0.5, _LARGEST_C)
    ax.set_ylim(-1.2, 1.2)
    ax.set_xlabel(r"$c = t/\sqrt{n}$")
    ax.set_ylabel("log (published / exact)")
    ax.set_title("the published window opens slowly")
    ax.legend(loc="lower right")


def _departure_panel(ax: Axes, rows: list[Row]) -> None:
    limit = _curve(rows, "limit", r"limit, $(t/n^{2/3})^3/6$")
    finite = [row for row in rows if row["kind"] != "limit"]
    compared_lines(ax, _by_width(finite), reference=limit)
    ax.set_xlim(0.0, _LARGEST_B)
    ax.set_ylim(-1.2, 5.0)
    ax.set_xlabel(r"$t/n^{2/3}$")
    ax.set_ylabel("log (published / exact)")
    ax.set_title("and closes at $n^{2/3}$")
    ax.legend(loc="upper center")


def _by_width(rows: list[Row]) -> list[Curve]:
    widths = sorted({row["width"] for row in rows})
    return [
        _curve(
            [row for row in rows if row["width"] == width],
            "published / exact",
            f"$n = 10^{{{round(math.log10(width))}}}$",
        )
        for width in widths
    ]


def _curve(rows: list[Row], kind: str, label: str) -> Curve:
    chosen = [row for row in rows if row["kind"] == kind]
    return Curve(label, [row["x"] for row in chosen], [row["value"] for row in chosen])
