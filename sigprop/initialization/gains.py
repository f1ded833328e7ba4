r"""Gains of a dense recurrence: where its energy is that of infinite width, and where it is safe.

With :math:`E|W_{ij}|^2 = g^2/n` the mean energy at depth k is :math:`g^{2k} Q_{n,k}`, and one
draw of W has the quantiles :math:`g^{2k} e^{q_k}` of its energy.  A gain keeps them below a
bound B at each depth up to T (each depth by itself: draws that stay below it at all depths
together can be fewer) if

.. math:: \log g \le \min_{1 \le k \le T} \frac{\log B - q_k}{2k} .

For the mean the minimum is at k = T: :math:`g^{2k} Q_{n,k}` is log-convex in k and starts at
1, so it is largest at an end.  For the LRU the same holds of the running means
:math:`S_{n,t}/(t+1)` of a convex sequence.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sigprop._arguments import FLOAT_WIDTH_LIMIT, as_choice, as_integer, as_positive_float
from sigprop.theory import energy

MODELS = ("rnn", "lru")
FIELDS = ("complex", "real")
STATISTICS = ("mean", "median")
MAX_LENGTH = 10**7

_GRID_PER_OCTAVE = 1
_BISECTIONS = 200


@dataclass(frozen=True)
class SafeGain:
    """The largest gain that keeps the energy below a bound, and what that rests on.

    Attributes
    ----------
    gain : float
        Factor on the weights: E|W_ij|^2 = gain^2 / n.
    gain_error : float
        How far the gain may be off: that of the quantiles over twice the depth; 0 for means.
    width, length : int
        What it is for.
    bound : float
        Upper bound of the energy per unit (rnn) or of S/(t+1) (lru).
    model, field : str
        Recurrence and field of the weights.
    quantile : float or None
        Quantile of the energy that stays below the bound; None for the mean.
    worst_depth : int
        Depth at which the bound is reached.
    method : str
        "exact mean", or how the quantile was found.

    Examples
    --------
    >>> found = safe_gain(64, 16, quantile=None, field="complex")
    >>> SafeGain.from_dict(found.to_dict()) == found
    True
    """

    gain: float
    gain_error: float
    width: int
    length: int
    bound: float
    model: str
    field: str
    quantile: float | None
    worst_depth: int
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for strict JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> SafeGain:
        """Return the answer whose `to_dict` is given."""
        return cls(**fields)


def unit_energy_gain(
    n: int, depth: int, *, field: str = "real", model: str = "rnn", statistic: str = "mean"
) -> float:
    r"""Return the gain at which the energy at one depth is that of infinite width at gain 1.

    :math:`g = Q_{n,k}^{-1/(2k)}` gives :math:`g^{2k} Q_{n,k} = 1`; for the LRU the g with
    :math:`\sum_{k \le t} g^{2k} Q_{n,k} = t + 1`.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    depth : int
        Depth, 1 to 10**7.
    field : {"real", "complex"}
        Field of the weights.
    model : {"rnn", "lru"}
        Recurrence.
    statistic : {"mean", "median"}
        What is to be 1: the mean energy, or (rnn) that of a median draw of W.

    Returns
    -------
    float
        At most 1 for the mean.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    Beyond depths of a few sqrt(n) the mean is carried by rare draws. At a gain that makes
    the mean 1 a typical draw has then all but vanished: take the median there.

    Examples
    --------
    >>> round(unit_energy_gain(1024, 16384, field="complex"), 15)
    0.366083613328772
    >>> round(unit_energy_gain(1024, 16384), 15)
    0.271817943931576
    """
    n, depth = as_width(n), as_length("depth", depth)
    field, model = as_choice("field", field, FIELDS), as_choice("model", model, MODELS)
    if as_choice("statistic", statistic, STATISTICS) == "median":
        if model != "rnn":
            raise ValueError(
                "statistic 'median' is for model 'rnn': the LRU has no exact law of it"
            )
        from sigprop.typical import typical_gain

        return float(typical_gain(n, depth, field=field).gain)
    if model == "rnn":
        return math.exp(-float(energy.log_rnn_energy(n, depth, field=field)) / (2 * depth))
    return _lru_gain(n, depth, field, math.log(depth + 1.0))


def safe_gain(
    n: int,
    length: int,
    bound: float = 10.0,
    *,
    quantile: float | None = 0.95,
    field: str = "real",
    model: str = "rnn",
) -> SafeGain:
    r"""Return the largest gain that keeps the energy below a bound at every depth to length.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    length : int
        Length of the sequence, 1 to 10**7.
    bound : float
        Bound > 1 of the energy per unit, of the ratio S/(t+1) for the LRU. The energy at
        depth 0 is 1.
    quantile : float or None
        Which quantile of the energy of one draw of W stays below the bound at each depth
        (rnn), .005 to .995, for widths to 10**9; None for the mean. The LRU has the mean
        alone: see Notes.
    field : {"real", "complex"}
        Field of the weights.
    model : {"rnn", "lru"}
        Recurrence.

    Returns
    -------
    SafeGain
        The gain, its error, where the bound is reached and how it was found.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    The mean is exact at any width and length. Quantiles are those of
    `sigprop.typical.energy_quantiles` on depths a factor two apart, refined around the
    lowest, but for depths that Markov's inequality, :math:`q_k \le \log Q_{n,k} -
    \log(1-q)`, rules out; seconds per depth for real weights of width 1024.

    The share of draws is that at each depth. Over all depths together it is the same where
    the bound is large (10) and smaller where it is close to 1: at n = 100, T = 50 and bound
    1.05 about 90 % of draws for the quantile .95.

    For the LRU no law of the quantiles is known: with ``quantile`` given the answer is that
    of the mean, and ``method`` says so. `sigprop.simulate` samples the quantiles at a gain.

    Examples
    --------
    >>> mean = safe_gain(1024, 64, 2.0, quantile=None, field="complex")
    >>> round(mean.gain, 6), mean.worst_depth, mean.method
    (1.000699, 64, 'exact mean')
    """
    n, length = as_width(n), as_length("length", length)
    field, model = as_choice("field", field, FIELDS), as_choice("model", model, MODELS)
    bound = as_positive_float("bound", bound)
    if bound <= 1.0:
        raise ValueError(f"bound must be above 1, the energy at depth 0, got {bound!r}")
    if quantile is not None:
        quantile = as_quantile("quantile", quantile)
    if model == "rnn" and quantile is not None:
        log_gain, error, depth, method = _quantile_gain(n, length, math.log(bound), quantile, field)
        gain = math.exp(log_gain)
        return SafeGain(gain, gain * error, n, length, bound, model, field, quantile, depth, method)
    if model == "rnn":
        log_mean = float(energy.log_rnn_energy(n, length, field=field))
        gain = math.exp((math.log(bound) - log_mean) / (2 * length))
    else:
        gain = _lru_gain(n, length, field, math.log(bound) + math.log(length + 1.0))
    method = "exact mean"
    if quantile is not None:
        method = "exact mean (no law of the quantiles of an LRU is known)"
    return SafeGain(gain, 0.0, n, length, bound, model, field, None, length, method)


def _lru_gain(n: int, depth: int, field: str, log_target: float) -> float:
    """Return the gain at which log S_{n,depth} is a target, by bisection in log gain."""
    low, high = -40.0, math.log(2.0) + log_target / (2 * depth)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        value = float(energy.log_lru_energy(n, depth, math.exp(middle), field))
        low, high = (middle, high) if value <= log_target else (low, middle)
    return math.exp(low)


def _quantile_gain(
    n: int, length: int, log_bound: float, quantile: float, field: str
) -> tuple[float, float, int, str]:
    """Return log gain, its error, the depth that sets it, and the method of the quantile."""
    from sigprop.typical import energy_quantiles

    found: dict[int, tuple[float, float, str]] = {}

    def at(depth: int) -> float:
        if depth not in found:
            answer = energy_quantiles(n, depth, (quantile,), field=field)
            value, error = float(answer.values[0]), float(answer.errors[0])
            slope = (log_bound - value) / (2 * depth)
            found[depth] = (slope, error / (2 * depth), answer.method)
        return found[depth][0]

    depths = depth_ladder(length)
    best = length
    for depth in reversed(depths[:-1]):
        log_mean = float(energy.log_rnn_energy(n, depth, field=field))
        markov = (log_bound - log_mean + math.log1p(-quantile)) / (2 * depth)
        if markov < at(best):
            best = min(best, depth, key=at)
    place = depths.index(best)
    low, high = depths[max(place - 1, 0)], depths[min(place + 1, len(depths) - 1)]
    for depth in {math.isqrt(low * best), math.isqrt(best * high)} - {0}:
        best = min(best, depth, key=at)
    slope, error, method = found[best]
    return slope, error, best, method


def depth_ladder(length: int) -> list[int]:
    """Return depths from 1 to length, each about twice the one before."""
    count = 1 + max(1, math.ceil(_GRID_PER_OCTAVE * math.log2(max(length, 2))))
    return sorted({int(depth) for depth in np.rint(np.geomspace(1.0, length, count))})


def as_quantile(name: str, value: Any) -> float:
    """Return a probability for which quantiles have a stated error."""
    number = as_positive_float(name, value)
    if not 0.005 <= number <= 0.995:
        raise ValueError(f"{name} must be a probability from .005 to .995, got {number!r}")
    return number


def as_width(n: Any) -> int:
    """Return a width that the float64 functions take."""
    width = as_integer("n", n, 1)
    if width > FLOAT_WIDTH_LIMIT:
        raise ValueError(f"n must be an integer from 1 to 2**53, got {width}")
    return width


def as_length(name: str, value: Any) -> int:
    """Return a depth or length from 1 to 10**7."""
    number = as_integer(name, value, 1)
    if number > MAX_LENGTH:
        raise ValueError(f"{name} must be an integer from 1 to {MAX_LENGTH}, got {number}")
    return number
