"""Sums of smooth functions over 0, ..., N-1 for arrays of lengths N, real ones included.

Up to `DIRECT` terms are added one by one.  Beyond, nodes and weights of the Gauss rule of
the counting measure, in units of N, are analytic functions of 1/N^2; they are interpolated
once, so that a new length costs one small matrix product.  A length that is no integer
gives the analytic continuation of the sum in its length.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray
from sigprop.theory._gram_rule import gram_rule

DIRECT = 100
"""Longest sum that is added term by term."""

_CLASSES = (0, 12, 40, DIRECT, 256)  # short sums are padded to the end of their class

# The coefficients fall by a factor 6 per degree or faster: measured, 1e-16 from degree 20 on.
_DEGREE = 22

Index = npt.NDArray[np.intp]
Term = Callable[[Index, FloatArray], FloatArray]


@functools.cache
def _rule_coefficients() -> tuple[FloatArray, FloatArray]:
    """Chebyshev coefficients in (DIRECT/N)^2 of nodes in (-1, 1) and of weights over N."""
    t = np.polynomial.chebyshev.chebpts1(_DEGREE + 1)
    nodes, weights = [], []
    for length in DIRECT / np.sqrt(0.5 * (1.0 + t)):
        x, w = gram_rule(float(length))
        nodes.append((2.0 * x - (length - 1.0)) / length)
        weights.append(w / length)
    fit = np.polynomial.chebyshev.chebfit
    return fit(t, np.array(nodes), _DEGREE), fit(t, np.array(weights), _DEGREE)


def _gauss(lengths: FloatArray) -> tuple[FloatArray, FloatArray]:
    nodes, weights = _rule_coefficients()
    basis = np.polynomial.chebyshev.chebvander(2.0 * (DIRECT / lengths) ** 2 - 1.0, _DEGREE)
    column = lengths[:, None]
    return 0.5 * (column * (basis @ nodes) + (column - 1.0)), column * (basis @ weights)


def rules(
    lengths: FloatArray, longest_direct: int = DIRECT
) -> Iterator[tuple[Index, FloatArray, FloatArray]]:
    """Yield members, nodes and weights, one row per member, of groups of equal row size."""
    for first, last in itertools.pairwise(_CLASSES):
        if last > longest_direct:
            break
        members = np.flatnonzero((lengths > first) & (lengths <= last))
        if members.size:
            count = lengths[members, None]
            position = np.arange(float(last))
            inside = (position < count).astype(np.float64)
            yield members, np.minimum(position, count - 1.0), inside
    members = np.flatnonzero(lengths > longest_direct)
    if members.size:
        yield (members, *_gauss(lengths[members]))


def sums(lengths: FloatArray, term: Term, longest_direct: int = DIRECT) -> FloatArray:
    """Return sum_{s=0}^{N-1} term(s) for each length N; 0 where N = 0.

    ``term(members, s)`` takes the indices of the sums it is asked for and one row of
    positions for each.
    """
    total = np.zeros_like(lengths)
    for members, nodes, weights in rules(lengths, longest_direct):
        total[members] = np.sum(weights * term(members, nodes), axis=1)
    return total
