r"""Modes of random radius and random phase: their mean energies for inputs of any colour.

The radius r has a law given by a quadrature rule, the phase is uniform on [0, phi] and
independent of it, and the input of a mode is scaled by nothing (``rho = None``) or by the
scale that is made for AR(rho) inputs,

.. math:: \gamma_\rho^2 = \frac{1-q}{1-\rho^2 q}\,|1-\rho\lambda|^2, \qquad q = r^2,

:math:`\gamma_0 = \sqrt{1-q}` being that of the LRU. Means over the phase are closed forms
(`sigprop.recurrences.phase`), those over the radius sums over the rule.
"""

from __future__ import annotations

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.phase import coloured_sums, phase_moments, poisson_mean
from sigprop.recurrences.ring import RadiusRule
from sigprop.theory.input_laws import InputLaw, autocorrelation

_SMALL_RADIUS = 0.25  # below it the mean of cos(theta) times the kernel is summed as a series
_SERIES_TERMS = 32  # (1/4)^32 is below a rounding


def law_lags(law: InputLaw, last: int) -> FloatArray:
    """Return the autocorrelations up to lag ``last``, cut where they end."""
    if isinstance(law, tuple) and isinstance(law[1], tuple):
        return autocorrelation(law, min(last + 1, len(law[1])))
    return autocorrelation(law, last + 1)


def law_rho(law: InputLaw) -> float | None:
    """Return rho of AR(1) inputs, 0 for white, 1 for constant ones; None for an array."""
    if isinstance(law, tuple):
        return None if isinstance(law[1], tuple) else law[1]
    return 1.0 if law == "constant" else 0.0


def impulse_rule(rule: RadiusRule, phase: float, rho: float | None) -> MomentRule:
    """Return the decays q and weights of the impulse energies."""
    return MomentRule(rule.log_q, rule.weight * mean_square_scale(rule, phase, rho))


def mean_square_scale(rule: RadiusRule, phase: float, rho: float | None) -> FloatArray:
    """Return the mean over the phases of the squared scale, radius by radius."""
    radial = _radial_scale(rule, rho)
    if not rho:
        return radial
    first = float(phase_moments(2, phase)[1])
    # E|1 - rho lambda|^2 as a square and what the phases add to it.
    distance = (1.0 - rho) + rho * rule.gap
    return radial * (distance**2 + 2.0 * rho * rule.radius * (1.0 - first))


def coloured_energy(
    rule: RadiusRule, phase: float, rho: float | None, depths: FloatArray, law: InputLaw
) -> FloatArray:
    r"""Return the mean energy of a mode at every depth.

    Parameters
    ----------
    rule : RadiusRule
        Law of the radii.
    phase : float
        Upper end of the phases.
    rho : float or None
        Correlation that the input scale is made for.
    depths : ndarray of float64
        Depths t >= 0.
    law : InputLaw
        Law of the inputs.

    Returns
    -------
    ndarray of float64

    Notes
    -----
    O(t) for each depth, and 2 t moments of the radius.
    """
    last = int(depths.max())
    lags = law_lags(law, last)
    phases = phase_moments(lags.size + 2, phase)
    radial = MomentRule(0.5 * rule.log_q, rule.weight * _radial_scale(rule, rho))
    moments = radial.impulse(np.arange(2.0 * last + 3.0))
    energy = coloured_sums(depths, lags, phases, moments)
    if rho:
        # |1 - rho lambda|^2 = 1 + rho^2 q - 2 rho r cos(theta).
        energy += rho**2 * coloured_sums(depths, lags, phases, moments[2:])
        energy -= 2.0 * rho * coloured_sums(depths, lags, _neighbours(phases), moments[1:])
    return energy


def coloured_stationary(rule: RadiusRule, phase: float, rho: float | None, law: InputLaw) -> float:
    r"""Return the limit of `coloured_energy`, for laws of radii with a finite one.

    Notes
    -----
    For AR(1) inputs it is the mean of :math:`\gamma^2/(1-q)` times the Poisson kernel
    :math:`(1-s^2)/|1-se^{i\theta}|^2` at s = rho r; for an array a sum over its lags.
    """
    weight = rule.weight * _radial_scale(rule, rho) / rule.q_gap
    law_of_inputs = law_rho(law)
    if law_of_inputs is not None:
        return float(weight @ _kernel_mean(rule, phase, rho or 0.0, law_of_inputs))
    lags = law_lags(law, np.iinfo(np.int32).max)
    phases = phase_moments(lags.size + 2, phase)
    factor = np.append(1.0, np.full(lags.size - 1, 2.0)) * lags
    scale_rho = rho or 0.0
    radial = MomentRule(0.5 * rule.log_q, weight)
    moments = radial.impulse(np.arange(lags.size + 2.0))
    terms = phases[: lags.size] * (moments[:-2] + scale_rho**2 * moments[2:])
    terms -= 2.0 * scale_rho * _neighbours(phases) * moments[1:-1]
    return float(factor @ terms)


def _radial_scale(rule: RadiusRule, rho: float | None) -> FloatArray:
    """Return the squared scale without its factor |1 - rho lambda|^2."""
    if rho is None:
        return np.ones_like(rule.radius)
    if rho == 0.0:
        return rule.q_gap
    if rho == 1.0:
        return np.ones_like(rule.radius)
    return rule.q_gap / ((1.0 - rho) * (1.0 + rho) + rho * rho * rule.q_gap)


def _neighbours(phases: FloatArray) -> FloatArray:
    """Return the means of cos(theta) cos(d theta) from those of cos(d theta)."""
    below: FloatArray = np.concatenate([phases[1:2], phases[:-3]])
    return np.asarray(0.5 * (phases[1:-1] + below))


def _kernel_mean(rule: RadiusRule, phase: float, rho: float, law_of_inputs: float) -> FloatArray:
    r"""Return the phase mean of :math:`|1-\rho\lambda|^2 (1-s^2)/|1-se^{i\theta}|^2`."""
    s = law_of_inputs * rule.radius
    gap = (1.0 - law_of_inputs) + law_of_inputs * rule.gap
    plain = poisson_mean(s, gap, phase)
    if rho == 0.0:
        return plain
    # What the kernel gives to 1 - cos(theta): closed, or near s = 0 by its series in s.
    small = np.abs(s) < _SMALL_RADIUS
    closed = 0.5 * gap * ((1.0 + s) - gap * plain) / np.where(small, 1.0, s)
    side = np.where(small, plain - _cosine_series(np.where(small, s, 0.0), phase), closed)
    distance = (1.0 - rho) + rho * rule.gap
    mean: FloatArray = distance**2 * plain + 2.0 * rho * rule.radius * side
    return mean


def _cosine_series(s: FloatArray, phase: float) -> FloatArray:
    """Return the phase mean of cos(theta) times the Poisson kernel, for small s."""
    moments = phase_moments(_SERIES_TERMS + 2, phase)
    series = np.zeros_like(s)
    for d in range(_SERIES_TERMS, 0, -1):
        series = s * (series + moments[d + 1] + moments[d - 1])
    series += moments[1]
    return series
