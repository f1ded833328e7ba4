"""Gauss rules for sums over consecutive integers.

The sum over 0, 1, ..., N-1 of a function that is smooth on the scale of N needs
far fewer than N values: the Gauss rule of the counting measure with M nodes is
exact for polynomials of degree 2M - 1.  Its orthogonal polynomials are Gram's
(discrete Chebyshev), with recurrence coefficients
:math:`b_j = j^2 (N^2 - j^2) / (4(4j^2 - 1))` about the centre (N-1)/2.

Sums are taken over lengths of a fixed ladder only, a factor 2^(1/4) apart, so a
rule is computed once per length.
"""

from __future__ import annotations

import functools

import numpy as np

from sigprop._arguments import FloatArray

NODES = 30
DIRECT = 40
_LADDER_TOP = 2.0**54


@functools.cache
def ladder() -> FloatArray:
    """Return the lengths N with a rule: every integer to DIRECT, then a factor 2^(1/4) apart."""
    steps = int(np.ceil(4 * np.log2(_LADDER_TOP / DIRECT)))
    far = np.rint(DIRECT * 2.0 ** (np.arange(1, steps + 1) / 4.0))
    return np.concatenate([np.arange(1.0, DIRECT + 1.0), far])


@functools.lru_cache(maxsize=1024)
def gram_rule(length: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights with sum_i w_i g(x_i) = sum_{s=0}^{length-1} g(s).

    Up to `DIRECT` terms the rule is the sum itself.  Beyond, the nodes are eigenvalues of
    the Jacobi matrix, improved by Newton steps, and the weights are Christoffel numbers.
    """
    if length <= DIRECT:
        return np.arange(length), np.ones(int(length))
    j = np.arange(1.0, NODES + 1.0)
    # In units of N/2, so that nothing overflows for the longest sums.
    off_diagonal = np.sqrt(j * j * (1.0 - (j / length) ** 2) / (4.0 * j * j - 1.0))
    inner = off_diagonal[:-1]
    x = np.linalg.eigvalsh(np.diag(inner, 1) + np.diag(inner, -1))
    for _ in range(2):
        value, slope, _ = _orthonormal(x, off_diagonal)
        x = x - value / slope
    x = 0.5 * (x - x[::-1])
    _, _, squares = _orthonormal(x, off_diagonal)
    weights = 1.0 / squares
    return 0.5 * (length * x + (length - 1.0)), weights * (length / weights.sum())


def _orthonormal(
    x: FloatArray, off_diagonal: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return p_M(x), p_M'(x) and sum_{j < M} p_j(x)^2 by the three-term recurrence."""
    before, value = np.zeros_like(x), np.ones_like(x)
    slope_before, slope = np.zeros_like(x), np.zeros_like(x)
    squares = np.zeros_like(x)
    lower = 0.0
    for upper in off_diagonal:
        squares += value * value
        value, before, slope, slope_before = (
            (x * value - lower * before) / upper,
            value,
            (value + x * slope - lower * slope_before) / upper,
            slope,
        )
        lower = upper
    return value, slope, squares
