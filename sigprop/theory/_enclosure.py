"""A closed interval with multiple-precision ends that is proved to hold a number."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
from mpmath import libmp

from sigprop._arguments import as_exact_integer
from sigprop.theory import _decimal_ends


def _endpoint_bits(digits: int) -> int:
    """Bits kept of each end: five decimal digits more than the width needs."""
    return digits * 3322 // 1000 + 18  # 3.322 > log2(10)


def _finite_raw(name: str, value: Any) -> Any:
    """Return the exact content of a finite mpmath number."""
    raw = getattr(value, "_mpf_", None)
    if raw is None:
        raise TypeError(f"{name} must be an mpmath.mpf, got {type(value).__name__}")
    if raw in (libmp.finf, libmp.fninf, libmp.fnan):
        raise ValueError(f"{name} must be finite, got {value}")
    return raw


def _as_rational(x: Any) -> Fraction:
    if isinstance(x, Fraction):
        return x
    if isinstance(x, float):
        return Fraction(x)
    try:
        return Fraction(operator.index(x))
    except TypeError:
        raise TypeError(
            f"x must be an int, Fraction, float or mpmath.mpf, got {type(x).__name__}"
        ) from None


@dataclass(frozen=True, repr=False)
class Enclosure:
    r"""An interval that is proved to hold a number: :math:`lower \le value \le upper`.

    Attributes
    ----------
    lower, upper : mpmath.mpf
        The ends. They are kept to about five digits more than `digits`, rounded outward.
    digits : int
        Relative correct digits: ``upper - lower <= 10**-digits * abs(value)``.

    Notes
    -----
    Comparisons of mpmath numbers are exact, arithmetic with them rounds to mpmath's own
    precision: work in ``mpmath.workdps(digits + 10)`` to go on from here.

    Examples
    --------
    >>> from mpmath import mpf
    >>> third = Enclosure(mpf("0.333"), mpf("0.334"), digits=2)
    >>> third.contains(Fraction(1, 3)), third.contains(0.3)
    (True, False)
    """

    lower: Any
    upper: Any
    digits: int

    def __post_init__(self) -> None:
        digits = as_exact_integer("digits", self.digits, 1)
        bits = _endpoint_bits(digits)
        lower = libmp.mpf_pos(_finite_raw("lower", self.lower), bits, libmp.round_floor)
        upper = libmp.mpf_pos(_finite_raw("upper", self.upper), bits, libmp.round_ceiling)
        if libmp.mpf_gt(lower, upper):
            raise ValueError(f"lower must be at most upper, got {self.lower} and {self.upper}")
        object.__setattr__(self, "lower", mpmath.mp.make_mpf(lower))
        object.__setattr__(self, "upper", mpmath.mp.make_mpf(upper))
        object.__setattr__(self, "digits", digits)

    @property
    def mid(self) -> Any:
        """Midpoint, to two bits more than the ends (mpmath.mpf)."""
        bits = _endpoint_bits(self.digits) + 2
        total = libmp.mpf_add(self.lower._mpf_, self.upper._mpf_, bits, libmp.round_nearest)
        return mpmath.mp.make_mpf(libmp.mpf_shift(total, -1))

    @property
    def radius(self) -> Any:
        """Bound of the distance from `mid` to the value, rounded up (mpmath.mpf)."""
        mid = self.mid._mpf_
        sides = (
            libmp.mpf_sub(self.upper._mpf_, mid, 30, libmp.round_ceiling),
            libmp.mpf_sub(mid, self.lower._mpf_, 30, libmp.round_ceiling),
        )
        return mpmath.mp.make_mpf(sides[0] if libmp.mpf_gt(*sides) else sides[1])

    def contains(self, x: Any) -> bool:
        """Tell whether a number lies in the interval, by exact comparison.

        Parameters
        ----------
        x : int, fractions.Fraction, float or mpmath.mpf
            The number; a float is the binary fraction that it stores.

        Raises
        ------
        TypeError
            If `x` is anything else, a bool, or not finite.
        """
        if isinstance(x, bool) or (isinstance(x, float) and not math.isfinite(x)):
            raise TypeError(f"x must be a finite number, got {x!r}")
        if hasattr(x, "_mpf_"):
            return bool(self.lower <= x <= self.upper)
        number = _as_rational(x)
        return (
            _decimal_ends.compare(number, self.lower._mpf_) >= 0
            and _decimal_ends.compare(number, self.upper._mpf_) <= 0
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a document for strict JSON; its decimal ends are rounded outward too."""
        # Ten digits beyond `digits` tell neighbouring ends apart, so `from_dict` is exact.
        places = self.digits + 10
        return {
            "lower": _decimal_ends.to_text(self.lower._mpf_, places, upward=False),
            "upper": _decimal_ends.to_text(self.upper._mpf_, places, upward=True),
            "digits": self.digits,
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Enclosure:
        """Return the enclosure of a document made by `to_dict`, equal to the original."""
        digits = as_exact_integer("digits", document["digits"], 1)
        bits = _endpoint_bits(digits)
        lower, upper = (_decimal_ends.from_text(document[end], bits) for end in ("lower", "upper"))
        return cls(mpmath.mp.make_mpf(lower), mpmath.mp.make_mpf(upper), digits)

    def __repr__(self) -> str:
        document = self.to_dict()
        return (
            f"Enclosure(lower={document['lower']}, upper={document['upper']}, "
            f"digits={document['digits']})"
        )
