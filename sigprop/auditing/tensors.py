"""From whatever holds numbers to a float64 or complex128 array, without losing a digit unseen.

Half precision, bfloat16 and integers widen exactly; what cannot be held exactly, and what is
not finite, is refused by name.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sigprop._arguments import shown

Matrix = npt.NDArray[np.inexact[Any]]
"""A real or complex array in double precision."""

_WIDE_FLOATS = "bfloat16, float16, float32, float64, complex64, complex128 or integers"


class Numbers(NamedTuple):
    """An array of finite numbers in double precision, and the dtype that it came in."""

    values: Matrix
    dtype: str


def as_numbers(name: str, value: Any) -> Numbers:
    """Return ``value`` in double precision, contiguous, with the name of its own dtype.

    Parameters
    ----------
    name : str
        What messages call it.
    value : array_like
        A NumPy array, nested lists, a torch tensor (detached and copied to the CPU), or
        anything with ``__array__`` or ``__dlpack__``.

    Returns
    -------
    Numbers
        float64 for real input, complex128 for complex input.

    Raises
    ------
    TypeError
        If it does not hold numbers: bools, strings, objects.
    ValueError
        If it is empty or ragged, an entry is nan or infinite, or an entry does not fit a
        float64: an integer that would be rounded, a long double that would overflow.

    Notes
    -----
    NumPy stores bfloat16 in its files as nameless fields of two bytes; they are read as that.

    Examples
    --------
    >>> as_numbers("W", np.eye(2, dtype=np.int8))
    Numbers(values=array([[1., 0.],
           [0., 1.]]), dtype='int8')
    """
    array = _as_array(name, value)
    if array.size == 0:
        raise ValueError(f"{name} is empty, of shape {array.shape}")
    values = np.ascontiguousarray(_widened(name, array)).reshape(array.shape)
    dtype = "bfloat16" if _is_stored_bfloat16(array) else _dtype_name(value, array)
    finite = np.isfinite(values)
    if not finite.all():
        _refuse_entry(name, array, ~finite)
    return Numbers(values, dtype)


def _as_array(name: str, value: Any) -> npt.NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be masked: fill it first")
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if _is_torch(value):
        return _from_torch(name, value)
    try:
        if not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except (ValueError, TypeError, BufferError, RuntimeError, OverflowError) as error:
        raise ValueError(
            f"{name} must be an array of numbers, or matrices of equal shape; {shown(value)} "
            f"of type {type(value).__name__} is not: {error}"
        ) from error


def _is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _from_torch(name: str, tensor: Any) -> npt.NDArray[Any]:
    """Copy a tensor to NumPy; a dtype NumPy lacks widens exactly, to float32 or complex64."""
    torch = sys.modules["torch"]
    hint = _torch_hint(tensor)
    if hint:
        raise TypeError(f"{name} must be a dense tensor with numbers in it, got {hint}")
    with quiet():
        plain = tensor.detach().cpu().resolve_conj().resolve_neg()
        try:
            array: npt.NDArray[Any] = plain.numpy()
        except TypeError:
            wide = torch.complex64 if plain.is_complex() else torch.float32
            array = plain.to(wide).numpy()
    return array


def _torch_hint(tensor: Any) -> str:
    """Return what a tensor is that has no dense array of numbers, and what to do about it."""
    if tensor.is_meta:
        return "one on the device meta: load its numbers first"
    if tensor.is_quantized:
        return "a quantized one: dequantize() it first"
    if tensor.is_nested:
        return "a nested one: give its parts"
    if tensor.layout is not sys.modules["torch"].strided:
        return f"one of layout {str(tensor.layout).removeprefix('torch.')}: to_dense() it first"
    return ""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what PyTorch warns of off the screen: deprecations and experiments of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _dtype_name(value: Any, array: npt.NDArray[Any]) -> str:
    if _is_torch(value):
        return str(value.dtype).removeprefix("torch.")
    return str(array.dtype.name)


def _is_stored_bfloat16(array: npt.NDArray[Any]) -> bool:
    return array.dtype.type is np.void and array.dtype.itemsize == 2 and array.dtype.names is None


def _widened(name: str, array: npt.NDArray[Any]) -> Matrix:
    """Return double precision; refuse what is not a number or would be rounded."""
    kind = array.dtype.kind
    if _is_stored_bfloat16(array):
        # A bfloat16 is the upper half of a float32.
        bits = np.ascontiguousarray(array).view(np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64)
    if kind in "iu":
        return _exact_integers(name, array)
    if kind in "fc" or array.dtype.type.__module__.startswith("ml_dtypes"):
        with np.errstate(over="ignore"):
            return array.astype(np.complex128 if kind == "c" else np.float64)
    raise TypeError(f"{name} must hold {_WIDE_FLOATS}, got dtype {array.dtype}")


def _exact_integers(name: str, array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    values = array.astype(np.float64)
    for index in np.argwhere(np.abs(values) >= 2.0**53):
        entry = int(array[tuple(index)])
        if entry != int(values[tuple(index)]):
            raise ValueError(
                f"{name} holds the integer {entry}, which a float64 would round; "
                "give floats if that is meant"
            )
    return values


def _refuse_entry(name: str, array: npt.NDArray[Any], bad: npt.NDArray[np.bool_]) -> None:
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    count = int(bad.sum())
    more = f" and {count - 1} more" if count > 1 else ""
    entry = "an entry that is not finite" if array.dtype.kind == "V" else str(array[index])
    raise ValueError(f"{name} must hold finite numbers, got {entry} at {list(index)}{more}")
