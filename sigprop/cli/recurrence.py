"""``sigprop recurrence``: energy, transient, stationary value and horizon of one recurrence."""

from __future__ import annotations

import argparse
import math
from typing import Any

from sigprop.cli import options
from sigprop.cli.output import json_text, labelled_text, progress_bar, table_text

NAMES = (
    "rnn",
    "gaussian_lru",
    "lru",
    "rotrnn",
    "s4d",
    "s4",
    "s5",
    "ginibre_spectrum",
    "feedforward",
)

_INTEGERS = {
    "width": "units n of rnn, gaussian_lru, lru or ginibre_spectrum (default: 256)",
    "heads": "heads of rotrnn (default: 8)",
    "head_size": "units of a head of rotrnn, even (default: 32)",
    "state_size": "state size N of s4, s4d (default: 64) or s5 (default: 256)",
    "channels": "channels of s4 or s4d (default: 1)",
    "input_size": "entries of an input, mixed by a matrix B: lru, rotrnn, s5",
    "blocks": "HiPPO blocks of s5 (default: 8)",
}
_NUMBERS = {
    "gain": "factor on the weights of rnn or gaussian_lru (default: 1)",
    "r_min": "inner radius of the ring of lru (default: 0)",
    "r_max": "outer radius of the ring of lru (default: 1)",
    "max_phase": "phases of lru or rotrnn are uniform from 0 to it (default: 2 pi)",
    "gamma_min": "least decay of rotrnn (default: 0.9)",
    "gamma_max": "largest decay of rotrnn (default: 0.999)",
    "dt_min": "least step of s4, s4d or s5 (default: 0.001)",
    "dt_max": "largest step of s4, s4d or s5 (default: 0.1)",
}
_TEXTS = {
    "preset": "task of lru: sCIFAR, ListOps, Text, Retrieval, Pathfinder or PathX",
    "field": "entries of the weights of rnn, gaussian_lru or feedforward: complex or real",
    "decay": "law of the decays of rotrnn: log_uniform or ring",
    "first_step": "first input of lru or rotrnn: scaled as the others, or unit",
    "init": "modes of s4d: lin, inv, real or legs",
    "discretization": "of s4d or s5: zoh, bilinear or euler",
    "input_vector": "B of s4d: ones or hippo",
    "c_init": "C of s5: trunc_standard_normal, lecun_normal or complex_normal",
}
_HORIZONS = {
    "mean_lag": "mean lag, sum k Q_k / sum Q_k",
    "half_energy": "half of the energy within",
    "burn_in": "95 % of the energy within",
    "e_fold": "e-fold of the slowest decay",
    "participation": "(sum Q_k)^2 / sum Q_k^2",
}
_DEFAULT_DEPTHS = (0, 1, 16, 256, 4096)
_SIMULATED_BY_DEFAULT = 256
_DIRECT_DEPTH = 4096

Record = dict[str, Any]


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "recurrence",
        run,
        "energy, transient, stationary value and memory of a recurrence, beside a simulation",
        "sigprop recurrence lru --preset PathX --inputs constant",
    )
    parser.add_argument("name", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    options.add_depths(parser, required=False)
    options.add_inputs(parser, "it matters wherever phases do not fill the circle")
    parser.add_argument(
        "--normalization",
        type=_normalization,
        metavar="KIND",
        default=argparse.SUPPRESS,
        help="of a diagonal lru: gamma, none, constant or ar1:RHO",
    )
    parser.add_argument(
        "--widths",
        type=options.exact_integer(1),
        nargs="+",
        metavar="N",
        default=argparse.SUPPRESS,
        help="of feedforward: the width of every layer, the input first",
    )
    for name, meaning in _INTEGERS.items():
        _add(parser, name, options.exact_integer(1), "N", meaning)
    for name, meaning in _NUMBERS.items():
        _add(parser, name, options.nonnegative_number, "X", meaning)
    for name, meaning in _TEXTS.items():
        _add(parser, name, str, "NAME", meaning)
    options.add_samples(parser, default=256)
    options.add_seed(parser)
    parser.add_argument("--no-simulation", action="store_true", help="theory alone")
    options.add_json(parser)


def _add(parser: argparse.ArgumentParser, name: str, kind: Any, metavar: str, meaning: str) -> None:
    parser.add_argument(
        "--" + name.replace("_", "-"),
        type=kind,
        metavar=metavar,
        default=argparse.SUPPRESS,
        help=meaning,
    )


def _normalization(text: str) -> Any:
    if text == "none":
        return None
    if text.startswith("ar1:"):
        return options.input_law(text)
    return text


def run(arguments: argparse.Namespace) -> int:
    """Print what theory says, and a simulation beside it."""
    recurrence = _recurrence(arguments)
    depths = sorted(set(arguments.depths or _default_depths(recurrence)))
    document = _document(arguments.name, recurrence, depths)
    if not arguments.no_simulation:
        _simulate(document, recurrence, depths, arguments)
    if arguments.json:
        print(json_text(document))
    else:
        print(_text(document))
    return 0


def _default_depths(recurrence: Any) -> list[int]:
    """Return the default depths, and for a feedforward network those that it has."""
    layers = len(getattr(recurrence, "widths", ())) - 1
    return [depth for depth in _DEFAULT_DEPTHS if layers < 0 or depth <= layers]


def _recurrence(arguments: argparse.Namespace) -> Any:
    from sigprop.recurrences import registry

    given = vars(arguments)
    known = (*_INTEGERS, *_NUMBERS, *_TEXTS, "normalization", "widths")
    chosen = {name: given[name] for name in known if name in given}
    takes = registry.option_names(arguments.name)
    if "inputs" in takes:
        chosen["inputs"] = arguments.inputs
    elif arguments.inputs != "white":
        raise ValueError(
            f"--inputs is no option of {arguments.name}: nothing enters after the start"
        )
    return registry.by_name(arguments.name, **chosen)


def _document(name: str, recurrence: Any, depths: list[int]) -> Record:
    from sigprop.recurrences import registry
    from sigprop.recurrences.explanations import explain

    stationary, reason = _stationary(recurrence)
    return {
        "recurrence": name,
        "model": recurrence.model,
        "parameters": registry.parameters(recurrence),
        "average": recurrence.average,
        "units_per_head": recurrence.units_per_head,
        "units_per_layer": recurrence.units_per_layer,
        "cells": [_cell(recurrence, depth, stationary) for depth in depths],
        "stationary_energy": stationary,
        "reason": reason if stationary is None else explain(recurrence),
        "horizon": {kind: _horizon(recurrence, kind) for kind in _HORIZONS},
    }


def _stationary(recurrence: Any) -> tuple[float | None, str | None]:
    try:
        return float(recurrence.stationary_energy()), None
    except ValueError as error:
        return None, str(error)


def _horizon(recurrence: Any, kind: str) -> float | None:
    try:
        return float(recurrence.horizon(kind))
    except ValueError:
        return None


def _cell(recurrence: Any, depth: int, stationary: float | None) -> Record:
    energy = _energy(recurrence, depth)
    return {
        "depth": depth,
        "impulse_energy": float(recurrence.impulse_energy(depth)),
        "state_energy": energy,
        "head_energy": None if energy is None else energy * recurrence.units_per_head,
        "layer_energy": None if energy is None else energy * recurrence.units_per_layer,
        "share_of_stationary": (None if energy is None or not stationary else energy / stationary),
    }


def _energy(recurrence: Any, depth: int) -> float | None:
    from sigprop.recurrences import NoFormulaError

    try:
        value = recurrence.state_energy(depth)
    except NoFormulaError:
        return None
    return None if value is None else float(value)


def _simulate(
    document: Record, recurrence: Any, depths: list[int], arguments: argparse.Namespace
) -> None:
    from sigprop.montecarlo import simulate

    deepest = _DIRECT_DEPTH if arguments.depths else _SIMULATED_BY_DEFAULT
    reached = [depth for depth in depths if depth <= deepest]
    if not reached:
        return
    with progress_bar(arguments.name) as progress:
        simulation = simulate(
            recurrence, reached, arguments.samples, rng=arguments.seed, progress=progress
        )
    found = {cell.depth: cell for cell in simulation.cells}
    for record in document["cells"]:
        cell = found.get(record["depth"])
        if cell is None:
            continue
        record["simulated"] = cell.mean
        record["standard_error"] = cell.standard_error
        record["z"] = cell.z
        record["median"] = cell.median
        record["quantile_05"] = cell.quantile_05
        record["quantile_95"] = cell.quantile_95


def _text(document: Record) -> str:
    columns = ["depth", "impulse", "state", "head", "layer", "of stationary", "simulated", "z"]
    columns += ["median"]
    rows = [_row(record) for record in document["cells"]]
    lines = [
        ("options", ", ".join(f"{key}={value}" for key, value in document["parameters"].items())),
        (
            "units",
            (
                f"energies are per unit, {document['average']}; {document['units_per_head']} units "
                f"per head, {document['units_per_layer']} per layer"
            ),
        ),
        ("stationary", _number(document["stationary_energy"])),
        ("", document["reason"] or ""),
        *(
            ("memory" if kind == "mean_lag" else "", f"{_HORIZONS[kind]}: {_number(steps)} steps")
            for kind, steps in document["horizon"].items()
            if steps is not None
        ),
        ("", "(memory is that of white inputs)" if document["horizon"]["mean_lag"] else ""),
    ]
    shown = [(label, text) for label, text in lines if text]
    return f"{document['recurrence']}\n{labelled_text(shown)}\n\n{table_text(columns, rows)}"


def _row(record: Record) -> list[str]:
    error = record.get("standard_error")
    simulated = _number(record.get("simulated"))
    return [
        str(record["depth"]),
        _number(record["impulse_energy"]),
        _number(record["state_energy"]),
        _number(record["head_energy"]),
        _number(record["layer_energy"]),
        _number(record["share_of_stationary"]),
        simulated if error is None else f"{simulated} +- {error:.2g}",
        "-" if record.get("z") is None else f"{record['z']:+.2f}",
        _number(record.get("median")),
    ]


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return "inf" if math.isinf(value) else f"{value:.6g}"
