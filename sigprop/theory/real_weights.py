r"""The closed form of the energies of real Gaussian recurrences.

W is real n x n Gaussian with :math:`E W_{ij}^2 = 1/n`, G = sqrt(n) W, and with m = k + 1

.. math:: Q^R_{n,k} = \frac1n E\,\mathrm{tr}\,W^k (W^k)^T = n^{-m} M_k(n), \qquad
   M_k = E\,\mathrm{tr}\,G^k (G^k)^T .

M is a polynomial in n with a closed form of O(k) terms in the products

.. math:: a_p = \prod_{j<p} (n + 2j), \quad b_q = \prod_{j<q} (n + 2j - 1), \quad
   d_r = \prod_{j=2}^{r+1} (n - j):

.. math:: (4m^2 - 1) M_k = (2m+1) a_m + 4 \sum_{q=1}^{\lfloor m/2\rfloor} a_{m-q} b_q
   - 2 (n-1) \sum_{p=1}^{m-1} a_p d_{m-1-p} \\
   + \sum_{l=1}^{\lfloor (m-1)/2\rfloor} [4(2m+1)(n-m-1+3l) + 2m]\, a_l b_l d_{m-1-2l}
   + [m \text{ even}]\, 4m\, a_{m/2} b_{m/2} .

It holds for every n >= 1 and k >= 0; its proof (docs/theory_real.md) reduces it to symbolic
identities that a computer checks.  As for complex weights :math:`Q^R = 1` at k = 0 and 1, and
:math:`Q^R \ge Q` always.

This is the formula sheet.  `sigprop.exact` computes the same numbers by the recurrence of
`sigprop.theory.real_recurrence`, and `sigprop.theory.energy` takes ``field="real"`` for float64.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from sigprop._arguments import as_exact_depth, as_exact_integer
from sigprop.theory._symbolic import is_symbolic


def exact_rnn_energy(n: Any, k: int) -> Any:
    r"""Return :math:`Q^R_{n,k} = \frac1n E\,\mathrm{tr}\,W^k (W^k)^T` exactly, real Gaussian W.

    Parameters
    ----------
    n : int or sympy expression
        Width, >= 1, any Python or NumPy integer, or a SymPy symbol.
    k : int
        Depth, >= 0.

    Returns
    -------
    fractions.Fraction or sympy.Expr
        The exact energy; for a symbol the polynomial in 1/n.

    Raises
    ------
    TypeError
        If an argument is not an integer (floats and bools are refused).
    ValueError
        If ``n < 1`` or ``k < 0``.

    Notes
    -----
    The closed form: O(k) multiplications of integers of O(k) words.

    Examples
    --------
    >>> print(exact_rnn_energy(7, 3))
    417/343
    >>> import sympy
    >>> exact_rnn_energy(sympy.Symbol("n"), 3)
    1 + 10/n**2 + 4/n**3
    """
    k = as_exact_depth("k", k)
    if is_symbolic(n):
        import sympy

        return sympy.Add(*(c * n ** (power - k - 1) for power, c in pairing_counts(k).items()))
    width = as_exact_integer("n", n, 1)
    return Fraction(moment(width, k), width ** (k + 1))


def moment(n: int, k: int) -> int:
    r"""Return the integer :math:`M_k(n) = E\,\mathrm{tr}\,G^k (G^k)^T` by the closed form.

    Parameters
    ----------
    n : int
        Width, >= 1.
    k : int
        Depth, >= 0.

    Returns
    -------
    int
        The exact moment, :math:`n^{k+1} Q^R_{n,k}`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Notes
    -----
    No gcd is taken, as it is for a `Fraction`.

    Examples
    --------
    >>> moment(7, 3)
    2919
    """
    n, m = as_exact_integer("n", n, 1), as_exact_depth("k", k) + 1
    a, b, d = [1], [1], [1]
    for j in range(m):
        a.append(a[-1] * (n + 2 * j))
        b.append(b[-1] * (n + 2 * j - 1))
        d.append(d[-1] * (n - j - 2))
    total = (2 * m + 1) * a[m]
    total += 4 * sum(a[m - q] * b[q] for q in range(1, m // 2 + 1))
    total -= 2 * (n - 1) * sum(a[p] * d[m - 1 - p] for p in range(1, m))
    for i in range(1, (m - 1) // 2 + 1):
        factor = 4 * (2 * m + 1) * (n - m - 1 + 3 * i) + 2 * m
        total += factor * a[i] * b[i] * d[m - 1 - 2 * i]
    if m % 2 == 0:
        total += 4 * m * a[m // 2] * b[m // 2]
    return total // (4 * m * m - 1)


def pairing_counts(k: int) -> dict[int, int]:
    r"""Return :math:`M_k(n) = n^{k+1} Q^R_{n,k}` as a polynomial, power of n to coefficient.

    Parameters
    ----------
    k : int
        Depth, >= 0.

    Returns
    -------
    dict of int to int
        Power of n (descending) to the number of Wick pairings with that many free indices.

    Raises
    ------
    TypeError, ValueError
        If `k` is not an integer >= 0.

    Notes
    -----
    The same as `sigprop.theory.real_pairings.pairing_polynomial`, from the closed form.
    The coefficients are integers from 0 to (2k-1)!!, so the digits of M at n = B, a base
    above that, are the coefficients.

    Examples
    --------
    >>> pairing_counts(4)
    {5: 1, 3: 28, 2: 28, 1: 48}
    """
    k = as_exact_depth("k", k)
    bits = math.prod(range(1, 2 * k, 2)).bit_length()
    number = moment(1 << bits, k)
    digits = ((p, number >> (bits * p) & ((1 << bits) - 1)) for p in range(k + 1, -1, -1))
    return {power: count for power, count in digits if count}
