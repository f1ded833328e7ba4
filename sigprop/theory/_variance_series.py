r"""Variances of the energies in powers of 1/n, and their limits at critical depth.

All coefficients are >= 0, so that nothing cancels and every partial sum is below the
variance.  They are verified over long ranges of depth, not proved: see the table's head.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory import _variance_tables as tables
from sigprop.theory._special import horner

TERMS = len(tables.RNN_DIFFERENCES)
CRITICAL_RANGE = 2.5
"""Largest c of the critical series: the terms left out are below 0.1% of the sum there."""

_DIFFERENCES = {"rnn": tables.RNN_DIFFERENCES, "lru": tables.LRU_DIFFERENCES}
_LEADING = {"rnn": tables.RNN_LEADING, "lru": tables.LRU_LEADING}
_LOWEST_POWER = {"rnn": 1, "lru": 3}
_LARGEST_RATIO = 0.7
_ROUNDING = 4e-16


class VarianceSeries(NamedTuple):
    """A partial sum of the variance and a bound on its relative error.

    Examples
    --------
    >>> variance(10**6, 100, "rnn").relative_error < 1e-12
    True
    """

    variance: float
    """Sum of twelve terms, below the variance."""
    relative_error: float
    """Bound on what is left out; inf where the series is of no use."""


def coefficients(depth: int, model: str) -> list[int]:
    """Return the coefficients of 1/n, ..., 1/n^12 in Var(E) at this depth, exactly."""
    return [
        sum(difference * math.comb(depth, m) for m, difference in enumerate(row))
        for row in _DIFFERENCES[model]
    ]


def variance(n: int, depth: int, model: str) -> VarianceSeries:
    """Sum the twelve terms; what is left out is bounded by a geometric series.

    The ratio of successive terms falls from the fourth on, so that the last ratio seen
    bounds all later ones.
    """
    try:
        terms = [c / n ** (r + 1) for r, c in enumerate(coefficients(depth, model))]
    except OverflowError:
        return VarianceSeries(math.inf, math.inf)
    total = math.fsum(terms)
    if terms[-1] == 0.0:  # no higher power of 1/n at this depth, or one below the float range
        return VarianceSeries(total, _ROUNDING)
    ratio = terms[-1] / terms[-2]
    if ratio > _LARGEST_RATIO:
        return VarianceSeries(total, math.inf)
    return VarianceSeries(total, terms[-1] * ratio / (1.0 - ratio) / total + _ROUNDING)


def critical_variance(c: FloatArray, model: str) -> FloatArray:
    """Sum the series of the critical limit."""
    return np.asarray(c ** _LOWEST_POWER[model] * horner(c * c, _LEADING[model]))
