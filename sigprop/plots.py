"""Plots: each takes data and a Matplotlib ``Axes`` and returns that ``Axes``.

Nothing here computes, simulates, opens a figure or touches pyplot, so plots work
without a display, in threads, and inside any figure of the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = npt.NDArray[np.float64]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's colours, which the colour-blind tell apart."""

MARKERS = ("o", "s", "^", "D", "v", "P")
"""One shape for each colour, so that a grey print can be read too."""


FLAGGED = "no error bar: tail not seen"
"""Text of the legend for points whose error was refused."""


@dataclass(frozen=True)
class Curve:
    """Values against c = depth / sqrt(width).

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
    """

    label: str
    c: Sequence[float]
    values: Sequence[float | None]
    standard_errors: Sequence[float | None] | None = None


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
        ax.plot(*_points(reference), color="0.6", linestyle=":", label=reference.label)
    for curve, colour in zip(exact, COLOURS, strict=False):
        ax.plot(*_points(curve), color=colour, linewidth=1.6, label=curve.label)
    ax.plot(*_points(limit), color="black", linestyle="--", linewidth=1.2, label=limit.label)
    for curve, colour, marker in zip(samples, COLOURS, MARKERS, strict=False):
        _draw_samples(ax, curve, colour, marker)
    ax.set_xlabel(r"$c$ = depth / $\sqrt{n}$")
    return ax


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
    """

    label: str
    samples: Sequence[int]
    means: Sequence[float | None]
    standard_errors: Sequence[float | None]


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
    _check_colours(exact=exact, samples=samples)
    for curve, colour in zip(exact, COLOURS, strict=False):
        ax.plot(*_points(curve), color=colour, linewidth=1.6, label=curve.label)
    for curve, colour, marker in zip(samples, COLOURS, MARKERS, strict=False):
        _draw_samples(ax, curve, colour, marker)
    _explain_crosses(ax, [_errors(curve) for curve in samples])
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
    _check_colours(runs=runs)
    curves = [Curve(run.label, run.samples, run.means, run.standard_errors) for run in runs]
    if exact is not None:
        ax.axhline(exact, color="black", linestyle="--", linewidth=1.2, label="exact")
    for curve, colour, marker in zip(curves, COLOURS, MARKERS, strict=False):
        ax.plot(*_points(curve), color=colour, linewidth=0.8, alpha=0.5)
        _draw_samples(ax, curve, colour, marker)
    _explain_crosses(ax, [_errors(curve) for curve in curves])
    ax.set_xscale("log")
    ax.set_xlabel("trajectories")
    return ax


def _check_colours(**groups: Sequence[Curve] | Sequence[Running]) -> None:
    for name, group in groups.items():
        if len(group) > len(COLOURS):
            raise ValueError(f"{name} must hold at most {len(COLOURS)} of them, got {len(group)}")


def _explain_crosses(ax: Axes, errors: Sequence[FloatArray]) -> None:
    """Add the pale cross to the legend if there is one."""
    if not all(np.isfinite(values).all() for values in errors):
        ax.plot([], [], "x", color="0.4", alpha=0.6, label=FLAGGED)


def _draw_samples(ax: Axes, curve: Curve, colour: str, marker: str) -> None:
    c, values = _points(curve)
    errors = _errors(curve)
    trusted = np.isfinite(errors)
    ax.errorbar(
        c[trusted],
        values[trusted],
        yerr=errors[trusted],
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


def _points(curve: Curve) -> tuple[FloatArray, FloatArray]:
    return np.asarray(curve.c, dtype=np.float64), _with_gaps(curve.values)


def _errors(curve: Curve) -> FloatArray:
    if curve.standard_errors is None:
        return np.full(len(curve.c), np.nan)
    return _with_gaps(curve.standard_errors)


def _with_gaps(values: Sequence[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
