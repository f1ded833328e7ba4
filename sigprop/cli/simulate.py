"""``sigprop simulate``: simulated energies with their error bars, beside the exact ones."""

from __future__ import annotations

import argparse
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING

from sigprop.cli import executors, grid, options
from sigprop.cli.cells import cells_text
from sigprop.cli.executors import Pool
from sigprop.cli.grid import Point
from sigprop.cli.output import json_text, note, progress_bar
from sigprop.cli.results import SUFFIXES, Simulated, check_names, check_output, suffix_of

if TYPE_CHECKING:
    from sigprop.montecarlo import Campaign, CampaignResult, Cell

METHODS = ("auto", "krylov", "direct", "importance")


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
    depths = parser.add_mutually_exclusive_group(required=True)
    options.add_depths(depths, required=False)
    depths.add_argument(
        "--c",
        type=options.nonnegative_number,
        nargs="+",
        metavar="C",
        help="depths in units of sqrt(width): depth = round(C sqrt(N)), each once",
    )
    options.add_models(parser)
    options.add_fields(parser)
    options.add_gain(parser)
    sizes = parser.add_mutually_exclusive_group()
    options.add_samples(sizes, str(grid.DEFAULT_SAMPLES))
    sizes.add_argument(
        "--relative-error",
        type=options.positive_number,
        metavar="EPS",
        help="as many trajectories as give every mean this exact relative standard error",
    )
    options.add_seed(parser)
    parser.add_argument(
        "--method",
        choices=METHODS,
        default="auto",
        help="how to simulate (default: auto); with --store, --relative-error or an npz file "
        "auto is a plain sampler, never importance sampling",
    )
    parser.add_argument(
        "--batch",
        type=options.exact_integer(1),
        metavar="B",
        help="trajectories held in memory at once; never changes the result",
    )
    executors.add_options(parser)
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="keep finished trajectories there; what it holds already is not simulated again",
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help=f"also write the result there, whole or not at all, as {', '.join(SUFFIXES)}",
    )
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate the grid, write it if asked to, and print its cells."""
    executors.check(arguments)
    check_names(arguments.output, arguments.store)
    _check_method(arguments)
    result = _result(arguments, grid.points(arguments))
    try:
        if arguments.output is not None:
            result.write(arguments.output)
    finally:  # what was simulated is shown even if it cannot be written
        if arguments.json:
            print(json_text({"cells": [cell.to_dict() for cell in result.cells]}))
        else:
            print(cells_text(result.cells))
    return 0


def _result(arguments: argparse.Namespace, points: list[Point]) -> CampaignResult | Simulated:
    """Simulate the points: a campaign, unless importance sampling is among the methods."""
    from sigprop.montecarlo import ChunkError

    campaign = None if _has_importance(arguments, points) else _campaign(arguments, points)
    if arguments.output is not None:
        check_output(arguments.output, campaign)
    try:
        with executors.opened(arguments) as pool:
            if campaign is None:
                return _simulated(arguments, points, pool)
            with progress_bar("simulate", resumes=True) as progress:
                return campaign.run(
                    pool.executor,
                    arguments.store,
                    progress,
                    in_flight=pool.in_flight,
                    batch=arguments.batch,
                )
    except (ChunkError, BrokenExecutor) as error:
        raise ValueError(f"{error}{_kept(arguments)}") from error
    except KeyboardInterrupt:
        note(f"interrupted{_kept(arguments)}")
        raise


def _kept(arguments: argparse.Namespace) -> str:
    if arguments.store is None:
        return ""
    return f"; {arguments.store} keeps what was finished, and the same command goes on from there"


def _campaign(arguments: argparse.Namespace, points: list[Point]) -> Campaign:
    from sigprop.montecarlo import Campaign, CampaignCell

    cells = [
        CampaignCell(point.recurrence, tuple(point.depths), arguments.method, point.samples)
        for point in points
    ]
    return Campaign(cells, max(point.samples for point in points), arguments.seed)


def _simulated(arguments: argparse.Namespace, points: list[Point], pool: Pool) -> Simulated:
    """Simulate the points one after the other, some depths by importance sampling."""
    from sigprop.montecarlo import simulate

    cells: list[Cell] = []
    for recurrence, depths, samples in points:
        label = f"{recurrence.model} {recurrence.field} n={recurrence.width}"
        with progress_bar(label) as progress:
            result = simulate(
                recurrence,
                depths,
                samples,
                rng=arguments.seed,
                method=arguments.method,
                batch=arguments.batch,
                progress=progress,
                executor=pool.executor,
            )
        cells.extend(result.cells)
    return Simulated(cells)


def _check_method(arguments: argparse.Namespace) -> None:
    plain = _plain_only(arguments)
    if arguments.method == "importance" and plain is not None:
        raise ValueError(f"--method importance does not go with {plain}: that is for plain samples")


def _plain_only(arguments: argparse.Namespace) -> str | None:
    """Return what importance sampling does not go with, if it is among the options."""
    if arguments.store is not None:
        return "--store"
    if arguments.relative_error is not None:
        return "--relative-error"
    return "an npz file" if suffix_of(arguments.output) == ".npz" else None


def _has_importance(arguments: argparse.Namespace, points: list[Point]) -> bool:
    """Tell whether any depth is for importance sampling; raise where it does not apply."""
    from sigprop.montecarlo import planning

    if arguments.method in ("krylov", "direct"):
        return False
    methods = {
        choice.method
        for recurrence, depths, samples in points
        for choice in planning.choices(arguments.method, recurrence, depths, samples)
    }
    plain = _plain_only(arguments)
    if plain is not None and "importance" in methods:
        note(f"importance sampling does not go with {plain}: auto is the plain sampler")
        return False
    return "importance" in methods
