r"""float64 kernel of the real RNN energy: about a hundred terms per point at any depth.

Over :math:`n^m`, m = k + 1, the closed form (`sigprop.theory.real_weights`) is a combination
of products close to one,

.. math:: (4m^2 - 1)\, Q = (2m+1)\, a_m + 4 \sum_q a_{m-q} b_q
   - 2 (1 - \tfrac1n) \sum_p a_p d_{m-1-p} + \sum_l [4(2m+1) + \sigma_l]\, a_l b_l d_{m-1-2l}
   + [m \text{ even}]\, 4m\, a_{m/2} b_{m/2},

with slopes :math:`\sigma` of order 1/n.  Two facts make it accurate and cheap.

- Q has no term of order 1/n, so everything of that order may be dropped before it cancels:
  each product e^x counts as :math:`e^x - 1` minus the first order of x, and each slope
  multiplies :math:`e^x - 1`.  What is left is of the size of the excess.  This serves
  while :math:`\log a_m` is below 20; beyond, Q is large and the products are added as they are.
- The terms of each sum are analytic and monotone in the summation index, so a Gauss rule
  for consecutive integers replaces the sum, cut off where it has fallen by e^-45.

At fixed parity of m every count is linear in m, so that real depths have a meaning too: the
analytic continuation that sums over depths by Gauss rules need (`_real_lru`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray
from sigprop.theory._real_products import Parts, Products, Smooth, Tables, beyond_first
from sigprop.theory._rnn_kernel import Energies
from sigprop.theory._special import phi
from sigprop.theory._sum_rule import DIRECT, Index, sums

HEAD = 256
"""Depths below this one are taken at integers only."""

_LARGE_WIDTH = 4000.0  # from here on the parts are accurate for any number of factors
_LARGEST_LOG = 20.0
_NEGLIGIBLE = 45.0
_BLOCK = 1024

BoolArray = npt.NDArray[np.bool_]


class _Places(NamedTuple):
    """How many factors of a, b and d the terms of a sum have; None where there is no such factor.

    `n` are the widths, a column, and `m` likewise.
    """

    n: FloatArray
    m: FloatArray
    a: FloatArray
    b: FloatArray | None
    d: FloatArray | None


_Where = Callable[["_Points", Index, FloatArray], _Places]


class _Points:
    """Widths and m = k + 1 of one parity for each point, and the counts of the sums."""

    def __init__(self, n: FloatArray, m: FloatArray, even: BoolArray, products: Products) -> None:
        self.n, self.m, self.even, self.products = n, m, even, products
        self.r0 = np.where(even, 1.0, 0.0)
        self.q_count = 0.5 * (m - 1.0 + self.r0)
        self.l_count = 0.5 * (m - 1.0 - self.r0)
        self.longest_direct = HEAD if isinstance(products, Tables) else DIRECT

    def take(self, where: BoolArray | Index) -> _Points:
        return _Points(self.n[where], self.m[where], self.even[where], self.products)


# Each sum is written from its largest term on: s = 0, 1, ...
def _q_places(points: _Points, members: Index, s: FloatArray) -> _Places:
    n, m = points.n[members, None], points.m[members, None]
    return _Places(n, m, m - 1.0 - s, s + 1.0, None)


def _p_places(points: _Points, members: Index, s: FloatArray) -> _Places:
    n, m = points.n[members, None], points.m[members, None]
    return _Places(n, m, m - 1.0 - s, None, s)


def _l_places(points: _Points, members: Index, s: FloatArray) -> _Places:
    n, m = points.n[members, None], points.m[members, None]
    last, r0 = points.l_count[members, None], points.r0[members, None]
    return _Places(n, m, last - s, last - s, r0 + 2.0 * s)


def _slope(at: _Places) -> FloatArray:
    """Return sigma_l: the coefficient in the last sum, over n, minus 4(2m + 1)."""
    m = at.m
    return (2.0 * m - 4.0 * (2.0 * m + 1.0) * (m + 1.0 - 3.0 * at.a)) / at.n


def _parts(products: Products, at: _Places) -> Parts:
    parts = products.a(at.n, at.a)
    if at.b is not None:
        parts = parts.times(products.b(at.n, at.b))
    if at.d is not None:
        parts = parts.times(products.d(at.n, at.d))
    return parts


def _log(products: Products, at: _Places) -> FloatArray:
    total = products.log_a(at.n, at.a)
    if at.b is not None:
        total = total + products.log_b(at.n, at.b)
    if at.d is not None:
        total = total + products.log_d(at.n, at.d)
    return total


def _rough_log(at: _Places) -> FloatArray:
    """Return the logarithm by integrals in place of sums: within a few nats."""
    half = 0.5 * at.n
    total = half * phi(at.a / half)
    if at.b is not None:
        total = total + half * phi(at.b / half)
    if at.d is not None:
        total = total - at.n * phi(-at.d / at.n)
    return total


def _excess(points: _Points) -> FloatArray:
    """Return Q - 1 where log a_m is moderate."""
    n, m, products = points.n, points.m, points.products

    def q_term(members: Index, s: FloatArray) -> FloatArray:
        return 4.0 * beyond_first(_parts(products, _q_places(points, members, s)))

    def p_term(members: Index, s: FloatArray) -> FloatArray:
        at = _p_places(points, members, s)
        parts = _parts(products, at)
        return 2.0 / at.n * np.expm1(parts.first + parts.beyond) - 2.0 * beyond_first(parts)

    def l_term(members: Index, s: FloatArray) -> FloatArray:
        at = _l_places(points, members, s)
        parts = _parts(products, at)
        slope = _slope(at) * np.expm1(parts.first + parts.beyond)
        return 4.0 * (2.0 * at.m + 1.0) * beyond_first(parts) + slope

    total = (2.0 * m + 1.0) * beyond_first(products.a(n, m))
    total += sums(points.q_count, q_term, points.longest_direct)
    total += sums(m - 1.0, p_term, points.longest_direct)
    total += sums(points.l_count, l_term, points.longest_direct)
    w, half = n[points.even], 0.5 * m[points.even]
    corner = _parts(products, _Places(w, half, half, half, None))
    total[points.even] += 8.0 * half * beyond_first(corner)
    return total / ((2.0 * m - 1.0) * (2.0 * m + 1.0))


def _window(points: _Points, count: FloatArray, where: _Where) -> FloatArray:
    """Return how many terms of a decreasing sum are above about e^-45 of the first."""
    everyone = np.arange(count.size)

    def drop(length: FloatArray) -> FloatArray:
        return (first - _rough_log(where(points, everyone, length[:, None] - 1.0)))[:, 0]

    low, high = np.ones_like(count), count
    first = _rough_log(where(points, everyone, np.zeros((count.size, 1))))
    low = np.where(drop(high) > _NEGLIGIBLE, low, high)
    for _ in range(8):
        middle = np.sqrt(low * high)
        fallen = drop(middle) > _NEGLIGIBLE
        low, high = np.where(fallen, low, middle), np.where(fallen, middle, high)
    # A count that is cut off must be an integer, one that is not may be real.
    return np.where(high < count, np.minimum(np.ceil(high) + 1.0, count), count)


def _log_sum(points: _Points, count: FloatArray, where: _Where) -> FloatArray:
    """Return the logarithm of one of the sums without its constant factor; -inf if empty."""
    result = np.full_like(count, -np.inf)
    filled = np.flatnonzero(count > 0.0)
    if filled.size == 0:
        return result
    points, count = points.take(filled), count[filled]
    if isinstance(points.products, Smooth):
        count = _window(points, count, where)
    start = where(points, np.arange(filled.size), np.zeros((filled.size, 1)))
    first = _log(points.products, start)

    def term(members: Index, s: FloatArray) -> FloatArray:
        at = where(points, members, s)
        values = np.exp(_log(points.products, at) - first[members])
        if where is _l_places:
            values *= 4.0 * (2.0 * at.m + 1.0) + _slope(at)
        return values

    result[filled] = first[:, 0] + np.log(sums(count, term, points.longest_direct))
    return result


def _log_energy(points: _Points) -> FloatArray:
    """Return log Q where log a_m is large."""
    n, m, products = points.n, points.m, points.products
    # b and d vanish at n = 1, and d_r from r = n - 1 on.
    wide = n > 1.0
    q_count = np.where(wide, points.q_count, 0.0)
    p_count = np.where(wide, np.minimum(m - 1.0, n - 1.0), 0.0)
    l_most = np.floor(0.5 * (n - 2.0 - points.r0)) + 1.0
    l_count = np.where(wide, np.minimum(points.l_count, l_most), 0.0)
    corner = np.full_like(n, -np.inf)
    here = points.even & wide
    half = 0.5 * m[here]
    corner[here] = np.log(8.0 * half) + _log(products, _Places(n[here], half, half, half, None))
    shrink = np.log1p(-1.0 / np.maximum(n, 2.0))
    logs = np.stack(
        [
            np.log(2.0 * m + 1.0) + products.log_a(n, m),
            np.log(4.0) + _log_sum(points, q_count, _q_places),
            np.log(2.0) + shrink + _log_sum(points, p_count, _p_places),
            _log_sum(points, l_count, _l_places),
            corner,
        ]
    )
    signs = np.array([1.0, 1.0, -1.0, 1.0, 1.0])
    top: FloatArray = logs.max(axis=0)
    total: FloatArray = signs @ np.exp(logs - top)
    return top + np.log(total) - np.log(2.0 * m - 1.0) - np.log(2.0 * m + 1.0)


def _evaluate(points: _Points) -> Energies:
    excess = np.empty_like(points.n)
    log_energy = np.empty_like(points.n)
    large = points.products.log_a(points.n, points.m) > _LARGEST_LOG
    if np.any(large):
        log_energy[large] = _log_energy(points.take(large))
        with np.errstate(over="ignore"):
            excess[large] = np.expm1(log_energy[large])
    if not np.all(large):
        excess[~large] = _excess(points.take(~large))
        log_energy[~large] = np.log1p(excess[~large])
    return Energies(1.0 + excess, log_energy, excess)


def smooth_energies(n: FloatArray, k: FloatArray, odd: bool) -> Energies:
    """Return the energies at real depths k >= 256, continued from odd or from even depths."""
    even_m = np.full(n.shape, odd)
    return _evaluate(_Points(n, k + 1.0, even_m, Smooth()))


def rnn_energies(n: FloatArray, k: FloatArray) -> Energies:
    """Return Q, log Q and Q - 1 for one-dimensional arrays of widths and depths."""
    result = Energies(np.ones_like(n), np.zeros_like(n), np.zeros_like(n))
    tabulated = (n < _LARGE_WIDTH) & (k < HEAD)
    groups = [np.flatnonzero(~tabulated & (k > 1.0))]
    groups += [np.flatnonzero(tabulated & (k > 1.0) & (n == w)) for w in np.unique(n[tabulated])]
    for group in groups:
        for start in range(0, group.size, _BLOCK):
            block = group[start : start + _BLOCK]
            widths, m = n[block], k[block] + 1.0
            products: Products = Smooth()
            if tabulated[block[0]]:
                products = Tables(float(widths[0]), int(m.max()))
            points = _Points(widths, m, m % 2.0 == 0.0, products)
            for target, values in zip(result, _evaluate(points), strict=True):
                target[block] = values
    return result
