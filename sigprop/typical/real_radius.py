r"""Distribution function of the spectral radius for real weights, even and odd widths.

With u = 1 below :math:`\rho = R\sqrt n` and 0 above, the matrices C + R of
`sigprop.typical.real_ginibre` are -D,

.. math:: D_{ij} = \kappa \Big[ a_j(\rho) \int_0^\rho a_i\,dx
          + \int_\rho^\infty a_i a_j\, dy
          + \int_\rho^\infty f_i f_j \Big( S_{2(j-i)+1} - \frac{2j}{r^2} S_{2(j-i)-1} \Big) dr
          \Big],

the first two terms by parts from R, since :math:`b_j = -a_j'`; the mean column of odd n is
cut at :math:`\rho`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.typical.real_ginibre import (
    KAPPA,
    angular_kernels,
    even_functions,
    half_lines_below,
    last_indices,
    log_half_lines,
    log_norms,
)

LARGEST_DETERMINANT = 20000
"""Width beyond which the determinant is too large, and only its smooth part is computed."""

AXIS_WIDTH = 4096
"""Width that the factor of the real axis is taken from beyond."""

_BEYOND = 7.0  # no eigenvalue farther outside than this, in units of r sqrt(n)
_RADIAL_NODES = 64
_BAND = 3.5  # indices below n/2 - 3.5 sqrt(n) - 12 do not matter


def log_radius_cdf_real(n: int, r: float, log_cdf_complex: Callable[[int, float], float]) -> float:
    """Return log P(spectral radius < r) for real weights."""
    if n <= LARGEST_DETERMINANT:
        return _log_determinant(n, r)
    near = AXIS_WIDTH
    distance = (r - 1.0) * math.sqrt(n)
    near_r = 1.0 + distance / math.sqrt(near)
    if near_r <= 0.0:
        return -math.inf
    axis = _log_determinant(near, near_r) - 0.5 * log_cdf_complex(near, near_r)
    return min(0.0, 0.5 * log_cdf_complex(n, r) + axis)


def _log_determinant(n: int, r: float) -> float:
    rho = r * math.sqrt(n)
    if rho == 0.0:
        return -math.inf
    rows, columns = last_indices(n, math.ceil(_BAND * math.sqrt(n)) + 12)
    matrix = -(_on_axis(rho, rows, columns) + _off_axis(rho, rows, columns))
    matrix[np.arange(columns.size), np.arange(columns.size)] += 1.0
    if rows.size > columns.size:
        means = half_lines_below(rho, rows) / math.exp(log_half_lines(rows)[-1])
        matrix = np.concatenate([matrix, means[:, None]], axis=1)
    sign, log_modulus = np.linalg.slogdet(matrix)
    return min(0.0, float(log_modulus)) if sign > 0.0 else -math.inf


def _on_axis(rho: float, rows: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the terms of real eigenvalues."""
    from scipy.special import gammaincc, gammaln

    crossing = half_lines_below(rho, rows)[:, None] * even_functions(np.array([rho]), columns)
    # Both terms depend on i + j only, up to the norms.
    sums = np.arange(rows[0] + columns[0], rows[-1] + columns[-1] + 1.0) if columns.size else rows
    shape = sums + 0.5
    position = (np.arange(rows.size)[:, None] + np.arange(columns.size)).astype(np.intp)
    logs = gammaln(shape)[position] - log_norms(rows)[:, None] - log_norms(columns)
    both = 0.5 * np.exp(logs) * gammaincc(shape, rho * rho)[position]
    return np.asarray(KAPPA * (crossing + both))


def _off_axis(rho: float, rows: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the term of complex pairs, node by node in the radius."""
    nodes, weights = np.polynomial.legendre.leggauss(_RADIAL_NODES)
    r = rho + 0.5 * _BEYOND * (nodes + 1.0)
    densities = even_functions(r, rows) * r[:, None]
    kernels = angular_kernels(r, rows.size)
    total = np.zeros((rows.size, columns.size))
    for q, weight in enumerate(0.5 * _BEYOND * weights):
        # Row a of the window is d = j - i for i = rows[a]; the next window is d - 1.
        windows = np.lib.stride_tricks.sliding_window_view(kernels[q], columns.size)
        here = windows[rows.size : 0 : -1]
        before = windows[rows.size - 1 :: -1]
        kernel = here - (2.0 * columns / r[q] ** 2) * before
        density = densities[q]
        total += (weight * density)[:, None] * density[: columns.size] * kernel
    return KAPPA * total
