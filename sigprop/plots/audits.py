"""Audited weights on the band of a random matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sigprop.plots.curve import FloatArray, with_gaps
from sigprop.plots.limits import limit_to
from sigprop.plots.style import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sigprop.auditing import Audit


def energy_profile(ax: Axes, result: Audit) -> Axes:
    """Draw measured log energies of audited weights on the band of a random matrix.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    result : sigprop.auditing.Audit
        The matrices; the i-th has the i-th colour and marker, again from the first after six.
        Dashed lines are predicted means, shaded bands the predicted 5 % to 95 %. Zero energies
        leave a gap.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes, with depth on a logarithmic scale and vertical limits that hold the
        measured values and their bands: means can be far above them.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sigprop.auditing import audit
    >>> ax = energy_profile(Figure().add_subplot(), audit(np.eye(2), depths=[1, 2, 4]))
    >>> ax.get_legend_handles_labels()[1][0]
    'W'
    """
    shown, means = [], []
    for index, tensor in enumerate(result.tensors):
        colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
        measured, mean, low, high = (
            _finite_or_gap(values)
            for values in (
                tensor.log_energy,
                tensor.predicted_log_energy,
                tensor.predicted_low,
                tensor.predicted_high,
            )
        )
        ax.plot(
            tensor.depths, measured, color=colour, marker=marker, markersize=4.0, label=tensor.name
        )
        ax.plot(tensor.depths, mean, color=colour, linestyle="--", linewidth=1.0)
        ax.fill_between(tensor.depths, low, high, color=colour, alpha=0.12, linewidth=0.0)
        shown += [measured, low, high]
        means.append(mean)
    if any(tensor.kind == "dense" for tensor in result.tensors):
        ax.plot([], [], color="0.4", linestyle="--", linewidth=1.0, label="predicted mean")
        ax.fill_between([], [], [], color="0.4", alpha=0.2, label="predicted 5 % to 95 %")
    ax.axhline(0.0, color="0.6", linestyle=":", linewidth=1.0)
    limit_to(ax, shown, means)
    ax.set_xscale("symlog" if any(0 in tensor.depths for tensor in result.tensors) else "log")
    ax.set_xlabel("depth k")
    ax.set_ylabel(r"$\log\,(\|W^k\|_F^2 / n)$")
    return ax


def _finite_or_gap(values: Sequence[float | None]) -> FloatArray:
    array = with_gaps(values)
    return np.where(np.isfinite(array), array, np.nan)
