r"""Modes of random radius and random phase: their mean energies for inputs of any colour.

The radius r has a law given by a quadrature rule, the phase is uniform on [0, phi] and
independent of it, and the input of a mode is scaled by nothing (``rho = None``) or by the
scale that is made for AR(rho) inputs,

.. math:: \gamma_\rho^2 = \frac{1-q}{1-\rho^2 q}\,|1-\rho\lambda|^2, \qquad q = r^2,

:math:`\gamma_0 = \sqrt{1-q}` being that of the LRU. Means over the phase are closed forms
(`sigprop.recurrences.phase`), those over the radius sums over the rule. The factor is taken
apart as

.. math:: |1-\rho\lambda|^2 = (1-\rho r)^2 + 2\rho r\,(1-\cos\theta),

a square and what the turn by the phase adds to it, which keeps the digits of modes that are
close to what the scale is made for.
"""

from __future__ import annotations

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.phase import (
    coloured_sums,
    phase_moments,
    poisson_mean,
    turned_moments,
    turned_poisson_mean,
)
from sigprop.recurrences.ring import RadiusRule
from sigprop.theory.input_laws import InputLaw, autocorrelation


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
    turned = float(turned_moments(1, phase)[0])
    return radial * (_distance(rule, rho) ** 2 + 2.0 * rho * rule.radius * turned)


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
    O(t) for each depth, and 2 t moments of the radius, twice where rho is not 0. The error
    is a rounding of the largest term of the sum over the lags; an energy that cancels to
    less than that is not negative, but may be 0.
    """
    last = int(depths.max())
    lags = law_lags(law, last)
    exponents = np.arange(2.0 * last + 1.0)
    weight = rule.weight * _radial_scale(rule, rho)
    square = weight * _distance(rule, rho) ** 2 if rho else weight
    moments = MomentRule(0.5 * rule.log_q, square).impulse(exponents)
    energy = coloured_sums(depths, lags, phase_moments(lags.size, phase), moments)
    if rho:
        turn = MomentRule(0.5 * rule.log_q, 2.0 * rho * rule.radius * weight)
        turned = turned_moments(lags.size, phase)
        energy += coloured_sums(depths, lags, turned, turn.impulse(exponents))
    return np.maximum(energy, 0.0)


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
    factor = np.append(1.0, np.full(lags.size - 1, 2.0)) * lags
    exponents = np.arange(1.0 * lags.size)
    square = weight * _distance(rule, rho) ** 2 if rho else weight
    moments = MomentRule(0.5 * rule.log_q, square).impulse(exponents)
    terms = phase_moments(lags.size, phase) * moments
    if rho:
        turn = MomentRule(0.5 * rule.log_q, 2.0 * rho * rule.radius * weight)
        terms += turned_moments(lags.size, phase) * turn.impulse(exponents)
    return max(float(factor @ terms), 0.0)


def _radial_scale(rule: RadiusRule, rho: float | None) -> FloatArray:
    """Return the squared scale without its factor |1 - rho lambda|^2."""
    if rho is None:
        return np.ones_like(rule.radius)
    if rho == 0.0:
        return rule.q_gap
    if rho == 1.0:
        return np.ones_like(rule.radius)
    return rule.q_gap / ((1.0 - rho) * (1.0 + rho) + rho * rho * rule.q_gap)


def _distance(rule: RadiusRule, rho: float) -> FloatArray:
    """Return 1 - rho r."""
    return (1.0 - rho) + rho * rule.gap


def _kernel_mean(rule: RadiusRule, phase: float, rho: float, law_of_inputs: float) -> FloatArray:
    r"""Return the phase mean of :math:`|1-\rho\lambda|^2 (1-s^2)/|1-se^{i\theta}|^2`."""
    s = law_of_inputs * rule.radius
    gap = (1.0 - law_of_inputs) + law_of_inputs * rule.gap
    plain = poisson_mean(s, gap, phase)
    if rho == 0.0:
        return plain
    side = turned_poisson_mean(s, gap, phase)
    return _distance(rule, rho) ** 2 * plain + 2.0 * rho * rule.radius * side
