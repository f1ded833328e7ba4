"""Random streams: one per (cell, chunk), keyed by content, so that results have one value.

A simulation is cut into chunks of `CHUNK` trajectories. A chunk draws from streams whose
key holds a hash of what is simulated and the number of the chunk, never the order in which
chunks are run, so that neither the batch size nor the number of workers can change a
result, and two different cells never share their numbers.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sigprop._arguments import as_exact_integer
from sigprop.recurrences.protocol import Recurrence

CHUNK = 256
"""Trajectories per chunk. Part of the law of the streams: changing it changes results."""

Seed = int | np.random.SeedSequence | np.random.Generator | None
"""What ``rng`` may be."""


@dataclass(frozen=True)
class ChunkStreams:
    """The two generators of one chunk: weights do not depend on how inputs are drawn."""

    weights: np.random.Generator
    inputs: np.random.Generator


def root_seed(rng: Seed) -> int:
    """Return the integer that reproduces everything drawn from ``rng``.

    Parameters
    ----------
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        None takes fresh entropy from the operating system. An integer >= 0 is its own
        seed. A SeedSequence is condensed to 128 bits unless it is just an integer. A
        Generator has its seed sequence spawned: its own stream is not consumed, and a
        second call gives new numbers.

    Returns
    -------
    int
        Seed >= 0; ``root_seed(root_seed(rng))`` is the same integer.

    Raises
    ------
    TypeError
        If ``rng`` is a bool, a float, a string, a RandomState, ...
    ValueError
        If it is a negative integer.

    Examples
    --------
    >>> root_seed(7), root_seed(np.random.SeedSequence(7))
    (7, 7)
    """
    if rng is None:
        return _condensed(np.random.SeedSequence())
    if isinstance(rng, np.random.SeedSequence):
        return _condensed(rng)
    if isinstance(rng, np.random.Generator):
        return _condensed(_seed_sequence(rng).spawn(1)[0])
    try:
        return as_exact_integer("rng", rng, 0)
    except TypeError:
        raise TypeError(
            "rng must be None, an integer >= 0, a numpy.random.SeedSequence or a "
            f"numpy.random.Generator, got {rng!r} of type {type(rng).__name__}"
        ) from None


def cell_key(recurrence: Recurrence, depths: Iterable[int], method: str) -> tuple[int, ...]:
    """Return four 32-bit words that depend on what is simulated and on nothing else.

    The hash is SHA-256 of a text, so it is the same in every process and version of Python.
    Depths enter as a sorted set: their order does not matter.  Attributes of the recurrence
    beyond the first three enter where they differ from their defaults, so that a new
    attribute leaves the streams of recurrences without it as they are.
    """
    words = [
        recurrence.model,
        recurrence.field,
        float(recurrence.gain).hex(),
        str(recurrence.width),
        ",".join(str(depth) for depth in sorted(set(depths))),
        method,
        *_further_attributes(recurrence),
    ]
    content = "|".join(words)
    digest = hashlib.sha256(content.encode()).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))


def _further_attributes(recurrence: Recurrence) -> list[str]:
    """Return name=value of every attribute that differs from its default."""
    if not dataclasses.is_dataclass(recurrence):
        return []
    return [
        f"{field.name}={_text(getattr(recurrence, field.name))}"
        for field in dataclasses.fields(recurrence)
        if field.name not in ("width", "field", "gain")
        and _text(getattr(recurrence, field.name)) != _text(field.default)
    ]


def _text(value: object) -> str:
    """Return all that a value holds; of an array a digest, since its repr is cut."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    return f"{value.dtype.str}{value.shape}{digest}"


def chunk_streams(seed: int, key: tuple[int, ...], chunk: int) -> ChunkStreams:
    """Return the generators of chunk number ``chunk`` of the cell with this key."""
    weights, inputs = np.random.SeedSequence(seed, spawn_key=(*key, chunk)).spawn(2)
    return ChunkStreams(np.random.default_rng(weights), np.random.default_rng(inputs))


def _condensed(sequence: np.random.SeedSequence) -> int:
    """Return the integer behind a plain SeedSequence, or 128 bits of its state."""
    entropy = sequence.entropy
    if isinstance(entropy, (int, np.integer)) and not sequence.spawn_key:
        return int(entropy)
    words = sequence.generate_state(4)
    return sum(int(word) << (32 * place) for place, word in enumerate(words))


def _seed_sequence(generator: np.random.Generator) -> np.random.SeedSequence:
    """Return the SeedSequence that a generator's bit generator was made from."""
    sequence = generator.bit_generator.seed_seq
    if not isinstance(sequence, np.random.SeedSequence):
        raise TypeError(
            "rng must be a Generator whose bit generator holds a SeedSequence, got one with "
            f"{type(sequence).__name__}; make it with numpy.random.default_rng(seed)"
        )
    return sequence
