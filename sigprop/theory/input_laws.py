r"""Input laws: how the inputs of two steps are correlated, :math:`R(s) = E x^{(t)} \bar x^{(t+s)}`.

Inputs are stationary with mean square 1 per entry and independent entries:

- ``"white"``: a fresh vector at every step, R(s) = 0 for s > 0;
- ``"constant"``: one vector per trajectory, R(s) = 1;
- ``("ar1", rho)``: :math:`R(s) = \rho^s`, -1 < rho < 1;
- an autocorrelation array R(0) = 1, R(1), ..., R(q), and zero beyond: a moving average of
  order q.  There is such a sequence if and only if its spectrum

  .. math:: f(\theta) = 1 + 2 \sum_{s=1}^{q} R(s) \cos s\theta

  is nowhere negative.  It is kept as ``("autocorrelation", (1.0, R(1), ...))``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray, as_exact_integer, as_finite_float, shown

InputLaw = str | tuple[str, float | tuple[float, ...]]
"""``"white"``, ``"constant"``, ``("ar1", rho)`` or ``("autocorrelation", (1.0, R(1), ...))``."""

MAX_LAGS = 4096
"""Longest autocorrelation array."""

_SPECTRUM_TOLERANCE = 1e-12
"""How far below zero a spectrum may fall, relative to the sum of abs(R): rounding of R."""

_GRID_PER_LAG = 16

_WANTED = "'white', 'constant', ('ar1', rho) or a one-dimensional autocorrelation array"


def as_input_law(name: str, value: Any) -> InputLaw:
    """Return a valid input law in plain types: hashable, comparable, accepted again.

    Parameters
    ----------
    name : str
        Name of the argument, for messages.
    value : str, tuple or array_like
        The law: "white", "constant", ("ar1", rho), or an array R(0) = 1, R(1), ... of at
        most 4096 autocorrelations, zero beyond; also in the form in which it is kept.

    Returns
    -------
    str or tuple
        Zeros at the end of an array are dropped; an array of R(0) alone is "white".

    Raises
    ------
    TypeError, ValueError
        If it is no such law, rho is no number strictly between -1 and 1, or an array has
        R(0) != 1 or a spectrum below zero.

    Notes
    -----
    The spectrum is searched for its minimum on a grid of 16 points per lag and by Newton's
    method from there; -1e-12 times the sum of abs(R) passes as rounding.

    Examples
    --------
    >>> as_input_law("inputs", ["ar1", np.float32(0.5)])
    ('ar1', 0.5)
    >>> as_input_law("inputs", np.array([1.0, 0.5, 0.0]))
    ('autocorrelation', (1.0, 0.5))
    """
    if isinstance(value, str):
        if value not in ("white", "constant"):
            raise ValueError(f"{name} must be {_WANTED}, got {shown(value)}")
        return str(value)
    kind, content = _kind(name, value)
    if kind == "ar1":
        rho = as_finite_float(f"rho of {name}", content)
        if not -1.0 < rho < 1.0:
            raise ValueError(f"rho of {name} must lie strictly between -1 and 1, got {rho!r}")
        return "ar1", rho
    items = [as_finite_float(f"autocorrelation of {name}", item) for item in content]
    while len(items) > 1 and items[-1] == 0.0:
        items.pop()
    if content[0] != 1:
        raise ValueError(
            f"autocorrelation of {name} must start with R(0) = 1 (divide by R(0)), "
            f"got {shown(content[0])}"
        )
    _check_spectrum(name, np.array(items))
    return ("autocorrelation", tuple(items)) if len(items) > 1 else "white"


def _kind(name: str, value: Any) -> tuple[str, Any]:
    """Return ("ar1", rho) or ("autocorrelation", values), neither checked further."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = list(value)
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)) or len(value) == 0:
        raise ValueError(f"{name} must be {_WANTED}, got {shown(value)}")
    if isinstance(value[0], str):
        if len(value) != 2 or value[0] not in ("ar1", "autocorrelation"):
            raise ValueError(f"{name} must be {_WANTED}, got {shown(value)}")
        if value[0] == "ar1":
            return "ar1", value[1]
        return _kind(name, value[1])
    if len(value) > MAX_LAGS:
        raise ValueError(f"{name} must hold at most {MAX_LAGS} autocorrelations, got {len(value)}")
    return "autocorrelation", value


def _check_spectrum(name: str, values: FloatArray) -> None:
    """Refuse autocorrelations that no stationary sequence has."""
    angle, lowest = _lowest_spectrum(values)
    if lowest < -_SPECTRUM_TOLERANCE * float(np.abs(values).sum()):
        raise ValueError(
            f"autocorrelation of {name} must be that of a stationary sequence, with "
            "1 + 2 sum R(s) cos(s theta) >= 0 at every theta (R is zero beyond its last entry: "
            f"taper it if it was cut), got {lowest:.3g} at theta = {angle:.6f}"
        )


def _lowest_spectrum(values: FloatArray) -> tuple[float, float]:
    """Return where the spectrum has its minimum on [0, pi], and the minimum."""
    lags = np.arange(1, values.size)
    if lags.size == 0:
        return 0.0, 1.0
    points = 2 * _GRID_PER_LAG * values.size
    grid = 2.0 * np.fft.rfft(values, points).real - 1.0
    angles = 2.0 * np.pi * np.arange(grid.size) / points
    inner = 1 + np.flatnonzero((grid[1:-1] <= grid[:-2]) & (grid[1:-1] <= grid[2:]))
    start = np.unique(np.concatenate([[int(np.argmin(grid))], inner[np.argsort(grid[inner])[:32]]]))
    refined = np.array([_newton(values, lags, float(angles[i]), 2 * np.pi / points) for i in start])
    candidates = np.concatenate([angles[start], refined])
    heights = 1.0 + 2.0 * np.cos(np.outer(candidates, lags)) @ values[1:]
    best = int(np.argmin(heights))
    return float(candidates[best]), float(heights[best])


def _newton(values: FloatArray, lags: npt.NDArray[np.int_], angle: float, step: float) -> float:
    """Return the minimum of the spectrum within a step of the grid from an angle."""
    low, high = angle - step, angle + step
    for _ in range(6):
        slope = -2.0 * float(np.sin(angle * lags) @ (lags * values[1:]))
        curvature = -2.0 * float(np.cos(angle * lags) @ (lags**2 * values[1:]))
        if curvature <= 0.0:
            break
        angle = min(max(angle - slope / curvature, low), high)
    return angle


def autocorrelation(law: Any, count: int) -> FloatArray:
    r"""Return :math:`R(s) = E x^{(t)} \bar x^{(t+s)}` for s = 0, ..., count - 1.

    Parameters
    ----------
    law : str, tuple or array_like
        The input law, as for `as_input_law`.
    count : int
        Number of lags, >= 1.

    Returns
    -------
    ndarray of float64, shape (count,)

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Examples
    --------
    >>> autocorrelation(("ar1", -0.5), 4)
    array([ 1.   , -0.5  ,  0.25 , -0.125])
    >>> autocorrelation([1.0, 0.5], 4)
    array([1. , 0.5, 0. , 0. ])
    """
    law = as_input_law("inputs", law)
    count = as_exact_integer("count", count, 1)
    if law == "constant":
        return np.ones(count)
    if law[0] == "ar1":
        with np.errstate(under="ignore"):
            return np.power(np.float64(law[1]), np.arange(count), dtype=np.float64)
    result = np.zeros(count)
    known = np.array([1.0] if law == "white" else law[1])[:count]
    result[: known.size] = known
    return result


def exact_autocorrelation(law: Any, count: int) -> list[Fraction]:
    r"""Return :math:`R(0), \dots, R(count - 1)` as rationals.

    Parameters
    ----------
    law : str, tuple or array_like
        The input law, as for `as_input_law`, whose numbers may also be `Fraction`.
    count : int
        Number of lags, >= 1.

    Returns
    -------
    list of fractions.Fraction
        A float counts as the binary fraction that it is.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Examples
    --------
    >>> exact_autocorrelation(("ar1", Fraction(1, 3)), 3)
    [Fraction(1, 1), Fraction(1, 3), Fraction(1, 9)]
    """
    as_input_law("inputs", law)
    count = as_exact_integer("count", count, 1)
    if isinstance(law, str):
        return [Fraction(law == "constant" or s == 0) for s in range(count)]
    kind, content = _kind("inputs", law)
    if kind == "ar1":
        rho = _as_fraction(content)
        return [rho**s for s in range(count)]
    values = [_as_fraction(item) for item in content[:count]]
    return values + [Fraction(0)] * (count - len(values))


def _as_fraction(value: Any) -> Fraction:
    """Return a number as a rational: a float by its bits, NumPy's as Python's."""
    if isinstance(value, Fraction):
        return value
    return Fraction(int(value) if isinstance(value, (int, np.integer)) else float(value))
