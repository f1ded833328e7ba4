"""Interval arithmetic by mpmath, at a precision that is an argument and not a global."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mpmath import libmp

MPMATH_LOCK = threading.RLock()
"""mpmath keeps pi, log 2 and the like in caches that are not made for threads."""

_SLACK = 20
"""Elementary functions are computed with so many bits more than are kept."""
_TRUST = 8
"""They are trusted to all but this many of their last bits."""

_LINE = (libmp.fninf, libmp.finf)


class Interval:
    """A closed interval of real numbers; integers mix in, every result is rounded outward."""

    __slots__ = ("bits", "ends")

    def __init__(self, ends: tuple[Any, Any], bits: int) -> None:
        self.ends = ends
        self.bits = bits

    def _coerced(self, other: Interval | int) -> tuple[Any, Any]:
        if isinstance(other, Interval):
            return other.ends
        number = libmp.from_int(other)
        return number, number

    def __add__(self, other: Interval | int) -> Interval:
        return Interval(libmp.mpi_add(self.ends, self._coerced(other), self.bits), self.bits)

    def __sub__(self, other: Interval | int) -> Interval:
        return Interval(libmp.mpi_sub(self.ends, self._coerced(other), self.bits), self.bits)

    def __rsub__(self, other: int) -> Interval:
        return Interval(libmp.mpi_sub(self._coerced(other), self.ends, self.bits), self.bits)

    def __mul__(self, other: Interval | int) -> Interval:
        return Interval(libmp.mpi_mul(self.ends, self._coerced(other), self.bits), self.bits)

    def __truediv__(self, other: Interval | int) -> Interval:
        return Interval(libmp.mpi_div(self.ends, self._coerced(other), self.bits), self.bits)

    def __rtruediv__(self, other: int) -> Interval:
        return Interval(libmp.mpi_div(self._coerced(other), self.ends, self.bits), self.bits)

    def __neg__(self) -> Interval:
        return Interval(libmp.mpi_neg(self.ends), self.bits)

    def __lt__(self, other: Interval | int) -> bool:
        """Tell whether every number here is below every number there."""
        return bool(libmp.mpf_lt(self.ends[1], self._coerced(other)[0]))

    def __gt__(self, other: Interval | int) -> bool:
        """Tell whether every number here is above every number there."""
        return bool(libmp.mpf_gt(self.ends[0], self._coerced(other)[1]))

    __radd__ = __add__
    __rmul__ = __mul__


class IntervalArithmetic:
    """Intervals with ends of a fixed number of bits."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def _increasing(self, function: Callable[..., Any], x: Interval) -> Interval:
        """Apply an increasing function to both ends, and widen by what it is trusted to."""
        wide = self._bits + _SLACK
        unit = libmp.from_man_exp(libmp.MPZ_ONE, _TRUST - wide)
        ends = []
        for end, rounding in zip(x.ends, (libmp.round_floor, libmp.round_ceiling), strict=True):
            value = function(end, wide)
            error = libmp.mpf_mul(libmp.mpf_abs(value), unit)
            move = libmp.mpf_sub if rounding == libmp.round_floor else libmp.mpf_add
            ends.append(move(value, error, self._bits, rounding))
        return Interval((ends[0], ends[1]), self._bits)

    def ratio(self, p: int, q: int = 1) -> Interval:
        """Return an interval that holds p/q."""
        lower = libmp.from_rational(p, q, self._bits, libmp.round_floor)
        upper = libmp.from_rational(p, q, self._bits, libmp.round_ceiling)
        return Interval((lower, upper), self._bits)

    def pi(self) -> Interval:
        """Return an interval that holds pi."""
        one = Interval((libmp.fone, libmp.fone), self._bits)
        return self._increasing(lambda _, bits: libmp.mpf_pi(bits), one)

    def exp(self, x: Interval) -> Interval:
        """Return an interval that holds exp of the numbers in x."""
        if x.ends == _LINE:
            return Interval(_LINE, self._bits)
        return self._increasing(libmp.mpf_exp, x)

    def log(self, x: Interval) -> Interval:
        """Return an interval that holds the logarithms of the numbers in x; all if x has 0."""
        if not x > 0:
            return Interval(_LINE, self._bits)
        return self._increasing(libmp.mpf_log, x)

    def sin(self, x: Interval) -> Interval:
        """Return an interval that holds the sines of the numbers in x."""
        return Interval(libmp.mpi_sin(x.ends, self._bits), self._bits)

    def cos(self, x: Interval) -> Interval:
        """Return an interval that holds the cosines of the numbers in x."""
        return Interval(libmp.mpi_cos(x.ends, self._bits), self._bits)

    def log_gamma(self, n: int) -> Interval:
        r"""Return an interval that holds log Gamma(n), by Stirling's series.

        .. math:: \log\Gamma(n) = (n - \tfrac12)\log n - n + \tfrac12\log 2\pi
                  + \sum_{j=1}^{J} \frac{B_{2j}}{2j(2j-1)n^{2j-1}} + \dots

        What is left out has the sign of the first term left out and is smaller.
        """
        if n <= self._bits:  # beyond, terms fall below 2^-bits before they grow again
            return self.log(self.ratio(math.factorial(n - 1)))
        total = (self.ratio(2 * n - 1, 2)) * self.log(self.ratio(n)) - n
        total += self.log(self.pi() * 2) / 2
        tiny = self.ratio(1, 1 << self._bits)
        zero = self.ratio(0)
        j, power = 1, n
        while True:
            p, q = _bernoulli_number(j)
            term = self.ratio(p, q * 2 * j * (2 * j - 1) * power)
            if -tiny < term and term < tiny:
                return total + self.hull(zero, term)
            total += term
            j, power = j + 1, power * n * n

    def hull(self, x: Interval | int, y: Interval | int) -> Interval:
        """Return an interval that holds x, y and all between."""
        zero = self.ratio(0)
        (a, b), (c, d) = (x + zero).ends, (y + zero).ends
        lower = a if libmp.mpf_lt(a, c) else c
        upper = b if libmp.mpf_gt(b, d) else d
        return Interval((lower, upper), self._bits)

    def ends(self, x: Interval) -> tuple[Any, Any]:
        """Return the ends as raw mpmath numbers."""
        return x.ends


@functools.lru_cache(maxsize=4096)
def _bernoulli_number(j: int) -> tuple[int, int]:
    """Return numerator and denominator (not reduced) of B_2j = (-1)^(j-1) 2j T_j / (4^j (4^j - 1)).

    T_j are the tangent numbers.
    """
    four = 4**j
    sign = 1 if j % 2 else -1
    size = 32
    while size < j:
        size *= 2
    return sign * 2 * j * _tangent_numbers(size)[j - 1], four * (four - 1)


@functools.cache
def _tangent_numbers(size: int) -> list[int]:
    """Return the first tangent numbers 1, 2, 16, 272, ... (arXiv 1108.0286, algorithm 3)."""
    numbers = [1]
    for k in range(1, size):
        numbers.append(k * numbers[k - 1])
    for k in range(1, size):
        for j in range(k, size):
            numbers[j] = (j - k) * numbers[j - 1] + (j - k + 2) * numbers[j]
    return numbers


@contextmanager
def interval_arithmetic(bits: int) -> Iterator[IntervalArithmetic]:
    """Give interval arithmetic of so many bits; one thread at a time."""
    with MPMATH_LOCK:
        yield IntervalArithmetic(bits)
