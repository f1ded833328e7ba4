r"""Cross moments of one real Gaussian matrix by two slow routes, to check the closed form.

Both return the integer :math:`C_{i,j}(n) = n^{(i+j)/2}\, E\,\mathrm{tr}\,(W^i)^T W^j` of
`sigprop.theory.real_cross_moments`.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from sigprop._arguments import as_exact_integer

MAX_PAIRED_WEIGHTS = 12
"""Largest i + j whose (i+j-1)!! pairings are enumerated: 11!! = 10395 at 12."""


def cross_pairing_polynomial(i: int, j: int) -> dict[int, int]:
    r"""Enumerate pairings: :math:`C_{i,j}(n) = \sum_\pi n^{\text{free indices}}`.

    Parameters
    ----------
    i, j : int
        Powers, >= 0, with i + j <= 12.

    Returns
    -------
    dict of int to int
        Power of n (descending) to the number of pairings with it; empty for i + j odd.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Notes
    -----
    Deliberately slow and obvious: :math:`(W^i)_{uv} (W^j)_{uv}` is a sum over two paths from
    u to v, and a pairing of weights identifies their rows and their columns.

    Examples
    --------
    >>> cross_pairing_polynomial(1, 3)
    {2: 2, 1: 1}
    """
    i, j = as_exact_integer("i", i, 0), as_exact_integer("j", j, 0)
    if i + j > MAX_PAIRED_WEIGHTS:
        raise ValueError(
            f"i + j must be at most {MAX_PAIRED_WEIGHTS} for an enumeration of (i+j-1)!! "
            f"pairings, got {i} + {j}"
        )
    first = list(range(i + 1))
    second = list(range(i + 1, i + j + 2))
    ends = [(first[0], second[0]), (first[-1], second[-1])]
    weights = [edge for path in (first, second) for edge in itertools.pairwise(path)]
    counts: Counter[int] = Counter()
    for pairing in _pairings(weights):
        rows = [(one[0], other[0]) for one, other in pairing]
        columns = [(one[1], other[1]) for one, other in pairing]
        counts[_classes(i + j + 2, [*ends, *rows, *columns])] += 1
    return dict(sorted(counts.items(), reverse=True))


def _pairings(items: list[Any]) -> Iterator[list[tuple[Any, Any]]]:
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for position, partner in enumerate(rest):
        for others in _pairings(rest[:position] + rest[position + 1 :]):
            yield [(first, partner), *others]


def _classes(size: int, identified: list[tuple[int, int]]) -> int:
    """Count what is left of some indices when pairs of them are identified."""
    label = list(range(size))
    for one, other in identified:
        old, new = label[one], label[other]
        label = [new if item == old else item for item in label]
    return len(set(label))


def cross_triple_sum(n: int, i: int, j: int) -> int:
    r"""Return :math:`C_{i,j}(n)` as a sum over the hook modules of traces of powers.

    With m = i + 1, m' = j + 1, N = a + s + 2h, J = (m - N)/2, J' = (m' - N)/2,

    .. math:: C_{i,j} = \sum_{a \ge 1;\ s, h \ge 0} D(a,s) \bigl\{ (a)_{2h}
       (L_J + N K_J)(L_{J'} + N K_{J'}) + [h \ge 1] (s+1) (a)_{2h-1} L_J L_{J'} \bigr\} \\
       + \sum_{N = 2h \ge 2} (N-1)!\, (L_J + N K_J)(L_{J'} + N K_{J'}) \big|_{a=0} .

    Parameters
    ----------
    n : int
        Width, >= 1.
    i, j : int
        Powers, >= 0.

    Returns
    -------
    int
        The value; 0 for i + j odd.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Notes
    -----
    O(min(i, j)^3) terms.  Its derivation has nothing in common with that of the closed form.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> cross_triple_sum(7, 1, 3)
    105
    """
    n = as_exact_integer("n", n, 1)
    i, j = as_exact_integer("i", i, 0), as_exact_integer("j", j, 0)
    if (i + j) % 2 == 1:
        return 0
    m = min(i, j) + 1
    total = Fraction(0)
    for N in range(m, 0, -2):
        steps = (i + 1 - N) // 2, (j + 1 - N) // 2
        for a in range(1, N + 1):
            for h in range((N - a) // 2 + 1):
                total += _hook_term(n, a, N - a - 2 * h, h, steps)
        if N % 2 == 0:
            total += math.factorial(N - 1) * _both(n, 0, N, N // 2, steps)
    return int(total)


def _hook_term(n: int, a: int, s: int, h: int, steps: tuple[int, int]) -> Fraction:
    term = _rising(a, 2 * h) * _both(n, a, a + s + 2 * h, h, steps)
    if h > 0:
        term += (
            (s + 1)
            * _rising(a, 2 * h - 1)
            * _plain_factor(n, a, h, steps[0])
            * _plain_factor(n, a, h, steps[1])
        )
    return _dimension(n, a, s) * term


def _both(n: int, a: int, N: int, h: int, steps: tuple[int, int]) -> int:
    return math.prod(_plain_factor(n, a, h, J) + N * _marked_factor(n, a, h, J) for J in steps)


def _dimension(n: int, a: int, s: int) -> Fraction:
    """Return D(a,s) = (n+2a-2)/(a+s) times n-s-1, ..., n+a-2 without n+a-s-2."""
    factors = (n + t for t in range(-s - 1, a - 1) if t != a - s - 2)
    return Fraction((n + 2 * a - 2) * math.prod(factors), a + s)


def _rising(a: int, count: int) -> int:
    return math.prod(range(a, a + count))


def _plain_factor(n: int, a: int, h: int, J: int) -> int:
    """Return L_J = C(h+J-1, J) times J steps of two from n + 2a + 2h - 2; 1 if J = 0."""
    if J == 0:
        return 1
    if h == 0:
        return 0
    return math.comb(h + J - 1, J) * _double_steps(n + 2 * a + 2 * h - 2, J)


def _marked_factor(n: int, a: int, h: int, J: int) -> int:
    """Return K_J = C(h+J-1, J-1) times J - 1 steps of two from n + 2a + 2h; 0 if J = 0."""
    if J == 0:
        return 0
    return math.comb(h + J - 1, J - 1) * _double_steps(n + 2 * a + 2 * h, J - 1)


def _double_steps(start: int, count: int) -> int:
    return math.prod(range(start, start + 2 * count, 2))
