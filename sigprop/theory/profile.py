r"""The functions of :math:`c` that the critical regime is made of, :math:`h = c^2/2`.

At depth :math:`t = c\sqrt n`, :math:`Q_{n,t} \to F(c) = \sinh(h)/h` and
:math:`S_{n,t}/\sqrt n \to I(c) = \int_0^c F`.  The first corrections for finite width are
made of the same functions.

Up to c = 9 each function is evaluated from power series whose terms have one sign, and
beyond from series in :math:`u = 1/c^2` scaled by :math:`e^{-h}`: with
:math:`c^3 e^{-h} I(c) \to \Lambda(u) = \sum_j (2j+1)!!\,u^j`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sigprop._arguments import FloatArray, as_nonnegative_array
from sigprop.theory._special import horner

# At c = 9 the terms left out of the power series are below 1e-20 of the sum.  The series in
# 1/c^2 diverge; they are cut at their smallest term, which is 3e-16 there.
_SERIES_END = 9.0
_TERMS, _TAIL_TERMS = 72, 40

_FACTORIALS = tuple(float(math.factorial(j)) for j in range(2 * _TERMS))
# I(c)/c = sum_j h^(2j) / ((2j+1)! (4j+1))
_MEAN = tuple(1.0 / (_FACTORIALS[2 * j + 1] * (4 * j + 1)) for j in range(_TERMS))
# F(c) - I(c)/c = sum_j h^(2j) 4j / ((2j+1)! (4j+1))
_GAP = tuple(4.0 * j * term for j, term in enumerate(_MEAN))
# F - 1 - (cosh h - 1)/3 = -sum_j h^(2j) (2j-2) / (3 (2j+1)!): nothing at j = 0 and 1
_DROP = (0.0, *(-(2 * j - 2) / (3.0 * _FACTORIALS[2 * j + 1]) for j in range(1, _TERMS)))
# (1/c) int_0^c sinh(v^2/2) dv = h sum_j h^(2j) / ((2j+1)! (4j+3))
_SINH_MEAN = tuple(1.0 / (_FACTORIALS[2 * j + 1] * (4 * j + 3)) for j in range(_TERMS))
# (h coth h - 1) sinh(h)/h = h^2 sum_j h^(2j) (2j+2) / (2j+3)!
_COTH_EXCESS = tuple((2 * j + 2) / _FACTORIALS[2 * j + 3] for j in range(10))
_SINHC = tuple(1.0 / _FACTORIALS[2 * j + 1] for j in range(10))

_DOUBLE_FACTORIALS = tuple(math.prod(range(1, 2 * j, 2)) for j in range(_TAIL_TERMS + 2))
# Lambda(u), and c e^-h int_0^c exp(v^2/2) dv -> sum_j (2j-1)!! u^j
_TAIL = tuple(float(number) for number in _DOUBLE_FACTORIALS[1 : _TAIL_TERMS + 1])
_SINH_TAIL = tuple(float(number) for number in _DOUBLE_FACTORIALS[:_TAIL_TERMS])

MAX_C = 1e150
"""Largest c: its square is still a float."""


def _reciprocal_series() -> list[int]:
    """Coefficients b_j of 1/Lambda(u), exact integers."""
    b = [1]
    for j in range(1, _TAIL_TERMS + 1):
        b.append(-sum(_DOUBLE_FACTORIALS[i + 1] * b[j - i] for i in range(1, j + 1)))
    return b


_RECIPROCAL = _reciprocal_series()
# c kappa(c) = b_1 + b_2/3 + 1 + sum_{j>=2} (b_j + b_{j+1}/3) u^(j-1)
_KAPPA_TAIL = tuple(
    _RECIPROCAL[j] + _RECIPROCAL[j + 1] / 3.0 + (1.0 if j == 1 else 0.0)
    for j in range(1, _TAIL_TERMS)
)


def _branches(c: FloatArray) -> tuple[Any, FloatArray, FloatArray]:
    """Tell where the power series holds; give c for it and for the series in 1/c^2."""
    near = c <= _SERIES_END
    return near, np.where(near, c, 0.0), np.where(near, _SERIES_END, c)


def log_critical_profile(c: Any) -> Any:
    r"""Return :math:`\log F(c) = \log((2/c^2)\sinh(c^2/2))`.

    Parameters
    ----------
    c : array_like of float
        Depth over the square root of the width, 0 to 1e150.

    Returns
    -------
    float64 scalar or ndarray
        Zero at c = 0; finite for every c up to 1e150.

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 1e150.

    Notes
    -----
    Relative error a few ulp, also near zero where it is :math:`c^4/24`.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> round(float(log_critical_profile(1.0)), 12)
    0.041324854613
    """
    h = 0.5 * as_nonnegative_array("c", c, MAX_C) ** 2
    near = h < 1.0
    inner, outer = np.where(near, h, 0.0), np.where(near, 1.0, h)
    square = inner * inner
    series = np.log1p(square * horner(square, _SINHC[1:]))
    closed = outer + np.log(-np.expm1(-2.0 * outer) / (2.0 * outer))
    return np.where(near, series, closed)[()]


def critical_profile(c: Any) -> Any:
    r"""Return the critical profile :math:`F(c) = (2/c^2)\sinh(c^2/2)`, the limit of Q.

    Parameters
    ----------
    c : array_like of float
        Depth over the square root of the width, 0 to 1e150.

    Returns
    -------
    float64 scalar or ndarray
        One at c = 0; ``inf`` beyond c of about 38 (see `log_critical_profile`).

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 1e150.

    Notes
    -----
    Relative error a few ulp, times :math:`c^2/2` where the profile is large.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> round(float(critical_profile(1.0)), 12)
    1.042190610987
    """
    with np.errstate(over="ignore"):
        return np.exp(log_critical_profile(c))


def scaled_critical_integral(c: FloatArray) -> FloatArray:
    r"""Return :math:`e^{-c^2/2} I(c)`, which neither over- nor underflows."""
    near, inner, outer = _branches(c)
    h = 0.5 * inner * inner
    series = inner * horner(h * h, _MEAN) * np.exp(-h)
    inverse = 1.0 / outer
    tail = horner(inverse * inverse, _TAIL) * inverse**3
    # The part of I that grows no more: sqrt(pi/2), 2e-15 of the whole at c = 9.
    constant = math.sqrt(0.5 * math.pi) * np.exp(-0.5 * outer * outer)
    return np.where(near, series, tail + constant)


def log_critical_integral(c: Any) -> Any:
    r"""Return :math:`\log I(c)`, :math:`I(c) = \int_0^c F`; minus infinity at c = 0.

    Parameters
    ----------
    c : array_like of float
        Depth over the square root of the width, 0 to 1e150.

    Returns
    -------
    float64 scalar or ndarray
        Natural logarithm of `critical_integral`.

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 1e150.

    Notes
    -----
    Absolute error a few ulp of ``max(1, c**2 / 2)``.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> round(float(log_critical_integral(10.0)), 9)
    43.123370886
    """
    array = as_nonnegative_array("c", c, MAX_C)
    # Beyond 1e100 the logarithm of the scaled integral is below an ulp of c^2/2.
    scaled = scaled_critical_integral(np.minimum(array, 1e100))
    with np.errstate(divide="ignore"):
        return (0.5 * array * array + np.log(scaled))[()]


def critical_integral(c: Any) -> Any:
    r"""Return :math:`I(c) = \int_0^c F`, the limit of :math:`S_{n,t}/\sqrt n`.

    :math:`I(c) = -\frac2c \sinh\frac{c^2}2 + \sqrt{\pi/2}\,(\mathrm{erfi} +
    \mathrm{erf})(c/\sqrt2)`; the positive series :math:`c\sum_j
    (c^2/2)^{2j}/((2j+1)!(4j+1))` up to c = 9 and the large-c series beyond.

    Parameters
    ----------
    c : array_like of float
        Depth over the square root of the width, 0 to 1e150.

    Returns
    -------
    float64 scalar or ndarray
        Zero at c = 0; ``inf`` beyond c of about 38 (see `log_critical_integral`).

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 1e150.

    Notes
    -----
    Relative error a few ulp, times :math:`c^2/2` where the integral is large.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> round(float(critical_integral(1.0)), 12)
    1.008391442815
    """
    array = as_nonnegative_array("c", c, MAX_C)
    array = np.minimum(array, 1e3)  # far above where the integral overflows
    with np.errstate(over="ignore"):
        return (scaled_critical_integral(array) * np.exp(0.5 * array * array))[()]


def scaled_sinh_integral(c: FloatArray) -> FloatArray:
    r"""Return :math:`e^{-c^2/2} \int_0^c \sinh(v^2/2)\,dv`, relative error a few ulp."""
    near, inner, outer = _branches(c)
    h = 0.5 * inner * inner
    series = inner * h * horner(h * h, _SINH_MEAN) * np.exp(-h)
    inverse = 1.0 / outer
    tail = 0.5 * horner(inverse * inverse, _SINH_TAIL) * inverse
    constant = 0.5 * math.sqrt(0.5 * math.pi) * np.exp(-0.5 * outer * outer)
    return np.where(near, series, tail - constant)


def coth_excess(h: FloatArray) -> FloatArray:
    r"""Return :math:`h \coth h - 1`, relative error a few ulp; :math:`h^2/3` near zero."""
    near = h < 1.0
    inner, outer = np.where(near, h, 0.0), np.where(near, 1.0, h)
    square = inner * inner
    series = square * horner(square, _COTH_EXCESS) / horner(square, _SINHC)
    closed = outer * (2.0 / -np.expm1(-2.0 * outer) - 1.0) - 1.0
    return np.where(near, series, closed)


def integral_share(c: FloatArray) -> FloatArray:
    r"""Return :math:`J(c) = I(c)/(c F(c))` for c > 0: the mean of the profile over its end."""
    scaled_profile = -np.expm1(-(c * c)) / (c * c)
    return scaled_critical_integral(c) / (c * scaled_profile)


def profile_correction(c: Any) -> Any:
    r"""Return :math:`e(c) = (F(c) - 1 - (\cosh h - 1)/3)/I(c)`, :math:`h = c^2/2`.

    The relative excess of S over the limit: with :math:`c = (t+1)/\sqrt n`,
    :math:`S_{n,t} = \sqrt n\, I(c)\,(1 + e(c)/\sqrt n + O(1/n))`.

    Parameters
    ----------
    c : array_like of float
        Depth plus one over the square root of the width, finite, >= 0.

    Returns
    -------
    float64 scalar or ndarray
        Zero at c = 0, :math:`-c^7/2880` near zero, :math:`-c^3/6` for large c.

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 1e150.

    Notes
    -----
    Relative error a few ulp.

    References
    ----------
    docs/theory.md.

    Examples
    --------
    >>> round(float(profile_correction(2.0)), 12)
    -0.046686699217
    """
    array = as_nonnegative_array("c", c, MAX_C)
    near, inner, outer = _branches(array)
    square = (0.5 * inner * inner) ** 2
    # drop/(c mean) with drop = h^4 (...) = c^8 (...): divide by c first.
    beyond = horner(square, _DROP[2:]) * square * (inner**3 / 4.0)
    series = beyond / horner(square, _MEAN)
    with np.errstate(over="ignore"):
        tail = (outer - outer**3 / 6.0) / horner(1.0 / (outer * outer), _TAIL)
    return np.where(near, series, tail)[()]


def uniform_correction(c: Any) -> Any:
    r"""Return :math:`\kappa(c)`, the first correction of the uniform form of S (`uniform_lru`).

    With :math:`h = c^2/2` and :math:`\ell = \coth h - 1/h`,
    :math:`\kappa = e(c) - \frac c2 \ell + \frac{c^3}6
    + \frac{c^2}2 (\frac{F}{I} - \frac1c - c\,\ell)`.

    Parameters
    ----------
    c : array_like of float
        Depth plus one over the square root of the width, finite, >= 0.

    Returns
    -------
    float64 scalar or ndarray
        Zero at c = 0, :math:`c^3/12` near zero, at least -2.86, :math:`-4/c` for large c.

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 1e150.

    Notes
    -----
    Absolute error below 1e-12, relative error a few ulp below c = 1.

    References
    ----------
    docs/theory.md.

    Examples
    --------
    >>> round(float(uniform_correction(2.0)), 12)
    -0.821889046113
    """
    array = as_nonnegative_array("c", c, MAX_C)
    near, inner, outer = _branches(array)
    h = 0.5 * inner * inner
    square = h * h
    # l(h) = (h coth h - 1)/h, written so that c = 0 needs no care.
    ell = coth_excess(h) / np.where(h > 0.0, h, 1.0)
    growth = horner(square, _GAP) / horner(square, _MEAN)
    bracket = 0.5 * inner * (growth - ell) + inner**3 * (1.0 / 6.0 - 0.5 * ell)
    series = profile_correction(inner) + bracket
    tail = horner(1.0 / (outer * outer), _KAPPA_TAIL) / outer
    return np.where(near, series, tail)[()]
