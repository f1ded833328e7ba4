"""From a figure and its table to bytes: the same input gives the same bytes."""

from __future__ import annotations

import contextlib
import csv
import io
import platform
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, Any]

_STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.0,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "svg.hashsalt": "sigprop",
}
_DOTS_PER_INCH = 200


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Draw with Matplotlib's defaults and the settings above, then restore the user's."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def render(figure: Figure) -> dict[str, bytes]:
    """Return the figure as png and svg, without dates or versions in them."""
    # The layout is the dearest part: it is found once, for both pictures.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    pictures = {}
    no_stamps: dict[str, dict[str, None]] = {
        "png": {"Software": None},
        "svg": {"Date": None, "Creator": None},
    }
    for kind, metadata in no_stamps.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)
        pictures[kind] = buffer.getvalue()
    return pictures


def csv_text(table: Sequence[Row], command: str, seed: int) -> str:
    """Return the plotted table as csv below comment lines that say how it was made.

    Floats have all their digits; what is not available is an empty field.
    """
    import sigprop

    text = io.StringIO()
    text.write(f"# command: {command}\n")
    text.write(f"# seed: {seed}\n")
    text.write(
        f"# versions: sigprop {sigprop.__version__}, numpy {np.__version__}, "
        f"python {platform.python_version()}\n"
    )
    writer = csv.DictWriter(text, fieldnames=list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()
