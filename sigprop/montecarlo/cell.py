"""One simulated energy beside the exact one: the record that every command prints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from sigprop import regimes
from sigprop.montecarlo.estimate import Estimate
from sigprop.recurrences.protocol import Recurrence

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


def cell_of(recurrence: Recurrence, depth: int, estimate: Estimate, method: str, seed: int) -> Cell:
    """Return the cell of an estimate, with what theory says beside it."""
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
