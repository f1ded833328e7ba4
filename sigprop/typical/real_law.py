r"""Laplace transform of the overlap sum for real weights.

A real eigenvalue contributes :math:`v(u) X` with X of the chi-square law with one degree of
freedom, a complex pair :math:`2 v(u) X` with X exponential, so that
:math:`\mathbb{E}\,e^{-sE}` is the determinant of `sigprop.typical.real_ginibre` with

.. math:: u_r = (1 + 2 s v)^{-1/2}, \qquad u_c = (1 + 2 s v)^{-1}.

Away from the real axis the spectrum is that of complex weights, half of it in pairs: the
transform is that of half the complex sum at 2s, times what the real axis changes. That
factor is local to the two ends of the axis, so it settles as the width grows. Beyond
width 4096 it is taken from there.
"""

from __future__ import annotations

import math

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.typical.edge_grid import edge_grid
from sigprop.typical.kostlan import KostlanProduct
from sigprop.typical.laplace import ComplexArray
from sigprop.typical.overlap import log_weight
from sigprop.typical.real_ginibre import (
    KAPPA,
    angular_kernels,
    even_functions,
    half_lines_below,
    last_indices,
)

LARGEST_DETERMINANT = 4096
"""Width beyond which the factor of the real axis is that of this width."""


class RealLaw:
    """The overlap sum of real weights at one width and depth.

    Parameters
    ----------
    n : int
        Width, 2 to 10**9.
    k : int
        Depth, >= sqrt(n) for the grid to hold all that matters.
    """

    def __init__(self, n: int, k: int) -> None:
        if n <= LARGEST_DETERMINANT:
            self.log_laplace = RealDeterminant(n, k).log_laplace
        else:
            self.log_laplace = _Transported(n, k).log_laplace


class _Transported:
    def __init__(self, n: int, k: int) -> None:
        near = LARGEST_DETERMINANT
        depth = round(k * math.sqrt(near / n))
        self._scale = math.sqrt(near / n)  # v falls as 1/sqrt(n) at a distance from the edge
        self._pairs = KostlanProduct(n, k)
        self._near_pairs = KostlanProduct(near, depth)
        self._near_law = RealDeterminant(near, depth)

    def log_laplace(self, s: ComplexArray) -> ComplexArray:
        near = s * self._scale
        axis = self._near_law.log_laplace(near) - 0.5 * self._near_pairs.log_laplace(2.0 * near)
        return np.asarray(0.5 * self._pairs.log_laplace(2.0 * s) + axis)


class RealDeterminant:
    """The determinant itself, of size about 2.1 times the reach of the grid times sqrt(n)/2.

    Parameters
    ----------
    n, k : int
        Width and depth.
    """

    def __init__(self, n: int, k: int) -> None:
        distances = edge_grid(n, k / math.sqrt(n))
        self._step = float(distances[1] - distances[0])
        self._r = math.sqrt(n) + distances
        count = min((n + 1) // 2, math.ceil(-0.85 * distances[0] * math.sqrt(n)))
        self._rows, self._columns = last_indices(n, count)
        self._weight = np.exp(log_weight(self._r**2, n, k))
        self._kernels = angular_kernels(self._r, self._rows.size)
        self._even = even_functions(self._r, self._rows)
        self._below = half_lines_below(self._r[0], self._rows)
        self._plain_integral = self._running_integral(self._even)
        even = self._even[:, : self._columns.size]
        lowered = self._r[:, None] - 2.0 * self._columns / self._r[:, None]
        self._odd = KAPPA * self._step * even * lowered  # b_j, with the weights of the rule

    def log_laplace(self, s: ComplexArray) -> ComplexArray:
        """Return log E exp(-s E), complex128 of the shape (m,) of s; up to 2 pi i."""
        power = 2.0 * s[:, None] * self._weight
        matrices = self._complex_part(-power / (1.0 + power))
        on_axis = 1.0 / np.sqrt(1.0 + power)
        result = np.empty(s.size, dtype=np.complex128)
        for index, (matrix, factor) in enumerate(zip(matrices, on_axis, strict=True)):
            sign, log_modulus = np.linalg.slogdet(self._with_axis(matrix, factor))
            result[index] = log_modulus + 1j * np.angle(sign)
        return result

    def _complex_part(self, change: ComplexArray) -> ComplexArray:
        """Return C for every row u_c - 1 of ``change``, one matrix row at a time."""
        rows, columns = self._rows.size, self._columns.size
        half_density = self._even * self._r[:, None]  # f_i
        steps = KAPPA * self._step * half_density
        lowering = 2.0 * self._columns / (self._r**2)[:, None]
        both = np.concatenate([change.real, change.imag])
        matrices = np.empty((len(change), rows, columns), dtype=np.complex128)
        for a in range(rows):
            start = rows - a  # of j - i = 0 at the first column
            kernel = self._kernels[:, start : start + columns]
            kernel = kernel - lowering * self._kernels[:, start - 1 : start - 1 + columns]
            integrand = kernel * half_density[:, :columns] * steps[:, a : a + 1]
            product = both @ integrand
            matrices[:, a, :] = product[: len(change)] + 1j * product[len(change) :]
        return matrices

    def _with_axis(self, matrix: ComplexArray, factor: ComplexArray) -> ComplexArray:
        """Return 1 + C + R, with the column of means at odd n."""
        columns = self._columns.size
        running = self._running_integral(self._even * factor[:, None])
        inner = running * factor[:, None] - self._plain_integral
        matrix = matrix + inner.real.T @ self._odd + 1j * (inner.imag.T @ self._odd)
        matrix[np.arange(columns), np.arange(columns)] += 1.0
        if columns == self._rows.size:
            return matrix
        means = running[-1] / self._plain_integral[-1, -1]
        return np.concatenate([matrix, means[:, None]], axis=1)

    def _running_integral(self, values: ComplexArray | FloatArray) -> ComplexArray:
        """Return the integrals from 0 to every node: trapezoids with their end correction."""
        rises = np.empty_like(values)  # slopes times 2 step
        rises[1:-1] = values[2:] - values[:-2]
        rises[0], rises[-1] = 2.0 * (values[1] - values[0]), 2.0 * (values[-1] - values[-2])
        total = np.cumsum(values, axis=0) - 0.5 * (values + values[0])
        total -= (rises - rises[0]) / 24.0
        return np.asarray(self._step * total + self._below)
