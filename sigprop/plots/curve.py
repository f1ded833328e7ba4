"""What the plots take, and the drawing they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sigprop.plots.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = npt.NDArray[np.float64]

FLAGGED = "no error bar: tail not seen"
"""Text of the legend for points whose error was refused."""


@dataclass(frozen=True)
class Curve:
    """Values against c = depth / sqrt(width), or against another abscissa.

    Parameters
    ----------
    label : str
        Text of the legend.
    c : sequence of float
        Abscissae.
    values : sequence of float
        Ordinates; None and not-finite ones leave a gap.
    standard_errors : sequence of float or None, optional
        Half lengths of the error bars; None in an entry is an error that was refused.

    Examples
    --------
    >>> Curve("n = 4", [0.5, 1.0], [1.0, 1.0625]).label
    'n = 4'
    """

    label: str
    c: Sequence[float]
    values: Sequence[float | None]
    standard_errors: Sequence[float | None] | None = None


@dataclass(frozen=True)
class Running:
    """Estimates of one mean from more and more trajectories.

    Parameters
    ----------
    label : str
        Text of the legend.
    samples : sequence of int
        Numbers of trajectories.
    means : sequence of float
        Sample means, in the unit of the plot.
    standard_errors : sequence of float or None
        Half lengths of the error bars; None is an error that was refused.

    Examples
    --------
    >>> Running("c = 1", [16, 256], [1.1, 1.04], [0.2, 0.05]).samples
    [16, 256]
    """

    label: str
    samples: Sequence[int]
    means: Sequence[float | None]
    standard_errors: Sequence[float | None]


def check_colours(**groups: Sequence[object]) -> None:
    """Refuse more curves than there are colours."""
    for name, group in groups.items():
        if len(group) > len(COLOURS):
            raise ValueError(f"{name} must hold at most {len(COLOURS)} of them, got {len(group)}")


def explain_crosses(ax: Axes, bars: Sequence[FloatArray]) -> None:
    """Add the pale cross to the legend if there is one."""
    if not all(np.isfinite(values).all() for values in bars):
        ax.plot([], [], "x", color="0.4", alpha=0.6, label=FLAGGED)


def draw_samples(ax: Axes, curve: Curve, colour: str, marker: str) -> None:
    """Draw points with error bars, and pale crosses where the error was refused."""
    c, values = points(curve)
    bars = errors(curve)
    trusted = np.isfinite(bars)
    ax.errorbar(
        c[trusted],
        values[trusted],
        yerr=bars[trusted],
        color=colour,
        marker=marker,
        markersize=4.0,
        markerfacecolor="white",
        linestyle="none",
        capsize=2.5,
        label=curve.label,
        zorder=3.0,
    )
    if not trusted.all():
        ax.plot(c[~trusted], values[~trusted], "x", color=colour, alpha=0.4, zorder=3.0)


def points(curve: Curve) -> tuple[FloatArray, FloatArray]:
    """Return abscissae and ordinates, gaps as nan."""
    return np.asarray(curve.c, dtype=np.float64), with_gaps(curve.values)


def errors(curve: Curve) -> FloatArray:
    """Return the half lengths of the error bars, nan where there is none."""
    if curve.standard_errors is None:
        return np.full(len(curve.c), np.nan)
    return with_gaps(curve.standard_errors)


def with_gaps(values: Sequence[float | None]) -> FloatArray:
    """Return an array with nan for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
