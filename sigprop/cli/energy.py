"""``sigprop energy``: mean energies of the RNN and the LRU, exact or in float64."""

from __future__ import annotations

import argparse
import math
from typing import Any

from sigprop._arguments import FLOAT_WIDTH_LIMIT
from sigprop._digits import fraction_text
from sigprop.cli import options
from sigprop.cli.output import json_text, naming, note, table_text

_LARGEST_FRACTION = 10_000_000
"""Bits of the largest exact fraction printed (3 million digits, a quarter of an hour)."""

Record = dict[str, Any]


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "energy",
        run,
        "mean energy per unit, E||h||^2 / n, of every model, field, width and depth given",
        "sigprop energy --width 1024 --depth 64 --field real --quantiles .05,.5,.95",
    )
    options.add_widths(parser)
    options.add_depths(parser)
    options.add_models(parser)
    options.add_fields(parser)
    options.add_gain(parser)
    options.add_inputs(parser)
    parser.add_argument("--log", action="store_true", help="also print the natural logarithm")
    parser.add_argument("--exact", action="store_true", help="also print the exact fraction")
    parser.add_argument(
        "--quantiles",
        type=options.probabilities,
        nargs="+",
        action="extend",
        metavar="Q",
        help="also print quantiles of the log energy of one draw of W (rnn), with their errors; "
        "probabilities from .005 to .995",
    )
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one record for each model, field, width and depth."""
    if arguments.quantiles is not None:
        arguments.quantiles = tuple(q for group in arguments.quantiles for q in group)
    if arguments.exact:
        _check_exact(arguments)
    records = []
    for model in arguments.models:
        for field in arguments.fields:
            for width in arguments.widths:
                for depth in arguments.depths:
                    with naming(width=width, depth=depth):
                        records.append(_record(model, field, width, depth, arguments))
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


def _record(
    model: str, field: str, width: int, depth: int, arguments: argparse.Namespace
) -> Record:
    from sigprop.theory import exact

    record: Record = {
        "model": model,
        "field": field,
        "gain": arguments.gain,
        "width": width,
        "depth": depth,
        "energy": None,
        "log_energy": None,
        "excess": None,
    }
    if model == "lru":
        record["inputs"] = arguments.inputs
    # Beyond the float routes' widths an exact fraction can still be given.
    if width <= FLOAT_WIDTH_LIMIT or not arguments.exact:
        record |= _float_values(model, field, width, depth, arguments)
    if arguments.exact:
        if model == "rnn":
            value = exact.rnn_energy(width, depth, field=field)
        else:
            value = exact.lru_energy(width, depth, field=field, inputs=arguments.inputs)
        record["exact"] = fraction_text(value)
    if arguments.quantiles is not None:
        record["quantiles"] = _quantiles(model, field, width, depth, arguments)
    return record


def _float_values(
    model: str, field: str, width: int, depth: int, arguments: argparse.Namespace
) -> dict[str, float]:
    from sigprop.theory import energy

    gain, inputs = arguments.gain, arguments.inputs
    if model == "rnn":
        value = energy.rnn_energy(width, depth, gain, field)
        log_value = energy.log_rnn_energy(width, depth, gain, field)
        excess = energy.rnn_excess(width, depth, field)
    else:
        value = energy.lru_energy(width, depth, gain, field, inputs)
        log_value = energy.log_lru_energy(width, depth, gain, field, inputs)
        excess = energy.lru_excess(width, depth, field, inputs)
    return {"energy": float(value), "log_energy": float(log_value), "excess": float(excess)}


def _quantiles(
    model: str, field: str, width: int, depth: int, arguments: argparse.Namespace
) -> Record | None:
    """Return quantiles of log E for one draw of W; None for the LRU, which has no such law."""
    if model != "rnn":
        return None
    from sigprop.typical import energy_quantiles

    found = energy_quantiles(width, depth, arguments.quantiles, field=field, gain=arguments.gain)
    return {
        "q": list(arguments.quantiles),
        "log_energy": [float(value) for value in found.values],
        "error": [float(error) for error in found.errors],
        "method": found.method,
    }


def _print_table(records: list[Record], arguments: argparse.Namespace) -> None:
    columns = ["model"]
    columns += ["field"] if arguments.fields != ["complex"] else []
    columns += ["width", "depth", "energy"]
    columns += ["log_energy"] if arguments.log else []
    columns += ["excess"]
    columns += ["exact"] if arguments.exact else []
    quantiles = arguments.quantiles or ()
    names = [f"log q{100 * q:g}%" for q in quantiles]
    rows = [
        [_cell(record[name]) for name in columns] + _shown(record, len(names)) for record in records
    ]
    print(table_text([*columns, *names], rows))
    _print_notes(records, arguments)


def _print_notes(records: list[Record], arguments: argparse.Namespace) -> None:
    if arguments.gain != 1.0:
        note("the excess is that of gain 1")
    overflow = any(record["energy"] == math.inf for record in records)
    if overflow and not arguments.log:
        note("inf is an energy above 1.8e308; --log prints its logarithm")
    if arguments.quantiles is not None:
        methods = sorted({r["quantiles"]["method"] for r in records if r["quantiles"]})
        means = "quantiles of the log energy of one draw of W, +- their error"
        note(f"log q: {means}, by {', '.join(methods)}" if methods else "log q needs --model rnn")
        if "lru" in arguments.models:
            note("there is no law of the quantiles of an LRU; sigprop simulate prints sampled ones")


def _shown(record: Record, count: int) -> list[str]:
    found = record.get("quantiles")
    if not found:
        return ["-"] * count
    pairs = zip(found["log_energy"], found["error"], strict=True)
    return [f"{value:.4g} +- {error:.2g}" for value, error in pairs]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
