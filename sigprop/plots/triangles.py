"""A triangle of integers, written out and shaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def number_triangle(ax: Axes, rows: Sequence[Sequence[int]], first_column: int = 1) -> Axes:
    """Write rows of integers into cells, shaded by their share of the sum of their row.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; row 0 is on top, and labels are left to the caller.
    rows : sequence of sequences of int
        The i-th row; a zero is an empty cell.
    first_column : int
        Number of the first column.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = number_triangle(Figure().add_subplot(), [[1], [0, 1], [1, 0, 1]])
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '1', '1']
    """
    from matplotlib.patches import Rectangle

    for i, row in enumerate(rows):
        total = sum(row)
        for j, number in enumerate(row, start=first_column):
            if number:
                # From white to a blue on which black text can be read.
                share = number / total
                shade = (1.0 - 0.65 * share, 1.0 - 0.35 * share, 1.0 - 0.1 * share)
                corner = (j - 0.5, i - 0.5)
                ax.add_patch(Rectangle(corner, 1.0, 1.0, facecolor=shade, edgecolor="0.8"))
                ax.text(j, i, str(number), ha="center", va="center", size=7.0)
    longest = max(len(row) for row in rows)
    ax.set_xlim(first_column - 0.55, first_column + longest - 0.45)
    ax.set_ylim(len(rows) - 0.45, -0.55)
    ax.set_xticks(range(first_column, first_column + longest))
    ax.set_yticks(range(len(rows)))
    return ax
