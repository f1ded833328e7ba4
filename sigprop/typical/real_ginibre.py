r"""Radial products over the spectrum of a real Gaussian matrix, as determinants.

For real n x n Gaussian W with eigenvalues :math:`\lambda`, :math:`r = \sqrt n |\lambda|`, the
mean of :math:`\prod u(r_i)` is a Pfaffian in the polynomials :math:`x^{2i}` and
:math:`x^{2j+1} - 2j x^{2j-1}`, skew-orthogonal for u = 1. Rotation by a half turn leaves
only pairs of opposite parity, so it is the determinant of 1 + C + R, indices
0 <= i, j < n/2, with

.. math:: C_{ij} = \kappa \int_0^\infty (u_c(r) - 1) f_i f_j \Big[ S_{2(j-i)+1}(r)
          - \frac{2j}{r^2} S_{2(j-i)-1}(r) \Big] dr, \qquad
          S_m(r) = \int_0^\pi \sin(m\theta)\, \mathrm{erfcx}(\sqrt2\, r \sin\theta)\, d\theta,

.. math:: R_{ij} = \kappa \int_0^\infty \!\! dy\, u_r(y) b_j(y) \int_0^y u_r(x) a_i(x)\, dx
          \;-\; \text{(the same with } u = 1),

.. math:: a_i = \frac{x^{2i} e^{-x^2/2}}{\sqrt{(2i)!}}, \quad
          b_j = \Big(x - \frac{2j}{x}\Big) a_j, \quad f_i = x a_i, \quad
          \kappa = \frac{4}{2\sqrt{2\pi}};

:math:`u_r` acts on real eigenvalues, :math:`u_c` on complex pairs. At odd n there is one
more even polynomial, i = m = (n-1)/2, and one more column, the means of the even ones,

.. math:: \beta_i = \int_0^\infty u_r\, a_i\, dx \Big/ \int_0^\infty a_m\, dx.

Only the last O(sqrt n) indices matter when u = 1 well inside the disc.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sigprop._arguments import FloatArray

KAPPA = 4.0 / (2.0 * math.sqrt(2.0 * math.pi))
"""The factor of C and R."""


def last_indices(n: int, count: int) -> tuple[FloatArray, FloatArray]:
    """Return the last ``count`` row indices i and the column indices j, as floats.

    At even n both end at n/2 - 1; at odd n the rows go one further, to (n-1)/2.
    """
    rows = np.arange(max(0, (n + 1) // 2 - count), (n + 1) // 2, dtype=np.float64)
    return rows, rows if n % 2 == 0 else rows[:-1]


def log_norms(indices: FloatArray) -> FloatArray:
    """Return log sqrt((2i)!)."""
    from scipy.special import gammaln

    return np.asarray(0.5 * gammaln(2.0 * indices + 1.0))


def even_functions(r: FloatArray, indices: FloatArray) -> FloatArray:
    """Return a_i(r), shape (len(r), len(indices))."""
    logs = 2.0 * np.log(r)[:, None] * indices - 0.5 * (r * r)[:, None] - log_norms(indices)
    return np.asarray(np.exp(logs))


def log_half_lines(indices: FloatArray) -> FloatArray:
    r"""Return :math:`\log \int_0^\infty a_i\,dx`."""
    from scipy.special import gammaln

    shape = indices + 0.5
    return np.asarray((indices - 0.5) * math.log(2.0) + gammaln(shape) - log_norms(indices))


def half_lines_below(end: float, indices: FloatArray) -> FloatArray:
    r"""Return :math:`\int_0^{end} a_i\,dx`."""
    from scipy.special import gammainc

    return np.asarray(np.exp(log_half_lines(indices)) * gammainc(indices + 0.5, 0.5 * end * end))


def angular_kernels(r: FloatArray, count: int) -> FloatArray:
    """Return S_{2d+1}(r) for d = -count..count-1, shape (len(r), 2 count); odd in 2d+1."""
    from scipy.special import erfcx

    sines, measure, harmonics = _angular_rule(count)
    profile = erfcx(math.sqrt(2.0) * r[:, None] * sines) * measure
    positive = profile @ harmonics
    return np.concatenate([-positive[:, ::-1], positive], axis=1)


@lru_cache(maxsize=4)
def _angular_rule(count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return sin(theta) and weights of nodes, and 2 sin((2d+1) theta), d < count, at them."""
    # theta = (pi/2) t^2 gathers the nodes at theta = 0, where erfcx falls within 1/r.
    t, weights = _unit_interval(25 + count // 2)
    theta = 0.5 * np.pi * t * t
    odd = np.arange(1, 2 * count, 2)
    return np.sin(theta), np.pi * t * weights, 2.0 * np.sin(theta[:, None] * odd)


def _unit_interval(panels: int) -> tuple[FloatArray, FloatArray]:
    """Return 16 Gauss-Legendre nodes and weights on each of equal panels of [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    starts = np.arange(panels)[:, None]
    return ((starts + 0.5 * (nodes + 1.0)) / panels).ravel(), np.tile(
        0.5 * weights / panels, panels
    )
