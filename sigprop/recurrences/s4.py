r"""S4 at initialisation: channels with the dense HiPPO-LegS matrix, bilinear discretisation.

The stationary energy of a channel with step size Delta is exactly :math:`\Delta N/2`: half the
step size per unit (`sigprop.recurrences.legs`). The matrix is not normal, so there are no
decays; energies at a lag are norms of powers of N x N matrices.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sigprop._arguments import FloatArray, as_integer
from sigprop._products import matvec
from sigprop.recurrences.legs import bilinear_pair, legs_gramian, legs_matrices
from sigprop.recurrences.log_uniform import LogUniformLaw
from sigprop.recurrences.protocol import State, as_generator
from sigprop.recurrences.random_modes import law_lags, law_rho
from sigprop.recurrences.state_space import as_steps, log_transition
from sigprop.recurrences.structured import NoFormulaError, StructuredRecurrence
from sigprop.theory.input_laws import InputLaw

MAX_STATE_SIZE = 256

_STEPWISE = 512  # lags up to which powers are taken one by one
# Nodes for every unit of ln(dt): a channel answers like N waves. Measured for N = 16 and 64:
# half as many give the energies to 1e-13.
_NODES_PER_FOLD = 20.0
_NODES_PER_UNIT = 0.6


@dataclass(frozen=True, eq=False)
class DenseChannels:
    r"""One S4 layer of H channels of N real units, or a batch along the leading axis.

    Attributes
    ----------
    transition : ndarray of float64, shape (..., H, N, N)
        Discretised A.
    input_vector : ndarray of float64, shape (..., H, N)
        Discretised B.
    output_vector : ndarray of float64, shape (..., H, N)
        C.
    """

    transition: FloatArray
    input_vector: FloatArray
    output_vector: FloatArray

    def __len__(self) -> int:
        """Return the number of layers of a batch."""
        if self.input_vector.ndim < 3:
            raise TypeError("a single layer has no length; draw a batch")
        return len(self.input_vector)

    def __getitem__(self, index: Any) -> DenseChannels:
        """Return one layer of a batch, or some of them."""
        return DenseChannels(*(getattr(self, item.name)[index] for item in fields(self)))

    def first_state(self, inputs: State) -> State:
        """Return the state after the first input."""
        return self._flat(self.input_vector * inputs[..., np.newaxis])

    def step(self, state: State, inputs: State | None = None) -> State:
        """Return the next state."""
        turned = self._flat(matvec(self.transition, self._by_channel(state)))
        return turned if inputs is None else turned + self.first_state(inputs)

    def output(self, state: State) -> State:
        """Return y = C h of every channel."""
        y: State = np.sum(self.output_vector * self._by_channel(state), axis=-1)
        return y

    def _by_channel(self, state: State) -> State:
        return state.reshape(*state.shape[:-1], *self.input_vector.shape[-2:])

    def _flat(self, channels: State) -> State:
        return channels.reshape(*channels.shape[:-2], channels.shape[-2] * channels.shape[-1])


@dataclass(frozen=True)
class S4(StructuredRecurrence):
    r"""S4 with HiPPO-LegS at initialisation; energies are means over step sizes and inputs.

    Parameters
    ----------
    state_size : int
        N real units of a channel, at most `MAX_STATE_SIZE`.
    channels : int
        Number H >= 1 of channels, each with an input, an output and a step size of its own.
    dt_min, dt_max : float
        Step sizes are log-uniform between them, 1e-100 <= dt_min <= dt_max.
    inputs : "white", "constant", ("ar1", rho) or autocorrelation array
        Law of the inputs in time.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    `state_energy` is per real unit, `head_energy` per channel. The output y = C h with C ~
    N(0, 1), which is 2 Re over the N/2 stored modes of the normal form with C ~ CN(0, 1), has
    :math:`E y^2` equal to the energy of the channel.

    Constant inputs lead to the state :math:`-A^{-1}B u = e_0 u`: energy 1 per channel, whatever
    the step size. Correlated inputs have a formula in the stationary state only.

    Energies at a lag are means over nodes in ln(dt), with absolute error 1e-13 of the
    stationary energy; log2(k) products of N x N matrices at each node, and the same for every
    lag beyond 512: `input_schedule` of more steps than that takes many seconds for N = 64.

    References
    ----------
    arXiv 2111.00396.

    Examples
    --------
    >>> layer = S4(64, dt_min=0.01, dt_max=0.01)
    >>> round(layer.units_per_head * layer.stationary_energy(), 12)
    0.32
    >>> round(layer.head_energy(10**4, "constant").item(), 12)
    1.0
    """

    width: int = dataclasses.field(init=False, repr=False)
    state_size: int = 64
    channels: int = 1
    _: KW_ONLY
    dt_min: float = 1e-3
    dt_max: float = 1e-1

    model: ClassVar[str] = "s4"
    field: ClassVar[str] = "real"
    gradient_parameters: ClassVar[tuple[str, ...]] = ("state",)

    def __post_init__(self) -> None:
        self._set("state_size", as_integer("state_size", self.state_size, 1))
        if self.state_size > MAX_STATE_SIZE:
            raise ValueError(f"state_size must be at most {MAX_STATE_SIZE}, got {self.state_size}")
        self._set("channels", as_integer("channels", self.channels, 1))
        self._set("width", self.channels * self.state_size)
        super().__post_init__()
        low, high = as_steps(self.dt_min, self.dt_max)
        self._set("dt_min", low)
        self._set("dt_max", high)

    @property
    def units_per_head(self) -> int:
        """Units of a channel, N."""
        return self.state_size

    @property
    def input_width(self) -> int:
        """Number of entries of one input: one for every channel."""
        return self.channels

    @property
    def layer_size(self) -> int:
        """Numbers that one drawn layer holds."""
        return self.width * (self.state_size + 2)

    @property
    def step_law(self) -> LogUniformLaw:
        """Law of the step sizes."""
        return LogUniformLaw(self.dt_min, self.dt_max)

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> DenseChannels:
        """Draw one layer, or ``batch`` independent layers: step sizes and C.

        Examples
        --------
        >>> S4(8, 3).sample(np.random.default_rng(0)).transition.shape
        (3, 8, 8)
        """
        count = 1 if batch is None else as_integer("batch", batch, 1)
        as_generator(rng)
        shape = (self.channels, self.state_size)
        drawn = [
            (self.step_law.sample(rng, (self.channels,)), rng.standard_normal(shape))
            for _ in range(count)
        ]
        dt, c = (np.stack(part) for part in zip(*drawn, strict=True))
        transition, b = bilinear_pair(self.state_size, dt)
        layers = DenseChannels(transition, b, c)
        return layers[0] if batch is None else layers

    def first_state(self, layer: DenseChannels, inputs: State) -> State:
        """Return the state after the first input."""
        return layer.first_state(inputs)

    def step(self, layer: DenseChannels, state: State, inputs: State | None = None) -> State:
        """Return the next state."""
        return layer.step(state, inputs)

    def output_energy(self, depth: Any = None, inputs: Any = None) -> Any:
        """Return E y^2 of an output y = C h, C ~ N(0, 1); None for the limit."""
        if depth is None:
            return self.units_per_head * self.stationary_energy(inputs)
        return self.head_energy(depth, inputs)

    # Means over the step size

    @cached_property
    def _nodes(self) -> tuple[FloatArray, FloatArray]:
        """Nodes and weights of the law of the step size."""
        if self.dt_min == self.dt_max:
            return np.array([self.dt_min]), np.ones(1)
        length = self.step_law.length
        per_fold = _NODES_PER_FOLD + _NODES_PER_UNIT * self.state_size
        count = math.ceil(per_fold * length) + 10
        x, weight = np.polynomial.legendre.leggauss(count)
        return self.dt_min * np.exp(0.5 * length * (x + 1.0)), 0.5 * weight

    @cached_property
    def _pair(self) -> tuple[FloatArray, FloatArray]:
        return bilinear_pair(self.state_size, self._nodes[0])

    def _powers(self, columns: FloatArray, exponent: int) -> FloatArray:
        """Return A^k times the columns, shape (nodes, N, c), by repeated squaring."""
        square = self._pair[0]
        while exponent:
            if exponent & 1:
                columns = square @ columns
            exponent >>= 1
            if exponent:
                square = square @ square
        return columns

    def _mean(self, values: FloatArray) -> float:
        """Return the mean over the step size of the squares, per unit."""
        by_node = np.sum(values**2, axis=tuple(range(1, values.ndim)))
        return float(self._nodes[1] @ by_node) / self.state_size

    def _stepwise(self, last: int) -> Iterator[float]:
        """Yield Q_0, Q_1, ..., Q_last."""
        transition, vector = self._pair
        for _ in range(last + 1):
            yield self._mean(vector)
            vector = (transition @ vector[..., np.newaxis])[..., 0]

    # Energies

    def _impulse(self, lags: FloatArray) -> FloatArray:
        if lags.size == 0:
            return lags
        result = np.empty(lags.size)
        near = lags.ravel() <= _STEPWISE
        if near.any():
            first = np.array(list(self._stepwise(int(lags.ravel()[near].max()))))
            result[near] = first[lags.ravel()[near].astype(np.intp)]
        column = self._pair[1][..., np.newaxis]
        far = [self._mean(self._powers(column, int(k))) for k in lags.ravel()[~near]]
        result[~near] = far
        return result.reshape(lags.shape)

    def _drop(self, lags: FloatArray) -> FloatArray:
        return self._impulse(lags) - self._impulse(lags + 1.0)

    def _beyond(self, lags: FloatArray) -> FloatArray:
        """Return the sum over k > T: the trace of A^(T+1) (dt J) A^(T+1)^T."""
        factor = np.linalg.cholesky(legs_gramian(self.state_size))
        scaled = np.sqrt(self._nodes[0])[:, np.newaxis, np.newaxis] * factor
        sums = [self._mean(self._powers(scaled, int(lag) + 1)) for lag in np.ravel(lags)]
        return np.array(sums).reshape(np.shape(lags))

    def _white_energy(self, depths: FloatArray) -> FloatArray:
        flat = depths.ravel()
        result = np.empty(flat.size)
        near = flat <= _STEPWISE
        if near.any():
            sums = np.cumsum(list(self._stepwise(int(flat[near].max()))))
            result[near] = sums[flat[near].astype(np.intp)]
        result[~near] = self._white_stationary() - self._beyond(flat[~near])
        return result.reshape(depths.shape)

    def _white_stationary(self) -> float:
        return 0.5 * self.step_law.mean()

    def _mean_lag(self) -> float:
        r"""Return the mean lag by one Lyapunov equation.

        :math:`\sum_k k Q_k` is the trace of :math:`Y = L - \tfrac{\Delta}{2} J + \tfrac{\Delta^2}
        {4} A L A^T` with :math:`A L + L A^T = -J`.
        """
        from scipy.linalg import solve_continuous_lyapunov

        a, _ = legs_matrices(self.state_size)
        solution = solve_continuous_lyapunov(a, -legs_gramian(self.state_size))
        dt, weight = self._nodes
        square = float(weight @ dt**2)
        mean = self.step_law.mean()
        total = np.trace(solution) - 0.25 * mean * self.state_size
        total += 0.25 * square * np.trace(a @ solution @ a.T)
        return float(total) / (0.5 * mean * self.state_size)

    def _e_fold(self) -> float:
        modes = -np.arange(1.0, self.state_size + 1.0).astype(np.complex128)
        ends = np.array([[self.dt_min], [self.dt_max]])
        return 0.5 / float((-log_transition(modes, ends, "bilinear").real).min())

    def _participation(self) -> float:
        raise NoFormulaError(
            f"no formula for the participation of {self!r}: its matrix is not normal"
        )

    def _coloured_energy(self, depths: FloatArray, law: InputLaw) -> FloatArray:
        if law != "constant":
            raise self._no_formula("energy at a finite depth", law)
        start = np.zeros((self._nodes[0].size, self.state_size, 1))
        start[:, 0] = 1.0
        energies = [self._mean(start - self._powers(start, int(t) + 1)) for t in depths.ravel()]
        return np.array(energies).reshape(depths.shape)

    def _coloured_stationary(self, law: InputLaw) -> float:
        if law == "constant":
            return 1.0 / self.state_size
        dt, weight = self._nodes
        gramian = legs_gramian(self.state_size)
        transition = self._pair[0]
        rho = law_rho(law)
        if rho is not None:
            moved = rho * transition
            one = np.eye(self.state_size)
            # X + 2 sum_d (rho A)^d X = (1 - rho A)^-1 (1 + rho A) X.
            cross = np.linalg.solve(one - moved, (one + moved) @ gramian)
        else:
            cross = np.broadcast_to(gramian, transition.shape).copy()
            power = np.broadcast_to(gramian, transition.shape)
            for value in law_lags(law, 2**31)[1:]:
                power = transition @ power
                cross += 2.0 * value * power
        traces = np.trace(cross, axis1=-2, axis2=-1)
        return float((weight * dt) @ traces) / self.state_size

    def _gradient(self, parameter: str, depths: FloatArray | None) -> FloatArray:
        if depths is None:
            return np.asarray(0.0)
        one = np.broadcast_to(np.eye(self.state_size), self._pair[0].shape)
        energies = [self._mean(self._powers(one, int(t))) for t in depths.ravel()]
        return np.array(energies).reshape(depths.shape)
