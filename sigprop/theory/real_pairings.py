"""Wick pairings of real Gaussian weights, enumerated: the ground truth of the real theory.

For real W the energy is a sum over all pairings of the 2k weights of
tr((W^k)^T W^k), not only over those that pair a weight with a conjugated one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sigprop._arguments import as_exact_integer

MAX_PAIRING_DEPTH = 7
"""Largest depth whose (2k-1)!! pairings are enumerated: 13!! = 135135 at depth 7."""


def pairing_polynomial(k: int) -> dict[int, int]:
    r"""Enumerate pairings: :math:`n^{k+1} Q^{\mathbb R}_{n,k} = \sum_\pi n^{\text{free indices}}`.

    Parameters
    ----------
    k : int
        Depth, 0 to 7: all (2k-1)!! pairings are visited.

    Returns
    -------
    dict of int to int
        Power of the width n (descending) to the number of pairings with it.

    Raises
    ------
    TypeError, ValueError
        If `k` is not an integer from 0 to 7.

    Notes
    -----
    Deliberately slow and obvious.

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
    weights = _weights(k)
    counts = Counter(
        _free_indices(k, [(weights[e], weights[f]) for e, f in pairing])
        for pairing in _pairings(list(range(2 * k)))
    )
    return dict(sorted(counts.items(), reverse=True))


def _weights(k: int) -> list[tuple[int, int]]:
    """Index variables of each weight: two paths of k steps with common ends 0 and k."""
    first = list(range(k + 1))
    second = [0, *range(k + 1, 2 * k), k] if k > 0 else [0]
    return [
        (path[step], path[step + 1]) for path in (first, second) for step in range(len(path) - 1)
    ]


def _pairings(items: list[int]) -> Iterator[list[tuple[int, int]]]:
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for position, partner in enumerate(rest):
        for others in _pairings(rest[:position] + rest[position + 1 :]):
            yield [(first, partner), *others]


def _free_indices(k: int, pairs: list[tuple[tuple[int, int], tuple[int, int]]]) -> int:
    """Count index variables after paired weights have had their row and column identified."""
    size = max(2 * k, 1)
    label = list(range(size))

    def root(index: int) -> int:
        while label[index] != index:
            index = label[index]
        return index

    for (row, column), (other_row, other_column) in pairs:
        label[root(row)] = root(other_row)
        label[root(column)] = root(other_column)
    return sum(label[index] == index for index in range(size))
