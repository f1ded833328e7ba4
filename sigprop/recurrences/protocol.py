"""What a recurrence must offer to be simulated and compared with theory."""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from sigprop._arguments import shown

State = npt.NDArray[np.inexact[Any]]
"""A hidden state, an input, or a matrix: real or complex, in double or single precision."""


def as_generator(rng: Any) -> np.random.Generator:
    """Return ``rng`` if it is a NumPy generator.

    Raises
    ------
    TypeError
        If it is not: a seed, None, ...
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            "rng must be a numpy.random.Generator, as numpy.random.default_rng(seed) makes it, "
            f"got {shown(rng)} of type {type(rng).__name__}"
        )
    return rng


@runtime_checkable
class Recurrence(Protocol):
    """A random recurrence h -> phi(W h + x) of finite width, with its mean energy.

    The energy at depth t is ``E||h^(t)||^2 / n``, a mean square per unit. A new family
    joins by offering these members; nothing else in the package needs to know it.

    Steps are positively homogeneous in the state and the inputs together, and a factor on
    the weights of an input-free step is a factor on the state: simulation keeps the scale
    of the state apart.

    Examples
    --------
    >>> from sigprop.recurrences import S4D, GaussianRNN
    >>> isinstance(GaussianRNN(4), Recurrence), isinstance(S4D(4), Recurrence)
    (True, True)
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

    @property
    def tied(self) -> bool:
        """Whether every step uses the same weights; if not, each step draws its own."""
        ...

    @property
    def layer_size(self) -> int:
        """Numbers in the weights of one layer, which decides how many are held at once."""
        ...

    @property
    def input_width(self) -> int:
        """Number of entries of one input."""
        ...

    def with_gain(self, gain: float) -> Self:
        """Return the same recurrence with another gain."""
        ...

    def with_inputs(self, inputs: Any) -> Self:
        """Return the same recurrence with another law of the inputs in time."""
        ...

    def state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Exact mean energy, float64 of the shape of ``depth``; None where theory has none.

        ``inputs`` is the law of the inputs in time, None for that of the recurrence.
        """
        ...

    def log_state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Logarithm of `state_energy`, finite at every depth."""
        ...

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> Any:
        """Draw the weights of one layer, or of ``batch`` independent layers.

        An array, or any object that `first_state` and `step` take; the ``len`` of a batch is
        the number of its layers.
        """
        ...

    def initial_state(
        self, rng: np.random.Generator | None = None, batch: int | None = None
    ) -> State | None:
        """State before the first step, or None where the first input makes the first state.

        A random start is drawn from the stream of the inputs, so that a family has either
        random starts or inputs.
        """
        ...

    def draw_inputs(
        self,
        rng: np.random.Generator,
        batch: int,
        steps: int,
        previous: State | None = None,
    ) -> State | None:
        """Draw (batch, steps, input_width) inputs, or None where no input enters.

        ``previous`` are the inputs of the step before, None for the first.
        """
        ...

    def first_state(self, weights: Any, inputs: State) -> State:
        """Make the first state from the first input, where `initial_state` is None."""
        ...

    def step(self, weights: Any, state: State, inputs: State | None = None) -> State:
        """Advance one state, or a batch of states, by one step."""
        ...
