r"""Real Gaussian energies below and about sqrt(n): expansions with their errors.

At fixed depth the energy is a polynomial in 1/n with non-negative coefficients,

.. math:: Q^R_{n,k} = 1 + \frac{k^4 + 8k^3 - 4k^2 - 8k + 3\,[k\text{ odd}]}{24\,n^2}
   + \frac{q_3(k)}{n^3} + \dots,

with :math:`480\,q_3 = k(k-2)(34k^3 - 27k^2 - 14k - 8)` for even k and
:math:`(k^2-1)(34k^3 - 95k^2 + 74k - 45)` for odd k.  About :math:`k = c\sqrt n` it is the
complex energy plus :math:`\psi(c)/\sqrt n` (`sigprop.theory.real_profile`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory.approximation import Approximation, as_order, from_log_error, widths_and_depths
from sigprop.theory.critical import critical_lru, critical_rnn
from sigprop.theory.real_profile import scaled_real_correction, scaled_real_correction_integral
from sigprop.theory.real_uniform import real_uniform_lru, real_uniform_rnn


def real_sub_critical_rnn(n: Any, k: Any, order: int = 2) -> Approximation:
    r"""Return :math:`Q^R_{n,k} \approx 1 + q_2(k)/n^2 + q_3(k)/n^3`, the fixed-depth expansion.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    k : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        Corrections kept, 0 to 2.

    Returns
    -------
    Approximation
        A lower bound of the energy up to rounding. Its error is the correction left out
        and a measured rest, :math:`\frac{k^8}{480 n^4} e^{k^2/n}`; ``inf`` beyond
        :math:`k = 4\sqrt n`.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Exact up to depth 3 with both corrections.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> form = real_sub_critical_rnn(1000, [3, 8])
    >>> form.value, form.relative_error < 1e-7
    (array([1.00001   , 1.00032956]), array([ True,  True]))
    """
    order = as_order("order", order, 2)
    widths, depths = widths_and_depths(n, k, "k")
    x = depths * depths / widths
    terms = _fixed_depth_terms(widths, depths)
    near = x <= 16.0
    kept = sum((np.where(near, term, 0.0) for term in terms[:order]), np.zeros_like(x))
    rest = np.where(depths >= 4.0, x**4 / 480.0 * np.exp(np.minimum(x, 16.0)), 0.0)
    error = sum((np.abs(term) for term in terms[order:]), rest)
    return from_log_error(np.log1p(kept), np.where(near, error, np.inf))


def _fixed_depth_terms(n: FloatArray, k: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return q2/n^2 and q3/n^3, factored so that they are exactly zero where Q^R is 1."""
    odd = np.remainder(k, 2.0) == 1.0
    second = np.where(
        odd,
        (k - 1.0) * (k + 1.0) * (k * k + 8.0 * k - 3.0),
        k * (((k + 8.0) * k - 4.0) * k - 8.0),
    )
    third = np.where(
        odd,
        (k - 1.0) * (k + 1.0) * (((34.0 * k - 95.0) * k + 74.0) * k - 45.0),
        k * (k - 2.0) * (((34.0 * k - 27.0) * k - 14.0) * k - 8.0),
    )
    return second / 24.0 / n / n, third / 480.0 / n / n / n


def real_critical_rnn(n: Any, k: Any, order: int = 1) -> Approximation:
    r"""Return :math:`Q^R_{n,k} \approx F(c) + \frac{\varphi(c) + \psi(c)}{\sqrt n}`, about sqrt(n).

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    k : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        0 is the critical profile, the same for real and complex weights. 1 adds the complex
        correction :math:`\varphi` (under the exponential, as in `critical_rnn`) and the
        real one :math:`\psi` at :math:`c = k/\sqrt n`.

    Returns
    -------
    Approximation
        Its error is the distance to `real_uniform_rnn` plus the error of that.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    With the correction the error is of the order :math:`c^4/n`, as long as
    :math:`k^3 \ll n^2`; beyond, the product of `real_uniform_rnn` is what holds.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> forms = [real_critical_rnn(10**6, 1000, order) for order in (0, 1)]
    >>> [f"{float(form.value):.6f} +- {float(form.relative_error):.0e}" for form in forms]
    ['1.042447 +- 2e-04', '1.042622 +- 7e-07']
    """
    order = as_order("order", order, 1)
    widths, depths = widths_and_depths(n, k, "k")
    log_value = np.asarray(critical_rnn(widths, depths, order).log_value)
    if order == 1:
        c = depths / np.sqrt(widths)
        gap = c * c + _log(scaled_real_correction(c) / np.sqrt(widths))
        log_value = np.logaddexp(log_value, gap)
    return _measured_against(log_value, real_uniform_rnn(widths, depths))


def real_critical_lru(n: Any, t: Any, order: int = 1) -> Approximation:
    r"""Return :math:`S^R_{n,t} \approx S_{n,t} + \int_0^c \psi`, white inputs, about sqrt(n).

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        0 is the leading complex form :math:`\sqrt n\,I(c) - 1`; 1 takes both complex
        corrections and :math:`\int_0^c \psi`, :math:`c = (t + 1/2)/\sqrt n`.

    Returns
    -------
    Approximation
        Its error is the distance to `real_uniform_lru` plus the error of that.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> form = real_critical_lru(10**6, 1000)
    >>> round(float(form.value), 3), bool(form.relative_error < 1e-5)
    (1009.511, True)
    """
    order = as_order("order", order, 1)
    widths, depths = widths_and_depths(n, t, "t")
    log_value = np.asarray(critical_lru(widths, depths, 2 * order).log_value)
    if order == 1:
        c = (depths + 0.5) / np.sqrt(widths)
        gap = c * c + _log(scaled_real_correction_integral(c))
        log_value = np.logaddexp(log_value, gap)
    return _measured_against(log_value, real_uniform_lru(widths, depths))


def _log(values: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def _measured_against(log_value: FloatArray, uniform: Approximation) -> Approximation:
    """Return a form with its distance to the uniform one, and the error of that, as its error."""
    distance = np.abs(log_value - np.asarray(uniform.log_value))
    return from_log_error(log_value, distance + np.log1p(np.asarray(uniform.relative_error)))
