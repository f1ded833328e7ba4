r"""S4D: channels of N/2 stored complex modes with one input, y = 2 Re(C h), one step size each.

A fresh layer has no normalisation of its own. For *constant* inputs the discretisation acts
as one: the energy of a mode is :math:`1/|A|^2` whatever the step size. Under white noise it
is about :math:`\Delta/2\alpha`, and proportional to the step size.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray, as_choice, as_integer
from sigprop.recurrences.channels import StateSpace
from sigprop.recurrences.protocol import State, as_generator
from sigprop.recurrences.state_space import (
    INITS,
    ModeMixture,
    initial_modes,
    input_factor,
    legs_normal_modes,
    log_transition,
)
from sigprop.recurrences.vectors import normals

ComplexArray = npt.NDArray[np.complex128]

INPUT_VECTORS = ("ones", "hippo")


@dataclass(frozen=True, eq=False)
class ChannelLayer:
    r"""One S4D layer of H channels of m modes, or a batch of them along the leading axis.

    Attributes
    ----------
    log_eigenvalue : ndarray of complex128, shape (..., H, m)
        Logarithms of the discretised eigenvalues.
    input_vector : ndarray of complex128, shape (..., H, m)
        Discretised B of every channel.
    output_vector : ndarray of complex128, shape (..., H, m)
        C of every channel.
    """

    log_eigenvalue: ComplexArray
    input_vector: ComplexArray
    output_vector: ComplexArray

    def __len__(self) -> int:
        """Return the number of layers of a batch."""
        if self.log_eigenvalue.ndim < 3:
            raise TypeError("a single layer has no length; draw a batch")
        return len(self.log_eigenvalue)

    def __getitem__(self, index: Any) -> ChannelLayer:
        """Return one layer of a batch, or some of them."""
        return ChannelLayer(*(getattr(self, item.name)[index] for item in fields(self)))

    def first_state(self, inputs: State) -> State:
        """Return the state after the first input."""
        return self._flat(self.input_vector * inputs[..., np.newaxis])

    def step(self, state: State, inputs: State | None = None) -> State:
        """Return the next state."""
        turned = self._flat(np.exp(self.log_eigenvalue)) * state
        return turned if inputs is None else turned + self.first_state(inputs)

    def output(self, state: State) -> State:
        """Return y = 2 Re sum_n C_n h_n of every channel."""
        by_channel = state.reshape(self.output_vector.shape)
        y: State = 2.0 * np.sum(self.output_vector * by_channel, axis=-1).real
        return y

    def _flat(self, modes: State) -> State:
        return modes.reshape(*modes.shape[:-2], modes.shape[-2] * modes.shape[-1])


@dataclass(frozen=True)
class S4D(StateSpace):
    r"""S4D at initialisation; energies are means over the step sizes and the inputs.

    Parameters
    ----------
    state_size : int
        N, even: a channel stores N/2 complex modes.
    init : {"lin", "inv", "real", "legs"}
        Eigenvalues, see `initial_modes`.
    channels : int
        Number H >= 1 of channels, each with an input, an output and a step size of its own.
    discretization : {"zoh", "bilinear", "euler"}
        How the modes are discretised, see `sigprop.recurrences.state_space`.
    dt_min, dt_max : float
        Step sizes are log-uniform between them, 1e-100 <= dt_min <= dt_max.
    input_vector : {"ones", "hippo"}
        B = 1 for every mode, or B of HiPPO-LegS in the eigenbasis (for "legs" only), without
        the clipping that depends on the phases of eigenvectors.
    inputs : "white", "constant", ("ar1", rho) or autocorrelation array
        Law of the inputs in time.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    A unit is a stored mode: `state_energy` is the mean over them, `head_energy` the sum over
    those of a channel, and :math:`E y^2` with C ~ CN(0, 1) is twice that sum (`output_energy`).
    Means over the step size are sums over nodes in ln(dt), relative error 1e-13 or better, and
    for AR(1) inputs that of the angles omega dt t as well, 1e-16 per radian;
    ``dt_min = dt_max`` gives the energy for one step size.

    References
    ----------
    arXiv 2206.11893 (the layer and its initialisations).

    Examples
    --------
    >>> [round(S4D(init=name).output_energy(), 3) for name in ("lin", "inv", "legs")]
    [0.847, 0.989, 0.939]
    >>> round(S4D(init="inv").head_energy(10**6).item(), 12)
    0.494638955497
    """

    state_size: int = 64
    init: str = "lin"
    channels: int = 1
    _: KW_ONLY
    input_vector: str = "ones"

    model: ClassVar[str] = "s4d"

    def __post_init__(self) -> None:
        self._set("state_size", as_integer("state_size", self.state_size, 2))
        if self.state_size % 2:
            raise ValueError(f"state_size must be even, got {self.state_size}")
        self._set("init", as_choice("init", self.init, INITS))
        self._set("channels", as_integer("channels", self.channels, 1))
        self._set("input_vector", as_choice("input_vector", self.input_vector, INPUT_VECTORS))
        if self.input_vector == "hippo" and self.init != "legs":
            raise ValueError(f"input_vector 'hippo' needs init 'legs', got {self.init!r}")
        self._set("width", self.channels * self.units_per_head)
        super().__post_init__()

    @property
    def units_per_head(self) -> int:
        """Stored modes of a channel, N/2."""
        return self.state_size // 2

    @property
    def input_width(self) -> int:
        """Number of entries of one input: one for every channel."""
        return self.channels

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> ChannelLayer:
        """Draw one layer, or ``batch`` independent layers: step sizes and C.

        Examples
        --------
        >>> S4D(8, channels=3).sample(np.random.default_rng(0)).input_vector.shape
        (3, 4)
        """
        count = 1 if batch is None else as_integer("batch", batch, 1)
        as_generator(rng)
        shape = (self.channels, self.units_per_head)
        drawn = [
            (self.step_law.sample(rng, (self.channels, 1)), normals(rng, shape, "complex"))
            for _ in range(count)
        ]
        dt, c = (np.stack(part) for part in zip(*drawn, strict=True))
        modes = initial_modes(self.init, self.state_size)
        b = self._input_vector() * input_factor(modes, dt, self.discretization)
        layers = ChannelLayer(log_transition(modes, dt, self.discretization), b, c)
        return layers[0] if batch is None else layers

    def first_state(self, layer: ChannelLayer, inputs: State) -> State:
        """Return the state after the first input."""
        return layer.first_state(inputs)

    def step(self, layer: ChannelLayer, state: State, inputs: State | None = None) -> State:
        """Return the next state."""
        return layer.step(state, inputs)

    def output_energy(self, depth: Any = None, inputs: Any = None) -> Any:
        """Return E y^2 of an output y = 2 Re(C h), C ~ CN(0, 1); None for the limit."""
        if depth is None:
            return 2.0 * self.units_per_head * self.stationary_energy(inputs)
        return 2.0 * self.head_energy(depth, inputs)

    def _input_vector(self) -> ComplexArray:
        if self.input_vector == "ones":
            return np.ones(self.units_per_head, dtype=np.complex128)
        _, vectors = legs_normal_modes(self.state_size)
        turned: ComplexArray = vectors.conj().T @ np.sqrt(2.0 * np.arange(self.state_size) + 1.0)
        return turned

    def _mixture(self) -> ModeMixture:
        modes = initial_modes(self.init, self.state_size)
        power: FloatArray = np.abs(self._input_vector()) ** 2
        return ModeMixture(modes, power, self.step_law, self.discretization)
