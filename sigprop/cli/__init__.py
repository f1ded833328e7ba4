"""The command line ``sigprop``: parse, call the library, print.

One file per command, each with ``add_command`` (its options) and ``run``.  No
mathematics lives here.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Sequence

from sigprop import __version__
from sigprop.cli import (
    audit,
    claims,
    energy,
    figures,
    gain,
    hultman,
    recurrence,
    regime,
    simulate,
    validate,
)
from sigprop.cli.options import OneLineParser

USAGE_ERROR = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


def build_parser() -> OneLineParser:
    """Return the parser of all commands."""
    parser = OneLineParser(
        prog="sigprop",
        description="How large is the hidden state of a linear recurrence of finite width?",
    )
    parser.add_argument("--version", action="version", version=f"sigprop {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (
        energy,
        regime,
        gain,
        audit,
        recurrence,
        hultman,
        validate,
        simulate,
        claims,
        figures,
    ):
        module.add_command(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name; those of the process if None.

    Returns
    -------
    int
        0 done, 1 theory and simulation disagree or a claim changed, 2 wrong use or
        unusable input or output, 130 interrupted, 141 the reader of the output went away.
    """
    try:
        arguments = build_parser().parse_args(argv)
    except SystemExit as request:  # --help, --version and errors of use
        return request.code if isinstance(request.code, int) else USAGE_ERROR
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, TypeError, OSError) as error:
        if arguments.debug:
            traceback.print_exc()
        message = " ".join(str(error).split()) or type(error).__name__
        print(f"sigprop {arguments.command}: {message}", file=sys.stderr)
        return USAGE_ERROR
    return status


def _discard_output() -> None:
    """Let the interpreter flush into nothing at exit: the reader has gone."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
