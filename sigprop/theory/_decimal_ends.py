"""Decimal text of multiple-precision binary numbers, rounded in a stated direction.

A raw number is mpmath's tuple (sign, mantissa, exponent, bits of the mantissa): the value
is (-1)^sign mantissa 2^exponent. Its exponent may be far too large for the number to be
written out, so every comparison looks at the sizes first.
"""

from __future__ import annotations

import decimal
from fractions import Fraction
from typing import Any

from mpmath import libmp

from sigprop.theory._certified_interval import MPMATH_LOCK

_LARGE_EXPONENT = 5000
"""Powers of ten up to this one are computed exactly."""


def compare(number: Fraction, raw: Any) -> int:
    """Return the sign of ``number - raw``, exactly."""
    negative, mantissa, exponent, _ = raw
    raw_sign = 0 if mantissa == 0 else (-1 if negative else 1)
    sign = (number > 0) - (number < 0)
    if sign != raw_sign:
        return 1 if sign > raw_sign else -1
    return sign * _compare_magnitudes(abs(number), int(mantissa), exponent) if sign else 0


def _compare_magnitudes(number: Fraction, mantissa: int, exponent: int) -> int:
    p, q = number.numerator, number.denominator
    scaled = mantissa * q
    # p and scaled 2^exponent: shifts are made only where the two have about the same size.
    difference = p.bit_length() - scaled.bit_length() - exponent
    if difference != 0:
        return 1 if difference > 0 else -1
    left, right = (p, scaled << exponent) if exponent >= 0 else (p << -exponent, scaled)
    return (left > right) - (left < right)


def to_text(raw: Any, digits: int, upward: bool) -> str:
    """Return a decimal of so many significant digits, at least ``raw`` if upward, else at most.

    The decimal is within two units of its last digit, and equal to ``raw`` where it can be.
    """
    with MPMATH_LOCK:
        sign, text, exponent = libmp.to_digits_exp(raw, digits)
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_DOWN, Emax=decimal.MAX_EMAX)
    mantissa = context.create_decimal(f"{sign}{text[0]}.{text[1:]}")
    step = context.next_plus if upward else context.next_minus
    if abs(exponent) > _LARGE_EXPONENT:
        # mpmath's digits are truncated, and wrong by far less than one unit besides.
        mantissa = step(step(mantissa))
    else:
        scale = Fraction(10) ** exponent
        wrong = -1 if upward else 1
        while compare(Fraction(mantissa) * scale, raw) == wrong:
            mantissa = step(mantissa)
    if abs(exponent) <= digits // 2:
        return format(mantissa.scaleb(exponent, context), "f")
    return f"{mantissa:f}e{exponent:+d}"


def from_text(text: str, bits: int) -> Any:
    """Return the raw number of so many bits that is nearest to a decimal."""
    head, _, tail = text.lower().partition("e")
    parts = decimal.Decimal(head).as_tuple()
    if not isinstance(parts.exponent, int):
        raise ValueError(f"a finite decimal number is needed, got {text!r}")
    # int(Decimal) has no limit on the number of digits, int(str) has.
    mantissa = int(decimal.Decimal((parts.sign, parts.digits, 0)))
    exponent = parts.exponent + int(tail or 0)
    if abs(exponent) > _LARGE_EXPONENT:
        power = libmp.mpf_pow_int(libmp.ften, exponent, bits + 20)
        number = libmp.from_int(mantissa, bits + 20)
        return libmp.mpf_mul(number, power, bits, libmp.round_nearest)
    if exponent >= 0:
        return libmp.from_int(mantissa * 10**exponent, bits, libmp.round_nearest)
    return libmp.from_rational(mantissa, 10**-exponent, bits, libmp.round_nearest)
