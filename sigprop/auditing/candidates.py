"""Which tensors of a checkpoint are recurrent weights, and which one is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sigprop.auditing.blocks import block_count
from sigprop.auditing.diagonal import is_diagonal
from sigprop.auditing.reading import Stored, listed

_RECURRENT = re.compile(
    r"(^|[._/\-])(w(eight)?_?)?(hh|h2h|rec|recurrent|hidden_to_hidden)([._\-]|$)"
)
"""Names such as weight_hh_l0, W_hh, h2h.weight, recurrent_kernel."""


def candidates(
    stored: Iterable[Stored], blocks: int | None = None, transpose: bool = False
) -> list[Stored]:
    """Return the tensors that recurrent weights could be, by their names and shapes."""
    return [
        tensor
        for tensor in stored
        if is_diagonal(tensor.name) or _has_shape(tensor.shape, blocks, transpose)
    ]


def choose(
    stored: Sequence[Stored],
    keys: Sequence[str] | None = None,
    blocks: int | None = None,
    transpose: bool = False,
    source: str = "W",
) -> list[Stored]:
    """Return the tensors that the keys mean, or the only recurrent one.

    Parameters
    ----------
    stored : sequence of Stored
        All tensors.
    keys : sequence of str, optional
        A full name each, or a part of it that one tensor alone has.
    blocks, transpose : optional
        As for `sigprop.auditing.audit`: they tell what shapes are possible.
    source : str, optional
        What messages call the collection.

    Returns
    -------
    list of Stored

    Raises
    ------
    ValueError
        If a key is not there or means several, or without keys if there is not exactly one
        recurrent tensor; the message lists the candidates by name and shape.

    Examples
    --------
    >>> stored = [Stored("rnn.weight_ih_l0", (4, 4), lambda: None),
    ...           Stored("rnn.weight_hh_l0", (4, 4), lambda: None)]
    >>> [tensor.name for tensor in choose(stored)]
    ['rnn.weight_hh_l0']
    """
    possible = candidates(stored, blocks, transpose)
    if keys:
        return [_of_key(key, stored, possible, source) for key in keys]
    if len(stored) == 1:
        return list(stored)
    named = [tensor for tensor in possible if _is_named_recurrent(tensor.name)]
    best = named or possible
    if len(best) == 1:
        return best
    if not best:
        raise ValueError(
            f"{source} has no recurrent weights that can be told from their shape; "
            f"name a tensor with key (--key): {_shapes(stored)}"
        )
    raise ValueError(
        f"{source} has {len(best)} candidates for recurrent weights; "
        f"choose with key (--key): {_shapes(best)}"
    )


def _of_key(key: str, stored: Sequence[Stored], possible: Sequence[Stored], source: str) -> Stored:
    exact = [tensor for tensor in stored if tensor.name == key]
    partial = [tensor for tensor in possible if key in tensor.name]
    found = exact or partial
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"key {key!r} (--key) means several in {source}: {_shapes(found)}")
    what = "candidates are" if possible else "no candidate; it has"
    raise ValueError(
        f"key {key!r} (--key) is not in {source}; {what} {_shapes(possible or stored)}"
    )


def _is_named_recurrent(name: str) -> bool:
    return is_diagonal(name) or _RECURRENT.search(name.lower().replace("kernel", "")) is not None


def _has_shape(shape: tuple[int, ...] | None, blocks: int | None, transpose: bool) -> bool:
    """Tell whether a shape is square blocks; more than one batch axis is a convolution's."""
    if shape is None or len(shape) not in (2, 3) or 0 in shape:
        return False
    rows, n = shape[-2:][::-1] if transpose else shape[-2:]
    return rows == blocks * n if blocks is not None else block_count(rows, n) is not None


def _shapes(stored: Iterable[Stored]) -> str:
    return listed(
        f"{tensor.name} {'unreadable' if tensor.shape is None else tensor.shape}"
        for tensor in stored
    )
