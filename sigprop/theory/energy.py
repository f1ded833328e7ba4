r"""float64 energies of the Gaussian RNN and LRU, complex or real, at any width and depth.

All functions broadcast like ufuncs, cost O(1) per point whatever the depth, and never
return nan: an energy that overflows is inf, and its logarithm is still exact.

The input law of an LRU matters for real weights alone: with complex weights
:math:`E\,\mathrm{tr}\,W^i (W^j)^* = 0` for i != j, since the law of W is that of
:math:`e^{i\theta} W`, so every input law of unit variance gives the same mean energy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sigprop._arguments import (
    FLOAT_WIDTH_LIMIT,
    FloatArray,
    as_gain_array,
    as_integer_array,
)
from sigprop.theory import _gain_sum, _lru_kernel, _real_lru, _real_rnn, _rnn_kernel
from sigprop.theory._fields import (
    FIELDS,
    as_field,
    as_law_that_matters,
    log_lru_with_inputs,
    lru_excess_with_inputs,
)
from sigprop.theory._rnn_kernel import Energies

__all__ = [
    "FIELDS",
    "MAX_DEPTH",
    "log_lru_energy",
    "log_rnn_energy",
    "lru_energy",
    "lru_excess",
    "rnn_energy",
    "rnn_excess",
]

MAX_DEPTH = 10**15
"""Largest depth that the float64 functions accept."""

_BLOCK = 4096  # points per pass: array overhead is hidden, and memory bounded by about 20 MB

_Kernel = Callable[[FloatArray, FloatArray], Energies]

_RNN: dict[str, _Kernel] = {
    "complex": _rnn_kernel.rnn_energies,
    "real": _real_rnn.rnn_energies,
}
_LRU: dict[str, _Kernel] = {
    "complex": _lru_kernel.lru_energies,
    "real": _real_lru.lru_energies,
}
_LOG_GAIN_SUM: dict[str, Callable[[float, float, float], float]] = {
    "complex": _gain_sum.log_gain_sum,
    "real": _real_lru.log_gain_sum,
}


def _as_output(values: FloatArray) -> Any:
    """Return a scalar for scalar input, as ufuncs do."""
    return values[()]


def _evaluate(kernel: _Kernel, n: Any, depth: Any, name: str) -> Energies:
    widths = as_integer_array("n", n, 1, FLOAT_WIDTH_LIMIT)
    depths = as_integer_array(name, depth, 0, MAX_DEPTH)
    widths, depths = np.broadcast_arrays(widths, depths)
    flat_widths, flat_depths = widths.ravel(), depths.ravel()
    result = Energies(*(np.empty(flat_widths.size) for _ in range(3)))
    for start in range(0, flat_widths.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        for target, values in zip(
            result, kernel(flat_widths[block], flat_depths[block]), strict=True
        ):
            target[block] = values
    return Energies(*(values.reshape(widths.shape) for values in result))


def _with_gain_shape(values: FloatArray, gain: FloatArray) -> Any:
    shape = np.broadcast_shapes(values.shape, gain.shape)
    return _as_output(np.broadcast_to(values, shape).copy())


def _log_powers(gain: FloatArray, depth: Any) -> FloatArray:
    return 2.0 * np.asarray(depth, dtype=np.float64) * np.log(gain)


def rnn_energy(n: Any, k: Any, gain: Any = 1.0, field: str = "complex") -> Any:
    r"""Return :math:`g^{2k} Q_{n,k}`, the mean energy per unit of a Gaussian RNN.

    :math:`Q_{n,k} = E\|W^k x\|^2 / n` with :math:`\|x\|^2 = n`, :math:`E|W_{ij}|^2 = 1/n`.
    For complex weights :math:`Q_{n,k} = (n^{(k+2)} - n_{(k+2)}) / ((k+1)(k+2) n^{k+1})` with
    rising and falling factorials; for real ones see `sigprop.theory.real_weights`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    k : array_like of int
        Depth, 0 to 10**15.
    gain : array_like of float, optional
        Factor g > 0 on the weights, so that :math:`E|W_{ij}|^2 = g^2/n`.
    field : {"complex", "real"}, optional
        Entries of the weights.

    Returns
    -------
    float64 scalar or ndarray
        Energies of the broadcast shape; ``inf`` where they exceed the float range
        (`log_rnn_energy` is finite there).

    Raises
    ------
    TypeError
        If an argument does not hold numbers (bools and strings included).
    ValueError
        If an argument is empty, not integral, not finite, or out of range.

    Notes
    -----
    Complex weights: relative error below 4e-15 at gain 1 (measured 9e-16); with a gain,
    plus that of ``gain**(2k)``.  About 1.5 microseconds per point in arrays.  Real weights:
    relative error below 1e-14 max(10, log Q) (measured 6e-13 at log Q = 700); 20 to 200
    microseconds per point whatever the depth (`rnn_energy_curve` for whole curves).

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> float(rnn_energy(5, 3))
    1.2
    >>> rnn_energy([[10], [1000]], [2, 20]).round(6)
    array([[1.0100000e+00, 4.9047487e+04],
           [1.0000010e+00, 1.0073270e+00]])
    >>> float(rnn_energy(10, 3, field="real")).__round__(12)
    1.104
    """
    values = _evaluate(_RNN[as_field(field)], n, k, "k")
    gains = as_gain_array(gain)
    if np.all(gains == 1.0):
        return _with_gain_shape(values.energy, gains)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        powers = gains ** (2.0 * np.asarray(k, dtype=np.float64))
        direct = values.energy * powers
        safe = np.isfinite(values.energy) & (powers > 1e-290) & np.isfinite(powers)
        logs = values.log_energy + _log_powers(gains, k)
        return _as_output(np.where(safe, direct, np.exp(logs)))


def log_rnn_energy(n: Any, k: Any, gain: Any = 1.0, field: str = "complex") -> Any:
    r"""Return :math:`\log(g^{2k} Q_{n,k})`, finite at every width and depth.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    k : array_like of int
        Depth, 0 to 10**15.
    gain : array_like of float, optional
        Factor g > 0 on the weights.
    field : {"complex", "real"}, optional
        Entries of the weights.

    Returns
    -------
    float64 scalar or ndarray
        Natural logarithm of `rnn_energy`.

    Raises
    ------
    TypeError, ValueError
        As for `rnn_energy`.

    Notes
    -----
    Relative error below 4e-15 at gain 1 (measured 9e-16); real weights, 1e-14 (measured
    2e-15).

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> float(log_rnn_energy(10**12, 10**7))
    45.39467784810459
    """
    values = _evaluate(_RNN[as_field(field)], n, k, "k")
    return _as_output(values.log_energy + _log_powers(as_gain_array(gain), k))


def rnn_excess(n: Any, k: Any, field: str = "complex") -> Any:
    r"""Return :math:`Q_{n,k} - 1`, the excess over infinite width, without cancellation.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    k : array_like of int
        Depth, 0 to 10**15.
    field : {"complex", "real"}, optional
        Entries of the weights.

    Returns
    -------
    float64 scalar or ndarray
        The excess, 0 at depths 0 and 1 and positive beyond.

    Raises
    ------
    TypeError, ValueError
        As for `rnn_energy`.

    Notes
    -----
    Relative error below 4e-15 (measured 1.1e-15), also where Q - 1 is far below
    the float64 resolution of Q.  Real weights: below 1e-14 max(10, log Q).

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> float(rnn_excess(10**12, 2))
    1e-24
    >>> f"{rnn_excess(10**12, 2, field='real'):.12g}"
    '2e-24'
    """
    return _as_output(_evaluate(_RNN[as_field(field)], n, k, "k").excess)


def lru_energy(
    n: Any, t: Any, gain: Any = 1.0, field: str = "complex", inputs: Any = "white"
) -> Any:
    r"""Return :math:`S_{n,t} = \sum_{k=0}^t g^{2k} Q_{n,k}`, the mean energy per unit of an LRU.

    The state is :math:`h_t = W h_{t-1} + x_t` with Gaussian weights and inputs
    :math:`x_0, \dots, x_t` of unit variance: white or not for complex weights, white for
    real ones, where other inputs add the cross moments :math:`E\,\mathrm{tr}\,W^i (W^j)^T`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    gain : array_like of float, optional
        Factor g > 0 on the weights, so that :math:`E|W_{ij}|^2 = g^2/n`.
    field : {"complex", "real"}, optional
        Entries of the weights.
    inputs : "white", "constant", ("ar1", rho) or array_like, optional
        Law of the inputs in time (`sigprop.theory.input_laws`); it matters for real
        weights alone.

    Returns
    -------
    float64 scalar or ndarray
        Energies of the broadcast shape; ``inf`` where they exceed the float range
        (`log_lru_energy` is finite there).

    Raises
    ------
    TypeError, ValueError
        As for `rnn_energy`.

    Notes
    -----
    Relative error below 5e-14 at gain 1 (measured 1e-14).  With a gain it is that of
    the logarithm, about ``2 t |log gain| 1e-16``: no more than a change of the gain
    in its last digit makes.  About 100 microseconds per point, a millisecond with gain.
    Real weights under white inputs: relative error below 1e-13 max(1, log S); ten to fifty
    milliseconds per point whatever the depth, less for many depths of one width
    (`lru_energy_curve` for whole curves).  Other inputs: to t = 5000, in O(t^3) time.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> float(lru_energy(3, 1))
    2.0
    >>> lru_energy(100, [10, 20, 40]).round(4)
    array([ 11.1293,  24.7075, 526.7599])
    >>> lru_energy(8, 2, field="real", inputs="constant").round(12)
    np.float64(3.28125)
    """
    gains = as_gain_array(gain)
    field = as_field(field)
    law = as_law_that_matters(field, inputs)
    if law is not None:
        return _as_output(_exp(log_lru_with_inputs(*_lru_points(n, t, gains), law)))
    values = _evaluate(_LRU[field], n, t, "t")
    if np.all(gains == 1.0):
        return _with_gain_shape(values.energy, gains)
    return _as_output(_exp(_log_lru_with_gain(n, t, gains, field)))


def log_lru_energy(
    n: Any, t: Any, gain: Any = 1.0, field: str = "complex", inputs: Any = "white"
) -> Any:
    r"""Return :math:`\log S_{n,t}`, finite at every width and depth.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    gain : array_like of float, optional
        Factor g > 0 on the weights.
    field : {"complex", "real"}, optional
        Entries of the weights.
    inputs : "white", "constant", ("ar1", rho) or array_like, optional
        Law of the inputs in time (`sigprop.theory.input_laws`); it matters for real
        weights alone.

    Returns
    -------
    float64 scalar or ndarray
        Natural logarithm of `lru_energy`.

    Raises
    ------
    TypeError, ValueError
        As for `rnn_energy`.

    Notes
    -----
    Relative error below 5e-14 at gain 1 (measured 2e-15); real weights under white inputs,
    1e-13 max(1, log S).

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> round(float(log_lru_energy(10**6, 10**5)), 6)
    4834.528558
    """
    gains = as_gain_array(gain)
    field = as_field(field)
    law = as_law_that_matters(field, inputs)
    if law is not None:
        return _as_output(log_lru_with_inputs(*_lru_points(n, t, gains), law))
    values = _evaluate(_LRU[field], n, t, "t")
    if np.all(gains == 1.0):
        return _with_gain_shape(values.log_energy, gains)
    return _as_output(_log_lru_with_gain(n, t, gains, field))


def _exp(logs: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", under="ignore"):
        return np.exp(logs)


def _lru_points(n: Any, t: Any, gains: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return widths, depths and logarithms of the gains, of one shape."""
    widths = as_integer_array("n", n, 1, FLOAT_WIDTH_LIMIT)
    depths = as_integer_array("t", t, 0, MAX_DEPTH)
    widths, depths, log_gains = np.broadcast_arrays(widths, depths, np.log(gains))
    return widths, depths, log_gains


def _log_lru_with_gain(n: Any, t: Any, gains: FloatArray, field: str) -> FloatArray:
    log_gain_sum = _LOG_GAIN_SUM[field]
    points = _lru_points(n, t, gains)
    flat = zip(*(column.ravel().tolist() for column in points), strict=True)
    return np.array([log_gain_sum(*point) for point in flat]).reshape(points[0].shape)


def lru_excess(n: Any, t: Any, field: str = "complex", inputs: Any = "white") -> Any:
    r"""Return :math:`S_{n,t}/(t+1) - 1`, the excess over infinite width, without cancellation.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    field : {"complex", "real"}, optional
        Entries of the weights.
    inputs : "white", "constant", ("ar1", rho) or array_like, optional
        Law of the inputs in time (`sigprop.theory.input_laws`); it matters for real
        weights alone.

    Returns
    -------
    float64 scalar or ndarray
        The excess, 0 at depths 0 and 1 and positive beyond.

    Raises
    ------
    TypeError, ValueError
        As for `rnn_energy`.

    Notes
    -----
    Relative error below 5e-14 (measured 1e-14), also where the excess is far below
    the float64 resolution of S.  Real weights under white inputs: below
    1e-13 max(10, log S).

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> round(float(lru_excess(10, 4)), 5)
    0.04216
    """
    field = as_field(field)
    law = as_law_that_matters(field, inputs)
    if law is None:
        return _as_output(_evaluate(_LRU[field], n, t, "t").excess)
    widths, depths, _ = _lru_points(n, t, np.ones(()))
    return _as_output(lru_excess_with_inputs(widths, depths, law))
