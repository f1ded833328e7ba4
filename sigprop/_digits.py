"""Decimal text of integers and fractions of any size.

``str`` of an integer above the interpreter's digit limit (4300 by default)
raises, and that limit is global state which a library must not change.  The
`decimal` module has no such limit and multiplies in quasi-linear time, so an
integer is cut into binary pieces which are put together again as decimals.
"""

from __future__ import annotations

import decimal
from fractions import Fraction

_PIECE = 1024
"""Bits of the smallest piece: 309 digits, below the lowest limit (640) that can be set."""


def integer_text(number: int) -> str:
    """Return ``str(number)`` for an integer of any size.

    Parameters
    ----------
    number : int
        Any integer.

    Returns
    -------
    str
        Its decimal digits, with a minus sign if negative.

    Examples
    --------
    >>> integer_text(-12)
    '-12'
    >>> len(integer_text(10**5000))
    5001
    """
    if number.bit_length() <= _PIECE:
        return str(number)
    magnitude = abs(number)
    with decimal.localcontext() as context:
        # log10(2) < 0.30103, so the precision holds every digit and nothing is rounded.
        context.prec = int(magnitude.bit_length() * 0.30103) + 2
        context.Emax = decimal.MAX_EMAX
        context.traps[decimal.Inexact] = True
        powers = [decimal.Decimal(2**_PIECE)]
        while _PIECE << len(powers) < magnitude.bit_length():
            powers.append(powers[-1] * powers[-1])
        text = format(_joined(magnitude, powers, len(powers)), "f")
    return f"-{text}" if number < 0 else text


def _joined(number: int, powers: list[decimal.Decimal], level: int) -> decimal.Decimal:
    """Return an integer of at most ``_PIECE << level`` bits as a decimal, by halves."""
    if level == 0:
        return decimal.Decimal(number)
    half = _PIECE << (level - 1)
    low = _joined(number & ((1 << half) - 1), powers, level - 1)
    high = number >> half
    if high == 0:
        return low
    return _joined(high, powers, level - 1) * powers[level - 1] + low


def fraction_text(number: Fraction) -> str:
    """Return ``str(number)`` for a fraction of any size: ``p/q``, or ``p`` if integral.

    Parameters
    ----------
    number : fractions.Fraction
        Any fraction.

    Returns
    -------
    str
        Numerator and denominator in decimal digits.

    Examples
    --------
    >>> fraction_text(Fraction(6, 5)), fraction_text(Fraction(4, 2))
    ('6/5', '2')
    """
    numerator = integer_text(number.numerator)
    if number.denominator == 1:
        return numerator
    return f"{numerator}/{integer_text(number.denominator)}"
