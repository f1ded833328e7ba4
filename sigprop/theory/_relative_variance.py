r"""Relative variances of the energies: the choice between the ways in which they are known.

The public names are re-exported by `sigprop.theory.fluctuations`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigprop._arguments import (
    FLOAT_WIDTH_LIMIT,
    FloatArray,
    as_choice,
    as_integer,
    as_integer_array,
    as_positive_float,
)
from sigprop.theory import _second_moment_lru, _second_moment_real, _second_moment_rnn
from sigprop.theory._exact_second_moments import MODELS, second_moment
from sigprop.theory._second_moment_rnn import LogVariance
from sigprop.theory.energy import MAX_DEPTH, log_lru_energy, log_rnn_energy
from sigprop.theory.exact import FIELDS, lru_energy, rnn_energy

MAX_LRU_DEPTH = _second_moment_lru.MAX_SUM_DEPTH
"""Deepest LRU variance by the full sum; beyond, the series in 1/n where it converges."""


@dataclass(frozen=True)
class RelativeVariance:
    r"""A relative variance :math:`\mathrm{Var}(E)/E[E]^2` and how well it is known.

    Attributes
    ----------
    value : float
        The relative variance; ``inf`` beyond the float range.
    log_value : float
        Its natural logarithm, finite also there; ``-inf`` where the value is 0.
    relative_error : float
        Bound on the relative error of the value.
    method : str
        ``"sum"``, the whole sum over partitions in float64; ``"series"``, twelve terms of
        the expansion in 1/n; ``"scaled"``, RNN only: the sum over single hooks, with the
        rest taken from smaller depths at the same k/sqrt(n); or ``"enumeration"``, real
        weights: all pairings, exactly.

    Examples
    --------
    >>> found = relative_variance_with_error(64, 8)
    >>> RelativeVariance.from_dict(found.to_dict()) == found
    True
    """

    value: float
    log_value: float
    relative_error: float
    method: str

    def to_dict(self) -> dict[str, float | str | None]:
        """Return the fields for strict JSON: what is not finite becomes None."""
        return {
            "value": self.value if math.isfinite(self.value) else None,
            "log_value": self.log_value if math.isfinite(self.log_value) else None,
            "relative_error": self.relative_error,
            "method": self.method,
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> RelativeVariance:
        """Return the result that `to_dict` was called on."""
        value, log_value = fields["value"], fields["log_value"]
        return cls(
            value=math.inf if value is None else value,
            log_value=-math.inf if log_value is None else log_value,
            relative_error=fields["relative_error"],
            method=fields["method"],
        )


def relative_variance(
    n: Any,
    depth: Any,
    model: str = "rnn",
    gain: float = 1.0,
    exact: bool = False,
    field: str = "complex",
) -> Any:
    r"""Return :math:`\mathrm{Var}(E)/E[E]^2` of the energy of one draw.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53; with `exact` one integer >= 1.
    depth : array_like of int
        k of the RNN or t of the LRU, >= 0; the deepest ones are under Notes.
    model : {"rnn", "lru"}, optional
        The recurrence; inputs of the LRU are independent Gaussian, of the field of the weights.
    gain : float, optional
        Factor > 0 on the weights; cancels for the RNN.
    exact : bool, optional
        Return the exact fraction, for the depths of `second_moment` and gain 1.
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    float64 scalar or ndarray, or fractions.Fraction
        Relative variances of the broadcast shape, ``inf`` beyond the float range.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a number in its range, or the depth is beyond reach.

    Notes
    -----
    Complex weights: relative error below 1e-12 for k <= 1024 and t <= 256 (measured 6e-13; up
    to 1e-11 where the energy itself is beyond the float range).  Deeper RNNs: up to k = 10**6,
    and at any depth far below sqrt(n); deeper LRUs: only up to about 1.5 sqrt(n).  There the
    error is that of `relative_variance_with_error`, at most 1e-3.  The RNN takes a tenth of a
    second at k = 300 and three at 1024; the LRU one at t = 64, three at 128 and twenty at 256,
    and then nothing at all smaller depths of that width.

    Real weights: exact up to depth 7 and rounded to float64, three seconds for the first at
    depth 7 and half of one at 6; nothing is known beyond.

    Examples
    --------
    >>> round(float(relative_variance(64, 8)), 7)
    0.2014986
    >>> relative_variance(8, 3, exact=True)
    Fraction(12095, 19044)
    >>> relative_variance(8, 3, exact=True, field="real")
    Fraction(36641, 22201)
    >>> relative_variance([16, 64], 4, model="lru").round(7)
    array([0.1705762, 0.0359371])
    """
    as_choice("model", model, MODELS)
    as_choice("field", field, FIELDS)
    if exact:
        if as_positive_float("gain", gain) != 1.0:
            raise ValueError(f"gain must be 1 for an exact relative variance, got {gain!r}")
        moment = second_moment(n, depth, model, field)
        mean = rnn_energy(n, depth, field) if model == "rnn" else lru_energy(n, depth, field)
        return moment / mean**2 - 1
    with np.errstate(over="ignore"):
        return np.exp(_log_relative_variances(n, depth, model, gain, field))[()]


def relative_variance_with_error(
    n: int, depth: int, model: str = "rnn", gain: float = 1.0, field: str = "complex"
) -> RelativeVariance:
    r"""Return the relative variance of one (n, depth) with its error and its method.

    Parameters
    ----------
    n, depth, model, gain, field
        One point, as for `relative_variance`.

    Returns
    -------
    RelativeVariance
        Value, logarithm, bound on the relative error, and method.

    Raises
    ------
    TypeError, ValueError
        As for `relative_variance`.

    Examples
    --------
    >>> relative_variance_with_error(10**9, 5000, model="lru").method
    'series'
    """
    as_choice("model", model, MODELS)
    as_choice("field", field, FIELDS)
    width = as_integer("n", n, 1)
    as_integer_array("n", width, 1, FLOAT_WIDTH_LIMIT)
    factor = as_positive_float("gain", gain)
    result = _dispatch(width, as_integer("depth", depth, 0), model, factor, field)
    with np.errstate(over="ignore"):
        value = float(np.exp(result.log))
    return RelativeVariance(value, result.log, result.error, result.method)


def _dispatch(n: int, depth: int, model: str, gain: float, field: str) -> LogVariance:
    if field == "real":
        return _second_moment_real.relative_variance(n, depth, model, gain)
    if model == "rnn":
        return _second_moment_rnn.relative_variance(n, depth)
    return _second_moment_lru.relative_variance(n, depth, gain)


def _log_relative_variances(n: Any, depth: Any, model: str, gain: float, field: str) -> FloatArray:
    factor = as_positive_float("gain", gain)
    widths, depths = np.broadcast_arrays(
        as_integer_array("n", n, 1, FLOAT_WIDTH_LIMIT),
        as_integer_array("depth", depth, 0, MAX_DEPTH),
    )
    result = np.empty(widths.shape)
    # Deepest first: one table then answers for all depths of a width.
    for index in sorted(np.ndindex(widths.shape), key=lambda where: -depths[where]):
        point = _dispatch(int(widths[index]), int(depths[index]), model, factor, field)
        result[index] = point.log
    return result


def lru_relative_variances(n: int, tmax: int, gain: float = 1.0) -> FloatArray:
    r"""Return the relative variances of the complex LRU energies at depths 0, ..., tmax.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    tmax : int
        Last depth, 0 to 256.
    gain : float, optional
        Factor > 0 on the weights.

    Returns
    -------
    ndarray of float64
        ``tmax + 1`` relative variances, ``inf`` beyond the float range.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a number in its range.

    Notes
    -----
    Relative error below 1e-12.  O(tmax^4): depth 64 takes a second, 128 three; the table is
    kept, so that questions about the same width are free from then on.

    Examples
    --------
    >>> lru_relative_variances(100, 24)[[4, 8, 24]].round(6)
    array([0.022619, 0.039656, 1.264242])
    """
    width = as_integer("n", n, 1)
    as_integer_array("n", width, 1, FLOAT_WIDTH_LIMIT)
    tmax = as_integer("tmax", tmax, 0)
    if tmax > MAX_LRU_DEPTH:
        raise ValueError(f"tmax must be at most {MAX_LRU_DEPTH}, got {tmax}")
    with np.errstate(over="ignore"):
        logs = _second_moment_lru.log_table(width, tmax, as_positive_float("gain", gain))
        return np.asarray(np.exp(logs))


def log_second_moment(
    n: Any, depth: Any, model: str = "rnn", gain: float = 1.0, field: str = "complex"
) -> Any:
    r"""Return :math:`\log E[E^2]`, finite wherever the relative variance is within reach.

    Parameters
    ----------
    n, depth, model, gain, field
        As for `relative_variance`.

    Returns
    -------
    float64 scalar or ndarray
        Natural logarithms of the broadcast shape.

    Raises
    ------
    TypeError, ValueError
        As for `relative_variance`.

    Examples
    --------
    >>> round(float(np.exp(log_second_moment(64, 8))), 5)
    1.32876
    """
    as_choice("model", model, MODELS)
    as_choice("field", field, FIELDS)
    log_mean = log_rnn_energy if model == "rnn" else log_lru_energy
    ratio = np.logaddexp(0.0, _log_relative_variances(n, depth, model, gain, field))
    return (2.0 * np.asarray(log_mean(n, depth, gain, field)) + ratio)[()]
