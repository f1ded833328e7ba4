r"""Critical limit of the real LRU with correlated inputs, depth :math:`t = c \sqrt n`.

A cross moment of real weights with :math:`i = x\sqrt n \ne j = y\sqrt n`, i + j even, is
:math:`n^{-1/2} \kappa(x, y)` to leading order.  With x <= y and :math:`\mu = (x+y)/2`

.. math:: \kappa(x, y) = e^{\mu^2} \Bigl\{ \frac{1 - e^{-x(y + x/2)}}{2\mu}
   + \frac1{2\mu^2} \int_0^x e^{-\mu s + s^2/2} (1 - e^{-\mu s})\,ds \Bigr\} ,

where no term is negative.  The order of the cross terms of S depends on the inputs:

- constant inputs: :math:`S_{n,t}/\sqrt n \to I(c) + \iint_{0<x<y<c} \kappa\,dx\,dy`, with
  :math:`I(c) = \int_0^c \frac2{x^2} \sinh\frac{x^2}2\,dx` the limit for white inputs;
- R(s) = r(s/sqrt(n)) for a function r: the same with :math:`r(y - x)` under the integral;
- a fixed summable R: the cross terms add :math:`2 \sum_{h \ge 1} R(2h)
  \int_0^c \kappa(x, x)\,dx` to S itself and do not change the limit of :math:`S/\sqrt n`.

These limits are taken term by term in the closed form of the cross moments, which is proved;
that the limit may be taken under the sum near x = 0 is not written out.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from sigprop._arguments import FloatArray, as_nonnegative_array
from sigprop.theory.profile import critical_integral

MAX_C = 10.0
"""Largest c: far beyond the critical regime of any width that is a float."""

_LEAST = 1e-150
_NODES = 64


def cross_moment_profile(x: Any, y: Any) -> Any:
    r"""Return :math:`\kappa(x, y) = \lim \sqrt n\,\frac1n E\,\mathrm{tr}\,(W^i)^T W^j`, i != j.

    Parameters
    ----------
    x, y : array_like of float
        :math:`i/\sqrt n` and :math:`j/\sqrt n`, 0 to 10, in either order.

    Returns
    -------
    float64 scalar or ndarray
        Zero where x or y is zero; :math:`x e^{y^2/4}` for small x.

    Raises
    ------
    TypeError, ValueError
        If an argument does not hold numbers from 0 to 10.

    Notes
    -----
    A Gauss rule of 64 nodes; relative error below 1e-13.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> round(float(cross_moment_profile(1.0, 2.0)), 12)
    3.413527234044
    """
    x, y = as_nonnegative_array("x", x, MAX_C), as_nonnegative_array("y", y, MAX_C)
    return _kernel(np.minimum(x, y), np.maximum(x, y))[()]


def _kernel(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return kappa for x <= y."""
    # Below the square root of the least float kappa is its first term x, and 1/mu overflows.
    tiny, first_term = y < _LEAST, x
    mu = np.where(tiny, 1.0, 0.5 * (x + y))
    x, y = np.where(tiny, 0.0, x), np.where(tiny, 0.0, y)
    node, weight = _rule()
    s = np.asarray(x)[..., np.newaxis] * node
    decay = mu[..., np.newaxis] * s
    integrand = -np.exp(0.5 * s * s - decay) * np.expm1(-decay)
    integral = x * (integrand @ weight)
    brace = integral / mu - np.expm1(-x * (y + 0.5 * x))
    return np.where(tiny, first_term, np.exp(mu * mu) * brace / (2.0 * mu))


@functools.cache
def _rule() -> tuple[FloatArray, FloatArray]:
    """Return the Gauss-Legendre rule on the interval from 0 to 1."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    return 0.5 * (node + 1.0), 0.5 * weight


def cross_moment_integral(c: Any) -> Any:
    r"""Return :math:`\iint_{0<x<y<c} \kappa\,dx\,dy`, what constant inputs add to the limit.

    Parameters
    ----------
    c : array_like of float
        Depth over the square root of the width, 0 to 10.

    Returns
    -------
    float64 scalar or ndarray
        :math:`c^3/6\,(1 + O(c^2))` for small c.

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 10.

    Notes
    -----
    A product of Gauss rules of 64 nodes in y and x/y; relative error below 1e-12.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> cross_moment_integral([0.5, 1.0, 2.0, 3.0]).round(5)
    array([2.1650000e-02, 1.9722000e-01, 3.3867900e+00, 1.2075411e+02])
    """
    c = as_nonnegative_array("c", c, MAX_C)
    node, weight = _rule()
    result = np.empty(c.shape)
    for index in np.ndindex(c.shape):
        y = c[index] * node[:, np.newaxis]
        inner = _kernel(y * node, y) @ weight
        result[index] = c[index] * float((y[:, 0] * inner) @ weight)
    return result[()]


def constant_input_profile(c: Any) -> Any:
    r"""Return :math:`I(c) + \iint_{0<x<y<c} \kappa`, the limit of :math:`S_{n,t}/\sqrt n`.

    Parameters
    ----------
    c : array_like of float
        Depth over the square root of the width, 0 to 10.

    Returns
    -------
    float64 scalar or ndarray
        Limit for real weights and one input vector at all steps.

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 10.

    Notes
    -----
    Relative error below 1e-12.  S over the root of n differs from the limit by a term of
    order :math:`n^{-1/2}`, which at c = 1 is :math:`1.32/\sqrt n`.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> constant_input_profile([1.0, 2.0]).round(5)
    array([1.20561, 5.68512])
    """
    return critical_integral(as_nonnegative_array("c", c, MAX_C)) + cross_moment_integral(c)


def summable_input_slope(c: Any) -> Any:
    r"""Return :math:`2 \int_0^c \kappa(x, x)\,dx`, what S gains per unit of :math:`\sum_h R(2h)`.

    Parameters
    ----------
    c : array_like of float
        Depth over the square root of the width, 0 to 10.

    Returns
    -------
    float64 scalar or ndarray
        For a fixed summable R, S is that of white inputs plus this times R(2) + R(4) + ...,
        up to :math:`O(n^{-1/2})`; for ("ar1", rho) the sum is rho^2/(1 - rho^2).

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 10.

    Notes
    -----
    Relative error below 1e-12.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> round(float(summable_input_slope(1.0)), 9)
    1.169287069
    """
    c = as_nonnegative_array("c", c, MAX_C)
    node, weight = _rule()
    x = c[..., np.newaxis] * node
    return (2.0 * c * (_kernel(x, x) @ weight))[()]
