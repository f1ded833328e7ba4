"""What an initialiser takes and draws from: checks of tensors, and float64 draws."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Generator, Tensor

from sigprop._arguments import FloatArray, as_finite_float, shown
from sigprop.recurrences.phase import FULL_PHASE

REAL = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
COMPLEX = (torch.complex64, torch.complex128)

_SMALLEST = 2.0**-53


def as_tensor(name: str, value: Any, dtypes: Sequence[Any]) -> Tensor:
    """Return a tensor whose dtype is one of those allowed.

    Raises
    ------
    TypeError
        If it is no tensor, or of another dtype.
    """
    wanted = ", ".join(str(dtype).removeprefix("torch.") for dtype in dtypes)
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a tensor of {wanted}, got a {type(value).__name__}")
    if value.dtype not in dtypes:
        raise TypeError(f"{name} must be a tensor of {wanted}, got {value.dtype}")
    return value


def as_fillable(name: str, value: Any, dtypes: Sequence[Any]) -> Tensor:
    """Return a tensor each entry of which can be written on its own.

    Raises
    ------
    TypeError
        As `as_tensor`, and if it is not dense.
    ValueError
        If it is expanded: several entries share one place in memory.
    """
    tensor = as_tensor(name, value, dtypes)
    if tensor.layout is not torch.strided or tensor.is_nested:
        layout = "nested" if tensor.is_nested else str(tensor.layout).removeprefix("torch.")
        raise TypeError(f"{name} must be a dense tensor, got one of layout {layout}")
    if not _has_own_entries(tensor):
        raise ValueError(
            f"{name} must have a place in memory for each entry, got one that is expanded to "
            f"shape {tuple(tensor.shape)}: clone() it first"
        )
    return tensor


def share_entries(left: Tensor, right: Tensor) -> bool:
    """Tell whether writing to one dense tensor would change the other."""
    if left.is_meta or left.untyped_storage().data_ptr() != right.untyped_storage().data_ptr():
        return False
    return bool(np.intersect1d(_addresses(left), _addresses(right)).size)


def _has_own_entries(tensor: Tensor) -> bool:
    reach = 0
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size > 1 and stride <= reach:  # steps that the axes before may have taken
            return bool(stride > 0 and len(np.unique(_addresses(tensor))) == tensor.numel())
        reach += (size - 1) * stride
    return True


def _addresses(tensor: Tensor) -> npt.NDArray[np.int64]:
    """Return where the entries begin in their storage, in bytes."""
    at = np.full(tuple(tensor.shape), tensor.storage_offset(), dtype=np.int64)
    for axis, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        at += stride * np.arange(size).reshape(-1, *[1] * (tensor.ndim - axis - 1))
    at *= tensor.element_size()
    return at


def as_generator(value: Any) -> Generator | None:
    """Return a generator of PyTorch, or None for the global one."""
    if value is not None and not isinstance(value, Generator):
        raise TypeError(
            f"generator must be a torch.Generator or None, got {shown(value)} of type "
            f"{type(value).__name__}; torch.Generator().manual_seed(seed) makes one from a seed"
        )
    return value


def as_square(name: str, value: Any, dtypes: Sequence[Any]) -> Tensor:
    """Return a tensor of shape (n, n)."""
    tensor = as_tensor(name, value, dtypes)
    shape = tuple(tensor.shape)
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise ValueError(f"{name} must be square, shape (n, n), got shape {shape}")
    return tensor


def as_max_phase(value: Any) -> float:
    """Return the end of the range of phases, in (0, 2 pi]."""
    phase = as_finite_float("max_phase", value)
    if not 0.0 < phase <= FULL_PHASE:
        raise ValueError(f"max_phase must lie in (0, 2 pi], got {phase!r}")
    return phase


def uniforms(shape: Sequence[int], generator: Generator | None) -> FloatArray:
    """Draw uniform numbers from the open interval (0, 1): 0 would have the logarithm -inf."""
    drawn = torch.rand(
        tuple(shape), dtype=torch.float64, device=_device(generator), generator=generator
    )
    values: FloatArray = np.maximum(drawn.cpu().numpy(), _SMALLEST)
    return values


def normals(shape: Sequence[int], generator: Generator | None) -> FloatArray:
    """Draw standard normal numbers."""
    drawn = torch.randn(
        tuple(shape), dtype=torch.float64, device=_device(generator), generator=generator
    )
    values: FloatArray = drawn.cpu().numpy()
    return values


def fill_(name: str, tensor: Tensor, values: Any) -> Tensor:
    """Copy an array into a tensor, cast to its dtype and moved to its device."""
    with writing(name):
        return tensor.copy_(torch.from_numpy(np.asarray(values)))


@contextlib.contextmanager
def writing(name: str) -> Iterator[None]:
    """Record no gradient, and name the tensor that PyTorch refuses to write to."""
    try:
        with torch.no_grad():
            yield
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{name} cannot be filled in place: {reason}") from error


def _device(generator: Generator | None) -> Any:
    """Return where the numbers are drawn: on the generator's device, or else on the CPU."""
    return "cpu" if generator is None else generator.device
