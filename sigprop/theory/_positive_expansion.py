r"""The genus expansion as a sum of positive terms: excess energies without cancellation.

Let d(p, i) count the permutations of p letters with i cycles, none of length one.
From :math:`c(N, N-j) = \sum_i d(j+i, i)\binom{N}{j+i}` and the closed form of the
Hultman numbers,

.. math:: Q_{n,k} - 1 = \sum_{p \ge 4} \frac{2}{p(p-1)} \binom{k}{p-2}
          \sum_{g} d(p, p-2g-1)\, n^{-2g},

and the sum over depths is closed, because :math:`\sum_{k \le t}\binom{k}{p-2}
= \binom{t+1}{p-1} = \frac{t+1}{p-1}\binom{t}{p-2}`:

.. math:: \frac{S_{n,t}}{t+1} - 1 = \sum_{p \ge 4} \frac{2}{p(p-1)^2} \binom{t}{p-2}
          \sum_{g} d(p, p-2g-1)\, n^{-2g}.

The genus g part is at most :math:`x^{2g}/(2g+1)!` with :math:`x = (k+1)(k+2)/(2n)`
(elementary symmetric sums are below powers of the first one), so eleven genera leave
a remainder below :math:`2^{24}/25! < 2 \cdot 10^{-18}` for x <= 2; at depth 22 and
below they are all there is.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray

GENERA = 11
MAX_EXACT_DEPTH = 2 * GENERA
"""Up to this depth the expansion terminates within the genera kept."""
MAX_X = 2.0
"""Largest (k+1)(k+2)/(2n) at which the remainder is below float64 resolution."""


def applies(n: FloatArray, depth: FloatArray) -> npt.NDArray[np.bool_]:
    """Tell where the expansion holds to the last digit of float64."""
    x = (depth + 1.0) * ((depth + 2.0) / (2.0 * n))
    return (depth <= MAX_EXACT_DEPTH) | (x <= MAX_X)


def last_depth(n: FloatArray) -> FloatArray:
    """Largest depth at which `applies` is true for the width."""
    root = np.floor((np.sqrt(1.0 + 8.0 * MAX_X * n) - 3.0) / 2.0)
    return np.maximum(root, float(MAX_EXACT_DEPTH))


@functools.cache
def derangement_numbers(size: int) -> list[list[int]]:
    """d(p, i) for p < size: permutations of p letters with i cycles, none a fixed point."""
    rows = [[1], [0]]
    for p in range(1, size - 1):
        previous, before = rows[p], rows[p - 1]
        row = [0] * ((p + 1) // 2 + 1)
        for i in range(1, len(row)):
            same = previous[i] if i < len(previous) else 0
            row[i] = p * (same + before[i - 1])
        rows.append(row)
    return rows


@functools.cache
def _terms() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], FloatArray, FloatArray]:
    """Index of the binomial, remaining power of 1/n, and coefficient for Q and for S, per term."""
    size = 4 * GENERA + 3
    numbers = derangement_numbers(size)
    binomials, exponents, rnn, lru = [], [], [], []
    for p in range(4, size):
        for g in range(1, GENERA + 1):
            cycles = p - 2 * g - 1
            if 1 <= cycles < len(numbers[p]):
                binomials.append(p - 3)
                exponents.append(2 * g - (p - 1) // 2)
                rnn.append(2 * numbers[p][cycles] / (p * (p - 1)))
                lru.append(2 * numbers[p][cycles] / (p * (p - 1) ** 2))
    return np.array(binomials), np.array(exponents), np.array(rnn), np.array(lru)


def _excess(n: FloatArray, depth: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Sum the terms; every second factor of a binomial carries 1/n so that none overflows.

    One row per point, summed along the row: a point's value does not depend on the
    array that it comes in.
    """
    binomials, exponents, _, _ = _terms()
    order = np.arange(4.0 * GENERA)
    width = n[:, None]
    divisors = np.where(order % 2 == 0, (order + 1.0) * width, order + 1.0)
    scaled_binomials = np.cumprod(np.maximum(depth[:, None] - order, 0.0) / divisors, axis=1)
    with np.errstate(over="ignore"):  # 1/inf = 0: such a term is below the smallest float
        powers = 1.0 / width ** np.arange(exponents.max() + 1.0)
    terms = scaled_binomials[:, binomials] * powers[:, exponents]
    total: FloatArray = np.sum(terms * coefficients, axis=1)
    return total


def rnn_excess(n: FloatArray, k: FloatArray) -> FloatArray:
    """Return Q - 1 where `applies` holds; one-dimensional arrays, error a few ulp."""
    return _excess(n, k, _terms()[2])


def lru_excess(n: FloatArray, t: FloatArray) -> FloatArray:
    """Return S/(t+1) - 1 where `applies` holds; one-dimensional arrays, error a few ulp."""
    return _excess(n, t, _terms()[3])
