r"""Weights of the second-moment expansion over hooks and double hooks.

With :math:`A_j = G^j G^{j*}`, G a complex Gaussian matrix of unit variance, and
:math:`N = i + j`,

.. math:: E[\mathrm{tr} A_i\, \mathrm{tr} A_j] + E[\mathrm{tr} A_i A_j]
   = 2 \sum_\lambda w_{ij}(\lambda) \prod_{box} (n + content),

over the hooks :math:`(a|b)` and the double hooks :math:`(a_1,a_2|b_1,b_2)` with
N + 2 boxes (Frobenius coordinates).  All weights are >= 0 and their sum is 1/2.

A double hook is described by the differences :math:`D = a_1 - a_2`,
:math:`E = b_1 - b_2` and the sums :math:`\alpha = a_1 + a_2 + 1`,
:math:`\beta = b_1 + b_2 + 1`, :math:`\alpha + \beta = N + 2`.  Times the product

.. math:: H = \frac{(s^2 - (D+E)^2)(s^2 - (D-E)^2)}{16}, \qquad s = N + 2,

of its four corner hook lengths, its weight is a quadratic form in
:math:`(\alpha, \beta)` whose coefficients depend only on D, E and
:math:`x = |j - i|/2`.  The plane of (D, E) falls into regions by the triangle
inequality between D/2, E/2 and x.

That the expansion runs over hooks and double hooks only is proved.  The weights
are verified over long ranges, not proved for every N.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sigprop._arguments import FloatArray


class QuadraticForm(NamedTuple):
    r"""Coefficients of :math:`one + aa\,\alpha^2 + ab\,\alpha\beta + bb\,\beta^2`."""

    one: Any
    aa: Any
    ab: Any
    bb: Any


# The region formulas divide, so they are called with Fractions (exact) or float arrays;
# D**0 is the number 1 of the same kind.


def _far_edge(D: Any, E: Any, x: Any) -> QuadraticForm:
    """Region x = (D+E)/2."""
    return QuadraticForm(
        one=D * E / 4 - D * D * (D + 1) / (8 * (D + 2)) - E * (E + 1) / 8,
        aa=D * D / (8 * (D + 1) * (D + 2)),
        ab=D * E / (4 * (D + 1) * (E + 1)),
        bb=E / (8 * (E + 1)),
    )


class MiddleForms(NamedTuple):
    """Parts of the form in the middle region: constant + (E/2 - x)^2 offset + x^2 square."""

    constant: QuadraticForm
    offset: QuadraticForm
    square: QuadraticForm


def middle_forms(D: Any, E: Any) -> MiddleForms:
    """Region |D-E|/2 < x < (D+E)/2; it has D, E >= 2, and x = E/2 whenever D = 2."""
    zero = 0 * D
    arms, legs = D * D - 1, E * E - 1
    # At D = 2 the offset is 0 and its part is absent: any divisor but 0 will do.
    pole = D * D - 4 + (D == 2)
    return MiddleForms(
        constant=QuadraticForm(
            one=zero,
            aa=1 / (4 * arms),
            ab=(arms + legs) / (4 * arms * legs),
            bb=1 / (4 * legs),
        ),
        offset=QuadraticForm(one=-2 / pole, aa=6 / (arms * pole), ab=zero, bb=zero),
        square=QuadraticForm(one=zero, aa=zero, ab=1 / (arms * legs), bb=zero),
    )


def _middle(D: Any, E: Any, x: Any) -> QuadraticForm:
    parts = middle_forms(D, E)
    offset = (E / 2 - x) ** 2
    return QuadraticForm(
        *(
            constant + offset * by_offset + x * x * by_square
            for constant, by_offset, by_square in zip(*parts, strict=True)
        )
    )


def _near_edge_arms(D: Any, E: Any, x: Any) -> QuadraticForm:
    """Region x = (D-E)/2, D > E, D > 2."""
    return QuadraticForm(
        one=-(D - 1) * (D * D - 8 * E) / (8 * (D - 2))
        - 2 * E * E / (D * D - 4)
        - E * (E + 1) / 8
        - D * E / 4,
        aa=(D * D - 8 * E) / (8 * (D - 1) * (D - 2)) + 6 * E * E / ((D * D - 1) * (D * D - 4)),
        ab=D * E / (4 * (D - 1) * (E + 1)),
        bb=E / (8 * (E + 1)),
    )


def _near_edge_two_one(D: Any, E: Any, x: Any) -> QuadraticForm:
    """Region x = 1/2, D = 2, E = 1: the limit D -> 2 of the region x = (D-E)/2."""
    one = D**0
    return QuadraticForm(one=-5 * one / 8, aa=5 * one / 24, ab=one / 4, bb=one / 16)


def _near_edge_legs(D: Any, E: Any, x: Any) -> QuadraticForm:
    """Region x = (E-D)/2, E > D."""
    return QuadraticForm(
        one=-D * D * (D + 1) / (8 * (D + 2)) - E * (E - 1) / 8 - D * E / 4,
        aa=D * D / (8 * (D + 1) * (D + 2)),
        ab=D * E / (4 * (D + 1) * (E - 1)),
        bb=E / (8 * (E - 1)),
    )


def _diagonal(D: Any, E: Any, x: Any) -> QuadraticForm:
    """Region x = 0, D = E."""
    quarter = D**0 / 4
    return QuadraticForm(
        one=D * (D + 1) / (D + 2) - D * D,
        aa=quarter - D / ((D + 1) * (D + 2)),
        ab=quarter * (2 - (D == 1)),
        bb=quarter,
    )


def inside_form(D: Any, E: Any) -> QuadraticForm:
    """Region x < (D-E)/2, where the weight does not depend on x."""
    zero = 0 * D
    return QuadraticForm(
        one=-2 * E * E / (D * D - 4),
        aa=6 * E * E / ((D * D - 1) * (D * D - 4)),
        ab=zero,
        bb=zero,
    )


_Test = Callable[[Any, Any, Any], Any]

# (D, E, d) -> whether the region holds it, d = |j - i| = 2x.  No weight anywhere else.
_EDGES: tuple[tuple[_Test, Callable[[Any, Any, Any], QuadraticForm]], ...] = (
    (lambda D, E, d: d == D + E, _far_edge),
    (lambda D, E, d: (d == D - E) & (d > 0) & (D > 2), _near_edge_arms),
    (lambda D, E, d: (d == D - E) & (d > 0) & (D == 2), _near_edge_two_one),
    (lambda D, E, d: (d == E - D) & (d > 0), _near_edge_legs),
    (lambda D, E, d: (d == 0) & (D == E), _diagonal),
)


def in_middle(D: Any, E: Any, d: int) -> Any:
    """Tell whether (D, E) is in the middle region at d = |j - i|."""
    return (abs(D - E) < d) & (d < D + E)


def is_inside(D: Any, E: Any, d: int) -> Any:
    """Tell whether (D, E) is in the inner region at d = |j - i|."""
    return d < D - E


def _hook_one_pair(a: Any, b: Any, p: Any) -> Any:
    """Weight at i = j = 0: the hook (1|0) alone."""
    return a / 2


def _hook_long_arm(a: Any, b: Any, p: Any) -> Any:
    """Weight where the leg is shorter than p and than the arm."""
    return (a + b - 1) / ((a + b + 1) * a * (a - 1))


def _hook_inner(a: Any, b: Any, p: Any) -> Any:
    """Weight where neither arm nor leg is shorter than p."""
    # At a = 1 the first numerator is 0 and its term is absent: any divisor but 0 will do.
    two_off_the_arm = (a - p) ** 2 / (a * (a - 1) + (a == 1))
    one_off_each = ((a - p) * (a - p + 1) + (b + p) * (b + p - 1)) / (2 * a * b)
    return (two_off_the_arm + one_off_each) / ((a + b) ** 2 - 1)


_HOOKS: tuple[tuple[_Test, Callable[[Any, Any, Any], Any]], ...] = (
    (lambda a, b, p: (a == 1) & (b == 0), _hook_one_pair),
    (lambda a, b, p: (b < p) & (b < a) & (a > 1), _hook_long_arm),
    (lambda a, b, p: (p <= a) & (p <= b), _hook_inner),
)


def exact_form(D: int, E: int, d: int) -> QuadraticForm | None:
    """Return the quadratic form of one (D, E) at d = |j - i| in Fractions, None if it is 0."""
    arms, legs, x = Fraction(D), Fraction(E), Fraction(d, 2)
    if in_middle(D, E, d):
        return _middle(arms, legs, x)
    if is_inside(D, E, d):
        return inside_form(arms, legs)
    for holds, formula in _EDGES:
        if holds(D, E, d):
            return formula(arms, legs, x)
    return None


def edge_forms(D: FloatArray, E: FloatArray, d: FloatArray) -> QuadraticForm:
    """Return the quadratic forms on the edges d = D + E and d = |D - E| of the regions."""
    result = QuadraticForm(*(np.zeros(D.shape) for _ in range(4)))
    for holds, formula in _EDGES:
        held = holds(D, E, d)
        form = formula(D[held], E[held], 0.5 * d[held])
        for target, values in zip(result, form, strict=True):
            target[held] = values
    return result


def corner_product(D: Any, E: Any, boxes: int) -> Any:
    """Return 16 H for double hooks of that many boxes."""
    square = boxes * boxes
    return (square - (D + E) ** 2) * (square - (D - E) ** 2)


def exact_hook_weight(a: int, b: int, p: int) -> Fraction:
    """Return the weight of the hook (a|b) at p = min(i, j) + 1, where a + b = i + j + 1."""
    for holds, formula in _HOOKS:
        if holds(a, b, p):
            weight: Fraction = formula(Fraction(a), Fraction(b), Fraction(p))
            return weight
    return Fraction(0)


def float_hook_weights(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
    """Return the weights of hooks on arrays of one shape."""
    result = np.zeros(a.shape)
    for holds, formula in _HOOKS:
        inside = holds(a, b, p)
        result[inside] = formula(a[inside], b[inside], p[inside])
    return result
