"""`simulate`: draw trajectories of a recurrence and set them beside the exact energies."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from sigprop._arguments import as_choice, as_integer, as_integer_list
from sigprop.montecarlo import chunks, direct, krylov
from sigprop.montecarlo.cell import Cell, cell_of
from sigprop.montecarlo.estimate import Estimate
from sigprop.montecarlo.streams import Seed, root_seed
from sigprop.recurrences.protocol import Recurrence

METHODS = ("auto", "krylov", "direct")


@dataclass(frozen=True)
class Simulation:
    """What `simulate` returns: one cell for each depth asked for, in that order."""

    cells: tuple[Cell, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"cells": [record, ...]}``, strict JSON."""
        return {"cells": [cell.to_dict() for cell in self.cells]}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Simulation:
        """Return the simulation of a document made by `to_dict`."""
        return cls(tuple(Cell.from_dict(record) for record in document["cells"]))


def simulate(
    recurrence: Recurrence,
    depths: Any,
    samples: int,
    rng: Seed = None,
    method: str = "auto",
    batch: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    executor: Executor | None = None,
) -> Simulation:
    """Estimate the mean energy E||h^(depth)||^2 / n of a recurrence from random trajectories.

    Parameters
    ----------
    recurrence : Recurrence
        What to simulate, such as ``GaussianRNN(64)``.
    depths : int or sequence of int
        Depths >= 0, increasing; one trajectory serves them all.
    samples : int
        Number of independent trajectories, >= 1. The error bar is over trajectories: the
        states of one trajectory share its weights.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Root of the random streams; None takes fresh entropy. Trajectories come in chunks of
        256 whose streams are keyed by the recurrence, the depths and the number of the chunk:
        the same seed gives the same numbers, and other cells are independent.
    method : {"auto", "krylov", "direct"}
        "krylov" simulates the exact law width-free, with matrices of the size of the depth;
        "direct" multiplies n x n matrices.  "auto" takes "krylov" for Gaussian recurrences
        as long as its matrices are the smaller ones, "direct" for everything else.
    batch : int, optional
        Trajectories held in memory at once (at most 256), by default as many as fit in
        cache. It bounds memory and never changes the result.
    progress : callable, optional
        Called as ``progress(done, samples)``.
    executor : concurrent.futures.Executor, optional
        Where the chunks run (threads, processes, a cluster); never changes the result.

    Returns
    -------
    Simulation
        With one `Cell` for each depth.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    "direct" costs n^2 multiplications per step and trajectory and at least 32 n^2 bytes;
    "krylov" k^3/3 (RNN) or 4 k^3/3 (LRU) per trajectory of depth k, at any width. Where the
    mean is carried by draws that the sample is unlikely to hold, the cell is not
    trustworthy, says why, and has no standard error: see `sigprop.montecarlo.Estimate`.

    Examples
    --------
    >>> from sigprop.recurrences import GaussianRNN
    >>> cell = simulate(GaussianRNN(16), depths=4, samples=1000, rng=0).cells[0]
    >>> abs(cell.z) < 4, cell.trustworthy, cell.regime
    (True, True, 'sub-critical')
    """
    if not isinstance(recurrence, Recurrence):
        raise TypeError(
            "recurrence must be a recurrence such as GaussianRNN(64), "
            f"got {recurrence!r} of type {type(recurrence).__name__}"
        )
    depth_list = as_depths(depths)
    samples = as_integer("samples", samples, 1)
    batch = None if batch is None else as_integer("batch", batch, 1)
    seed = root_seed(rng)
    resolved = resolved_method(method, recurrence, depth_list)
    log_energies = chunks.log_energies(
        resolved, recurrence, depth_list, samples, seed, batch, progress, executor
    )
    return Simulation(
        tuple(
            cell_of(recurrence, depth, Estimate.from_log_energies(column), resolved, seed)
            for depth, column in zip(depth_list, log_energies.T, strict=True)
        )
    )


def as_depths(depths: Any) -> list[int]:
    """Return depths as a list of increasing integers >= 0."""
    numbers = as_integer_list("depths", depths, 0)
    if any(late <= early for early, late in itertools.pairwise(numbers)):
        raise ValueError(f"depths must be increasing, got {numbers}")
    return numbers


def resolved_method(method: str, recurrence: Recurrence, depths: list[int]) -> str:
    """Return the method that "auto" stands for: the one with the smaller matrices."""
    name = as_choice("method", method, METHODS)
    if name != "auto":
        return name
    deepest = max(depths)
    width_free = krylov.applies(recurrence) and deepest <= krylov.MAX_DEPTH
    return "krylov" if width_free and _krylov_is_smaller(recurrence, deepest) else "direct"


def _krylov_is_smaller(recurrence: Recurrence, deepest: int) -> bool:
    """Beyond the width the Krylov matrices are as large as W and need more work per step."""
    return deepest <= recurrence.width or recurrence.width > direct.MAX_WIDTH
