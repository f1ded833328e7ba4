r"""The overlap-sum law of log E_k as a table: its quantiles between .5% and 99.5%.

The sum of `sigprop.typical.overlap` leaves out the spread of the overlaps and their
interference. Both act like one factor on E, close to log-normal: log E is the logarithm of
the sum plus an independent normal variable of variance tau and mean -beta tau,

.. math:: \tau = 0.8\, m \sqrt{c/n}, \qquad c = k/\sqrt n,

with m = 1, beta = 0.35 for complex weights and m = 2, beta = 0.1 for real ones. These
constants, fitted to simulations at n = 64 to 4096, are the only fitted ones of the law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.typical.kostlan import KostlanProduct
from sigprop.typical.laplace import LogLaplace, cdf_of_broad_law, cdf_of_narrow_law
from sigprop.typical.real_law import RealLaw

_SPREAD = {"complex": 0.8, "real": 1.6}
_SHIFT = {"complex": 0.35, "real": 0.1}
_NARROW = 0.25  # relative deviation of E below which the line beats the hyperbola
_DIFFERENCE = 0.02
_HERMITE_NODES = 15
_FINE_POINTS = 800
_TABLE_TAIL = 0.004  # the table goes a little beyond the levels
_LEAST_TAIL = 1e-4  # the inversion is not trusted below


@dataclass(frozen=True)
class OverlapLaw:
    """Probit of the distribution function of log E on increasing levels.

    Attributes
    ----------
    levels : tuple of float
        Values of log E.
    probits : tuple of float
        Standard normal quantiles of P(log E <= level), strictly increasing.
    """

    levels: tuple[float, ...]
    probits: tuple[float, ...]

    def quantile(self, q: FloatArray) -> FloatArray:
        """Return the quantiles of log E at probabilities from .005 to .995."""
        from scipy.special import ndtri

        return np.asarray(np.interp(ndtri(q), self.probits, self.levels))


@lru_cache(maxsize=64)
def overlap_law(n: int, k: int, field: str) -> OverlapLaw:
    """Return the law at one width and depth k >= sqrt(n), from the cache if it is known."""
    c = k / math.sqrt(n)
    law: KostlanProduct | RealLaw = KostlanProduct(n, k) if field == "complex" else RealLaw(n, k)
    levels, probits = _sum_table(law.log_laplace, n, c)
    spread = _SPREAD[field] * math.sqrt(c / n)
    return _smeared(levels, probits, spread, _SHIFT[field])


def _sum_table(log_laplace: LogLaplace, n: int, c: float) -> tuple[FloatArray, FloatArray]:
    """Tabulate the probits of the bare sum from its middle outwards."""
    from scipy.special import ndtri

    middle, deviation = _middle(log_laplace, n, c)

    def below(levels: FloatArray) -> FloatArray:
        if deviation < _NARROW:
            return cdf_of_narrow_law(log_laplace, levels, deviation)
        return cdf_of_broad_law(log_laplace, levels)

    step = min(0.125 * c, 0.5 * deviation)  # half a standard deviation or less
    levels = middle + step * np.arange(-6.0, 7.0)
    probabilities = below(levels)
    while probabilities[0] > _TABLE_TAIL:
        more = levels[0] + step * np.arange(-3.0, 0.0)
        levels, probabilities = np.append(more, levels), np.append(below(more), probabilities)
    while probabilities[-1] < 1.0 - _TABLE_TAIL:
        more = levels[-1] + step * np.arange(1.0, 4.0)
        levels, probabilities = np.append(levels, more), np.append(probabilities, below(more))
    trusted = (probabilities > _LEAST_TAIL) & (probabilities < 1.0 - _LEAST_TAIL)
    return levels[trusted], np.asarray(ndtri(probabilities[trusted]))


def _middle(log_laplace: LogLaplace, n: int, c: float) -> tuple[float, float]:
    """Return a level of log E near its median and the relative deviation of E around it.

    At s = 1/level the transform is about 1/e; the first two derivatives of its logarithm
    are the mean and the variance of E with large values suppressed.
    """
    middle = 0.5 * c * c if c < 2.0 else max(0.5, 1.2 * c - 0.5 * math.log(n) - 0.6)
    for _ in range(4):
        s = math.exp(-middle) * np.array([1.0 - _DIFFERENCE, 1.0, 1.0 + _DIFFERENCE])
        before, at, after = log_laplace(s.astype(np.complex128)).real
        middle += math.log(-float(at))
    return middle, 2.0 * math.sqrt(float(before - 2.0 * at + after)) / float(before - after)


def _smeared(levels: FloatArray, probits: FloatArray, spread: float, shift: float) -> OverlapLaw:
    """Return the law of the sum of the tabulated variable and N(-shift spread, spread)."""
    from scipy.special import ndtr, ndtri

    nodes, weights = np.polynomial.hermite_e.hermegauss(_HERMITE_NODES)
    weights = weights / weights.sum()
    margin = 2.0 * math.sqrt(spread)
    fine = np.linspace(levels[0] - margin, levels[-1] + margin, _FINE_POINTS)
    at = fine[:, None] + shift * spread - math.sqrt(spread) * nodes
    smeared = ndtri(ndtr(_continued(levels, probits, at)) @ weights)
    return OverlapLaw(tuple(fine.tolist()), tuple(smeared.tolist()))


def _continued(levels: FloatArray, probits: FloatArray, at: FloatArray) -> FloatArray:
    """Interpolate monotonically inside the table and go on linearly outside."""
    from scipy.interpolate import PchipInterpolator

    inside = PchipInterpolator(levels, probits)(np.clip(at, levels[0], levels[-1]))
    before = np.minimum(at - levels[0], 0.0) * _slope(levels[:2], probits[:2])
    beyond = np.maximum(at - levels[-1], 0.0) * _slope(levels[-2:], probits[-2:])
    return np.asarray(inside + before + beyond)


def _slope(levels: FloatArray, probits: FloatArray) -> float:
    return float((probits[1] - probits[0]) / (levels[1] - levels[0]))
