"""What an initialiser takes and draws from: checks of tensors, and float64 draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor

from sigprop._arguments import FloatArray, as_finite_float
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


def fill_(tensor: Tensor, values: Any) -> Tensor:
    """Copy an array into a tensor, cast to its dtype and moved to its device."""
    with torch.no_grad():
        return tensor.copy_(torch.from_numpy(np.asarray(values)))


def _device(generator: Generator | None) -> Any:
    """Return where the numbers are drawn: on the generator's device, or else on the CPU."""
    return "cpu" if generator is None else generator.device
