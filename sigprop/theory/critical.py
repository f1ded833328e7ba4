r"""Critical energies, depth of the order of :math:`\sqrt n`, with two corrections.

The corrections are those of the logarithm.  Both forms keep their accuracy well beyond
:math:`t \sim \sqrt n`, since the powers of :math:`c^3/\sqrt n` that a plain expansion has to
sum are then under the exponential, and both are exact in the limit of small depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory.approximation import Approximation, as_order, corrected, widths_and_depths
from sigprop.theory.profile import (
    coth_excess,
    log_critical_profile,
    scaled_critical_integral,
    scaled_sinh_integral,
)


def _rnn_remainder(n: FloatArray, m: FloatArray, x: FloatArray, x_coth_x: FloatArray) -> FloatArray:
    r"""Bound what two corrections leave of log Q; proved, infinite from m = n on.

    With :math:`D = \sum_{j \le m} \mathrm{artanh}(j/n)` and
    :math:`A = \frac12 \sum_{j \le m} \log(1 - j^2/n^2)`, :math:`Q = e^A \sinh(D)/x`.
    """
    y = m / n
    with np.errstate(divide="ignore"):
        geometric = np.where(y < 1.0, 1.0 / np.maximum(1.0 - y * y, 0.0), np.inf)
    # (D - x)/x - x/(3n) and -A - (2m+1)x/(6n) are between zero and these two.
    stretch = 4.0 * x * x / (15.0 * n * n) * geometric
    damping = (2.0 * m + 1.0) * x * x / (10.0 * n * n) * geometric
    # log sinh is concave, with second derivative at least -1/x^2.
    curvature = 0.5 * (x / (3.0 * n) + stretch) ** 2
    return np.maximum(stretch * x_coth_x, damping + curvature)


def critical_rnn(n: Any, k: Any, order: int = 2) -> Approximation:
    r"""Return :math:`Q_{n,k} \approx \frac{\sinh x}x e^{q_1 + q_2}`, :math:`x = (k+1)(k+2)/(2n)`.

    The corrections are :math:`q_1 = -(2k+3)x/(6n)` and :math:`q_2 = x^2 \coth x/(3n)`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    k : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        Corrections kept, 0 to 2: the first is of the order :math:`c^3/\sqrt n`, the second
        :math:`c^4/n`, :math:`c = k/\sqrt n`.

    Returns
    -------
    Approximation
        Its error is proved; order 0 is an upper bound of Q.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    The leading form is the critical profile F at :math:`c = \sqrt{2x}`.  After two
    corrections the logarithm is off by :math:`-c^5/(20 n^{3/2})` for large c and much less
    for small c.  The error is ``inf`` from depth n - 1 on.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> forms = [critical_rnn(10**6, 2000, order) for order in (0, 1, 2)]
    >>> [f"{float(form.value):.9f} +- {float(form.relative_error):.0e}" for form in forms]
    ['1.816358108 +- 1e-03', '1.813932465 +- 1e-06', '1.813934981 +- 2e-09']
    """
    order = as_order("order", order, 2)
    widths, depths = widths_and_depths(n, k, "k")
    m = depths + 1.0
    x = m * ((m + 1.0) / (2.0 * widths))
    x_coth_x = 1.0 + coth_excess(x)
    corrections = (
        -(2.0 * m + 1.0) * x / (6.0 * widths),
        x * x_coth_x / (3.0 * widths),
    )
    leading = log_critical_profile(np.sqrt(2.0 * x))
    return corrected(leading, corrections, _rnn_remainder(widths, m, x, x_coth_x), order)


def critical_lru(n: Any, t: Any, order: int = 2) -> Approximation:
    r"""Return :math:`S_{n,t} \approx B\,e^{s_1 + (s_2 - s_1^2/2)}`, :math:`B = \sqrt n\,I(c) - 1`.

    With :math:`c = (t+2)/\sqrt n` and :math:`h = c^2/2`, :math:`B s_1 = -(\cosh h - 1)/3` and
    :math:`\sqrt n\,B s_2 = \frac{c^3}{36}\cosh h + \frac c{12}\sinh h
    - \frac16 \int_0^c \sinh\frac{v^2}2\,dv`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        Corrections kept, 0 to 2: the first is of the order :math:`c^3/\sqrt n`, the second
        :math:`c^4/n`.

    Returns
    -------
    Approximation
        Its error is the sum of the corrections left out and of a measured rest;
        order 0 is a proved upper bound of S.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Expanded in powers, :math:`S = \sqrt n\,I(c) - 1 - (\cosh h - 1)/3 + \dots`; under the
    exponential the rest is :math:`c(1 + 1.2 c^4)/(24 n^{3/2})` in the limits of small and
    large c, and the stated error takes 1.3 for 1.2.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> forms = [critical_lru(10**6, 2000, order) for order in (0, 1, 2)]
    >>> [f"{float(form.value):.6f} +- {float(form.relative_error):.0e}" for form in forms]
    ['2300.966155 +- 4e-04', '2300.040761 +- 4e-07', '2300.041728 +- 2e-09']
    """
    order = as_order("order", order, 2)
    widths, depths = widths_and_depths(n, t, "t")
    root = np.sqrt(widths)
    c = (depths + 2.0) / root
    h = 0.5 * c * c
    # Everything below carries the factor e^-h.
    decay = np.exp(-h)
    base = root * scaled_critical_integral(c) - decay
    cosh, sinh = 0.5 * (1.0 + decay * decay), -0.5 * np.expm1(-2.0 * h)
    first = -(np.expm1(-h) ** 2) / (6.0 * base)
    second = (c**3 * cosh / 36.0 + c * sinh / 12.0 - scaled_sinh_integral(c) / 6.0) / (root * base)
    rest = c * (1.0 + 1.3 * c**4) / (24.0 * widths * root)
    corrections = (first, second - 0.5 * first * first)
    return corrected(h + np.log(base), corrections, rest, order)
