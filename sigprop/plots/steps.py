"""Energies measured step by step on the band that theory predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sigprop.plots.curve import FloatArray, with_gaps
from sigprop.plots.limits import limit_to
from sigprop.plots.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class PredictedBand:
    """Predicted energies after some steps, as natural logarithms.

    Parameters
    ----------
    label : str
        Text of the legend.
    steps : sequence of int
        Numbers of steps.
    log_mean, log_low, log_high : sequence of float or None
        Mean, and ends of the band; None leaves a gap.

    Examples
    --------
    >>> PredictedBand("predicted", [1, 2], [0.0, 0.1], [-0.5, -0.7], [0.5, 0.7]).steps
    [1, 2]
    """

    label: str
    steps: Sequence[int]
    log_mean: Sequence[float | None]
    log_low: Sequence[float | None]
    log_high: Sequence[float | None]


def energies_over_time(
    ax: Axes,
    measured: Mapping[str, FloatArray | Sequence[float | None]],
    predicted: Sequence[PredictedBand] = (),
) -> Axes:
    """Draw the logarithms of energies measured at each step, on predicted bands.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    measured : mapping of str to sequence of (float or None)
        By label, energies after steps 1, 2, ...; zero, None and not-finite ones leave a gap.
    predicted : sequence of PredictedBand, optional
        Dashed lines are means, shaded the bands. The i-th has the colour of the i-th measured
        curve; colours start again after six.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes, with steps on a logarithmic scale and vertical limits that hold the
        measured values and the bands: means can be far above them.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> band = PredictedBand("predicted", [1, 2], [0.0, 0.0], [-0.5, -0.7], [0.5, 0.7])
    >>> ax = energies_over_time(Figure().add_subplot(), {"measured": [1.0, 1.1, 0.0]}, [band])
    >>> ax.get_legend_handles_labels()[1]
    ['predicted', 'measured']
    """
    shown, means = [], []
    for index, band in enumerate(predicted):
        colour = COLOURS[index % len(COLOURS)]
        low, high = with_gaps(band.log_low), with_gaps(band.log_high)
        ax.fill_between(band.steps, low, high, color=colour, alpha=0.15, linewidth=0.0)
        mean = with_gaps(band.log_mean)
        shown += [low, high]
        means.append(mean)
        ax.plot(band.steps, mean, color=colour, linestyle="--", linewidth=1.0, label=band.label)
    for index, (label, energies) in enumerate(measured.items()):
        values = _log_or_gap(energies)
        steps = np.arange(1, len(values) + 1)
        shown.append(values)
        ax.plot(steps, values, color=COLOURS[index % len(COLOURS)], linewidth=1.6, label=label)
    ax.axhline(0.0, color="0.6", linestyle=":", linewidth=1.0)
    limit_to(ax, shown, means)
    ax.set_xscale("log")
    ax.set_xlabel("step $t$")
    ax.set_ylabel(r"$\log\,(\|h_t\|^2 / n)$")
    return ax


def _log_or_gap(energies: FloatArray | Sequence[float | None]) -> FloatArray:
    values = np.array([np.nan if value is None else value for value in energies], dtype=np.float64)
    drawn = np.isfinite(values) & (values > 0.0)
    return np.log(values, out=np.full(values.shape, np.nan), where=drawn)
