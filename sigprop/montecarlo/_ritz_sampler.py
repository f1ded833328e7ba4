"""Samples of one family of Ritz values: weights and energy paths.

With f = ||H^k e_0||^2 and f_i = |theta_i|^{2k} ||P_i e_0||^2, P_i = u q^T/(q.u) the spectral
projectors of H_K, the partition 1 = sum_i f_i / sum_j f_j and Kac-Rice over the eigenvalue
give, for every functional g of the path, E g = sum over families of E_proposal[weight g].
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sigprop.montecarlo import _ritz_numpy
from sigprop.montecarlo._ritz_chain import ChosenChain, draw_chosen_chains
from sigprop.montecarlo._ritz_fill import FilledBlock, complete_matrix, fill_block
from sigprop.montecarlo._ritz_proposal import PAIR, REAL, RitzPlan
from sigprop.montecarlo._ritz_vectors import abs_square, left_vectors, log_sum_exp, right_vectors

FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[Any]
ComplexArray = npt.NDArray[np.complex128]

BACKENDS = ("numba", "numpy")

_COMPILED_FROM_DEPTH = 48
"""Below, a sample takes half a millisecond or less, and loading numba more than it saves."""

_BATCH_BYTES = 2**26
_BATCH_SAMPLES = 256


class Kernels(Protocol):
    """The inner loops that have a compiled twin: the modules `_ritz_numpy` and `_ritz_numba`."""

    def eigenvalues(self, blocks: Array) -> ComplexArray:
        """Return the eigenvalues of upper Hessenberg blocks."""

    def log_energy_paths(self, matrices: FloatArray, depth: int) -> FloatArray:
        """Return the log energies of all depths."""


def load_kernels(backend: str | None, depth: int) -> Kernels:
    """Return the kernels of that name; None picks numba where it is installed and pays."""
    if backend == "numpy" or (backend is None and depth < _COMPILED_FROM_DEPTH):
        return _ritz_numpy
    try:
        from sigprop.montecarlo import _ritz_numba
    except ImportError as error:
        if backend is None:
            return _ritz_numpy
        raise ImportError(
            "backend 'numba' needs numba: install sigprop[fast], or use backend 'numpy'"
        ) from error
    return _ritz_numba


def sample_family(
    plan: RitzPlan, samples: int, generator: np.random.Generator, kernels: Kernels
) -> tuple[FloatArray, FloatArray]:
    """Return log weights (samples,) and log energies (samples, k + 1) of one family.

    Samples are drawn in batches whose size depends on the plan alone.
    """
    log_weights = np.empty(samples)
    log_energies = np.empty((samples, plan.depth + 1))
    size = _batch_size(plan)
    for start in range(0, samples, size):
        batch = slice(start, min(start + size, samples))
        count = batch.stop - start
        chosen = draw_chosen_chains(plan, count, generator)
        filled = fill_block(plan, chosen.chain, generator)
        log_sum = log_sum_of_parts(filled.block, kernels.eigenvalues(filled.block), plan.depth)
        log_weights[batch] = _log_weights(plan, chosen, filled) - log_sum
        matrices = complete_matrix(plan, filled.block, generator)
        log_energies[batch] = kernels.log_energy_paths(matrices, plan.depth)
    return log_weights, log_energies


def _batch_size(plan: RitzPlan) -> int:
    """Return how many samples fit in `_BATCH_BYTES`: H, block, vectors, and chains."""
    side = min(plan.depth + 1, plan.width)
    numbers = side**2 + 8 * plan.block**2 + 4 * plan.chains * plan.block
    bytes_each = 16 if plan.is_complex else 8
    return max(1, min(_BATCH_SAMPLES, _BATCH_BYTES // (bytes_each * numbers)))


def _log_weights(plan: RitzPlan, chosen: ChosenChain, filled: FilledBlock) -> FloatArray:
    """Return the log weight of each sample times sum_j f_j, Omega the mean of its group.

    complex: Omega;  real: Omega sqrt(E|q.u|^2)/|q.u|;  pair: Omega |u|^2/E|u|^2.
    """
    if plan.family == REAL:
        return chosen.log_group_mean + 0.5 * (chosen.log_overlap - np.log(filled.overlap))
    if plan.family == PAIR:
        return chosen.log_group_mean + np.log(filled.norm) - chosen.log_norm
    return chosen.log_group_mean


def log_sum_of_parts(block: Array, values: ComplexArray, depth: int) -> FloatArray:
    """Return log sum_j f_j, f_j = |theta_j|^{2k} |u_j|^2/|q_j.u_j|^2, theta_j in ``values``."""
    q = left_vectors(block, values)
    u = right_vectors(block, values)
    with np.errstate(divide="ignore"):  # theta = 0 has no part in f
        log_parts = (
            2.0 * depth * np.log(np.abs(values))
            + np.log(np.sum(abs_square(u), axis=1))
            - np.log(abs_square(np.sum(q * u, axis=1)))
        )
    return log_sum_exp(log_parts)
