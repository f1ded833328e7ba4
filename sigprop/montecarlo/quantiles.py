"""Quantiles of simulated energies with distribution-free intervals.

Quantiles do not care how heavy the tail is: the number of draws below the true q-quantile
is binomial, so two order statistics enclose it with a known probability whatever the law.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_finite_float

FloatArray = npt.NDArray[np.float64]

LEVELS = (0.05, 0.5, 0.95)
"""Quantiles that a cell reports."""


@dataclass(frozen=True)
class QuantileEstimate:
    """A quantile of the log energy with an interval from order statistics.

    Attributes
    ----------
    q : float
        Level of the quantile.
    log_value : float
        Sample quantile of the log energy; -inf for an energy of zero.
    log_low, log_high : float
        Order statistics that enclose the true quantile with the confidence asked for;
        infinite on a side where the sample has too few draws.

    Examples
    --------
    >>> found = quantile_estimate([0.1, 0.4, 0.2, 0.3, 0.5], 0.5)
    >>> found.log_value, QuantileEstimate.from_dict(found.to_dict()) == found
    (0.3, True)
    """

    q: float
    log_value: float
    log_low: float
    log_high: float

    def to_dict(self) -> dict[str, float | None]:
        """Return strict JSON data: None for what is not finite."""
        return {
            name: value if math.isfinite(value) else None for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> QuantileEstimate:
        """Return the estimate of a record made by `to_dict`."""
        low = -math.inf if record["log_low"] is None else record["log_low"]
        high = math.inf if record["log_high"] is None else record["log_high"]
        value = -math.inf if record["log_value"] is None else record["log_value"]
        return cls(record["q"], value, low, high)


def quantile_estimate(log_energies: Any, q: float, confidence: float = 0.95) -> QuantileEstimate:
    r"""Return the sample q-quantile of log energies and an interval for the true one.

    Parameters
    ----------
    log_energies : array_like of float, shape (m,)
        Logarithms of independent energies.
    q : float
        Level, between 0 and 1.
    confidence : float, optional
        Least probability that the interval encloses the true quantile, between 0 and 1.

    Returns
    -------
    QuantileEstimate
        With :math:`P(x_{(l)} \le x_q < x_{(u)}) \ge` confidence, each side having at most
        half of the rest.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Examples
    --------
    >>> estimate = quantile_estimate(np.arange(1.0, 102.0), 0.5)
    >>> estimate.log_value, estimate.log_low, estimate.log_high
    (51.0, 41.0, 61.0)
    """
    logs = np.sort(np.asarray(log_energies, dtype=np.float64))
    if logs.ndim != 1 or logs.size == 0 or np.any(np.isnan(logs)):
        raise ValueError("log_energies must be a non-empty one-dimensional array without nan")
    q = _as_fraction("q", q)
    tail = 0.5 * (1.0 - _as_fraction("confidence", confidence))
    below = _binomial_cdf(logs.size, q)
    # Rank l is safe if P(fewer than l draws below) <= tail, rank u if P(at least u) <= tail.
    low_rank = int(np.searchsorted(below, tail, side="right"))
    high_rank = int(np.searchsorted(below, 1.0 - tail)) + 1
    return QuantileEstimate(
        q=q,
        log_value=float(np.quantile(logs, q, method="inverted_cdf")),
        log_low=float(logs[low_rank - 1]) if low_rank >= 1 else -math.inf,
        log_high=float(logs[high_rank - 1]) if high_rank <= logs.size else math.inf,
    )


def _binomial_cdf(count: int, q: float) -> FloatArray:
    """Return P(Binomial(count, q) <= j) for j = 0, ..., count."""
    from scipy.stats import binom

    return np.asarray(binom.cdf(np.arange(count + 1), count, q))


def _as_fraction(name: str, value: Any) -> float:
    number = as_finite_float(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be between 0 and 1, got {number!r}")
    return number
