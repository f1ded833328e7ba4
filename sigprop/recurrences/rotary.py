r"""Rotation layers: heads :math:`x_t = \gamma A x_{t-1} + \xi B u_t`, :math:`A = P \Theta P^T`.

A `RotationLayer` is the concrete object that `RotRNN` draws and that the converters of
`sigprop.recurrences.converters` make from a diagonal layer.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from sigprop._arguments import FloatArray
from sigprop._products import matvec
from sigprop.recurrences.protocol import State
from sigprop.recurrences.rotations import turn_planes


@dataclass(frozen=True, eq=False)
class RotationLayer:
    r"""One layer of H heads of N units, or a batch of them along the leading axis.

    Attributes
    ----------
    log_decay : ndarray of float64, shape (..., H)
        :math:`\ln\gamma \le 0` of every head.
    angle : ndarray of float64, shape (..., H, N/2)
        Angles of the planes.
    basis : ndarray of float64, shape (..., H, N, N)
        Orthogonal P of every head.
    scale : ndarray of float64, shape (..., H)
        Scale xi of the input of every head.
    input_matrix : ndarray of float64, shape (..., H N, d), or None
        B of all heads, one above the other; None for the identity.
    output_matrix : ndarray of float64, shape (..., m, H N), or None
        C; None where the layer has no output.
    feedthrough : ndarray of float64, shape (..., m), or None
        D, the weights of the direct path of an input of the size of the output.
    first_scale : ndarray of float64, shape (..., H), or None
        Scale of the very first input; None where it is that of all others.

    Examples
    --------
    >>> from sigprop.recurrences import RotRNN
    >>> layer = RotRNN(2, 4).sample(np.random.default_rng(0))
    >>> layer.angle.shape
    (2, 2)
    """

    log_decay: FloatArray
    angle: FloatArray
    basis: FloatArray
    scale: FloatArray
    input_matrix: FloatArray | None = None
    output_matrix: FloatArray | None = None
    feedthrough: FloatArray | None = None
    first_scale: FloatArray | None = None

    def __len__(self) -> int:
        """Return the number of layers of a batch."""
        if self.log_decay.ndim < 2:
            raise TypeError("a single layer has no length; draw a batch")
        return len(self.log_decay)

    def __getitem__(self, index: Any) -> RotationLayer:
        """Return one layer of a batch, or some of them."""
        parts: dict[str, Any] = {}
        for item in fields(self):
            part = getattr(self, item.name)
            parts[item.name] = None if part is None else part[index]
        return RotationLayer(**parts)

    @property
    def heads(self) -> int:
        """Number H of heads."""
        return int(self.log_decay.shape[-1])

    @property
    def head_size(self) -> int:
        """Number N of units of a head."""
        return int(self.basis.shape[-1])

    @property
    def width(self) -> int:
        """Number H N of units."""
        return self.heads * self.head_size

    @property
    def decay(self) -> FloatArray:
        """The decays gamma."""
        result: FloatArray = np.exp(self.log_decay)
        return result

    @cached_property
    def transition(self) -> FloatArray:
        """The matrices gamma A of the heads, shape (..., H, N, N)."""
        turned = turn_planes(self.basis, self.angle[..., np.newaxis, :])
        product: FloatArray = turned @ np.swapaxes(self.basis, -1, -2)
        return self.decay[..., np.newaxis, np.newaxis] * product

    def advance(self, state: FloatArray, steps: int) -> FloatArray:
        r"""Return :math:`(\gamma A)^k x` without inputs, one product at every k."""
        x = self._by_head(state)
        inner = matvec(np.swapaxes(self.basis, -1, -2), x)
        outer = matvec(self.basis, turn_planes(inner, -steps * self.angle))
        decay = np.exp(steps * self.log_decay)[..., np.newaxis]
        moved: FloatArray = self._flat(decay * outer)
        return moved

    def drive(self, inputs: State) -> State:
        """Return B u."""
        return inputs if self.input_matrix is None else matvec(self.input_matrix, inputs)

    def first_state(self, inputs: State) -> State:
        """Return the state after the first input."""
        scale = self.scale if self.first_scale is None else self.first_scale
        return np.repeat(scale, self.head_size, axis=-1) * self.drive(inputs)

    def step(self, state: State, inputs: State | None = None) -> State:
        """Return the next state."""
        turned: State = self._flat(matvec(self.transition, self._by_head(state)))
        if inputs is None:
            return turned
        result: State = turned + np.repeat(self.scale, self.head_size, axis=-1) * self.drive(inputs)
        return result

    def output(self, state: State, inputs: State | None = None) -> State:
        """Return y = C x, plus D u where the layer has D and ``inputs`` u are given."""
        if self.output_matrix is None:
            raise ValueError("the layer has no output matrix C")
        y: State = matvec(self.output_matrix, state)
        if self.feedthrough is None or inputs is None:
            return y
        return y + self.feedthrough * inputs

    def covariance_factor(self, covariance: Any) -> FloatArray:
        r"""Return :math:`\operatorname{tr}(B\Sigma B^T)/\operatorname{tr}(BB^T)` of every head.

        The factor on the energies of this layer when its inputs have the covariance Sigma
        instead of I. Its mean over Gaussian B is tr(Sigma)/d.

        Parameters
        ----------
        covariance : array_like of float, shape (d, d)
            Sigma.

        Returns
        -------
        ndarray of float64, shape (..., H)
        """
        b = np.eye(self.width) if self.input_matrix is None else self.input_matrix
        sigma = np.asarray(covariance, dtype=np.float64)
        if sigma.shape != (b.shape[-1],) * 2:
            raise ValueError(f"covariance must have shape {(b.shape[-1],) * 2}, got {sigma.shape}")
        powers = self._by_head(np.sum(b * (b @ sigma), axis=-1)).sum(axis=-1)
        factor: FloatArray = powers / self._by_head(np.sum(b * b, axis=-1)).sum(axis=-1)
        return factor

    def _by_head(self, state: Any) -> Any:
        return state.reshape(*state.shape[:-1], self.heads, self.head_size)

    def _flat(self, heads: Any) -> Any:
        return heads.reshape(*heads.shape[:-2], self.width)


def trace_scale(log_decay: FloatArray, traces: FloatArray) -> FloatArray:
    r"""Return :math:`\xi = \sqrt{(1-\gamma^2)/\operatorname{tr}(B^T B)}` of every head."""
    return np.sqrt(-np.expm1(2.0 * log_decay) / traces)


def head_traces(
    input_matrix: FloatArray | None, shape: tuple[int, ...], head_size: int
) -> FloatArray:
    """Return tr(B^T B) of every head, shape (..., H); N for the identity."""
    if input_matrix is None:
        return np.full(shape, float(head_size))
    traces: FloatArray = np.sum(input_matrix**2, axis=-1).reshape(*shape, head_size).sum(axis=-1)
    return traces


def output_variance(law: str, outputs: int, width: int) -> float:
    """Return the variance of the entries of C: 1/(m + H N) or 1/(H N)."""
    return 1.0 / (outputs + width) if law == "both_sizes" else 1.0 / width
