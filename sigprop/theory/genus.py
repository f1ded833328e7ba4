r"""Sub-critical energies: the genus expansion cut at any order, and proved two-sided bounds.

With :math:`x = (k+1)(k+2)/(2n)` and :math:`e_i` the elementary symmetric sums of
1, ..., k+1, the expansion is :math:`Q_{n,k} = \sum_g e_{2g+1}/(e_1 n^{2g})
= \sum_g \theta_g x^{2g}/(2g+1)!` with weights :math:`\theta_g = (2g+1)!\,e_{2g+1}/e_1^{2g+1}`
between 0 and 1.  They follow from the numbers d(p, i) of permutations of p letters with i
cycles, none a fixed point (`_positive_expansion`), as sums of positive terms:

.. math:: \theta_g = \sum_p \frac{2^{2g+1} (2g+1)!}{p!}\, d(p, p-2g-1)\,
   \frac{k(k-1)\cdots(k-p+3)}{((k+1)(k+2))^{2g}}.

Summed over depths each term gains the factor :math:`(t+1)/(p-1)`.

Since :math:`(i+1) e_{i+1} \le e_i e_1`, each part is at most :math:`x^2/((2g+2)(2g+3))`
times the one before it, so the parts left out are at most a geometric series that starts
with the first of them.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory._positive_expansion import derangement_numbers
from sigprop.theory.approximation import Approximation, as_order, from_log_error, widths_and_depths
from sigprop.theory.critical import critical_lru, critical_rnn

MAX_GENUS = 40
"""Largest genus of an expansion: beyond, a larger width is what helps."""


_POWER_ROUNDING = 5e-16


class Bounds(NamedTuple):
    """Proved bounds of the logarithm of an energy, up to float64 rounding.

    Attributes
    ----------
    log_lower, log_upper : float64 scalar or ndarray
        Natural logarithms of the bounds.

    Examples
    --------
    >>> rnn_bounds(100, 10)._fields
    ('log_lower', 'log_upper')
    """

    log_lower: Any
    log_upper: Any


class _Weights(NamedTuple):
    """Terms of one genus: factors of the falling factorial, and coefficients for Q and S."""

    factors: tuple[int, ...]
    rnn: tuple[float, ...]
    lru: tuple[float, ...]


@functools.cache
def _weights(genus: int) -> _Weights:
    letters = range(2 * genus + 2, 4 * genus + 3)
    numbers = derangement_numbers(4 * genus + 3)
    scale = 2 ** (2 * genus + 1) * math.factorial(2 * genus + 1)
    rnn = tuple(scale * numbers[p][p - 2 * genus - 1] / math.factorial(p) for p in letters)
    lru = tuple(weight / (p - 1) for weight, p in zip(rnn, letters, strict=True))
    return _Weights(tuple(p - 2 for p in letters), rnn, lru)


def _parts(n: FloatArray, depth: FloatArray, last: int, energy: str) -> list[FloatArray]:
    """Return theta_g / (2g+1)! for 1 <= g <= last; multiplied by x^(2g) it is the part of g."""
    root = np.sqrt((depth + 1.0) * (depth + 2.0))
    products = [np.ones_like(depth)]
    for i in range(4 * last):
        products.append(products[-1] * (np.maximum(depth - i, 0.0) / root))
    parts = []
    for genus in range(1, last + 1):
        weights = _weights(genus)
        total = np.zeros_like(depth)
        for q, weight in zip(weights.factors, getattr(weights, energy), strict=True):
            total += weight * products[q] * root ** float(q - 4 * genus)
        parts.append(total / math.factorial(2 * genus + 1))
    return parts


def _log_sum(parts: list[FloatArray], x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log(1 + sum_g parts[g] x^(2g)) and (1 + the sum)/max(x, 1)^(2 genus).

    Powers are of x below one and of 1/x above, so that none overflows.
    """
    genus = len(parts)
    small, large = np.minimum(x, 1.0), np.maximum(x, 1.0)
    total = np.zeros_like(x)
    for g, part in enumerate(parts, start=1):
        total += part * small ** (2.0 * g) * (1.0 / large) ** (2.0 * (genus - g))
    scaled_one = (1.0 / large) ** (2.0 * genus)
    log_large = 2.0 * genus * np.log(large) + np.log(scaled_one + total)
    return np.where(x > 1.0, log_large, np.log1p(total)), scaled_one + total


def _expansion(n: Any, depth: Any, name: str, genus: Any, energy: str) -> Approximation:
    genus = as_order("genus", genus, MAX_GENUS)
    widths, depths = widths_and_depths(n, depth, name)
    x = (depths + 1.0) * ((depths + 2.0) / (2.0 * widths))
    *kept, left_out = _parts(widths, depths, genus + 1, energy)
    log_value, scaled_sum = _log_sum(kept, x)
    # The first part left out, and the ratio of the geometric series that bounds the others.
    step = x * x
    first = left_out * np.minimum(x, 1.0) ** (2.0 * genus) * step / scaled_sum
    ratio = step / ((2.0 * genus + 4.0) * (2.0 * genus + 5.0))
    bounded = ratio < 1.0
    rest = np.where(bounded, first / np.where(bounded, 1.0 - ratio, 1.0), np.inf)
    # An expansion that has terminated is exact whatever x is.
    rest = np.where(left_out > 0.0, rest, 0.0)
    if energy == "lru":
        log_value = log_value + np.log(depths + 1.0)
    # The logarithm is the difference of numbers of this size, from powers of this order.
    rounding = _POWER_ROUNDING * genus * (1.0 + 2.0 * np.log(np.maximum(x, 1.0)))
    return from_log_error(log_value, np.log1p(rest) + rounding)


def sub_critical_rnn(n: Any, k: Any, genus: int = 1) -> Approximation:
    r"""Return :math:`Q_{n,k} \approx \sum_{g \le genus} q_g n^{-2g}`, :math:`q_1 = \binom{k+2}4`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    k : array_like of int
        Depth, 0 to 10**15.
    genus : int, optional
        Last genus kept, 0 to 40.

    Returns
    -------
    Approximation
        A lower bound of Q, exact from ``genus = k // 2`` on.  Its error is proved.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    The parts left out are between the first of them and that part divided by
    :math:`1 - x^2/((2g+4)(2g+5))`, :math:`x = (k+1)(k+2)/(2n)` and g the last genus kept;
    the error is ``inf`` where this is not a bound.  The error falls like
    :math:`x^{2g+2}/(2g+3)!`, so in the sub-critical regime, x small, one genus is enough.
    Cost grows with the square of the genus.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> form = sub_critical_rnn(1000, 20, genus=2)
    >>> f"{float(form.value):.12f} +- {float(form.relative_error):.0e}"
    '1.007327087306 +- 7e-09'
    """
    return _expansion(n, k, "k", genus, "rnn")


def sub_critical_lru(n: Any, t: Any, genus: int = 1) -> Approximation:
    r"""Return :math:`S_{n,t} \approx \sum_{g \le genus} s_g n^{-2g}`, :math:`s_1 = \binom{t+3}5`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    genus : int, optional
        Last genus kept, 0 to 40; genus 0 is the infinite width, t + 1.

    Returns
    -------
    Approximation
        A lower bound of S, exact from ``genus = t // 2`` on.  Its error is proved.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    As for `sub_critical_rnn`: the bound on successive parts holds at every depth up to t
    with the x of t, hence for their sums.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> form = sub_critical_lru(100, [4, 10])
    >>> form.value.round(4), form.in_window
    (array([ 5.0021, 11.1287]), array([ True,  True]))
    """
    return _expansion(n, t, "t", genus, "lru")


def rnn_bounds(n: Any, k: Any) -> Bounds:
    r"""Return proved bounds :math:`1 + \binom{k+2}4/n^2 \le Q_{n,k} \le \sinh(x)/x`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    k : array_like of int
        Depth, 0 to 10**15.

    Returns
    -------
    Bounds
        Logarithms of both, with :math:`x = (k+1)(k+2)/(2n)`.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    The lower bound is the genus expansion cut at genus one, an equality up to depth 3; the
    upper one is the leading critical form.

    References
    ----------
    docs/theory.md.

    Examples
    --------
    >>> bounds = rnn_bounds(100, 10)
    >>> [round(float(log), 5) for log in bounds]
    [0.04831, 0.07157]
    """
    return Bounds(sub_critical_rnn(n, k).log_value, critical_rnn(n, k, order=0).log_value)


def lru_bounds(n: Any, t: Any) -> Bounds:
    r"""Return proved bounds :math:`t + 1 + \binom{t+3}5/n^2 \le S_{n,t} \le \sqrt n\,I(c) - 1`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.

    Returns
    -------
    Bounds
        Logarithms of both, with :math:`c = (t+2)/\sqrt n`.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    References
    ----------
    docs/theory.md.

    Examples
    --------
    >>> bounds = lru_bounds(100, 10)
    >>> [round(float(log), 5) for log in bounds]
    [2.40953, 2.41684]
    """
    return Bounds(sub_critical_lru(n, t).log_value, critical_lru(n, t, order=0).log_value)
