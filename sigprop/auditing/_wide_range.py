"""Powers of a matrix with a power of two for every entry: no entry underflows.

For the rare matrices whose dominant part dies out, such as a large nilpotent block beside a
small one that is not.  A product takes O(n^3) elementary array operations, no BLAS.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sigprop.auditing.tensors import Matrix

_ZERO = -(2**40)  # exponent of an entry 0, below every other one
_FORGOTTEN = -1000  # a term so many binary orders below the largest does not count


class Wide(NamedTuple):
    """The matrix of entries ``mantissas * 2**exponents``."""

    mantissas: Matrix
    exponents: npt.NDArray[np.int64]


def from_matrix(W: Matrix) -> Wide:
    """Return the same matrix, exactly."""
    return _normalised(W, np.zeros(W.shape, dtype=np.int64))


def multiply(left: Wide, right: Wide) -> Wide:
    """Return the product, one row at a time."""
    mantissas = np.empty_like(left.mantissas)
    exponents = np.empty_like(left.exponents)
    for row in range(len(left.mantissas)):
        orders = left.exponents[row, :, np.newaxis] + right.exponents
        top = np.maximum(orders.max(axis=0), _ZERO)
        factors = np.exp2(np.maximum(orders - top, _FORGOTTEN))
        terms = left.mantissas[row, :, np.newaxis] * right.mantissas
        mantissas[row] = (terms * factors).sum(axis=0)
        exponents[row] = top
    return _normalised(mantissas, exponents)


def log_energy(power: Wide) -> float:
    """Return the logarithm of the mean energy per unit, ``-inf`` for the zero matrix."""
    top = int(power.exponents.max())
    if top <= _ZERO:
        return -math.inf
    factors = np.exp2(np.maximum(power.exponents - top, _FORGOTTEN // 2))
    total = float(np.sum(np.abs(power.mantissas * factors) ** 2))
    return math.log(total / len(power.mantissas)) + 2 * top * math.log(2.0)


def _normalised(mantissas: Matrix, exponents: npt.NDArray[np.int64]) -> Wide:
    """Bring every entry's larger part to [1/2, 1)."""
    parts = np.ascontiguousarray(mantissas).view(np.float64).reshape(*mantissas.shape, -1)
    sizes = np.abs(parts).max(axis=-1)
    shifts = np.frexp(sizes)[1]
    scaled = np.ldexp(parts, -shifts[..., np.newaxis]).view(mantissas.dtype)[..., 0]
    return Wide(scaled, np.where(sizes > 0.0, exponents + shifts, _ZERO))
