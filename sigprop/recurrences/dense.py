"""What the dense Gaussian RNN and LRU share: the law of W, its precision, and the linear step."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np

from sigprop._arguments import as_choice, as_integer, as_positive_float
from sigprop._products import matvec
from sigprop.recurrences.protocol import State, as_generator
from sigprop.recurrences.questions import GaussianQuestions
from sigprop.recurrences.vectors import normals

FIELDS = ("complex", "real")
DTYPES = ("float64", "float32")

_SINGLE = {"complex": np.complex64, "real": np.float32}


@dataclass(frozen=True, repr=False)
class DenseGaussian(GaussianQuestions):
    """Weights, their field and precision, and the step: what the RNN and the LRU share."""

    width: int
    field: str = "complex"
    gain: float = 1.0
    _: KW_ONLY
    tied: bool = True
    dtype: str = "float64"

    def __post_init__(self) -> None:
        self._set("width", as_integer("width", self.width, 1))
        self._set("field", as_choice("field", self.field, FIELDS))
        self._set("gain", as_positive_float("gain", self.gain))
        self._set("tied", _as_bool("tied", self.tied))
        self._set("dtype", as_choice("dtype", self.dtype, DTYPES))

    def __repr__(self) -> str:
        """Show width, field and gain, and what else differs from its default."""
        shown = [
            f"{item.name}={getattr(self, item.name)!r}"
            for item in dataclasses.fields(self)
            if not item.kw_only or getattr(self, item.name) != item.default
        ]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    @property
    def weight_scale(self) -> float:
        """Standard deviation of the entries of W times sqrt(n): the gain."""
        return self.gain

    @property
    def layer_size(self) -> int:
        """Entries of W."""
        return self.width**2

    @property
    def input_width(self) -> int:
        """Number of entries of one input: the width."""
        return self.width

    def with_gain(self, gain: float) -> Self:
        """Return the same recurrence with another gain."""
        return replace(self, gain=gain)

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> State:
        """Draw W with i.i.d. entries, E W_ij = 0 and E|W_ij|^2 = weight_scale^2 / n.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of the normals. They are taken matrix after matrix, so that one call
            with ``batch=5`` and five calls with ``batch=1`` give the same weights.
        batch : int >= 1, optional
            Number of independent matrices; None for a single one.

        Returns
        -------
        ndarray, shape (n, n) or (batch, n, n)
            complex128 with independent real and imaginary parts of variance
            weight_scale^2 / (2 n) each, so that E W_ij^2 = 0; or float64 of variance
            weight_scale^2 / n. With ``dtype="float32"`` the same numbers rounded to
            complex64 or float32.

        Examples
        --------
        >>> from sigprop.recurrences import GaussianRNN
        >>> W = GaussianRNN(3).sample(np.random.default_rng(0))
        >>> W.shape, W.dtype.name
        ((3, 3), 'complex128')
        """
        count = () if batch is None else (as_integer("batch", batch, 1),)
        as_generator(rng)
        weights = normals(rng, (*count, self.width, self.width), self.field)
        weights *= self.weight_scale / math.sqrt(self.width)
        return weights if self.dtype == "float64" else weights.astype(_SINGLE[self.field])

    def first_state(self, weights: State, inputs: State) -> State:
        """Return the first input itself: it is the first state."""
        return inputs

    def step(self, weights: State, state: State, inputs: State | None = None) -> State:
        """Return W h, or W h + x when ``inputs`` x is given; leading axes are a batch.

        With ``dtype="float32"`` the product is computed in single precision.

        Examples
        --------
        >>> from sigprop.recurrences import GaussianLRU
        >>> GaussianLRU(2).step(np.eye(2), np.ones(2), np.ones(2))
        array([2., 2.])
        """
        if self.dtype == "float32":
            state = state.astype(np.complex64 if np.iscomplexobj(state) else np.float32)
        product = matvec(weights, state)
        return product if inputs is None else product + inputs

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def _as_bool(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{name} must be True or False, got {value!r} of type {type(value).__name__}"
        )
    return bool(value)
