"""Curves against c, sampled points with their error bars, and running estimates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sigprop.plots.curve import (
    Curve,
    Running,
    check_colours,
    draw_samples,
    errors,
    explain_crosses,
    points,
)
from sigprop.plots.style import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def scaling_collapse(
    ax: Axes,
    exact: Sequence[Curve],
    limit: Curve,
    samples: Sequence[Curve] = (),
    reference: Curve | None = None,
) -> Axes:
    """Draw finite-width curves, their limit, and sampled points, all against c.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; scales and limits of the axes are left to the caller.
    exact : sequence of Curve
        One exact curve per width; the i-th has the i-th colour.
    limit : Curve
        The limit of infinite width at fixed c, a dashed black line.
    samples : sequence of Curve, optional
        Sampled points with error bars of one standard error; the i-th has the colour of
        the i-th exact curve. A point whose error was refused is a pale cross.
    reference : Curve, optional
        What an infinitely wide network would do at fixed depth, a dotted grey line.

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
    >>> curve = Curve("n = 4", [0.0, 0.5, 1.0], [1.0, 1.0, 1.0625])
    >>> limit = Curve("limit", [0.0, 0.5, 1.0], [1.0, 1.003, 1.042])
    >>> len(scaling_collapse(ax, [curve], limit).lines)
    2
    """
    if max(len(exact), len(samples)) > len(COLOURS):
        raise ValueError(
            f"exact and samples must hold at most {len(COLOURS)} curves each, "
            f"got {len(exact)} and {len(samples)}"
        )
    if reference is not None:
        ax.plot(*points(reference), color="0.6", linestyle=":", label=reference.label)
    for curve, colour in zip(exact, COLOURS, strict=False):
        ax.plot(*points(curve), color=colour, linewidth=1.6, label=curve.label)
    ax.plot(*points(limit), color="black", linestyle="--", linewidth=1.2, label=limit.label)
    for curve, colour, marker in zip(samples, COLOURS, MARKERS, strict=False):
        draw_samples(ax, curve, colour, marker)
    ax.set_xlabel(r"$c$ = depth / $\sqrt{n}$")
    return ax


def sampled_energies(ax: Axes, exact: Sequence[Curve], samples: Sequence[Curve]) -> Axes:
    """Draw sampled energies with their error bars on the exact curves.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; scales and limits of the axes are left to the caller.
    exact : sequence of Curve
        Exact curves; the i-th has the i-th colour.
    samples : sequence of Curve
        Sampled points with error bars of one standard error; the i-th has the i-th colour.
        A point whose error was refused is a pale cross, and the legend says so.

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
    >>> exact = Curve("exact", [0.5, 1.0, 2.0], [1.0, 1.1, 1.8])
    >>> sampled = Curve("sampled", [0.5, 1.0, 2.0], [1.0, 1.1, 0.9], [0.1, 0.1, None])
    >>> sampled_energies(ax, [exact], [sampled]).get_legend_handles_labels()[1]
    ['exact', 'no error bar: tail not seen', 'sampled']
    """
    check_colours(exact=exact, samples=samples)
    for curve, colour in zip(exact, COLOURS, strict=False):
        ax.plot(*points(curve), color=colour, linewidth=1.6, label=curve.label)
    for curve, colour, marker in zip(samples, COLOURS, MARKERS, strict=False):
        draw_samples(ax, curve, colour, marker)
    explain_crosses(ax, [errors(curve) for curve in samples])
    ax.set_xlabel(r"$c$ = depth / $\sqrt{n}$")
    return ax


def convergence(ax: Axes, runs: Sequence[Running], exact: float | None = None) -> Axes:
    """Draw running estimates against the number of trajectories, on a logarithmic axis.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; the vertical scale and the limits are left to the caller.
    runs : sequence of Running
        Estimates with error bars of one standard error; the i-th has the i-th colour. One
        whose error was refused is a pale cross, and the legend says so.
    exact : float, optional
        The value that all of them estimate, a dashed black line: 1 if the means are divided
        by the exact ones.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    ValueError
        If there are more runs than colours.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> run = Running("c = 8", [16, 256], [0.1, 0.3], [None, None])
    >>> convergence(ax, [run], exact=1.0).get_xscale()
    'log'
    """
    check_colours(runs=runs)
    curves = [Curve(run.label, run.samples, run.means, run.standard_errors) for run in runs]
    if exact is not None:
        ax.axhline(exact, color="black", linestyle="--", linewidth=1.2, label="exact")
    for curve, colour, marker in zip(curves, COLOURS, MARKERS, strict=False):
        ax.plot(*points(curve), color=colour, linewidth=0.8, alpha=0.5)
        draw_samples(ax, curve, colour, marker)
    explain_crosses(ax, [errors(curve) for curve in curves])
    ax.set_xscale("log")
    ax.set_xlabel("trajectories")
    return ax
