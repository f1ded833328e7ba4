r"""Variances of the energies in powers of 1/n, and their limits at critical depth.

The public names are re-exported by `sigprop.theory.fluctuations`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sigprop._arguments import (
    FLOAT_WIDTH_LIMIT,
    as_choice,
    as_exact_integer,
    as_integer,
    as_integer_array,
    as_nonnegative_array,
)
from sigprop.theory import _variance_series
from sigprop.theory._exact_second_moments import MODELS
from sigprop.theory._variance_series import VarianceSeries


def variance_coefficients(depth: int, model: str = "rnn") -> list[int]:
    r"""Return :math:`[v_1, \dots, v_{12}]` of :math:`\mathrm{Var}(E) = \sum_r v_r n^{-r}`.

    Complex weights.

    RNN: :math:`v_1 = k`, :math:`v_2 = k(k-1)(2k+5)/6`.
    LRU: :math:`v_1 = (t+1)(t+2)(2t+3)/6`, :math:`v_2 = t(t+1)(t+2)(3t^2+6t+1)/60`.

    Parameters
    ----------
    depth : int
        k of the RNN or t of the LRU, >= 0.
    model : {"rnn", "lru"}, optional
        The recurrence.

    Returns
    -------
    list of int
        Twelve integers >= 0; polynomials in the depth, of degree 2r - 1 or 2r + 1.

    Raises
    ------
    TypeError, ValueError
        If `depth` is not an integer >= 0, or the model is unknown.

    Notes
    -----
    Interpolated from exact values with at least 19 depths to spare.

    Examples
    --------
    >>> variance_coefficients(4)[:4], variance_coefficients(4, model="lru")[:2]
    ([4, 26, 302, 1466], [55, 146])
    """
    as_choice("model", model, MODELS)
    return _variance_series.coefficients(as_exact_integer("depth", depth, 0), model)


def variance_series(n: int, depth: int, model: str = "rnn") -> VarianceSeries:
    r"""Return :math:`\sum_{r \le 12} v_r n^{-r}`, the start of Var(E), and its relative error.

    Complex weights at gain 1.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    depth : int
        k of the RNN or t of the LRU, >= 0.
    model : {"rnn", "lru"}, optional
        The recurrence.

    Returns
    -------
    VarianceSeries
        Partial sum and a bound on its relative error, ``inf`` where the series is of no use.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a number in its range, or the model is unknown.

    Notes
    -----
    All terms are >= 0, so the sum is below the variance.  What is left out is bounded by a
    geometric series, as the ratio of successive terms falls: seen in the leading coefficients
    of all orders to 24 (20), not proved.  The error depends on depth/sqrt(n) alone but at small
    width: it stays below 1e-12, 1e-6 and 1e-3 up to 0.62, 1.14 and 1.60 for the RNN, and up
    to 0.74, 1.34 and 1.82 for the LRU.

    Examples
    --------
    >>> start = variance_series(100, 10)
    >>> round(start.variance, 6), start.relative_error < 1e-6
    (0.17676, True)
    """
    as_choice("model", model, MODELS)
    width = as_integer("n", n, 1)
    as_integer_array("n", width, 1, FLOAT_WIDTH_LIMIT)
    return _variance_series.variance(width, as_integer("depth", depth, 0), model)


def critical_variance(c: Any, model: str = "rnn") -> Any:
    r"""Return the limit of the variance at critical depth c sqrt(n), complex weights.

    RNN: :math:`\sqrt n\, \mathrm{Var}(E_k) \to V(c) = c + c^3/3 + 7c^5/30 + \cdots`;
    LRU: :math:`\mathrm{Var}(E_t)/\sqrt n \to V_L(c) = c^3/3 + c^5/20 + \cdots`.

    Parameters
    ----------
    c : array_like of float
        Depth over the square root of the width, 0 to 2.5.
    model : {"rnn", "lru"}, optional
        The recurrence.

    Returns
    -------
    float64 scalar or ndarray
        V(c) or V_L(c).

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 2.5, or the model is unknown.

    Notes
    -----
    Taylor series to c^47 and c^41 with positive coefficients, the leading ones of
    `variance_coefficients`: what is left out is below 1e-6 of the sum up to c = 2 and
    1e-3 at 2.5.  The limit is approached slowly, with a relative error of about
    2/sqrt(n) at c = 1 and growing with c: at a given width use `relative_variance`.

    Examples
    --------
    >>> critical_variance([1.0, 2.0]).round(3)
    array([  1.68 , 107.467])
    """
    as_choice("model", model, MODELS)
    array = as_nonnegative_array("c", c)
    largest = _variance_series.CRITICAL_RANGE
    if np.any(array > largest):
        raise ValueError(f"c must hold numbers from 0 to {largest}, got {array.max()}")
    return _variance_series.critical_variance(array, model)[()]
