r"""Width-free simulation: the exact law of the energies from a matrix of the size of the depth.

The law of Gaussian W is invariant under unitary (orthogonal) conjugation, so W need be drawn
only on the directions that the trajectory visits, in coordinates that follow it.

RNN.  In the Krylov basis of (W, x) the matrix is upper Hessenberg: its entries on and above
the diagonal are i.i.d. of variance 1/n, and the j-th subdiagonal entry is the norm of what
a Gaussian vector has left in the n - j - 1 unseen dimensions, :math:`\sqrt{\gamma_{n-j-1}/n}`
(complex; chi-square for real weights).

LRU.  The first m coordinates are the directions on which W is known.  Each step turns the
part of the state outside them into coordinate m (a Householder reflection of the unseen
coordinates, which leaves the law unchanged), reveals W on it, and adds one unseen
coordinate for the image and one for the input.

The cost is that of depth x depth matrices whatever the width, in one thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._products import matvec, vecmat
from sigprop.montecarlo.streams import CHUNK, ChunkStreams
from sigprop.recurrences.gaussian import GaussianLRU, GaussianRNN
from sigprop.recurrences.protocol import Recurrence, State

FloatArray = npt.NDArray[np.float64]

MAX_DEPTH = 20_000
"""Deepest trajectory: its matrix takes 6.4 GB."""

_CACHED_BYTES = 2**22
_LEAST_ROWS = 32


def applies(recurrence: Recurrence) -> bool:
    """Tell whether the recurrence has a width-free sampler.

    Only the two Gaussian classes themselves, since a subclass may have another law, and
    only with linear units, tied weights, white inputs and double precision.
    """
    if type(recurrence) not in _PATHS:
        return False
    return isinstance(recurrence, (GaussianRNN, GaussianLRU)) and recurrence.is_plain


def chunk_log_energies(
    recurrence: Recurrence,
    depths: list[int],
    count: int,
    streams: ChunkStreams,
    batch: int | None = None,
    tick: Callable[[int], Any] | None = None,
) -> FloatArray:
    """Simulate one chunk and return log(||h^(depth)||^2 / n), shape (count, len(depths)).

    Parameters
    ----------
    recurrence : GaussianRNN or GaussianLRU
        What to simulate, of any width.
    depths : list of int >= 0
        Depths to record, in any order.
    count : int >= 1
        Number of independent trajectories.
    streams : ChunkStreams
        Random streams of the chunk.
    batch : int >= 1, optional
        Trajectories held in memory at once; it never changes the result.
    tick : callable, optional
        Called with the number of trajectories of each batch when it is done.

    Returns
    -------
    ndarray of float64, shape (count, len(depths))

    Raises
    ------
    ValueError
        If the recurrence is not Gaussian or a depth is beyond `MAX_DEPTH`.

    Notes
    -----
    The same law as direct simulation, not the same numbers.  About k^3/3 multiplications
    for an RNN trajectory of depth k <= n and 4 k^3/3 for an LRU, all depths included.
    """
    if not applies(recurrence):
        raise ValueError(
            f"method 'krylov' needs a plain GaussianRNN or GaussianLRU, got {recurrence!r}; "
            "use method 'direct'"
        )
    deepest = max(depths)
    if deepest > MAX_DEPTH:
        raise ValueError(f"depths must be at most {MAX_DEPTH} for method 'krylov', got {deepest}")
    size = min(count, batch or _default_batch(recurrence, deepest))
    result = np.empty((count, len(depths)))
    for first in range(0, count, size):
        last = min(first + size, count)
        path = _PATHS[type(recurrence)](recurrence, deepest, last - first, streams)
        result[first:last] = np.stack(list(path), axis=1)[:, depths]
        if tick is not None:
            tick(last - first)
    return result


def _default_batch(recurrence: Recurrence, deepest: int) -> int:
    side = max(min(deepest + 1, recurrence.width), 1)
    return max(1, min(CHUNK, _CACHED_BYTES // (16 * side * side)))


class _Draws:
    """Random numbers of a batch, taken trajectory after trajectory so that batches agree."""

    def __init__(
        self, recurrence: Recurrence, batch: int, normals: int, streams: ChunkStreams
    ) -> None:
        self.complex = recurrence.field == "complex"
        self.width = recurrence.width
        self._next = 0
        if self.complex:
            pairs = streams.weights.standard_normal((batch, 2 * normals))
            pairs *= math.sqrt(0.5)
            self._normals: State = pairs.view(np.complex128)
        else:
            self._normals = streams.weights.standard_normal((batch, normals))

    def normals(self, count: int) -> State:
        """Return (batch, count) proper normals, E|z|^2 = 1."""
        block = self._normals[:, self._next : self._next + count]
        self._next += count
        # A contiguous copy: NumPy 1.26 rounds products of strided views by where they lie.
        return np.ascontiguousarray(block)


def _residual_norms(
    recurrence: Recurrence, batch: int, freedoms: npt.NDArray[np.int64], streams: ChunkStreams
) -> FloatArray:
    """Return norms of Gaussian vectors with the given degrees of freedom, per trajectory."""
    if recurrence.field == "complex":
        squares = streams.inputs.standard_gamma(freedoms.astype(float), (batch, freedoms.size))
    else:
        squares = 2.0 * streams.inputs.standard_gamma(0.5 * freedoms, (batch, freedoms.size))
    return np.sqrt(squares)


def _rnn_path(
    recurrence: Recurrence, deepest: int, batch: int, streams: ChunkStreams
) -> Iterator[FloatArray]:
    """Yield log energies at depth 0, 1, ..., deepest of W^k x with ||x||^2 = n."""
    n = recurrence.width
    columns, rows = min(deepest, n), min(deepest + 1, n)
    draws = _Draws(recurrence, batch, columns * (columns + 1) // 2, streams)
    residual = _residual_norms(recurrence, batch, n - np.arange(1, rows), streams)
    H = np.zeros((batch, rows, columns), dtype=draws.normals(0).dtype)
    for j in range(columns):
        H[:, : j + 1, j] = draws.normals(j + 1)
        if j + 1 < rows:
            H[:, j + 1, j] = residual[:, j]
    H *= 1.0 / math.sqrt(n)
    log_gain = math.log(recurrence.gain)
    state = np.zeros((batch, rows), dtype=H.dtype)
    state[:, 0] = 1.0
    log_energy = np.zeros(batch)
    yield log_energy
    for t in range(deepest):
        seen, known = min(t + 2, rows), min(t + 1, columns)
        image = _hessenberg_times(H[:, :seen, :known], state[:, :known])
        energy = _square_norms(image)
        state[:, :seen] = image / np.sqrt(energy)[:, np.newaxis]
        log_energy = log_energy + (np.log(energy) + 2.0 * log_gain)
        yield log_energy


def _hessenberg_times(H: State, vectors: State) -> State:
    """Return H v, in blocks of rows that leave out the zeros below the subdiagonal."""
    height, width = H.shape[-2:]
    rows = max(_LEAST_ROWS, height // 8)
    blocks = []
    for first in range(0, height, rows):
        start = max(first - 1, 0)
        if start >= width:
            break
        here = slice(first, min(first + rows, height))
        blocks.append(matvec(H[:, here, start:], vectors[:, start:]))
    return np.concatenate(blocks, axis=1)


def _square_norms(vectors: State) -> FloatArray:
    parts = np.ascontiguousarray(vectors).view(np.float64)
    total: FloatArray = np.einsum("bi,bi->b", parts, parts)
    return total


def _lru_schedule(n: int, deepest: int) -> list[tuple[int, int, bool, bool]]:
    """Known directions and unseen coordinates before each step, and which residuals it draws.

    One entry per step: (m, q, image leaves a residual, input leaves a residual), with m the
    directions on which W is known and q the unseen coordinates in use.
    """
    schedule = []
    m, q = 0, 1  # the first input is one unseen coordinate
    for _ in range(deepest):
        reveal = q > 0
        image = reveal and m + q < n
        total = m + q + image
        entry = total < n
        schedule.append((m, q, image, entry))
        m, q = m + reveal, total + entry - (m + reveal)
    return schedule


def _lru_path(
    recurrence: Recurrence, deepest: int, batch: int, streams: ChunkStreams
) -> Iterator[FloatArray]:
    """Yield log energies at depth 0, ..., deepest of h <- W h + x with fresh Gaussian inputs."""
    n = recurrence.width
    schedule = _lru_schedule(n, deepest)
    normals, freedoms = _lru_demand(n, schedule)
    draws = _Draws(recurrence, batch, normals, streams)
    residual = iter(_residual_norms(recurrence, batch, freedoms, streams).T)
    directions = min(deepest, n)
    size = min(2 * deepest + 1, n)
    Y = np.zeros((batch, directions, size), dtype=draws.normals(0).dtype)
    state = np.zeros((batch, size), dtype=Y.dtype)
    state[:, 0] = next(residual)
    weight = 1.0 / math.sqrt(n)
    log_gain, log_width = math.log(recurrence.gain), math.log(n)
    state, log_scale = _normalised(state, np.zeros(batch))
    yield 2.0 * log_scale - log_width
    for m, q, image, entry in schedule:
        known = m
        if q > 0:
            _turn_to_axis(state, Y, m, q)
            known = m + 1
            Y[:, m, : m + q] = draws.normals(m + q)
            if image:
                Y[:, m, m + q] = next(residual)
            Y[:, m, :] *= weight
        total = m + q + image
        product = vecmat(state[:, :known], Y[:, :known, :total])
        # gain W h + x over the larger of the two scales, so that neither overflows.
        grown = log_scale + log_gain
        top = np.maximum(grown, 0.0)
        fresh = np.exp(-top)[:, np.newaxis]
        image_part = product * np.exp(grown - top)[:, np.newaxis]
        state[:, :total] = image_part + draws.normals(total) * fresh
        if entry:
            state[:, total] = next(residual) * fresh[:, 0]
        state, log_scale = _normalised(state, top)
        yield 2.0 * log_scale - log_width


def _lru_demand(
    n: int, schedule: list[tuple[int, int, bool, bool]]
) -> tuple[int, npt.NDArray[np.int64]]:
    """Return how many normals the schedule takes and the freedoms of its residual norms."""
    normals, freedoms = 0, [n]
    for m, q, image, entry in schedule:
        total = m + q + image
        normals += (m + q if q > 0 else 0) + total
        if image:
            freedoms.append(n - m - q)
        if entry:
            freedoms.append(n - total)
    return normals, np.array(freedoms)


def _turn_to_axis(state: State, Y: State, m: int, q: int) -> None:
    """Reflect the q unseen coordinates so that the state's part there lies along the first."""
    part = state[:, m : m + q]
    norm = np.sqrt(_square_norms(part))
    lead = part[:, 0].copy()  # NumPy 1.26 rounds |z| of a strided view by where it lies in memory
    size = np.abs(lead)
    phase = np.where(size > 0.0, lead / np.where(size > 0.0, size, 1.0), 1.0)
    v = part.copy()
    v[:, 0] += phase * norm
    # ||v||^2 = 2 norm (norm + |lead|): no cancellation, by the choice of sign.
    tau = 1.0 / (norm * (norm + size))
    unseen = Y[:, :m, m : m + q]
    along = matvec(unseen, v.conj()) * tau[:, np.newaxis]
    unseen -= along[..., np.newaxis] * v[:, np.newaxis, :]
    state[:, m] = -phase * norm
    state[:, m + 1 : m + q] = 0.0


def _normalised(state: State, log_scale: FloatArray) -> tuple[State, FloatArray]:
    norm = np.sqrt(_square_norms(state))
    return state / norm[:, np.newaxis], log_scale + np.log(norm)


_PATHS: dict[type, Callable[[Recurrence, int, int, ChunkStreams], Iterator[FloatArray]]] = {
    GaussianRNN: _rnn_path,
    GaussianLRU: _lru_path,
}
