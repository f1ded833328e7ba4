"""Tensors of a file by dotted name: .npy, .npz, .safetensors, and PyTorch's .pt and .pth.

Nothing is ever unpickled beyond plain tensors: NumPy files are read without pickles, PyTorch
files with weights only.
"""

from __future__ import annotations

import contextlib
import operator
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sigprop.auditing import torch_file
from sigprop.auditing.tensors import Matrix, as_numbers, quiet


@dataclass(frozen=True)
class Stored:
    """One named tensor, not yet read; its shape is None if it cannot be told."""

    name: str
    shape: tuple[int, ...] | None
    read: Callable[[], Any]


def load_tensors(
    path: str | os.PathLike[str], keys: Iterable[str] | None = None
) -> dict[str, Matrix]:
    """Return tensors of a checkpoint by dotted name, in double precision.

    Parameters
    ----------
    path : str or os.PathLike
        A file .npy, .npz, .safetensors, .pt or .pth.
    keys : iterable of str, optional
        Which tensors; all of them if None.

    Returns
    -------
    dict of str to ndarray
        float64 or complex128; a .npy file has one tensor, called as the file.

    Raises
    ------
    ValueError
        If the file is missing, damaged, of another kind, or holds pickled objects, if a key is
        not in it, or an entry is not finite.
    TypeError
        If a tensor does not hold numbers.

    Notes
    -----
    A .safetensors file needs safetensors (``sigprop[checkpoints]``), .pt and .pth need PyTorch.
    PyTorch files are loaded with ``weights_only=True``: save ``model.state_dict()``.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/layer.npz", W=np.arange(4).reshape(2, 2))
    ...     load_tensors(f"{folder}/layer.npz")
    {'W': array([[0., 1.],
           [2., 3.]])}
    """
    stored = {tensor.name: tensor for tensor in open_file(path)}
    names = list(stored) if keys is None else list(keys)
    for name in names:
        if name not in stored:
            raise ValueError(f"{path} has no tensor {name!r}; it has {listed(stored)}")
    return {name: as_numbers(name, stored[name].read()).values for name in names}


def open_file(path: str | os.PathLike[str]) -> list[Stored]:
    """Return the tensors of a file, without their numbers where the format allows it."""
    file = Path(path)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise ValueError(
            f"cannot read {file}: its extension must be one of {', '.join(_READERS)}, "
            f"got {file.suffix or 'none'!r}"
        )
    if not file.exists():
        raise ValueError(f"cannot read {file}: no such file")
    if not file.is_file():
        raise ValueError(f"cannot read {file}: not a file")
    try:
        return reader(file)
    except PermissionError as error:
        raise ValueError(f"cannot read {file}: {error.strerror}") from error


def from_mapping(tensors: Any) -> list[Stored]:
    """Return the tensors of nested mappings and sequences under dotted names; skip the rest.

    Where a key has a dot and so two tensors one dotted name, their names have slashes between
    keys.

    Raises
    ------
    ValueError
        If two tensors cannot be told apart like that either.

    Examples
    --------
    >>> both = {"a.b": np.eye(2), "a": {"b": np.eye(3)}}
    >>> [(stored.name, stored.shape) for stored in from_mapping(both)]
    [('a.b', (2, 2)), ('a/b', (3, 3))]
    """
    found = list(_flattened((), tensors))
    dotted = Counter(".".join(path) for path, _ in found)
    names = [("." if dotted[".".join(path)] == 1 else "/").join(path) for path, _ in found]
    name, count = max(Counter(names).items(), key=operator.itemgetter(1), default=("", 0))
    if count > 1:
        raise ValueError(f"{count} tensors are called {name!r} in nested keys: rename one")
    return [_in_memory(name, value) for name, (_, value) in zip(names, found, strict=True)]


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Return names for a message of one line, a long list cut."""
    every = list(names)
    if not every:
        return "none"
    rest = len(every) - limit
    return ", ".join(every[:limit]) + (f" and {rest} more" if rest > 0 else "")


def _flattened(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flattened((*path, str(key)), item)
    elif _is_array(value):
        yield path, value
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _flattened((*path, str(index)), item)


def _is_array(value: Any) -> bool:
    try:
        return hasattr(value, "dtype") and hasattr(value, "shape")
    except RuntimeError:  # nested tensors of PyTorch
        return True


def _in_memory(name: str, value: Any) -> Stored:
    try:
        shape = tuple(value.shape)
    except RuntimeError:
        shape = None
    return Stored(name, shape, lambda: value)


def _read_numpy(file: Path) -> list[Stored]:
    """Read .npy or .npz, as the content says."""
    with open(file, "rb") as handle:
        try:
            content = np.load(handle, allow_pickle=False)
        except Exception as error:  # NumPy and zipfile raise many kinds on damaged files
            raise _numpy_refusal(str(file), error) from error
        if isinstance(content, np.ndarray):
            return [_in_memory(file.stem, content)]
        with content:
            return [_npz_member(file, content, name) for name in content.files]


def _npz_member(file: Path, archive: Any, name: str) -> Stored:
    """Read one array; one that holds objects is an error only when it is asked for."""
    try:
        return _in_memory(name, archive[name])
    except Exception as error:
        refusal = _numpy_refusal(f"{name} of {file}", error)

    def refuse() -> Any:
        raise refusal

    return Stored(name, None, refuse)


def _numpy_refusal(what: str, error: Exception) -> ValueError:
    if "Object arrays" in str(error):
        return ValueError(
            f"cannot read {what}: it holds pickled objects, which are never loaded; "
            "save plain arrays of numbers"
        )
    if "pickled" in str(error):
        return ValueError(
            f"cannot read {what}: not a NumPy file; if it is a pickle, that is never loaded"
        )
    return ValueError(f"cannot read {what}: cut short or damaged ({_one_line(error)})")


def _read_safetensors(file: Path) -> list[Stored]:
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise ValueError(
            f"cannot read {file}: it needs safetensors; install sigprop[checkpoints]"
        ) from error
    try:
        archive: Any = safe_open(file, framework="np")
        return [_safetensors_member(file, archive, name) for name in archive.keys()]  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise ValueError(
            f"cannot read {file}: cut short or damaged ({_one_line(error)})"
        ) from error


def _safetensors_member(file: Path, archive: Any, name: str) -> Stored:
    part = archive.get_slice(name)

    def read() -> Any:
        try:
            with contextlib.suppress(ImportError):
                import ml_dtypes  # noqa: F401  (gives NumPy bfloat16)
            return archive.get_tensor(name)
        except (TypeError, AttributeError, KeyError) as error:
            return _read_by_torch(file, name, part.get_dtype(), error)

    return Stored(name, tuple(part.get_shape()), read)


def _read_by_torch(file: Path, name: str, dtype: str, error: Exception) -> Any:
    """Read a tensor of a dtype that NumPy does not know."""
    from safetensors import safe_open

    try:
        archive: Any = safe_open(file, framework="pt")
        return archive.get_tensor(name)
    except ImportError:
        raise ValueError(
            f"cannot read {name} of {file}: its dtype {dtype} (BF16 is bfloat16) needs ml_dtypes; "
            "install sigprop[checkpoints]"
        ) from error


def _read_torch(file: Path) -> list[Stored]:
    try:
        import torch
    except ImportError as error:
        raise ValueError(
            f"cannot read {file}: it needs PyTorch; install sigprop[torch], "
            "or save the weights as .safetensors or .npz"
        ) from error
    try:
        with quiet():
            content = torch.load(file, map_location="cpu", weights_only=True)
    except PermissionError:
        raise
    except Exception as error:  # PyTorch raises many kinds on damaged files
        reason = torch_file.refusal(file, error) or f"cut short or damaged ({_one_line(error)})"
        raise ValueError(f"cannot read {file}: {reason}") from error
    if isinstance(content, torch.Tensor):
        return [_in_memory(file.stem, content)]
    return from_mapping(content)


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()).split(". ")[0] or type(error).__name__
    return text if len(text) <= 100 else text[:97] + "..."


_READERS: dict[str, Callable[[Path], list[Stored]]] = {
    ".npy": _read_numpy,
    ".npz": _read_numpy,
    ".safetensors": _read_safetensors,
    ".pt": _read_torch,
    ".pth": _read_torch,
}
