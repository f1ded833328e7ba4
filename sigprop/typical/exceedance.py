r"""Probability that the energy of one draw exceeds a level."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sigprop._arguments import (
    FloatArray,
    as_choice,
    as_finite_float,
    as_integer,
    as_positive_float,
)
from sigprop.typical.dispatch import HIGHEST, LOWEST, anchor_depth, unit_gain_quantiles
from sigprop.typical.quantiles import check_range
from sigprop.typical.radius import FIELDS, log_radius_cdf
from sigprop.typical.stated_errors import growth_error

_GRID = 61  # quantiles between which the law is interpolated
_ROOT_TOLERANCE = 1e-4  # of the probit
_INSIDE = 1.0001  # probabilities at the ends of the grid mean: there or beyond


@dataclass(frozen=True)
class Exceedance:
    r"""P(log E_k > log_energy) for one draw of W.

    Attributes
    ----------
    n, k : int
        Width and depth.
    field : str
        "complex" or "real".
    gain : float
        Factor on the weights.
    log_energy : float
        Level of log E_k.
    probability : float
        Of exceeding it.
    error : float
        Largest change of the probability when the quantiles move by their stated errors.
    method : str
        As for `EnergyQuantiles`.
    """

    n: int
    k: int
    field: str
    gain: float
    log_energy: float
    probability: float
    error: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Exceedance:
        """Return the exceedance of a record made by `to_dict`."""
        return cls(**record)


def exceedance(
    n: Any, k: Any, log_energy: Any, *, field: str = "complex", gain: Any = 1.0
) -> Exceedance:
    r"""Return P(log E_k > log_energy), :math:`E_k = \|W^k x\|^2/n`, for one draw of W.

    Parameters
    ----------
    n, k : int
        Width and depth, as for `energy_quantiles`; k >= 1.
    log_energy : float
        Level of log E_k.
    field : {"complex", "real"}, optional
        Field of the weights.
    gain : float, optional
        Factor on the weights, > 0.

    Returns
    -------
    Exceedance
        With ``.probability``, ``.error`` and ``.method``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or out of its range; if k = 0, where E is 1.

    Notes
    -----
    The inverse of `energy_quantiles`. Outside of its levels only a bound is known: below
    .005 (above .995) the probability is .0025 (.9975), and the error at least .0025.

    Examples
    --------
    >>> from sigprop import log_rnn_energy
    >>> draw = exceedance(1024, 96, log_rnn_energy(1024, 96))  # more than the mean?
    >>> round(draw.probability, 3), draw.method
    (0.187, 'overlap-sum law')
    """
    n = as_integer("n", n, 1)
    k = as_integer("k", k, 1)
    as_choice("field", field, FIELDS)
    check_range(n, k)
    level = as_finite_float("log_energy", log_energy)
    factor = as_positive_float("gain", gain)
    at_unit_gain = level - 2.0 * k * math.log(factor)
    probability, error, method = _at_unit_gain(n, k, field, at_unit_gain)
    return Exceedance(n, k, field, factor, level, probability, error, method)


def _at_unit_gain(n: int, k: int, field: str, level: float) -> tuple[float, float, str]:
    from scipy.special import ndtr, ndtri

    probits = np.linspace(ndtri(LOWEST), ndtri(HIGHEST), _GRID)
    levels = np.clip(ndtr(probits), LOWEST, HIGHEST)
    anchor = k if n == 1 else anchor_depth(n, k, field)
    near = unit_gain_quantiles(n, anchor, field, levels)
    steps = k - anchor
    log_cdf = log_radius_cdf(n, field)

    def below(at: float) -> float:
        if steps == 0:
            probit = float(np.interp(at, near.values, probits))
        else:
            probit = _deep_probit(log_cdf, steps, at, probits, near.values)
        return float(ndtr(probit))

    middle = below(level)
    error = float(np.interp(ndtri(middle), probits, near.errors)) + growth_error(n, steps)
    spread = max(below(level + error) - middle, middle - below(level - error))
    if not LOWEST * _INSIDE < middle < 1.0 - LOWEST * _INSIDE:
        middle = 0.5 * LOWEST if middle < 0.5 else 1.0 - 0.5 * LOWEST
        spread = max(spread, 0.5 * LOWEST)
    return 1.0 - middle, spread, near.method if steps == 0 else "spectral radius"


def _deep_probit(
    log_cdf: Callable[[float], float],
    steps: int,
    level: float,
    probits: FloatArray,
    near: FloatArray,
) -> float:
    """Return the z at which the deep quantile, near(z) + 2 steps log r(z), is the level."""
    from scipy.optimize import brentq
    from scipy.special import ndtri_exp

    def excess(z: float) -> float:
        log_r = (level - float(np.interp(z, probits, near))) / (2.0 * steps)
        log_probability = log_cdf(math.exp(min(log_r, 1.0)))
        return max(float(ndtri_exp(min(log_probability, -1e-300))), -40.0) - z

    lowest, highest = float(probits[0]), float(probits[-1])
    if excess(lowest) <= 0.0:
        return lowest
    if excess(highest) >= 0.0:
        return highest
    return float(brentq(excess, lowest, highest, xtol=_ROOT_TOLERANCE))
