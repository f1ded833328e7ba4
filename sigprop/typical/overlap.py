r"""Eigenvector overlaps: how much one eigenvalue of W contributes to the energy.

Through the eigenvectors of W, :math:`W^k x = \sum_i \lambda_i^k r_i (l_i^* x)`. The energy
keeps the diagonal overlaps :math:`|l_i|^2 |r_i|^2`, each replaced by its mean given the
eigenvalue: with :math:`u = n |\lambda|^2`, for complex Gaussian weights exactly

.. math:: O(u) = n - u + \frac{u^n e^{-u}}{\Gamma(n, u)}.

Then :math:`E_k \approx \sum_i v(u_i) X_i` with unit exponential :math:`X_i` and

.. math:: v(u) = \frac{A}{n} \Big(\frac{u}{n}\Big)^k O(u), \qquad
          A = 1 - \frac{n (n-1) \cdots (n-k-1)}{n (n+1) \cdots (n+k+1)},

where A carries the mean of the off-diagonal overlaps. The mean of this sum is exactly
:math:`Q_{n,k}`: the rising factorial of Q comes from the diagonal overlaps, the falling
one from the others.
"""

from __future__ import annotations

import math

import numpy as np

from sigprop._arguments import FloatArray

_FRACTION_FROM = 3.0  # standard deviations sqrt(n) above n: here the two forms are equally good
_FRACTION_TERMS = 80  # relative error below 1e-12 from there on, measured
_NEGLIGIBLE_LOG = 45.0


def log_mean_overlap(u: FloatArray, n: int) -> FloatArray:
    r"""Return :math:`\log O(u)`, the mean overlap at :math:`u = n|\lambda|^2`.

    Parameters
    ----------
    u : ndarray of float64
        Squared moduli times n, > 0.
    n : int
        Width, >= 1.

    Returns
    -------
    ndarray of float64
        Logarithms, from log n at the centre to 0 far outside the disc.

    Notes
    -----
    Above ``n + 3 sqrt(n)``, where n - u cancels, the continued fraction of the incomplete
    Gamma function gives :math:`O(u) = 1 + (n-1)/(u-n+3 + 2(n-2)/(u-n+5 + \cdots))`, all of
    whose terms are positive.

    Examples
    --------
    >>> log_mean_overlap(np.array([1e-9, 64.0, 1000.0]), 64).round(4)
    array([4.1589, 1.8862, 0.0649])
    """
    outside = u > n + _FRACTION_FROM * math.sqrt(n)
    inner = np.where(outside, float(n), u)
    outer = np.where(outside, u, n + _FRACTION_FROM * math.sqrt(n))
    return np.asarray(np.where(outside, _log_by_fraction(outer, n), _log_direct(inner, n)))


def _log_direct(u: FloatArray, n: int) -> FloatArray:
    from scipy.special import gammaincc

    # log(u^n e^-u / Gamma(n)) about its maximum at u = n, so that nothing large is subtracted.
    y = (u - n) / n
    log_density = n * (np.log1p(y) - y) + _log_peak(n)
    return np.asarray(np.log((n - u) + np.exp(log_density - np.log(gammaincc(n, u)))))


def _log_peak(n: int) -> float:
    """Return log(n^n e^-n / Gamma(n))."""
    if n < 100:
        return n * math.log(n) - n - math.lgamma(n)
    return 0.5 * math.log(n / (2.0 * math.pi)) - 1.0 / (12.0 * n) + 1.0 / (360.0 * n**3)


def _log_by_fraction(u: FloatArray, n: int) -> FloatArray:
    terms = min(n - 1, _FRACTION_TERMS)
    excess = u - n
    denominator = excess + (2 * terms + 1)
    for m in range(terms, 0, -1):
        denominator = excess + (2 * m - 1) + m * (n - m) / denominator
    # The fraction ends in u - n + 1 + (n-1)/(...), of which O is all but u - n.
    return np.asarray(np.log(denominator - excess))


def log_interference(n: int, k: int) -> float:
    r"""Return log A, the factor of the off-diagonal overlaps; 0 from k = n - 1 on.

    Examples
    --------
    >>> round(math.exp(log_interference(4, 1)), 12)  # 1 - 4*3*2/(4*5*6)
    0.8
    >>> log_interference(4, 3)
    0.0
    """
    if k + 1 >= n:
        return 0.0
    # -2 artanh(j/n) per factor: the sum passes -45 before j = 7 sqrt(n).
    last = min(k + 1, math.ceil(math.sqrt(_NEGLIGIBLE_LOG * n)) + 1)
    ratios = np.arange(1, last + 1) / n
    return float(np.log(-np.expm1(-2.0 * np.arctanh(ratios).sum())))


def log_weight(u: FloatArray, n: int, k: int) -> FloatArray:
    r"""Return :math:`\log v(u)`, the weight of an eigenvalue with :math:`u = n|\lambda|^2`."""
    return np.asarray(
        log_interference(n, k) + k * np.log(u / n) + log_mean_overlap(u, n) - math.log(n)
    )
