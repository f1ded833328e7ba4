r"""float64 kernel of the real LRU with correlated inputs: all cross moments, summed as they come.

With A_p, B_q, E_r the products of the closed form over :math:`n^p, n^q, n^r`, a cross moment
is a combination of products of them whose coefficients at n = infinity sum to zero (i < j), or
to :math:`4m^2 - 1` (i = j).  So every product may be taken minus 1, which leaves little to
cancel where all of them are near 1: the combination is then the cross moment, or Q - 1.

For fixed m = (i + j)/2 + 1 two of the three sums of the closed form grow by one term from
d = i + 1 to the next.  The third, over r = d - 3, d - 5, ... of :math:`A_{m-1-q-r} B_q E_r`,
2q + r = d - 1, is for all m at once a correlation of A with a vector.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray

IntArray = npt.NDArray[np.int_]

_LARGEST_LOG = 600.0
"""Where log A_m is beyond, all products of that m are divided by A_m."""

_NEGLIGIBLE = -100.0
"""Products below exp(-100) A_m are left out: their factors are at most of order m^2."""


class LruSums(NamedTuple):
    """S at t = 0, ..., tmax as (plain + excess) exp(log_scale).

    Attributes
    ----------
    plain : ndarray
        Sum of gain^(2k), k = 0, ..., t: the value at infinite width.
    excess : ndarray
        The rest.
    log_scale : ndarray
        Zero or more, and not decreasing.
    """

    plain: FloatArray
    excess: FloatArray
    log_scale: FloatArray


class _Line(NamedTuple):
    """Sums of the products minus 1, of the products, and of the products times r."""

    minus_one: FloatArray
    product: FloatArray
    weighted: FloatArray


def lru_sums(
    n: int,
    tmax: int,
    correlation: FloatArray,
    log_gain: float,
    rnn_excess: FloatArray | None = None,
) -> LruSums:
    """Return S at t = 0, ..., tmax for inputs with autocorrelation R(0), ..., R(tmax).

    R counts at even lags alone, and cross moments beyond its last non-zero entry are left out.
    The sums here lose digits of Q - 1 where it is tiny; ``rnn_excess`` gives it from elsewhere.
    """
    table = _CrossMoments(n, tmax + 1)
    m = np.arange(tmax + 2)
    log_weights = table.log_scale + 2.0 * log_gain * (m - 1.0)
    log_scale = np.maximum.accumulate(log_weights[1:])
    even = correlation[::2]
    last_lag = int(np.flatnonzero(even)[-1])
    growth = np.zeros(tmax + 1)
    for d in range(1, tmax + 2):
        diagonal, others = table.advance(d, min((tmax + 1 - d) // 2, last_lag))
        if rnn_excess is not None and table.log_scale[d] == 0.0:
            diagonal = float(rnn_excess[d - 1])
        rows = m[d : d + 1 + others.size]
        t = 2 * rows - d - 1
        values = np.concatenate([[diagonal], 2.0 * even[1 : rows.size] * others])
        growth[t] += values * np.exp(log_weights[rows] - log_scale[t])
    return _accumulated(growth, log_scale, log_gain)


def _accumulated(growth: FloatArray, log_scale: FloatArray, log_gain: float) -> LruSums:
    t = np.arange(growth.size)
    plain = np.exp(2.0 * log_gain * t - log_scale)
    excess = growth.copy()
    shrink = np.exp(-np.diff(log_scale))
    for last, factor in enumerate(shrink):
        plain[last + 1] += factor * plain[last]
        excess[last + 1] += factor * excess[last]
    return LruSums(plain, excess, log_scale)


class _CrossMoments:
    """The cross moments of one width, d after d, each for all m.

    Attributes
    ----------
    log_scale : ndarray
        Zero, or log A_m where moments with this m come divided by A_m.
    """

    def __init__(self, n: int, last: int) -> None:
        t = np.arange(last, dtype=np.float64)
        with np.errstate(divide="ignore"):
            below = np.log1p((2.0 * t - 1.0) / n)
            # From r = n - 1 on E_r is zero; at n = 1 it only ever meets a factor zero.
            falling = np.log1p(-np.minimum((t + 2.0) / n, 1.0))
        self._n = n
        self._log_a = _sums_from_zero(np.log1p(2.0 * t / n))
        self._log_b = _sums_from_zero(below)
        self._log_e = _sums_from_zero(falling)
        self.log_scale = np.where(self._log_a > _LARGEST_LOG, self._log_a, 0.0)
        self._mild = int(np.count_nonzero(self.log_scale == 0.0))
        self._a_minus_one = np.expm1(self._log_a[: self._mild])
        # Sums over q of A_{m-q} B_q - 1, over r of A_{m-1-r} E_r - 1 and of A_{m-1-r} E_r.
        self._half_sums, self._edge_sums, self._edge_products = np.zeros((3, last + 1))

    def advance(self, d: int, lags: int) -> tuple[float, FloatArray]:
        """Return Q_{d-1} - 1, and the moments (d - 1, d - 1 + 2 lag) for lag = 1, ..., lags.

        To be called for d = 1, 2, ... in turn.
        """
        later = np.arange(d, self._log_a.size)
        half, edge = np.zeros(later.size), self._log_a[later - d] + self._log_e[d - 1]
        if d % 2 == 0:
            half = self._minus_one(self._log_a[later - d // 2] + self._log_b[d // 2], later)
            self._half_sums[later] += half
        rows = later[: lags + 1]
        line = self._line(d, rows)
        diagonal = self._diagonal(d, line, float(half[0]))
        edge_minus_one = self._minus_one(edge, later)
        edge_product = np.exp(edge - self.log_scale[later])
        self._edge_sums[later] += edge_minus_one
        self._edge_products[later] += edge_product
        corner = (edge_minus_one - edge_product / self._n)[: rows.size]
        others = self._off_diagonal(d, rows, line, corner, half[: rows.size])
        return diagonal, others[1:]

    def _minus_one(self, log_products: FloatArray, m: IntArray) -> FloatArray:
        """Return (product - 1)/exp(log_scale): where the scale is not zero, the 1 is lost."""
        scale = self.log_scale[m]
        scaled = log_products - scale
        return np.where(scale > 0.0, np.exp(scaled), np.expm1(scaled))

    def _line(self, d: int, rows: IntArray) -> _Line:
        """Return the sums over A_{l+m-d} B_l E_r, r = d - 1 - 2l, l = 1, ..., (d-1)//2."""
        count = (d - 1) // 2
        if count == 0:
            return _Line(*np.zeros((3, rows.size)))
        places = np.arange(1, count + 1)
        r = d - 1 - 2 * places
        log_vector = self._log_b[places] + self._log_e[r]
        mild = max(min(self._mild - d, rows.size), 0)
        parts = []
        if mild > 0:
            vector = np.exp(log_vector)
            window = self._a_minus_one[1 : mild + count]
            deviation = np.correlate(window, vector, "valid")
            weighted = np.correlate(window, r * vector, "valid")
            parts.append(
                _Line(
                    deviation + np.expm1(log_vector).sum(),
                    deviation + vector.sum(),
                    weighted + float(r @ vector),
                )
            )
        if mild < rows.size:
            parts.append(self._deep_line(d, rows[mild:], places, log_vector))
        return _Line(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def _deep_line(self, d: int, rows: IntArray, places: IntArray, log_vector: FloatArray) -> _Line:
        """Return the same for rows with a scale, where the 1 is lost."""
        # log A is convex: what is negligible next to A_m in the first row is so in all.
        first = self._log_a[rows[0] - d + places] + log_vector - self.log_scale[rows[0]]
        places, log_vector = places[first > _NEGLIGIBLE], log_vector[first > _NEGLIGIBLE]
        m = rows[:, np.newaxis]
        products = np.exp(self._log_a[m - d + places] + (log_vector - self.log_scale[m]))
        product = products.sum(axis=1)
        return _Line(product, product, products @ (d - 1.0 - 2.0 * places))

    def _diagonal(self, m: int, line: _Line, half: float) -> float:
        if m <= 2:  # Q is 1 at depths 0 and 1, without rounding
            return 0.0
        n, minus_one, product, weighted = self._n, *(float(sums[0]) for sums in line)
        total = self._first_sums(np.array([m]))[0]
        total += 4 * (2 * m + 1) * minus_one
        total += ((2 * m + 2 * (2 * m + 1) * (m - 5)) * product) / n
        total -= 6 * (2 * m + 1) * weighted / n
        if m % 2 == 0:
            total += 4 * m * half
        return float(total) / (4 * m * m - 1)

    def _off_diagonal(
        self, d: int, m: IntArray, line: _Line, corner: FloatArray, half: FloatArray
    ) -> FloatArray:
        odd = 2 * m + 1
        y = 2 * odd * line.minus_one
        y += (d * (6 * m + 1 - 2 * d) - 2 * odd * (m + 2)) * (line.product / self._n)
        y -= 2 * odd * (m + 1) * (line.weighted / self._n)
        y -= (4 * m * m - 4 * m + 2 * d - 1) * corner
        if d % 2 == 0:
            y += (1 - 2 * (m - d)) * half
        return (self._first_sums(m) + y / (2 * m - d)) / (4 * m * m - 1)

    def _first_sums(self, m: IntArray) -> FloatArray:
        edges = self._edge_sums[m] - self._edge_products[m] / self._n
        first = (2 * m + 1) * self._minus_one(self._log_a[m], m)
        return first + 4.0 * self._half_sums[m] - 2.0 * edges


def _sums_from_zero(terms: FloatArray) -> FloatArray:
    """Return 0, and the sums of the first one, two, ... terms."""
    return np.concatenate([[0.0], np.cumsum(terms)])
