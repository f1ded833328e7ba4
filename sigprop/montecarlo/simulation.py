"""`simulate`: draw trajectories of a recurrence and set them beside the exact energies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from sigprop import regimes
from sigprop._arguments import as_choice, as_integer, as_integer_list
from sigprop.montecarlo import chunks, direct, krylov
from sigprop.montecarlo.estimate import Estimate
from sigprop.montecarlo.streams import Seed, root_seed
from sigprop.recurrences.protocol import Recurrence

METHODS = ("auto", "krylov", "direct")

_NULL_MEANS_OVERFLOW = ("mean", "median")


@dataclass(frozen=True)
class Cell:
    """One simulated energy: what was simulated, what theory says, what came out.

    The attributes are the keys of the JSON record, in this order.

    Attributes
    ----------
    model, field, gain, width, depth
        What was simulated.
    c : float
        depth / sqrt(width).
    regime : str
        Name of the regime of (width, depth), that of complex weights with gain 1.
    exact, log_exact : float or None
        Exact mean energy and its logarithm; None where theory has none, and ``exact`` also
        where it overflows.
    mean : float
        Mean of the sample; inf (null in JSON) where it overflows.
    standard_error : float or None
        Standard error of the mean over trajectories. None when refused, that is when the
        mean is not trustworthy, or where it overflows.
    z : float or None
        (mean - exact) / standard_error; None without theory or without error bar.
    median : float
        Median energy; inf (null in JSON) where it overflows.
    effective_samples : float
        (sum x)^2 / sum x^2.
    trustworthy : bool
        False where the tail that the sample cannot see dominates.
    reason : str or None
        Why it is not trustworthy; None if it is.
    method : str
        How it was simulated, "krylov" or "direct".
    samples : int
        Number of trajectories.
    seed : int
        The integer that, given as ``rng``, reproduces the cell.
    """

    model: str
    field: str
    gain: float
    width: int
    depth: int
    c: float
    regime: str
    exact: float | None
    log_exact: float | None
    mean: float
    standard_error: float | None
    z: float | None
    median: float
    effective_samples: float
    trustworthy: bool
    reason: str | None
    method: str
    samples: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON record: plain types, None for everything that is not finite."""
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Cell:
        """Return the cell of a JSON record.

        Raises
        ------
        ValueError
            If the keys are not those of a cell.
        """
        names = [field.name for field in fields(cls)]
        if set(record) != set(names):
            missing = sorted(set(names) - set(record))
            unknown = sorted(set(record) - set(names))
            raise ValueError(f"record is not a cell: missing {missing}, unknown {unknown}")
        values = dict(record)
        for name in _NULL_MEANS_OVERFLOW:
            if values[name] is None:
                values[name] = math.inf
        values["seed"] = int(values["seed"])  # beyond 2**53 it may be written as a string
        return cls(**values)


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
        Depths >= 0, in any order; one trajectory serves them all.
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
    Cost n^2 multiplications per step and trajectory; the weights of two trajectories,
    32 n^2 bytes, are the least memory. Where the mean is carried by draws that
    the sample is unlikely to hold, the cell is not trustworthy, says why, and has no
    standard error: see `sigprop.montecarlo.Estimate`.

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
    depth_list = as_integer_list("depths", depths, 0)
    samples = as_integer("samples", samples, 1)
    batch = None if batch is None else as_integer("batch", batch, 1)
    seed = root_seed(rng)
    resolved = resolved_method(method, recurrence, depth_list)
    log_energies = chunks.log_energies(
        resolved, recurrence, depth_list, samples, seed, batch, progress, executor
    )
    return Simulation(
        tuple(
            _cell(recurrence, depth, Estimate.from_log_energies(column), resolved, seed)
            for depth, column in zip(depth_list, log_energies.T, strict=True)
        )
    )


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


def _cell(recurrence: Recurrence, depth: int, estimate: Estimate, method: str, seed: int) -> Cell:
    log_exact = recurrence.log_state_energy(depth)
    return Cell(
        model=recurrence.model,
        field=recurrence.field,
        gain=recurrence.gain,
        width=recurrence.width,
        depth=depth,
        c=depth / math.sqrt(recurrence.width),
        regime=regimes.classify(recurrence.width, depth).name,
        exact=_finite(recurrence.state_energy(depth)),
        log_exact=_finite(log_exact),
        mean=estimate.mean,
        standard_error=_finite(estimate.standard_error),
        z=None if log_exact is None else estimate.z_score(float(log_exact)),
        median=estimate.median,
        effective_samples=estimate.effective_samples,
        trustworthy=estimate.trustworthy,
        reason=estimate.reason,
        method=method,
        samples=estimate.samples,
        seed=seed,
    )


def _finite(value: np.float64 | float | None) -> float | None:
    """Return a finite value as a float, anything else as None."""
    return float(value) if value is not None and math.isfinite(value) else None
