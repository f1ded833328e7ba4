r"""Eigenvalues of a square matrix, each with a power of two: none underflows.

Where one power of two cannot hold the entries together, the matrix is taken apart into its
strongly connected components, whose eigenvalues together are its own.  Of each, let
:math:`\mu` be the largest mean of :math:`\log_2|W_{ij}|` along a cycle; potentials :math:`p` with

.. math:: \log_2|W_{ij}| + p_i - p_j \le \mu

make a similar matrix whose entries are at most :math:`2^\mu`, and some are: what underflows in
it is below its rounding error.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray
from sigprop.auditing import _wide_range
from sigprop.auditing.profile import log_energies
from sigprop.auditing.tensors import Matrix

_EPSILON = float(np.finfo(np.float64).eps)
_NARROW = 2.0**-500
"""Smallest part, to the largest, of a matrix that LAPACK is given as it is."""


class Spectrum(NamedTuple):
    """The eigenvalues ``values * 2**exponents``."""

    values: npt.NDArray[np.complex128]
    exponents: npt.NDArray[np.int64]

    def in_units_of(self, exponent: int) -> npt.NDArray[np.complex128]:
        """Return the eigenvalues over ``2**exponent``; what underflows is 0."""
        parts = self.values.view(np.float64).reshape(-1, 2)
        with np.errstate(under="ignore"):
            scaled = np.ldexp(parts, (self.exponents - exponent)[:, np.newaxis])
        return np.ascontiguousarray(scaled).view(np.complex128)[:, 0]

    def radius(self) -> tuple[float, int]:
        """Return the largest modulus as a number and a power of two."""
        moduli = np.abs(self.values)
        with np.errstate(divide="ignore"):
            top = int(np.argmax(np.log2(moduli) + self.exponents))
        return float(moduli[top]), int(self.exponents[top])


def eigenvalues(scaled: Matrix, exponent: int, W: Matrix) -> Spectrum:
    """Return the eigenvalues of W.

    Parameters
    ----------
    scaled : ndarray
        W over ``2**exponent``, of parts up to 1; small ones may have been lost.
    exponent : int
        That power of two.
    W : ndarray of float64 or complex128
        Shape (n, n), finite.

    Returns
    -------
    Spectrum

    Notes
    -----
    Zeros if a power of the matrix is 0: rounding would make them eps^(1/n).

    Examples
    --------
    >>> W = np.array([[0.0, 1e200], [1e-200, 0.0]])
    >>> found = eigenvalues(W * 2.0**-665, 665, W)
    >>> np.sort(found.in_units_of(0).real).round(12).tolist()
    [-1.0, 1.0]
    """
    if _is_narrow(W):
        return _with_exponent(_values(scaled), exponent)
    wide = _wide_range.from_matrix(W)
    parts = [_of_component(wide, members) for members in _components(W)]
    return Spectrum(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.exponents for part in parts]),
    )


def _is_narrow(W: Matrix) -> bool:
    sizes = np.abs(W.view(np.float64))
    smallest = float(np.min(sizes, where=sizes > 0.0, initial=np.inf))
    return smallest >= float(sizes.max()) * _NARROW


def _with_exponent(values: Matrix, exponent: int) -> Spectrum:
    return Spectrum(values.astype(np.complex128), np.full(len(values), exponent, dtype=np.int64))


def _values(entries: Matrix) -> Matrix:
    """Return the eigenvalues of a matrix of moderate entries."""
    n = len(entries)
    if _may_be_nilpotent(entries) and log_energies(entries, [n])[0] == -math.inf:
        return np.zeros(n)
    values: Matrix = np.linalg.eigvals(entries)
    return values


def _may_be_nilpotent(entries: Matrix) -> bool:
    """Tell whether tr W and tr W^2 are 0 but for rounding: all eigenvalues 0 make them so."""
    allowed = 4.0 * len(entries) ** 2 * _EPSILON
    traces = np.trace(entries), np.sum(entries * entries.T)
    return all(abs(trace) <= allowed for trace in traces)


def _components(W: Matrix) -> list[npt.NDArray[np.int64]]:
    """Return the indices of each strongly connected component of the graph of entries not 0."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(csr_array(W != 0), connection="strong")
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, count)))


def _of_component(wide: _wide_range.Wide, members: npt.NDArray[np.int64]) -> Spectrum:
    block = np.ix_(members, members)
    mantissas, exponents = wide.mantissas[block], wide.exponents[block]
    with np.errstate(divide="ignore"):
        weights: FloatArray = np.log2(np.abs(mantissas)) + exponents.astype(np.float64)
    weights[mantissas == 0.0] = -np.inf
    mean = _largest_cycle_mean(weights)
    if mean == -np.inf:  # one index alone, and 0 at it
        return _with_exponent(np.zeros(len(members)), 0)
    potentials = np.rint(_potentials(weights - mean)).astype(np.int64)
    middle = round(mean)
    shifts = exponents + potentials[:, np.newaxis] - potentials - middle
    parts = np.ascontiguousarray(mantissas).view(np.float64).reshape(*mantissas.shape, -1)
    with np.errstate(under="ignore"):
        balanced = np.ldexp(parts, np.maximum(shifts, -4000)[..., np.newaxis])
    return _with_exponent(_values(balanced.view(mantissas.dtype)[..., 0]), middle)


def _largest_cycle_mean(weights: FloatArray) -> float:
    """Return the largest mean weight of a cycle (Karp), ``-inf`` if there is none."""
    n = len(weights)
    best = np.full((n + 1, n), -np.inf)  # the heaviest walk of so many steps from index 0
    best[0, 0] = 0.0
    for steps in range(n):
        best[steps + 1] = (best[steps][:, np.newaxis] + weights).max(axis=0)
    ends = best[n] > -np.inf
    if not ends.any():
        return -math.inf
    means = (best[n, ends] - best[:n, ends]) / np.arange(n, 0, -1)[:, np.newaxis]
    return float(means.min(axis=0).max())


def _potentials(weights: FloatArray) -> FloatArray:
    """Return p with weights_ij + p_i <= p_j: the heaviest walk to each index, no cycle gains."""
    potentials = np.zeros(len(weights))
    for _ in range(len(weights)):
        longer = (potentials[:, np.newaxis] + weights).max(axis=0)
        if not (longer > potentials).any():
            break
        potentials = np.maximum(potentials, longer)
    return potentials
