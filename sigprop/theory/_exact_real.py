r"""Integer numerators of real energies, :math:`Q^{\mathbb R}_{n,k} = J_k / n^k`, and power series.

Arguments are valid integers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from sigprop.theory import real_recurrence


def rnn_numerators(n: int, kmax: int) -> list[int]:
    r"""Return :math:`J_k = M_k / n` for k = 0, ..., kmax; M is a multiple of n."""
    return [moment // n for moment in itertools.islice(real_recurrence.moments(n), kmax + 1)]


def lru_numerators(n: int, tmax: int) -> list[int]:
    r"""Return :math:`X_t = n X_{t-1} + J_t = S_{n,t}\, n^t` for t = 0, ..., tmax."""
    return list(
        itertools.accumulate(rnn_numerators(n, tmax), lambda total, energy: total * n + energy)
    )


def rnn_numerator(n: int, k: int) -> int:
    """Return J_k."""
    return next(itertools.islice(real_recurrence.moments(n), k, None)) // n


def lru_numerator(n: int, t: int) -> int:
    """Return X_t, without a table."""
    total = 0
    for moment in itertools.islice(real_recurrence.moments(n), t + 1):
        total = total * n + moment // n
    return total


def denominators(n: int, last: int) -> list[int]:
    """Return n^k for k = 0, ..., last."""
    return list(itertools.accumulate(itertools.repeat(n, last), int.__mul__, initial=1))


def coefficients(numerator: Callable[[int, int], int], depth: int) -> list[int]:
    r"""Return :math:`[u_0, u_1, \dots]` of an energy :math:`\sum_j u_j n^{-j}`.

    The coefficients of the numerator, a polynomial in n, count pairings: they are integers
    from 0 to :math:`\sum_{k \le t} (2k-1)!! \le 2 (2t-1)!!`.  So they are the digits of its
    value in a base n beyond that.
    """
    bits = (2 * math.prod(range(1, 2 * depth, 2))).bit_length()
    number = numerator(1 << bits, depth)
    digit = (1 << bits) - 1
    return [number >> (bits * power) & digit for power in range(depth, -1, -1)]
