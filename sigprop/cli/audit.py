"""``sigprop audit``: is the recurrence of a checkpoint safe, and what to change."""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import TYPE_CHECKING

from sigprop._files import check_writable, write_file
from sigprop.cli import options
from sigprop.cli.output import json_text

if TYPE_CHECKING:
    from sigprop.auditing import Audit

_PICTURES = (".png", ".svg", ".pdf")
_DOTS_PER_INCH = 200


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "audit",
        run,
        "the energy of the recurrent weights in a checkpoint, against theory, with a verdict",
        "sigprop audit model.safetensors --key rnn.weight_hh_l0 --plot audit.png",
    )
    parser.add_argument(
        "file", metavar="FILE", help=".npy, .npz, .safetensors, or PyTorch's .pt and .pth"
    )
    parser.add_argument(
        "--key",
        nargs="+",
        action="extend",
        metavar="KEY",
        help="tensors by name, or by a part of a name that one tensor alone has; "
        "not needed if only one can be recurrent weights",
    )
    parser.add_argument(
        "--blocks",
        type=options.exact_integer(1),
        metavar="B",
        help="square blocks stacked in the tensor (default: 4 or 3 gates by shape)",
    )
    parser.add_argument(
        "--transpose", action="store_true", help="the tensor is used as h W (Keras, Flax)"
    )
    parser.add_argument(
        "--diagonal", action="store_true", help="the tensor holds eigenvalues, not a matrix"
    )
    parser.add_argument(
        "--field",
        choices=options.FIELDS,
        help="entries of the random matrix to compare with (default: as the tensor)",
    )
    options.add_depths(parser, required=False)
    parser.add_argument(
        "--plot", metavar="PICTURE", help="draw the profiles there: .png, .svg or .pdf"
    )
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Audit the file, print the report, and draw it if asked to."""
    from sigprop.auditing import DEPTHS, audit_file

    if arguments.plot is not None:
        _check_plot(arguments.plot)
    result = audit_file(
        arguments.file,
        DEPTHS if arguments.depths is None else arguments.depths,
        field=arguments.field,
        blocks=arguments.blocks,
        transpose=arguments.transpose,
        key=arguments.key,
        kind="diagonal" if arguments.diagonal else None,
    )
    if arguments.plot is not None:
        write_file(arguments.plot, _picture(result, Path(arguments.plot).suffix[1:].lower()))
    print(json_text(result.to_dict()) if arguments.json else result.to_text())
    return 0


def _check_plot(path: str) -> None:
    if Path(path).suffix.lower() not in _PICTURES:
        raise ValueError(f"--plot must end in {', '.join(_PICTURES)}, got {path!r}")
    check_writable(path)


def _picture(result: Audit, kind: str) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from sigprop import plots

    figure = Figure(figsize=(7.0, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    ax = plots.energy_profile(figure.add_subplot(), result)
    ax.legend(fontsize=8.0)
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=_DOTS_PER_INCH)
    return buffer.getvalue()
