"""The jobs of a campaign, one for each chunk of a cell, run here or on an executor."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sigprop.montecarlo import chunks
from sigprop.montecarlo.campaign_cell import CampaignCell
from sigprop.montecarlo.store import FinishedChunk
from sigprop.recurrences.protocol import Recurrence

FloatArray = npt.NDArray[np.float64]
Tick = Callable[[int], None]
Arguments = tuple[str, Recurrence, list[int], int, int, int, int | None]


class ChunkError(RuntimeError):
    """A chunk failed; ``cell`` and ``chunk`` say which, ``__cause__`` says why.

    Examples
    --------
    >>> issubclass(ChunkError, RuntimeError)
    True
    """

    def __init__(self, message: str, cell: CampaignCell, chunk: int) -> None:
        super().__init__(message, cell, chunk)  # all three, so that it pickles
        self.cell = cell
        self.chunk = chunk

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Job:
    """One chunk to simulate."""

    cell: CampaignCell
    key: str
    chunk: int
    count: int
    batch: int | None = None

    def arguments(self, seed: int) -> Arguments:
        """Return the arguments of `chunks.run_chunk`, which are all that a worker needs."""
        method, recurrence, depths = self.cell.method, self.cell.recurrence, list(self.cell.depths)
        return method, recurrence, depths, seed, self.chunk, self.count, self.batch

    def finished(self, log_energies: FloatArray) -> FinishedChunk:
        """Return the result as the store keeps it, after a look at it."""
        if np.any(np.isnan(log_energies) | (log_energies == math.inf)):
            raise self.failed("log energies must be finite or -inf, got nan or inf")
        return FinishedChunk(self.key, self.chunk, log_energies)

    def failed(self, why: str) -> ChunkError:
        """Return the error that names the cell."""
        return ChunkError(f"chunk {self.chunk} of {self.cell} failed: {why}", self.cell, self.chunk)


def finished_here(
    jobs: list[Job], seed: int, tick: Tick
) -> Generator[list[FinishedChunk], None, None]:
    """Yield the results of the jobs, run one after the other."""
    of_callback: list[Exception] = []

    def report(trajectories: int) -> None:
        try:
            tick(trajectories)
        except Exception as error:
            of_callback.append(error)
            raise

    for job in jobs:
        try:
            log_energies = chunks.run_chunk(*job.arguments(seed), report)
        except Exception as error:
            if error in of_callback:  # not the fault of the chunk
                raise
            raise job.failed(_shown(error)) from error
        yield [job.finished(log_energies)]


def finished_there(
    jobs: list[Job], seed: int, executor: Executor, limit: int, tick: Tick
) -> Generator[list[FinishedChunk], None, None]:
    """Yield the results of the jobs as an executor ends them, at most ``limit`` in flight.

    After an error, results that have come in with it are yielded before it is raised, and
    jobs that have not begun are taken back.
    """
    waiting: dict[Future[FloatArray], Job] = {}
    queue = iter(jobs)
    try:
        while True:
            for job in itertools.islice(queue, limit - len(waiting)):
                waiting[executor.submit(chunks.run_chunk, *job.arguments(seed))] = job
            if not waiting:
                return
            ended, _ = wait(waiting, return_when=FIRST_COMPLETED)
            results, failure = _collected([(waiting.pop(future), future) for future in ended])
            if results:
                yield results
                tick(sum(len(result.log_energies) for result in results))
            if failure is not None:
                raise failure
    finally:
        for future in waiting:
            future.cancel()


def _collected(
    ended: list[tuple[Job, Future[FloatArray]]],
) -> tuple[list[FinishedChunk], ChunkError | None]:
    """Return the results among some ended jobs, and the error of one that failed."""
    results, failure = [], None
    for job, future in ended:
        try:
            results.append(job.finished(future.result()))
        except ChunkError as error:
            failure = error
        except Exception as error:
            failure = job.failed(_shown(error))
            failure.__cause__ = error
    return results, failure


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
