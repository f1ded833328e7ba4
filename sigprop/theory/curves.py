r"""Whole curves: the energies of one width at every depth 0, ..., last.

A curve is cheaper than its points.  In the shallow part the excess is an analytic
function of the depth, interpolated octave by octave from the positive expansion.  In the
deep part the energy is taken from the point kernel every 32 depths and carried on by

.. math:: r_{m+1} = r_m (1 + (m+1)/n), \qquad
          \frac{f_{m+1}}{r_{m+1}} = \frac{f_m}{r_m}\,\frac{n - m - 1}{n + m + 1},

two multiplications per depth.  That is for complex weights; real ones are interpolated
in `_real_curve`.  The LRU curve under white inputs is the running sum of the RNN curve.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sigprop._arguments import (
    FLOAT_WIDTH_LIMIT,
    FloatArray,
    as_integer,
    as_integer_array,
    shown,
)
from sigprop.theory import _positive_expansion as expansion
from sigprop.theory import _real_curve
from sigprop.theory._fields import as_field, as_law_that_matters, lru_curve_with_inputs
from sigprop.theory._rnn_kernel import falling_share, rnn_energies

MAX_CURVE_DEPTH = 10**8
"""Largest last depth of a curve: 800 MB per array."""

_BLOCK = 32  # (1 + 1e8)^32 does not overflow
_OCTAVE_NODES = 18
_FIRST_OCTAVE = 64


class Curve(NamedTuple):
    """Energies of one width at depths 0, 1, ..., each an array indexed by depth."""

    energy: FloatArray
    log_energy: FloatArray
    excess: FloatArray


def running_sum(x: FloatArray) -> FloatArray:
    """Cumulative sum in nested blocks of 64: the error grows with log, not with length."""
    if x.size <= 64:
        return np.cumsum(x)
    padded = np.zeros(-(-x.size // 64) * 64)
    padded[: x.size] = x
    inner = np.cumsum(padded.reshape(-1, 64), axis=1)
    outer = running_sum(inner[:, -1])
    inner[1:] += outer[:-1, None]
    return inner.ravel()[: x.size]


def _shallow_excess(n: float, last: int) -> FloatArray:
    """Return Q - 1 at depths 0, ..., last, all within the positive expansion."""
    excess = np.empty(last + 1)
    direct = np.arange(min(last + 1.0, _FIRST_OCTAVE))
    excess[: direct.size] = expansion.rnn_excess(np.full_like(direct, n), direct)
    start = _FIRST_OCTAVE
    while start <= last:
        stop = min(2 * start, last + 1)
        excess[start:stop] = _octave(n, start, stop)
        start = stop
    return excess


def _octave(n: float, start: int, stop: int) -> FloatArray:
    """Interpolate (Q - 1)/k^4 by Chebyshev polynomials over start <= k < stop <= 2 start."""
    nodes = np.polynomial.chebyshev.chebpts1(_OCTAVE_NODES)
    half = 0.5 * max(stop - 1 - start, 1)
    depths: FloatArray = np.asarray(start + half * (nodes + 1.0), dtype=np.float64)
    values = expansion.rnn_excess(np.full_like(depths, n), depths) / depths**4
    coefficients = np.polynomial.chebyshev.chebfit(nodes, values, _OCTAVE_NODES - 1)
    k = np.arange(start, stop, dtype=np.float64)
    smooth = np.polynomial.chebyshev.chebval((k - start) / half - 1.0, coefficients)
    square = k * k
    return np.asarray(smooth * square * square, dtype=np.float64)


def _deep_curve(n: float, first: int, last: int) -> Curve:
    """Return Q, log Q, Q - 1 at depths first, ..., last, all beyond the expansion."""
    anchors = np.arange(first, last + 1, _BLOCK, dtype=np.float64)
    widths = np.full_like(anchors, n)
    start = rnn_energies(widths, anchors)
    m = anchors[:, None] + 1.0 + np.arange(_BLOCK)  # m = k + 1
    rising = np.ones_like(m)
    np.cumprod(1.0 + m[:, 1:] / n, axis=1, out=rising[:, 1:])
    lost = np.zeros_like(m)
    share = falling_share(widths, anchors + 1.0)
    lost[:, 0] = 1.0 - share
    lost[:, 1:] = (n - m[:, 1:]) / (n + m[:, 1:])
    np.cumprod(lost, axis=1, out=lost)
    prefactor = (m[:, :1] / m) * ((m[:, :1] + 1.0) / (m + 1.0))
    ratio = rising * prefactor * ((1.0 - lost) / share[:, None])
    with np.errstate(over="ignore"):
        energy = (start.energy[:, None] * ratio).ravel()
    log_energy = (start.log_energy[:, None] + np.log(ratio)).ravel()
    count = last + 1 - first
    return Curve(energy[:count], log_energy[:count], energy[:count] - 1.0)


def _rnn_curve(n: float, last: int, field: str) -> Curve:
    if field == "real":
        return Curve(*_real_curve.curve(n, last))
    return _complex_rnn_curve(n, last)


def _complex_rnn_curve(n: float, last: int) -> Curve:
    shallow_last = min(last, int(expansion.last_depth(np.array([n]))[0]))
    excess = _shallow_excess(n, shallow_last)
    shallow = Curve(1.0 + excess, np.log1p(excess), excess)
    if shallow_last == last:
        return shallow
    deep = _deep_curve(n, shallow_last + 1, last)
    return Curve(*(np.concatenate(parts) for parts in zip(shallow, deep, strict=True)))


def _checked(n: Any, last: Any, name: str) -> tuple[float, int]:
    width = as_integer_array("n", as_integer("n", n, 1), 1, FLOAT_WIDTH_LIMIT)
    depth = as_integer(name, last, 0)
    if depth > MAX_CURVE_DEPTH:
        raise ValueError(
            f"{name} must be an integer from 0 to {MAX_CURVE_DEPTH}, got {shown(depth)}"
        )
    return float(width), depth


def rnn_energy_curve(n: int, kmax: int, field: str = "complex") -> Curve:
    r"""Return :math:`Q_{n,k}`, :math:`\log Q_{n,k}` and :math:`Q_{n,k} - 1` for k = 0, ..., kmax.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    kmax : int
        Last depth, 0 to 10**8.
    field : {"complex", "real"}, optional
        Entries of the weights.

    Returns
    -------
    Curve
        Named tuple of three float64 arrays of length ``kmax + 1``.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Complex weights: relative error below 1e-14 (measured 5e-15), several million depths per
    second.  Real weights: error of log Q below 1e-13 max(1, log Q) and relative error of the
    excess below 1e-12 while it is below 1e200 (measured 6e-15 and 2e-13), a second for 10**6
    depths.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> rnn_energy_curve(10, 4).energy
    array([1.    , 1.    , 1.01  , 1.05  , 1.1508])
    """
    return _rnn_curve(*_checked(n, kmax, "kmax"), as_field(field))


def lru_energy_curve(n: int, tmax: int, field: str = "complex", inputs: Any = "white") -> Curve:
    r"""Return :math:`S_{n,t}`, :math:`\log S_{n,t}`, :math:`S_{n,t}/(t+1) - 1`, t = 0, ..., tmax.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    tmax : int
        Last depth, 0 to 10**8.
    field : {"complex", "real"}, optional
        Entries of the weights.
    inputs : "white", "constant", ("ar1", rho) or array_like, optional
        Law of the inputs in time (`sigprop.theory.input_laws`); it matters for real
        weights alone, and limits `tmax` to 5000 there.

    Returns
    -------
    Curve
        Named tuple of three float64 arrays of length ``tmax + 1``.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Relative error below 1e-14 (measured 6e-15), several million depths per second.
    Where S overflows but S/(t+1) does not, the excess comes from the logarithm and its
    error is 2e-13.  Real weights under white inputs: as for `rnn_energy_curve`.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> lru_energy_curve(10, 4).energy
    array([1.    , 2.    , 3.01  , 4.06  , 5.2108])
    """
    width, last = _checked(n, tmax, "tmax")
    field = as_field(field)
    law = as_law_that_matters(field, inputs)
    if law is not None:
        log_energy, excess = lru_curve_with_inputs(width, last, law)
        with np.errstate(over="ignore"):
            return Curve(np.exp(log_energy), log_energy, excess)
    return _running_curve(_rnn_curve(width, last, field))


def _running_curve(rnn: Curve) -> Curve:
    """Return the LRU curve under white inputs from the RNN curve."""
    last = rnn.energy.size - 1
    count = np.arange(1.0, last + 2.0)
    with np.errstate(over="ignore"):
        excess = running_sum(rnn.excess) / count
        energy = count + count * excess
    finite = int(np.searchsorted(energy, np.inf))  # the energies are nondecreasing
    log_energy = np.log(count) + np.log1p(excess)
    if finite <= last:
        head = float(log_energy[finite - 1])
        log_energy[finite:] = _log_running_sum(head, rnn.log_energy[finite:])
        with np.errstate(over="ignore"):
            excess[finite:] = np.expm1(log_energy[finite:] - np.log(count[finite:]))
    return Curve(energy, log_energy, excess)


def _log_running_sum(log_head: float, log_terms: FloatArray) -> FloatArray:
    """Return log(e^head + e^terms[0] + ... + e^terms[j]) for each j."""
    chain = np.concatenate([[log_head], log_terms])
    total: FloatArray = np.logaddexp.accumulate(chain)
    return total[1:]
