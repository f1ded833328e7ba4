r"""Enclosures of the energies in any ball arithmetic, at a cost that does not grow with depth.

With :math:`r_m, f_m` the rising and falling factorials of n over :math:`n^m`,

.. math:: Q_{n,k} = \frac{n (r_{k+2} - f_{k+2})}{(k+1)(k+2)}, \qquad
          S_{n,t} = \sum_{m=1}^{t+1} (r_m + f_m) - (t+1) Q_{n,t}.

Single factorials come from log Gamma. Sums of many are trapezoidal sums of two integrals,
with :math:`C = n!\,e^n / n^n`:

.. math:: r_m = \frac{n}{C} \int_{-\infty}^\infty e^{n(1 + s - e^s)} e^{ms}\,ds, \qquad
          f_m = \frac{C}{2\pi} \int_{-\pi}^{\pi} e^{n(e^{i\theta} - 1 - i\theta)}
                e^{im\theta}\,d\theta,

in which the sum over m is geometric. What the trapezoidal rule, the ends of the range and
the factorials left out can add is bounded in closed form below, so that every ball holds
the exact value whatever the precision; the precision decides only how wide it is.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

from mpmath import libmp

from sigprop.theory import exact

Ball = Any
"""A set of reals with + - * / (integers mix in) and < > that are true only if certain."""

EXACT_DEPTH = 64
"""Up to this depth the exact rational is computed and rounded once."""


class Arithmetic(Protocol):
    """What the formulas need of a ball arithmetic."""

    def ratio(self, p: int, q: int = 1) -> Ball:
        """Enclose p/q."""

    def pi(self) -> Ball:
        """Enclose pi."""

    def exp(self, x: Ball) -> Ball:
        """Enclose exp."""

    def log(self, x: Ball) -> Ball:
        """Enclose log; every real number if x may be 0."""

    def sin(self, x: Ball) -> Ball:
        """Enclose sin."""

    def cos(self, x: Ball) -> Ball:
        """Enclose cos."""

    def log_gamma(self, n: int) -> Ball:
        """Enclose log Gamma(n)."""

    def hull(self, x: Ball, y: Ball) -> Ball:
        """Enclose x, y and all between."""

    def ends(self, x: Ball) -> tuple[Any, Any]:
        """Return lower and upper end as raw mpmath numbers."""
        ...


class TooWideError(ArithmeticError):
    """The balls are too wide for a sum to end: more working precision is needed."""


def rnn_energy(a: Arithmetic, n: int, k: int, accuracy: int) -> Ball:
    """Enclose Q; no truncation, so ``accuracy`` is that of the arithmetic."""
    if k <= EXACT_DEPTH:
        return _rounded(a, exact.rnn_energy(n, k))
    log_rising, factor = _rnn_factors(a, n, k)
    return a.exp(log_rising) * factor


def log_rnn_energy(a: Arithmetic, n: int, k: int, accuracy: int) -> Ball:
    """Enclose log Q."""
    if k <= EXACT_DEPTH:
        return a.log(rnn_energy(a, n, k, accuracy))
    log_rising, factor = _rnn_factors(a, n, k)
    return log_rising + a.log(factor)


def lru_energy(a: Arithmetic, n: int, t: int, accuracy: int) -> Ball:
    """Enclose S, truncated sums to ``accuracy`` bits."""
    if t <= EXACT_DEPTH:
        return _rounded(a, exact.lru_energy(n, t))
    rising = _rising_sum(a, n, t + 1, accuracy)
    falling = _falling_sum(a, n, t + 1, accuracy, rising)
    return rising + falling - rnn_energy(a, n, t, accuracy) * (t + 1)


def log_lru_energy(a: Arithmetic, n: int, t: int, accuracy: int) -> Ball:
    """Enclose log S."""
    return a.log(lru_energy(a, n, t, accuracy))


def _rounded(a: Arithmetic, fraction: Any) -> Ball:
    return a.ratio(fraction.numerator, fraction.denominator)


def _rnn_factors(a: Arithmetic, n: int, k: int) -> tuple[Ball, Ball]:
    """Return log r_m and Q/r_m = n (1 - f_m/r_m) / ((k+1) m), m = k + 2."""
    m = k + 2
    log_rising = a.log_gamma(n + m) - a.log_gamma(n) - a.log(a.ratio(n)) * m
    factor = a.ratio(n, (k + 1) * m)
    if m <= n:  # beyond, a factor of the falling factorial is zero
        log_falling = a.log_gamma(n + 1) - a.log_gamma(n + 1 - m) - a.log(a.ratio(n)) * m
        factor = factor * (1 - a.exp(log_falling - log_rising))
    return log_rising, factor


def _nats(accuracy: int) -> int:
    """Smallest e-fold beyond 2^accuracy."""
    return accuracy * 7 // 10 + 1  # log 2 < 0.7


def _few_terms(accuracy: int) -> int:
    """Return how many factorials are at most summed term by term, the faster way then."""
    return 512 + 8 * _nats(accuracy)


def _plain_sum(a: Arithmetic, n: int, sign: int, last: int) -> Ball:
    """Sum of prod_{j<m} (1 + sign j/n) over 1 <= m <= last."""
    term = a.ratio(1)
    total = term
    for j in range(1, last):
        term = term * (n + sign * j) / n
        total = total + term
    return total


def _scaled_factorial(a: Arithmetic, n: int) -> Ball:
    """Return C = n! e^n / n^n, about sqrt(2 pi n)."""
    return a.exp(a.log_gamma(n + 1) + n - a.log(a.ratio(n)) * n)


def _rising_sum(a: Arithmetic, n: int, last: int, accuracy: int) -> Ball:
    r"""Enclose :math:`\sum_{m=1}^{last} r_m`.

    Terms below ``first`` are left out: they are at most (first - 1) r_first, and
    :math:`r_{first} \le r_{last} (1 + first/n)^{-(last - first)}` with
    :math:`\log(1 + y) \ge y/(1 + y)`.
    """
    if last <= _few_terms(accuracy):
        return _plain_sum(a, n, 1, last)
    first = _first_kept(n, last, _nats(accuracy) + last.bit_length())
    inverse_step, error = _rising_rule(a, n + last, accuracy)
    kept = _rising_trapezoid(a, n, first, last, inverse_step, accuracy)
    kept = kept * n / (_scaled_factorial(a, n) * inverse_step)
    kept = kept / (1 + a.hull(-error, error))
    skipped = kept * (first - 1) * a.exp(a.ratio(-(last - first) * first, n + first))
    return kept + a.hull(a.ratio(0), skipped)


def _first_kept(n: int, last: int, nats: int) -> int:
    """Return an m below which r_m is less than exp(-nats) r_last, or 1."""
    first = last - 2 * (nats * (n + last) // last + 1)
    return first if 2 * first >= last else 1


def _rising_rule(a: Arithmetic, width: int, accuracy: int) -> tuple[int, Ball]:
    r"""Return D = 1/step for exponents n + m <= width, and the relative error of the rule.

    Poisson summation: the rule adds :math:`\sum_{j \ne 0} \hat g(2\pi j D)` to the integral
    :math:`\hat g(0)` of :math:`g(s) = e^{Ns - n e^s}`. On the line Im s = -b,
    :math:`|g| = e^{N \Re s - n \cos b\, e^{\Re s}}`, so for every b in (0, pi/2)
    :math:`|\hat g(w)| \le e^{-b|w|} (\cos b)^{-N} \hat g(0)`. This grows with N = n + m, and
    all terms are positive: the bound at the largest N holds for the sum.
    """
    nats = _nats(accuracy)
    inverse_step = math.isqrt(width * nats // 16) + 1
    if 5 * inverse_step >= width:
        inverse_step = (8 * nats + 5 * width) // 50 + 1
    b = a.ratio(min(5 * inverse_step, width), width)
    decay = a.exp(a.pi() * b * (2 * inverse_step)) - 1
    return inverse_step, a.exp(-a.log(a.cos(b)) * width) * 2 / decay


def _rising_trapezoid(
    a: Arithmetic, n: int, first: int, last: int, inverse_step: int, accuracy: int
) -> Ball:
    r"""Enclose the sum over all :math:`s = (j + 1/2)/D` of
    :math:`g(s) = e^{n(1 + s - e^s)} \sum_{m=first}^{last} e^{ms}`.

    Each of its terms is log-concave, so beyond a node the sum is at most that of a
    geometric series: to the right with the ratio of m = last, to the left of m = first.
    """  # noqa: D205
    step = a.ratio(1, inverse_step)
    grow, shrink = a.exp(step) - 1, 1 - a.exp(-step)
    tiny = a.ratio(1, 1 << accuracy)
    center = _floor(a, a.log(a.ratio(n + last, n)) * inverse_step)
    total = a.ratio(0)
    for direction in (1, -1):
        start = center if direction == 1 else center - 1
        for j in range(start, start + direction * _most_nodes(accuracy), direction):
            s = a.ratio(2 * j + 1, 2 * inverse_step)
            e = a.exp(s)
            geometric = (a.exp(s * (last - first + 1)) - 1) / (e - 1)
            value = a.exp((1 + s - e) * n + s * first) * geometric
            total = total + value
            if value < total * tiny:
                if direction == 1:
                    ratio = a.exp(step * (n + last) - e * grow * n)
                else:
                    ratio = a.exp(e * shrink * n - step * (n + first))
                if value * ratio < total * tiny * (1 - ratio):
                    total = total + a.hull(a.ratio(0), value * ratio / (1 - ratio))
                    break
        else:
            raise TooWideError
    return total


def _floor(a: Arithmetic, x: Ball) -> int:
    """Return an integer next to x: where a sum starts, which decides no bound."""
    lower, _ = a.ends(x)
    if lower == libmp.fninf:
        raise TooWideError
    return int(libmp.to_int(lower, libmp.round_floor))


def _most_nodes(accuracy: int) -> int:
    """Several times the number of nodes that a sum needs."""
    return 8 * _nats(accuracy) + 200


def _falling_sum(a: Arithmetic, n: int, last: int, accuracy: int, rising: Ball) -> Ball:
    r"""Enclose :math:`\sum_{m=1}^{last} f_m` to ``accuracy`` bits of the rising sum.

    No :math:`f_m` is above 1 or above :math:`e^{-m(m-1)/(2n)}`, and those with m > n are 0.
    """
    last = min(last, n)
    if rising > a.ratio(last << accuracy):
        return a.hull(a.ratio(0), a.ratio(last))
    if last <= _few_terms(accuracy):
        return _plain_sum(a, n, -1, last)
    nats = _nats(accuracy) + n.bit_length() + last.bit_length()
    kept = min(last, math.isqrt(2 * n * nats) + 2)
    total = _falling_trapezoid(a, n, kept, nats, accuracy)
    if kept < last:
        skipped = a.exp(a.ratio(-kept * (kept + 1), 2 * n)) * (last - kept)
        total = total + a.hull(a.ratio(0), skipped)
    return total


def _falling_trapezoid(a: Arithmetic, n: int, last: int, nats: int, accuracy: int) -> Ball:
    r"""Enclose :math:`\sum_{m=1}^{last} f_m` by the rule with K = last + margin nodes or one more.

    The rule gives :math:`\sum_j f_{m+jK}`. The terms with j != 0 are positive, and together
    at most :math:`2 \sum_{l \ge margin} f_{-l}`, since :math:`f_l \le f_{1-l}`; here
    :math:`f_{-l} = \prod_{i \le l} (1 + i/n)^{-1} \le e^{-3 l^2 / (6n + 2l)}`, with ratios of
    successive terms below :math:`n/(n + l)`. At angle 2h a node counts
    :math:`e^{-2n \sin^2 h} \cos(n(\sin 2h - 2h) + (last+1) h) \sin(last\,h)/\sin h`.
    """
    margin = math.isqrt(2 * n * nats) + nats + 1
    nodes = (last + margin) | 1  # an odd number pairs all nodes but the one at 0
    tiny = a.ratio(1, 1 << (accuracy + n.bit_length()))
    quarter = a.pi() / nodes
    total = a.ratio(last)
    rest = a.ratio(0)
    for j in range(1, nodes // 2 + 1):
        half = quarter * j
        sine = a.sin(half)
        weight = a.exp(-sine * sine * (2 * n))
        if weight < tiny:  # weights fall, and no node counts more than last times its weight
            rest = weight * last * nodes
            break
        if j > _most_nodes(accuracy):
            raise TooWideError
        phase = (a.sin(half * 2) - half * 2) * n + half * (last + 1)
        total = total + weight * a.cos(phase) * a.sin(half * last) * 2 / sine
    total = total + a.hull(-rest, rest)
    alias = a.exp(a.ratio(-3 * margin * margin, 6 * n + 2 * margin)) * 2 * (n + margin) / margin
    return total * _scaled_factorial(a, n) / nodes - a.hull(a.ratio(0), alias)
