r"""Real energies as complex ones plus an explicit remainder: the derived sum of three indices.

With m = k + 1 and :math:`M_k(n) = n^m Q^{\mathbb R}_{n,k}`,

.. math:: M_k = n^m Q_{n,k}
   + \sum_{\substack{a \ge 1,\ s, i \ge 0,\ J \ge 1 \\ a+s+2i+2J = m}} D(a, s)
     \bigl\{ (a)_{2i} (L + (a+s+2i) K)^2 + [i \ge 1] (s+1) (a)_{2i-1} L^2 \bigr\} \\
   + [m \text{ even}] \sum_{i=1}^{m/2-1} (2i-1)!\, (L + 2iK)^2 \big|_{a=0,\ J=m/2-i},

.. math:: L = [i \ge 1] \binom{i+J-1}{J} \prod_{l=i}^{i+J-1} (n+2a+2l-2), \quad
   K = \binom{i+J-1}{J-1} \prod_{l=i+1}^{i+J-1} (n+2a+2l-2), \\
   D(a, s) = \frac{n+2a-2}{a+s} \prod_{\substack{-s-1 \le j \le a-2 \\ j \ne a-s-2}} (n+j),

with :math:`Q` the energy of complex weights and :math:`(a)_j` the rising factorial.  D is
:math:`(a-1)!\, s!` times the dimension of the O(n) module of the hook :math:`[a, 1^s]`; the
rest are squares.  So for k <= n all terms are at least 0, which proves
:math:`Q^{\mathbb R} \ge Q` there with its exact gap.

The sum is derived from harmonic analysis on hooks, independently of the closed form of
`sigprop.theory.real_weights`, which it checks: it is the slow reference.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_exact_depth, as_exact_integer
from sigprop.theory import exact

Vector = npt.NDArray[Any]

MAX_MODULUS = 2**31
"""Residues below it have products below 2^63."""


def real_excess_over_complex(n: int, k: int) -> Fraction:
    r"""Return :math:`Q^{\mathbb R}_{n,k} - Q_{n,k}` exactly, the gap of real over complex weights.

    Parameters
    ----------
    n : int
        Width, >= 1.
    k : int
        Depth, >= 0.

    Returns
    -------
    fractions.Fraction
        The gap, 0 at depths 0 and 1; a sum of terms that are not negative for k <= n.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Notes
    -----
    O(k^3) operations with integers of O(k) words: k <= 100 in seconds.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> [str(real_excess_over_complex(10, k)) for k in range(5)]
    ['0', '0', '1/100', '27/500', '81/500']
    """
    width, k = as_exact_integer("n", n, 1), as_exact_depth("k", k)
    return Fraction(_remainders(_integers(), width, k)[k], width ** (k + 1))


def exact_rnn_energy(n: int, k: int) -> Fraction:
    r"""Return :math:`Q^{\mathbb R}_{n,k}` by the triple sum.

    Parameters
    ----------
    n, k : int
        As for `real_excess_over_complex`.

    Returns
    -------
    fractions.Fraction
        The exact energy.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Examples
    --------
    >>> print(exact_rnn_energy(7, 3))
    417/343
    """
    energy: Fraction = exact.rnn_energy(n, k) + real_excess_over_complex(n, k)
    return energy


def moments(n: int, kmax: int) -> list[int]:
    r"""Return the integers :math:`M_k(n) = n^{k+1} Q^{\mathbb R}_{n,k}`, k = 0, ..., kmax.

    Parameters
    ----------
    n : int
        Width, >= 1.
    kmax : int
        Last depth, >= 0.

    Returns
    -------
    list of int
        ``kmax + 1`` exact integers.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Notes
    -----
    O(kmax^3) operations for the whole table.

    Examples
    --------
    >>> moments(3, 5)
    [3, 9, 33, 183, 1395, 13845]
    """
    width, kmax = as_exact_integer("n", n, 1), as_exact_depth("kmax", kmax)
    remainders = _remainders(_integers(), width, kmax)
    energies = exact.rnn_energies(width, kmax)
    return [
        int(energy * width ** (k + 1)) + remainder
        for k, (energy, remainder) in enumerate(zip(energies, remainders, strict=True))
    ]


def moments_modulo(n: int, kmax: int, prime: int) -> list[int]:
    r"""Return :math:`M_k(n)` modulo a prime, k = 0, ..., kmax.

    Parameters
    ----------
    n : int
        Width, >= 1.
    kmax : int
        Last depth, >= 0.
    prime : int
        The modulus, ``kmax + 2 < prime < 2**31``.

    Returns
    -------
    list of int
        ``kmax + 1`` residues from 0 to ``prime - 1``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the modulus not a prime.

    Notes
    -----
    Two polynomials in n of degree d that agree at a random n modulo p differ with
    probability at most d/p: the way to compare formulas at depths of hundreds.  O(kmax^3)
    vectorised operations, some seconds at kmax = 400.

    Examples
    --------
    >>> moments_modulo(3, 5, 101)
    [3, 9, 33, 82, 82, 8]
    """
    width, kmax = as_exact_integer("n", n, 1), as_exact_depth("kmax", kmax)
    prime = as_exact_integer("prime", prime, kmax + 3)
    if prime >= MAX_MODULUS or not _is_prime(prime):
        raise ValueError(f"prime must be a prime below {MAX_MODULUS}, got {prime}")
    remainders = _remainders(_residues(prime), width % prime, kmax)
    # (rising - falling) / (m(m+1)): no denominator vanishes, as m + 1 < prime.
    rising = falling = width
    residues = []
    for k, remainder in enumerate(remainders):
        rising = rising * (width + k + 1) % prime
        falling = falling * (width - k - 1) % prime
        complex_moment = (rising - falling) * pow((k + 1) * (k + 2), -1, prime)
        residues.append((complex_moment + remainder) % prime)
    return residues


def _is_prime(number: int) -> bool:
    import sympy

    return bool(sympy.isprime(number))


class _Ring(NamedTuple):
    """Vectors of integers, or of residues."""

    dtype: Any
    reduced: Callable[[Any], Any]
    """Bring products and sums of some hundred elements back into range."""
    quotient: Callable[[Vector, list[int]], Vector]
    """Divide element by element, where integers divide exactly."""


def _integers() -> _Ring:
    return _Ring(object, lambda x: x, lambda x, y: x // np.array(y, dtype=object))


def _residues(prime: int) -> _Ring:
    def quotient(x: Vector, y: list[int]) -> Vector:
        inverses: Vector = np.array([pow(item, -1, prime) for item in y], dtype=np.int64)
        return x * inverses % prime

    return _Ring(np.int64, lambda x: x % prime, quotient)


def _remainders(ring: _Ring, n: int, kmax: int) -> list[int]:
    """Return n^m (Q^R - Q) in the ring for k = 0, ..., kmax."""
    last = kmax + 1
    sums = np.zeros(last + 1, dtype=ring.dtype)
    pascal = _pascal_rows(ring, last // 2)
    # The a = 0 term has the form of the others, with s = 0 alone and D = 1.
    weights = itertools.chain([np.ones(1, dtype=ring.dtype)], _hook_weights(ring, n, last))
    for a, weight in enumerate(weights):
        for u, (constant, linear, square) in enumerate(_hook_sums(ring, n, a, last, pascal), 1):
            kept = min(len(weight), last - a - 2 * u + 1)
            s = np.arange(kept, dtype=np.int64).astype(ring.dtype)
            inner = ring.reduced(linear + ring.reduced(s * square))
            terms = ring.reduced(constant + ring.reduced(s * inner))
            sums[a + 2 * u : a + 2 * u + kept] += ring.reduced(weight[:kept] * terms)
            sums = ring.reduced(sums)
    return [int(item) for item in sums[1:]]


def _pascal_rows(ring: _Ring, count: int) -> list[Vector]:
    rows = [np.ones(1, dtype=ring.dtype)]
    for _ in range(count):
        padded = np.concatenate([np.zeros(1, dtype=ring.dtype), rows[-1]])
        row = padded.copy()
        row[:-1] += rows[-1]
        rows.append(ring.reduced(row))
    return rows


def _hook_weights(ring: _Ring, n: int, last: int) -> Iterator[Vector]:
    """Yield D(a, s), s = 0, ..., last - a - 2, for a = 1, 2, ...

    The product over j is that of a - 1 factors below its gap, and of s factors above.
    """
    count = max(last - 2, 0)
    s = np.arange(count, dtype=np.int64).astype(ring.dtype)
    below = np.ones(count, dtype=ring.dtype)
    for a in range(1, last - 1):
        above = [1]
        for step in range(last - a - 2):
            above.append(ring.reduced(above[-1] * (n + a - step - 2)))
        kept = len(above)
        product = ring.reduced(below[:kept] * np.array(above, dtype=ring.dtype))
        product = ring.reduced(product * (n + 2 * a - 2))
        yield ring.quotient(product, [a + step for step in range(kept)])
        below = ring.reduced(below * (n + a - s - 2))


def _hook_sums(
    ring: _Ring, n: int, a: int, last: int, pascal: list[Vector]
) -> list[tuple[Any, Any, Any]]:
    """Return the sums over i of the braces at fixed u = i + J >= 1, as polynomials in s.

    With X = L + (a + 2i) K the brace is (a)_{2i} (X + sK)^2 + (s + 1) (a)_{2i-1} L^2.
    """
    rising = [1]  # (a)_j, and (j-1)! for a = 0 and j > 0
    for j in range(last):
        rising.append(ring.reduced(rising[-1] * max(a + j, 1)))
    even = np.array(rising[0::2], dtype=ring.dtype)
    odd = np.array([0, *rising[1::2]], dtype=ring.dtype)
    if a == 0:
        even[0] = 0  # its sum starts at i = 1
        odd[:] = 0
    tails = np.zeros(0, dtype=ring.dtype)  # products over i < l < u
    sums = []
    for u in range(1, (last - a) // 2 + 1):
        tails = np.concatenate(
            [ring.reduced(tails * (n + 2 * a + 2 * u - 4)), np.ones(1, dtype=ring.dtype)]
        )
        i = np.arange(u, dtype=np.int64).astype(ring.dtype)
        K = ring.reduced(pascal[u - 1] * tails)
        L = np.zeros(u, dtype=ring.dtype)
        if u > 1:
            factors = ring.reduced(tails[1:] * (n + 2 * a + 2 * i[1:] - 2))
            L[1:] = ring.reduced(pascal[u - 1][:-1] * factors)
        X = ring.reduced(L + ring.reduced((a + 2 * i) * K))
        outer = ring.reduced(odd[:u] * ring.reduced(L * L))
        scaled = ring.reduced(even[:u] * X)
        constant = (ring.reduced(scaled * X) + outer).sum()
        linear = (2 * ring.reduced(scaled * K) + outer).sum()
        square = ring.reduced(even[:u] * ring.reduced(K * K)).sum()
        sums.append((ring.reduced(constant), ring.reduced(linear), ring.reduced(square)))
    return sums
