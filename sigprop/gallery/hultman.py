"""Hultman numbers: their triangle, the law of the cycles, and the genus expansion they make."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sigprop.plots import COLOURS, Curve, compared_lines, number_triangle
from sigprop.plots.curve import points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = dict[str, Any]

_LAST_ROW = 8
_LAW_DEPTHS = (10, 100, 2000)
_WIDTH = 10**4
_EXPANSION_C = (0.5, 1.0, 2.0, 3.0, 4.0)
_LAST_GENUS = 14
_SMALLEST = 1e-16


def compute(
    fast: bool = False, seed: int = 0, progress: Callable[[int, int], Any] | None = None
) -> list[Row]:
    """Return the table of all that is plotted, one row per number or point.

    Parameters
    ----------
    fast : bool
        Two laws and three expansions.
    seed : int
        Not used: nothing is random.
    progress : callable, optional
        Called as ``progress(done, total)`` after each panel.

    Returns
    -------
    list of dict
        Rows with the keys panel (triangle, law, limit, genus, series), depth, index (number
        of cycles j, or last genus kept g), x and value. In the triangle the value is
        S_H(k, j). In the law it is half the standard deviation of j times its probability
        S_H(k, j) / k!, and x is j in standard deviations from its mean; the factor 2 is the
        distance of one possible j to the next. In "genus" the value is the relative error of
        the expansion to genus g, exact; in "series" what is left of that of sinh(x)/x.
    """
    rows = [*_triangle(), *_law(_LAW_DEPTHS[:2] if fast else _LAW_DEPTHS)]
    if progress is not None:
        progress(1, 2)
    rows += _expansions(_EXPANSION_C[:3] if fast else _EXPANSION_C)
    if progress is not None:
        progress(2, 2)
    return rows


def _row(
    panel: str, x: float, value: float, depth: int | None = None, index: int | None = None
) -> Row:
    return {"panel": panel, "depth": depth, "index": index, "x": x, "value": value}


def _triangle() -> Iterator[Row]:
    from sigprop.theory.combinatorics import hultman_row

    for k in range(_LAST_ROW + 1):
        for j, number in enumerate(hultman_row(k), start=1):
            yield _row("triangle", j, number, k, j)


def _law(depths: tuple[int, ...]) -> Iterator[Row]:
    from sigprop.theory.combinatorics import hultman_row

    for k in depths:
        total = math.factorial(k)
        # Quotients of big integers, rounded once.
        shares = [number / total for number in hultman_row(k)]
        cycles = np.arange(1, k + 2)
        mean = float(np.dot(shares, cycles))
        deviation = math.sqrt(np.dot(shares, (cycles - mean) ** 2))
        for j, share in zip(cycles, shares, strict=True):
            if share > 1e-9:
                yield _row("law", (j - mean) / deviation, 0.5 * deviation * share, k, int(j))
    for x in np.linspace(-4.0, 4.0, 81):
        yield _row("limit", float(x), math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi))


def _expansions(cs: tuple[float, ...]) -> Iterator[Row]:
    for c in cs:
        depth = round(c * math.sqrt(_WIDTH))
        for panel, errors in (("genus", _genus_errors(depth)), ("series", _series_errors(depth))):
            for genus, error in enumerate(errors):
                yield _row(panel, genus, error, depth, genus)


def _genus_errors(k: int) -> list[float]:
    """Return the share of the parts above genus g: sum of S_H(k, j) n^(j-1) over j <= k - 2g."""
    from sigprop.theory.combinatorics import hultman_row

    partial, sums = 0, []
    power = 1
    for number in hultman_row(k):
        partial += number * power
        sums.append(partial)
        power *= _WIDTH
    # The entry j - 1 of sums holds the parts of at most j cycles.
    return [sums[k - 2 * g - 2] / sums[-1] if k >= 2 * g + 2 else 0.0 for g in range(_LAST_GENUS)]


def _series_errors(k: int) -> list[float]:
    """Return the share of the terms above x^(2g) in the series of sinh(x)/x."""
    x = (k + 1) * (k + 2) / (2.0 * _WIDTH)
    terms = [x ** (2 * g) / math.factorial(2 * g + 1) for g in range(_LAST_GENUS + 40)]
    total = math.fsum(terms)
    return [math.fsum(terms[g + 1 :]) / total for g in range(_LAST_GENUS)]


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: the triangle, the law, the expansion."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 3.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.25, 1.0, 1.0))
    _triangle_panel(left, [row for row in table if row["panel"] == "triangle"])
    _law_panel(middle, table)
    _genus_panel(right, table)
    return figure


def _triangle_panel(ax: Axes, rows: list[Row]) -> None:
    depths = sorted({row["depth"] for row in rows})
    number_triangle(ax, [[row["value"] for row in rows if row["depth"] == k] for k in depths])
    ax.set_xlabel("cycles $j$; genus $(k+1-j)/2$")
    ax.set_ylabel("depth $k$")
    ax.set_title(r"$S_H(k,j) = 2\,c(k+2,j)\,/\,((k+1)(k+2))$")


def _law_panel(ax: Axes, table: list[Row]) -> None:
    law = [row for row in table if row["panel"] == "law"]
    curves = [
        _points_of(law, depth, f"$k = {depth}$") for depth in sorted({r["depth"] for r in law})
    ]
    limit = [row for row in table if row["panel"] == "limit"]
    ax.plot(
        [row["x"] for row in limit],
        [row["value"] for row in limit],
        color="black",
        linestyle="--",
        linewidth=1.2,
        label="normal law",
    )
    for curve, colour, marker in zip(curves, COLOURS, "os^D", strict=False):
        ax.plot(
            *points(curve),
            linestyle="none",
            marker=marker,
            color=colour,
            markersize=5.0,
            label=curve.label,
        )
    ax.set_xlim(-3.5, 4.0)
    ax.set_ylim(0.0, 0.48)
    ax.set_xlabel("cycles, in standard deviations from their mean")
    ax.set_ylabel(r"$\frac{1}{2}\sigma\,S_H(k,j)/k!$")
    ax.set_title("the law of the cycles")
    ax.legend(loc="upper right")


def _genus_panel(ax: Axes, table: list[Row]) -> None:
    exact = [row for row in table if row["panel"] == "genus" and row["value"] > 0.0]
    series = [row for row in table if row["panel"] == "series"]
    depths = sorted({row["depth"] for row in exact})
    root = math.sqrt(_WIDTH)
    lines = [_points_of(series, depth, f"$c = {depth / root:g}$") for depth in depths]
    compared_lines(ax, lines)
    for depth, colour, marker in zip(depths, COLOURS, "os^Dv", strict=False):
        curve = _points_of(exact, depth, "")
        ax.plot(
            *points(curve),
            linestyle="none",
            marker=marker,
            color=colour,
            markerfacecolor="white",
            markersize=4.5,
        )
    ax.plot([], [], "o", color="0.3", markerfacecolor="white", label=f"$n = {_WIDTH}$, exact")
    ax.plot([], [], color="0.3", label=r"$\sinh(x)/x$")
    ax.set_yscale("log")
    ax.set_xlim(-0.4, _LAST_GENUS - 0.6)
    ax.set_ylim(_SMALLEST, 3.0)
    ax.minorticks_off()
    ax.set_xlabel("last genus kept, $g$")
    ax.set_ylabel("share of $Q_{n,k}$ left out")
    ax.set_title("the genus expansion converges")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _points_of(rows: list[Row], depth: int, label: str) -> Curve:
    chosen = [row for row in rows if row["depth"] == depth]
    return Curve(label, [row["x"] for row in chosen], [row["value"] for row in chosen])
