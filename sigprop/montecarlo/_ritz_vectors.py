"""Small array helpers: lengths, log sums, vectors of upper Hessenberg blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._products import vecmat

FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[Any]


def abs_square(z: Array) -> FloatArray:
    """Return |z|^2 without the square root of abs."""
    return z.real**2 + z.imag**2 if z.dtype.kind == "c" else z * z


def log_sum_exp(terms: FloatArray) -> FloatArray:
    """Return log sum exp(terms) over the last axis; minus infinity is allowed, nan is not."""
    top = terms.max(axis=-1)
    result: FloatArray = np.log(np.sum(np.exp(terms - top[..., np.newaxis]), axis=-1)) + top
    return result


def left_vectors(block: Array, values: Array) -> Array:
    """Return q with q H_K = lam q and q_0 = 1 for each value of each block.

    q_{j+1} = (lam q_j - sum_{i<=j} q_i H_ij)/H_{j+1,j}.

    Parameters
    ----------
    block : ndarray, shape (N, K, K)
        Upper Hessenberg blocks.
    values : ndarray, shape (N, count)
        Eigenvalues of each block.

    Returns
    -------
    ndarray of complex128, shape (N, K, count)
    """
    samples, size, _ = block.shape
    q = np.ones((samples, size, values.shape[1]), dtype=np.complex128)
    for j in range(size - 1):
        known = vecmat(block[:, : j + 1, j], q[:, : j + 1])
        q[:, j + 1] = (values * q[:, j] - known) / block[:, j + 1, j, np.newaxis]
    return q


def right_vectors(block: Array, values: Array) -> Array:
    """Return u with H_K u = lam u and u_{K-1} = 1 for each value of each block.

    u_j = (lam u_{j+1} - sum_{i>j} H_{j+1,i} u_i)/H_{j+1,j}; shapes as for `left_vectors`.
    """
    samples, size, _ = block.shape
    u = np.ones((samples, size, values.shape[1]), dtype=np.complex128)
    for j in range(size - 2, -1, -1):
        known = vecmat(block[:, j + 1, j + 1 :], u[:, j + 1 :])
        u[:, j] = (values * u[:, j + 1] - known) / block[:, j + 1, j, np.newaxis]
    return u
