"""Lines told apart by colour and dashes, with sampled points on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sigprop.plots.curve import (
    Curve,
    check_colours,
    draw_samples,
    errors,
    explain_crosses,
    points,
)
from sigprop.plots.style import COLOURS, DASHES, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def compared_lines(
    ax: Axes,
    lines: Sequence[Curve | None],
    samples: Sequence[Curve | None] = (),
    reference: Curve | None = None,
) -> Axes:
    """Draw lines that differ in colour and dashes, and sampled points that belong to them.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; scales, limits and labels of the axes are left to the caller.
    lines : sequence of Curve or None
        The i-th has the i-th colour and dashes; None leaves out a colour.
    samples : sequence of Curve or None
        Points with error bars of one standard error; the i-th has the i-th colour and marker.
        A point whose error was refused is a pale cross, and the legend says so.
    reference : Curve, optional
        What to compare with, a thin black line.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    ValueError
        If there are more curves than colours.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> exact = Curve("n = 4", [0.0, 1.0], [1.0, 1.1])
    >>> sampled = Curve("sampled", [0.5, 1.0], [1.0, 1.1], [0.1, 0.1])
    >>> compared_lines(ax, [exact], [None, sampled]).get_legend_handles_labels()[1]
    ['n = 4', 'sampled']
    """
    check_colours(lines=lines, samples=samples)
    if reference is not None:
        ax.plot(*points(reference), color="black", linewidth=0.8, label=reference.label)
    for line, colour, dashes in zip(lines, COLOURS, DASHES, strict=False):
        if line is not None:
            ax.plot(*points(line), color=colour, linestyle=dashes, linewidth=1.6, label=line.label)
    drawn = [sample for sample in samples if sample is not None]
    for sample, colour, marker in zip(samples, COLOURS, MARKERS, strict=False):
        if sample is not None:
            draw_samples(ax, sample, colour, marker)
    explain_crosses(ax, [errors(sample) for sample in drawn])
    return ax
