"""Density of the proposed chain (q, h) over its density under the law of W, in closed form.

The proposal is W conditioned on a left eigenvector: W^T l = lam l with l uniform. In Krylov
coordinates q_j = l_j / l_0 and only q and the subdiagonal h are kept, so that l_0 is
integrated out and one integral over z, a multiple of |l_0|^2, is left.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sigprop.montecarlo._ritz_proposal import PAIR, REAL, RitzPlan
from sigprop.montecarlo._ritz_vectors import log_sum_exp

FloatArray = npt.NDArray[np.float64]

_NODES = 64
"""Gauss-Legendre nodes of the integral."""

_DROP = 40.0
"""The integral runs over the window where the integrand is above exp(-40) times its peak."""


class ChainSums(NamedTuple):
    """What the density ratio of a chain depends on, L = K - 1."""

    weight: FloatArray  # A_L = sum_{i<=L} |q_i|^2
    previous_weight: FloatArray  # A_{L-1}
    skewness: FloatArray  # |sum_{i<=L} q_i^2|, used for pairs only
    log_subdiagonal: FloatArray  # sum_j log h_j


def log_chain_ratio(plan: RitzPlan, square: FloatArray, sums: ChainSums) -> FloatArray:
    """Return log R, R = proposal density / density under the law of W, given |lam|^2."""
    if plan.family == PAIR:
        return _pair_ratio(plan, square, sums)
    return _vector_ratio(plan, square, sums)


def _vector_ratio(plan: RitzPlan, square: FloatArray, sums: ChainSums) -> FloatArray:
    r"""Return log R for a left vector l uniform on the sphere, size-biased by |l_0|^2.

    With c = D/2, kap = c + 1:

    R = Gamma(cn)/Gamma(c(n-L-1)) (cn)^(-cL) prod h_j^(-D) pi^(-1/2 if D=1)
        B(c, c(n-1))/B(kap, c(n-1)) A_L^(-kap)
        int_0^1 z^(kap-1) (1-z)^(c(n-L-1)-1) exp(c n s z A_{L-1}/A_L) dz
    """
    n, L = plan.width, plan.block - 1
    c = 0.5 * plan.dimension
    kappa = c + 1.0
    free = c * (n - L - 1)
    constant = math.lgamma(c * n) - math.lgamma(free) - c * L * math.log(c * n)
    constant += _log_beta(c, c * (n - 1)) - _log_beta(kappa, c * (n - 1))
    if plan.family == REAL:
        constant -= 0.5 * math.log(math.pi)
    one = np.ones_like(square)
    rate = c * n * square * sums.previous_weight / sums.weight
    integral = log_peaked_integral(kappa - 1.0, free - 1.0, one, np.zeros_like(square), rate)
    result: FloatArray = (
        constant - plan.dimension * sums.log_subdiagonal - kappa * np.log(sums.weight) + integral
    )
    return result


def _pair_ratio(plan: RitzPlan, square: FloatArray, sums: ChainSums) -> FloatArray:
    r"""Return log R for l = X + iY, (X, Y) a uniform orthonormal frame, biased by |l_0|^2.

    With z = |l_0|^2 and the bivariate G(a) = sqrt(pi) Gamma(a) Gamma(a - 1/2):

    R = G(n/2)/G((n-L-1)/2) (2/n)^L prod h_j^(-2)
        int (n z/2) ((1 - z A_L/2)^2 - (z |B_L|/2)^2)^((n-L-4)/2) exp(n s z A_{L-1}/2) dz
    over 0 < z < 2/(A_L + |B_L|): the frame's density is det(I - F^T F)^((n-L-4)/2).
    """
    n, L = plan.width, plan.block - 1
    constant = _log_bivariate_gamma(0.5 * n) - _log_bivariate_gamma(0.5 * (n - L - 1))
    constant += L * math.log(2.0 / n) + math.log(0.5 * n)
    integral = log_peaked_integral(
        1.0,
        0.5 * (n - L - 4),
        0.5 * (sums.weight + sums.skewness),
        0.5 * (sums.weight - sums.skewness),
        0.5 * n * square * sums.previous_weight,
    )
    result: FloatArray = constant - 2.0 * sums.log_subdiagonal + integral
    return result


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _log_bivariate_gamma(a: float) -> float:
    return 0.5 * math.log(math.pi) + math.lgamma(a) + math.lgamma(a - 0.5)


def log_peaked_integral(
    power: float, exponent: float, steep: FloatArray, flat: FloatArray, rate: FloatArray
) -> FloatArray:
    r"""Return log int_0^(1/a) z^p (1 - a z)^v (1 - b z)^v exp(r z) dz, a > b >= 0.

    Parameters
    ----------
    power, exponent : float
        p > 0 and v > 0, multiples of 1/2.
    steep, flat, rate : ndarray, shape (N,)
        a, b and r.

    Notes
    -----
    Gauss-Legendre in theta, a z = sin(theta)^2, where half-integer powers are smooth at
    both ends, over the window in which the log-concave integrand is not negligible.
    Relative error below 1e-11 for widths 8 to 1e7 (rounding of terms of size n).
    """
    nodes, log_weights = _rule()
    # In units of z = x/a: x^p (1 - x)^v (1 - ratio x)^v exp(rate x), 0 < x < 1.
    ratio, rate = flat / steep, rate / steep
    low, high = _window(power, exponent, ratio, rate)
    start, stop = np.arcsin(np.sqrt(low)), np.arcsin(np.sqrt(high))
    theta = start[:, np.newaxis] + (stop - start)[:, np.newaxis] * nodes
    sine_square = np.sin(theta) ** 2
    terms = (power + 0.5) * np.log(sine_square) + (exponent + 0.5) * np.log1p(-sine_square)
    terms += rate[:, np.newaxis] * sine_square + log_weights
    if np.any(ratio > 0.0):
        terms += exponent * np.log1p(-ratio[:, np.newaxis] * sine_square)
    # dx = 2 sin(theta) cos(theta) dtheta
    scale = np.log(2.0 * (stop - start)) - (power + 1.0) * np.log(steep)
    return log_sum_exp(terms) + scale


@cache
def _rule() -> tuple[FloatArray, FloatArray]:
    """Nodes and log weights on (0, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return 0.5 * (nodes + 1.0), np.log(0.5 * weights)


def _window(
    power: float, exponent: float, ratio: FloatArray, rate: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return where the integrand has dropped by exp(-`_DROP`) or more on each side of its peak.

    At distance d above the peak x the logarithm falls by at least both d^2 G/2,
    G = sum of v (a/(1 - a x))^2 over the two factors, and p r^2/(2 (1 + r)), r = d/x;
    below it by at least d^2 (p/x^2 + sum of v a^2/(1 - a x))/2.
    """
    peak = _peak(power, exponent, ratio, rate)
    steep_room, flat_room = 1.0 - peak, 1.0 - ratio * peak
    curvature = exponent * (1.0 / steep_room**2 + (ratio / flat_room) ** 2)
    reach = (_DROP + math.sqrt(_DROP**2 + 2.0 * power * _DROP)) / power
    above = np.minimum(np.sqrt(2.0 * _DROP / curvature), reach * peak)
    slower = power / peak**2 + exponent * (1.0 / steep_room + ratio**2 / flat_room)
    below = np.sqrt(2.0 * _DROP / slower)
    return np.maximum(peak - below, 0.0), np.minimum(peak + above, 1.0)


def _peak(power: float, exponent: float, ratio: FloatArray, rate: FloatArray) -> FloatArray:
    """Return x with p/x - v/(1-x) - v ratio/(1 - ratio x) + rate = 0, by bisection."""
    low, high = np.zeros_like(rate), np.ones_like(rate)
    for _ in range(40):
        x = 0.5 * (low + high)
        slope = power / x - exponent / (1.0 - x) - exponent * ratio / (1.0 - ratio * x) + rate
        rising = slope > 0.0
        low = np.where(rising, x, low)
        high = np.where(rising, high, x)
    return 0.5 * (low + high)
