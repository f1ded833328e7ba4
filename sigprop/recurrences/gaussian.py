"""Dense Gaussian recurrences: W is n x n with i.i.d. entries, E|W_ij|^2 = gain^2 / n.

The RNN multiplies by W from a fixed start, h^(k) = W^k x with ||x||^2 = n; the LRU also
receives a fresh input at every step, h^(t) = W h^(t-1) + x^(t). In both the same W is
used at every step, which is what makes the energy grow with depth / sqrt(n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from sigprop._arguments import as_choice, as_integer, as_positive_float
from sigprop._products import matvec
from sigprop.recurrences.protocol import State
from sigprop.theory import energy

FIELDS = ("complex", "real")


@dataclass(frozen=True)
class _DenseGaussian:
    """Weights, their field and the linear step: what the RNN and the LRU share."""

    width: int
    field: str = "complex"
    gain: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", as_integer("width", self.width, 1))
        object.__setattr__(self, "field", as_choice("field", self.field, FIELDS))
        object.__setattr__(self, "gain", as_positive_float("gain", self.gain))

    def with_gain(self, gain: float) -> Self:
        """Return the same recurrence with another gain."""
        return replace(self, gain=gain)

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> State:
        """Draw W with i.i.d. entries, E W_ij = 0 and E|W_ij|^2 = gain^2 / n.

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
            gain^2 / (2 n) each, so that E W_ij^2 = 0; or float64 of variance gain^2 / n.

        Examples
        --------
        >>> W = GaussianRNN(3).sample(np.random.default_rng(0))
        >>> W.shape, W.dtype.name
        ((3, 3), 'complex128')
        """
        count = () if batch is None else (as_integer("batch", batch, 1),)
        weights = self._normals(rng, (*count, self.width, self.width))
        weights *= self.gain / math.sqrt(self.width)
        return weights

    def step(self, weights: State, state: State, inputs: State | None = None) -> State:
        """Return W h, or W h + x when ``inputs`` x is given; leading axes are a batch.

        Examples
        --------
        >>> GaussianLRU(2).step(np.eye(2), np.ones(2), np.ones(2))
        array([2., 2.])
        """
        product = matvec(weights, state)
        return product if inputs is None else product + inputs

    def _normals(self, rng: np.random.Generator, shape: tuple[int, ...]) -> State:
        """Draw i.i.d. proper normals of the field, E|z|^2 = 1."""
        if self.field == "real":
            return rng.standard_normal(shape)
        pairs = rng.standard_normal((*shape, 2))
        pairs *= math.sqrt(0.5)
        return pairs.view(np.complex128)[..., 0]


@dataclass(frozen=True)
class GaussianRNN(_DenseGaussian):
    """The recurrence h^(k) = W^k x from a fixed x with ||x||^2 = n; energy gain^(2k) Q_{n,k}.

    Parameters
    ----------
    width : int
        Width n >= 1.
    field : {"complex", "real"}
        Field of the weights.
    gain : float
        Factor on the weights, finite and > 0: E|W_ij|^2 = gain^2 / n.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    The law of W is invariant under unitary (orthogonal) conjugation, so every fixed x of
    norm sqrt(n) gives the same law of the energies; the start is sqrt(n) e_1.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> float(GaussianRNN(width=5).state_energy(3))
    1.2
    """

    model: ClassVar[str] = "rnn"

    def state_energy(self, depth: Any) -> Any:
        """Return E||h^(k)||^2 / n = gain^(2k) Q_{n,k}; None for real weights.

        Parameters
        ----------
        depth : int or array_like of int
            Depths k >= 0.

        Returns
        -------
        float64 or ndarray of float64, or None
            inf where it overflows; `log_state_energy` does not.
        """
        if self.field == "real":
            return None
        return energy.rnn_energy(self.width, depth, self.gain)

    def log_state_energy(self, depth: Any) -> Any:
        """Return log(gain^(2k) Q_{n,k}); None for real weights."""
        if self.field == "real":
            return None
        return energy.log_rnn_energy(self.width, depth, self.gain)

    def initial_state(self) -> State:
        """Return the start sqrt(n) e_1, shape (n,)."""
        start = np.zeros(self.width, dtype=complex if self.field == "complex" else float)
        start[0] = math.sqrt(self.width)
        return start

    def inputs(self, rng: np.random.Generator, batch: int, steps: int) -> None:
        """Return None: nothing enters after the start."""
        return


@dataclass(frozen=True)
class GaussianLRU(_DenseGaussian):
    """The recurrence h^(t) = W h^(t-1) + x^(t) from h^(0) = x^(0); energy S_{n,t}.

    The inputs x^(0), x^(1), ... have i.i.d. Gaussian entries of the field with unit
    variance, E||x^(t)||^2 = n. The energy is the sum of gain^(2k) Q_{n,k} over k = 0..t.

    Parameters
    ----------
    width : int
        Width n >= 1.
    field : {"complex", "real"}
        Field of the weights and of the inputs.
    gain : float
        Factor on the weights, finite and > 0: E|W_ij|^2 = gain^2 / n.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> float(GaussianLRU(width=2).state_energy(3))
    5.5
    """

    model: ClassVar[str] = "lru"

    def state_energy(self, depth: Any) -> Any:
        """Return E||h^(t)||^2 / n = S_{n,t}; None for real weights.

        Parameters
        ----------
        depth : int or array_like of int
            Depths t >= 0.

        Returns
        -------
        float64 or ndarray of float64, or None
            inf where it overflows; `log_state_energy` does not.
        """
        if self.field == "real":
            return None
        return energy.lru_energy(self.width, depth, self.gain)

    def log_state_energy(self, depth: Any) -> Any:
        """Return log S_{n,t}; None for real weights."""
        if self.field == "real":
            return None
        return energy.log_lru_energy(self.width, depth, self.gain)

    def initial_state(self) -> None:
        """Return None: the first input is the first state."""
        return

    def inputs(self, rng: np.random.Generator, batch: int, steps: int) -> State:
        """Draw inputs of unit variance, shape (batch, steps, n), trajectory after trajectory."""
        return self._normals(rng, (batch, steps, self.width))
