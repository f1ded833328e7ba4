"""Errors of approximate forms against depth: where each holds, and what it says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sigprop.plots.curve import check_colours, with_gaps
from sigprop.plots.style import COLOURS, DASHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Form:
    """Errors of one form.

    Parameters
    ----------
    label : str
        Text of the legend.
    depths : sequence of int
        Depths > 0.
    errors : sequence of float or None
        True relative errors; None and zero leave a gap.
    stated : sequence of float or None
        Relative errors that the form states.
    holds : sequence of bool
        Where the form says that it holds.

    Examples
    --------
    >>> Form("t + 1", [1, 10], [1e-4, 1e-2], [2e-4, 2e-2], [True, True]).label
    't + 1'
    """

    label: str
    depths: Sequence[int]
    errors: Sequence[float | None]
    stated: Sequence[float | None]
    holds: Sequence[bool]


def form_errors(ax: Axes, forms: Sequence[Form]) -> Axes:
    """Draw errors of forms, bold where they hold and pale elsewhere, and what they state.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; both scales become logarithmic, limits are left to the caller.
    forms : sequence of Form
        The i-th has the i-th colour and dashes. The thin line of the same colour is the
        error that the form states, drawn where it holds.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    ValueError
        If there are more forms than colours.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> form = Form("t + 1", [1, 10], [1e-4, 1e-2], [2e-4, 2e-2], [True, True])
    >>> len(form_errors(Figure().add_subplot(), [form]).lines)
    3
    """
    check_colours(forms=forms)
    for form, colour, dashes in zip(forms, COLOURS, DASHES, strict=False):
        true, stated = with_gaps(form.errors), with_gaps(form.stated)
        true = np.where(true > 0.0, true, np.nan)
        holds = np.asarray(form.holds, dtype=bool)
        ax.plot(form.depths, true, color=colour, linestyle=dashes, linewidth=0.8, alpha=0.45)
        ax.plot(
            form.depths,
            np.where(holds, true, np.nan),
            color=colour,
            linestyle=dashes,
            linewidth=2.0,
            label=form.label,
        )
        ax.plot(form.depths, np.where(holds, stated, np.nan), color=colour, linewidth=0.6)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.minorticks_off()
    return ax
