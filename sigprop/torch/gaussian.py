r"""Gaussian recurrent weights whose gain is chosen by theory: :math:`E|W_{ij}|^2 = g^2/n`."""

from __future__ import annotations

import functools
import math
from typing import Any

from torch import Generator, Tensor

from sigprop._arguments import as_positive_float
from sigprop.initialization.gains import as_length, as_quantile, safe_gain
from sigprop.torch.tensors import COMPLEX, REAL, as_fillable, as_generator, writing


def gaussian_recurrent_(
    tensor: Tensor,
    length: int | None = None,
    bound: float = 10.0,
    generator: Generator | None = None,
    *,
    quantile: float | None = 0.95,
    gain: float | None = None,
) -> Tensor:
    r"""Fill recurrent weights with :math:`N(0, g^2/n)`, g safe for sequences of a length.

    Parameters
    ----------
    tensor : Tensor, shape (n, n) or (k n, n)
        Weights, real or complex: one matrix, or the k gates of a cell one above the other, as
        ``weight_hh_l0`` of ``torch.nn.RNN``, ``GRU`` and ``LSTM``. Changed in place.
    length : int, optional
        Number of steps, 1 to 10**7: the gain is then `sigprop.initialization.safe_gain` of
        width n, this length and the field of the tensor.
    bound : float, optional
        Bound > 1 of the energy per unit at every step up to the length.
    generator : torch.Generator, optional
        Source of randomness, on the device of the tensor; the global one if None.
    quantile : float or None, optional
        Which quantile of the energy of one draw stays below the bound; None for the mean.
    gain : float, optional
        The gain itself, in place of a length.

    Returns
    -------
    Tensor
        The same tensor; dtype and device are kept, and no gradient is recorded.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above, or not just one of length and gain
        is given.

    Notes
    -----
    Complex entries have real and imaginary parts of variance :math:`g^2/(2n)`. Every gate is
    filled on its own; theory speaks of the linear recurrence h = W h, not of gates. Gains are
    kept: a second tensor of the same width and length costs nothing.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> import torch
    >>> W = torch.empty(64, 64, dtype=torch.complex64)
    >>> gaussian_recurrent_(W, gain=0.5, generator=torch.Generator().manual_seed(1)) is W
    True
    >>> round(float(64 * (W.abs() ** 2).mean()), 2)
    0.25
    """
    weights = as_fillable("tensor", tensor, REAL + COMPLEX)
    source = as_generator(generator)
    n = _width(weights)
    chosen = _chosen_gain(n, length, bound, quantile, gain, weights.is_complex())
    with writing("tensor"):
        return weights.normal_(0.0, chosen / math.sqrt(n), generator=source)


def _width(weights: Tensor) -> int:
    """Return n of a tensor (k n, n)."""
    shape = tuple(weights.shape)
    if len(shape) != 2 or 0 in shape or shape[0] % shape[1] != 0:
        raise ValueError(
            "tensor must be square, or gates one above the other, shape (n, n) or (k n, n), "
            f"got shape {shape}"
        )
    return int(shape[1])


def _chosen_gain(
    n: int, length: Any, bound: Any, quantile: Any, gain: Any, is_complex: bool
) -> float:
    if (length is None) == (gain is None):
        raise ValueError(
            "either length, the number of steps that must be safe, or gain must be given, "
            f"got length={length!r} and gain={gain!r}"
        )
    if gain is not None:
        return as_positive_float("gain", gain)
    share = None if quantile is None else as_quantile("quantile", quantile)
    return _safe_gain(
        n,
        as_length("length", length),
        as_positive_float("bound", bound),
        share,
        "complex" if is_complex else "real",
    )


@functools.lru_cache(maxsize=256)
def _safe_gain(n: int, length: int, bound: float, quantile: float | None, field: str) -> float:
    return safe_gain(n, length, bound, quantile=quantile, field=field).gain
