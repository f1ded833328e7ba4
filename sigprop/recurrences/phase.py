r"""Means over a phase uniform on [0, phi]: what the colour of the inputs sees of a rotation.

A mode :math:`\lambda = r e^{i\theta}` mixes inputs d steps apart with the factor
:math:`\operatorname{Re}\lambda^d`, whose mean over the phase is :math:`r^d \operatorname{sinc}
(d\varphi)`, sinc x = sin x / x.  For the full circle it is zero for all d != 0: layers with
full phase do not see the colour of their inputs in the mean, at any depth.
"""

from __future__ import annotations

import math

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory.curves import running_sum

FULL_PHASE = 2.0 * math.pi


def phase_moments(count: int, phase: float) -> FloatArray:
    r"""Return :math:`\operatorname{Re} E e^{id\theta} = \operatorname{sinc}(d\varphi)`.

    Parameters
    ----------
    count : int
        Number of moments, d = 0, ..., count - 1.
    phase : float
        Upper end phi of the phases, 0 < phi <= 2 pi; 2 pi gives exact zeros.

    Examples
    --------
    >>> phase_moments(3, FULL_PHASE).tolist()
    [1.0, 0.0, 0.0]
    >>> phase_moments(3, math.pi / 2).round(6).tolist()
    [1.0, 0.63662, 0.0]
    """
    result = np.zeros(count)
    result[0] = 1.0
    if phase != FULL_PHASE:
        angles = phase * np.arange(1.0, count)
        result[1:] = np.sin(angles) / angles
    return result


def poisson_mean(s: FloatArray, gap: FloatArray, phase: float) -> FloatArray:
    r"""Return the mean of :math:`(1 - s^2)/|1 - s e^{i\theta}|^2` over the phases.

    Parameters
    ----------
    s : ndarray of float64
        Radii, -1 < s <= 1.
    gap : ndarray of float64
        1 - s, to full relative accuracy.
    phase : float
        Upper end phi of the phases.

    Returns
    -------
    ndarray of float64
        :math:`(2/\varphi)\operatorname{atan2}((1+s)\sin(\varphi/2), (1-s)\cos(\varphi/2))`:
        1 for s = 0 and for the full circle, pi/phi for 1 - s much smaller than phi.

    Examples
    --------
    >>> poisson_mean(np.array([0.0, 0.999]), np.array([1.0, 0.001]), math.pi / 10).round(4)
    array([1.    , 9.9799])
    """
    if phase == FULL_PHASE:
        return np.ones_like(s)
    half = 0.5 * phase
    # -cos(pi) as a float is off by less than an ulp, so both arguments keep their signs.
    return np.arctan2((1.0 + s) * math.sin(half), gap * math.cos(half)) / half


def coloured_sums(
    depths: FloatArray,
    autocorrelations: FloatArray,
    phase_factors: FloatArray,
    moments: FloatArray,
) -> FloatArray:
    r"""Return :math:`\sum_{|d| \le t} R(d) \mu_d \sum_{k=0}^{t-|d|} N_{2k+|d|}` at every depth t.

    Parameters
    ----------
    depths : ndarray of float64
        Depths t.
    autocorrelations : ndarray of float64
        R(0), R(1), ...; zero beyond its end.
    phase_factors : ndarray of float64
        mu_0, mu_1, ..., at least as many.
    moments : ndarray of float64
        N_0, ..., N_{2 max t}: :math:`E[\gamma^2 r^p]`, with the square of the input scale.

    Returns
    -------
    ndarray of float64

    Notes
    -----
    O(t) for each depth, by sums of every second moment. The inner sums are differences of
    two such sums: their error is a rounding of the white energy.
    """
    running = np.zeros(moments.size + 2)  # running[p + 2] = N_p + N_{p-2} + ...
    running[2::2] = running_sum(moments[0::2])
    running[3::2] = running_sum(moments[1::2])
    factor = autocorrelations * phase_factors[: autocorrelations.size]
    factor[1:] *= 2.0
    result = np.empty(depths.size)
    for place, depth in enumerate(depths.ravel()):
        t = int(depth)
        d = np.arange(min(t + 1, factor.size))
        inner = running[2 * t - d + 2] - running[d]
        result[place] = factor[: d.size] @ inner
    return result.reshape(depths.shape)
