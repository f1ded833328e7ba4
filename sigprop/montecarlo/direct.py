"""Direct simulation: draw W as an n x n matrix and multiply the state by it, step after step.

The state is kept as exp(log_scale) u with ||u|| = 1, and only u is multiplied, so no depth,
gain or width can overflow. One trajectory serves every depth asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sigprop.montecarlo.streams import CHUNK, ChunkStreams
from sigprop.recurrences.protocol import Recurrence, State

_Item = TypeVar("_Item")

FloatArray = npt.NDArray[np.float64]

MAX_WIDTH = 2**14
"""Widest layer drawn as a matrix: 4 GiB of complex128."""

_CACHED_BYTES = 2**22
"""Weights multiplied at once by default: 4 MiB stay in cache from step to step. At n = 64 to
256 a batch four times larger takes two to five times longer per product."""

_INPUT_BYTES = 2**26
"""Inputs drawn ahead: the batch, or with a batch of 1 the window of steps, is cut to this."""


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
    recurrence : Recurrence
        What to simulate.
    depths : list of int >= 0
        Depths to record, in any order.
    count : int >= 1
        Number of independent trajectories: each has its own W (and inputs).
    streams : ChunkStreams
        Random streams of the chunk.
    batch : int >= 1, optional
        Trajectories held in memory at once; by default as many as fit in cache.  It bounds
        memory and never changes the result.
    tick : callable, optional
        Called with the number of trajectories of each batch when it is done.

    Returns
    -------
    ndarray of float64, shape (count, len(depths))

    Raises
    ------
    ValueError
        If the width is beyond `MAX_WIDTH`.

    Notes
    -----
    Cost n^2 multiplications per step and trajectory, and n^2 normals per trajectory.
    """
    if recurrence.width > MAX_WIDTH:
        raise ValueError(
            f"width must be at most {MAX_WIDTH} for method 'direct', which draws n x n "
            f"matrices, got {recurrence.width}"
        )
    deepest = max(depths)
    columns: dict[int, list[int]] = {}
    for column, depth in enumerate(depths):
        columns.setdefault(depth, []).append(column)
    size = min(batch or _default_batch(recurrence, deepest), count)
    result = np.empty((count, len(depths)))
    first = 0
    for weights in _drawn_ahead(_weights(recurrence, count, size, streams)):
        last = first + len(weights)
        path = _log_energy_path(recurrence, weights, deepest, streams.inputs)
        for depth, values in enumerate(path):
            for column in columns.get(depth, []):
                result[first:last, column] = values
        if tick is not None:
            tick(last - first)
        first = last
    return result


def _weights(
    recurrence: Recurrence, count: int, size: int, streams: ChunkStreams
) -> Iterator[State]:
    """Yield the weights at gain 1 of one batch after the other."""
    plain = recurrence.with_gain(1.0)
    for start in range(0, count, size):
        yield plain.sample(streams.weights, min(size, count - start))


def _drawn_ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """Yield the items while a second thread draws the next one: normals take half the time."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        pending = pool.submit(next, items, None)
        while (item := pending.result()) is not None:
            pending = pool.submit(next, items, None)
            yield item


def _log_energy_path(
    recurrence: Recurrence, weights: State, deepest: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield the log energies of a batch of trajectories at depth 0, 1, ..., deepest."""
    batch = len(weights)
    inputs = _inputs(recurrence, deepest + 1, batch, rng)
    log_gain = np.log(recurrence.gain)
    log_width = np.log(recurrence.width)
    start = recurrence.initial_state()
    if start is None:
        start = next(inputs)
    state, log_scale = _normalised(np.broadcast_to(start, (batch, recurrence.width)))
    yield 2.0 * log_scale - log_width
    for _ in range(deepest):
        grown = log_scale + log_gain
        x = next(inputs, None)
        if x is None:
            top = grown
            state = recurrence.step(weights, state)
        else:
            # gain W h + x over the larger of the two scales, so that neither overflows.
            top = np.maximum(grown, 0.0)
            state = state * np.exp(grown - top)[:, np.newaxis]
            state = recurrence.step(weights, state, x * np.exp(-top)[:, np.newaxis])
        state, log_norm = _normalised(state)
        log_scale = top + log_norm
        yield 2.0 * log_scale - log_width


def _normalised(state: State) -> tuple[State, FloatArray]:
    """Return the states divided by their norms, and the logarithms of the norms."""
    norm = np.linalg.norm(state, axis=1)
    return state / norm[:, np.newaxis], np.log(norm)


def _inputs(
    recurrence: Recurrence, steps: int, batch: int, rng: np.random.Generator
) -> Iterator[State]:
    """Yield the inputs of one step after the other, each of shape (batch, n).

    The stream holds all inputs of a trajectory before those of the next, so a batch of
    several needs them all at once; a single trajectory takes them window by window.
    """
    window = steps if batch > 1 else max(1, _INPUT_BYTES // (16 * recurrence.width))
    for first in range(0, steps, window):
        block = recurrence.inputs(rng, batch, min(window, steps - first))
        if block is None:
            return
        for step in range(block.shape[1]):
            yield block[:, step]


def _default_batch(recurrence: Recurrence, deepest: int) -> int:
    """Return the number of trajectories whose weights stay in cache and inputs in memory."""
    by_weights = _CACHED_BYTES // (16 * recurrence.width**2)
    by_inputs = _INPUT_BYTES // (16 * recurrence.width * (deepest + 1))
    return max(1, min(by_weights, by_inputs, CHUNK))
