"""Direct simulation: draw the layer and multiply the state by it, step after step.

The state is kept as exp(log_scale) u with ||u|| = 1, and only u is multiplied, so no depth,
gain or width can overflow. One trajectory serves every depth asked for. A recurrence that is
not tied has a fresh W at every step, drawn when the step is due. A layer is an n x n matrix, or
whatever a structured recurrence draws.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sigprop.montecarlo.streams import CHUNK, ChunkStreams
from sigprop.recurrences.input_laws import drawn_at_once
from sigprop.recurrences.protocol import Recurrence, State

_Item = TypeVar("_Item")

FloatArray = npt.NDArray[np.float64]

MAX_WIDTH = 2**14
"""Widest layer drawn as a matrix: 4 GiB of complex128."""

_MAX_SIZE = MAX_WIDTH**2

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
        Number of independent trajectories: each has its own W (and start, and inputs).
    streams : ChunkStreams
        Random streams of the chunk.
    batch : int >= 1, optional
        Trajectories held in memory at once; by default as many as fit in cache.  It bounds
        memory and never changes the result. Without tied weights no more are held than fit
        in cache with the weights of all their steps, or one.
    tick : callable, optional
        Called with the number of trajectories of each batch when it is done.

    Returns
    -------
    ndarray of float64, shape (count, len(depths))
        -inf where every unit is off: the energy is exactly zero.

    Raises
    ------
    ValueError
        If the width is beyond `MAX_WIDTH`, or a structured layer as large as such a matrix.

    Notes
    -----
    Cost n^2 multiplications per step and trajectory, and n^2 normals per trajectory, or per
    step if the weights are not tied. Three windows of weights are in memory at a time: W of
    a batch, or with fresh weights some steps of one trajectory, no more than 4 MiB or one W.
    """
    if recurrence.layer_size > _MAX_SIZE:
        raise ValueError(
            f"width must be at most {MAX_WIDTH} for method 'direct', which draws n x n "
            f"matrices, got {recurrence.width} (a layer of {recurrence.layer_size} numbers)"
        )
    deepest = max(depths)
    columns: dict[int, list[int]] = {}
    for column, depth in enumerate(depths):
        columns.setdefault(depth, []).append(column)
    size = min(_batch(recurrence, deepest, batch), count)
    sizes = [min(size, count - start) for start in range(0, count, size)]
    result = np.empty((count, len(depths)))
    first = 0
    for trajectories, layers in _layers(recurrence, sizes, deepest, streams):
        last = first + trajectories
        path = _log_energy_path(recurrence, layers, trajectories, deepest, streams.inputs)
        for depth, values in enumerate(path):
            for column in columns.get(depth, []):
                result[first:last, column] = values
        if tick is not None:
            tick(trajectories)
        first = last
    return result


def _layers(
    recurrence: Recurrence, sizes: list[int], deepest: int, streams: ChunkStreams
) -> Iterator[tuple[int, Iterator[Any]]]:
    """Yield the size of every batch with the layer of each of its steps, at gain 1."""
    plain = recurrence.with_gain(1.0)
    if recurrence.tied:
        for weights in _drawn_ahead(plain.sample(streams.weights, size) for size in sizes):
            yield len(weights), itertools.repeat(weights)
        return
    blocks = _drawn_ahead(_fresh_weights(plain, sizes, deepest, streams.weights))
    steps = (block[:, step] for block in blocks for step in range(block.shape[1]))
    for size in sizes:
        yield size, itertools.islice(steps, deepest)


def _fresh_weights(
    recurrence: Recurrence, sizes: list[int], deepest: int, rng: np.random.Generator
) -> Iterator[State]:
    """Yield weights of some steps of every batch, each of shape (size, steps, n, n).

    The stream holds all weights of a trajectory before those of the next, so a batch of
    several needs them all at once; a single trajectory takes them window by window.
    """
    n = recurrence.width
    for size in sizes:
        window = deepest if size > 1 else max(1, _CACHED_BYTES // (16 * n**2))
        for first in range(0, deepest, max(window, 1)):
            steps = min(window, deepest - first)
            yield recurrence.sample(rng, size * steps).reshape(size, steps, n, n)


def _drawn_ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """Yield the items while a second thread draws the next one: normals take half the time."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        pending = pool.submit(next, items, None)
        while (item := pending.result()) is not None:
            pending = pool.submit(next, items, None)
            yield item


def _log_energy_path(
    recurrence: Recurrence,
    layers: Iterator[Any],
    batch: int,
    deepest: int,
    rng: np.random.Generator,
) -> Iterator[FloatArray]:
    """Yield the log energies of a batch of trajectories at depth 0, 1, ..., deepest."""
    inputs = _inputs(recurrence, deepest + 1, batch, rng)
    log_gain = np.log(recurrence.gain)
    log_width = np.log(recurrence.width)
    start = recurrence.initial_state(rng, batch)
    if start is None:
        first = next(layers)
        layers = itertools.chain([first], layers)
        start = recurrence.first_state(first, next(inputs))
    state, log_scale = _normalised(start)
    yield 2.0 * log_scale - log_width
    for _ in range(deepest):
        weights = next(layers)
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
    """Return the states divided by their norms, and the logarithms of the norms.

    Norms are taken in double precision. A state of zero stays one, of log norm -inf.
    """
    double = state.astype(np.result_type(state.dtype, np.float64), copy=False)
    norm = np.linalg.norm(double, axis=1)
    with np.errstate(divide="ignore"):
        log_norm = np.log(norm)
    norm[norm == 0.0] = 1.0
    return double / norm[:, np.newaxis], log_norm


def _inputs(
    recurrence: Recurrence, steps: int, batch: int, rng: np.random.Generator
) -> Iterator[State]:
    """Yield the inputs of one step after the other, each of shape (batch, n).

    The stream holds all inputs of a trajectory before those of the next, so a batch of
    several needs them all at once; a single trajectory takes them window by window.
    """
    window = steps
    if batch == 1 and not drawn_at_once(getattr(recurrence, "inputs", "white")):
        window = max(1, _INPUT_BYTES // (16 * recurrence.input_width))
    previous = None
    for first in range(0, steps, window):
        block = recurrence.draw_inputs(rng, batch, min(window, steps - first), previous)
        if block is None:
            return
        for step in range(block.shape[1]):
            yield block[:, step]
        previous = block[:, -1]


def _batch(recurrence: Recurrence, deepest: int, wanted: int | None) -> int:
    """Return the number of trajectories at once: as wanted, unless each step has its weights."""
    default = _default_batch(recurrence, deepest)
    if wanted is None:
        return default
    return wanted if recurrence.tied else min(wanted, default)


def _default_batch(recurrence: Recurrence, deepest: int) -> int:
    """Return the number of trajectories whose weights stay in cache and inputs in memory."""
    layers = 1 if recurrence.tied else max(deepest, 1)
    by_weights = _CACHED_BYTES // (16 * recurrence.layer_size * layers)
    kept = 1 if getattr(recurrence, "inputs", None) == "constant" else deepest + 1
    by_inputs = _INPUT_BYTES // (16 * recurrence.input_width * kept)
    return max(1, min(by_weights, by_inputs, CHUNK))
