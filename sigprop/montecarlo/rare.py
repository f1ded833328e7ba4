"""Importance sampling chunk by chunk: the streams of `streams`, the sampler of `importance`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from sigprop.montecarlo import importance
from sigprop.montecarlo.chunks import chunk_counts
from sigprop.montecarlo.streams import CHUNK, cell_key, chunk_streams
from sigprop.montecarlo.weighted import WeightedEstimate, WeightedFamily, mean_energy
from sigprop.recurrences.protocol import Recurrence

METHOD = "importance"
LEAST_SAMPLES = 32
"""Fewer samples give no batches to check the error bar with."""

_PILOT_CHUNK = 2**32 - 1  # the stream of the pilot; no campaign has so many chunks


def run_chunk(
    recurrence: Recurrence,
    depth: int,
    seed: int,
    chunk: int,
    count: int,
    allocation: importance.FamilyAllocation,
) -> tuple[WeightedFamily, ...]:
    """Draw one chunk of weighted paths from nothing but its name: what a worker executes."""
    streams = chunk_streams(seed, cell_key(recurrence, [depth], METHOD), chunk)
    return importance.ritz_log_weights_and_paths(
        recurrence.width,
        depth,
        count,
        streams.weights,
        recurrence.field,
        allocation,
        first=chunk * CHUNK,
    )


def weighted_families(
    recurrence: Recurrence,
    depth: int,
    samples: int,
    seed: int,
    progress: Callable[[int, int], Any] | None = None,
    executor: Executor | None = None,
) -> tuple[WeightedFamily, ...]:
    """Return all weighted paths of a cell, at gain 1; the same on every executor."""
    pilot = chunk_streams(seed, cell_key(recurrence, [depth], METHOD), _PILOT_CHUNK)
    allocation = importance.family_allocation(
        recurrence.width, depth, pilot.weights, recurrence.field
    )
    counts = chunk_counts(samples)
    jobs = [
        (recurrence, depth, seed, chunk, count, allocation) for chunk, count in enumerate(counts)
    ]
    parts = []
    results = (
        itertools.starmap(run_chunk, jobs)
        if executor is None
        else executor.map(run_chunk, *zip(*jobs, strict=True))
    )
    done = 0
    for count, families in zip(counts, results, strict=True):
        parts.append(families)
        done += count
        if progress is not None:
            progress(done, samples)
    return importance.merge_families(parts)


def weighted_estimate(families: tuple[WeightedFamily, ...]) -> WeightedEstimate:
    """Return the estimate of the mean energy at the last depth, at gain 1."""
    return mean_energy(families)


def log_gain_factor(recurrence: Recurrence, depth: int) -> float:
    """Return the logarithm of gain^(2 depth), which an RNN energy scales with."""
    return 2.0 * depth * math.log(recurrence.gain)
