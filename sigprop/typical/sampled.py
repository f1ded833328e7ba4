"""Quantiles of log E_k from simulated draws, with errors from order statistics."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.montecarlo import quantile_estimate, simulate_log_energies
from sigprop.recurrences import GaussianRNN

CONFIDENCE = 0.99
"""Probability with which the stated error of a simulated quantile holds."""

_SEED = 20260511
_MOST, _LEAST = 8192, 512
_OPERATIONS = 2e9  # about 3 seconds


def default_samples(n: int, k: int) -> int:
    """Return the number of draws that some seconds allow, 512 to 8192.

    Examples
    --------
    >>> default_samples(20, 30), default_samples(1024, 300)
    (8192, 512)
    """
    per_draw = k * min(n, k) ** 2
    return int(min(max(_OPERATIONS / per_draw, _LEAST), _MOST))


def sampled_quantiles(
    n: int, k: int, field: str, q: FloatArray, samples: int
) -> tuple[FloatArray, FloatArray]:
    """Return quantiles of log E_k and their errors at the levels q, shape (m,) each.

    The seed is fixed: the same arguments give the same numbers. The error is the distance
    to the farther end of the interval of order statistics that encloses the true quantile
    with 99% confidence; infinite where the sample has too few draws beyond.
    """
    # Deep depths share the draws of their anchor, and levels those of one another.
    draw = _kept_draws if samples <= _MOST else _draws
    logs = draw(n, k, field, samples)
    values, errors = np.empty(q.size), np.empty(q.size)
    for index, level in enumerate(q):
        estimate = quantile_estimate(logs, float(level), CONFIDENCE)
        values[index] = estimate.log_value
        errors[index] = max(
            estimate.log_high - estimate.log_value, estimate.log_value - estimate.log_low
        )
    return values, np.where(np.isfinite(errors), errors, math.inf)


def _draws(n: int, k: int, field: str, samples: int) -> FloatArray:
    recurrence = GaussianRNN(n, field=field)
    logs = np.sort(simulate_log_energies(recurrence, [k], samples, rng=_SEED)[:, 0])
    logs.flags.writeable = False
    return logs


@lru_cache(maxsize=64)
def _kept_draws(n: int, k: int, field: str, samples: int) -> FloatArray:
    return _draws(n, k, field, samples)
