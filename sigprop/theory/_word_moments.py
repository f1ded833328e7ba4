r"""Means of products of traces of words in a real Gaussian matrix, by repeated contraction.

G is n x n with independent standard normal entries and T its transpose.  By Wick's rule the
mean of a product of traces is the sum over the partners of any one of its letters, and what is
left after their contraction is again a product of traces, two letters shorter:

.. math::
   \mathrm{tr}(G u T v) \to \mathrm{tr}(u)\,\mathrm{tr}(v), \qquad
   \mathrm{tr}(G u G v) \to \mathrm{tr}(u v^T), \\
   \mathrm{tr}(G u)\,\mathrm{tr}(T v) \to \mathrm{tr}(u v), \qquad
   \mathrm{tr}(G u)\,\mathrm{tr}(G v) \to \mathrm{tr}(u v^T),

with tr() = n for the empty word.  All pairings are counted, (2m - 1)!! of them for 2m letters,
but they pass through few different products: a thousand at 20 letters for 19!! = 654729075
pairings.  Each is contracted once.

A polynomial is carried as its value at n = 2^64: its coefficients count pairings, and are
the digits in that base.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable

MAX_LETTERS = 32
"""Largest number of letters: the 31!! pairings of these are below the base."""

_BITS = 64
_FLIPPED = str.maketrans("GT", "TG")


def counts(words: Iterable[str]) -> dict[int, int]:
    """Count the pairings of a product of traces: power of n (descending) to their number.

    Words are strings of the letters G and T, at most `MAX_LETTERS` in all.
    """
    free, product = _named(list(words))
    value = _moment(product) << (_BITS * free)
    digits = []
    while value:
        digits.append(value & ((1 << _BITS) - 1))
        value >>= _BITS
    return {power: digits[power] for power in reversed(range(len(digits))) if digits[power]}


def _transposed(word: str) -> str:
    return word[::-1].translate(_FLIPPED)


@functools.cache
def _smallest(word: str) -> str:
    """Return the first of all words with the same trace: rotations, also of the transpose."""
    return min(
        turned[start:] + turned[:start]
        for turned in (word, _transposed(word))
        for start in range(len(word))
    )


def _sorted(words: Iterable[str]) -> tuple[str, ...]:
    """Name the words by their traces, short ones first: these leave fewest products behind."""
    return tuple(sorted(map(_smallest, words), key=lambda word: (len(word), word)))


def _named(words: list[str]) -> tuple[int, tuple[str, ...]]:
    """Return how many words are empty, and the others under one name for all equal means."""
    others = _sorted(word for word in words if word)
    # G and its transpose have the same law: all words may change the letters together.
    flipped = _sorted(word.translate(_FLIPPED) for word in others)
    return len(words) - len(others), min(others, flipped)


@functools.cache
def _moment(product: tuple[str, ...]) -> int:
    """Return the mean of the product of traces at n = 2^64."""
    if not product:
        return 1
    left = Counter(_named(words) for words in _contractions(list(product)))
    return sum(times * _moment(rest) << (_BITS * free) for (free, rest), times in left.items())


def _contractions(product: list[str]) -> Iterable[list[str]]:
    """Contract the first letter of the first word with every other letter."""
    letter, tail = product[0][0], product[0][1:]
    for place, partner in enumerate(tail):
        u, v = tail[:place], tail[place + 1 :]
        inner = [u + _transposed(v)] if partner == letter else [u, v]
        yield inner + product[1:]
    for index, word in enumerate(product[1:], start=1):
        others = product[1:index] + product[index + 1 :]
        for place, partner in enumerate(word):
            v = word[place + 1 :] + word[:place]
            yield [tail + (_transposed(v) if partner == letter else v), *others]
