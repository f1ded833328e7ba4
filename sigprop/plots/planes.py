"""The plane of widths and depths: filled contours, boundaries, and points on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Marks:
    """Points of one kind on the plane, each with a short name or none.

    Parameters
    ----------
    label : str
        Text of the legend.
    widths, depths : sequence of float
        Where they are.
    names : sequence of str
        One for each point, written to the right of it, or to the left where another point
        is in the way; empty for none.
    marker, colour : str
        How they look.

    Examples
    --------
    >>> Marks("a layer", [5], [2], ["A"], "o", "black").names
    ['A']
    """

    label: str
    widths: Sequence[float]
    depths: Sequence[float]
    names: Sequence[str]
    marker: str
    colour: str


def energy_plane(
    ax: Axes,
    widths: Sequence[float],
    depths: Sequence[float],
    values: Any,
    levels: Sequence[float],
    names: Sequence[str],
    marks: Sequence[Marks] = (),
) -> Axes:
    """Draw contours of a quantity over width and depth, both on logarithmic axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    widths, depths : sequence of float
        Grid, both increasing and > 0.
    values : array_like of float, shape (depths, widths)
        The quantity.
    levels : sequence of float
        Contours, increasing. Grey between them, darker for larger values.
    names : sequence of str
        Text on each contour.
    marks : sequence of Marks
        Points to draw on top.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> values = np.array([[0.0, 0.0], [2.0, 1.0]])
    >>> mark = Marks("a layer", [5], [2], ["A"], "o", "black")
    >>> ax = energy_plane(Figure().add_subplot(), [1, 10], [1, 10], values, [0.5], ["1/2"], [mark])
    >>> ax.get_xscale(), ax.get_legend_handles_labels()[1]
    ('log', ['a layer'])
    """
    values = np.asarray(values, dtype=np.float64)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.minorticks_off()
    greys = [str(shade) for shade in np.linspace(1.0, 0.62, len(levels) + 1)]
    edges = [-np.inf, *levels, np.inf]
    ax.contourf(widths, depths, values, levels=edges, colors=greys, extend="neither")
    lines = ax.contour(
        widths, depths, values, list(levels), colors="0.35", linewidths=0.6, linestyles="solid"
    )
    ax.clabel(lines, fmt=dict(zip(lines.levels, names, strict=True)), fontsize=6.5, inline=True)
    for mark in marks:
        _draw_marks(ax, mark)
    ax.set_xlabel("width $n$")
    return ax


def _draw_marks(ax: Axes, marks: Marks) -> None:
    ax.plot(
        marks.widths,
        marks.depths,
        linestyle="none",
        marker=marks.marker,
        color=marks.colour,
        markeredgecolor="white",
        markersize=6.5,
        label=marks.label,
        zorder=4.0,
        clip_on=False,
    )
    places = list(zip(marks.widths, marks.depths, strict=True))
    for place, name in zip(places, marks.names, strict=True):
        left = any(_in_the_way(place, other) for other in places)
        ax.annotate(
            name,
            place,
            (-5.0 if left else 5.0, 0.0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            size=7.0,
        )


def _in_the_way(place: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether another point lies where a name to the right of a place would be."""
    return place[0] < other[0] < 3.0 * place[0] and 0.8 < other[1] / place[1] < 1.25
