"""Wick pairings of real Gaussian weights, enumerated: the ground truth of the real theory.

For real W the energy is a sum over all pairings of the 2k weights of
tr((W^k)^T W^k), not only over those that pair a weight with a conjugated one.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_exact_integer

MAX_PAIRING_DEPTH = 8
"""Largest depth whose (2k-1)!! pairings are enumerated: 15!! = 2027025 at depth 8."""

_CHUNK = 1 << 16

Table = npt.NDArray[np.int8]


def pairing_polynomial(k: int) -> dict[int, int]:
    r"""Enumerate pairings: :math:`n^{k+1} Q^{\mathbb R}_{n,k} = \sum_\pi n^{\text{free indices}}`.

    Parameters
    ----------
    k : int
        Depth, 0 to 8: all (2k-1)!! pairings are visited.

    Returns
    -------
    dict of int to int
        Power of the width n (descending) to the number of pairings with it.

    Raises
    ------
    TypeError, ValueError
        If `k` is not an integer from 0 to 8.

    Notes
    -----
    Deliberately obvious: paired weights have their rows and their columns identified, one
    pair after another, for many pairings at a time.  About a second at depth 8.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> pairing_polynomial(2)
    {3: 1, 1: 2}
    """
    k = as_exact_integer("k", k, 0)
    if k > MAX_PAIRING_DEPTH:
        raise ValueError(
            f"k must be at most {MAX_PAIRING_DEPTH} for an enumeration of (2k-1)!! pairings, "
            f"got {k}"
        )
    pairings = _pairings(k)
    counts: Counter[int] = Counter()
    for first in range(0, len(pairings), _CHUNK):
        powers, numbers = np.unique(
            _free_indices(k, pairings[first : first + _CHUNK]), return_counts=True
        )
        counts.update(dict(zip(powers.tolist(), numbers.tolist(), strict=True)))
    return dict(sorted(counts.items(), reverse=True))


def _weights(k: int) -> list[tuple[int, int]]:
    """Index variables of each weight: two paths of k steps with common ends 0 and k."""
    first = list(range(k + 1))
    second = [0, *range(k + 1, 2 * k), k] if k > 0 else [0]
    return [
        (path[step], path[step + 1]) for path in (first, second) for step in range(len(path) - 1)
    ]


def _pairings(pairs: int) -> Table:
    """Return all pairings of 0, ..., 2 pairs - 1, one a row: letters 2i and 2i + 1 are paired."""
    if pairs == 0:
        return np.zeros((1, 0), dtype=np.int8)
    others = _pairings(pairs - 1)
    blocks = []
    for partner in range(1, 2 * pairs):
        rest = np.array([x for x in range(1, 2 * pairs) if x != partner], dtype=np.int8)
        head = np.broadcast_to(np.array([0, partner], dtype=np.int8), (len(others), 2))
        blocks.append(np.concatenate([head, rest[others]], axis=1))
    table: Table = np.concatenate(blocks)
    assert len(table) == math.prod(range(1, 2 * pairs, 2))
    return table


def _free_indices(k: int, pairings: Table) -> npt.NDArray[np.int_]:
    """Count the index variables left in each pairing once those of paired weights are one."""
    rows, columns = np.array(_weights(k), dtype=np.int64).reshape(2 * k, 2).T
    size = max(2 * k, 1)
    # The label of a class of index variables is one of them, which has itself as its label.
    label = np.tile(np.arange(size, dtype=np.int8), (len(pairings), 1))
    each = np.arange(len(pairings))
    for pair in range(k):
        weight, other = pairings[:, 2 * pair], pairings[:, 2 * pair + 1]
        for ends in (rows, columns):
            kept = label[each, ends[weight]][:, np.newaxis]
            dropped = label[each, ends[other]][:, np.newaxis]
            np.copyto(label, kept, where=label == dropped)
    free: npt.NDArray[np.int_] = np.count_nonzero(label == np.arange(size, dtype=np.int8), axis=1)
    return free
