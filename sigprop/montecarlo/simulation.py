"""`simulate`: draw trajectories of a recurrence and set them beside the exact energies."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_choice, as_integer, as_integer_list
from sigprop.montecarlo import chunks, planning, rare
from sigprop.montecarlo.cell import Cell, cell_of, weighted_cell
from sigprop.montecarlo.streams import Seed, root_seed
from sigprop.recurrences.protocol import Recurrence

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Simulation:
    """What `simulate` returns: one cell for each depth asked for, in that order.

    Examples
    --------
    >>> from sigprop.recurrences import GaussianRNN
    >>> result = simulate(GaussianRNN(16), [2, 4], 500, rng=0)
    >>> Simulation.from_dict(result.to_dict()) == result
    True
    """

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
    inputs: Any = None,
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
    method : {"auto", "krylov", "direct", "importance"}
        "krylov" simulates the exact law width-free, with matrices of the size of the depth;
        "direct" multiplies n x n matrices; "importance" samples the rare draws that carry
        the mean of a Gaussian RNN beyond depth 2.5 sqrt(n) (3 sqrt(n) for real weights).
        "auto" takes, for every depth, importance sampling where the exact relative variance
        says that a plain sample of this size misses a 10 % error bar, and else "krylov" for
        Gaussian recurrences as long as its matrices are the smaller ones, or "direct".
    batch : int, optional
        Trajectories held in memory at once (at most 256), by default as many as fit in
        cache. It bounds memory and never changes the result.
    progress : callable, optional
        Called as ``progress(done, samples)``.
    executor : concurrent.futures.Executor, optional
        Where the chunks run (threads, processes, a cluster); never changes the result.
    inputs : "white", "constant", ("ar1", rho) or autocorrelation array, optional
        Law of the inputs in time, in place of that of the recurrence.

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
    if inputs is not None:
        recurrence = recurrence.with_inputs(inputs)
    depth_list = as_depths(depths)
    samples = as_integer("samples", samples, 1)
    batch = None if batch is None else as_integer("batch", batch, 1)
    seed = root_seed(rng)
    plan = planning.choices(method, recurrence, depth_list, samples)
    rare_depths = [
        (depth, choice)
        for depth, choice in zip(depth_list, plan, strict=True)
        if choice.method == rare.METHOD
    ]
    plain_depths = [depth for depth in depth_list if depth not in dict(rare_depths)]
    parts = _Parts(progress, samples, len(rare_depths) + bool(plain_depths))
    cells = {}
    if plain_depths:
        plain = next(choice.method for choice in plan if choice.method != rare.METHOD)
        columns = chunks.log_energies(
            plain, recurrence, plain_depths, samples, seed, batch, parts.callback(), executor
        )
        for depth, column in zip(plain_depths, columns.T, strict=True):
            cells[depth] = cell_of(recurrence, depth, column, plain, seed)
    for depth, choice in rare_depths:
        families = rare.weighted_families(
            recurrence, depth, samples, seed, parts.callback(), executor
        )
        estimate = rare.weighted_estimate(families)
        cells[depth] = weighted_cell(recurrence, depth, estimate, choice.why, seed)
    return Simulation(tuple(cells[depth] for depth in depth_list))


class _Parts:
    """Progress over several runs of the same number of trajectories."""

    def __init__(
        self, progress: Callable[[int, int], Any] | None, samples: int, count: int
    ) -> None:
        self._progress = progress
        self._samples = samples
        self._total = samples * count
        self._before = -samples

    def callback(self) -> Callable[[int, int], Any] | None:
        """Return the callback of the next run."""
        self._before += self._samples
        if self._progress is None:
            return None
        before, progress = self._before, self._progress
        return lambda done, _: progress(before + done, self._total)


def simulate_log_energies(
    recurrence: Recurrence,
    depths: Any,
    samples: int,
    rng: Seed = None,
    method: str = "auto",
    batch: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    executor: Executor | None = None,
    inputs: Any = None,
) -> FloatArray:
    """Return the log energies themselves, shape (samples, depths), from a plain sampler.

    Parameters
    ----------
    recurrence, depths, samples, rng, batch, progress, executor, inputs
        As for `simulate`.
    method : {"auto", "krylov", "direct"}
        Plain sampler; "auto" takes the one with the smaller matrices.

    Returns
    -------
    ndarray of float64
        log(||h^(depth)||^2 / n): rows are independent trajectories.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Examples
    --------
    >>> from sigprop.recurrences import GaussianRNN
    >>> simulate_log_energies(GaussianRNN(16), [0, 4], 3, rng=0).shape
    (3, 2)
    """
    if not isinstance(recurrence, Recurrence):
        raise TypeError(f"recurrence must be a recurrence, got {recurrence!r}")
    if inputs is not None:
        recurrence = recurrence.with_inputs(inputs)
    depth_list = as_depths(depths)
    samples = as_integer("samples", samples, 1)
    batch = None if batch is None else as_integer("batch", batch, 1)
    name = as_choice("method", method, ("auto", *chunks.SAMPLERS))
    plain = planning.plain_method(recurrence, depth_list) if name == "auto" else name
    return chunks.log_energies(
        plain, recurrence, depth_list, samples, root_seed(rng), batch, progress, executor
    )


def as_depths(depths: Any) -> list[int]:
    """Return depths as a list of increasing integers >= 0."""
    numbers = as_integer_list("depths", depths, 0)
    if any(late <= early for early, late in itertools.pairwise(numbers)):
        raise ValueError(f"depths must be increasing, got {numbers}")
    return numbers
