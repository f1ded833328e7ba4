r"""Variance of the LRU energy :math:`E_t = \|h_t\|^2/n` of one draw, at all depths up to a last.

Given W, :math:`h_t = \sum_j W^j x_j` is Gaussian with covariance :math:`\sum_j B_j`,
:math:`B_j = W^j W^{j*}`, so that

.. math:: \mathrm{Var}(E_t) = \sum_{i, j \le t} C_{ij}, \qquad
   C_{ij} = n^{-2}(E[\mathrm{tr} B_i\, \mathrm{tr} B_j] + E[\mathrm{tr} B_i B_j]) - Q_i Q_j,

and a gain g multiplies :math:`C_{ij}` by :math:`g^{2(i+j)}`.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray
from sigprop.theory import _variance_series as series
from sigprop.theory._second_moment_rnn import LogVariance
from sigprop.theory._trace_moments import pair_sums
from sigprop.theory.energy import log_lru_energy, log_rnn_energy, rnn_excess

MAX_SUM_DEPTH = 256
"""Deepest full sum: depth 64 takes a second, 128 three, 256 about twenty."""

_SUM_ERROR = 1e-12
_SERIES_IS_EXACT = 1e-14  # where the series is that good it is taken first, being instant
_SERIES_TOLERANCE = 1e-3


class _Covariances(NamedTuple):
    """C_ij = values[i, j] exp(log_scales[i + j])."""

    values: FloatArray
    log_scales: FloatArray


@functools.lru_cache(maxsize=64)
def _covariances(n: int, tmax: int) -> _Covariances:
    depths = np.arange(tmax + 1)
    excess, log_mean = rnn_excess(n, depths), log_rnn_energy(n, depths)
    values = np.zeros((tmax + 1, tmax + 1))
    log_scales = np.zeros(2 * tmax + 1)
    for total in range(2 * tmax + 1):
        d = np.arange(total % 2, min(total, 2 * tmax - total) + 1, 2)
        i, j = (total - d) // 2, (total + d) // 2
        sums, log_scale = pair_sums(float(n), total, d.tolist())
        if log_scale == 0.0:
            covariance = sums - (excess[i] + excess[j] + excess[i] * excess[j])
        else:
            covariance = sums - np.exp(log_mean[i] + log_mean[j] - log_scale)
        values[i, j] = values[j, i] = covariance
        log_scales[total] = log_scale
    return _Covariances(values, log_scales)


def _table_depth(t: int) -> int:
    """Return the depth of the table that answers for t: few different ones, so that they recur."""
    return 16 * math.ceil(max(t, 1) / 16)


def _log_sums(n: int, depths: npt.NDArray[np.int64], gain: float) -> FloatArray:
    """Return the logs of the relative variances from the covariances, depths ascending."""
    table = _covariances(n, _table_depth(int(depths[-1])))
    steps = np.arange(depths[-1] + 1)
    totals = steps[:, None] + steps
    logs = table.log_scales[totals] + 2.0 * math.log(gain) * totals
    result = np.empty(len(depths))
    for index, t in enumerate(depths):
        corner = logs[: t + 1, : t + 1]
        largest = corner.max()
        terms = table.values[: t + 1, : t + 1] * np.exp(corner - largest)
        result[index] = largest + math.log(terms.sum())
    return result - 2.0 * np.asarray(log_lru_energy(n, depths, gain))


def log_table(n: int, tmax: int, gain: float) -> FloatArray:
    """Return the logs of the relative variances at depths 0, ..., tmax <= MAX_SUM_DEPTH."""
    return _log_sums(n, np.arange(tmax + 1), gain)


def relative_variance(n: int, t: int, gain: float) -> LogVariance:
    """Return the relative variance of E_t by the best method for (n, t).

    Raises
    ------
    ValueError
        If t is beyond the deepest sum and the series in 1/n is of no use.
    """
    by_series = _from_series(n, t) if gain == 1.0 else None
    if by_series is not None and by_series.error <= _SERIES_IS_EXACT:
        return by_series
    if t <= MAX_SUM_DEPTH:
        return LogVariance(float(_log_sums(n, np.array([t]), gain)[0]), _SUM_ERROR, "sum")
    if by_series is not None and by_series.error <= _SERIES_TOLERANCE:
        return by_series
    raise ValueError(
        f"depth of an LRU must be at most {MAX_SUM_DEPTH}, or (at gain 1) at most about "
        f"1.5 sqrt(n) where the series in 1/n converges, got {t} at n = {n}; "
        "estimate the variance from independent batches instead"
    )


def _from_series(n: int, t: int) -> LogVariance:
    variance, error = series.variance(n, t, "lru")
    log = math.log(variance) - 2.0 * float(log_lru_energy(n, t)) if error < 1.0 else math.nan
    return LogVariance(log, error, "series")
