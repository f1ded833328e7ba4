r"""Integer numerators of complex energies, :math:`Q_{n,k} = J_k / n^{2 \lfloor k/2 \rfloor}`.

The denominators are known in advance, so no gcd is taken; a single :math:`S_{n,t}` follows
from sums of rising and falling factorials, which binary splitting computes from balanced
products.  Arguments are valid integers.
"""

from __future__ import annotations

import math


def product(start: int, stop: int) -> int:
    """Product of the integers start <= j < stop, by halves."""
    if stop - start <= 64:
        return math.prod(range(start, stop))
    middle = (start + stop) // 2
    return product(start, middle) * product(middle, stop)


def rnn_numerator(n: int, k: int) -> int:
    r"""Return :math:`J_k = Q_{n,k}\, n^{2 \lfloor k/2 \rfloor}`."""
    rising = product(n + 1, n + k + 2)
    falling = product(n - k - 1, n) if k + 1 < n else 0
    odd_power = n if k % 2 else 1
    return (rising - falling) // ((k + 1) * (k + 2) * odd_power)


def lru_numerator(n: int, t: int) -> int:
    r"""Return :math:`X_t = S_{n,t}\, n^{2 \lfloor t/2 \rfloor}`.

    .. math:: S_{n,t} + (t+1) Q_{n,t} = \sum_{m=1}^{t+1} (r_m + f_m)

    with :math:`r_m, f_m` the rising and falling factorials over :math:`n^m`.
    """
    # r_m = prod_{j<m} (1 + j/n), so sum_{m=1}^{t+1} r_m = 1 + sum_{m=1}^{t} prod_{j<=m} (1 + j/n).
    even = 2 * (t // 2)
    head = 2 * n**t
    if t > 0:
        rising_sum, _ = _factorial_sum(n, 1, 1, t + 1)
        falling_sum = _falling_sum(n, t)
        head += rising_sum + falling_sum
    whole: int = head // n ** (t - even)
    return whole - (t + 1) * rnn_numerator(n, t)


def _factorial_sum(n: int, step: int, start: int, stop: int) -> tuple[int, int]:
    r"""Split :math:`\sum_m \prod_{j \le m} (n + step\,j)/n`, start <= m < stop, at the middle.

    Returns the numerators over :math:`n^{stop - start}` of the sum and of the full
    product, each relative to the product up to ``start``.
    """
    if stop - start == 1:
        factor = n + step * start
        return factor, factor
    middle = (start + stop) // 2
    left_sum, left_product = _factorial_sum(n, step, start, middle)
    right_sum, right_product = _factorial_sum(n, step, middle, stop)
    total = left_sum * n ** (stop - middle) + left_product * right_sum
    return total, left_product * right_product


def _falling_sum(n: int, t: int) -> int:
    """Sum of prod_{j<=m} (1 - j/n) over 1 <= m <= t, times n^t; zero from m = n on."""
    last = min(t, n - 1)
    if last == 0:
        return 0
    total, _ = _factorial_sum(n, -1, 1, last + 1)
    missing: int = n ** (t - last)
    return total * missing


def rnn_numerators(n: int, kmax: int) -> list[int]:
    """Return J_0, ..., J_kmax."""
    numerators = []
    rising = falling = 1
    for k in range(kmax + 1):
        rising *= n + k + 1
        falling *= n - k - 1
        pairs = (k + 1) * (k + 2)
        numerators.append((rising - falling) // (pairs * n if k % 2 else pairs))
    return numerators


def lru_numerators(n: int, tmax: int) -> list[int]:
    """Return X_0, ..., X_tmax."""
    square = n * n
    total = 0
    numerators = []
    for t, energy in enumerate(rnn_numerators(n, tmax)):
        total = (total if t % 2 else total * square) + energy
        numerators.append(total)
    return numerators


def denominators(n: int, last: int) -> list[int]:
    r"""Return :math:`n^{2 \lfloor k/2 \rfloor}` for k = 0, ..., last."""
    powers = [1]
    for k in range(1, last + 1):
        powers.append(powers[-1] if k % 2 else powers[-1] * n * n)
    return powers
