r"""Exact second moments of the traces of :math:`A_j = G^j G^{j*}` at integer n.

For fixed N = i + j the sum over double hooks is first taken over :math:`\alpha`
at fixed differences (D, E), where it is a sum of integers, and then against the
rational weights.  n may be negative: conjugate shapes have opposite contents, so
P(-n) gives the moments in which the two traces are joined.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul

from sigprop.theory._trace_weights import corner_product, exact_form, exact_hook_weight


class _Contents:
    """Products of contents: prod_{c=-b}^{a} (n + c) = arm[a] leg[b], and those of two rows."""

    def __init__(self, n: int, boxes: int) -> None:
        self.arm, self.leg = [n], [1]
        for c in range(1, boxes):
            self.arm.append(self.arm[-1] * (n + c))
            self.leg.append(self.leg[-1] * (n - c))
        self.arms = [_pairs(self.arm, D, boxes) for D in range(boxes)]
        self.legs = [_pairs(self.leg, E, boxes) for E in range(boxes)]


def _pairs(products: list[int], difference: int, boxes: int) -> list[int]:
    """Products at (high, low) with high - low = difference, from low = 0 while high < boxes."""
    return [a * b for a, b in zip(products[difference:boxes], products, strict=False)]


def _alpha_sums(contents: _Contents, D: int, E: int, boxes: int) -> tuple[int, int, int, int]:
    r"""Sum 1, alpha^2, alpha beta and beta^2 times the products of contents over alpha."""
    alphas = range(D + 1, boxes - E, 2)
    arms = contents.arms[D][: len(alphas)]
    legs = contents.legs[E][: len(alphas)]
    products = list(map(mul, arms, reversed(legs)))
    one = sum(products)
    linear = sum(map(mul, alphas, products))
    square = sum(map(mul, (alpha * alpha for alpha in alphas), products))
    mixed = boxes * linear - square
    return one, square, mixed, boxes * (boxes * one - linear) - mixed


def _rational_dot(weights: Sequence[Fraction], totals: Iterable[int]) -> Fraction:
    """Sum of weights times integers with one division, at the end."""
    common = math.lcm(*(weight.denominator for weight in weights))
    numerators = (weight.numerator * (common // weight.denominator) for weight in weights)
    return Fraction(sum(map(mul, numerators, totals)), common)


def pair_sums(n: int, total: int, differences: Sequence[int]) -> list[Fraction]:
    r"""Return :math:`P_{ij}(n) = \sum_\lambda w_{ij}(\lambda) \prod_{box}(n + content)`.

    For i + j = total and each j - i in differences (of the parity of the total), so that
    :math:`E[\mathrm{tr} A_i \mathrm{tr} A_j] = P_{ij}(n) + (-1)^{i+j} P_{ij}(-n)` and
    :math:`E[\mathrm{tr} A_i A_j] = P_{ij}(n) - (-1)^{i+j} P_{ij}(-n)`.
    """
    boxes = total + 2
    contents = _Contents(n, boxes)
    hooks = [contents.arm[boxes - 1 - b] * contents.leg[b] for b in range(boxes)]
    weights: list[list[Fraction]] = [[] for _ in differences]
    totals: list[list[int]] = [[] for _ in differences]
    for row, d in enumerate(differences):
        p = (total - d) // 2 + 1
        weights[row] += (exact_hook_weight(boxes - 1 - b, b, p) for b in range(boxes))
        totals[row] += hooks
    for D in range(1, boxes - 2):
        # alpha has the parity of D + 1, beta that of E + 1, and their sum is the boxes.
        for E in range(1 + (boxes - 1 - D) % 2, boxes - 1 - D, 2):
            forms = [exact_form(D, E, d) for d in differences]
            if not any(forms):
                continue
            sums = _alpha_sums(contents, D, E, boxes)
            corners = Fraction(16, corner_product(D, E, boxes))
            for row, form in enumerate(forms):
                if form is not None:
                    weights[row] += (corners * coefficient for coefficient in form)
                    totals[row] += sums
    return [_rational_dot(w, t) for w, t in zip(weights, totals, strict=True)]


def pair_counts(total: int, differences: Sequence[int]) -> list[dict[int, int]]:
    r"""Return the polynomials :math:`2 P_{ij}(n)`, power of n to coefficient, descending.

    The coefficients count pairings: integers from 0 to 2 (i + j)!.  So the digits of
    2 P at n = B, a base above that, are the coefficients.
    """
    bits = (2 * math.factorial(total)).bit_length()
    result = []
    for value in pair_sums(1 << bits, total, differences):
        number = int(2 * value)
        digits = (number >> (bits * power) & ((1 << bits) - 1) for power in range(total + 3))
        result.append({power: c for power, c in enumerate(digits) if c})
    return [dict(sorted(counts.items(), reverse=True)) for counts in result]
