r"""The RotRNN: heads :math:`x_t = \gamma A x_{t-1} + \xi B u_t` that rotate and decay.

:math:`A = P\,\Theta\,P^T` is a rotation of the N units of a head, with P = exp(M - M^T), M
Gaussian, and N/2 angles uniform on [0, max_phase]; :math:`\xi^2 = (1-\gamma^2)/
\operatorname{tr}(B^T B)`. A rotation keeps norms, so for white inputs the energy of a head is

.. math:: E\|x_t\|^2 = 1 - \gamma^{2(t+1)} + \gamma^{2(t+1)} E\|x_{-1}\|^2

for every draw of P, the angles and B: from a zero state it *grows* to 1 exactly as that of an
LRU with normalised inputs does, and it is 1 at every t if the first input is not scaled down.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from sigprop._arguments import (
    FloatArray,
    as_choice,
    as_finite_float,
    as_integer,
    as_integer_array,
    shown,
)
from sigprop.recurrences import one_mode, random_modes
from sigprop.recurrences.diagonal_lru import FIRST_STEPS, MAX_COLOURED_DEPTH, DiagonalLRU
from sigprop.recurrences.log_uniform import LogUniformLaw
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.phase import FULL_PHASE
from sigprop.recurrences.protocol import State, as_generator
from sigprop.recurrences.ring import RadiusRule, RingLaw
from sigprop.recurrences.rotary import (
    RotationLayer,
    head_traces,
    output_variance,
    trace_scale,
)
from sigprop.recurrences.rotations import exponentials
from sigprop.recurrences.structured import MAX_DEPTH, StructuredRecurrence
from sigprop.theory.input_laws import InputLaw

DECAYS = ("log_uniform", "ring")
OUTPUT_LAWS = ("both_sizes", "state_size")


@dataclass(frozen=True)
class RotRNN(StructuredRecurrence):
    r"""RotRNN at initialisation; energies are means over the initialisation.

    Parameters
    ----------
    heads : int
        Number H >= 1 of heads.
    head_size : int
        Number N of units of a head, even.
    gamma_min, gamma_max : float
        Ends of the decays, 0 < gamma_min <= gamma_max < 1; 0 and 1 are allowed for "ring".
    decay : {"log_uniform", "ring"}
        Law of gamma: :math:`-\ln\gamma` log-uniform (the published layer), or gamma^2
        uniform (the published snippet, the ring law of the LRU).
    max_phase : float
        Angles are uniform on [0, max_phase], 0 < max_phase <= 2 pi.
    first_step : {"scaled", "unit"}
        Whether the first input enters with xi like all others, or with
        :math:`1/\sqrt{\operatorname{tr}(B^T B)}`: then the white energy is 1 from the start.
    input_size : int, optional
        Size d of the inputs, which enter by a Gaussian B. None (default) gives every unit
        an independent input of its own: the same mean energies, less to simulate.
    output_size : int, optional
        Number m of outputs y = C x; drawn if given, with the direct path D ~ N(0, 1) where
        m = d.
    output_law : {"both_sizes", "state_size"}
        Variance of the entries of C: 1/(m + H N) (the published layer) or 1/(H N) (the
        snippet).
    inputs : "white", "constant", ("ar1", rho) or autocorrelation array
        Law of the inputs in time.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    `state_energy` is per unit, 1/N in the stationary state; `head_energy` is per head, 1; and
    `layer_energy` is H. Energies for white inputs do not fluctuate from layer to layer but
    for the decay. For coloured inputs they depend on the angles,

    .. math:: E\|x_t\|^2 = (1-\gamma^2)\,\frac{2}{N} \sum_i S_t(\gamma e^{i\theta_i})

    in the mean over B, with the energy S of one mode, and never on P. The energies of one
    given layer: ``from_layer`` of what `rotrnn_to_lru` makes of it.

    References
    ----------
    arXiv 2407.07239.

    Examples
    --------
    >>> rot = RotRNN(heads=8, head_size=32)
    >>> round(rot.horizon("mean_lag"), 1), int(rot.horizon("burn_in"))
    (105.8, 482)
    >>> unit = RotRNN(8, 32, first_step="unit")
    >>> unit.head_energy([0, 10, 1000]).round(12).tolist()
    [1.0, 1.0, 1.0]
    """

    width: int = dataclasses.field(init=False, repr=False)
    heads: int
    head_size: int
    gamma_min: float = 0.9
    gamma_max: float = 0.999
    decay: str = "log_uniform"
    max_phase: float = FULL_PHASE
    _: KW_ONLY
    first_step: str = "scaled"
    input_size: int | None = None
    output_size: int | None = None
    output_law: str = "both_sizes"

    model: ClassVar[str] = "rotrnn"
    field: ClassVar[str] = "real"
    gradient_parameters: ClassVar[tuple[str, ...]] = ("state", "gamma", "gamma_log", "theta")

    def __post_init__(self) -> None:
        self._set("heads", as_integer("heads", self.heads, 1))
        self._set("head_size", as_integer("head_size", self.head_size, 2))
        if self.head_size % 2:
            raise ValueError(f"head_size must be even, got {self.head_size}")
        self._set("width", self.heads * self.head_size)
        super().__post_init__()
        self._set("decay", as_choice("decay", self.decay, DECAYS))
        self._check_gammas()
        self._set("max_phase", as_finite_float("max_phase", self.max_phase))
        if not 0.0 < self.max_phase <= FULL_PHASE:
            raise ValueError(f"max_phase must lie in (0, 2 pi], got {self.max_phase!r}")
        self._set("first_step", as_choice("first_step", self.first_step, FIRST_STEPS))
        self._set("output_law", as_choice("output_law", self.output_law, OUTPUT_LAWS))
        for name in ("input_size", "output_size"):
            if getattr(self, name) is not None:
                self._set(name, as_integer(name, getattr(self, name), 1))

    def _check_gammas(self) -> None:
        low = as_finite_float("gamma_min", self.gamma_min)
        high = as_finite_float("gamma_max", self.gamma_max)
        closed = self.decay == "ring"
        if not (0.0 <= low <= high <= 1.0 if closed else 0.0 < low <= high < 1.0):
            ends = (
                "0 <= gamma_min <= gamma_max <= 1"
                if closed
                else ("0 < gamma_min <= gamma_max < 1 (decay 'ring' takes 0 and 1)")
            )
            raise ValueError(
                f"gamma_min and gamma_max must satisfy {ends}, got {low!r} and {high!r}"
            )
        self._set("gamma_min", low)
        self._set("gamma_max", high)

    @property
    def units_per_head(self) -> int:
        """Units of a head, N."""
        return self.head_size

    # Simulation

    @property
    def input_width(self) -> int:
        """Number of entries of one input."""
        return self.width if self.input_size is None else self.input_size

    @property
    def layer_size(self) -> int:
        """Numbers that one drawn layer holds."""
        around = (self.input_size or 0) + (self.output_size or 0)
        return self.width * (2 * self.head_size + around)

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> RotationLayer:
        """Draw one layer, or ``batch`` independent layers: decay, angles, P, B, C, D in turn.

        Examples
        --------
        >>> layer = RotRNN(2, 4).sample(np.random.default_rng(0))
        >>> layer.basis.shape, layer.angle.shape
        ((2, 4, 4), (2, 2))
        """
        count = 1 if batch is None else as_integer("batch", batch, 1)
        as_generator(rng)
        columns = zip(*(self._draw(rng) for _ in range(count)), strict=True)
        drawn: list[Any] = [None if column[0] is None else np.stack(column) for column in columns]
        nu, angle, generators, b, c, d = drawn
        log_decay = -np.minimum(nu, one_mode.LARGEST_DECAY)
        traces = head_traces(b, log_decay.shape, self.head_size)
        layers = RotationLayer(
            log_decay,
            angle,
            exponentials(generators),
            trace_scale(log_decay, traces),
            b,
            c,
            d,
            1.0 / np.sqrt(traces) if self.first_step == "unit" else None,
        )
        return layers[0] if batch is None else layers

    def _draw(self, rng: np.random.Generator) -> tuple[FloatArray | None, ...]:
        """Draw the numbers of one layer: -ln gamma, angles, M, B, C, D."""
        h, n = self.heads, self.head_size
        nu: FloatArray = self._decay_law.sample(rng, (h,))
        angle = self.max_phase * rng.random((h, n // 2))
        generators = rng.standard_normal((h, n, n))
        b = c = d = None
        if self.input_size is not None:
            b = rng.standard_normal((self.width, self.input_size))
        if self.output_size is not None:
            variance = output_variance(self.output_law, self.output_size, self.width)
            c = math.sqrt(variance) * rng.standard_normal((self.output_size, self.width))
            if self.output_size == self.input_size:
                d = rng.standard_normal(self.output_size)
        return nu, angle, generators, b, c, d

    def first_state(self, layer: RotationLayer, inputs: State) -> State:
        """Return x_0 = xi B u_0."""
        return layer.first_state(inputs)

    def step(self, layer: RotationLayer, state: State, inputs: State | None = None) -> State:
        """Return gamma A x, or gamma A x + xi B u when ``inputs`` u is given."""
        return layer.step(state, inputs)

    # Energies

    def decay_factor(self, lag: Any) -> Any:
        r"""Return :math:`E\gamma^{2k}`, what is left of the energy of a state k steps later.

        Parameters
        ----------
        lag : int or array_like of int
            Lags k >= 0.

        Returns
        -------
        float64 or ndarray of float64

        Examples
        --------
        >>> round(float(RotRNN(1, 2).decay_factor(10)), 12)
        0.711209190848
        """
        return self._decay_factors(as_integer_array("lag", lag, 0, MAX_DEPTH))[()]

    def head_energy_from(self, initial: float, depth: Any) -> Any:
        r"""Return :math:`E\|x_t\|^2 = 1 + E\gamma^{2(t+1)}\,(e - 1)` per head, white inputs.

        Parameters
        ----------
        initial : float >= 0
            Energy :math:`e = E\|x_{-1}\|^2` of the head before the first input, independent
            of the inputs and of gamma. Every input is scaled by xi, the first one too.
        depth : int or array_like of int
            Depths t >= 0.

        Examples
        --------
        >>> RotRNN(1, 2).head_energy_from(1.0, [0, 5]).round(12).tolist()
        [1.0, 1.0]
        """
        start = as_finite_float("initial", initial)
        if start < 0.0:
            raise ValueError(f"initial must be >= 0, got {start!r}")
        depths = as_integer_array("depth", depth, 0, MAX_DEPTH)
        entered = self.head_size * self._mode_rule().running(depths)
        if self._never_decays:
            entered = np.zeros_like(depths)
        return (entered + start * self._decay_factors(depths + 1.0))[()]

    def output_energy(self, depth: Any = None, inputs: Any = None) -> Any:
        """Return E y^2 of an output y = C x, without D; None for the limit.

        The limit for white inputs is H/(m + H N), or 1/N for outputs scaled by the state size.

        Raises
        ------
        ValueError
            If the layer has no outputs.
        """
        if self.output_size is None:
            raise ValueError("output_energy needs output_size, got None")
        variance = output_variance(self.output_law, self.output_size, self.width)
        if depth is None:
            return variance * self.units_per_layer * self.stationary_energy(inputs)
        return variance * self.layer_energy(depth, inputs)

    @property
    def _decay_law(self) -> Any:
        """Law of the decays, whose ``sample`` draws nu = -ln(gamma)."""
        if self.decay == "ring":
            return RingLaw(self.gamma_min, self.gamma_max)
        return LogUniformLaw(-math.log(self.gamma_max), -math.log(self.gamma_min))

    @property
    def _radius_rule(self) -> RadiusRule:
        """Quadrature rule of the law of gamma."""
        if self.decay == "ring":
            rule: RadiusRule = self._decay_law.rule()
            return rule
        nu, weight = self._decay_law.rule()
        return RadiusRule(np.exp(-nu), -np.expm1(-nu), weight)

    @property
    def _never_decays(self) -> bool:
        return self.gamma_min == 1.0

    def _mode_rule(self) -> MomentRule:
        """Return the decays and the weights per unit."""
        rule = self._radius_rule
        return MomentRule(rule.log_q, rule.weight * rule.q_gap / self.head_size)

    def _rule(self) -> MomentRule:
        return self._mode_rule()

    def _decay_factors(self, lags: FloatArray) -> FloatArray:
        if self.decay == "ring":
            factors: FloatArray = self._decay_law.moment(2.0 * lags)
            return factors
        rule = self._radius_rule
        return MomentRule(rule.log_q, rule.weight).impulse(lags)

    def _impulse(self, lags: FloatArray) -> FloatArray:
        if self.decay == "ring":
            # Head by head the ring law is that of the LRU, closed forms at all lags included.
            lru = DiagonalLRU(1, self.gamma_min, self.gamma_max)
            return np.asarray(lru.impulse_energy(lags)) / self.head_size
        return super()._impulse(lags)

    def _white_energy(self, depths: FloatArray) -> FloatArray:
        if self.first_step == "unit":
            return np.full_like(depths, 1.0 / self.head_size)
        return super()._white_energy(depths)

    def _white_stationary(self) -> float:
        if self._never_decays and self.first_step == "scaled":
            return 0.0
        return 1.0 / self.head_size

    def _beyond(self, lags: FloatArray) -> FloatArray:
        return self._decay_factors(np.asarray(lags) + 1.0) / self.head_size

    def _mean_lag(self) -> float:
        return math.inf if self.gamma_max == 1.0 else super()._mean_lag()

    def _e_fold(self) -> float:
        if self.gamma_max in (0.0, 1.0):
            return math.inf if self.gamma_max == 1.0 else 0.0
        return -0.5 / math.log(self.gamma_max)

    # Coloured inputs

    def _coloured_energy(self, depths: FloatArray, law: InputLaw) -> FloatArray:
        if self.max_phase == FULL_PHASE:  # no colour is seen, however a step is scaled
            return self._white_energy(depths)
        if self.first_step == "unit":
            raise self._no_formula("energy from an unscaled first input", law)
        if float(depths.max()) > MAX_COLOURED_DEPTH:
            raise ValueError(
                f"depth must be at most {MAX_COLOURED_DEPTH} for inputs {shown(law)} and "
                f"restricted phases, got {int(depths.max())}"
            )
        energies = random_modes.coloured_energy(self._radius_rule, self.max_phase, 0.0, depths, law)
        return energies / self.head_size

    def _coloured_stationary(self, law: InputLaw) -> float:
        if self._never_decays:
            return self._white_stationary()
        energy = random_modes.coloured_stationary(self._radius_rule, self.max_phase, 0.0, law)
        return energy / self.head_size

    # Gradients

    def _gradient(self, parameter: str, depths: FloatArray | None) -> FloatArray:
        if parameter == "state":
            if depths is None:
                return np.asarray(1.0 if self._never_decays else 0.0)
            return self._decay_factors(depths)
        bounded = parameter == "gamma_log"
        if depths is None and self.gamma_max == 1.0 and not bounded:
            return np.asarray(math.inf)
        rule = self._radius_rule
        weight = self._mode_rule().weight
        if parameter != "gamma":
            weight = weight * rule.radius**2
        if parameter == "gamma_log":
            weight = weight * (0.5 * rule.log_q) ** 2
        if depths is None:
            return np.asarray(weight @ one_mode.derivative_energies(rule.log_q, None))
        energies = [weight @ one_mode.derivative_energies(rule.log_q, t) for t in depths.ravel()]
        return np.array(energies).reshape(depths.shape)
