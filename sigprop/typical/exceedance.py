r"""Probability that the energy of one draw exceeds a level."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sigprop._arguments import (
    FloatArray,
    as_choice,
    as_finite_float,
    as_integer,
    as_positive_float,
)
from sigprop.typical.dispatch import (
    HIGHEST,
    LOWEST,
    Answer,
    anchor_depth,
    gamma_shape,
    rounding_error,
    unit_gain_quantiles,
)
from sigprop.typical.quantiles import check_range
from sigprop.typical.radius import FIELDS, radius_probit
from sigprop.typical.roots import increasing_root
from sigprop.typical.stated_errors import growth_error

_GRID = 61  # quantiles that enclose the level, and again between those two
_GRID_OF_DRAWS = 7  # the second grid, where quantiles are themselves off by more
_PROBIT_ERROR = 3e-6  # of linear interpolation on the second grid, and of the root
_GAMMA_ERROR = 1e-12  # relative, of the incomplete Gamma function
_LARGEST_LOG = 700.0
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
        Largest change of the probability when the quantiles move by their stated errors;
        of the exact law, rounding.
    method : str
        As for `EnergyQuantiles`.

    Examples
    --------
    >>> Exceedance.from_dict(exceedance(64, 8, 1.0).to_dict()).n
    64
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
    The inverse of `energy_quantiles`. At k = 1 and n = 1 the law is exact at every level.
    Elsewhere, outside of the levels .005 and .995, only a bound is known: there the
    probability is .0025 or .9975, and the error at least .0025. A lower level has no smaller
    probability.

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
    if k == 1 or n == 1:
        return _exact(n, k, field, level)
    law = _inverse_law(n, k, field)
    probit = law.probit(level)
    error = law.error(probit)
    above, least, most = (
        _survival(z)
        for z in (
            probit,
            law.probit(level + error) + _PROBIT_ERROR,
            law.probit(level - error) - _PROBIT_ERROR,
        )
    )
    spread = max(most - above, above - least)
    if not LOWEST * _INSIDE < above < 1.0 - LOWEST * _INSIDE:
        above = 0.5 * LOWEST if above < 0.5 else 1.0 - 0.5 * LOWEST
        spread = max(spread, 0.5 * LOWEST)
    return above, spread, law.method


def _exact(n: int, k: int, field: str, level: float) -> tuple[float, float, str]:
    """Return P(E > e) of Gamma(nu)/nu, or of its power k at n = 1."""
    from scipy.special import gammaincc

    shape = gamma_shape(n, field)
    error = float(rounding_error(k, np.array(level)))

    def above(at: float) -> float:
        return float(gammaincc(shape, shape * math.exp(min(at / k, _LARGEST_LOG))))

    middle = above(level)
    spread = max(above(level - error) - middle, middle - above(level + error))
    return middle, spread + _GAMMA_ERROR * middle, "exact"


def _survival(probit: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(-probit))


class _InverseLaw:
    """The probit of P(log E_k <= level), by quantiles on a grid and on a finer one within."""

    def __init__(self, n: int, k: int, field: str) -> None:
        from scipy.special import ndtri

        self._n, self._field = n, field
        self._anchor = anchor_depth(n, k, field)
        self._steps = k - self._anchor
        self._probits = np.linspace(ndtri(LOWEST), ndtri(HIGHEST), _GRID)
        near = self._quantiles(self._probits)
        self._near, self._errors = near.values, near.errors
        self._fine = _GRID_OF_DRAWS if near.method == "simulation" else _GRID
        self.method = near.method if self._steps == 0 else "spectral radius"

    def probit(self, level: float) -> float:
        """Return the probit, at least that of .005 and at most that of .995."""
        low, high = 0, _GRID - 1
        if self._excess(level, self._probits[low], self._near[low]) <= 0.0:
            return float(self._probits[low])
        if self._excess(level, self._probits[high], self._near[high]) >= 0.0:
            return float(self._probits[high])
        while high - low > 1:
            middle = (low + high) // 2
            if self._excess(level, self._probits[middle], self._near[middle]) > 0.0:
                low = middle
            else:
                high = middle
        return self._within(level, np.linspace(self._probits[low], self._probits[high], self._fine))

    def error(self, probit: float) -> float:
        """Return the stated error of the quantile at a probit."""
        error = float(np.interp(probit, self._probits, self._errors))
        return error + growth_error(self._n, self._steps)

    def _within(self, level: float, probits: FloatArray) -> float:
        near = self._quantiles(probits).values
        if self._steps == 0:
            return float(np.interp(level, near, probits))

        def lack(z: float) -> float:
            return -self._excess(level, z, float(np.interp(z, probits, near)))

        start, width = float(probits[probits.size // 2]), float(probits[-1] - probits[0])
        root = increasing_root(lack, start, 0.5 * width, 0.1 * _PROBIT_ERROR)
        return float(np.clip(root, probits[0], probits[-1]))

    def _excess(self, level: float, probit: float, near: float) -> float:
        """Return what has the sign of level - quantile: the quantile is near + 2 steps log r."""
        if self._steps == 0:
            return level - near
        log_r = (level - near) / (2.0 * self._steps)
        return radius_probit(self._n, self._field, min(log_r, 1.0)) - probit

    def _quantiles(self, probits: FloatArray) -> Answer:
        from scipy.special import ndtr

        levels = np.clip(ndtr(probits), LOWEST, HIGHEST)
        return unit_gain_quantiles(self._n, self._anchor, self._field, levels)


@lru_cache(maxsize=64)
def _inverse_law(n: int, k: int, field: str) -> _InverseLaw:
    return _InverseLaw(n, k, field)
