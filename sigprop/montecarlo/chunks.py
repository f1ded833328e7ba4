"""Run a simulation chunk by chunk, here or on any executor, with one result.

A chunk is the unit of work: `CHUNK` trajectories with streams of their own.  Its content
depends on its number alone, so the order and the place in which chunks run do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sigprop.montecarlo import direct, krylov
from sigprop.montecarlo.streams import CHUNK, ChunkStreams, cell_key, chunk_streams
from sigprop.recurrences.protocol import Recurrence

FloatArray = npt.NDArray[np.float64]

_IN_FLIGHT = 64  # jobs handed to an executor and not yet collected


class ChunkSampler(Protocol):
    """Log energies of ``count`` trajectories at ``depths``, shape (count, len(depths))."""

    def __call__(
        self,
        recurrence: Recurrence,
        depths: list[int],
        count: int,
        streams: ChunkStreams,
        batch: int | None = None,
        tick: Callable[[int], Any] | None = None,
    ) -> FloatArray:
        """Simulate one chunk."""
        ...


SAMPLERS: dict[str, ChunkSampler] = {
    "direct": direct.chunk_log_energies,
    "krylov": krylov.chunk_log_energies,
}
"""Plain samplers by the name of their method."""


def chunk_counts(samples: int) -> list[int]:
    """Return how many trajectories each chunk holds: all are full but the last."""
    full, rest = divmod(samples, CHUNK)
    return [CHUNK] * full + ([rest] if rest else [])


def run_chunk(
    method: str,
    recurrence: Recurrence,
    depths: list[int],
    seed: int,
    chunk: int,
    count: int,
    batch: int | None = None,
    tick: Callable[[int], Any] | None = None,
) -> FloatArray:
    """Simulate chunk number ``chunk`` from nothing but its name: what a worker executes."""
    streams = chunk_streams(seed, cell_key(recurrence, depths, method), chunk)
    return SAMPLERS[method](recurrence, depths, count, streams, batch, tick)


def log_energies(
    method: str,
    recurrence: Recurrence,
    depths: list[int],
    samples: int,
    seed: int,
    batch: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    executor: Executor | None = None,
) -> FloatArray:
    """Return the log energies of all trajectories, shape (samples, len(depths)).

    Parameters
    ----------
    method : {"direct", "krylov"}
        Sampler.
    recurrence : Recurrence
        What to simulate.
    depths : list of int >= 0
        Depths to record, in any order.
    samples : int >= 1
        Number of independent trajectories.
    seed : int >= 0
        Root of the random streams.
    batch : int >= 1, optional
        Trajectories held in memory at once; it never changes the result.
    progress : callable, optional
        Called as ``progress(done, samples)``.
    executor : concurrent.futures.Executor, optional
        Where chunks run; here, one after the other, if None.

    Returns
    -------
    ndarray of float64
    """
    result = np.empty((samples, len(depths)))
    counts = chunk_counts(samples)
    jobs = [
        (method, recurrence, depths, seed, chunk, count, batch)
        for chunk, count in enumerate(counts)
    ]
    done = 0

    def tick(trajectories: int) -> None:
        nonlocal done
        done += trajectories
        if progress is not None:
            progress(done, samples)

    if executor is None:
        for chunk, job in enumerate(jobs):
            result[chunk * CHUNK : chunk * CHUNK + counts[chunk]] = run_chunk(*job, tick)
    else:
        for chunk, values in completed(executor, jobs):
            result[chunk * CHUNK : chunk * CHUNK + counts[chunk]] = values
            tick(counts[chunk])
    return result


def completed(executor: Executor, jobs: list[tuple[Any, ...]]) -> Iterator[tuple[int, FloatArray]]:
    """Yield (number, result) of `run_chunk` jobs as they end, a bounded number in flight."""
    waiting: dict[Future[FloatArray], int] = {}
    queue = iter(enumerate(jobs))
    try:
        while True:
            while len(waiting) < _IN_FLIGHT and (item := next(queue, None)) is not None:
                waiting[executor.submit(run_chunk, *item[1])] = item[0]
            if not waiting:
                return
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                yield waiting.pop(future), future.result()
    finally:
        for future in waiting:
            future.cancel()
