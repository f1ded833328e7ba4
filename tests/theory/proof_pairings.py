"""Perfect matchings, their loops, and traces in Young's orthogonal form: small and slow."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from proof_shapes import dimension, doubled, partitions, shrink

Matching = tuple[int, ...]
"""The partner of every letter 0, 1, ..., 2m - 1."""


def matchings(letters: int, first: tuple[tuple[int, int], ...] = ()) -> Iterator[Matching]:
    """All perfect matchings that contain the pairs `first`."""
    taken = {letter for pair in first for letter in pair}
    for pairs in _pairs([x for x in range(letters) if x not in taken]):
        partner = [0] * letters
        for x, y in (*first, *pairs):
            partner[x], partner[y] = y, x
        yield tuple(partner)


def _pairs(letters: list[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    if not letters:
        yield ()
        return
    head, *rest = letters
    for place, other in enumerate(rest):
        for pairs in _pairs(rest[:place] + rest[place + 1 :]):
            yield ((head, other), *pairs)


def moved(permutation: tuple[int, ...], matching: Matching) -> Matching:
    """The matching with every letter x renamed permutation[x]."""
    result = [0] * len(matching)
    for x, y in enumerate(matching):
        result[permutation[x]] = permutation[y]
    return tuple(result)


def loop_type(one: Matching, other: Matching) -> tuple[int, ...]:
    """Half-lengths of the loops that two matchings form together, nonincreasing."""
    unseen, lengths = set(range(len(one))), []
    while unseen:
        x, length = min(unseen), 0
        while x in unseen:
            unseen -= {x, one[x]}
            x = other[one[x]]
            length += 1
        lengths.append(length)
    return tuple(sorted(lengths, reverse=True))


def two_cycles(m: int, d: int) -> tuple[int, ...]:
    """A d-cycle through a = 2m - 2 and a (2m - d)-cycle through b = 2m - 1."""
    first = [*range(d - 1), 2 * m - 2]
    second = [*range(d - 1, 2 * m - 2), 2 * m - 1]
    image = [0] * (2 * m)
    for cycle in (first, second):
        for x, y in itertools.pairwise([*cycle, cycle[0]]):
            image[x] = y
    return tuple(image)


def moment_by_pairings(i: int, j: int) -> Counter[int]:
    """C_{i,j}: number of pairings that contain {a, b}, by their number of loops with cP."""
    m = (i + j + 2) // 2
    c = two_cycles(m, i + 1)
    ends = ((2 * m - 2, 2 * m - 1),)
    return Counter(len(loop_type(P, moved(c, P))) for P in matchings(2 * m, ends))


class Zonal:
    """Zonal spherical functions of all matchings of 2m letters, exact, from one class sum.

    The sum of all transpositions acts on V_{2 rho} as the sum of its contents, which are
    different numbers for m <= 4, so that Lagrange's polynomials of it are the projectors.
    """

    def __init__(self, m: int) -> None:
        self.m = m
        self.matchings = list(matchings(2 * m))
        index = {P: x for x, P in enumerate(self.matchings)}
        count = len(index)
        swaps = np.zeros((count, count), dtype=object)
        for x, y in itertools.combinations(range(2 * m), 2):
            swap = list(range(2 * m))
            swap[x], swap[y] = y, x
            for P, column in index.items():
                swaps[index[moved(tuple(swap), P)], column] += 1
        sums = {rho: content_sum(doubled(rho)) for rho in partitions(m)}
        self.projectors = {}
        for rho, value in sums.items():
            # One column is enough: the projector commutes with renaming letters.
            column, scale = np.array([1] + [0] * (count - 1), dtype=object), 1
            for other in sums.values():
                if other != value:
                    column = swaps.dot(column) - other * column
                    scale *= value - other
            self.projectors[rho] = np.array([Fraction(entry, scale) for entry in column])
        self.swaps, self.sums = swaps, sums
        self.types = [loop_type(P, self.matchings[0]) for P in self.matchings]

    def omega(self, rho: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
        """Values of the spherical function by loop type; asserts that the type decides."""
        column = self.projectors[rho]
        scale = 1 / column[0]
        values: dict[tuple[int, ...], Fraction] = {}
        for kind, entry in zip(self.types, column, strict=True):
            assert values.setdefault(kind, entry * scale) == entry * scale
        return values


def content_sum(shape: tuple[int, ...]) -> int:
    return sum(j - i for i, part in enumerate(shape) for j in range(part))


# Young's orthogonal form


def standard_tableaux(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Each as the rows in which 1, 2, ... are placed."""
    if not shape:
        return [()]
    return [(*rest, row) for row, left in shrink(shape) for rest in standard_tableaux(left)]


class YoungForm:
    """Adjacent transpositions of an irreducible representation, real orthogonal."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.tableaux = standard_tableaux(shape)
        assert len(self.tableaux) == dimension(shape)
        self.place = {tableau: x for x, tableau in enumerate(self.tableaux)}
        contents = np.array([self._contents(tableau) for tableau in self.tableaux])
        letters = range(len(contents[0]) - 1)
        self.partners = [self._partners(x) for x in letters]
        self.inverse_distances = [1 / (contents[:, x + 1] - contents[:, x]) for x in letters]

    def _partners(self, x: int) -> list[int]:
        """Index of every tableau with x and x + 1 exchanged, or its own if that is not one."""
        return [
            self.place.get((*t[:x], t[x + 1], t[x], *t[x + 2 :]), y)
            for y, t in enumerate(self.tableaux)
        ]

    @staticmethod
    def _contents(tableau: tuple[int, ...]) -> list[int]:
        lengths: Counter[int] = Counter()
        contents = []
        for row in tableau:
            contents.append(lengths[row] - row)
            lengths[row] += 1
        return contents

    def swap(self, x: int, vectors: np.ndarray) -> np.ndarray:
        """Apply the transposition of letters x and x + 1 (from 0) to columns."""
        inverse = self.inverse_distances[x]
        off = np.sqrt(np.maximum(1 - inverse**2, 0))
        return inverse[:, None] * vectors + off[:, None] * vectors[self.partners[x]]

    def trace(self, permutation: tuple[int, ...], last_rows: tuple[int, int]) -> float:
        """Trace of the permutation over the tableaux whose last two letters are in given rows."""
        kept = [y for y, tableau in enumerate(self.tableaux) if tableau[-2:] == last_rows]
        vectors = np.eye(len(self.tableaux))[:, kept]
        image = list(permutation)
        # Bubble sort: image = s_1 s_2 ... in the order in which the swaps undo it.
        for end in range(len(image), 1, -1):
            for x in range(end - 1):
                if image[x] > image[x + 1]:
                    image[x], image[x + 1] = image[x + 1], image[x]
                    vectors = self.swap(x, vectors)
        return float(vectors[kept].trace())
