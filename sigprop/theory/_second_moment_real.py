r"""Relative variances of the energies of real Gaussian weights, from exact rationals.

No sum over partitions is known for them, so that there is no float64 route: what is known is
known exactly, at the depths whose pairings can be enumerated.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sigprop.theory._exact_second_moments import check_real_depth, exact_lru, second_moment
from sigprop.theory._second_moment_rnn import LogVariance
from sigprop.theory.exact import rnn_energy

_ERROR = 1e-14  # an exact rational rounded once, and then the rounding of its logarithm


def mean_energy(n: int, depth: int, model: str, gain: Fraction) -> Fraction:
    """Return the exact mean energy with weights multiplied by the gain."""
    depths = [depth] if model == "rnn" else range(depth + 1)
    return sum((gain ** (2 * k) * rnn_energy(n, k, field="real") for k in depths), Fraction(0))


def exact_ratio(n: int, depth: int, model: str, gain: Fraction) -> Fraction:
    """Return Var(E)/E[E]^2; the gain cancels for the RNN."""
    if model == "rnn":
        gain = Fraction(1)
        moment = second_moment(n, depth, model, "real")
    else:
        moment = exact_lru(n, depth, "real", gain)
    ratio: Fraction = moment / mean_energy(n, depth, model, gain) ** 2 - 1
    return ratio


def relative_variance(n: int, depth: int, model: str, gain: float) -> LogVariance:
    """Return the relative variance at one of the depths that are enumerated.

    Raises
    ------
    ValueError
        If the depth is beyond these.
    """
    check_real_depth(depth, model)
    ratio = float(exact_ratio(n, depth, model, Fraction(gain)))
    return LogVariance(math.log(ratio) if ratio > 0.0 else -math.inf, _ERROR, "enumeration")
