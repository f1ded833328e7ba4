r"""Super-critical energies: depths far above :math:`\sqrt n`, uniformly in :math:`a = t/n`.

Where the falling factorials have died out the energies have an expansion in 1/n at fixed
a, whose corrections are rational in a and, in :math:`u = n/t^2`, of the order of powers
of u when a is small.  The published form is what is left when also :math:`t \ll n^{2/3}`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory._special import horner, phi
from sigprop.theory.approximation import Approximation, as_order, corrected, widths_and_depths

_SAFETY = 4.5
"""Share of the third correction that bounds the rest after two.

Measured for u <= 0.12, n from 1 to 1e12: at most 3.95 for S/Q, 3.76 for S, 1.00 for Q.
"""


class _Point(NamedTuple):
    """Width, depth, :math:`a = t/n` and :math:`u = n/t^2`; depth 0 stands as depth 1."""

    n: FloatArray
    t: FloatArray
    a: FloatArray
    u: FloatArray
    positive: Any

    def form(
        self,
        leading: FloatArray,
        corrections: tuple[FloatArray, ...],
        rest: FloatArray,
        order: int,
    ) -> Approximation:
        """Return the corrected form; at depth 0 it says nothing."""
        leading = np.where(self.positive, leading, np.inf)
        return corrected(leading, corrections, np.where(self.positive, rest, np.inf), order)


def _point(n: Any, t: Any, name: str) -> _Point:
    widths, depths = widths_and_depths(n, t, name)
    safe = np.maximum(depths, 1.0)
    return _Point(widths, safe, safe / widths, widths / safe / safe, depths > 0.0)


def _falling_part(point: _Point) -> FloatArray:
    """Bound -log(1 - f/r), the share of the falling factorial: log(r/f) >= (t+1)(t+2)/n."""
    exponent = (point.t + 1.0) * ((point.t + 2.0) / point.n)
    bound: FloatArray = -np.log(-np.expm1(-exponent))
    return bound


def super_critical_rnn(n: Any, k: Any, order: int = 1) -> Approximation:
    r"""Return :math:`Q_{n,k} \approx (n/k^2) (1+a)^{3/2} e^{n\varphi(a) + \dots}`, a = k/n.

    Here :math:`\varphi(a) = (1+a)\log(1+a) - a`, and the corrections to the exponent are
    :math:`-\frac{a^2+24a+36}{12 a(1+a) n} + \frac{4a^2+10a+5}{2 a^2 (1+a)^2 n^2}`.

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
        Its error is the sum of the corrections left out, of the share of the falling
        factorial and of a measured multiple of the third correction.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    The corrections come from Stirling's formula and from :math:`(k+1)(k+2)` and fall with
    1/k; the window opens where :math:`e^{-k^2/n}` is small.  At depth 0 the form is ``inf``.

    References
    ----------
    docs/theory.md.

    Examples
    --------
    >>> form = super_critical_rnn(10**4, 10**4)
    >>> round(float(form.log_value), 6), f"{float(form.relative_error):.0e}"
    (3854.772737, '2e-08')
    """
    order = as_order("order", order, 2)
    point = _point(n, k, "k")
    a, width = point.a, point.n
    corrections = (
        -(36.0 + a * (24.0 + a)) / (12.0 * a * (1.0 + a)) / width,
        (5.0 + a * (10.0 + 4.0 * a)) / (2.0 * (a * (1.0 + a)) ** 2) / width**2,
    )
    third = horner(a, (1080.0, 3240.0, 3240.0, 960.0, 3.0, 3.0, 1.0))
    third = third / (360.0 * (a * (1.0 + a)) ** 3) / width**3
    leading = np.log(point.u) + 1.5 * np.log1p(a) + width * phi(a)
    return point.form(leading, corrections, _SAFETY * third + _falling_part(point), order)


def _log_prefactor(point: _Point) -> FloatArray:
    """Return log(n^2/t^3)."""
    result: FloatArray = np.log(point.u) - np.log(point.a)
    return result


def _lru_corrections(point: _Point) -> tuple[tuple[FloatArray, FloatArray], FloatArray]:
    """Return the first two corrections of log S, and a bound on the rest."""
    a, u = point.a, point.u
    first = u * horner(a, (36.0, -24.0, -24.0, -1.0)) / (12.0 * (1.0 + a))
    second = u * u * horner(a, (21.0, 32.0, 10.0, 8.0, 4.0)) / (2.0 * (1.0 + a) ** 2)
    # Absolute values of the coefficients: the third correction changes sign.
    third = horner(a, (24840.0, 69120.0, 61560.0, 16320.0, 1800.0, 2880.0, 960.0, 3.0, 3.0, 1.0))
    third = u**3 * third / (360.0 * (1.0 + a) ** 3)
    return (first, second), _SAFETY * third


def super_critical_lru(n: Any, t: Any, order: int = 1) -> Approximation:
    r"""Return :math:`S_{n,t} \approx (n^2/t^3) (1+a)^{5/2} e^{n\varphi(a) + \dots}`, a = t/n.

    Here :math:`\varphi(a) = (1+a)\log(1+a) - a`, and the corrections to the exponent are
    :math:`\frac{36-24a-24a^2-a^3}{12 a^2 (1+a) n}
    + \frac{21+32a+10a^2+8a^3+4a^4}{2a^4(1+a)^2 n^2}`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        Corrections kept, 0 to 2.

    Returns
    -------
    Approximation
        Its error is the sum of the corrections left out and of a measured multiple of
        the third one.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Valid for all :math:`t \gg \sqrt n`, also for t comparable to n and beyond; the first
    correction is about :math:`3n/t^2` for t below n.  At depth 0 the form is ``inf``.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> form = super_critical_lru(10**6, 10**5)
    >>> round(float(form.log_value), 5), f"{float(form.relative_error):.0e}"
    (4834.52856, '1e-07')
    """
    order = as_order("order", order, 2)
    point = _point(n, t, "t")
    corrections, rest = _lru_corrections(point)
    leading = _log_prefactor(point) + 2.5 * np.log1p(point.a) + point.n * phi(point.a)
    return point.form(leading, corrections, rest, order)


def super_critical_ratio(n: Any, t: Any, order: int = 1) -> Approximation:
    r"""Return :math:`S_{n,t}/Q_{n,t} \approx \frac{1+a}a (1 + \dots)`, :math:`a = t/n`.

    The corrections are :math:`\frac{3+a}{a^2(1+a)n} + \frac{15+4a-a^2}{a^4(1+a)n^2}`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        Corrections kept, 0 to 2.

    Returns
    -------
    Approximation
        Of the ratio, not of S.  Its error is the sum of the corrections left out and of
        a measured multiple of the third.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    The number of last terms that make up S.  For t far above n it tends to 1, for t far
    below to n/t.  At depth 0 the form is ``inf``.

    References
    ----------
    docs/theory.md.

    Examples
    --------
    >>> form = super_critical_ratio(10**4, [1000, 10**6])
    >>> form.value.round(6)
    array([11.31,  1.01])
    """
    order = as_order("order", order, 2)
    point = _point(n, t, "t")
    a, u = point.a, point.u
    terms = (
        u * (3.0 + a) / (1.0 + a),
        u * u * (15.0 + a * (4.0 - a)) / (1.0 + a),
    )
    third = u**3 * horner(a, (105.0, 45.0, 1.0, 1.0)) / (1.0 + a)
    # The factor 1 + ... taken into the logarithm, order by order.
    sums = (np.zeros_like(u), terms[0], terms[0] + terms[1])
    logs = [np.log1p(total) for total in sums]
    corrections = (logs[1], logs[2] - logs[1])
    leading = np.log1p(1.0 / a)
    return point.form(leading, corrections, np.log1p(_SAFETY * third), order)


def published_lru(n: Any, t: Any) -> Approximation:
    r"""Return the published form :math:`S_{n,t} \approx \frac{n^2}{t^3} e^{t^2/(2n)}`.

    An equivalence only in the window :math:`\sqrt n \ll t \ll n^{2/3}`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.

    Returns
    -------
    Approximation
        Its error is that of `super_critical_lru` plus the distance to it, at most
        :math:`t^3/(6n^2) + \frac52 \log(1 + t/n)` in the logarithm.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Too large by :math:`e^{t^3/(6n^2)}` at the upper end of the window, because
    :math:`n\varphi(t/n) = t^2/(2n) - t^3/(6n^2) + \dots`; too small by :math:`3n/t^2` at the
    lower end.  Where the two errors cancel, or far below :math:`\sqrt n` where the form
    crosses S by accident, it is better than stated.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> form = published_lru(10**6, [500, 10**4, 10**5])
    >>> form.in_window
    array([False,  True, False])
    """
    point = _point(n, t, "t")
    corrections, rest = _lru_corrections(point)
    distance = point.t**3 / (6.0 * point.n**2) + 2.5 * np.log1p(point.a)
    leading = _log_prefactor(point) + 0.5 * point.t * (point.t / point.n)
    return point.form(leading, corrections, rest + distance, 0)
