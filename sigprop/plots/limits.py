"""The vertical range of a picture: what was measured and its band, not a mean far above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sigprop.plots.curve import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARGIN = 0.06


def limit_to(ax: Axes, shown: Sequence[FloatArray], means: Sequence[FloatArray]) -> None:
    """Set the vertical limits to values that must be seen; say so where a mean leaves them.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Whose limits to set; left alone where nothing is finite.
    shown : sequence of ndarray
        Measured values and the ends of their bands; nan where there is none.
    means : sequence of ndarray
        Predicted means, which may be far above.
    """
    values = np.concatenate([np.zeros(1), *map(np.ravel, shown)])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    if low == high:
        return
    room = _MARGIN * (high - low)
    ax.set_ylim(low - room, high + room)
    if any(np.nanmax(mean, initial=-np.inf) > high + room for mean in means):
        ax.text(
            0.99,
            0.985,
            "dashed: the mean goes on above",
            transform=ax.transAxes,
            horizontalalignment="right",
            verticalalignment="top",
            fontsize="small",
            color="0.3",
        )
