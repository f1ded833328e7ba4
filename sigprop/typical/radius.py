r"""Exact law of the spectral radius of a Gaussian matrix of finite width, both fields.

Complex weights (Kostlan): :math:`P(r < R) = \prod_{j \le n} P(\Gamma_j < n R^2)`. Real
weights: the determinant of `sigprop.typical.real_ginibre` with u = 1 below R and 0 above.
Deep in a product the radius takes over: log E_k grows by 2 log r per step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from sigprop._arguments import FloatArray, as_choice, as_integer, as_nonnegative_array, shown
from sigprop.typical.real_radius import (
    AXIS_WIDTH,
    LARGEST_DETERMINANT,
    log_radius_cdf_real,
    lowest_radius,
)
from sigprop.typical.roots import increasing_root

FIELDS = ("complex", "real")
LARGEST_WIDTH = 10**9
"""Largest width of the laws of single draws."""

_REACH = 14.0  # factors j < n - 14 sqrt(n) - 60 are 1 to rounding where the law lives
_ANCHORS = (-1.1, -0.55, -0.1, 0.35, 0.8, 1.4)  # of sqrt(n) log r about its centre
_WIDTH_INSIDE, _WIDTH_OUTSIDE, _TOLERANCE = 5e-3, 0.3, 1e-10  # of sqrt(n) log r
_FARTHEST_PROBIT = 40.0
_LEAST_LEVEL = 1e-300  # still in the float range


def spectral_radius_cdf(n: Any, r: Any, field: str = "complex") -> Any:
    r"""Return P(spectral radius of W < r), :math:`E|W_{ij}|^2 = 1/n`.

    Parameters
    ----------
    n : int
        Width, 1 to 10**9.
    r : array_like of float
        Radii, >= 0.
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    float64 scalar or ndarray
        Probabilities, of the shape of r.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or out of its range.

    Notes
    -----
    Exact up to rounding (absolute error below 1e-8) for complex weights at every n and real
    ones up to n = 20000, even or odd. Beyond, the factor by which the real axis changes half
    the complex product comes from n = 4096, at the same distance of :math:`\sqrt n\, r` from
    :math:`\sqrt n`: probabilities within 3e-4. Far inside, where the determinant loses its
    digits (real weights: probabilities below 5e-8 at n = 2, 1e-21 at 9, 1e-68 at 50), half the
    complex product goes on with that factor: a relative error of 0.3% at n = 2. To n = 20000
    real probabilities down to 1e-300 have a relative error below 1%.

    References
    ----------
    Kostlan, Linear Algebra Appl. 162 (1992) 385; Forrester and Nagao, arXiv 0706.2020.

    Examples
    --------
    >>> spectral_radius_cdf(1, 1.0).round(6)  # 1 - 1/e
    np.float64(0.632121)
    >>> spectral_radius_cdf(64, [1.0, 1.1], field="real").round(6)
    array([0.116931, 0.817297])
    """
    n = as_integer("n", n, 1)
    if n > LARGEST_WIDTH:
        raise ValueError(f"n must be an integer from 1 to {LARGEST_WIDTH}, got {shown(n)}")
    radii = as_nonnegative_array("r", r)
    log_cdf = log_radius_cdf(n, as_choice("field", field, FIELDS))
    result = np.empty(radii.shape)
    for index in np.ndindex(radii.shape):
        result[index] = math.exp(log_cdf(float(radii[index])))
    return result[()]


def spectral_radius_quantiles(n: Any, q: Any = 0.5, field: str = "complex") -> Any:
    """Return the radii r with P(spectral radius of W < r) = q.

    Parameters
    ----------
    n : int
        Width, 1 to 10**9.
    q : array_like of float
        Probabilities strictly between 0 and 1, at least 1e-300; for real weights at small
        widths at least 5e-8 (n = 2), 3e-10 (3), 3e-12 (4), 3e-16 (6), 1e-21 (9), 1e-68 (50).
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    float64 scalar or ndarray
        Radii, of the shape of q.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or out of its range.

    Notes
    -----
    As exact as `spectral_radius_cdf`; the root is found to 1e-10/sqrt(n) relative. Quantiles
    are cached. 4 to 12 values of the distribution function per quantile, and 6 that all
    quantiles share: 0.04 s for complex weights at n = 10**6 and 1 s at 10**9; for real ones
    0.2 s at n = 1024, 1 s at 16384, 0.4 s beyond. Lower levels of real weights are refused
    because the determinant does not resolve them.

    Examples
    --------
    >>> r = spectral_radius_quantiles(1024, [0.05, 0.5, 0.95])
    >>> (32 * np.log(r)).round(4)
    array([0.4822, 0.8143, 1.2729])
    """
    n = as_integer("n", n, 1)
    if n > LARGEST_WIDTH:
        raise ValueError(f"n must be an integer from 1 to {LARGEST_WIDTH}, got {shown(n)}")
    levels = as_levels(q, 0.0, 1.0)
    as_choice("field", field, FIELDS)
    _refuse_lower_levels(n, field, float(levels.min()))
    result = np.empty(levels.shape)
    for index in np.ndindex(levels.shape):
        result[index] = _radius_at(n, float(levels[index]), field)
    return result[()]


def _refuse_lower_levels(n: int, field: str, q: float) -> None:
    if q < _LEAST_LEVEL:
        raise ValueError(f"q must be at least {_LEAST_LEVEL:g}, got {q}")
    if field == "real" and n > 1 and q < _least_real_level(n):
        least = f"{_least_real_level(n):.3g} for real weights of width {n}"
        raise ValueError(f"q must be at least {least}, got {q}")


@lru_cache(maxsize=64)
def _least_real_level(n: int) -> float:
    """Return the probability below which the determinant does not have its digits."""
    near = n if n <= LARGEST_DETERMINANT else AXIS_WIDTH
    return math.exp(log_radius_cdf(near, "real")(lowest_radius(near)))


def log_radius_cdf(n: int, field: str) -> Callable[[float], float]:
    """Return the function r -> log P(spectral radius < r)."""
    if field == "complex":
        return lambda r: _log_cdf_complex(n, r)
    return lambda r: log_radius_cdf_real(n, r, _log_cdf_complex)


def _log_cdf_complex(n: int, r: float) -> float:
    from scipy.special import gammainc, gammaincc

    if r == 0.0:
        return -math.inf
    j = np.arange(max(1, math.floor(n - _REACH * math.sqrt(n) - 60)), n + 1, dtype=np.float64)
    u = n * r * r
    beyond = gammaincc(j, u)
    split = int(np.searchsorted(beyond, 0.5))  # increasing in j: each side in its own digits
    with np.errstate(divide="ignore"):
        tail = np.log(gammainc(j[split:], u)).sum()
    return float(np.log1p(-beyond[:split]).sum() + tail)


@lru_cache(maxsize=4096)
def _radius_at(n: int, q: float, field: str) -> float:
    """Solve in log r, where the probit of the distribution function is close to linear."""
    from scipy.special import ndtri

    target = float(ndtri(q))
    unit = 1.0 / math.sqrt(n)
    log_radii, probits = _anchors(n, field)
    near = probits[0] < target < probits[-1]
    log_r = increasing_root(
        lambda x: radius_probit(n, field, x) - target,
        _interpolated(target, probits, log_radii),
        (_WIDTH_INSIDE if near else _WIDTH_OUTSIDE) * unit,
        _TOLERANCE * unit,
    )
    return math.exp(log_r)


def radius_probit(n: int, field: str, log_r: float) -> float:
    """Return the standard normal quantile of P(spectral radius < r), at least -40."""
    from scipy.special import ndtri_exp

    log_probability = log_radius_cdf(n, field)(math.exp(log_r))
    # Bounded, so that secants are finite also from far outside.
    return max(float(ndtri_exp(min(log_probability, -1e-300))), -_FARTHEST_PROBIT)


@lru_cache(maxsize=256)
def _anchors(n: int, field: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return log r and probit at some radii, from which the search for any level starts."""
    growth = math.log(max(n / 50.0, 1.0))
    centre, spread = 0.47 + 0.0955 * growth, 1.0 / (1.0 + 0.07 * growth)  # seen at n = 50 to 10**6
    log_radii = tuple((centre + spread * x) / math.sqrt(n) for x in _ANCHORS)
    return log_radii, tuple(radius_probit(n, field, log_r) for log_r in log_radii)


def _interpolated(x: float, nodes: tuple[float, ...], values: tuple[float, ...]) -> float:
    """Return the polynomial through the nodes at x, the end values outside."""
    x = min(max(x, nodes[0]), nodes[-1])
    result = 0.0
    for i, value in enumerate(values):
        others = nodes[:i] + nodes[i + 1 :]
        result += value * math.prod((x - node) / (nodes[i] - node) for node in others)
    return result


def as_levels(q: Any, lowest: float, highest: float) -> FloatArray:
    """Return q as float64 strictly between 0 and 1, or within [lowest, highest] inside."""
    strict = lowest == 0.0
    where = "strictly between 0 and 1" if strict else f"from {lowest} to {highest}"
    array = np.asarray(q)
    if array.dtype.kind not in "iuf" or array.size == 0:
        raise TypeError(f"q must hold probabilities {where}, got {shown(q)}")
    levels = array.astype(np.float64)
    inside = (levels > lowest) & (levels < highest)
    if not strict:
        inside |= (levels == lowest) | (levels == highest)
    if not np.all(inside):
        raise ValueError(
            f"q must hold probabilities {where}, got {shown(float(levels[~inside].flat[0]))}"
        )
    return levels
