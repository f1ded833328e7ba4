r"""Laplace transform of the overlap sum for complex weights, by Kostlan's theorem.

The :math:`n|\lambda_i|^2` of a complex Gaussian matrix are together as independent
Gamma(j), j = 1..n, so that

.. math:: \mathbb{E}\,e^{-sE} = \prod_{j=1}^n \int_0^\infty
          \frac{u^{j-1} e^{-u}}{(j-1)!} \, \frac{du}{1 + s\,v(u)}.
"""

from __future__ import annotations

import math

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.typical.edge_grid import edge_grid
from sigprop.typical.laplace import ComplexArray
from sigprop.typical.overlap import log_weight

_MOST_FACTORS = 1500
_QUADRATURE_NODES = 200


class KostlanProduct:
    """The overlap sum of complex weights at one width and depth.

    Parameters
    ----------
    n : int
        Width, 2 to 10**9.
    k : int
        Depth, >= sqrt(n) for the grid to hold all that matters.

    Notes
    -----
    One radial grid serves all factors. Of these the last 13 sqrt(n) matter; where they are
    more than 1500, the sum of their logarithms is an integral over j (midpoint form,
    relative error of order 1/n).
    """

    def __init__(self, n: int, k: int) -> None:
        distances = edge_grid(n, k / math.sqrt(n))
        u = (math.sqrt(n) + distances) ** 2
        indices, self._multiplicity = _factors(n, -distances[0])
        # Densities of r = sqrt(u), relative to the edge r = sqrt(n): nothing large is left.
        logs = (indices[:, None] - 0.5) * np.log(u / n) - (u - n)
        densities = np.exp(logs - logs.max(axis=1, keepdims=True))
        self._densities = densities / densities.sum(axis=1, keepdims=True)
        self._weight = np.exp(log_weight(u, n, k))

    def mean(self) -> float:
        """Return the mean of the sum, Q_{n,k} up to what lies beyond the grid."""
        return float(self._multiplicity @ (self._densities @ self._weight))

    def log_laplace(self, s: ComplexArray) -> ComplexArray:
        """Return log E exp(-s E), complex128 of the shape (m,) of s."""
        survival = 1.0 / (1.0 + self._weight[:, None] * s[None, :])
        return np.asarray(self._multiplicity @ np.log(self._densities @ survival))


def _factors(n: int, reach: float) -> tuple[FloatArray, FloatArray]:
    """Return the j that matter and how many factors each stands for."""
    first = max(1, math.floor(n - 1.86 * reach * math.sqrt(n)))
    if n - first < _MOST_FACTORS:
        indices = np.arange(first, n + 1, dtype=np.float64)
        return indices, np.ones(indices.size)
    nodes, weights = np.polynomial.legendre.leggauss(_QUADRATURE_NODES)
    half = 0.5 * (n + 1.0 - first)
    return first - 0.5 + half * (nodes + 1.0), half * weights
