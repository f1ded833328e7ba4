"""Claims about finite widths: exact, checked with integers and rationals."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

from sigprop.claims.claim import Claim, verdict
from sigprop.theory import combinatorics, exact

_ENUMERATED_DEPTH = 8
_LONG_DEPTH = 300


def path_energy(n: int, k: int, start: int = 0) -> Fraction:
    r"""Return :math:`E\|W^k x\|^2 / n`, :math:`x = \sqrt n e_{start}`, by listing all paths.

    An entry of W^k is a sum over paths of k steps through n units, and
    :math:`E[W_e^a \bar W_e^b] = \delta_{ab}\, a!/n^a`: two paths with the same end
    contribute if they use the same multiset of weights.
    """
    multisets: Counter[tuple[int, tuple[tuple[tuple[int, int], int], ...]]] = Counter()
    for inner in itertools.product(range(n), repeat=k):
        path = (start, *inner)
        weights = Counter(itertools.pairwise(path))
        multisets[path[-1], tuple(sorted(weights.items()))] += 1
    total = sum(
        count * count * math.prod(math.factorial(power) for _, power in weights)
        for (_, weights), count in multisets.items()
    )
    return Fraction(total, n**k)


def trace_moment_reduction() -> Claim:
    """Compare a fixed start, the average over starts and the closed form: all paths listed."""
    cases = [(1, 6), (2, 6), (3, 5), (4, 4), (5, 3)]
    agree = sum(
        path_energy(n, k) == Fraction(sum(path_energy(n, k, x) for x in range(n)), n)
        and path_energy(n, k) == exact.rnn_energy(n, k)
        for n, k in cases
    )
    return Claim(
        claim="The energy of a fixed start is the trace moment E tr((W^k)* W^k) / n",
        route="all paths of weights listed, Gaussian moments exact",
        size=", ".join(f"(n, k) = ({n}, {k})" for n, k in cases),
        measured=f"equal as rationals in {agree} of {len(cases)} cases",
        window=None,
        verdict=verdict(agree == len(cases)),
    )


def wick_count() -> Claim:
    """Compare pairings counted by commutator cycles with the Hultman row."""
    agree = 0
    for k in range(_ENUMERATED_DEPTH + 1):
        row = combinatorics.hultman_row(k)
        counted = combinatorics.wick_polynomial(k)
        agree += counted == {j: row[j - 1] for j in counted} and sum(counted.values()) == sum(row)
    return Claim(
        claim="Wick pairings are counted by cycles of commutators, that is by Hultman numbers",
        route="all permutations enumerated against the Hultman row",
        size=f"k = 0 to {_ENUMERATED_DEPTH}, {math.factorial(_ENUMERATED_DEPTH)} permutations",
        measured=f"equal as integers at {agree} of {_ENUMERATED_DEPTH + 1} depths",
        window=None,
        verdict=verdict(agree == _ENUMERATED_DEPTH + 1),
    )


def closed_form() -> Claim:
    """Compare the difference of factorials with the Hultman row, far beyond enumeration."""
    widths = (1, 2, 7, 100, 10**6)
    depths = (0, 1, 2, 3, 10, 99, 100, _LONG_DEPTH)
    agree = 0
    for k in depths:
        coefficients = exact.genus_coefficients(k)
        for n in widths:
            by_row = sum(Fraction(q, n ** (2 * g)) for g, q in enumerate(coefficients))
            agree += by_row == exact.rnn_energy(n, k)
    return Claim(
        claim="Q = (rising - falling factorial of n) / ((k+1)(k+2) n^(k+1))",
        route="factorials against the Hultman row",
        size=f"{len(widths)} widths to 1e6, {len(depths)} depths to {_LONG_DEPTH}",
        measured=f"equal as rationals in {agree} of {len(widths) * len(depths)} cases",
        window=None,
        verdict=verdict(agree == len(widths) * len(depths)),
    )


def lru_is_the_sum() -> Claim:
    """Compare the LRU energy, by paths with constant input and by tables, with sums of Q."""
    cases = [(1, 5), (2, 4), (3, 3)]
    tables = [(1, 60), (7, 60), (1000, 60)]
    agree = sum(constant_input_energy(n, t) == exact.lru_energy(n, t) for n, t in cases)
    agree += sum(
        exact.lru_energy(n, t) == sum(exact.rnn_energies(n, t), Fraction(0)) for n, t in tables
    )
    return Claim(
        claim="S is the sum of Q over depths 0 to t, for white and for constant input alike",
        route="all paths listed under constant input; tables of rationals",
        size=f"{len(cases)} cells by paths, {len(tables)} tables to t = 60",
        measured=f"equal as rationals in {agree} of {len(cases) + len(tables)} cases",
        window=None,
        verdict=verdict(agree == len(cases) + len(tables)),
    )


def constant_input_energy(n: int, t: int) -> Fraction:
    r"""Return :math:`E\|\sum_{k \le t} W^k x\|^2/n` with :math:`x = \sqrt n e_0`, paths listed."""
    multisets: Counter[tuple[int, tuple[tuple[tuple[int, int], int], ...]]] = Counter()
    for k in range(t + 1):
        for inner in itertools.product(range(n), repeat=k):
            path = (0, *inner)
            weights = Counter(itertools.pairwise(path))
            multisets[path[-1], tuple(sorted(weights.items()))] += 1
    return sum(
        (
            Fraction(
                count * count * math.prod(math.factorial(power) for _, power in weights),
                n ** sum(power for _, power in weights),
            )
            for (_, weights), count in multisets.items()
        ),
        Fraction(0),
    )
