r"""HiPPO-LegS, the matrix pair of S4, and its exact Gramian.

.. math:: A_{nk} = -\sqrt{(2n+1)(2k+1)}\ (n > k), \quad A_{nn} = -(n+1), \quad B_n = \sqrt{2n+1}

satisfies :math:`A + A^T = -(I + BB^T)`, so that its Cayley transforms are contractions, and

.. math:: A J + J A^T + BB^T = 0

with J the Jacobi matrix of the shifted Legendre polynomials: 1/2 on the diagonal,
:math:`(n+1)/(2\sqrt{(2n+1)(2n+3)})` beside it. The bilinear discretisation with step Delta has
the Gramian :math:`\sum_k \bar A^k \bar B \bar B^T (\bar A^T)^k = \Delta J`, of trace
:math:`\Delta N/2`, exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sigprop._arguments import FloatArray, as_integer, as_nonnegative_array


def legs_matrices(state_size: int) -> tuple[FloatArray, FloatArray]:
    """Return A, shape (N, N), and B, shape (N,).

    Examples
    --------
    >>> A, B = legs_matrices(3)
    >>> bool(np.allclose(A + A.T, -np.eye(3) - np.outer(B, B)))
    True
    """
    n = np.arange(as_integer("state_size", state_size, 1), dtype=np.float64)
    b = np.sqrt(2.0 * n + 1.0)
    return -np.tril(np.outer(b, b), -1) - np.diag(n + 1.0), b


def legs_gramian(state_size: int) -> FloatArray:
    """Return J, the Jacobi matrix of the shifted Legendre polynomials, shape (N, N).

    Examples
    --------
    >>> A, B = legs_matrices(64)
    >>> J = legs_gramian(64)
    >>> bool(np.abs(A @ J + J @ A.T + np.outer(B, B)).max() < 1e-12)
    True
    """
    n = np.arange(as_integer("state_size", state_size, 1) - 1, dtype=np.float64)
    beside = (n + 1.0) / (2.0 * np.sqrt((2.0 * n + 1.0) * (2.0 * n + 3.0)))
    return np.diag(np.full(n.size + 1, 0.5)) + np.diag(beside, 1) + np.diag(beside, -1)


def bilinear_pair(state_size: int, dt: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return :math:`(1-\Delta A/2)^{-1}(1+\Delta A/2)` and :math:`(1-\Delta A/2)^{-1}\Delta B`.

    Parameters
    ----------
    state_size : int
        N.
    dt : ndarray of float64, shape (...)
        Step sizes.

    Returns
    -------
    transition : ndarray, shape (..., N, N)
    input_vector : ndarray, shape (..., N)

    Notes
    -----
    The transition as :math:`2(1-\Delta A/2)^{-1} - 1`, by a triangular solve without pivoting:
    the residual of the Gramian is below :math:`10^{-15}\,\Delta` for N <= 256.
    """
    a, b = legs_matrices(state_size)
    step = np.asarray(dt)[..., np.newaxis, np.newaxis]
    one = np.eye(state_size)
    ones = np.broadcast_to(one, (*step.shape[:-2], *one.shape))
    right = np.concatenate([ones, step * b[:, np.newaxis]], -1)
    # In reversed order the matrix is upper triangular, which leaves the solver nothing to pivot.
    reverse = slice(None, None, -1)
    left = (one - 0.5 * step * a)[..., reverse, reverse]
    solved = np.linalg.solve(left, right[..., reverse, :])[..., reverse, :]
    return 2.0 * solved[..., :-1] - one, solved[..., -1]


def continuous_impulse(state_size: int, time: Any) -> Any:
    r"""Return :math:`\|e^{As}B\|^2 = e^{-2s} \sum_{n<N} (2n+1) P_n(2e^{-s} - 1)^2`.

    Parameters
    ----------
    state_size : int
        N.
    time : array_like of float
        Times s >= 0 after the impulse.

    Returns
    -------
    float64 or ndarray of float64
        N^2 at s = 0.

    Examples
    --------
    >>> float(continuous_impulse(8, 0.0))
    64.0
    """
    size = as_integer("state_size", state_size, 1)
    s = as_nonnegative_array("time", time)
    x = 2.0 * np.exp(-s) - 1.0
    before, current = np.zeros_like(x), np.ones_like(x)
    total = np.zeros_like(x)
    for n in range(size):
        total += (2.0 * n + 1.0) * current**2
        before, current = current, ((2.0 * n + 1.0) * x * current - n * before) / (n + 1.0)
    return (np.exp(-2.0 * s) * total)[()]
