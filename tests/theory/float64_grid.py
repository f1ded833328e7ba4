"""Points on every branch and seam of the float64 energies, and their errors there.

The truth of every point is a certified enclosure, narrow enough to give also the excess
over infinite width to 20 digits.
"""

from __future__ import annotations

import math
import random
from typing import Any, NamedTuple

import mpmath
import numpy as np

import sigprop
from sigprop.theory import certified

MAX_WIDTH, MAX_DEPTH = 10**15, 10**12
LONG = 20_000
"""Depth up to which S is held to the tighter limit."""


class Worst(NamedTuple):
    """Largest relative error of a function, and where it is."""

    error: float
    n: int
    depth: int


def _log_uniform(rng: random.Random, low: float, high: float) -> int:
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


def _at_critical_depth(rng: random.Random, c: float) -> tuple[int, int]:
    n = _log_uniform(rng, 4, MAX_WIDTH)
    return n, round(c * math.sqrt(n))


def _near_expansion_end(rng: random.Random) -> tuple[int, int]:
    """(k+1)(k+2)/(2n) next to 2, where the positive expansion hands over."""
    n = _log_uniform(rng, 1, MAX_WIDTH)
    return n, math.isqrt(4 * n) - 2 + rng.randint(-2, 3)


def _near_width(rng: random.Random) -> tuple[int, int]:
    """The last depths with a falling factorial, and the first without."""
    n = _log_uniform(rng, 1, MAX_DEPTH)
    return n, n + rng.choice([-3, -2, -1, 0, 1, 2])


def _below_width(rng: random.Random) -> tuple[int, int]:
    n = _log_uniform(rng, 10, MAX_DEPTH)
    return n, round(n * rng.choice([0.85, 0.899, 0.9, 0.901, rng.uniform(0.01, 1)]))


def _beyond_width(rng: random.Random) -> tuple[int, int]:
    """Windows of one to a few hundred terms."""
    n = _log_uniform(rng, 1, 1e11)
    return n, round(n * math.exp(rng.uniform(0, math.log(1e12 / n))))


def _shallow(rng: random.Random) -> tuple[int, int]:
    """Depths about 12 and 22, where sums end."""
    return _log_uniform(rng, 1, MAX_WIDTH), rng.choice([0, 1, 2, 3, 11, 12, 13, 21, 22, 23, 24])


def _anywhere(rng: random.Random) -> tuple[int, int]:
    return _log_uniform(rng, 1, MAX_WIDTH), _log_uniform(rng, 1, MAX_DEPTH)


def _super_critical(rng: random.Random) -> tuple[int, int]:
    return _at_critical_depth(rng, math.exp(rng.uniform(math.log(10), math.log(1e4))))


def _critical(rng: random.Random) -> tuple[int, int]:
    centre = rng.choice([0.3, 1.0, 2.0, 5.0, 9.0, 13.0, 20.0, 35.0])
    return _at_critical_depth(rng, centre * rng.uniform(0.9, 1.1))


SHARES = {
    _anywhere: 15,
    _critical: 25,
    _super_critical: 12,
    _near_expansion_end: 12,
    _shallow: 12,
    _near_width: 8,
    _below_width: 8,
    _beyond_width: 8,
}
"""Where points are drawn, and percent of them drawn there."""


def points(count: int, seed: int = 0) -> list[tuple[int, int]]:
    """Return about ``count`` pairs (n, depth), n in [1, 1e15] and depth in [0, 1e12]."""
    rng = random.Random(seed)
    drawn = [draw(rng) for draw, share in SHARES.items() for _ in range(count * share // 100)]
    return [(min(max(n, 1), MAX_WIDTH), min(max(k, 0), MAX_DEPTH)) for n, k in drawn]


def _digits(n: int, depth: int) -> int:
    """Digits after which an energy less its infinite-width value keeps 20."""
    lost = 2 * math.log10(n) - 4 * math.log10(depth + 1) + 3
    return 22 + max(0, math.ceil(lost))


def worst_errors(
    pairs: list[tuple[int, int]], functions: Any = sigprop, arithmetic: str = "auto"
) -> dict[str, Worst]:
    """Return the worst relative error of each float64 function, S up to `LONG` and beyond."""
    context = mpmath.mp.clone()
    context.dps = 80
    n = np.array([pair[0] for pair in pairs], dtype=np.int64)
    depth = np.array([pair[1] for pair in pairs], dtype=np.int64)
    worst: dict[str, Worst] = {}
    for family, certify in (("rnn", certified.rnn_energy), ("lru", certified.lru_energy)):
        names = f"{family}_energy", f"log_{family}_energy", f"{family}_excess"
        computed = np.transpose([getattr(functions, name)(n, depth) for name in names])
        for (width, k), values in zip(pairs, computed, strict=True):
            energy = context.mpf(certify(width, k, _digits(width, k), arithmetic=arithmetic).mid)
            terms = k + 1 if family == "lru" else 1
            truths = energy, context.log(energy), energy / terms - 1
            reach = "" if family == "rnn" else (" (short)" if k <= LONG else " (long)")
            for name, value, truth in zip(names, values, truths, strict=True):
                error = _relative_error(float(value), truth)
                if value == math.inf and truth > np.finfo(float).max:
                    error = 0.0
                if error >= worst.get(name + reach, Worst(0.0, 0, 0)).error:
                    worst[name + reach] = Worst(error, width, k)
    return worst


def _relative_error(value: float, truth: Any) -> float:
    if math.isnan(value):
        return math.inf
    if abs(truth) < 1e-50:  # the energy is 1, or t + 1: its log and excess are 0
        return 0.0 if value == 0 else math.inf
    return float(abs((value - truth) / truth))


def report(worst: dict[str, Worst]) -> str:
    """Return one line per function."""
    return "\n".join(f"{name:24} {w.error:.2e} at n={w.n}, {w.depth}" for name, w in worst.items())
