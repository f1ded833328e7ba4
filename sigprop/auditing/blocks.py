"""Which square matrices a stored tensor holds: one, a stack of them, or the gates of a cell.

A gated cell stores its gates one above the other, (4n, n) for an LSTM and (3n, n) for a GRU.
Each gate multiplies the state on its own, so each block is judged alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sigprop.auditing.tensors import Matrix

GATES = {4: ("i", "f", "g", "o"), 3: ("r", "z", "n")}
"""Names of stacked gates in the order of PyTorch, by their number."""

KERAS_GATES = {4: ("i", "f", "c", "o"), 3: ("z", "r", "h")}
"""Names in the order of Keras, whose recurrent weights are called ``recurrent_kernel``."""


class Block(NamedTuple):
    """One square matrix to be judged: where it comes from, and its entries."""

    key: str
    block: str | None
    matrix: Matrix


def split(
    key: str, array: Matrix, blocks: int | None = None, transpose: bool = False
) -> list[Block]:
    """Return the square matrices of a tensor (..., rows, n), gate by gate.

    Parameters
    ----------
    key : str
        Name of the tensor; a matrix of a stack is called ``key[index]``.
    array : ndarray
        Shape (n, n), or (B n, n) for B gates, after any number of batch axes.
    blocks : int, optional
        The number B of blocks; if None it is read off the shape: 1, 3 or 4.
    transpose : bool, optional
        The tensor multiplies the state from the right (Keras, Flax): transpose it first.

    Returns
    -------
    list of Block
        One for each matrix; views, not copies.

    Raises
    ------
    ValueError
        If the tensor does not consist of equal square blocks.

    Examples
    --------
    >>> [(b.block, b.matrix.shape) for b in split("weight_hh_l0", np.zeros((8, 2)))]
    [('i', (2, 2)), ('f', (2, 2)), ('g', (2, 2)), ('o', (2, 2))]
    >>> [b.key for b in split("W", np.zeros((3, 2, 2)))]
    ['W[0]', 'W[1]', 'W[2]']
    """
    if array.ndim < 2:
        raise ValueError(
            f"{key} must be a matrix or a stack of matrices, got shape {array.shape}; "
            "a vector of eigenvalues is audited with kind='diagonal' (--diagonal)"
        )
    stored = array.shape
    if transpose:
        array = np.swapaxes(array, -1, -2)
    rows, n = array.shape[-2:]
    count = _count(key, rows, n, blocks, stored)
    names = _names(key, count)
    found = []
    for index in np.ndindex(array.shape[:-2]):
        label = f"{key}[{', '.join(map(str, index))}]" if index else key
        found += [
            Block(label, name, array[index][b * n : (b + 1) * n]) for b, name in enumerate(names)
        ]
    return found


def block_count(rows: int, n: int) -> int | None:
    """Return how many square blocks a shape (rows, n) holds when nobody says: 1, 3, 4 or None."""
    ratio, rest = divmod(rows, n) if n else (0, 1)
    return ratio if rest == 0 and (ratio == 1 or ratio in GATES) else None


def _count(key: str, rows: int, n: int, blocks: int | None, stored: tuple[int, ...]) -> int:
    if blocks is not None:
        if rows != blocks * n:
            raise ValueError(
                f"{key} must be {blocks} equal square blocks, shape ({blocks} n, n), "
                f"got shape {stored}"
            )
        return blocks
    count = block_count(rows, n)
    if count is None:
        raise ValueError(
            f"{key} must be square, or the gates of a cell, (4n, n) or (3n, n), "
            f"got shape {stored}{_hint(rows, n)}"
        )
    return count


def _hint(rows: int, n: int) -> str:
    if rows % n == 0:
        return f"; blocks={rows // n} (--blocks {rows // n}) takes it as {rows // n} square blocks"
    if block_count(n, rows) is not None:
        return "; transpose=True (--transpose) reads it as the weights of h W"
    return ""


def _names(key: str, count: int) -> tuple[str | None, ...]:
    if count == 1:
        return (None,)
    gates = KERAS_GATES if "recurrent_kernel" in key else GATES
    return gates.get(count, tuple(map(str, range(count))))
