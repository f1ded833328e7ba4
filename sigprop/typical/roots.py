"""Root of an increasing function of which every value is expensive."""

from __future__ import annotations

from collections.abc import Callable

_MOST_STEPS = 100


def increasing_root(
    function: Callable[[float], float], start: float, width: float, tolerance: float
) -> float:
    """Return the root of an increasing function, searched outwards from ``start``.

    Parameters
    ----------
    function : callable
        Increasing, close to linear near its root for speed.
    start : float
        First guess.
    width : float
        First step away from it, > 0; doubled until the root is enclosed.
    tolerance : float
        Of the root.

    Returns
    -------
    float
        The root.

    Notes
    -----
    Secants between two enclosing points, the value at an end that stays being halved
    (the Illinois rule): four values of a function whose root is within ``width``.

    Examples
    --------
    >>> round(increasing_root(lambda x: x**3 - 2.0, 1.0, 0.5, 1e-12), 12)
    1.259921049895
    """
    low = high = start
    f_low = f_high = function(start)
    while f_low > 0.0:
        low, high, f_high = low - width, low, f_low
        f_low = function(low)
        width *= 2.0
    while f_high < 0.0:
        low, high, f_low = high, high + width, f_high
        f_high = function(high)
        width *= 2.0
    return _within(function, low, high, f_low, f_high, tolerance)


def _within(
    function: Callable[[float], float],
    low: float,
    high: float,
    f_low: float,
    f_high: float,
    tolerance: float,
) -> float:
    before = 0.0
    for _ in range(_MOST_STEPS):
        if f_low == 0.0 or f_high == 0.0:
            return low if f_low == 0.0 else high
        x = high - f_high * (high - low) / (f_high - f_low)
        if high - low <= tolerance or not low < x < high:
            return x
        slope = (f_high - f_low) / (high - low)
        value = function(x)
        if abs(value) <= tolerance * slope:
            return x - value / slope
        if value > 0.0:
            high, f_high = x, value
            f_low *= 0.5 if before > 0.0 else 1.0
        else:
            low, f_low = x, value
            f_high *= 0.5 if before < 0.0 else 1.0
        before = value
    return 0.5 * (low + high)
