r"""Exact energies of the complex Gaussian RNN and LRU: integers, rationals, symbolic in n.

Two facts make exact arithmetic cheap.  The denominators are known in advance,
:math:`Q_{n,k} = J_k / n^{2 \lfloor k/2 \rfloor}` and
:math:`S_{n,t} = X_t / n^{2 \lfloor t/2 \rfloor}` with integers J and X, so
tables need no gcd; and a single :math:`S_{n,t}` follows from sums of rising and
falling factorials, which binary splitting computes from balanced products.

One dispatch rule: integers give `fractions.Fraction`, a SymPy symbol gives a
SymPy expression.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from sigprop._arguments import as_exact_integer
from sigprop.theory.combinatorics import hultman_row

__all__ = [
    "genus_coefficients",
    "lru_energies",
    "lru_energy",
    "lru_genus_coefficients",
    "lru_numerators",
    "rnn_energies",
    "rnn_energy",
    "rnn_numerators",
]


def _is_symbolic(n: Any) -> bool:
    """Tell a SymPy expression with free symbols from a number, without importing SymPy."""
    return bool(getattr(n, "free_symbols", False))


def rnn_energy(n: Any, k: int) -> Any:
    r"""Return :math:`Q_{n,k} = (n^{(k+2)} - n_{(k+2)}) / ((k+1)(k+2) n^{k+1})` exactly.

    The mean energy per unit :math:`E\|W^k x\|^2 / n`, :math:`\|x\|^2 = n`, of a
    complex Gaussian RNN with :math:`E|W_{ij}|^2 = 1/n`; :math:`n^{(m)}` and
    :math:`n_{(m)}` are the rising and the falling factorial.

    Parameters
    ----------
    n : int or sympy expression
        Width, >= 1, any Python or NumPy integer, or a SymPy symbol.
    k : int
        Depth, >= 0.

    Returns
    -------
    fractions.Fraction or sympy.Expr
        The exact energy; for a symbol the genus expansion
        :math:`\sum_g q_g n^{-2g}`, built from the Hultman row.

    Raises
    ------
    TypeError
        If an argument is not an integer (floats and bools are refused).
    ValueError
        If ``n < 1`` or ``k < 0``.

    Notes
    -----
    Exact.  Cost is that of a product of k + 1 small integers by halves and of
    the one gcd of `Fraction`, which dominates.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> rnn_energy(5, 3)
    Fraction(6, 5)
    >>> import sympy
    >>> rnn_energy(sympy.Symbol("n"), 4)
    1 + 15/n**2 + 8/n**4
    """
    k = as_exact_integer("k", k, 0)
    if _is_symbolic(n):
        return _genus_sum(n, genus_coefficients(k))
    width = as_exact_integer("n", n, 1)
    return Fraction(_rnn_numerator(width, k), width ** (2 * (k // 2)))


def lru_energy(n: Any, t: int) -> Any:
    r"""Return :math:`S_{n,t} = \sum_{k=0}^t Q_{n,k}` exactly.

    The mean energy per unit :math:`E\|h_t\|^2 / n` of the complex Gaussian LRU
    :math:`h_t = W h_{t-1} + x_t` with unit-variance inputs :math:`x_0, \dots, x_t`.

    Parameters
    ----------
    n : int or sympy expression
        Width, >= 1, any Python or NumPy integer, or a SymPy symbol.
    t : int
        Depth, >= 0.

    Returns
    -------
    fractions.Fraction or sympy.Expr
        The exact energy.

    Raises
    ------
    TypeError
        If an argument is not an integer (floats and bools are refused).
    ValueError
        If ``n < 1`` or ``t < 0``.

    Notes
    -----
    Uses :math:`S_{n,t} + (t+1) Q_{n,t} = \sum_{m=1}^{t+1} (r_m + f_m)` with
    :math:`r_m, f_m` the rising and falling factorials over :math:`n^m`; both
    sums are computed by binary splitting.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> lru_energy(3, 2)
    Fraction(28, 9)
    >>> import sympy
    >>> lru_energy(sympy.Symbol("n"), 4)
    5 + 21/n**2 + 8/n**4
    """
    t = as_exact_integer("t", t, 0)
    if _is_symbolic(n):
        return _genus_sum(n, lru_genus_coefficients(t))
    width = as_exact_integer("n", n, 1)
    return Fraction(_lru_numerator(width, t), width ** (2 * (t // 2)))


def _genus_sum(n: Any, coefficients: list[int]) -> Any:
    import sympy

    return sympy.Add(*(sympy.Integer(q) / n ** (2 * g) for g, q in enumerate(coefficients)))


def _product(start: int, stop: int) -> int:
    """Product of the integers start <= j < stop, by halves."""
    if stop - start <= 64:
        return math.prod(range(start, stop))
    middle = (start + stop) // 2
    return _product(start, middle) * _product(middle, stop)


def _rnn_numerator(n: int, k: int) -> int:
    rising = _product(n + 1, n + k + 2)
    falling = _product(n - k - 1, n) if k + 1 < n else 0
    odd_power = n if k % 2 else 1
    return (rising - falling) // ((k + 1) * (k + 2) * odd_power)


def _factorial_sum(n: int, step: int, start: int, stop: int) -> tuple[int, int]:
    r"""Split :math:`\sum_m \prod_{j \le m} (n + step\,j)/n`, start <= m < stop, at the middle.

    Returns the numerators over :math:`n^{stop - start}` of the sum and of the full
    product, each relative to the product up to ``start``.
    """
    if stop - start == 1:
        factor = n + step * start
        return factor, factor
    middle = (start + stop) // 2
    left_sum, left_product = _factorial_sum(n, step, start, middle)
    right_sum, right_product = _factorial_sum(n, step, middle, stop)
    total = left_sum * n ** (stop - middle) + left_product * right_sum
    return total, left_product * right_product


def _lru_numerator(n: int, t: int) -> int:
    # r_m = prod_{j<m} (1 + j/n), so sum_{m=1}^{t+1} r_m = 1 + sum_{m=1}^{t} prod_{j<=m} (1 + j/n).
    even = 2 * (t // 2)
    head = 2 * n**t
    if t > 0:
        rising_sum, _ = _factorial_sum(n, 1, 1, t + 1)
        falling_sum = _falling_sum(n, t)
        head += rising_sum + falling_sum
    whole: int = head // n ** (t - even)
    return whole - (t + 1) * _rnn_numerator(n, t)


def _falling_sum(n: int, t: int) -> int:
    """Sum of prod_{j<=m} (1 - j/n) over 1 <= m <= t, times n^t; zero from m = n on."""
    last = min(t, n - 1)
    if last == 0:
        return 0
    total, _ = _factorial_sum(n, -1, 1, last + 1)
    missing: int = n ** (t - last)
    return total * missing


def rnn_numerators(n: int, kmax: int) -> list[int]:
    r"""Return the integers :math:`J_k = Q_{n,k}\, n^{2\lfloor k/2 \rfloor}`, k = 0, ..., kmax.

    Parameters
    ----------
    n : int
        Width, >= 1.
    kmax : int
        Last depth, >= 0.

    Returns
    -------
    list of int
        ``kmax + 1`` exact integers; no gcd is ever taken.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Examples
    --------
    >>> rnn_numerators(5, 4)
    [1, 1, 26, 30, 1008]
    """
    width = as_exact_integer("n", n, 1)
    kmax = as_exact_integer("kmax", kmax, 0)
    numerators = []
    rising = falling = 1
    for k in range(kmax + 1):
        rising *= width + k + 1
        falling *= width - k - 1
        pairs = (k + 1) * (k + 2)
        numerators.append((rising - falling) // (pairs * width if k % 2 else pairs))
    return numerators


def lru_numerators(n: int, tmax: int) -> list[int]:
    r"""Return the integers :math:`X_t = S_{n,t}\, n^{2\lfloor t/2 \rfloor}`, t = 0, ..., tmax.

    Parameters
    ----------
    n : int
        Width, >= 1.
    tmax : int
        Last depth, >= 0.

    Returns
    -------
    list of int
        ``tmax + 1`` exact integers; no gcd is ever taken.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Examples
    --------
    >>> lru_numerators(5, 4)
    [1, 2, 76, 106, 3658]
    """
    width = as_exact_integer("n", n, 1)
    square = width * width
    total = 0
    numerators = []
    for t, energy in enumerate(rnn_numerators(width, as_exact_integer("tmax", tmax, 0))):
        total = (total if t % 2 else total * square) + energy
        numerators.append(total)
    return numerators


def _fractions(n: int, numerators: list[int]) -> list[Fraction]:
    square = n * n
    denominator = 1
    energies = []
    for depth, numerator in enumerate(numerators):
        if depth > 0 and depth % 2 == 0:
            denominator *= square
        energies.append(Fraction(numerator, denominator))
    return energies


def rnn_energies(n: int, kmax: int) -> list[Fraction]:
    r"""Return :math:`[Q_{n,0}, \dots, Q_{n,kmax}]` as reduced fractions.

    Parameters
    ----------
    n : int
        Width, >= 1.
    kmax : int
        Last depth, >= 0.

    Returns
    -------
    list of fractions.Fraction
        ``kmax + 1`` exact energies.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Examples
    --------
    >>> [str(q) for q in rnn_energies(3, 3)]
    ['1', '1', '10/9', '14/9']
    """
    return _fractions(as_exact_integer("n", n, 1), rnn_numerators(n, kmax))


def lru_energies(n: int, tmax: int) -> list[Fraction]:
    r"""Return :math:`[S_{n,0}, \dots, S_{n,tmax}]` as reduced fractions.

    Parameters
    ----------
    n : int
        Width, >= 1.
    tmax : int
        Last depth, >= 0.

    Returns
    -------
    list of fractions.Fraction
        ``tmax + 1`` exact energies.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Examples
    --------
    >>> [str(s) for s in lru_energies(3, 3)]
    ['1', '2', '28/9', '14/3']
    """
    return _fractions(as_exact_integer("n", n, 1), lru_numerators(n, tmax))


def genus_coefficients(k: int) -> list[int]:
    r"""Return :math:`[q_0, q_1, \dots]` of :math:`Q_{n,k} = \sum_g q_g n^{-2g}`.

    Parameters
    ----------
    k : int
        Depth, >= 0.

    Returns
    -------
    list of int
        The ``k // 2 + 1`` integers :math:`q_g = S_H(k, k+1-2g)`.

    Raises
    ------
    TypeError, ValueError
        If `k` is not an integer >= 0.

    Examples
    --------
    >>> genus_coefficients(6)
    [1, 70, 469, 180]
    """
    return hultman_row(k)[::-2][: as_exact_integer("k", k, 0) // 2 + 1]


def lru_genus_coefficients(t: int) -> list[int]:
    r"""Return :math:`[s_0, s_1, \dots]` of :math:`S_{n,t} = \sum_g s_g n^{-2g}`.

    Parameters
    ----------
    t : int
        Depth, >= 0.

    Returns
    -------
    list of int
        The ``t // 2 + 1`` integers :math:`s_g = \sum_{k \le t} S_H(k, k+1-2g)`.

    Raises
    ------
    TypeError, ValueError
        If `t` is not an integer >= 0.

    Examples
    --------
    >>> lru_genus_coefficients(4)
    [5, 21, 8]
    """
    t = as_exact_integer("t", t, 0)
    totals = [0] * (t // 2 + 1)
    for k in range(t + 1):
        for g, q in enumerate(genus_coefficients(k)):
            totals[g] += q
    return totals
