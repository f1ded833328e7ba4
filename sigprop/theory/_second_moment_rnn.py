r"""Variance of the energy :math:`E_k = \|W^k x\|^2/n` of one draw, relative to its mean squared.

With B = W^k W^{k*}: :math:`E[E_k^2] = (E[(\mathrm{tr} B)^2] + E[\mathrm{tr} B^2])/(n(n+1))`
and :math:`E[E_k] = Q_{n,k}`.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory import _variance_series as series
from sigprop.theory._trace_moments import log_factors, pair_sums
from sigprop.theory.energy import log_rnn_energy, rnn_excess

MAX_SUM_DEPTH = 1024
"""Deepest full sum: three seconds and 200 MB."""

MAX_DEPTH = 10**6
"""Deepest energy beyond the range of the series: O(k) time and memory."""

_SUM_ERROR = 1e-12
_SERIES_IS_EXACT = 1e-14  # where the series is that good it is taken first, being instant
_REFERENCE_DEPTHS = (256, 512)
_HOOKS_ALONE = 16.0  # k / sqrt(n) from which single hooks carry the variance
_SCALED_ERROR = 1e-5  # measured at depths 600 to 1024, all c: 2e-6


class LogVariance(NamedTuple):
    """Log of a relative variance, a bound on the relative error of the latter, the method."""

    log: float
    error: float
    method: str


def _log(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf


def summed(n: int, k: int) -> float:
    """Return the log of the relative variance from the sum over all hooks and double hooks."""
    sums = pair_sums(float(n), 2 * k, [0])
    value = float(sums.values[0])
    if sums.log_scale == 0.0:
        excess = float(rnn_excess(n, k))
        # Var E = (1 + Y)/(1 + 1/n) - (1 + excess)^2, with the ones taken out.
        variance = (value - 1.0 / n - excess * (2.0 + excess) * (1.0 + 1.0 / n)) / (1.0 + 1.0 / n)
        return _log(variance) - 2.0 * math.log1p(excess)
    log_ratio = math.log(value) + sums.log_scale - math.log1p(1.0 / n) - 2.0 * log_rnn_energy(n, k)
    return float(log_ratio + math.log1p(-math.exp(-log_ratio)))


def hooks_alone(n: int, k: int) -> float:
    """Return the log of the single hooks' part of E[E_k^2], O(k), over the mean squared."""
    rising, falling = log_factors(float(n), 2 * k + 2)
    b = np.arange(k + 1.0)
    a = 2 * k + 1 - b
    logs: FloatArray = rising[::-1][: k + 1] + falling[: k + 1] - np.log(a) - np.log(a - 1.0)
    largest = float(logs.max())
    total = largest + math.log(float(np.exp(logs - largest).sum())) + math.log(2.0 * k / (k + 1))
    return total - math.log1p(1.0 / n) - 2.0 * float(log_rnn_energy(n, k))


@functools.lru_cache(maxsize=256)
def _correction(n: int, k: int) -> float:
    """Log of the variance over its single hooks' part."""
    return summed(n, k) - hooks_alone(n, k)


def scaled(n: int, k: int) -> LogVariance:
    """Variance beyond the deepest sum: single hooks, corrected at the same k / sqrt(n).

    At fixed k / sqrt(n) the log of the variance over its single hooks' part is a limit plus
    a multiple of 1/k, both read off at two smaller depths; it vanishes as k / sqrt(n) grows.

    Raises
    ------
    ValueError
        If k is too deep even for a sum of k terms.
    """
    if k > MAX_DEPTH:
        raise ValueError(
            f"depth of an RNN must be at most {MAX_DEPTH} unless it is far below sqrt(n), "
            f"got {k} at n = {n}"
        )
    critical = k / math.sqrt(n)
    log = hooks_alone(n, k)
    if critical < _HOOKS_ALONE:
        low, high = _REFERENCE_DEPTHS
        at_low, at_high = (_correction(round((d / critical) ** 2), d) for d in (low, high))
        slope = (at_low - at_high) / (1.0 / low - 1.0 / high)
        log += at_high + slope * (1.0 / k - 1.0 / high)
    return LogVariance(log, _SCALED_ERROR, "scaled")


def relative_variance(n: int, k: int) -> LogVariance:
    """Return the relative variance of E_k by the best method for (n, k).

    Raises
    ------
    ValueError
        If k is beyond `MAX_DEPTH` and the series in 1/n is of no use.
    """
    power_series = series.variance(n, k, "rnn")
    from_series = LogVariance(
        _log(power_series.variance) - 2.0 * float(log_rnn_energy(n, k)),
        power_series.relative_error,
        "series",
    )
    if from_series.error <= _SERIES_IS_EXACT:
        return from_series
    if k <= MAX_SUM_DEPTH:
        # Subtracting logs of large energies leaves a few ulp of them.
        error = max(_SUM_ERROR, 2e-15 * float(log_rnn_energy(n, k)))
        return LogVariance(summed(n, k), error, "sum")
    return from_series if from_series.error <= _SCALED_ERROR else scaled(n, k)
