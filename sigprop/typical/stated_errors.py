r"""Errors that the approximate laws state: the largest ones seen against simulations.

The tables hold the largest deviation from simulated quantiles (mostly simulation noise
beyond c = 8) on draws that no constant was fitted to, at n = 50 to 4096, per range of
c = k/sqrt(n) and level; they do not fall with depth. Beyond that range of widths, where
simulations of up to 10**5 units resolve less, twice as much is stated.
"""

from __future__ import annotations

import math

import numpy as np

from sigprop._arguments import FloatArray

TESTED_WIDTHS = (50, 4096)
"""Widths at which the overlap-sum law was compared with simulations."""

_LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
_DEPTHS = (1.0, 2.0, 3.1, 5.1, 8.1, 12.0)  # upper ends of the ranges of c
_LARGEST = {
    "complex": np.array(
        [
            [0.03, 0.01, 0.01, 0.01, 0.02],
            [0.06, 0.03, 0.02, 0.03, 0.05],
            [0.08, 0.04, 0.03, 0.04, 0.05],
            [0.08, 0.06, 0.05, 0.07, 0.07],
            [0.12, 0.09, 0.11, 0.14, 0.13],
            [0.15, 0.11, 0.15, 0.14, 0.21],
        ]
    ),
    "real": np.array(
        [
            [0.03, 0.01, 0.01, 0.02, 0.06],
            [0.06, 0.03, 0.03, 0.04, 0.09],
            [0.08, 0.04, 0.04, 0.04, 0.09],
            [0.08, 0.07, 0.04, 0.04, 0.09],
            [0.08, 0.08, 0.05, 0.06, 0.14],
            [0.08, 0.09, 0.05, 0.11, 0.26],
        ]
    ),
}
_RATE = 0.03  # largest error of log E/(2 k), times sqrt(n), at depths beyond the tables
_OUTSIDE_WIDTHS = 2.0


def log_normal_error(n: int, k: int, field: str, q: FloatArray, log_variance: float) -> FloatArray:
    r"""Return the stated error of log-normal quantiles at c <= 1, of the shape of q.

    The table, or the size :math:`\sigma^2 + \sigma c^4/5` of the first neglected terms (of the
    skewness, and of the series of sigma) where that is smaller: at large widths.
    """
    c = k / math.sqrt(n)
    sigma = math.sqrt(log_variance)
    neglected = sigma * sigma + 0.2 * sigma * c**4
    return np.minimum(_at_levels(_LARGEST[field][0], q), neglected * _tail_factor(q))


def law_error(n: int, k: int, field: str, q: FloatArray) -> FloatArray:
    """Return the stated error of the overlap-sum law, of the shape of q."""
    c = k / math.sqrt(n)
    row = min(int(np.searchsorted(_DEPTHS, c)), len(_DEPTHS) - 1)
    error = _at_levels(_LARGEST[field][row], q)
    if not TESTED_WIDTHS[0] <= n <= TESTED_WIDTHS[1]:
        error = _OUTSIDE_WIDTHS * error
    return error + growth_error(n, k - _DEPTHS[-1] * math.sqrt(n))


def growth_error(n: int, steps: float) -> float:
    r"""Return the error that log E gains over steps at the rate of the spectral radius."""
    return 2.0 * _RATE * max(steps, 0.0) / math.sqrt(n)


def _at_levels(row: FloatArray, q: FloatArray) -> FloatArray:
    """Interpolate in the probit of the level; outside, go on as the cube of the probit."""
    from scipy.special import ndtri

    return np.asarray(np.interp(ndtri(q), ndtri(_LEVELS), row)) * _tail_factor(q)


def _tail_factor(q: FloatArray) -> FloatArray:
    from scipy.special import ndtri

    ratio = ndtri(q) / ndtri(_LEVELS[-1])
    return np.asarray(np.maximum(1.0, np.abs(ratio) ** 3))
