r"""Second moments of the energy of one draw: how far a sample mean can be trusted.

One draw of the weights has the energy :math:`E_k = \|W^k x\|^2/n` (RNN, fixed x with
:math:`\|x\|^2 = n`) or :math:`E_t = \|h_t\|^2/n` (LRU with independent complex Gaussian
inputs).  Its mean is exact elsewhere; here are its exact second moment and relative variance,
so that the standard error of a mean of N draws is known: mean * sqrt(relative variance / N).

With :math:`A_j = W^j W^{j*}` everything follows from :math:`E[\mathrm{tr} A_i \mathrm{tr} A_j]`
and :math:`E[\mathrm{tr} A_i A_j]`, which are sums over partitions that are hooks or double
hooks, with rational weights >= 0.  That no other partition enters is proved.  The weights are
verified, exactly, against enumeration of all pairings (i + j <= 10), independent computations
at n = 1 and 2, and long ranges of integrality, but not proved for every depth.

All functions are for complex Gaussian weights with :math:`E|W_{ij}|^2 = 1/n`.
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
    as_exact_integer,
    as_integer,
    as_integer_array,
    as_nonnegative_array,
    as_positive_float,
)
from sigprop.theory import _second_moment_lru, _second_moment_rnn, _variance_series
from sigprop.theory._exact_second_moments import (
    MAX_EXACT_DEPTH,
    MAX_SYMBOLIC_DEPTH,
    MODELS,
    TraceCounts,
    TraceMoments,
    enumerate_trace_moments,
    second_moment,
    trace_moment_counts,
    trace_moments,
)
from sigprop.theory._second_moment_rnn import LogVariance
from sigprop.theory.energy import MAX_DEPTH, log_lru_energy, log_rnn_energy
from sigprop.theory.exact import lru_energy, rnn_energy

MAX_LRU_DEPTH = _second_moment_lru.MAX_SUM_DEPTH
"""Deepest LRU variance by the full sum; beyond, the series in 1/n where it converges."""

__all__ = [
    "MAX_EXACT_DEPTH",
    "MAX_LRU_DEPTH",
    "MAX_SYMBOLIC_DEPTH",
    "RelativeVariance",
    "TraceCounts",
    "TraceMoments",
    "critical_variance",
    "enumerate_trace_moments",
    "log_second_moment",
    "lru_relative_variances",
    "relative_variance",
    "relative_variance_with_error",
    "required_samples",
    "second_moment",
    "trace_moment_counts",
    "trace_moments",
    "variance_coefficients",
]


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
        the expansion in 1/n; or ``"scaled"``, RNN only: the sum over single hooks, with
        the rest taken from smaller depths at the same k/sqrt(n).
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
    n: Any, depth: Any, model: str = "rnn", gain: float = 1.0, exact: bool = False
) -> Any:
    r"""Return :math:`\mathrm{Var}(E)/E[E]^2` of the energy of one draw.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53; with `exact` one integer >= 1.
    depth : array_like of int
        k of the RNN or t of the LRU, >= 0; the deepest ones are under Notes.
    model : {"rnn", "lru"}, optional
        The recurrence.
    gain : float, optional
        Factor > 0 on the weights; cancels for the RNN.
    exact : bool, optional
        Return the exact fraction, for the depths of `second_moment` and gain 1.

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
    Relative error below 1e-12 for k <= 1024 and t <= 256 (measured 6e-13; up to 1e-11 where
    the energy itself is beyond the float range).  Deeper RNNs: up to k = 10**6, and at any
    depth far below sqrt(n); deeper LRUs: only up to about 1.5 sqrt(n).  There the error is
    that of `relative_variance_with_error`, at most 1e-3.  The RNN takes a tenth of a second
    at k = 300 and three at 1024; the LRU one at t = 64, three at 128 and twenty at 256, and
    then nothing at all smaller depths of that width.

    Examples
    --------
    >>> round(float(relative_variance(64, 8)), 7)
    0.2014986
    >>> relative_variance(8, 3, exact=True)
    Fraction(12095, 19044)
    >>> relative_variance([16, 64], 4, model="lru").round(7)
    array([0.1705762, 0.0359371])
    """
    as_choice("model", model, MODELS)
    if exact:
        if as_positive_float("gain", gain) != 1.0:
            raise ValueError(f"gain must be 1 for an exact relative variance, got {gain!r}")
        mean = rnn_energy(n, depth) if model == "rnn" else lru_energy(n, depth)
        return second_moment(n, depth, model) / mean**2 - 1
    with np.errstate(over="ignore"):
        return np.exp(_log_relative_variances(n, depth, model, gain))[()]


def relative_variance_with_error(
    n: int, depth: int, model: str = "rnn", gain: float = 1.0
) -> RelativeVariance:
    r"""Return the relative variance of one (n, depth) with its error and its method.

    Parameters
    ----------
    n, depth, model, gain
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
    width = as_integer("n", n, 1)
    as_integer_array("n", width, 1, FLOAT_WIDTH_LIMIT)
    result = _dispatch(width, as_integer("depth", depth, 0), model, as_positive_float("gain", gain))
    return _with_label(result)


def _with_label(result: LogVariance) -> RelativeVariance:
    with np.errstate(over="ignore"):
        value = float(np.exp(result.log))
    return RelativeVariance(value, result.log, result.error, result.method)


def _dispatch(n: int, depth: int, model: str, gain: float) -> LogVariance:
    if model == "rnn":
        return _second_moment_rnn.relative_variance(n, depth)
    return _second_moment_lru.relative_variance(n, depth, gain)


def _log_relative_variances(n: Any, depth: Any, model: str, gain: float) -> FloatArray:
    factor = as_positive_float("gain", gain)
    widths, depths = np.broadcast_arrays(
        as_integer_array("n", n, 1, FLOAT_WIDTH_LIMIT),
        as_integer_array("depth", depth, 0, MAX_DEPTH),
    )
    result = np.empty(widths.shape)
    # Deepest first: one table then answers for all depths of a width.
    for index in sorted(np.ndindex(widths.shape), key=lambda where: -depths[where]):
        result[index] = _dispatch(int(widths[index]), int(depths[index]), model, factor).log
    return result


def lru_relative_variances(n: int, tmax: int, gain: float = 1.0) -> FloatArray:
    r"""Return the relative variances of the LRU energies at all depths 0, ..., tmax.

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


def log_second_moment(n: Any, depth: Any, model: str = "rnn", gain: float = 1.0) -> Any:
    r"""Return :math:`\log E[E^2]`, finite wherever the relative variance is within reach.

    Parameters
    ----------
    n, depth, model, gain
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
    log_mean = log_rnn_energy if model == "rnn" else log_lru_energy
    ratio = np.logaddexp(0.0, _log_relative_variances(n, depth, model, gain))
    return (2.0 * np.asarray(log_mean(n, depth, gain)) + ratio)[()]


def required_samples(
    n: int, depth: int, relative_error: float, model: str = "rnn", gain: float = 1.0
) -> int:
    r"""Return the draws whose mean has this relative standard error, ceil(relvar / eps^2).

    Parameters
    ----------
    n, depth, model, gain
        One point, as for `relative_variance`.
    relative_error : float
        Wanted standard error over the mean, > 0.

    Returns
    -------
    int
        Number of independent draws, at least 1; of any size.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a number in its range.

    Notes
    -----
    The rule is sufficient, not necessary: beyond k/sqrt(n) of about 3 the second moment is
    carried by draws far rarer than those that carry the mean.  Nor is the sample's own
    standard error to be believed with fewer draws than this.

    Examples
    --------
    >>> required_samples(64, 8, 0.01)
    2015
    """
    error = as_positive_float("relative_error", relative_error)
    log_variance = relative_variance_with_error(n, depth, model, gain).log_value
    return max(1, _ceil_exp(log_variance - 2.0 * math.log(error)))


def _ceil_exp(log: float) -> int:
    """Return e^log rounded up, but for an excess within the error of the log."""
    if log < 700.0:
        return math.ceil(math.exp(log) * (1.0 - 1e-12))
    exponent = math.floor(log / math.log(2.0)) - 52
    return math.ceil(math.exp(log - exponent * math.log(2.0))) << exponent


def variance_coefficients(depth: int, model: str = "rnn") -> list[int]:
    r"""Return :math:`[v_1, \dots, v_{12}]` of :math:`\mathrm{Var}(E) = \sum_r v_r n^{-r}`.

    RNN: :math:`v_1 = k`, :math:`v_2 = k(k-1)(2k+5)/6`.
    LRU: :math:`v_1 = (t+1)(t+2)(2t+3)/6`, :math:`v_2 = t(t+1)(t+2)(3t^2+6t+1)/60`.

    Parameters
    ----------
    depth : int
        k of the RNN or t of the LRU, >= 0.
    model : {"rnn", "lru"}, optional
        The recurrence.

    Returns
    -------
    list of int
        Twelve integers >= 0; polynomials in the depth, of degree 2r - 1 or 2r + 1.

    Raises
    ------
    TypeError, ValueError
        If `depth` is not an integer >= 0, or the model is unknown.

    Notes
    -----
    Interpolated from exact values with at least 19 depths to spare.

    Examples
    --------
    >>> variance_coefficients(4)[:4], variance_coefficients(4, model="lru")[:2]
    ([4, 26, 302, 1466], [55, 146])
    """
    as_choice("model", model, MODELS)
    return _variance_series.coefficients(as_exact_integer("depth", depth, 0), model)


def critical_variance(c: Any, model: str = "rnn") -> Any:
    r"""Return the limit of the variance at critical depth, depth = c sqrt(n).

    RNN: :math:`\sqrt n\, \mathrm{Var}(E_k) \to V(c) = c + c^3/3 + 7c^5/30 + \cdots`;
    LRU: :math:`\mathrm{Var}(E_t)/\sqrt n \to V_L(c) = c^3/3 + c^5/20 + \cdots`.

    Parameters
    ----------
    c : array_like of float
        Depth over the square root of the width, 0 to 2.5.
    model : {"rnn", "lru"}, optional
        The recurrence.

    Returns
    -------
    float64 scalar or ndarray
        V(c) or V_L(c).

    Raises
    ------
    TypeError, ValueError
        If `c` does not hold numbers from 0 to 2.5, or the model is unknown.

    Notes
    -----
    Taylor series to c^47 and c^41 with positive coefficients, the leading ones of
    `variance_coefficients`: what is left out is below 1e-6 of the sum up to c = 2 and
    1e-3 at 2.5.  The limit is approached slowly, with a relative error of about
    2/sqrt(n) at c = 1 and growing with c: at a given width use `relative_variance`.

    Examples
    --------
    >>> critical_variance([1.0, 2.0]).round(3)
    array([  1.68 , 107.467])
    """
    as_choice("model", model, MODELS)
    array = as_nonnegative_array("c", c)
    largest = _variance_series.CRITICAL_RANGE
    if np.any(array > largest):
        raise ValueError(f"c must hold numbers from 0 to {largest}, got {array.max()}")
    return _variance_series.critical_variance(array, model)[()]
