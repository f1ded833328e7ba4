"""``sigprop energy``: mean energies of the RNN and the LRU, exact or in float64."""

from __future__ import annotations

import argparse
import math
from typing import Any

from sigprop._arguments import FLOAT_WIDTH_LIMIT
from sigprop._digits import fraction_text
from sigprop.cli import options
from sigprop.cli.output import json_text, note, table_text

_LARGEST_FRACTION = 10_000_000
"""Bits of the largest exact fraction printed (3 million digits, a quarter of an hour)."""

Record = dict[str, Any]


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "energy",
        run,
        "mean energy per unit, E||h||^2 / n, of every model, width and depth given",
        "sigprop energy --width 1e12 --depth 1e7 --model rnn --log",
    )
    options.add_widths(parser)
    options.add_depths(parser)
    options.add_models(parser)
    options.add_fields(parser)
    options.add_gain(parser)
    parser.add_argument("--log", action="store_true", help="also print the natural logarithm")
    parser.add_argument("--exact", action="store_true", help="also print the exact fraction")
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one record for each model, width and depth."""
    if "real" in arguments.fields:
        raise ValueError("--field real: no exact energies yet; sigprop simulate samples them")
    if arguments.exact:
        _check_exact(arguments)
    records = [
        _record(model, width, depth, arguments)
        for model in arguments.models
        for width in arguments.widths
        for depth in arguments.depths
    ]
    if arguments.json:
        print(json_text({"energies": records}))
    else:
        _print_table(records, arguments)
    return 0


def _check_exact(arguments: argparse.Namespace) -> None:
    if arguments.gain != 1.0:
        raise ValueError("--exact is for gain 1; leave out --gain, or leave out --exact")
    width, depth = max(arguments.widths), max(arguments.depths)
    bits = depth * (math.log2(width) + math.log2(depth + 1))
    if bits > _LARGEST_FRACTION:
        raise ValueError(
            f"--exact at width {width} and depth {depth} would print about {bits / 3.32:.0e} "
            f"digits, more than {_LARGEST_FRACTION / 3.32:.0e}; use --log"
        )


def _record(model: str, width: int, depth: int, arguments: argparse.Namespace) -> Record:
    from sigprop.theory import exact

    record: Record = {
        "model": model,
        "field": "complex",
        "gain": arguments.gain,
        "width": width,
        "depth": depth,
        "energy": None,
        "log_energy": None,
        "excess": None,
    }
    # Beyond the float routes' widths an exact fraction can still be given.
    if width <= FLOAT_WIDTH_LIMIT or not arguments.exact:
        record |= _float_values(model, width, depth, arguments.gain)
    if arguments.exact:
        function = exact.rnn_energy if model == "rnn" else exact.lru_energy
        record["exact"] = fraction_text(function(width, depth))
    return record


def _float_values(model: str, width: int, depth: int, gain: float) -> dict[str, float]:
    from sigprop.theory import energy

    value, log_value, excess = {
        "rnn": (energy.rnn_energy, energy.log_rnn_energy, energy.rnn_excess),
        "lru": (energy.lru_energy, energy.log_lru_energy, energy.lru_excess),
    }[model]
    return {
        "energy": float(value(width, depth, gain)),
        "log_energy": float(log_value(width, depth, gain)),
        "excess": float(excess(width, depth)),
    }


def _print_table(records: list[Record], arguments: argparse.Namespace) -> None:
    columns = ["model", "width", "depth", "energy"]
    columns += ["log_energy"] if arguments.log else []
    columns += ["excess"]
    columns += ["exact"] if arguments.exact else []
    print(table_text(columns, [[_cell(record[name]) for name in columns] for record in records]))
    if arguments.gain != 1.0:
        note("the excess is that of gain 1")
    overflow = any(record["energy"] == math.inf for record in records)
    if overflow and not arguments.log:
        note("inf is an energy above 1.8e308; --log prints its logarithm")


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
