"""The kernels without numba: LAPACK for the spectrum, products of batches for the paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._products import matvec

FloatArray = npt.NDArray[np.float64]
ComplexArray = npt.NDArray[np.complex128]
Array = npt.NDArray[Any]

_CACHED_BYTES = 2**21
"""Matrices multiplied together: all k steps of a group run while it is in cache."""


def eigenvalues(blocks: Array) -> ComplexArray:
    """Return the eigenvalues of upper Hessenberg blocks (N, K, K), shape (N, K).

    LAPACK takes threads from K = 64 on; OPENBLAS_NUM_THREADS=1 is faster.
    """
    return np.linalg.eigvals(blocks).astype(np.complex128)


def log_energy_paths(matrices: FloatArray, depth: int) -> FloatArray:
    """Return log ||H^t e_0||^2 for t = 0..depth, shape (N, depth + 1).

    Parameters
    ----------
    matrices : ndarray of float64, shape (N, planes, rows, columns)
        Upper Hessenberg H up to the last row and column that the depth needs; the planes
        are the real and, for complex H, imaginary parts.
    depth : int
        k >= 1.
    """
    samples, planes, rows, columns = matrices.shape
    path = np.zeros((samples, depth + 1))
    group = max(1, _CACHED_BYTES // (8 * planes * rows * columns))
    for start in range(0, samples, group):
        part = matrices[start : start + group]
        matrix = part[:, 0] + 1j * part[:, 1] if planes == 2 else part[:, 0]
        _fill_paths(matrix, path[start : start + group])
    return path


def _fill_paths(matrix: Array, path: FloatArray) -> None:
    samples, rows, columns = matrix.shape
    state = np.zeros((samples, rows), dtype=matrix.dtype)
    state[:, 0] = 1.0
    for t in range(path.shape[1] - 1):
        # Before this step only the first t + 1 coordinates are not zero.
        seen, reached = min(t + 1, columns), min(t + 2, rows)
        image = matvec(matrix[:, :reached, :seen], state[:, :seen])
        norm = np.linalg.norm(image, axis=1, keepdims=True)
        state[:, :reached] = image / norm
        path[:, t + 1] = path[:, t] + 2.0 * np.log(norm[:, 0])
