r"""Moment sequences: impulse energies :math:`Q_k = \sum_i w_i q_i^k` of a mixture of decays.

Every diagonal, rotation or state-space layer is such a mixture (over its modes, and over the
law they are drawn from), and everything that white inputs ask of it is a sum over the pairs
:math:`(q_i, w_i)`: the energy :math:`S_t = \sum_{k \le t} Q_k`, what lags beyond T carry, the
mean lag.  A mixture with a density is a quadrature rule of the same form.

The decays are kept as :math:`\ln q_i \le 0`, so that powers and 1 - q have full relative
accuracy however close q is to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sigprop._arguments import FloatArray

_BLOCK = 2**20  # powers computed at once


@dataclass(frozen=True)
class MomentRule:
    r"""Pairs of a decay and a weight, :math:`Q_k = \sum_i w_i q_i^k`.

    Parameters
    ----------
    log_q : ndarray of float64, shape (m,)
        Logarithms of the decays, <= 0; -inf is a decay of zero.
    weight : ndarray of float64, shape (m,)
        Weights >= 0. Their sum is Q_0.

    Examples
    --------
    >>> rule = MomentRule(np.log([0.25, 0.5]), np.array([0.5, 0.5]))
    >>> rule.impulse(np.array([0.0, 1.0])).tolist(), round(rule.stationary(), 12)
    ([1.0, 0.375], 1.666666666667)
    """

    log_q: FloatArray
    weight: FloatArray

    @property
    def gap(self) -> FloatArray:
        """The gaps 1 - q of the decays."""
        return 0.0 - np.expm1(self.log_q)  # 0, not -0, for a decay of 1

    def impulse(self, lags: FloatArray) -> FloatArray:
        """Return Q_k at every lag k."""
        return self._power_sums(self.weight, lags)

    def drop(self, lags: FloatArray) -> FloatArray:
        """Return Q_k - Q_{k+1} without cancellation."""
        return self._power_sums(self.weight * self.gap, lags)

    def running(self, depths: FloatArray) -> FloatArray:
        """Return S_t, the sum of Q_k over k = 0..t, at every depth t."""
        counts = np.atleast_1d(depths).ravel() + 1.0
        gap = self.gap
        decaying = gap > 0.0
        result = np.empty_like(counts)
        share = self.weight[decaying] / gap[decaying]
        log_q = self.log_q[decaying]
        endless = float(self.weight[~decaying].sum())
        for part in _parts(counts.size, self.log_q.size):
            with np.errstate(under="ignore"):
                risen = -np.expm1(np.multiply.outer(counts[part], log_q))
            result[part] = risen @ share + endless * counts[part]
        return result.reshape(np.shape(depths))

    def stationary(self) -> float:
        """Return the sum of all Q_k, inf where a decay is 1."""
        return self._gap_sum(self.weight, 1)

    def beyond(self, lags: FloatArray) -> FloatArray:
        """Return the sum of Q_k over k > T at every lag T."""
        return self._power_sums(self.weight / self.gap, np.asarray(lags) + 1.0)

    def mean_lag(self) -> float:
        """Return sum k Q_k / sum Q_k, inf where the numerator diverges."""
        with np.errstate(under="ignore"):
            return self._gap_sum(self.weight * np.exp(self.log_q), 2) / self.stationary()

    def sum_of_squares(self) -> float:
        r"""Return :math:`\sum_k Q_k^2 = \sum_{ij} w_i w_j / (1 - q_i q_j)`, m^2 terms."""
        rows = []
        for part in _parts(self.log_q.size, self.log_q.size):
            gaps = -np.expm1(np.add.outer(self.log_q[part], self.log_q))
            rows.append(float(self.weight[part] @ ((1.0 / gaps) @ self.weight)))
        return math.fsum(rows)

    def _gap_sum(self, weight: FloatArray, power: int) -> float:
        used = weight > 0.0
        with np.errstate(divide="ignore", over="ignore"):
            return float(np.sum(weight[used] / self.gap[used] ** power))

    def _power_sums(self, weight: FloatArray, exponents: FloatArray) -> FloatArray:
        flat = np.atleast_1d(np.asarray(exponents, dtype=np.float64)).ravel()
        result = np.empty_like(flat)
        zero = np.isneginf(self.log_q)
        log_q = np.where(zero, -1.0, self.log_q)
        for part in _parts(flat.size, self.log_q.size):
            with np.errstate(under="ignore"):
                powers = np.exp(np.multiply.outer(flat[part], log_q))
            if zero.any():
                powers[:, zero] = (flat[part] == 0.0)[:, np.newaxis]
            result[part] = powers @ weight
        return result.reshape(np.shape(exponents))


def _parts(rows: int, columns: int) -> list[slice]:
    """Cut rows so that rows times columns of a part stay below the block size."""
    size = max(1, _BLOCK // max(columns, 1))
    return [slice(first, first + size) for first in range(0, rows, size)]
