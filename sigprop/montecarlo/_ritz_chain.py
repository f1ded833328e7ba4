"""The chain (q, h) of Ritz importance sampling: left vector, subdiagonal, weight, selection.

Row vector q with q H_K = lam q in Krylov coordinates: q_0 = 1,
q_{j+1} = (lam q_j - s_j)/h_j, s_j = sum_{i<=j} q_i H_ij, h_j = H_{j+1,j}. Arrays hold the
step j on the first axis and one chain per column.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop.montecarlo._ritz_proposal import (
    PAIR,
    REAL,
    RitzPlan,
    RitzValues,
    draw_first_squares,
    draw_ritz_values,
)
from sigprop.montecarlo._ritz_ratio import ChainSums, log_chain_ratio
from sigprop.montecarlo._ritz_vectors import abs_square, log_sum_exp

FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Chain:
    """Chains with their Ritz values, one per column."""

    square: FloatArray  # |lam|^2, shape (N,)
    value: Array  # lam, shape (N,)
    coordinates: Array  # q, shape (K, N)
    subdiagonal: FloatArray  # h, shape (K - 1, N)
    weights: FloatArray  # A_j = sum_{i<=j} |q_i|^2, shape (K, N)

    def chosen(self, index: npt.NDArray[np.intp]) -> Chain:
        """Return the chains at ``index``."""
        return Chain(
            self.square[index],
            self.value[index],
            self.coordinates[:, index],
            self.subdiagonal[:, index],
            self.weights[:, index],
        )


@dataclass(frozen=True)
class ChosenChain:
    """One chain per sample, kept in proportion to its weight, and that weight's group mean."""

    chain: Chain
    log_group_mean: FloatArray  # log Omega
    log_norm: FloatArray  # log E|u|^2 given the chain
    log_overlap: FloatArray  # log E|q.u|^2 given the chain (real family, else 0)


def standard_normals(
    plan: RitzPlan, shape: tuple[int, ...], generator: np.random.Generator
) -> Array:
    """Draw standard normals of the field of W, E|z|^2 = 1."""
    if not plan.is_complex:
        return generator.standard_normal(shape)
    planes = generator.standard_normal((*shape, 2))
    planes *= math.sqrt(0.5)
    numbers: Array = planes.view(np.complex128)[..., 0]
    return numbers


def tail_squares(
    plan: RitzPlan, freedom: FloatArray, count: int, generator: np.random.Generator
) -> FloatArray:
    """Draw chi^2_{D d}/(D n) for every d in ``freedom``, D = 2 for complex W; shape (d, count)."""
    half = 1.0 if plan.is_complex else 0.5
    shapes = np.broadcast_to(half * freedom[:, np.newaxis], (len(freedom), count))
    return generator.standard_gamma(shapes) / (half * plan.width)


def draw_chosen_chains(plan: RitzPlan, count: int, generator: np.random.Generator) -> ChosenChain:
    """Simulate groups of chains and keep one of each group in proportion to its weight.

    The mean weight Omega of the group then replaces the weight of the chain kept
    (sampling-importance-resampling), which leaves every estimate unbiased. The chains of a
    group share their Ritz value when it is one of a pair.
    """
    if plan.family == PAIR:
        values = draw_ritz_values(plan, count, generator).repeated(plan.chains)
    else:
        values = draw_ritz_values(plan, count * plan.chains, generator)
    chain = _draw_chains(plan, values, generator)
    log_norm = np.log(expected_norm(plan, chain))
    log_overlap = np.zeros_like(log_norm)
    if plan.family == REAL:
        log_overlap = np.log(expected_overlap(plan, chain))
    log_weight = _log_chain_weights(plan, values, chain) + log_norm - 0.5 * log_overlap
    group = log_weight.reshape(count, plan.chains)
    log_group_mean = log_sum_exp(group) - math.log(plan.chains)
    index = _select(group, generator) + plan.chains * np.arange(count)
    return ChosenChain(chain.chosen(index), log_group_mean, log_norm[index], log_overlap[index])


def _draw_chains(plan: RitzPlan, values: RitzValues, generator: np.random.Generator) -> Chain:
    steps = plan.block - 1
    count = len(values.square)
    first = draw_first_squares(plan, count, generator)
    remaining = plan.width - 2.0 - np.arange(steps, dtype=np.float64)
    if plan.family == PAIR:
        noise = generator.standard_normal((steps, 2, count)) / math.sqrt(plan.width)
        tails = tail_squares(plan, remaining - 1.0, count, generator)
        coordinates, subdiagonal = pair_chain(values.value, first, noise, tails)
    else:
        noise = standard_normals(plan, (steps, count), generator) / math.sqrt(plan.width)
        tails = tail_squares(plan, remaining, count, generator)
        coordinates, subdiagonal = vector_chain(values.value, first, noise, tails)
    weights = np.cumsum(abs_square(coordinates), axis=0)
    return Chain(values.square, values.value, coordinates, subdiagonal, weights)


def vector_chain(
    value: Array, first: FloatArray, noise: Array, tails: FloatArray
) -> tuple[Array, FloatArray]:
    """Return (q, h) of W conditioned on W^T l = lam l, l uniform with |l_0|^2 = ``first``.

    With a^2 = sum_{i<=j} |l_i|^2 and b^2 = 1 - a^2, the part of W^T l that leaves the first
    j + 1 coordinates has size be = lam l_j b - a zeta, zeta ~ N(0, 1/n) = ``noise``; then
    h_j^2 = |be|^2 + chi^2_{D(n-j-2)}/(D n), l_{j+1} = b be / h_j, and q = l / l_0.
    """
    steps, count = tails.shape
    left = np.empty((steps + 1, count), dtype=noise.dtype)
    subdiagonal = np.empty((steps, count))
    left[0] = np.sqrt(first)
    revealed = first
    for j in range(steps):
        b = np.sqrt(np.maximum(1.0 - revealed, 0.0))
        be = value * left[j] * b - np.sqrt(revealed) * noise[j]
        subdiagonal[j] = np.sqrt(abs_square(be) + tails[j])
        left[j + 1] = b * be / subdiagonal[j]
        revealed = revealed + abs_square(left[j + 1])
    return left / left[0], subdiagonal


def pair_chain(
    value: Array, first: FloatArray, noise: FloatArray, tails: FloatArray
) -> tuple[Array, FloatArray]:
    """Return (q, h) of real W conditioned on W^T l = lam l, l = X + iY, (X, Y) a uniform frame.

    M = [[a, c], [c, b]] is the Gram matrix of the revealed coordinates of X and Y. The next
    coordinates (x, y) = h_j (X_{j+1}, Y_{j+1}) are normal: mean (1 - M)(Re, Im)(lam l_j),
    covariance (M - M^2)/n; and h_j^2 = (x, y)(1 - M)^{-1}(x, y)^T + chi^2_{n-j-3}/n.
    """
    steps, count = tails.shape
    left = np.empty((steps + 1, count), dtype=np.complex128)
    subdiagonal = np.empty((steps, count))
    left[0] = np.sqrt(first)
    a, b, c = first, np.zeros(count), np.zeros(count)
    for j in range(steps):
        mean = value * left[j]
        normal_x, normal_y = _correlated_normals(
            a - a * a - c * c, b - b * b - c * c, c - c * (a + b), noise[j]
        )
        x = (1.0 - a) * mean.real - c * mean.imag - normal_x
        y = (1.0 - b) * mean.imag - c * mean.real - normal_y
        size = ((1.0 - b) * x * x + (1.0 - a) * y * y + 2.0 * c * x * y) / (
            (1.0 - a) * (1.0 - b) - c * c
        )
        subdiagonal[j] = np.sqrt(size + tails[j])
        left[j + 1] = (x + 1j * y) / subdiagonal[j]
        a = a + left[j + 1].real ** 2
        b = b + left[j + 1].imag ** 2
        c = c + left[j + 1].real * left[j + 1].imag
    return left / left[0], subdiagonal


def _correlated_normals(
    var_x: FloatArray, var_y: FloatArray, covariance: FloatArray, noise: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return normals with this 2 x 2 covariance (Cholesky) from two rows of ``noise``.

    The covariance is singular at the first step, where Y has no revealed coordinate yet.
    """
    scale = np.sqrt(np.maximum(var_x, 0.0))
    slope = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0.0)
    rest = np.sqrt(np.maximum(var_y - slope * slope, 0.0))
    return scale * noise[0], slope * noise[0] + rest * noise[1]


def norm_form(plan: RitzPlan, chain: Chain) -> tuple[FloatArray, FloatArray]:
    """Return x_j, y_j with E[|u|^2 | u_j, ..., u_{K-1}] = x_j U_j + y_j |u_j|^2.

    u is the right Ritz vector with u_{K-1} = 1 and U_j = sum_{i>=j} |u_i|^2. With
    be_j = h_j sqrt(A_{j+1}/A_j), the law of H given the chain has
    E[|u_j|^2 | u_{j+1}, ...] = (U_{j+1}/n + |lam|^2 (A_j/A_{j+1}) |u_{j+1}|^2) / be_j^2.
    """
    shrink = chain.weights[:-1] / chain.weights[1:]
    inverse = shrink / chain.subdiagonal**2  # 1 / be_j^2
    x = np.ones_like(chain.weights)
    y = np.zeros_like(chain.weights)
    for j in range(plan.block - 1):
        both = (x[j] + y[j]) * inverse[j]
        x[j + 1] = x[j] + both / plan.width
        y[j + 1] = both * chain.square * shrink[j]
    return x, y


def expected_norm(plan: RitzPlan, chain: Chain) -> FloatArray:
    """Return E|u|^2 given the chain (for pairs with |lam| in place of lam: a good guess)."""
    x, y = norm_form(plan, chain)
    total: FloatArray = x[-1] + y[-1]
    return total


def expected_overlap(plan: RitzPlan, chain: Chain) -> FloatArray:
    """Return E (q.u)^2 given the chain, for real lam.

    Backwards in j, with f = |lam| sqrt(A_j/A_{j+1})/be_j, T_j = sum_{i>=j} q_i u_i:
    E u_j^2 = E U_{j+1}/(n be_j^2) + f^2 E u_{j+1}^2,  E u_j T_{j+1} = f E u_{j+1} T_{j+1}.
    """
    q = chain.coordinates
    shrink = chain.weights[:-1] / chain.weights[1:]
    inverse = shrink / chain.subdiagonal**2
    factor = np.sqrt(chain.square * inverse * shrink)
    norm = np.ones_like(chain.square)  # E U_j
    square = np.ones_like(chain.square)  # E u_j^2
    cross = q[-1]  # E u_j T_j
    overlap: FloatArray = q[-1] ** 2  # E T_j^2
    for j in range(plan.block - 2, -1, -1):
        square = inverse[j] * norm / plan.width + factor[j] ** 2 * square
        cross = factor[j] * cross
        overlap = overlap + 2.0 * q[j] * cross + q[j] ** 2 * square
        cross = cross + q[j] * square
        norm = norm + square
    return overlap


def log_density_at_ritz_value(plan: RitzPlan, chain: Chain) -> FloatArray:
    """Return log of the density at 0 of lam q_{K-1} - s_{K-1}, s_{K-1} normal given the chain.

    One vector: g = (c n/(pi A_L))^c exp(-c n |lam q_L|^2/A_L), c = D/2. A pair: the real and
    imaginary parts of s have covariance [[A + Re B, Im B], [Im B, A - Re B]]/(2n).
    """
    q = chain.coordinates
    weight = chain.weights[-1]
    target = chain.value * q[-1]
    if plan.family != PAIR:
        c = 0.5 * plan.dimension
        rate = c * plan.width / weight
        log_density: FloatArray = c * np.log(rate / math.pi) - rate * abs_square(target)
        return log_density
    skew = np.sum(q**2, axis=0)
    var_x, var_y = 0.5 * (weight + skew.real), 0.5 * (weight - skew.real)
    covariance = 0.5 * skew.imag
    determinant = var_x * var_y - covariance**2
    form = (
        var_y * target.real**2
        + var_x * target.imag**2
        - 2.0 * covariance * target.real * target.imag
    ) / determinant
    log_normal: FloatArray = (
        math.log(0.5 * plan.width / math.pi) - 0.5 * np.log(determinant) - 0.5 * plan.width * form
    )
    return log_normal


def _log_chain_weights(plan: RitzPlan, values: RitzValues, chain: Chain) -> FloatArray:
    """Return log of g |lam|^{2k} / (density of lam times R), the weight without E|u|^2."""
    sums = ChainSums(
        chain.weights[-1],
        chain.weights[-2],
        np.abs(np.sum(chain.coordinates**2, axis=0)),
        np.sum(np.log(chain.subdiagonal), axis=0),
    )
    log_weight: FloatArray = (
        log_density_at_ritz_value(plan, chain)
        + plan.depth * np.log(values.square)
        - values.log_density
        - log_chain_ratio(plan, values.square, sums)
    )
    return log_weight


def _select(log_weight: FloatArray, generator: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return one column per row, drawn in proportion to exp(log_weight)."""
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    steps = np.cumsum(weight, axis=1)
    level = generator.random(len(steps)) * steps[:, -1]
    column: npt.NDArray[np.intp] = np.sum(steps < level[:, np.newaxis], axis=1)
    return column
