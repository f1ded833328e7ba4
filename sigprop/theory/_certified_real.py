r"""Enclosures of real Gaussian energies in any ball arithmetic, by the recurrence over depths.

`sigprop.theory.real_recurrence` runs in balls as it does in integers.  Its coefficients are at
most n + 2m in size, the ratio of :math:`a_{m+1}` to :math:`a_m`, so radii stay of the size of
:math:`a_m / n^m`, which is of the size of k Q or less: nothing is truncated, and the bits
that cancel, two logarithms of n and some of k, are what the precision is raised by.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

from sigprop.theory import exact, real_recurrence
from sigprop.theory._certified_formulas import EXACT_DEPTH, Arithmetic, Ball

MAX_DEPTH = 10**5
"""Deepest enclosure: the cost grows with the depth."""


def rnn_energy(a: Arithmetic, n: int, k: int, accuracy: int) -> Ball:
    """Enclose Q; no truncation, so ``accuracy`` is that of the arithmetic."""
    if k <= EXACT_DEPTH:
        value = exact.rnn_energy(n, k, field="real")
        return a.ratio(value.numerator, value.denominator)
    return next(itertools.islice(real_recurrence.energies(n, a.ratio(1)), k, None))


def log_rnn_energy(a: Arithmetic, n: int, k: int, accuracy: int) -> Ball:
    """Enclose log Q."""
    return a.log(rnn_energy(a, n, k, accuracy))


def lru_energy(a: Arithmetic, n: int, t: int, accuracy: int) -> Ball:
    """Enclose S of independent inputs, the sum of Q over depths."""
    if t <= EXACT_DEPTH:
        value = exact.lru_energy(n, t, field="real")
        return a.ratio(value.numerator, value.denominator)
    total = a.ratio(0)
    for energy in itertools.islice(real_recurrence.energies(n, a.ratio(1)), t + 1):
        total = total + energy
    return total


def log_lru_energy(a: Arithmetic, n: int, t: int, accuracy: int) -> Ball:
    """Enclose log S of independent inputs."""
    return a.log(lru_energy(a, n, t, accuracy))


def of_rational(value: Fraction, log: bool) -> Callable[[Arithmetic, int, int, int], Ball]:
    """Return the formula that rounds an exact energy, or its logarithm, once."""

    def formula(a: Arithmetic, n: int, depth: int, accuracy: int) -> Ball:
        ball = a.ratio(value.numerator, value.denominator)
        return a.log(ball) if log else ball

    return formula
