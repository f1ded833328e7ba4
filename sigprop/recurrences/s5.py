r"""S5: one state of P modes for all inputs, blocks of HiPPO-LegS, one step size per mode.

B is drawn real, P x H, and turned into the eigenbasis; C is drawn complex and turned, or
drawn there. What is called LeCun for either is not 1/H: the public initialiser counts the last
two axes, so that the entries of B have variance 1/P, and of C, by its name,

- "lecun_normal": :math:`E|C|^2 = 2/(PH)`, so :math:`E y^2 = 2m/H`;
- "trunc_standard_normal": :math:`2/P` (LeCun row by row), :math:`E y^2 = 2m`;
- "complex_normal": 1, :math:`E y^2 = P m`,

where m is the mean energy of a stored mode.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sigprop._arguments import as_choice, as_integer
from sigprop.recurrences.channels import StateSpace
from sigprop.recurrences.diagonal import DiagonalLayer, stacked
from sigprop.recurrences.protocol import State, as_generator
from sigprop.recurrences.state_space import (
    ModeMixture,
    input_factor,
    legs_normal_modes,
    log_transition,
)
from sigprop.recurrences.vectors import normals

C_INITS = ("lecun_normal", "trunc_standard_normal", "complex_normal")


@dataclass(frozen=True)
class S5(StateSpace):
    r"""S5 at initialisation; energies are means over step sizes, B, C and the inputs.

    Parameters
    ----------
    state_size : int
        P; P/2 complex modes are stored (conjugate symmetry).
    input_size : int
        Number H of inputs, and of outputs.
    blocks : int
        Number J of equal blocks; P/J is even.
    c_init : {"trunc_standard_normal", "lecun_normal", "complex_normal"}
        Law of C.
    discretization : {"zoh", "bilinear", "euler"}
        How the modes are discretised.
    dt_min, dt_max : float
        Step sizes are log-uniform between them, one for every stored mode;
        1e-100 <= dt_min <= dt_max.
    inputs : "white", "constant", ("ar1", rho) or autocorrelation array
        Law of the inputs in time.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    The energy per unit (stored mode) is H/P times the mean energy of a mode with B = 1.

    References
    ----------
    arXiv 2208.04933.

    Examples
    --------
    >>> outputs = [S5(c_init=name).output_energy() for name in C_INITS]
    >>> [round(y / outputs[1], 6) for y in outputs]
    [0.007812, 1.0, 128.0]
    """

    state_size: int = 256
    input_size: int = 128
    blocks: int = 8
    c_init: str = "trunc_standard_normal"

    model: ClassVar[str] = "s5"

    def __post_init__(self) -> None:
        self._set("state_size", as_integer("state_size", self.state_size, 2))
        self._set("input_size", as_integer("input_size", self.input_size, 1))
        self._set("blocks", as_integer("blocks", self.blocks, 1))
        if self.state_size % (2 * self.blocks):
            raise ValueError(
                f"state_size must be a multiple of 2 blocks = {2 * self.blocks}, "
                f"got {self.state_size}"
            )
        self._set("c_init", as_choice("c_init", self.c_init, C_INITS))
        self._set("width", self.state_size // 2)
        super().__post_init__()

    @property
    def block_size(self) -> int:
        """Size P/J of a block before half of its modes are dropped."""
        return self.state_size // self.blocks

    @property
    def input_width(self) -> int:
        """Number of entries of one input, H."""
        return self.input_size

    @property
    def layer_size(self) -> int:
        """Numbers that one drawn layer holds."""
        return self.width * (1 + 2 * self.input_size)

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> DiagonalLayer:
        """Draw one layer, or ``batch`` independent layers: step sizes, B, C and D ~ N(0, 1).

        The output matrix of the layer is 2 C, so that its output is y = 2 Re(C h) + D u. B and
        C are normals; the public code truncates them and restores the variance.

        Examples
        --------
        >>> S5(8, 3, 2).sample(np.random.default_rng(0)).input_matrix.shape
        (4, 3)
        """
        as_generator(rng)
        if batch is not None:
            layers = [self.sample(rng) for _ in range(as_integer("batch", batch, 1))]
            return stacked(layers)
        p, h = self.state_size, self.input_size
        modes, vectors = legs_normal_modes(self.block_size)
        tiled = np.tile(modes, self.blocks)
        dt = self.step_law.sample(rng, (self.width,))
        b = rng.standard_normal((p, h)) / math.sqrt(p)
        by_block = b.reshape(self.blocks, self.block_size, h)
        turned = (vectors.conj().T @ by_block).reshape(self.width, h)
        factor = input_factor(tiled, dt, self.discretization)[:, np.newaxis]
        return DiagonalLayer(
            log_transition(tiled, dt, self.discretization),
            np.ones(self.width),
            factor * turned,
            2.0 * self._draw_output(rng, vectors),
            rng.standard_normal(h),
        )

    def _draw_output(self, rng: np.random.Generator, vectors: State) -> State:
        h = self.input_size
        if self.c_init == "complex_normal":
            return normals(rng, (h, self.width), "complex")
        drawn = normals(rng, (h, self.blocks, self.block_size), "complex")
        turned: State = (drawn @ vectors).reshape(h, self.width)
        return math.sqrt(self.output_power) * turned

    def first_state(self, layer: DiagonalLayer, inputs: State) -> State:
        """Return the state after the first input."""
        return layer.first_state(inputs)

    def step(self, layer: DiagonalLayer, state: State, inputs: State | None = None) -> State:
        """Return the next state."""
        return layer.step(state, inputs)

    @property
    def output_power(self) -> float:
        """E|C|^2 of an entry of C: 2/(P H), 2/P or 1."""
        p = self.state_size
        return {
            "lecun_normal": 2.0 / (p * self.input_size),
            "trunc_standard_normal": 2.0 / p,
            "complex_normal": 1.0,
        }[self.c_init]

    def output_energy(self, depth: Any = None, inputs: Any = None) -> Any:
        """Return E y^2 of an output y = 2 Re(C h), without D; None for the limit."""
        if depth is None:
            energy: Any = self.stationary_energy(inputs)
        else:
            energy = self.state_energy(depth, inputs)
        return self.state_size * self.output_power * energy

    def _mixture(self) -> ModeMixture:
        modes, _ = legs_normal_modes(self.block_size)
        power = np.full(modes.size, self.input_size / self.state_size)
        return ModeMixture(modes, power, self.step_law, self.discretization)
