"""What a recurrence must offer to be simulated and compared with theory."""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

State = npt.NDArray[np.inexact[Any]]
"""A hidden state, or weights: float64 for the real field, complex128 for the complex one."""


@runtime_checkable
class Recurrence(Protocol):
    """A random linear recurrence h -> W h (+ x) of finite width, with its mean energy.

    The energy at depth t is ``E||h^(t)||^2 / n``, a mean square per unit. A new family
    joins by offering these members; nothing else in the package needs to know it.
    """

    @property
    def model(self) -> str:
        """Short name of the family: "rnn", "lru", ..."""
        ...

    @property
    def width(self) -> int:
        """Width n of the hidden state."""
        ...

    @property
    def field(self) -> str:
        """Field of the weights, "complex" or "real"."""
        ...

    @property
    def gain(self) -> float:
        """Factor on the weights."""
        ...

    def with_gain(self, gain: float) -> Self:
        """Return the same recurrence with another gain."""
        ...

    def state_energy(self, depth: Any) -> Any:
        """Exact mean energy, float64 of the shape of ``depth``; None where theory has none."""
        ...

    def log_state_energy(self, depth: Any) -> Any:
        """Logarithm of `state_energy`, finite at every depth."""
        ...

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> State:
        """Draw the weights of one layer, or of ``batch`` independent layers."""
        ...

    def initial_state(self) -> State | None:
        """State before the first step, or None where the first input is the first state."""
        ...

    def inputs(self, rng: np.random.Generator, batch: int, steps: int) -> State | None:
        """Draw (batch, steps, width) inputs, or None where no input enters."""
        ...

    def step(self, weights: State, state: State, inputs: State | None = None) -> State:
        """Advance one state, or a batch of states, by one step."""
        ...
