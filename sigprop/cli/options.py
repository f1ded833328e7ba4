"""Options that commands share, and how their values are read."""

from __future__ import annotations

import argparse
import decimal
import math
import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn

MODELS = ("rnn", "lru")
FIELDS = ("complex", "real")
MAX_DIGITS = 1000
"""Longest integer read from the command line; any width or depth of use is far shorter."""

_NUMBER = re.compile(r"[+-]?[0-9]+(_[0-9]+)*(\.[0-9]+(_[0-9]+)*)?([eE][+-]?[0-9]{1,15})?")

Commands = Any  # argparse's subparsers action has no public type


class OneLineParser(argparse.ArgumentParser):
    """An argument parser that reports an error in one line and leaves with status 2."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        """Print the error in one line and exit."""
        line = " ".join(message.split())
        print(f"{self.prog}: {line} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def exact_integer(minimum: int, maximum: int | None = None) -> Callable[[str], int]:
    """Return a reader of exact integers in a range: ``1e12`` is 10**12, ``1_000`` is 1000."""
    upper = "" if maximum is None else f" and <= {maximum}"
    wanted = f"must be an integer >= {minimum}{upper}"

    def read(text: str) -> int:
        if not _NUMBER.fullmatch(text):
            raise argparse.ArgumentTypeError(f"{wanted}, got {_shown(text)}")
        # A decimal keeps what was typed exactly and does not expand its exponent.
        value = decimal.Decimal(text)
        if value.adjusted() >= MAX_DIGITS:
            raise argparse.ArgumentTypeError(
                f"{wanted} of at most {MAX_DIGITS} digits, got {_shown(text)}"
            )
        outside = value < minimum or (maximum is not None and value > maximum)
        if outside or value != value.to_integral_value():
            raise argparse.ArgumentTypeError(f"{wanted}, got {_shown(text)}")
        return int(value)

    return read


def positive_number(text: str) -> float:
    """Read a finite number > 0."""
    number = _number(text)
    if not (math.isfinite(number) and number > 0.0):
        raise argparse.ArgumentTypeError(f"must be a finite number > 0, got {_shown(text)}")
    return number


def nonnegative_number(text: str) -> float:
    """Read a finite number >= 0."""
    number = _number(text)
    if not (math.isfinite(number) and number >= 0.0):
        raise argparse.ArgumentTypeError(f"must be a finite number >= 0, got {_shown(text)}")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    example: str,
) -> argparse.ArgumentParser:
    """Add one command to the parser of commands and return its own parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example: {example}",
    )
    parser.set_defaults(run=run)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser


def add_widths(parser: argparse.ArgumentParser, default: list[int] | None = None) -> None:
    """Add ``--width`` (also ``--widths``): one or more."""
    parser.add_argument(
        "--width",
        "--widths",
        dest="widths",
        type=exact_integer(1),
        nargs="+",
        required=default is None,
        default=default,
        metavar="N",
        help="width n, one or more, such as 1024 or 1e12" + _shown_default(default),
    )


def add_depths(parser: argparse._ActionsContainer, required: bool = True) -> None:
    """Add ``--depth`` (also ``--depths``): one or more."""
    parser.add_argument(
        "--depth",
        "--depths",
        dest="depths",
        type=exact_integer(0),
        nargs="+",
        required=required,
        default=None,
        metavar="T",
        help="depth, the number of steps, one or more",
    )


def add_models(parser: argparse.ArgumentParser) -> None:
    """Add ``--model`` (also ``--models``): one or more, both if not given."""
    parser.add_argument(
        "--model",
        "--models",
        dest="models",
        choices=MODELS,
        nargs="+",
        default=list(MODELS),
        help="rnn: h = W^k x; lru: h_t = W h_(t-1) + x_t (default: both)",
    )


def add_fields(parser: argparse.ArgumentParser) -> None:
    """Add ``--field`` (also ``--fields``): one or more, complex if not given."""
    parser.add_argument(
        "--field",
        "--fields",
        dest="fields",
        choices=FIELDS,
        nargs="+",
        default=["complex"],
        help="entries of the weights (default: complex)",
    )


def add_gain(parser: argparse.ArgumentParser) -> None:
    """Add ``--gain``."""
    parser.add_argument(
        "--gain",
        type=positive_number,
        default=1.0,
        metavar="G",
        help="factor on the weights, E|W_ij|^2 = G^2/n (default: 1)",
    )


def add_inputs(
    parser: argparse._ActionsContainer, remark: str = "it matters for real weights"
) -> None:
    """Add ``--inputs``: the law of the inputs in time."""
    parser.add_argument(
        "--inputs",
        type=input_law,
        default="white",
        metavar="LAW",
        help="law of the inputs: white, constant, ar1:RHO, or an autocorrelation 1,R1,R2,... "
        f"(default: white); {remark}",
    )


def input_law(text: str) -> Any:
    """Read an input law: ``white``, ``constant``, ``ar1:0.9`` or ``1,0.5,0.25``."""
    from sigprop.theory.input_laws import as_input_law

    value: Any = text
    if text.startswith("ar1:"):
        value = ("ar1", _number(text[4:]))
    elif "," in text:
        value = [_number(item) for item in text.split(",")]
    try:
        return as_input_law("the law", value)
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def probabilities(text: str) -> tuple[float, ...]:
    """Read probabilities from .005 to .995, separated by commas."""
    values = tuple(_number(item) for item in text.split(","))
    if not all(0.005 <= value <= 0.995 for value in values):
        raise argparse.ArgumentTypeError(
            f"must be probabilities from .005 to .995 such as .05,.5,.95, got {_shown(text)}"
        )
    return values


def add_tolerance(parser: argparse.ArgumentParser) -> None:
    """Add ``--tol``."""
    parser.add_argument(
        "--tol",
        type=positive_number,
        default=0.1,
        metavar="EPS",
        help="relative error up to which a description is said to hold (default: 0.1)",
    )


def add_samples(
    parser: argparse._ActionsContainer, meaning: str = "", default: int | None = None
) -> None:
    """Add ``--samples``; without a default the library chooses, as ``meaning`` says."""
    parser.add_argument(
        "--samples",
        type=exact_integer(1),
        default=default,
        metavar="M",
        help=f"trajectories per recurrence (default: {meaning or default})",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add ``--seed``."""
    parser.add_argument(
        "--seed",
        type=exact_integer(0),
        default=0,
        metavar="SEED",
        help="root of all random streams (default: 0)",
    )


def add_json(parser: argparse._ActionsContainer) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print strict JSON")


def _shown_default(default: list[int] | None) -> str:
    return "" if default is None else f" (default: {' '.join(map(str, default))})"
