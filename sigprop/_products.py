"""Batched matrix-vector products that stay in one thread.

OpenBLAS splits a product over threads as soon as the matrix has a few thousand entries,
which costs up to a factor 30 when the cores are busy with other trajectories.  Products are
therefore handed to it in tiles below that size; a tile costs 30 % at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_TILE_ENTRIES = 4095
_TILE_COLUMNS = 1020  # so that a tile has the four rows that BLAS takes at a time


def matvec(matrices: Array, vectors: Array) -> Array:
    """Return A v over leading batch axes: (..., m, n) times (..., n)."""
    product = _row_tiles(matrices[..., :_TILE_COLUMNS], vectors[..., :_TILE_COLUMNS])
    for first in range(_TILE_COLUMNS, matrices.shape[-1], _TILE_COLUMNS):
        columns = slice(first, first + _TILE_COLUMNS)
        product += _row_tiles(matrices[..., columns], vectors[..., columns])
    return product


def vecmat(vectors: Array, matrices: Array) -> Array:
    """Return v A over leading batch axes, no conjugation: (..., m) times (..., m, n)."""
    height, width = matrices.shape[-2:]
    rows = max(1, _TILE_ENTRIES // max(width, 1))
    product: Array = np.matmul(vectors[..., np.newaxis, :rows], matrices[..., :rows, :])[..., 0, :]
    for first in range(rows, height, rows):
        tile = slice(first, first + rows)
        product += np.matmul(vectors[..., np.newaxis, tile], matrices[..., tile, :])[..., 0, :]
    return product


def _row_tiles(matrices: Array, vectors: Array) -> Array:
    """Multiply some rows at a time."""
    *batch, height, width = matrices.shape
    rows = max(1, _TILE_ENTRIES // max(width, 1))
    if rows >= height:
        whole: Array = np.matmul(matrices, vectors[..., np.newaxis])[..., 0]
        return whole
    count = height // rows
    tiles = matrices[..., : count * rows, :].reshape(*batch, count, rows, width)
    head = np.matmul(tiles, vectors[..., np.newaxis, :, np.newaxis])
    tail = np.matmul(matrices[..., count * rows :, :], vectors[..., np.newaxis])[..., 0]
    return np.concatenate([head.reshape(*vectors.shape[:-1], count * rows), tail], axis=-1)
