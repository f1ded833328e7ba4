"""``sigprop validate``: theory against simulation over a grid, with a verdict."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sigprop._files import check_writable, write_file
from sigprop.cli import options
from sigprop.cli.output import json_text, progress_bar

if TYPE_CHECKING:
    from sigprop.validation import Validation

DISAGREE = 1


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "validate",
        run,
        "theory against simulation over a grid; status 1 when they disagree",
        "sigprop validate --widths 64 256 --c 0.5 1 2 --samples 1000 --seed 1",
    )
    options.add_widths(parser, default=[64, 256, 1024])
    depths = parser.add_mutually_exclusive_group()
    depths.add_argument(
        "--c",
        type=options.nonnegative_number,
        nargs="+",
        default=[0.5, 1.0, 2.0],
        metavar="C",
        help="depths in units of sqrt(width): depth = round(C sqrt(N)) (default: 0.5 1 2)",
    )
    options.add_depths(depths, required=False)
    parser.add_argument(
        "--recurrence",
        "--recurrences",
        dest="recurrences",
        nargs="+",
        metavar="NAME",
        help="recurrences by name (see sigprop recurrence), with their default sizes, "
        "instead of the grid of widths, models, fields and gain",
    )
    options.add_models(parser)
    options.add_fields(parser)
    options.add_gain(parser)
    options.add_samples(parser, "256 to 8192, fewer for larger matrices")
    options.add_seed(parser)
    parser.add_argument(
        "--threshold",
        type=options.positive_number,
        default=4.0,
        metavar="Z",
        help="standard errors up to which a mean agrees (default: 4)",
    )
    shape = parser.add_mutually_exclusive_group()
    options.add_json(shape)
    shape.add_argument("--csv", action="store_true", help="print comma-separated values")
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="write there, whole or not at all, and print the verdict alone; "
        "FILE.json and FILE.csv need no --json or --csv",
    )


def run(arguments: argparse.Namespace) -> int:
    """Simulate the grid, print or write the report, and return the verdict's status."""
    from sigprop.validation import validate

    if arguments.output is not None:
        check_writable(arguments.output)
    with progress_bar("validate") as progress:
        result = validate(
            widths=arguments.widths,
            c=arguments.c,
            depths=arguments.depths,
            models=arguments.models,
            fields=arguments.fields,
            gain=arguments.gain,
            samples=arguments.samples,
            rng=arguments.seed,
            threshold=arguments.threshold,
            recurrences=arguments.recurrences,
            progress=progress,
        )
    text = _report(result, _shape(arguments))
    if arguments.output is None:
        print(text)
    else:
        write_file(arguments.output, text + "\n")
        print(result.summary())
    return DISAGREE if result.verdict == "disagree" else 0


def _shape(arguments: argparse.Namespace) -> str:
    suffix = "" if arguments.output is None else Path(arguments.output).suffix
    if arguments.json or (suffix == ".json" and not arguments.csv):
        return "json"
    return "csv" if arguments.csv or suffix == ".csv" else "table"


def _report(result: Validation, shape: str) -> str:
    if shape == "json":
        return json_text(result.to_dict())
    return result.to_csv().rstrip("\n") if shape == "csv" else result.to_table()
