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
from sigprop.recurrences.quadrature import panel_rule
from sigprop.theory.curves import running_sum

FULL_PHASE = 2.0 * math.pi

_SMALL_RADIUS = 0.25  # below it a kernel is too flat for a division by s

_FEW_WAVES = 15.0  # largest d phi at which one panel resolves cos(d theta): error a rounding


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


def turned_moments(count: int, phase: float) -> FloatArray:
    r"""Return :math:`E (1 - \cos\theta) \cos d\theta`, what a turn adds to `phase_moments`.

    Parameters
    ----------
    count : int
        Number of moments, d = 0, ..., count - 1.
    phase : float
        Upper end phi of the phases, 0 < phi <= 2 pi.

    Notes
    -----
    The differences sinc(d phi) - (sinc((d+1) phi) + sinc((d-1) phi))/2 lose all digits for
    small phi. Instead by Gauss-Legendre for d phi < 15, and beyond, with x = d phi, as

    .. math:: \frac{x^2 \sin x\,(1-\cos\varphi) + \varphi\sin\varphi\,(x\cos x - \sin x)
              - \varphi \sin x\,(\varphi - \sin\varphi)}{x(x^2-\varphi^2)} .

    Error: a rounding of :math:`E(1-\cos\theta)`, and of the angle d phi.

    Examples
    --------
    >>> turned_moments(3, FULL_PHASE).tolist()
    [1.0, -0.5, 0.0]
    >>> round(float(turned_moments(1, 1e-9)[0]) / 1e-18, 12)
    0.166666666667
    """
    result = np.zeros(count)
    if phase == FULL_PHASE:
        result[:2] = (1.0, -0.5)[:count]
        return result
    x = phase * np.arange(count)
    near = int(np.searchsorted(x, _FEW_WAVES))
    nodes, weights = panel_rule(0.0, phase, phase)
    for theta, weight in zip(nodes, weights / phase, strict=True):
        turned = 2.0 * weight * math.sin(0.5 * theta) ** 2
        result[:near] += turned * np.cos(theta * np.arange(near))
    x = x[near:]
    sine, wave = math.sin(phase), np.sin(x)
    # phi - sin(phi) is multiplied by phi: its rounding is one of phi^2, as everything here.
    terms = x**2 * wave * (2.0 * math.sin(0.5 * phase) ** 2)
    terms += phase * sine * (x * np.cos(x) - wave) - phase * wave * (phase - sine)
    result[near:] = terms / (x * (x - phase) * (x + phase))
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


def turned_poisson_mean(s: FloatArray, gap: FloatArray, phase: float) -> FloatArray:
    r"""Return the mean of :math:`(1 - \cos\theta)(1 - s^2)/|1 - s e^{i\theta}|^2`.

    Parameters
    ----------
    s, gap, phase
        As for `poisson_mean`.

    Notes
    -----
    1 - s for the full circle, and :math:`(1-s)((1+s) - (1-s)P)/(2s)` with P of `poisson_mean`
    in general. That cancels for phi < 1 - s and for s near 0, where the integrand is smooth
    and Gauss-Legendre panels are taken instead.

    Examples
    --------
    >>> turned_poisson_mean(np.array([0.5, 0.0]), np.array([0.5, 1.0]), FULL_PHASE).tolist()
    [0.5, 1.0]
    """
    if phase == FULL_PHASE:
        return gap + 0.0
    smooth = (phase < gap) | (np.abs(s) < _SMALL_RADIUS)
    divisor = np.where(smooth, 1.0, s)
    result = 0.5 * gap * ((1.0 + s) - gap * poisson_mean(s, gap, phase)) / divisor
    if smooth.any():
        nodes, weights = panel_rule(0.0, phase, min(phase, 0.5))
        turned = 2.0 * np.sin(0.5 * nodes) ** 2
        radius, distance = s[smooth], gap[smooth]
        below = (distance**2)[:, np.newaxis] + 2.0 * np.multiply.outer(radius, turned)
        kernel = (distance * (1.0 + radius))[:, np.newaxis] / below
        result[smooth] = kernel @ (turned * weights / phase)
    return np.asarray(result)


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
