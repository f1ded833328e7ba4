"""What ``sigprop simulate`` simulates: every recurrence, its depths and its number of samples."""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sigprop._arguments import FLOAT_WIDTH_LIMIT

if TYPE_CHECKING:
    from sigprop.recurrences import Recurrence

DEFAULT_SAMPLES = 1000

MOST_SAMPLES = 10**8
"""Most trajectories that a relative error may ask for."""

LEAST_SAMPLES = 256
"""Fewest trajectories that a relative error may ask for: fewer do not show a tail."""


class Point(NamedTuple):
    """One recurrence with the depths and the number of its trajectories."""

    recurrence: Recurrence
    depths: list[int]
    samples: int


def points(arguments: argparse.Namespace) -> list[Point]:
    """Return what the options ask for, checked.

    Raises
    ------
    ValueError
        If something is there twice, depths do not increase, a width is too large to be
        simulated, or a relative error takes more than `MOST_SAMPLES`.
    """
    from sigprop.validation import FAMILIES

    for option, values in (
        ("--model", arguments.models),
        ("--field", arguments.fields),
        ("--width", arguments.widths),
    ):
        _check_distinct(option, values)
    if max(arguments.widths) > FLOAT_WIDTH_LIMIT:
        raise ValueError("--width must be at most 2**53 = 9007199254740992 to be simulated")
    result = []
    for model in arguments.models:
        for field in arguments.fields:
            for width in arguments.widths:
                recurrence = FAMILIES[model](width, field, arguments.gain)
                depths = _depths(arguments, width)
                result.append(Point(recurrence, depths, _samples(arguments, recurrence, depths)))
    return result


def _check_distinct(option: str, values: Sequence[str | int]) -> None:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ValueError(f"{option} holds {value} twice")


def _depths(arguments: argparse.Namespace, width: int) -> list[int]:
    """Return the depths given, or round(c sqrt(n)) for each c, each once."""
    if arguments.depths is None:
        return sorted({round(c * math.sqrt(width)) for c in arguments.c})
    depths: list[int] = arguments.depths
    for early, late in itertools.pairwise(depths):
        if late <= early:
            raise ValueError(f"--depths must be increasing, got {early} before {late}")
    return depths


def _samples(arguments: argparse.Namespace, recurrence: Recurrence, depths: list[int]) -> int:
    """Return the number given, or the one that the exact relative variances ask for."""
    if arguments.relative_error is None:
        return arguments.samples or DEFAULT_SAMPLES
    return max(LEAST_SAMPLES, *(_needed(recurrence, k, arguments.relative_error) for k in depths))


def _needed(recurrence: Recurrence, depth: int, relative_error: float) -> int:
    from sigprop.theory.fluctuations import required_samples

    name = f"{recurrence.model} {recurrence.field} n={recurrence.width} depth={depth}"
    try:
        needed = required_samples(
            recurrence.width,
            depth,
            relative_error,
            recurrence.model,
            recurrence.gain,
            field=recurrence.field,
        )
    except ValueError as error:
        raise ValueError(
            f"--relative-error has no exact relative variance for {name}: {error}; give --samples"
        ) from error
    if needed > MOST_SAMPLES:
        raise ValueError(
            f"--relative-error {relative_error:g} takes about 10^{math.log10(needed):.1f} "
            f"trajectories for {name}, more than 10^8; {_instead(recurrence, depth)}"
        )
    return needed


def _instead(recurrence: Recurrence, depth: int) -> str:
    from sigprop.montecarlo import importance

    if recurrence.model == "rnn" and importance.applies(recurrence.width, depth, recurrence.field):
        return "try --method importance --samples 2000"
    return "give --samples, or a larger error"
