r"""Diagonal layers: :math:`h_t = \lambda\odot h_{t-1} + g\odot(B u_t)`, y = Re(C h).

A `DiagonalLayer` is the concrete object, what a family draws and what a checkpoint holds; a
`DiagonalRecurrence` is any family whose layers are of that kind.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray
from sigprop._products import matvec
from sigprop.recurrences.protocol import State
from sigprop.recurrences.structured import StructuredRecurrence

ComplexArray = npt.NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class DiagonalLayer:
    r"""One diagonal layer, or a batch of them along the leading axis of every array.

    Attributes
    ----------
    log_eigenvalue : ndarray of complex128, shape (..., n)
        :math:`\ln\lambda = -\nu + i\theta`.
    scale : ndarray of float64, shape (..., n)
        Scale g of the input of every unit.
    input_matrix : ndarray, shape (..., n, d), or None
        B; None for the identity.
    output_matrix : ndarray, shape (..., m, n), or None
        C; None where the layer has no output.
    feedthrough : ndarray, shape (..., m), or None
        D, the weights of the direct path of an input of the size of the output.
    first_scale : ndarray of float64, shape (..., n), or None
        Scale of the very first input; None where it is that of all others.

    Examples
    --------
    >>> from sigprop.recurrences import DiagonalLRU
    >>> layer = DiagonalLRU(3).sample(np.random.default_rng(0))
    >>> layer.eigenvalue.shape, bool(np.all(np.abs(layer.eigenvalue) < 1.0))
    ((3,), True)
    """

    log_eigenvalue: ComplexArray
    scale: FloatArray
    input_matrix: State | None = None
    output_matrix: State | None = None
    feedthrough: State | None = None
    first_scale: FloatArray | None = None

    def __len__(self) -> int:
        """Return the number of layers of a batch."""
        if self.log_eigenvalue.ndim < 2:
            raise TypeError("a single layer has no length; draw a batch")
        return len(self.log_eigenvalue)

    def __getitem__(self, index: Any) -> DiagonalLayer:
        """Return one layer of a batch, or some of them."""
        parts: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        for name, part in parts.items():
            parts[name] = None if part is None else part[index]
        return DiagonalLayer(**parts)

    @cached_property
    def eigenvalue(self) -> ComplexArray:
        """The eigenvalues lambda."""
        return np.exp(self.log_eigenvalue)

    def drive(self, inputs: State) -> State:
        """Return B u."""
        return inputs if self.input_matrix is None else matvec(self.input_matrix, inputs)

    def first_state(self, inputs: State) -> State:
        """Return the state after the first input."""
        scale = self.scale if self.first_scale is None else self.first_scale
        return scale * self.drive(inputs)

    def step(self, state: State, inputs: State | None = None) -> State:
        """Return the next state."""
        turned: State = self.eigenvalue * state
        return turned if inputs is None else turned + self.scale * self.drive(inputs)

    def output(self, state: State, inputs: State | None = None) -> State:
        """Return y = Re(C h), plus D u where the layer has D and ``inputs`` u are given."""
        if self.output_matrix is None:
            raise ValueError("the layer has no output matrix C")
        y: State = matvec(self.output_matrix, state).real
        if self.feedthrough is None or inputs is None:
            return y
        return y + self.feedthrough * inputs


@dataclass(frozen=True, repr=False)
class DiagonalRecurrence(StructuredRecurrence):
    """A structured recurrence whose layers are `DiagonalLayer`."""

    def first_state(self, layer: DiagonalLayer, inputs: State) -> State:
        """Return h_0 = g B x_0."""
        return layer.first_state(inputs)

    def step(self, layer: DiagonalLayer, state: State, inputs: State | None = None) -> State:
        """Return lambda h, or lambda h + g B x when ``inputs`` x is given."""
        return layer.step(state, inputs)


def stacked(layers: list[DiagonalLayer]) -> DiagonalLayer:
    """Return the batch of some single layers."""
    parts: dict[str, Any] = {}
    for item in fields(DiagonalLayer):
        column = [getattr(layer, item.name) for layer in layers]
        parts[item.name] = None if column[0] is None else np.stack(column)
    return DiagonalLayer(**parts)
