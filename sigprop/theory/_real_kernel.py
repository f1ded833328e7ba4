r"""float64 kernel of the real RNN energy: the closed form of O(k) terms, without cancellation.

Over :math:`n^m` the closed form is a combination of products of positive factors whose
coefficients sum to :math:`4m^2 - 1` at n = infinity.  So :math:`(4m^2-1)(Q - 1)` is the same
combination of each product minus 1, plus the parts of the coefficients that have 1/n in front.
The terms of order 1/n still cancel, which costs a factor :math:`n/k^2`; where that is too much,
the first two terms of the expansion in 1/n are enough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory._special import log_rising
from sigprop.theory._trace_moments import log_factors

MAX_DEPTH = 10**6
"""Largest depth: O(k) time and memory."""

_LARGEST_LOG = 500.0  # where log(a_m / n^m) is beyond, all products are scaled down by it
_SERIES_BELOW = 3e-5  # (k+1)^2 / n below which the terms left out are below 1e-10 of the excess


class RealEnergy(NamedTuple):
    """Q, log Q and Q - 1."""

    energy: float
    log_energy: float
    excess: float


class _Logs(NamedTuple):
    """Logs of a_p / n^p, b_p / n^p and d_p / n^p, p = 0, ..., m."""

    a: FloatArray
    b: FloatArray
    d: FloatArray


def _logs(n: int, m: int) -> _Logs:
    count = np.arange(m + 1.0)
    if n < 3:  # below the domain of the Stirling forms; d vanishes but for its empty product
        steps = np.arange(m) * 2.0
        with np.errstate(divide="ignore"):
            a = np.concatenate([[0.0], np.cumsum(np.log1p(steps / n))])
            b = np.concatenate([[0.0], np.cumsum(np.log1p((steps - 1.0) / n))])
        return _Logs(a, b, np.where(count > 0, -np.inf, 0.0))
    last = np.maximum(count - 1.0, 0.0)
    a = log_rising(np.full(m + 1, 0.5 * n), last)
    # b_q / n^q = (1 - 1/n)^q prod_{j<q} (1 + 2j/(n-1))
    below = math.log1p(-1.0 / n)
    b = count * below + log_rising(np.full(m + 1, 0.5 * (n - 1)), last)
    falling = log_factors(float(n), m + 2)[1]
    return _Logs(a, b, falling[1:] - below)


def _combination(n: int, m: int) -> tuple[float, float]:
    """Return ((4m^2 - 1)(Q - 1), 0), or ((4m^2 - 1) Q exp(-scale), scale) with scale > 0."""
    logs = _logs(n, m)
    largest = float(logs.a[m])
    scale = largest if largest > _LARGEST_LOG else 0.0
    minus_one = np.exp if scale > 0.0 else np.expm1
    total = (2 * m + 1) * float(minus_one(logs.a[m] - scale))

    q = np.arange(1, m // 2 + 1)
    total += 4.0 * minus_one(logs.a[m - q] + logs.b[q] - scale).sum()

    p = np.arange(1, m)
    products = logs.a[p] + logs.d[m - 1 - p] - scale
    total += 2.0 * (np.exp(products).sum() / n - minus_one(products).sum())

    i = np.arange(1, (m - 1) // 2 + 1)
    products = logs.a[i] + logs.b[i] + logs.d[m - 1 - 2 * i] - scale
    slope = (2.0 * m - 4.0 * (2 * m + 1) * (m + 1 - 3 * i)) / n
    total += 4.0 * (2 * m + 1) * minus_one(products).sum() + (slope * np.exp(products)).sum()

    if m % 2 == 0:
        total += 4.0 * m * float(minus_one(logs.a[m // 2] + logs.b[m // 2] - scale))
    return float(total), scale


def _series(n: int, k: int) -> float:
    """Return the terms in 1/n^2 and 1/n^3 of Q - 1; there is none in 1/n."""
    odd = k % 2
    second = (k**4 + 8 * k**3 - 4 * k**2 - 8 * k + 3 * odd) // 24
    if odd:
        third = (k**2 - 1) * (34 * k**3 - 95 * k**2 + 74 * k - 45) // 480
    else:
        third = k * (k - 2) * (34 * k**3 - 27 * k**2 - 14 * k - 8) // 480
    return second / n**2 + third / n**3


def real_energy(n: int, k: int) -> RealEnergy:
    """Return the energy of a real RNN at one point."""
    m = k + 1
    if k < 2:
        return RealEnergy(1.0, 0.0, 0.0)
    if m * m < _SERIES_BELOW * n:
        excess = _series(n, k)
        return RealEnergy(1.0 + excess, math.log1p(excess), excess)
    total, scale = _combination(n, m)
    value = total / (4.0 * m * m - 1.0)
    if scale == 0.0:
        return RealEnergy(1.0 + value, math.log1p(value), value)
    log_energy = math.log(value) + scale
    with np.errstate(over="ignore"):
        energy = float(np.exp(log_energy))
    return RealEnergy(energy, log_energy, energy - 1.0)
