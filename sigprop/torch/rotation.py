r"""Random rotations :math:`P \Theta P^T`: recurrent weights that keep every energy exactly."""

from __future__ import annotations

import numpy as np
from torch import Generator, Tensor

from sigprop._arguments import FloatArray
from sigprop.recurrences.phase import FULL_PHASE
from sigprop.recurrences.rotations import Rotation
from sigprop.torch.tensors import (
    REAL,
    as_fillable,
    as_generator,
    as_max_phase,
    as_square,
    fill_,
    normals,
    uniforms,
)


def rotation_(
    tensor: Tensor, max_phase: float = FULL_PHASE, generator: Generator | None = None
) -> Tensor:
    r"""Fill a square tensor with a random rotation, :math:`A = P \Theta P^T`.

    P is Haar-distributed, and :math:`\Theta` turns n // 2 planes by angles uniform on
    (0, max_phase); for odd n one direction stays.

    Parameters
    ----------
    tensor : Tensor, real, shape (n, n)
        Changed in place.
    max_phase : float
        End of the range of the angles, 0 < max_phase <= 2 pi.
    generator : torch.Generator, optional
        Source of randomness; the global one of the CPU if None.

    Returns
    -------
    Tensor
        The same tensor; dtype and device are kept, and no gradient is recorded.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    Computed in float64 and cast: orthogonal to 1e-13 in float64 and 1e-6 in float32, with
    determinant 1. Its energy is 1 at every depth, for every input. O(n^3) on the CPU.

    References
    ----------
    arXiv 2407.07239.

    Examples
    --------
    >>> import torch
    >>> A = rotation_(torch.empty(6, 6, dtype=torch.float64))
    >>> bool((A @ A.T - torch.eye(6)).abs().max() < 1e-13), round(float(torch.linalg.det(A)), 9)
    (True, 1.0)
    """
    matrix = as_square("tensor", as_fillable("tensor", tensor, REAL), REAL)
    phase, source = as_max_phase(max_phase), as_generator(generator)
    n = int(matrix.shape[0])
    basis = _haar(normals((n, n), source))
    angles = phase * uniforms((n // 2,), source)
    return fill_("tensor", matrix, Rotation(basis, angles).matrix)


def _haar(gaussian: FloatArray) -> FloatArray:
    """Return the orthogonal factor of a Gaussian matrix, with the signs that make it uniform."""
    q, r = np.linalg.qr(gaussian)
    basis: FloatArray = q * np.where(np.diag(r) < 0.0, -1.0, 1.0)
    return basis
