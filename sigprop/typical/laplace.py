r"""Distribution function of a positive variable E from its Laplace transform.

:math:`P(E \le e)` is the integral of :math:`\mathbb{E}\,e^{-sE}\, e^{se}/s` over a contour from
below to above, left of which the transform may have singularities on the negative axis only,
divided by :math:`2 \pi i`. The trapezoidal rule converges exponentially on

- a hyperbola around the negative axis, :math:`s = \mu (1 + \sin(iu - \alpha))`, for laws whose
  logarithm is broad; one hyperbola serves all levels within a given ratio;
- a vertical line for laws whose logarithm is narrow, along which the transform falls like
  a Gaussian; one line serves all levels.

References
----------
Weideman and Trefethen, Parabolic and hyperbolic contours for computing the Bromwich
integral, Math. Comp. 76 (2007): the constants of the hyperbola.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray

ComplexArray = npt.NDArray[np.complex128]
LogLaplace = Callable[[ComplexArray], ComplexArray]

_HYPERBOLA_NODES = 32
_LARGEST_RATIO = 100.0  # of levels on one hyperbola: probabilities within 1e-5, measured
_TILT = 2.0  # distance of the line from 0 in inverse standard deviations
_PERIOD = 16.0  # of the aliases in standard deviations: the next one weighs exp(-32)
_DECAYED = 1e-10
_BLOCK = 16


def cdf_of_broad_law(log_laplace: LogLaplace, log_levels: FloatArray) -> FloatArray:
    """Return P(log E <= level) at increasing levels, by hyperbolas.

    Parameters
    ----------
    log_laplace : callable
        Takes a complex128 array s of shape (m,), returns log E exp(-s E).
    log_levels : ndarray of float64
        Increasing levels of log E.

    Returns
    -------
    ndarray of float64
        Probabilities; rounding may carry them outside of [0, 1] by some 1e-9.

    Examples
    --------
    >>> exponential = lambda s: -np.log1p(s)
    >>> cdf_of_broad_law(exponential, np.log([0.1, 2.0])).round(7)  # 1 - exp(-e)
    array([0.0951626, 0.8646647])
    """
    result = np.empty(log_levels.size)
    start = 0
    while start < log_levels.size:
        reach = log_levels[start] + math.log(_LARGEST_RATIO)
        stop = int(np.searchsorted(log_levels, reach, side="right"))
        group = slice(start, stop)
        result[group] = _on_hyperbola(log_laplace, log_levels[group])
        start = stop
    return result


def _on_hyperbola(log_laplace: LogLaplace, log_levels: FloatArray) -> FloatArray:
    top = log_levels[-1]
    alpha, spread = _hyperbola(math.exp(top - log_levels[0]))
    step = spread / _HYPERBOLA_NODES
    mu = (4.0 * alpha - math.pi) * math.pi / step
    u = step * (np.arange(_HYPERBOLA_NODES) + 0.5)  # half-way nodes: conjugate pairs only
    z = mu * (1.0 + np.sin(1j * u - alpha))
    derivative = 1j * mu * np.cos(1j * u - alpha)
    log_transform = log_laplace(z * math.exp(-top))
    levels = np.exp(log_levels - top)
    terms = np.exp(z * levels[:, None] + log_transform) * (derivative / z)
    return np.asarray(step / math.pi * terms.imag.sum(axis=1))


def _hyperbola(ratio: float) -> tuple[float, float]:
    """Return the angle of the fastest convergence and nodes times step."""
    alpha = np.linspace(0.25 * np.pi, 0.5 * np.pi, 4002)[1:-1]
    slack = 4.0 * alpha - np.pi
    spread = np.arccosh(((np.pi - 2.0 * alpha) * ratio + slack) / (slack * np.sin(alpha)))
    best = int(np.argmax((np.pi - 2.0 * alpha) / spread))
    return float(alpha[best]), float(spread[best])


def cdf_of_narrow_law(
    log_laplace: LogLaplace, log_levels: FloatArray, deviation: float
) -> FloatArray:
    """Return P(log E <= level), by a vertical line.

    Parameters
    ----------
    log_laplace : callable
        As for `cdf_of_broad_law`.
    log_levels : ndarray of float64
        Levels of log E, all within some standard deviations of its mean.
    deviation : float
        Standard deviation of log E, roughly; well below 1.

    Returns
    -------
    ndarray of float64
        Probabilities.

    Examples
    --------
    >>> narrow = lambda s: -100 * np.log1p(s / 100)  # mean of 100 exponentials
    >>> cdf_of_narrow_law(narrow, np.log([0.8, 1.0, 1.2]), 0.1).round(7)
    array([0.0171083, 0.5132988, 0.9721363])
    """
    spread = deviation * math.exp(float(np.median(log_levels)))
    span = float(np.exp(log_levels.max()) - np.exp(log_levels.min()))
    sigma = _TILT / spread
    step = 2.0 * math.pi / max(_PERIOD * spread, 2.0 * span)
    nodes = np.asarray(sigma + 1j * step * (np.arange(_BLOCK) + 0.5), dtype=np.complex128)
    log_transform = log_laplace(nodes)
    negligible = float(log_transform[0].real) + math.log(_DECAYED)
    while log_transform[-_BLOCK:].real.max() > negligible:
        further = np.asarray(nodes[-_BLOCK:] + 1j * step * _BLOCK, dtype=np.complex128)
        nodes = np.append(nodes, further)
        log_transform = np.append(log_transform, log_laplace(further))
    terms = np.exp(np.exp(log_levels)[:, None] * nodes + log_transform) / nodes
    return np.asarray(step / math.pi * terms.real.sum(axis=1))
