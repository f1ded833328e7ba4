r"""All real Gaussian energies of a width by a recurrence of O(1) steps per depth.

The closed form of `sigprop.theory.real_weights` is a combination of four sums of products

.. math:: a_p = \prod_{j<p} (n + 2j), \quad b_q = \prod_{j<q} (n + 2j - 1), \quad
   c_m = \prod_{j<m} (n + j - 1), \quad f_r = \prod_{j=1}^{r} (n - j),

with :math:`a_h b_h = c_{2h}` and :math:`a_h b_{h+1} = c_{2h+1}`.  Each sum obeys a recurrence
in m of first order, so a table of depths costs no product of two large numbers.

**Convolution.** For :math:`Y_m = \sum_{p=0}^{m} a_p f_{m-p}`, the series A of the a_p and F of
the f_r in powers of x solve :math:`2x^2 A' = (1 - nx) A - 1` and
:math:`x^2 F' = ((n-1)x - 1) F + 1`; the coefficients of :math:`x^2 (AF)'` give

.. math:: Y_m = 2 a_m - f_m + (n - 2m)\, Y_{m-1}.

**Half a convolution.** The term :math:`v(m, q) = a_{m-q} b_q` of
:math:`V_m = \sum_{q=1}^{\lfloor m/2 \rfloor} v(m, q)` has
:math:`v(m+1, q) + v(m+1, q+1) = (2n + 2m - 1)\, v(m, q)`; summed over q,

.. math:: 2 V_{m+1} = (2n + 2m - 1) V_m + (n-1)\, a_m - (-1)^m c_{m+1}.

**Products of consecutive factors.** In falling powers of :math:`y_l = n + 2l - 2` put
:math:`H_m = \sum_{l=1}^{\lfloor (m-1)/2 \rfloor} y_l^{\underline{m-1}}` and
:math:`H^+_m = \sum_l y_l^{\underline{m}}` over the same l.  The difference
:math:`(y+2)^{\underline{m+1}} - y^{\underline{m+1}} = (m+1)(m\, y^{\underline{m-1}}
+ 2\, y^{\underline{m}})` telescopes to :math:`T_m = (m+1)(m H_m + 2 H^+_m)`, where

.. math:: T_m = (n + m - 1)\, c_m - n f_m \ (m \text{ odd}), \qquad
   T_m = (n - 2)\, c_m - n f_m \ (m \text{ even}),

so that :math:`H_{m+1} = H^+_m + [m \text{ even}]\, c_m`; and since
:math:`y\, y^{\underline{m-1}} = y^{\underline{m}} + (m-1)\, y^{\underline{m-1}}`, the last sum
of the closed form is :math:`3(2m+1) T_m/(m+1) - [(2m+1)(2n+m-2) - 2m] H_m`.

Together

.. math:: (4m^2-1) M_{m-1} = (2m+1) a_m + 4 V_m - 2 (Y_m - a_m - f_m)
   + \tfrac{3(2m+1)}{m+1} T_m - [(2m+1)(2n+m-2) - 2m] H_m + [m \text{ even}]\, 4m\, c_m .

No coefficient of a recurrence exceeds n + 2m in size, which is the ratio
:math:`a_{m+1}/a_m`: whatever error is made at one depth stays of its size relative to a_m.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

from sigprop._arguments import as_exact_integer

Number = Any
"""An element of the ring in which the recurrence runs; integers mix in."""


def moments(n: int) -> Iterator[int]:
    r"""Yield the integers :math:`M_k(n) = E\,\mathrm{tr}\,G^k (G^k)^T`, k = 0, 1, 2, ...

    G is n x n with independent standard normal entries, and
    :math:`Q^{\mathbb R}_{n,k} = M_k(n) / n^{k+1}`.

    Parameters
    ----------
    n : int
        Width, >= 1.

    Yields
    ------
    int
        The exact moment of the next depth.

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer >= 1.

    Notes
    -----
    A dozen products of a large and a small integer per depth.

    Examples
    --------
    >>> list(itertools.islice(moments(3), 6))
    [3, 9, 33, 183, 1395, 13845]
    """
    return _recurrence(as_exact_integer("n", n, 1), 1, lambda x: x, operator.floordiv)


def energies(n: int, one: Number) -> Iterator[Number]:
    r"""Yield :math:`Q^{\mathbb R}_{n,k}`, k = 0, 1, 2, ..., in the arithmetic of ``one``.

    Parameters
    ----------
    n : int
        Width, >= 1.
    one : number
        The number 1 as a float, `fractions.Fraction`, mpmath number, ball of Arb, ...; it
        must have + - * with its like and with integers, and division by integers.

    Yields
    ------
    number
        The energy of the next depth.

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer >= 1.

    Notes
    -----
    The terms of order n and 1 of the excess cancel: a rounding error eps in each step leaves
    an error of about ``n eps`` in Q, relative to :math:`\prod_{j \le k} (1 + 2j/n)`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> [str(q) for q in itertools.islice(energies(3, Fraction(1)), 4)]
    ['1', '1', '11/9', '61/27']
    """
    width = as_exact_integer("n", n, 1)
    return _recurrence(width, one, lambda x: x / width, operator.truediv)


def _recurrence(
    n: int,
    one: Number,
    scaled: Callable[[Number], Number],
    divide: Callable[[Number, int], Number],
) -> Iterator[Number]:
    """Yield M_k, each product of so many factors ``scaled`` so many times."""
    a = c = f = Y = one
    V = H = one * 0
    for m in itertools.count(1):
        odd = m % 2 == 1
        c = scaled(c * (n + m - 2))
        V = divide(scaled(V * (2 * n + 2 * m - 3) + a * (n - 1)) + (-c if odd else c), 2)
        a = scaled(a * (n + 2 * m - 2))
        f = scaled(f * (n - m))
        Y = a * 2 - f + scaled(Y * (n - 2 * m))
        T = c * (n + m - 1 if odd else n - 2) - f * n

        total = a * (2 * m + 1) + V * 4 - (Y - a - f) * 2 + divide(T * (6 * m + 3), m + 1)
        total = total - scaled(H * ((2 * m + 1) * (2 * n + m - 2) - 2 * m))
        if not odd:
            total = total + c * (4 * m)
        yield divide(total, 4 * m * m - 1)

        H = divide(divide(T, m + 1) - scaled(H * m), 2)
        if not odd:
            H = H + c
