"""``sigprop simulate``: simulated energies with their error bars, beside the exact ones."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sigprop.cli import options
from sigprop.cli.output import json_text, progress_bar, table_text

if TYPE_CHECKING:
    from sigprop.montecarlo import Cell

METHODS = ("auto", "krylov", "direct")


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "simulate",
        run,
        "simulated energies of every model, field, width and depth given",
        "sigprop simulate --model lru --width 64 --depths 4 8 16 --samples 1000 --seed 1",
    )
    options.add_widths(parser)
    options.add_depths(parser)
    options.add_models(parser)
    options.add_fields(parser)
    options.add_gain(parser)
    options.add_samples(parser, default=1000)
    options.add_seed(parser)
    parser.add_argument(
        "--method", choices=METHODS, default="auto", help="how to simulate (default: auto)"
    )
    parser.add_argument(
        "--batch",
        type=options.exact_integer(1),
        metavar="B",
        help="trajectories held in memory at once; never changes the result",
    )
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate each recurrence and print its cells."""
    from sigprop.montecarlo import simulate
    from sigprop.validation import FAMILIES

    cells: list[Cell] = []
    for model in arguments.models:
        for field in arguments.fields:
            for width in arguments.widths:
                recurrence = FAMILIES[model](width, field, arguments.gain)
                with progress_bar(f"{model} {field} n={width}") as progress:
                    result = simulate(
                        recurrence,
                        arguments.depths,
                        arguments.samples,
                        rng=arguments.seed,
                        method=arguments.method,
                        batch=arguments.batch,
                        progress=progress,
                    )
                cells.extend(result.cells)
    if arguments.json:
        print(json_text({"cells": [cell.to_dict() for cell in cells]}))
    else:
        _print_table(cells)
    return 0


def _print_table(cells: list[Cell]) -> None:
    columns = ["model", "field", "width", "depth", "regime"]
    columns += ["mean", "standard_error", "median", "exact"]
    print(table_text(columns, [[_text(getattr(cell, name)) for name in columns] for cell in cells]))
    for cell in cells:
        if not cell.trustworthy:
            print(f"{cell.model} {cell.field} n={cell.width} depth={cell.depth}: {cell.reason}")


def _text(value: float | str | None) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
