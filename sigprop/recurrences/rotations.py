r"""Rotations in N dimensions as planes and angles: :math:`A = P\,\Theta\,P^T`, exact powers.

:math:`\Theta = \oplus_i R(\theta_i)` turns the plane of the columns 2i and 2i + 1 of the
orthogonal P, and leaves its last column alone where N is odd.  Then

.. math:: A^k = P \left(\oplus_i R(k\theta_i)\right) P^T

is orthogonal to a few roundings at every k, which repeated multiplication is not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigprop._arguments import FloatArray, as_integer
from sigprop._products import matvec

MAX_POWER = 2**53
"""Largest power k, of either sign."""

ORTHOGONALITY = 1e-8
"""Largest entry of A^T A - I that passes for rounding in a matrix that is given."""

_SEPARATED = 1e-3  # planes that turn slower than this share of the fastest are found anew


@dataclass(frozen=True, eq=False)
class Rotation:
    r"""A rotation of SO(N), :math:`P \Theta P^T`.

    Attributes
    ----------
    basis : ndarray of float64, shape (N, N)
        Orthogonal P, whose columns span the planes in pairs.
    angle : ndarray of float64, shape (N // 2,)
        Angles of the planes.

    Examples
    --------
    >>> turn = Rotation.from_generator([[0.0, -0.25], [0.25, 0.0]])
    >>> turn.angle.tolist(), turn.power(2).round(6).tolist()
    ([0.5], [[0.540302, -0.841471], [0.841471, 0.540302]])
    """

    basis: FloatArray
    angle: FloatArray

    @classmethod
    def from_generator(cls, generator: Any) -> Rotation:
        r"""Return :math:`\exp(M - M^T)` from any square real M.

        Parameters
        ----------
        generator : array_like of float, shape (N, N)
            M.

        Returns
        -------
        Rotation
            Its angles are the imaginary parts of the eigenvalues of M - M^T, >= 0 and not
            reduced modulo 2 pi.

        Notes
        -----
        The Hermitian eigenproblem of i (M - M^T): no exponential and no logarithm of a matrix
        is taken. Its error is a rounding of the norm of M - M^T.
        """
        m = _square("generator", generator)
        return cls(*_planes(m - m.T))

    @classmethod
    def from_matrix(cls, matrix: Any) -> Rotation:
        r"""Return the rotation that a given orthogonal matrix of determinant 1 is.

        Parameters
        ----------
        matrix : array_like of float, shape (N, N)
            A with A^T A = I.

        Returns
        -------
        Rotation
            Angles in [0, pi]: the sign of an angle, and so the sense of its plane, is a
            choice. Eigenvalues -1 are paired to angles pi, eigenvalues 1 to angles 0.

        Raises
        ------
        ValueError
            If A is not orthogonal, or its determinant is -1: such a matrix is no exponential
            of a real antisymmetric one, and has no planes and angles.

        Notes
        -----
        The real Schur form, block-diagonal for a normal matrix. A logarithm would fail where
        eigenvalues are -1.

        Examples
        --------
        >>> Rotation.from_matrix(np.diag([1.0, -1.0, -1.0])).angle.round(6).tolist()
        [3.141593]
        """
        from scipy.linalg import schur

        a = _square("matrix", matrix)
        error = float(np.max(np.abs(a.T @ a - np.eye(len(a)))))
        if error > ORTHOGONALITY:
            raise ValueError(
                f"matrix must be orthogonal: an entry of A^T A - I is {error:.3g}, more than "
                f"{ORTHOGONALITY:g}"
            )
        blocks, basis = schur(a, output="real")
        return cls(*_paired(blocks, basis))

    @property
    def size(self) -> int:
        """Dimension N."""
        return len(self.basis)

    @property
    def matrix(self) -> FloatArray:
        """The matrix A itself."""
        return self.power(1)

    def power(self, k: Any) -> FloatArray:
        r"""Return :math:`A^k`, for any integer k up to 2^53 in size.

        Notes
        -----
        One product of matrices at every k. Angles k theta are reduced modulo 2 pi exactly
        after the one rounding of the product, which is the error: k theta 2^-53.

        Examples
        --------
        >>> turn = Rotation.from_generator(np.arange(9.0).reshape(3, 3))
        >>> far = turn.power(10**6)
        >>> bool(np.abs(far @ far.T - np.eye(3)).max() < 1e-14)
        True
        """
        turned = turn_planes(self.basis, self._angles(k))
        return turned @ self.basis.T

    def apply(self, vectors: FloatArray, k: Any = 1) -> FloatArray:
        """Return A^k v for vectors along the last axis, N^2 multiplications for each."""
        inner = matvec(self.basis.T, np.asarray(vectors, dtype=np.float64))
        turned = turn_planes(inner, -self._angles(k))
        return matvec(self.basis, turned)

    def _angles(self, k: Any) -> FloatArray:
        count = as_integer("k", k, -MAX_POWER)
        if count > MAX_POWER:
            raise ValueError(f"k must be at most 2^53 in size, got {count}")
        return count * self.angle


def exponentials(generators: FloatArray) -> FloatArray:
    r"""Return :math:`\exp(M - M^T)` of every matrix of a batch, without planes and angles.

    With :math:`i(M - M^T) = V w V^*` it is the real part of :math:`V e^{-iw} V^*`.

    Parameters
    ----------
    generators : ndarray of float64, shape (..., N, N)
        M.

    Examples
    --------
    >>> M = np.random.default_rng(0).standard_normal((2, 3, 3))
    >>> bool(np.allclose(exponentials(M)[1], Rotation.from_generator(M[1]).matrix))
    True
    """
    values, vectors = np.linalg.eigh(1j * (generators - np.swapaxes(generators, -1, -2)))
    turned = vectors * np.exp(-1j * values)[..., np.newaxis, :]
    product: FloatArray = (turned @ np.swapaxes(vectors, -1, -2).conj()).real
    return _orthonormal(product)


def turn_planes(rows: FloatArray, angles: FloatArray) -> FloatArray:
    r"""Return :math:`X\,\oplus_i R(\theta_i)` for rows X; rows times :math:`R^T` are R v.

    Parameters
    ----------
    rows : ndarray, shape (..., N)
        Vectors along the last axis.
    angles : ndarray, shape (..., N // 2)
        Angles, broadcast against them. An odd last entry stays.

    Examples
    --------
    >>> turn_planes(np.array([[1.0, 0.0, 5.0]]), np.array([np.pi / 2])).round(12).tolist()
    [[0.0, -1.0, 5.0]]
    """
    planes = 2 * angles.shape[-1]
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = rows[..., 0:planes:2], rows[..., 1:planes:2]
    batch = np.broadcast_shapes(rows.shape[:-1], angles.shape[:-1])
    result = np.array(np.broadcast_to(rows, (*batch, rows.shape[-1])))
    result[..., 0:planes:2] = first * cos + second * sin
    result[..., 1:planes:2] = second * cos - first * sin
    return result


def _planes(skew: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return basis and angles of exp(S) for an antisymmetric S.

    An eigenvector a + ib of iS at w > 0 has S a = w b, S b = -w a: the plane (a, b) turns by w.
    Near w = 0 the eigenvectors of w and -w mix, so slow planes are found once more in the
    complement of the fast ones, where they are not slow.
    """
    size = len(skew)
    values, vectors = np.linalg.eigh(1j * skew)
    order = np.arange(size - 1, (size + 1) // 2 - 1, -1)
    fast = order[values[order] > _SEPARATED * max(float(values[-1]), 0.0)] if size > 1 else order
    if fast.size == 0:  # S = 0
        return np.eye(size), np.zeros(size // 2)
    plane = math.sqrt(2.0) * vectors[:, fast]
    found = np.stack([plane.real, plane.imag], axis=2).reshape(size, 2 * fast.size)
    if 2 * fast.size < size - 1:
        rest = np.linalg.qr(found, mode="complete")[0][:, 2 * fast.size :]
        inner, angles = _planes(_antisymmetric(rest.T @ skew @ rest))
        return _orthonormal(np.hstack([found, rest @ inner])), np.append(values[fast], angles)
    if 2 * fast.size < size:
        found = np.hstack([found, np.linalg.qr(found, mode="complete")[0][:, -1:]])
    return _orthonormal(found), values[fast]


def _paired(blocks: FloatArray, basis: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return basis and angles from a real Schur form with blocks of size 1 and 2."""
    size = len(blocks)
    columns: list[int] = []
    angles: list[float] = []
    single: dict[float, list[int]] = {1.0: [], -1.0: []}
    at = 0
    while at < size:
        if at + 1 == size or blocks[at + 1, at] == 0.0:
            single[math.copysign(1.0, blocks[at, at])].append(at)
            at += 1
            continue
        sin = 0.5 * (blocks[at + 1, at] - blocks[at, at + 1])
        cos = 0.5 * (blocks[at, at] + blocks[at + 1, at + 1])
        columns += [at, at + 1] if sin >= 0.0 else [at + 1, at]
        angles.append(math.atan2(abs(sin), cos))
        at += 2
    if len(single[-1.0]) % 2:
        raise ValueError(
            "matrix must have determinant 1, got -1: it is a reflection, not a rotation "
            "(change the sign of one row)"
        )
    angles += [math.pi] * (len(single[-1.0]) // 2) + [0.0] * (len(single[1.0]) // 2)
    columns += single[-1.0] + single[1.0]
    return _orthonormal(basis[:, columns]), np.array(angles)


def _orthonormal(columns: FloatArray) -> FloatArray:
    """Return the nearest matrix with orthonormal columns to one that nearly has them."""
    square = np.swapaxes(columns, -1, -2) @ columns
    product: FloatArray = columns @ (1.5 * np.eye(columns.shape[-1]) - 0.5 * square)
    return product


def _antisymmetric(matrix: FloatArray) -> FloatArray:
    return 0.5 * (matrix - matrix.T)


def _square(name: str, value: Any) -> FloatArray:
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"{name} must be a square matrix, got shape {array.shape}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must hold finite numbers, got one that is not")
    return array.astype(np.float64)
