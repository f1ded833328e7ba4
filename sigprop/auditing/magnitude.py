"""Numbers given by their natural logarithm, as floats and as text, also beyond the float range."""

from __future__ import annotations

import math

_LARGEST_LOG = math.log(1.7976931348623157e308)
_SMALLEST_LOG = math.log(2.2250738585072014e-308)
_LOG10 = math.log(10.0)


def exp_or_inf(log_value: float) -> float:
    """Return the exponential, ``inf`` where it is beyond the float range."""
    return math.exp(log_value) if log_value <= _LARGEST_LOG else math.inf


def as_text(log_value: float, digits: int = 3) -> str:
    """Return a number >= 0 to some significant digits.

    Examples
    --------
    >>> as_text(math.log(2.5)), as_text(-30.0, 6), as_text(-3000.0)
    ('2.5', '9.35762e-14', '1.31 x 10^-1303')
    """
    if log_value == -math.inf:
        return "0"
    if _SMALLEST_LOG <= log_value <= _LARGEST_LOG:
        return f"{math.exp(log_value):.{digits}g}"
    power = math.floor(log_value / _LOG10)
    mantissa = f"{math.exp(log_value - power * _LOG10):.{digits}g}"
    if float(mantissa) == 10.0:
        mantissa, power = "1", power + 1
    return f"{mantissa} x 10^{power}"
