"""Bands between quantiles of a law that spreads with depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sigprop.plots.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Bands:
    """Quantiles and mean of one law along an abscissa.

    Parameters
    ----------
    x : sequence of float
        Abscissae.
    outer, inner : pair of sequences of float
        Lower and upper ends of the two bands.
    median, mean : sequence of float
        The lines.
    outer_label, inner_label : str
        Texts of the legend for the bands.

    Examples
    --------
    >>> Bands([0, 1], ([0, -2], [0, 1]), ([0, -1], [0, 0.5]), [0, -0.2], [0, 0.1]).inner_label
    '25 % to 75 %'
    """

    x: Sequence[float]
    outer: tuple[Sequence[float], Sequence[float]]
    inner: tuple[Sequence[float], Sequence[float]]
    median: Sequence[float]
    mean: Sequence[float]
    outer_label: str = "5 % to 95 % of draws"
    inner_label: str = "25 % to 75 %"


def energy_bands(ax: Axes, bands: Bands) -> Axes:
    """Draw two bands, the median and the mean.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; scales, limits and labels of the axes are left to the caller.
    bands : Bands
        What to draw.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> bands = Bands([0, 1], ([0, -2], [0, 1]), ([0, -1], [0, 0.5]), [0, -0.2], [0, 0.1])
    >>> ax = energy_bands(Figure().add_subplot(), bands)
    >>> ax.get_legend_handles_labels()[1]
    ['5 % to 95 % of draws', '25 % to 75 %', 'median', 'mean, exact']
    """
    ax.fill_between(
        bands.x, *bands.outer, color=COLOURS[5], alpha=0.30, linewidth=0.0, label=bands.outer_label
    )
    ax.fill_between(
        bands.x, *bands.inner, color=COLOURS[5], alpha=0.65, linewidth=0.0, label=bands.inner_label
    )
    ax.plot(bands.x, bands.median, color=COLOURS[0], linestyle="--", label="median")
    ax.plot(bands.x, bands.mean, color="black", linewidth=1.8, label="mean, exact")
    return ax
