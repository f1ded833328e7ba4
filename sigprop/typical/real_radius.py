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
from functools import lru_cache

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

_LEAST_FACTOR = 1e-10  # rounding errors of 1 - D, some 1e-16, are small against its last entry
_CERTAIN = 40.0  # beyond the edge by so much no eigenvalue is found, up to exp(-1600)
_OUTWARD = 4.5  # no eigenvalue beyond the edge by more, up to exp(-40)
_LEAST_LENGTH = 2.5  # of the radial integral, from beyond the edge
_NODES_PER_LENGTH = 8.0
_BAND, _BAND_EXTRA = 3.5, 12  # indices whose distance in sqrt(n) is larger do not matter


def log_radius_cdf_real(n: int, r: float, log_cdf_complex: Callable[[int, float], float]) -> float:
    """Return log P(spectral radius < r) for real weights, increasing from -inf to 0.

    Below `lowest_radius`, and beyond n = 20000, half the logarithm of the complex law plus
    the factor of the real axis: there that of the lowest radius, here that of n = 4096.
    """
    if n == 1:
        return math.log(math.erf(r * math.sqrt(0.5))) if r > 0.0 else -math.inf
    distance = (r - 1.0) * math.sqrt(n)
    if distance > _CERTAIN:
        return 0.0
    if n <= LARGEST_DETERMINANT:
        near, near_r = n, r
    else:
        near, near_r = AXIS_WIDTH, 1.0 + distance / math.sqrt(AXIS_WIDTH)
    inner = max(near_r, lowest_radius(near))
    if near == n and inner == r:
        return _log_determinant(n, r)
    axis = _log_axis_factor(near, inner, log_cdf_complex)
    return min(0.0, 0.5 * log_cdf_complex(n, r) + axis)


@lru_cache(maxsize=64)
def _log_axis_factor(n: int, r: float, log_cdf_complex: Callable[[int, float], float]) -> float:
    """Return the logarithm of the factor by which the real axis changes half the complex law."""
    return _log_determinant(n, r) - 0.5 * log_cdf_complex(n, r)


@lru_cache(maxsize=64)
def lowest_radius(n: int) -> float:
    r"""Return the radius down to which the determinant keeps its digits, :math:`n \ge 2`.

    There :math:`P(\Gamma_n < n r^2)`, about the least eigenvalue of 1 - D, is 1e-10.

    Examples
    --------
    >>> round(lowest_radius(2), 5), round(lowest_radius(1000), 5)
    (0.00266, 0.901)
    """
    from scipy.special import gammaincinv

    return math.sqrt(float(gammaincinv(n, _LEAST_FACTOR)) / n)


def _log_determinant(n: int, r: float) -> float:
    rho = r * math.sqrt(n)
    # In whole steps, so that one window serves all radii where the law lives.
    inward = max(0, math.ceil(math.sqrt(n) - rho - 1.0))
    rows, columns = last_indices(n, math.ceil((_BAND + inward) * math.sqrt(n)) + _BAND_EXTRA)
    matrix = -(_on_axis(rho, rows, columns) + _off_axis(n, rho, rows, columns))
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


def _off_axis(n: int, rho: float, rows: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the term of complex pairs, row by row."""
    length = max(math.sqrt(n) + _OUTWARD - rho, _LEAST_LENGTH)
    nodes, weights = np.polynomial.legendre.leggauss(math.ceil(_NODES_PER_LENGTH * length) + 8)
    r = rho + 0.5 * length * (nodes + 1.0)
    densities = even_functions(r, rows) * r[:, None]
    weighted = (KAPPA * 0.5 * length * weights)[:, None] * densities
    lowered = weighted / (r * r)[:, None]
    kernels = angular_kernels(r, rows.size)
    density = densities[:, : columns.size]
    total = np.empty((rows.size, columns.size))
    for a in range(rows.size):
        start = rows.size - a  # of j - i = 0 at the first column
        here = kernels[:, start : start + columns.size] * density
        before = kernels[:, start - 1 : start - 1 + columns.size] * density
        total[a] = weighted[:, a] @ here - 2.0 * columns * (lowered[:, a] @ before)
    return total
