"""Campaigns: many cells, many samples, any executor, one result.

The unit of work is one chunk of one cell. What a chunk holds depends on the seed, the cell
and the number of the chunk and on nothing else, so results are the same bit for bit for
every executor and number of workers, and a store can be continued and extended at any time.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_finite_float, as_integer
from sigprop.montecarlo import chunks
from sigprop.montecarlo.campaign_cell import CampaignCell
from sigprop.montecarlo.campaign_result import CampaignResult
from sigprop.montecarlo.jobs import ChunkError, Job, finished_here, finished_there
from sigprop.montecarlo.store import CampaignStore, ChunkStore, MemoryStore, StoredCell
from sigprop.montecarlo.streams import Seed, root_seed
from sigprop.recurrences.protocol import Recurrence

__all__ = ["Campaign", "CampaignCell", "CampaignResult", "ChunkError"]

FloatArray = npt.NDArray[np.float64]
Progress = Callable[[int, int], Any]

_UNKNOWN_WORKERS = 64  # how many an executor is taken to have if it does not say


@dataclass(frozen=True, init=False)
class Campaign:
    """Simulations of many cells from one seed.

    Parameters
    ----------
    cells : iterable of CampaignCell or of tuples of its arguments
        What to simulate, such as ``[(GaussianRNN(64), [4, 8]), (GaussianLRU(64), 8)]``.
        No cell may be there twice.
    samples : int
        Trajectories of each cell that does not have its own number, >= 1.
    seed : int, None, numpy.random.SeedSequence or numpy.random.Generator
        Root of all random streams; None takes fresh entropy. The attribute is the integer
        that reproduces the campaign, and the identity of its store.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    Cells do not depend on one another: a cell has the same numbers in every campaign with
    this seed, and the numbers of `sigprop.simulate`. More samples continue fewer. So a
    store can be extended: run a campaign with more cells or more samples on it, and only
    what is missing is simulated (the last chunk of a cell, if it was not full, again).

    Examples
    --------
    >>> from sigprop.recurrences import GaussianRNN
    >>> campaign = Campaign([(GaussianRNN(64), [4, 8])], samples=300, seed=1)
    >>> [cell.trustworthy for cell in campaign.run().cells]
    [True, True]
    """

    cells: tuple[CampaignCell, ...]
    samples: int
    seed: int

    def __init__(self, cells: Iterable[Any], samples: int, seed: Seed = None) -> None:
        object.__setattr__(self, "cells", tuple(_as_cell(item) for item in cells))
        object.__setattr__(self, "samples", as_integer("samples", samples, 1))
        object.__setattr__(self, "seed", root_seed(seed))
        if not self.cells:
            raise ValueError("cells must hold at least one (recurrence, depths), got none")
        first: dict[str, CampaignCell] = {}
        for cell in self.cells:
            if cell.key in first:
                raise ValueError(f"cells holds the same cell twice: {first[cell.key]} and {cell}")
            first[cell.key] = cell

    @classmethod
    def grid(
        cls,
        recurrences: Iterable[Recurrence],
        samples: int,
        seed: Seed = None,
        *,
        depths: Any = None,
        c: Any = None,
        method: str = "auto",
    ) -> Self:
        """Return the campaign of every recurrence at the same depths, or the same c.

        Parameters
        ----------
        recurrences : iterable of Recurrence
            What to simulate.
        samples, seed
            As for `Campaign`.
        depths : int or sequence of int, optional
            Depths >= 0 of every recurrence.
        c : float or sequence of float, optional
            Instead of depths: depth = round(c sqrt(n)), each depth once.
        method : {"auto", "krylov", "direct"}
            How to simulate.

        Examples
        --------
        >>> from sigprop.recurrences import GaussianLRU
        >>> grid = Campaign.grid([GaussianLRU(16), GaussianLRU(64)], 100, 1, c=[1.0, 2.0])
        >>> [cell.depths for cell in grid.cells]
        [(4, 8), (8, 16)]
        """
        if (depths is None) == (c is None):
            raise ValueError(f"give depths or c, got depths={depths!r} and c={c!r}")
        if c is None:
            return cls([(item, depths, method) for item in recurrences], samples, seed)
        c_values = _as_c_values(c)
        cells = [(item, _depths_at(c_values, item.width), method) for item in recurrences]
        return cls(cells, samples, seed)

    def samples_of(self, cell: CampaignCell) -> int:
        """Return the number of trajectories of a cell."""
        return self.samples if cell.samples is None else cell.samples

    def run(
        self,
        executor: Executor | None = None,
        store: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
        *,
        in_flight: int | None = None,
        batch: int | None = None,
    ) -> CampaignResult:
        """Simulate what the store does not hold yet and return everything.

        Parameters
        ----------
        executor : concurrent.futures.Executor, optional
            Where chunks run: a ThreadPoolExecutor, a ProcessPoolExecutor of any start
            method, loky's executor, ``dask.distributed.Client(...).get_executor()``, or
            mpi4py's MPIPoolExecutor (run ``mpiexec -n N python -m mpi4py.futures
            script.py``). None runs them here, one after the other. It is not shut down.
        store : str or os.PathLike, optional
            SQLite file that keeps finished chunks (see
            `sigprop.montecarlo.store.CampaignStore`), made if missing. Killed at any moment,
            a run loses the chunks in flight; the same call then finishes the campaign, and
            the result is that of a run without interruption, bit for bit.
        progress : callable, optional
            Called as ``progress(done, total)`` in trajectories: once at the start, when
            ``done`` is what the store holds, then after each batch here or chunk elsewhere.
        in_flight : int, optional
            Chunks given to the executor and not yet collected, by default two for each
            worker, or 128 where the executor does not say how many it has (Dask, MPI):
            more than twice the workers of a larger cluster keep it busy.
        batch : int, optional
            Trajectories held in memory at once by each worker. Neither of the two changes
            the result.

        Returns
        -------
        CampaignResult

        Raises
        ------
        ChunkError
            If a chunk fails, or the worker that runs it: it names the cell. Chunks that
            were finished are in the store.
        ValueError
            If the store is damaged, no store, or that of another campaign.
        OSError
            If the store is in use by another run or cannot be written.
        """
        limit = _as_limit(executor, in_flight)
        batch = None if batch is None else as_integer("batch", batch, 1)
        started = _now()
        with _opened(store, self.seed) as kept:
            kept.register(StoredCell(cell.key, str(cell), cell.depths) for cell in self.cells)
            jobs = self._missing(kept.counts(), batch)
            tick = self._ticker(jobs, progress)
            tick(0)
            if executor is None:
                finished = finished_here(jobs, self.seed, tick)
            else:
                finished = finished_there(jobs, self.seed, executor, limit, tick)
            with contextlib.closing(finished):
                for results in finished:
                    kept.add(results)
            log_energies = tuple(self._gathered(kept, cell) for cell in self.cells)
        return CampaignResult.of(self, log_energies, started, _now())

    def _ticker(self, jobs: list[Job], progress: Progress | None) -> Callable[[int], None]:
        """Return a function that counts trajectories and reports how many there are now."""
        total = sum(map(self.samples_of, self.cells))
        done = total - sum(job.count for job in jobs)

        def tick(trajectories: int) -> None:
            nonlocal done
            done += trajectories
            if progress is not None:
                progress(done, total)

        return tick

    def _missing(self, counts: dict[tuple[str, int], int], batch: int | None) -> list[Job]:
        """Return the chunks that are not there, or not with enough trajectories."""
        return [
            Job(cell, cell.key, chunk, count, batch)
            for cell in self.cells
            for chunk, count in enumerate(chunks.chunk_counts(self.samples_of(cell)))
            if counts.get((cell.key, chunk), 0) < count
        ]

    def _gathered(self, kept: ChunkStore, cell: CampaignCell) -> FloatArray:
        """Return the log energies of a cell in the order of its chunks, (samples, depths)."""
        counts = chunks.chunk_counts(self.samples_of(cell))
        # A chunk with fewer trajectories is the beginning of the one with more.
        return np.concatenate(
            [kept.load(cell.key, chunk)[:count] for chunk, count in enumerate(counts)]
        )


@contextlib.contextmanager
def _opened(store: str | os.PathLike[str] | None, seed: int) -> Iterator[ChunkStore]:
    if store is None:
        yield MemoryStore()
    else:
        with CampaignStore(store, seed) as kept:
            yield kept


def _as_limit(executor: Executor | None, in_flight: int | None) -> int:
    if executor is not None and not isinstance(executor, Executor):
        raise TypeError(
            "executor must be a concurrent.futures.Executor (for Dask: client.get_executor()), "
            f"got {executor!r} of type {type(executor).__name__}"
        )
    if in_flight is not None:
        return as_integer("in_flight", in_flight, 1)
    return 2 * (getattr(executor, "_max_workers", None) or _UNKNOWN_WORKERS)


def _as_cell(item: Any) -> CampaignCell:
    if isinstance(item, CampaignCell):
        return item
    if not isinstance(item, tuple) or not 2 <= len(item) <= 4:
        raise TypeError(
            "cells must hold CampaignCell objects or tuples (recurrence, depths), got "
            f"{item!r} of type {type(item).__name__}"
        )
    return CampaignCell(*item)


def _as_c_values(c: Any) -> list[float]:
    values = [as_finite_float("c", value) for value in (c if np.ndim(c) else [c])]
    if not values or min(values) < 0.0:
        raise ValueError(f"c must hold finite numbers >= 0, got {c!r}")
    return values


def _depths_at(c_values: list[float], width: int) -> list[int]:
    return sorted({round(c * math.sqrt(width)) for c in c_values})


def _now() -> datetime:
    return datetime.now(UTC)
