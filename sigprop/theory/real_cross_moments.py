r"""Cross moments of powers of one real Gaussian matrix, exactly.

W is real n x n with independent normal entries of variance 1/n, and with
m = (i + j)/2 + 1 for i + j even (for i + j odd the moment is zero)

.. math:: \frac1n E\,\mathrm{tr}\,(W^i)^T W^j = n^{-m} C_{i,j}(n) ,

a polynomial in n with a closed form of O(min(i, j)) terms in the products

.. math:: a_p = \prod_{t<p} (n + 2t), \quad b_q = \prod_{t<q} (n + 2t - 1), \quad
   d_r = \prod_{t=2}^{r+1} (n - t) .

With i < j, d = i + 1 and D = m - d:

.. math:: (4m^2 - 1)\, C_{i,j} = (2m+1)\, a_m + 4 \sum_{q=1}^{\lfloor d/2\rfloor} a_{m-q} b_q
   - 2 (n-1) \sum_{r=0}^{d-1} a_{m-1-r} d_r + \frac{Y}{2m-d} ,

.. math:: Y = \sum_{l=1}^{\lfloor (d-1)/2\rfloor} \Bigl[ 2(2m+1) \bigl(n - 1 - (m+1)(d-2l)\bigr)
   + d\,(6m + 1 - 2d) \Bigr] a_{l+D}\, b_l\, d_{d-1-2l} \\
   - (n-1) (4m^2 - 4m + 2d - 1)\, a_D\, d_{d-1} + [d \text{ even}]\, (1 - 2D)\, a_{m-d/2} b_{d/2} .

For i = j it is the energy of the RNN, :math:`Q^R_{n,i}`, whose closed form is that of
`sigprop.theory.real_weights`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from sigprop._arguments import as_exact_integer
from sigprop.theory._symbolic import is_symbolic


class Products(NamedTuple):
    """The integers a_p, b_p and d_p, p = 0, ..., last."""

    width: int
    a: list[int]
    b: list[int]
    d: list[int]


def products(n: int, last: int) -> Products:
    """Return the products of the closed form up to an index."""
    result = Products(n, [1], [1], [1])
    for t in range(last):
        result.a.append(result.a[-1] * (n + 2 * t))
        result.b.append(result.b[-1] * (n + 2 * t - 1))
        result.d.append(result.d[-1] * (n - 2 - t))
    return result


def cross_numerator(i: int, j: int, factors: Products) -> int:
    """Return C_{i,j}(n) for i + j even, given the products up to (i + j)/2 + 1."""
    m, d = (i + j) // 2 + 1, min(i, j) + 1
    n, a, b, falling = factors
    total = (2 * m + 1) * a[m]
    total += 4 * sum(a[m - q] * b[q] for q in range(1, d // 2 + 1))
    if i == j:
        total -= 2 * (n - 1) * sum(a[m - 1 - r] * falling[r] for r in range(d - 1))
        return (total + _diagonal_line(m, factors)) // (4 * m * m - 1)
    total -= 2 * (n - 1) * sum(a[m - 1 - r] * falling[r] for r in range(d))
    total *= 2 * m - d
    return (total + _line(m, d, factors)) // ((4 * m * m - 1) * (2 * m - d))


def _diagonal_line(m: int, factors: Products) -> int:
    """Return what i = j has in place of Y/(2m - d)."""
    n, a, b, falling = factors
    total = 4 * m * a[m // 2] * b[m // 2] if m % 2 == 0 else 0
    for i in range(1, (m - 1) // 2 + 1):
        factor = 4 * (2 * m + 1) * (n - m - 1 + 3 * i) + 2 * m
        total += factor * a[i] * b[i] * falling[m - 1 - 2 * i]
    return total


def _line(m: int, d: int, factors: Products) -> int:
    """Return Y."""
    n, a, b, falling = factors
    D = m - d
    total = -(n - 1) * (4 * m * m - 4 * m + 2 * d - 1) * a[D] * falling[d - 1]
    for i in range(1, (d - 1) // 2 + 1):
        factor = 2 * (2 * m + 1) * (n - 1 - (m + 1) * (d - 2 * i)) + d * (6 * m + 1 - 2 * d)
        total += factor * a[i + D] * b[i] * falling[d - 1 - 2 * i]
    if d % 2 == 0:
        total += (1 - 2 * D) * a[m - d // 2] * b[d // 2]
    return total


def real_cross_moment(n: Any, i: int, j: int) -> Any:
    r"""Return :math:`\frac1n E\,\mathrm{tr}\,(W^i)^T W^j` exactly, for real Gaussian W.

    Parameters
    ----------
    n : int or sympy expression
        Width, >= 1, any Python or NumPy integer, or a SymPy symbol.
    i, j : int
        Powers, >= 0, in either order.

    Returns
    -------
    fractions.Fraction or sympy.Expr
        The moment, >= 0; zero for i + j odd.  For a symbol the polynomial in 1/n.

    Raises
    ------
    TypeError
        If an argument is not an integer (floats and bools are refused).
    ValueError
        If ``n < 1``, ``i < 0`` or ``j < 0``.

    Notes
    -----
    The closed form: O(i + j) multiplications of integers of O(i + j) words.  For complex
    weights the moment is zero unless i = j, because :math:`e^{i\phi} W` has the law of W.
    For real weights and i < j it is :math:`(i + 1)/n + O(n^{-2})`.

    References
    ----------
    docs/theory_real.md, which proves the closed form.

    Examples
    --------
    >>> print(real_cross_moment(7, 1, 3))
    15/49
    >>> import sympy
    >>> real_cross_moment(sympy.Symbol("n"), 1, 3)
    2/n + n**(-2)
    """
    i, j = as_exact_integer("i", i, 0), as_exact_integer("j", j, 0)
    m, odd = (i + j) // 2 + 1, (i + j) % 2 == 1
    if is_symbolic(n):
        if odd:
            return symbolic_sum(n, {})
        counts = cross_pairing_counts(i, j)
        return symbolic_sum(n, {power - m: Fraction(count) for power, count in counts.items()})
    width = as_exact_integer("n", n, 1)
    return Fraction(0) if odd else Fraction(cross_numerator(i, j, products(width, m)), width**m)


def cross_pairing_counts(i: int, j: int) -> dict[int, int]:
    r"""Return :math:`C_{i,j}(n)` as a polynomial, power of n to coefficient.

    Parameters
    ----------
    i, j : int
        Powers, >= 0.

    Returns
    -------
    dict of int to int
        Power of n (descending) to the number of Wick pairings with that many free indices;
        empty for i + j odd.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer >= 0.

    Notes
    -----
    The coefficients are integers from 0 to (i+j-1)!!, so the digits of C at n = B, a base
    above that, are the coefficients.

    Examples
    --------
    >>> cross_pairing_counts(2, 4)
    {3: 3, 2: 4, 1: 8}
    """
    i, j = as_exact_integer("i", i, 0), as_exact_integer("j", j, 0)
    if (i + j) % 2 == 1:
        return {}
    bits = double_factorial(i + j - 1).bit_length()
    number = cross_numerator(i, j, products(1 << bits, (i + j) // 2 + 1))
    return polynomial_digits(number, bits)


def double_factorial(odd: int) -> int:
    """Return 1 * 3 * ... * odd; 1 for -1."""
    return math.prod(range(1, odd + 1, 2))


def polynomial_digits(number: int, bits: int) -> dict[int, int]:
    """Return the digits of a number in base 2**bits: place to digit, descending, no zeros."""
    places = range(number.bit_length() // bits, -1, -1)
    digits = ((place, number >> (bits * place) & ((1 << bits) - 1)) for place in places)
    return {place: digit for place, digit in digits if digit}


def symbolic_sum(n: Any, coefficients: dict[int, Fraction]) -> Any:
    """Return the SymPy sum of coefficient times n**power."""
    import sympy

    return sympy.Add(
        *(sympy.Rational(c.numerator, c.denominator) * n**p for p, c in coefficients.items())
    )
