r"""Logarithms of the three products that real energies are made of, over powers of n.

.. math:: a_p = \prod_{j<p} (1 + \tfrac{2j}{n}), \quad
   b_q = \prod_{j<q} (1 + \tfrac{2j-1}{n}), \quad
   d_r = \prod_{j=2}^{r+1} (1 - \tfrac jn).

Each comes as a plain logarithm, and as its first order in 1/n (a polynomial) with what lies
beyond.  The latter is a sum of :math:`f(j/h) = \log(1 + j/h) - j/h`, which the
Euler-Maclaurin formula about midpoints gives for any real number of factors:

.. math:: \sum_{j=A}^{B} f(j/h) = \Bigl[ h F(y) - \frac{f'(y)}{24 h}
   + \frac{7 f'''(y)}{5760 h^3} \Bigr]_{(A-1/2)/h}^{(B+1/2)/h}, \qquad
   F(y) = \int_0^y f = -y^3 \sum_{j\ge0} \frac{(-y)^j}{(j+2)(j+3)} .

For few factors at a small width the same quantities are tabulated by running sums.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory._special import horner, log_rising, phi, stirling_remainder

# Below 0.17 in size the terms left out are below 1e-17.
_BEYOND_SQUARE = tuple((-1.0) ** j / ((j + 2) * (j + 3)) for j in range(23))

_ODD = tuple(1.0 / (2 * j + 3) for j in range(16))

# e^x - 1 - x = x^2 sum_j x^j / (j+2)!; at 1/2 the terms left out are below 1e-19.
_EXP_BEYOND_LINEAR = tuple(np.cumprod(1.0 / np.arange(2.0, 17.0)))


_NARROW = 64
_LOG_FACTORIALS = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, _NARROW)))])


class Parts(NamedTuple):
    """A logarithm as its first order in 1/n and the rest."""

    first: FloatArray
    beyond: FloatArray

    def times(self, other: Parts) -> Parts:
        """Parts of the logarithm of a product."""
        return Parts(self.first + other.first, self.beyond + other.beyond)


class Products(Protocol):
    """Where the logarithms of a, b and d come from."""

    def a(self, n: FloatArray, p: FloatArray) -> Parts:
        """Parts of log a_p."""

    def b(self, n: FloatArray, q: FloatArray) -> Parts:
        """Parts of log b_q."""

    def d(self, n: FloatArray, r: FloatArray) -> Parts:
        """Parts of log d_r."""

    def log_a(self, n: FloatArray, p: FloatArray) -> FloatArray:
        """Return log a_p, p >= 1."""

    def log_b(self, n: FloatArray, q: FloatArray) -> FloatArray:
        """Return log b_q, q >= 1."""

    def log_d(self, n: FloatArray, r: FloatArray) -> FloatArray:
        """Return log d_r, r <= n - 2."""


def beyond_first(parts: Parts) -> FloatArray:
    """Return e^x - 1 - (first order of x), without cancellation."""
    x = parts.first + parts.beyond
    near = np.abs(x) < 0.5
    small = np.where(near, x, 0.0)
    series = small * small * horner(small, _EXP_BEYOND_LINEAR) + np.where(near, parts.beyond, 0.0)
    with np.errstate(over="ignore"):
        return np.where(near, series, np.expm1(x) - parts.first)


def _a_first(n: FloatArray, p: FloatArray) -> FloatArray:
    return p * (p - 1.0) / n


def _b_first(n: FloatArray, q: FloatArray) -> FloatArray:
    return q * (q - 2.0) / n


def _d_first(n: FloatArray, r: FloatArray) -> FloatArray:
    return -0.5 * r * (r + 3.0) / n


def _terms_needed(y: FloatArray) -> int:
    """Return for how many j the terms y^j are above e^-37."""
    largest = float(np.max(np.abs(y), initial=1e-16))
    return 2 + int(37.0 / -np.log(min(largest, 0.17)))


def _antiderivative(h: FloatArray, x: FloatArray) -> FloatArray:
    """Return h F(y) - f'(y)/(24h) + 7 f'''(y)/(5760 h^3) at y = x/h."""
    y = x / h
    inverse = 1.0 / (1.0 + y)
    smooth = -h * y * y * y * horner(y, _BEYOND_SQUARE[: _terms_needed(y)])
    return smooth + (y * inverse / 24.0 + 7.0 / 2880.0 * inverse**3 / (h * h)) / h


class Smooth:
    """Any real number of factors; the parts where the factors are within 0.17 of one."""

    def a(self, n: FloatArray, p: FloatArray) -> Parts:
        """Parts of log a_p."""
        h = 0.5 * n
        beyond = _antiderivative(h, p - 0.5) - _antiderivative(h, np.full_like(h, -0.5))
        return Parts(_a_first(n, p), beyond)

    def b(self, n: FloatArray, q: FloatArray) -> Parts:
        """Parts of log b_q."""
        h = 0.5 * n
        beyond = _antiderivative(h, q - 1.0) - _antiderivative(h, np.full_like(h, -1.0))
        return Parts(_b_first(n, q), beyond)

    def d(self, n: FloatArray, r: FloatArray) -> Parts:
        """Parts of log d_r."""
        beyond = _antiderivative(-n, r + 1.5) - _antiderivative(-n, np.full_like(n, 1.5))
        return Parts(_d_first(n, r), beyond)

    # Stirling's formula is applied from the second factor on: its domain starts at one.
    def log_a(self, n: FloatArray, p: FloatArray) -> FloatArray:
        """Return log a_p, p >= 1."""
        return (p - 1.0) * np.log1p(2.0 / n) + log_rising(0.5 * n + 1.0, p - 2.0)

    def log_b(self, n: FloatArray, q: FloatArray) -> FloatArray:
        """Return log b_q, q >= 1, n >= 2."""
        first = np.log1p(-1.0 / n)
        return first + (q - 1.0) * np.log1p(1.0 / n) + log_rising(0.5 * (n + 1.0), q - 2.0)

    def log_d(self, n: FloatArray, r: FloatArray) -> FloatArray:
        """Return log d_r, r <= n - 2, an integer below width 64 (where sums are short)."""
        wide = np.maximum(n, _NARROW)
        y = (r + 1.0) / wide
        remainders = stirling_remainder(wide) - stirling_remainder(wide - (r + 1.0))
        smooth = 0.5 * np.log1p(-y) - wide * phi(-y) + remainders - np.log1p(-1.0 / wide)
        if np.all(n >= _NARROW):
            return smooth
        top = np.minimum(n, _NARROW).astype(np.intp) - 2
        left = np.maximum(top - r.astype(np.intp), 0)
        product = _LOG_FACTORIALS[top] - _LOG_FACTORIALS[left] - r * np.log(n)
        return np.where(n >= _NARROW, smooth, product)


def _log1p_beyond_linear(x: FloatArray) -> FloatArray:
    """Return log(1 + x) - x for x > -1, from s = x/(2+x) near zero."""
    near = np.abs(x) < 0.5
    inner = np.where(near, x, 0.0)
    s = inner / (2.0 + inner)
    series = 2.0 * s * s * s * horner(s * s, _ODD) - inner * s
    return np.where(near, series, np.log1p(x) - x)


class Tables:
    """Running sums for one width and at most ``size`` factors; d is zero beyond the width."""

    def __init__(self, n: float, size: int) -> None:
        j = np.arange(size, dtype=np.float64)
        self._a = self._columns(2.0 * j / n)
        self._b = self._columns((2.0 * j - 1.0) / n)
        self._d = self._columns(-(j + 2.0) / n)

    @staticmethod
    def _columns(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums of log(1 + x) and of log(1 + x) - x over the first 0, 1, ... entries."""
        zero = x <= -1.0
        inside = np.where(zero, 0.0, x)
        logs = np.where(zero, -np.inf, np.log1p(inside))
        beyond = np.where(zero, -np.inf, _log1p_beyond_linear(inside))
        first = np.zeros(1)
        return (
            np.concatenate([first, np.cumsum(logs)]),
            np.concatenate([first, np.cumsum(beyond)]),
        )

    def a(self, n: FloatArray, p: FloatArray) -> Parts:
        """Parts of log a_p."""
        return Parts(_a_first(n, p), self._a[1][p.astype(np.intp)])

    def b(self, n: FloatArray, q: FloatArray) -> Parts:
        """Parts of log b_q."""
        return Parts(_b_first(n, q), self._b[1][q.astype(np.intp)])

    def d(self, n: FloatArray, r: FloatArray) -> Parts:
        """Parts of log d_r."""
        return Parts(_d_first(n, r), self._d[1][r.astype(np.intp)])

    def log_a(self, n: FloatArray, p: FloatArray) -> FloatArray:
        """Return log a_p."""
        return self._a[0][p.astype(np.intp)]

    def log_b(self, n: FloatArray, q: FloatArray) -> FloatArray:
        """Return log b_q."""
        return self._b[0][q.astype(np.intp)]

    def log_d(self, n: FloatArray, r: FloatArray) -> FloatArray:
        """Return log d_r."""
        return self._d[0][r.astype(np.intp)]
