"""Formulas of docs/theory_real.md over partitions: products, weights, traces, closed forms.

Every formula without a branch is written with + - * / alone, so that the same line serves
Fractions (a number) and rational functions (an identity).  The partition (p, q, 1^r) has
p >= q >= 1, r >= 0; its corners are 1 (first row), 2 (second row) and 3 (the bottom).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any


def partitions(size: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """All partitions of an integer, parts nonincreasing."""
    if size == 0:
        yield ()
        return
    for part in range(min(size, largest or size), 0, -1):
        for rest in partitions(size - part, part):
            yield (part, *rest)


def shrink(shape: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Rows (from 0) that end in a corner, with what is left when its box is taken away."""
    for row, part in enumerate(shape):
        if row + 1 == len(shape) or shape[row + 1] < part:
            left = (*shape[:row], part - 1, *shape[row + 1 :])
            yield row, tuple(length for length in left if length)


def doubled(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(2 * part for part in shape)


def hook_product(shape: tuple[int, ...]) -> int:
    columns = [sum(part > j for part in shape) for j in range(shape[0] if shape else 0)]
    return math.prod(
        shape[i] - j + columns[j] - i - 1 for i in range(len(shape)) for j in range(shape[i])
    )


def dimension(shape: tuple[int, ...]) -> int:
    """Dimension of the irreducible representation of the symmetric group."""
    return math.factorial(sum(shape)) // hook_product(shape)


def zonal_product(shape: tuple[int, ...], n: Any) -> Any:
    """J_rho(1^n): the product of n + 2(column) - (row) over boxes, both from 0."""
    return math.prod(n + 2 * j - i for i, part in enumerate(shape) for j in range(part))


def three_rows(shape: tuple[int, ...]) -> tuple[int, int, int] | None:
    """(p, q, r) if the shape is (p, q, 1^r) with q >= 1."""
    if len(shape) < 2 or (len(shape) > 2 and shape[2] > 1):
        return None
    return shape[0], shape[1], len(shape) - 2


def transition_weight(smaller: tuple[int, ...], row: int) -> Fraction:
    """Kerov's transition probability of adding a box in `row`, boxes being 2 wide and 1 high.

    prod(x - y) / prod'(x - x') with x the contents where a box can be added and y those of
    the outer corners between them.
    """
    rows = [*smaller, 0]
    addable = {i: 2 * part - i for i, part in enumerate(rows) if i == 0 or rows[i - 1] > part}
    outer = [2 * smaller[i] - i - 1 for i, _ in shrink(smaller)]
    x = addable.pop(row)
    return Fraction(
        math.prod(x - y for y in outer), math.prod(x - other for other in addable.values())
    )


# The transition weights a of the three corners of (p, q, 1^r), r >= 1 for corner 3


def a1(p: Any, q: Any, r: Any) -> Any:
    return 2 * (p - q) * (2 * p + r - 2) / ((2 * p - 2 * q - 1) * (2 * p - 2) * (2 * p + r))


def a2(p: Any, q: Any, r: Any) -> Any:
    return 2 * (p - q + 1) * (2 * q + r - 3) / ((2 * p - 2 * q + 3) * (2 * q - 3) * (2 * q + r - 1))


def a3(p: Any, q: Any, r: Any) -> Any:
    return 2 * (2 * p + r) * (2 * q + r - 1) / ((2 * p + r + 1) * (2 * q + r) * (r + 1))


# The values of the trace T(d): late (d large), and where it jumps


def late1(p: Any, q: Any, r: Any) -> Any:
    gap = (p - q) * (2 * p - 2 * q + 1)
    return (2 * p - 2) * (2 * p - 1) / (gap * (2 * p + r - 2) * (2 * p + r - 1))


def late2(p: Any, q: Any, r: Any) -> Any:
    gap = (p - q + 1) * (2 * p - 2 * q + 1)
    return (2 * q - 2) * (2 * q - 3) / ((2 * q + r - 2) * (2 * q + r - 3) * gap)


def late3(p: Any, q: Any, r: Any) -> Any:
    return 2 * r * (r + 1) / ((2 * p + r - 1) * (2 * p + r) * (2 * q + r - 2) * (2 * q + r - 1))


def jump1(p: Any, q: Any, r: Any) -> Any:
    """T of corner 1 at d = 2q + r."""
    return -(2 * p - 2 * q - 1) * late1(p, q, r) / 2


def jump2(p: Any, q: Any, r: Any) -> Any:
    """T of corner 2 at d = 2q + r - 1."""
    return -(2 * p - 2 * q + 1) * late2(p, q, r) / 2


def jump3(p: Any, q: Any, r: Any) -> Any:
    """T of corner 3 at d = 2q + r - 1."""
    return -r * (r + 1) * (2 * q + r) / (2 * (2 * p + r) * (2 * q + r - 2) * (2 * q + r - 1))


def second_jump3(p: Any, q: Any, r: Any) -> Any:
    """T of corner 3 at d = 2q + r, for p > q."""
    return -jump3(p, q, r) - (2 * p - 2 * q - 1) * late3(p, q, r) / 2


def trace_value(shape: tuple[int, ...], row: int, d: int) -> Fraction:
    """T_{rho mu}(d) by the piecewise constant formula, the corner being that of `row`."""
    m = sum(shape)
    d = min(d, 2 * m - d)
    if len(shape) == 1:
        return Fraction(1)
    hook = three_rows(shape)
    if hook is None:
        return Fraction(0)
    p, q, r = (Fraction(part) for part in hook)
    edge = 2 * hook[1] + hook[2]
    if shape[1:] == (1,) and row == 1:
        return 1 / (p * (2 * p - 1)) if d >= 2 else -1 / (2 * p)
    if row == 0:
        return _steps(d, edge, [jump1(p, q, r), late1(p, q, r)])
    if row == 1 and hook[1] > 1:
        return _steps(d, edge - 1, [jump2(p, q, r), late2(p, q, r)])
    middle = second_jump3(p, q, r) if p > q else -2 * jump3(p, q, r)
    return _steps(d, edge - 1, [jump3(p, q, r), middle, late3(p, q, r)])


def _steps(d: int, start: int, values: list[Any]) -> Any:
    """Zero before `start`, then the values one by one, the last for ever."""
    return values[min(d - start, len(values) - 1)] if d >= start else Fraction(0)


def weight(shape: tuple[int, ...], d: int) -> Fraction:
    """g^(d)_rho: sum over corners of transition weight times trace."""
    return sum(
        (transition_weight(mu, row) * trace_value(shape, row, d) for row, mu in shrink(shape)),
        start=Fraction(0),
    )


# The weights at d = m, term by term


def g1(p: Any, q: Any, r: Any) -> Any:
    gaps = (2 * p - 2 * q + 1) * (2 * p - 2 * q - 1)
    return 2 * (2 * p - 1) / (gaps * (2 * p + r - 1) * (2 * p + r))


def g2(p: Any, q: Any, r: Any) -> Any:
    gaps = (2 * p - 2 * q + 1) * (2 * p - 2 * q + 3)
    return 4 * (q - 1) / (gaps * (2 * q + r - 2) * (2 * q + r - 1))


def g3(p: Any, q: Any, r: Any) -> Any:
    return 4 * r / ((2 * p + r - 1) * (2 * p + r + 1) * (2 * q + r - 2) * (2 * q + r))


def g3_hook(p: Any, r: Any) -> Any:
    """The term of corners 2 and 3 for q = 1: g3 cancelled, right at r = 0 too."""
    return 4 / ((2 * p + r - 1) * (2 * p + r + 1) * (r + 2))


def g_square(q: Any, r: Any) -> Any:
    """What takes the place of g1 for p = q."""
    return 2 * r / ((2 * q + r - 1) * (2 * q + r))


# The certificate


def certificate(p: Any, q: Any, r: Any) -> Any:
    """X(p, q, r) at a node p + q + r = m - 1."""
    m, v, w = p + q + r + 1, 2 * p + r, 2 * q + r
    numerator = (2 * v + 3) * (2 * w + 1) - 1 - 2 * (2 * m + 1) * r
    return numerator / ((4 * m * m - 1) * (v + 2) * (w + 1) * (2 * p - 2 * q + 1))


def relation(p: Any, q: Any, r: Any) -> tuple[Any, Any, Any]:
    """Coefficients of e(p+1,q,r), e(p,q+1,r), e(p,q,r+1) in the relation R(p,q,r) = 0."""
    return 2 * q + r + 1, -(2 * p + r + 2), 2 * p - 2 * q + 1


# Sums


def enumerate_weights(m: int, d: int, n: int) -> Fraction:
    """C(n) as the sum of weight times zonal product over all partitions of m."""
    return sum(
        (weight(shape, d) * zonal_product(shape, n) for shape in partitions(m)),
        start=Fraction(0),
    )


def closed_form(n: int, i: int, j: int) -> Fraction:
    """C_{i,j}(n), i + j even, in O(min(i, j)) terms: Theorem 1 of the page."""
    i, j = min(i, j), max(i, j)
    m, d, gap = (i + j + 2) // 2, i + 1, (j - i) // 2
    a, b, c = [1], [1], [1]
    for t in range(m):
        a.append(a[-1] * (n + 2 * t))
        b.append(b[-1] * (n + 2 * t - 1))
        c.append(c[-1] * (n - t - 2))
    total = Fraction((2 * m + 1) * a[m])
    total += 4 * sum(a[m - q] * b[q] for q in range(1, d // 2 + 1))
    total -= 2 * (n - 1) * sum(a[p] * c[m - 1 - p] for p in range(max(gap, 1), m))
    if gap == 0:
        for ell in range(1, (m - 1) // 2 + 1):
            factor = 4 * (2 * m + 1) * (n - m - 1 + 3 * ell) + 2 * m
            total += factor * a[ell] * b[ell] * c[m - 1 - 2 * ell]
        total += 0 if m % 2 else 4 * m * a[m // 2] * b[m // 2]
    else:
        lines = sum(
            line_factor(n, m, d, ell) * a[ell + gap] * b[ell] * c[d - 1 - 2 * ell]
            for ell in range(1, (d - 1) // 2 + 1)
        )
        lines -= Fraction((n - 1) * a[gap] * c[d - 1] * end_factor(m, d), d)
        lines += 0 if d % 2 else (1 - 2 * gap) * a[m - d // 2] * b[d // 2]
        total += lines / (2 * m - d)
    return total / (4 * m * m - 1)


def line_factor(n: Any, m: Any, d: Any, ell: Any) -> Any:
    """Factor of a_{l+D} b_l d_{d-1-2l} in Y: both lines 2q + r = d and d + 1 together."""
    head = (4 * m + 2) * n - 4 * m * m * (d - 2 * ell)
    return head + 12 * ell * m + 4 * ell - 2 * d * d - 4 * m - d - 2


def end_factor(m: Any, d: Any) -> Any:
    """Factor of -(n-1) a_D d_{d-1} / d in Y: the end of the line 2q + r = d + 1 at q = 1."""
    gap, r = m - d, d - 1
    return 4 * m * m * r + 4 * gap * gap + 4 * gap * r + 4 * gap - 2 + 2 * r * r + 3 * r + 3
