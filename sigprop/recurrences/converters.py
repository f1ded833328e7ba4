r"""RotRNN and LRU layers are the same maps: exact converters both ways.

A head of N units with decay gamma and angles theta_i is N diagonal modes
:math:`\gamma e^{\pm i\theta_i}`: with :math:`U = \oplus\frac{1}{\sqrt2}
\begin{pmatrix}1&i\\1&-i\end{pmatrix}`, :math:`U R(\theta) U^* = \mathrm{diag}(e^{i\theta},
e^{-i\theta})`, so h = U P^T x has the input matrix :math:`U P^T B` and the output matrix
:math:`C P U^*`, and the norm of x at every step. Conversely a complex unit with
y = Re(C h) is a head of two units, its real and imaginary part.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sigprop._arguments import FloatArray, shown
from sigprop.recurrences.diagonal import DiagonalLayer
from sigprop.recurrences.protocol import State
from sigprop.recurrences.rotary import RotationLayer


def rotrnn_to_lru(layer: RotationLayer) -> DiagonalLayer:
    r"""Return the diagonal layer that computes what a rotation layer computes.

    Parameters
    ----------
    layer : RotationLayer
        One layer, or a batch.

    Returns
    -------
    DiagonalLayer
        With all H N eigenvalues, conjugate pairs side by side; its C h is real by itself.
        The norm of its state is that of the state of the rotation layer, at every step.

    Raises
    ------
    TypeError
        If the layer is another object, such as a `RotRNN`, the law of such layers.

    Notes
    -----
    Exact up to the rounding of two products with orthogonal matrices.

    Examples
    --------
    >>> from sigprop.recurrences.rotrnn import RotRNN
    >>> layer = rotrnn_to_lru(RotRNN(1, 2, 0.5, 0.5).sample(np.random.default_rng(0)))
    >>> layer.eigenvalue.shape, np.abs(layer.eigenvalue).round(12).tolist()
    ((2,), [0.5, 0.5])
    """
    _check(layer, RotationLayer, "RotRNN(...).sample(rng) or lru_to_rotrnn(...)")
    n = layer.head_size
    signed = np.stack([layer.angle, -layer.angle], axis=-1)  # (..., H, N/2, 2)
    angles = signed.reshape(*layer.angle.shape[:-1], n)
    log = layer.log_decay[..., np.newaxis] + 1j * angles
    width = layer.width
    b = layer.input_matrix
    if b is None:
        b = np.broadcast_to(np.eye(width), (*layer.log_decay.shape[:-1], width, width))
    by_head = b.reshape(*b.shape[:-2], layer.heads, n, b.shape[-1])
    turned = _pairs(np.swapaxes(np.swapaxes(layer.basis, -1, -2) @ by_head, -1, -2))
    b_modes = np.swapaxes(turned, -1, -2).reshape(*b.shape[:-2], width, b.shape[-1])
    c_modes: State | None = None
    if layer.output_matrix is not None:
        c = layer.output_matrix
        heads = np.moveaxis(c.reshape(*c.shape[:-1], layer.heads, n), -2, -3)  # (..., H, m, N)
        turned = _pairs(heads @ layer.basis).conj()
        c_modes = np.moveaxis(turned, -3, -2).reshape(c.shape)
    first = layer.first_scale
    return DiagonalLayer(
        log.reshape(*log.shape[:-2], width),
        np.repeat(layer.scale, n, axis=-1),
        b_modes,
        c_modes,
        layer.feedthrough,
        None if first is None else np.repeat(first, n, axis=-1),
    )


def lru_to_rotrnn(layer: DiagonalLayer) -> RotationLayer:
    r"""Return the rotation layer, of heads of two units, that computes what an LRU computes.

    Parameters
    ----------
    layer : DiagonalLayer
        One layer, or a batch, with an input matrix B and real inputs. Nothing else is asked
        of it: eigenvalues need not come in conjugate pairs.

    Returns
    -------
    RotationLayer
        One head for every complex unit, with :math:`\gamma_j = |\lambda_j|`, input rows
        [Re B_j; Im B_j], output columns [Re C_j, -Im C_j] and the scale of the unit, which
        need not be the trace-tied scale of a fresh RotRNN.

    Raises
    ------
    TypeError
        If the layer is another object, such as a `DiagonalLRU`, the law of such layers.
    ValueError
        If the layer has no input matrix: its units then take complex inputs of their own.

    Examples
    --------
    >>> from sigprop.recurrences import DiagonalLRU
    >>> lru = DiagonalLRU(3, 0.5, 0.9, input_size=2).sample(np.random.default_rng(0))
    >>> lru_to_rotrnn(lru).basis.shape
    (3, 2, 2)
    """
    _check(layer, DiagonalLayer, "DiagonalLRU(...).sample(rng) or rotrnn_to_lru(...)")
    if layer.input_matrix is None:
        raise ValueError("the layer must have an input matrix B: complex inputs have no real form")
    log = layer.log_eigenvalue
    b = layer.input_matrix
    rows = np.stack([b.real, b.imag], axis=-2)  # (..., n, 2, d)
    columns: FloatArray | None = None
    if layer.output_matrix is not None:
        c = layer.output_matrix
        columns = np.stack([c.real, -c.imag], axis=-1).reshape(*c.shape[:-1], 2 * c.shape[-1])
    return RotationLayer(
        log.real,
        log.imag[..., np.newaxis],
        np.array(np.broadcast_to(np.eye(2), (*log.shape, 2, 2))),
        layer.scale,
        rows.reshape(*b.shape[:-2], 2 * b.shape[-2], b.shape[-1]),
        columns,
        None if layer.feedthrough is None else layer.feedthrough.real,
        layer.first_scale,
    )


def _check(layer: Any, kind: type, source: str) -> None:
    if not isinstance(layer, kind):
        raise TypeError(
            f"layer must be a {kind.__name__}, as {source} returns it, got {shown(layer)} of "
            f"type {type(layer).__name__}"
        )


def _pairs(rows: FloatArray) -> State:
    """Return v U^T: neighbours (a, b) of the last axis become (a + ib, a - ib)/sqrt(2)."""
    a, b = rows[..., 0::2], rows[..., 1::2]
    result: State = np.empty(rows.shape, dtype=np.complex128)
    result[..., 0::2] = a + 1j * b
    result[..., 1::2] = a - 1j * b
    return result / math.sqrt(2.0)
