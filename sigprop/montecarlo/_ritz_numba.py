"""Compiled kernels: the two inner loops that NumPy and LAPACK run slowly at these sizes.

Same functions as `_ritz_numpy`. Importing this module needs numba (the ``fast`` extra).
Everything that is compiled lives in this file, so that the machine code numba keeps on disk
is renewed with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from sigprop.montecarlo import _ritz_numpy

FloatArray = npt.NDArray[np.float64]
ComplexArray = npt.NDArray[np.complex128]
Array = npt.NDArray[Any]
_Function = TypeVar("_Function", bound=Callable[..., Any])

_REORDER = {"reassoc", "contract", "nsz"}
"""Sums may be reordered; infinities and nan keep their meaning."""

_MOST_SWEEPS = 30
_ROUNDING = 2.0**-52
_COMPILED_FROM_REAL_SIZE = 64


def _compiled(function: _Function) -> _Function:
    """Compile at the first call, keeping the code on disk where there is a folder for it."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": _REORDER}
    try:
        return cast(_Function, numba.njit(cache=True, **options)(function))
    except RuntimeError:  # no folder that can be written
        return cast(_Function, numba.njit(**options)(function))


def eigenvalues(blocks: Array) -> ComplexArray:
    """Return the eigenvalues of upper Hessenberg blocks (N, K, K), shape (N, K).

    Two to four times faster than LAPACK for complex blocks of K = 16 to 73, and in one
    thread. Real blocks below K = 64, where LAPACK is as fast and does not take threads
    either, and blocks on which the iteration stalls go to LAPACK.
    """
    if not np.iscomplexobj(blocks) and blocks.shape[1] < _COMPILED_FROM_REAL_SIZE:
        return _ritz_numpy.eigenvalues(blocks)
    values = np.empty(blocks.shape[:2], dtype=np.complex128)
    work = blocks.astype(np.complex128)
    for index in range(len(blocks)):
        if not _hessenberg_eigenvalues(work[index], values[index]):
            values[index] = _ritz_numpy.eigenvalues(blocks[index : index + 1])[0]
    return values


def log_energy_paths(matrices: FloatArray, depth: int) -> FloatArray:
    """Return log ||H^t e_0||^2 for t = 0..depth, shape (N, depth + 1)."""
    samples, planes, rows, _ = matrices.shape
    path = np.zeros((samples, depth + 1))
    for matrix, row in zip(matrices, path, strict=True):
        state = np.zeros((2, planes, rows))
        if planes == 2:
            _complex_path(matrix[0], matrix[1], state, row)
        else:
            _real_path(matrix[0], state, row)
    return path


@_compiled
def _hessenberg_eigenvalues(H: ComplexArray, values: ComplexArray) -> bool:
    """Fill ``values`` by the QR iteration with Wilkinson's shift; H is destroyed.

    Return False if a value takes more than 30 sweeps.
    """
    last = H.shape[0] - 1
    sweeps = 0
    while last >= 0:
        first = last
        while first > 0:
            size = abs(H[first - 1, first - 1]) + abs(H[first, first])
            if abs(H[first, first - 1]) <= _ROUNDING * size:
                break
            first -= 1
        if first == last:
            values[last] = H[last, last]
            last -= 1
            sweeps = 0
            continue
        sweeps += 1
        if sweeps > _MOST_SWEEPS:
            return False
        if sweeps % 10 == 0:  # break a cycle
            shift = H[last, last] + abs(H[last, last - 1])
        else:
            shift = _wilkinson_shift(H[last - 1 : last + 1, last - 1 : last + 1])
        for i in range(first, last + 1):
            H[i, i] -= shift
        _qr_sweep(H[first : last + 1, first : last + 1])
        for i in range(first, last + 1):
            H[i, i] += shift
    return True


@_compiled
def _wilkinson_shift(corner: ComplexArray) -> complex:
    """Return the eigenvalue of the 2 x 2 corner that is closer to its last entry."""
    half = 0.5 * (corner[0, 0] - corner[1, 1])
    product = corner[0, 1] * corner[1, 0]
    root = np.sqrt(half * half + product)
    if half.real * root.real + half.imag * root.imag < 0.0:
        root = -root
    divisor = half + root
    shift: complex = corner[1, 1]
    if divisor != 0.0:
        shift -= product / divisor
    return shift


@_compiled
def _qr_sweep(H: ComplexArray) -> None:
    """Replace H = QR by RQ, Q a product of rotations of neighbouring coordinates."""
    rotations = H.shape[0] - 1
    cosines = np.empty(rotations)
    sines = np.empty(rotations, dtype=np.complex128)
    for i in range(rotations):
        upper, lower = H[i, i], H[i + 1, i]
        modulus = abs(upper)
        norm = math.hypot(modulus, abs(lower))
        phase = upper / modulus if modulus > 0.0 else complex(1.0)
        cosines[i] = modulus / norm
        sines[i] = phase * lower.conjugate() / norm
        H[i, i] = phase * norm
        H[i + 1, i] = 0.0
        _rotate(H[i, i + 1 :], H[i + 1, i + 1 :], cosines[i], sines[i])
    for i in range(rotations):
        _rotate(H[: i + 2, i], H[: i + 2, i + 1], cosines[i], sines[i].conjugate())


@_compiled
def _rotate(x: ComplexArray, y: ComplexArray, cosine: float, sine: complex) -> None:
    """Replace (x, y) by (c x + s y, c y - conj(s) x)."""
    conjugate = sine.conjugate()
    for j in range(len(x)):
        upper, lower = x[j], y[j]
        x[j] = cosine * upper + sine * lower
        y[j] = cosine * lower - conjugate * upper


# Below, inner loops run over slices from 0 and keep real and imaginary parts apart: only then
# does the compiler use vector instructions.


@_compiled
def _complex_path(real: FloatArray, imag: FloatArray, work: FloatArray, path: FloatArray) -> None:
    """Fill ``path`` from H = real + i imag; ``work`` (2, 2, rows) holds state and image."""
    rows, columns = real.shape
    state_re, state_im = work[0, 0], work[0, 1]
    image_re, image_im = work[1, 0], work[1, 1]
    state_re[0] = 1.0
    for t in range(len(path) - 1):
        seen, reached = min(t + 1, columns), min(t + 2, rows)
        energy = 0.0
        for i in range(reached):
            first = max(i - 1, 0)
            row_re, row_im = real[i, first:seen], imag[i, first:seen]
            part_re, part_im = state_re[first:seen], state_im[first:seen]
            sum_re = 0.0
            sum_im = 0.0
            for j in range(len(row_re)):
                sum_re += row_re[j] * part_re[j] - row_im[j] * part_im[j]
                sum_im += row_re[j] * part_im[j] + row_im[j] * part_re[j]
            image_re[i] = sum_re
            image_im[i] = sum_im
            energy += sum_re * sum_re + sum_im * sum_im
        scale = 1.0 / math.sqrt(energy)
        for i in range(reached):
            state_re[i] = scale * image_re[i]
            state_im[i] = scale * image_im[i]
        path[t + 1] = path[t] + math.log(energy)


@_compiled
def _real_path(matrix: FloatArray, work: FloatArray, path: FloatArray) -> None:
    """Fill ``path`` from real H; ``work`` (2, 1, rows) holds state and image."""
    rows, columns = matrix.shape
    state, image = work[0, 0], work[1, 0]
    state[0] = 1.0
    for t in range(len(path) - 1):
        seen, reached = min(t + 1, columns), min(t + 2, rows)
        energy = 0.0
        for i in range(reached):
            first = max(i - 1, 0)
            row, part = matrix[i, first:seen], state[first:seen]
            total = 0.0
            for j in range(len(row)):
                total += row[j] * part[j]
            image[i] = total
            energy += total * total
        scale = 1.0 / math.sqrt(energy)
        for i in range(reached):
            state[i] = scale * image[i]
        path[t + 1] = path[t] + math.log(energy)
