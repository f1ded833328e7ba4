"""Ball arithmetic by Arb, through python-flint."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mpmath import libmp

# The working precision of python-flint is one number for the whole process: it is changed
# under this lock only, and put back before the lock is released.
_LOCK = threading.RLock()


class ArbArithmetic:
    """Balls of type ``flint.arb`` at the precision set by `arb_arithmetic`."""

    def __init__(self) -> None:
        import flint

        self._arb: Any = flint.arb

    def ratio(self, p: int, q: int = 1) -> Any:
        """Return a ball that holds p/q."""
        return self._arb(p) / q if q != 1 else self._arb(p)

    def pi(self) -> Any:
        """Return a ball that holds pi."""
        return self._arb.pi()

    def exp(self, x: Any) -> Any:
        """Return a ball that holds exp of the numbers in x."""
        return x.exp()

    def log(self, x: Any) -> Any:
        """Return a ball that holds the logarithms of the numbers in x."""
        return x.log()

    def sin(self, x: Any) -> Any:
        """Return a ball that holds the sines of the numbers in x."""
        return x.sin()

    def cos(self, x: Any) -> Any:
        """Return a ball that holds the cosines of the numbers in x."""
        return x.cos()

    def log_gamma(self, n: int) -> Any:
        """Return a ball that holds log Gamma(n)."""
        return self._arb(n).lgamma()

    def hull(self, x: Any, y: Any) -> Any:
        """Return a ball that holds x, y and all between."""
        return self._arb(x).union(self._arb(y))

    def ends(self, x: Any) -> tuple[Any, Any]:
        """Return the ends of a ball as raw mpmath numbers, exact."""
        if not x.is_finite():
            return libmp.fninf, libmp.finf
        mid, radius = (
            libmp.from_man_exp(libmp.MPZ(int(mantissa)), int(exponent))
            for mantissa, exponent in (x.mid().man_exp(), x.rad().man_exp())
        )
        return libmp.mpf_sub(mid, radius), libmp.mpf_add(mid, radius)


@contextmanager
def arb_arithmetic(bits: int) -> Iterator[ArbArithmetic]:
    """Give ball arithmetic of so many bits; one thread at a time."""
    from flint import ctx

    with _LOCK:
        before = ctx.prec
        try:
            ctx.prec = bits
            yield ArbArithmetic()
        finally:
            ctx.prec = before
