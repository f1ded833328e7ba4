r"""Second moments of traces by enumeration of all pairings: slow, and the ground truth.

:math:`\mathrm{tr} A_i\, \mathrm{tr} A_j`, :math:`A_i = G^i G^{i*}`, has i + j factors G and
as many conjugates, so that its mean is a sum over permutations of i + j letters: letter e
is the factor :math:`G_{p q}` with row p and column q, and pairing it with the conjugate of
letter f identifies their rows and their columns.

Let two further letters u and v close the two traces and let :math:`\sigma =
(1 \cdots i\,u)(i{+}1 \cdots i{+}j\,v)`: the column of a letter x is the row of
:math:`\sigma x`, on both sides.  A pairing :math:`\pi`, extended by :math:`\pi u = u` and
:math:`\pi v = v`, then identifies the row of x with the conjugate row of :math:`\pi x`, and the
row of :math:`\sigma x` with that of :math:`\sigma \pi x`.  What is left free is one index for
each cycle of :math:`\sigma \pi^{-1} \sigma^{-1} \pi`.  In :math:`\mathrm{tr} A_i A_j` the two
chains are joined crosswise: :math:`\pi` is followed by s = (u v) in the columns, and the
cycles are those of :math:`\sigma (s\pi)^{-1} \sigma^{-1} \pi`.
"""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import numpy.typing as npt

MAX_LETTERS = 10
"""Largest i + j whose (i + j)! pairings are enumerated."""

_BATCH = 20_000

_Permutations = npt.NDArray[np.int64]  # one per row, as images of 0, 1, ...


def cycle_counts(permutations: _Permutations) -> npt.NDArray[np.int64]:
    """Count cycles: letters that are the smallest of their own cycle."""
    size = permutations.shape[1]
    smallest = np.broadcast_to(np.arange(size), permutations.shape)
    power = permutations
    seen = 1  # `smallest` is over the first `seen` letters of the orbit, `power` skips as many
    while seen < size:
        smallest = np.minimum(smallest, np.take_along_axis(smallest, power, axis=1))
        power = np.take_along_axis(power, power, axis=1)
        seen *= 2
    return np.asarray((smallest == np.arange(size)).sum(axis=1))


def trace_moment_counts(i: int, j: int) -> tuple[dict[int, int], dict[int, int]]:
    """Count pairings by free indices for E[tr A_i tr A_j] and for E[tr A_i A_j]."""
    u, v, size = i, i + j + 1, i + j + 2
    sigma = np.arange(1, size + 1)
    sigma[[u, v]] = 0, i + 1
    inverse_sigma = np.argsort(sigma)
    letters = [x for x in range(size) if x not in (u, v)]
    apart: Counter[int] = Counter()
    joined: Counter[int] = Counter()
    pairings = itertools.permutations(letters)
    while batch := list(itertools.islice(pairings, _BATCH)):
        pi = np.tile(np.arange(size), (len(batch), 1))
        pi[:, letters] = np.array(batch, dtype=np.int64).reshape(len(batch), len(letters))
        inverse = np.argsort(pi, axis=1)
        # In `joined` u and v change places in the columns, which is in the inverse alone.
        for counter in (apart, joined):
            rows = np.take_along_axis(inverse, inverse_sigma[pi], axis=1)
            counter.update(cycle_counts(sigma[rows]).tolist())
            inverse[:, [u, v]] = v, u
    return descending(apart), descending(joined)


def descending(counts: Counter[int]) -> dict[int, int]:
    return dict(sorted(counts.items(), reverse=True))
