r"""Second moments of traces of real weights by enumeration of all pairings: the ground truth.

:math:`\mathrm{tr} A_i\, \mathrm{tr} A_j`, :math:`A_i = G^i G^{iT}` with real G, has 2(i + j)
letters, G or its transpose T, and its mean is a sum over all pairings of them.  Each letter
has two ends, a row and a column of G.  In a trace the end at which one letter leaves carries
the same index as the end at which the next one enters; a pairing identifies the rows and the
columns of both partners.  These are two pairings of all ends, and their loops, each of them
one free index, are half the cycles of their product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sigprop.theory._wick_second_moment import cycle_counts, descending

MAX_SUM = 8
"""Largest i + j: 15!! = 2027025 pairings of 16 letters."""

_BATCH = 20_000


def _pairings(size: int) -> npt.NDArray[np.int8]:
    """Return all pairings of 0, ..., size - 1, one per row, as the partners of these."""
    if size == 0:
        return np.zeros((1, 0), dtype=np.int8)
    smaller = _pairings(size - 2)
    blocks = []
    for partner in range(1, size):
        others = np.array([x for x in range(1, size) if x != partner], dtype=np.int8)
        block = np.zeros((len(smaller), size), dtype=np.int8)
        block[:, 0] = partner
        block[:, others] = others[smaller]
        blocks.append(block)
    return np.concatenate(blocks)


def _joints(words: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the end that each end is joined to in the traces; row 2x and column 2x+1 of x."""
    joints = np.zeros(2 * sum(map(len, words)), dtype=np.int64)
    first = 0
    for word in words:
        enters = [2 * (first + x) + (letter == "T") for x, letter in enumerate(word)]
        leaves = [end ^ 1 for end in enters]
        for x, end in enumerate(leaves):
            follower = enters[(x + 1) % len(word)]
            joints[end], joints[follower] = follower, end
        first += len(word)
    return joints


def _free_indices(words: Sequence[str]) -> Counter[int]:
    """Count the pairings of a product of traces by the number of free indices."""
    joints = _joints(words)
    empty = sum(not word for word in words)
    pairings = _pairings(len(joints) // 2)
    result: Counter[int] = Counter()
    for start in range(0, len(pairings), _BATCH):
        partners = pairings[start : start + _BATCH].astype(np.int64)
        ends = np.stack([2 * partners, 2 * partners + 1], axis=2).reshape(len(partners), -1)
        result.update((cycle_counts(joints[ends]) // 2 + empty).tolist())
    return result


def trace_moment_counts(i: int, j: int) -> tuple[dict[int, int], dict[int, int]]:
    """Count pairings by free indices for E[tr A_i tr A_j] and for E[tr A_i A_j]."""
    first, second = "G" * i + "T" * i, "G" * j + "T" * j
    return descending(_free_indices([first, second])), descending(_free_indices([first + second]))
