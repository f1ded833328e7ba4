"""The rest of H given the chain: the block H_K with its right Ritz vector, later columns.

H_K has the row vector q and the subdiagonal h of the chain; what is left free is drawn from
its law given them, tilted by |u|^2 where that is exact (one vector, not pairs). Arrays hold
one sample per row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop.montecarlo._ritz_chain import (
    Chain,
    norm_form,
    standard_normals,
    tail_squares,
)
from sigprop.montecarlo._ritz_proposal import PAIR, RitzPlan
from sigprop.montecarlo._ritz_vectors import abs_square, right_vectors

FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class FilledBlock:
    """Blocks H_K (N, K, K), with |u|^2 (u_{K-1} = 1) and |q.u|^2 of the right Ritz vector."""

    block: Array
    norm: FloatArray
    overlap: FloatArray


def fill_block(plan: RitzPlan, chain: Chain, generator: np.random.Generator) -> FilledBlock:
    """Draw H_K given the chain."""
    if plan.family == PAIR:
        return _fill_pair(plan, chain, generator)
    return _fill_vector(plan, chain, generator)


def complete_matrix(plan: RitzPlan, block: Array, generator: np.random.Generator) -> FloatArray:
    """Return H as far as the depth-k energies need it: H_K, and the rest from the law of W.

    Shape (N, planes, rows, columns) with columns = min(k, n), rows = min(k + 1, n); the
    planes are the real and, for complex W, the imaginary parts. Beyond H_K entries are
    N(0, 1/n) and H_{j+1,j}^2 ~ chi^2_{D(n-1-j)}/(D n), D = 2 for complex W.
    """
    n, K = plan.width, plan.block
    rows, columns = min(plan.depth + 1, n), min(plan.depth, n)
    parts = [block.real, block.imag] if plan.is_complex else [block]
    matrices = np.zeros((len(block), len(parts), rows, columns))
    for plane, part in enumerate(parts):
        matrices[:, plane, :K, :K] = part
    scale = 1.0 / math.sqrt(len(parts) * n)
    for row in range(columns):
        entries = matrices[:, :, row, max(row, K) :]
        entries[...] = scale * generator.standard_normal(entries.shape)
    freedom = n - 1.0 - np.arange(K - 1, rows - 1, dtype=np.float64)
    below = np.arange(K - 1, rows - 1)
    matrices[:, 0, below + 1, below] = np.sqrt(tail_squares(plan, freedom, len(block), generator)).T
    return matrices


def _fill_vector(plan: RitzPlan, chain: Chain, generator: np.random.Generator) -> FilledBlock:
    """Draw H_K and its right Ritz vector u from their law tilted by |u|^2.

    p_1, p_2, ... are orthonormal, p_i the part of e_i orthogonal to q_0, ..., q_i. In that
    basis H - lam is upper Hessenberg again, with independent entries g_{ji} ~ N(0, 1/n) and
    subdiagonal be_j = h_j sqrt(A_{j+1}/A_j), so that backwards in j

    be_j u_j = lam sqrt(A_j/A_{j+1}) u_{j+1} - sum_{i>j} g_{j+1,i} u_i = mu - sigma t

    with sigma^2 = U_{j+1}/n and t standard normal. Tilting by E[|u|^2 | u_j, ...] =
    x_j U_j + y_j |u_j|^2 changes the law of t alone.
    """
    n, L, count = plan.width, plan.block - 1, len(chain.square)
    x, y = norm_form(plan, chain)
    normals = standard_normals(plan, (count, L, L), generator)
    exponentials = generator.standard_exponential((L, count))
    uniforms = generator.random((L, 3, count))
    u = np.ones((count, L + 1), dtype=normals.dtype)
    norm = np.ones(count)
    for j in range(L - 1, -1, -1):
        tail = u[:, j + 1 :]
        row = normals[:, j, j:]
        root = np.sqrt(norm)
        plain = np.sum(row * tail, axis=1) / root
        shrink = chain.weights[j] / chain.weights[j + 1]
        be = chain.subdiagonal[j] / np.sqrt(shrink)
        mu = chain.value * np.sqrt(shrink) * u[:, j + 1]
        sigma = root / math.sqrt(n)
        tilted_part = (x[j] + y[j]) * (abs_square(mu) + sigma**2) / be**2
        is_tilted = uniforms[j, 0] * (x[j] * norm + tilted_part) < tilted_part
        tilted = _tilt_by_square(plain, mu, sigma, exponentials[j], uniforms[j, 1:])
        t = np.where(is_tilted, tilted, plain)
        row += ((t - plain) / root)[:, np.newaxis] * tail.conj()
        u[:, j] = (mu - sigma * t) / be
        norm = norm + abs_square(u[:, j])
    q = chain.coordinates.T
    block = _from_orthonormal_basis(chain, normals / math.sqrt(n))
    return FilledBlock(block, norm, abs_square(np.sum(q * u, axis=1)))


def _tilt_by_square(
    t: Array, mu: Array, sigma: FloatArray, exponential: FloatArray, uniforms: FloatArray
) -> Array:
    """Turn standard normal t into t' of density proportional to |mu - sigma t|^2 phi(t).

    The even part of the factor, |mu|^2 + sigma^2 |t|^2, is a mixture: phi itself, or phi
    biased by |t|^2, whose |t|^2 is larger by an exponential (2/D times it). The odd part
    decides between t and -t, which share the even part.
    """
    scale = 1.0 if t.dtype.kind == "c" else 2.0
    mu_square, sigma_square = abs_square(mu), sigma**2
    is_biased = uniforms[0] * (mu_square + sigma_square) >= mu_square
    stretched = t * np.sqrt(1.0 + scale * exponential / abs_square(t))
    even = np.where(is_biased, stretched, t)
    total = 2.0 * (mu_square + sigma_square * abs_square(even))
    keep = uniforms[1] * total < abs_square(mu - sigma * even)
    return np.where(keep, even, -even)


def _from_orthonormal_basis(chain: Chain, entries: Array) -> Array:
    """Return H_K from its entries g_{ij} along p_i (rows i = 1..L, columns j = 1..L, i <= j).

    Column j above the subdiagonal is alpha_j conj(q) + sum_i g_ij p_i on coordinates 0..j:
    alpha_j = (lam q_j - h_j q_{j+1})/A_j makes q H_K = lam q, and
    p_i = sqrt(A_{i-1}/A_i) e_i - q_i/sqrt(A_{i-1} A_i) sum_{l<i} conj(q_l) e_l.
    """
    q, h, A = chain.coordinates.T, chain.subdiagonal.T, chain.weights.T
    count, K = q.shape
    alpha = chain.value[:, np.newaxis] * q
    alpha[:, :-1] -= h * q[:, 1:]
    alpha /= A
    g = np.triu(entries)
    along_q = np.zeros((count, K, K), dtype=q.dtype)
    projected = g * (q[:, 1:] / np.sqrt(A[:, :-1] * A[:, 1:]))[:, :, np.newaxis]
    along_q[:, :-1, 1:] = np.cumsum(projected[:, ::-1], axis=1)[:, ::-1]
    block: Array = np.triu(q.conj()[:, :, np.newaxis] * (alpha[:, np.newaxis, :] - along_q))
    block[:, 1:, 1:] += g * np.sqrt(A[:, :-1] / A[:, 1:])[:, :, np.newaxis]
    below = np.arange(K - 1)
    block[:, below + 1, below] = h
    return block


def _fill_pair(plan: RitzPlan, chain: Chain, generator: np.random.Generator) -> FilledBlock:
    """Draw real H_K given q H_K = lam q, lam and q complex: two real conditions per column.

    Entries N(0, 1/n), then each column is moved by alpha_j Re q + be_j Im q, the smallest
    change that meets its conditions. Column 0 has q_0 = 1 alone, hence one condition.
    """
    q, h = chain.coordinates.T, chain.subdiagonal.T
    count, K = q.shape
    block = np.triu(generator.standard_normal((count, K, K))) / math.sqrt(plan.width)
    missing = chain.value[:, np.newaxis] * q
    missing[:, :-1] -= h * q[:, 1:]
    missing -= np.sum(block * q[:, :, np.newaxis], axis=1)
    a, b, c = (np.cumsum(product, axis=1) for product in (q.real**2, q.imag**2, q.real * q.imag))
    determinant = a * b - c * c
    determinant[:, 0] = 1.0
    alpha = (b * missing.real - c * missing.imag) / determinant
    beta = (a * missing.imag - c * missing.real) / determinant
    alpha[:, 0], beta[:, 0] = missing[:, 0].real, 0.0
    block += np.triu(
        alpha[:, np.newaxis, :] * q.real[:, :, np.newaxis]
        + beta[:, np.newaxis, :] * q.imag[:, :, np.newaxis]
    )
    below = np.arange(K - 1)
    block[:, below + 1, below] = h
    u = right_vectors(block, chain.value[:, np.newaxis])[:, :, 0]
    return FilledBlock(block, np.sum(abs_square(u), axis=1), abs_square(np.sum(q * u, axis=1)))
