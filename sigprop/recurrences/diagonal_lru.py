r"""The diagonal LRU, :math:`h_t = \lambda\odot h_{t-1} + \gamma\odot(B u_t)`, ring initialisation.

Eigenvalues are :math:`\lambda = \exp(-e^{\nu_{log}} + i e^{\theta_{log}})` with r^2 = |lambda|^2
uniform on [r_min^2, r_max^2] and theta uniform on [0, max_phase]. With Q_k = E r^(2k):

- without normalisation the energy is :math:`S_t = \sum_{k\le t} Q_k`, with the limit
  :math:`\ln((1-a)/(1-b))/(b-a)`, a = r_min^2, b = r_max^2;
- with :math:`\gamma = \sqrt{1-r^2}` it is :math:`1 - Q_{t+1}` for white inputs;
- for coloured inputs it depends on the phases: see `sigprop.recurrences.phase`.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from sigprop._arguments import FloatArray, as_choice, as_finite_float, as_integer, shown
from sigprop.recurrences import one_mode, random_modes
from sigprop.recurrences.diagonal import ComplexArray, DiagonalLayer, DiagonalRecurrence, stacked
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.phase import FULL_PHASE
from sigprop.recurrences.protocol import as_generator
from sigprop.recurrences.ring import RingLaw
from sigprop.recurrences.vectors import normals
from sigprop.theory.input_laws import InputLaw, as_input_law

Normalization = str | tuple[str, float] | None
"""``"gamma"``, ``None`` or ``("ar1", rho)``; ``"constant"`` is the limit rho = 1."""

CODE_MAX_PHASE = 6.28
"""Largest phase of the public code: 2 pi but for a wedge of 3.2 mrad next to phase zero.

White inputs do not see it. Constant ones do: on the ring [0.999, 0.9999] the mean energy is
0.5544 with it, and 1 with the full circle.
"""

FIRST_STEPS = ("scaled", "unit")

MAX_COLOURED_DEPTH = 10**6
"""Deepest state for coloured inputs and a restricted phase: a sum over all lags."""

_DEEP = 20.0  # k (1 - b) from which the closed form of Q_k - Q_{k+1} does not cancel

_PRESETS: dict[str, tuple[int, float, float, float]] = {
    "sCIFAR": (384, 0.9, 0.999, FULL_PHASE),
    "ListOps": (256, 0.0, 0.99, FULL_PHASE),
    "Text": (192, 0.5, 0.9, FULL_PHASE),
    "Retrieval": (256, 0.5, 0.9, FULL_PHASE),
    "Pathfinder": (256, 0.9, 0.999, FULL_PHASE),
    "PathX": (256, 0.999, 0.9999, math.pi / 10.0),
}

PRESETS = tuple(_PRESETS)
"""Tasks of the long-range arena and sequential CIFAR with published ring parameters."""


@dataclass(frozen=True, repr=False)
class DiagonalLRU(DiagonalRecurrence):
    r"""Diagonal LRU with ring initialisation; energies are means over the initialisation.

    Parameters
    ----------
    width : int
        Number n >= 1 of complex units.
    r_min, r_max : float
        Ends of the ring, 0 <= r_min <= r_max <= 1: r^2 is uniform between their squares.
    max_phase : float
        Phases are uniform on [0, max_phase], 0 < max_phase <= 2 pi. The public code has
        `CODE_MAX_PHASE` = 6.28.
    normalization : "gamma", None, ("ar1", rho) or "constant"
        Scale of the input of every mode: :math:`\sqrt{1-|\lambda|^2}` (the LRU), 1, or the
        scale that gives AR(rho) inputs the stationary energy 1 (`one_mode.matched_scale`).
    first_step : {"scaled", "unit"}
        Whether the first input is scaled as all others, or enters with scale 1: then the
        "gamma" energy for white inputs is 1 from the first step on.
    input_size : int, optional
        Size d of the inputs, real, which enter by B with Re B, Im B ~ N(0, 1/(2d)). None
        (default) gives every unit an independent complex input of its own, which has the
        same mean energies and costs less to simulate.
    output_size : int, optional
        Number m of outputs of y = Re(C h), Re C, Im C ~ N(0, 1/n); drawn if given, with the
        direct path D ~ N(0, 1) where m = d.
    inputs : "white", "constant", ("ar1", rho) or autocorrelation array
        Law of the inputs in time.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    "gamma" is a normaliser for *white* inputs. For constant ones it gives 1 only with the
    full phase; otherwise up to pi/max_phase: 9.99 for the PathX preset. Even then the mean
    over initialisations is not typical: few modes near phase zero carry it. The median layer
    is found by simulation (`sigprop.simulate` returns the median, `from_layer` the energy
    of a drawn layer).

    :math:`E y^2` of an output is :math:`S_t` (without D).

    References
    ----------
    arXiv 2303.06349 (the layer, Table 8 for the presets).

    Examples
    --------
    >>> lru = DiagonalLRU.from_preset("PathX")
    >>> round(lru.stationary_energy(), 12), round(lru.stationary_energy("constant"), 2)
    (1.0, 9.99)
    >>> DiagonalLRU(64, 0.9, 0.999, normalization=None).stationary_energy().__round__(6)
    24.225281
    """

    r_min: float = 0.0
    r_max: float = 1.0
    max_phase: float = FULL_PHASE
    normalization: Normalization = "gamma"
    _: KW_ONLY
    first_step: str = "scaled"
    input_size: int | None = None
    output_size: int | None = None

    model: ClassVar[str] = "diagonal_lru"
    gradient_parameters: ClassVar[tuple[str, ...]] = (
        "state",
        "eigenvalue",
        "nu_log",
        "theta",
        "theta_log",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        ring = RingLaw(self.r_min, self.r_max)
        self._set("r_min", ring.r_min)
        self._set("r_max", ring.r_max)
        self._set("max_phase", as_finite_float("max_phase", self.max_phase))
        if not 0.0 < self.max_phase <= FULL_PHASE:
            raise ValueError(f"max_phase must lie in (0, 2 pi], got {self.max_phase!r}")
        self._set("normalization", _as_normalization(self.normalization))
        self._set("first_step", as_choice("first_step", self.first_step, FIRST_STEPS))
        for name in ("input_size", "output_size"):
            if getattr(self, name) is not None:
                self._set(name, as_integer(name, getattr(self, name), 1))

    @classmethod
    def from_preset(cls, task: str, width: int | None = None, **changes: Any) -> Self:
        """Return the LRU of a published task; its width unless another is given.

        Parameters
        ----------
        task : {"sCIFAR", "ListOps", "Text", "Retrieval", "Pathfinder", "PathX"}
            Upper and lower case do not matter.
        width : int, optional
            Number of units.
        **changes
            Further arguments of the class, in place of those of the preset.

        Examples
        --------
        >>> DiagonalLRU.from_preset("ListOps").r_max
        0.99
        """
        names = {name.lower(): name for name in _PRESETS}
        if str(task).lower() not in names:
            options = ", ".join(repr(name) for name in _PRESETS)
            raise ValueError(f"task must be one of {options}, got {shown(task)}")
        units, r_min, r_max, phase = _PRESETS[names[str(task).lower()]]
        arguments = {"r_min": r_min, "r_max": r_max, "max_phase": phase, **changes}
        return cls(units if width is None else width, **arguments)

    @property
    def ring(self) -> RingLaw:
        """Law of the radii."""
        return RingLaw(self.r_min, self.r_max)

    # Simulation

    @property
    def input_width(self) -> int:
        """Number of entries of one input."""
        return self.width if self.input_size is None else self.input_size

    @property
    def input_field(self) -> str:
        """Field of the inputs: real where a matrix B mixes them."""
        return "complex" if self.input_size is None else "real"

    @property
    def layer_size(self) -> int:
        """Numbers that one drawn layer holds."""
        return self.width * (1 + (self.input_size or 0) + (self.output_size or 0))

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> DiagonalLayer:
        r"""Draw one layer, or ``batch`` independent layers.

        The numbers are those of :math:`\nu` and :math:`\theta`, layer after layer, from which
        eigenvalues and scales are computed with the digits of :math:`1 - |\lambda|`.

        Examples
        --------
        >>> layer = DiagonalLRU(4, 0.9, 0.99).sample(np.random.default_rng(0))
        >>> bool(np.all(np.abs(layer.eigenvalue) <= 0.99)), layer.scale.shape
        (True, (4,))
        """
        as_generator(rng)
        if batch is not None:
            layers = [self.sample(rng) for _ in range(as_integer("batch", batch, 1))]
            return stacked(layers)
        nu = self.ring.sample(rng, (self.width,))
        theta = self.max_phase * rng.random(self.width)
        log_eigenvalue = np.maximum(-nu, -one_mode.LARGEST_DECAY) + 1j * theta
        b = c = d = None
        if self.input_size is not None:
            b = normals(rng, (self.width, self.input_size), "complex")
            b /= math.sqrt(self.input_size)
        if self.output_size is not None:
            c = normals(rng, (self.output_size, self.width), "complex")
            c *= math.sqrt(2.0 / self.width)
            if self.output_size == self.input_size:
                d = rng.standard_normal(self.output_size)
        first = np.ones(self.width) if self.first_step == "unit" else None
        return DiagonalLayer(log_eigenvalue, self.input_scale(log_eigenvalue), b, c, d, first)

    def input_scale(self, log_eigenvalue: ComplexArray) -> FloatArray:
        """Return the scale of the input of modes of given -nu + i theta."""
        rho = self._matched_rho
        if rho is None:
            return np.ones(log_eigenvalue.shape)
        return one_mode.matched_scale(log_eigenvalue, rho)

    # Energies

    def output_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return E y^2 of an output y = Re(C h), without D: equal to `state_energy`."""
        return self.state_energy(depth, inputs)

    def stationary_spread(self) -> float:
        r"""Return the standard deviation over layers of the stationary energy, white inputs.

        :math:`\sqrt{(1/((1-a)(1-b)) - S_\infty^2)/n}` without normalisation, and 0 with
        "gamma": every mode has energy 1. B is not counted (every unit has its own input).

        Raises
        ------
        ValueError
            If the stationary energy is infinite.
        """
        mean = self.stationary_energy("white")
        if self.normalization == "gamma":
            return 0.0
        if self.normalization is None:
            rule = self.ring.rule()
            return math.sqrt(float(rule.weight @ (1.0 / rule.q_gap - mean) ** 2) / self.width)
        raise ValueError(
            f"stationary_spread must have normalization 'gamma' or None, got {self.normalization!r}"
        )

    @property
    def _matched_rho(self) -> float | None:
        """Correlation of the inputs that the scale is made for; None for no scale."""
        if self.normalization is None:
            return None
        if isinstance(self.normalization, tuple):
            return self.normalization[1]
        return {"gamma": 0.0, "constant": 1.0}[self.normalization]

    def _rule(self) -> MomentRule:
        return random_modes.impulse_rule(self.ring.rule(), self.max_phase, self._matched_rho)

    def _impulse(self, lags: FloatArray) -> FloatArray:
        if self.normalization is None:
            return self.ring.moment(2.0 * lags)
        energies = super()._impulse(lags)
        if self.normalization == "gamma" and self.ring.gap > 0.0:
            deep = lags * self.ring.gap > _DEEP
            energies = np.where(deep, self._deep_drop(lags), energies)
        return energies

    def _deep_drop(self, lags: FloatArray) -> FloatArray:
        r"""Return :math:`Q_k - Q_{k+1}` of the ring at lags far beyond its memory."""
        ring, m = self.ring, lags + 1.0
        if ring.span == 0.0:
            return ring.gap * ring.moment(2.0 * lags)
        with np.errstate(under="ignore"):
            high = ring.r_max ** (2.0 * m) * (1.0 + ring.gap * m)
            # The end r_min takes off exp(log_ratio) of it, nearly all for a narrow ring.
            log_ratio = m * ring.log_ratio + np.log1p(ring.span * m / (1.0 + ring.gap * m))
            return high * -np.expm1(log_ratio) / (ring.span * m * (m + 1.0))

    def _entry(self, lags: FloatArray) -> tuple[float, FloatArray] | None:
        if self.first_step == "scaled" or self.normalization is None:
            return None
        # E r^(2k) falls by E r^(2k) (1 - r^2), the impulse energy of the gamma scale.
        return 1.0, replace(self, normalization="gamma")._impulse(lags)

    def _white_energy(self, depths: FloatArray) -> FloatArray:
        scaled = self._rule().running(depths)
        if self.first_step == "scaled" or self.normalization is None:
            return scaled
        if self.normalization == "gamma":
            return np.ones_like(depths)
        before = np.where(depths > 0.0, self._rule().running(np.maximum(depths - 1.0, 0.0)), 0.0)
        return before + self.ring.moment(2.0 * depths)

    @property
    def _closed(self) -> bool:
        """Whether every mode has modulus 1 and so the input scale zero."""
        rho = self._matched_rho
        return self.r_min == 1.0 and rho is not None and rho < 1.0

    def _white_stationary(self) -> float:
        if self.normalization is None:
            return self.ring.mean_inverse_gap()
        if self._closed:
            return 1.0 if self.first_step == "unit" else 0.0
        if self.normalization == "gamma":
            return 1.0
        if self.ring.gap == 0.0 and self._matched_rho == 1.0:
            return math.inf
        return super()._white_stationary()

    def _beyond(self, lags: FloatArray) -> FloatArray:
        if self.normalization == "gamma":
            return self.ring.moment(2.0 * (lags + 1.0))
        return super()._beyond(lags)

    def _mean_lag(self) -> float:
        return math.inf if self.ring.gap == 0.0 else super()._mean_lag()

    def _e_fold(self) -> float:
        if self.r_max in (0.0, 1.0):
            return math.inf if self.r_max == 1.0 else 0.0
        return -0.5 / math.log(self.r_max)

    def _why_infinite(self, law: InputLaw) -> str:
        return "r_max = 1 puts modes arbitrarily close to the unit circle"

    # Coloured inputs

    def _coloured_energy(self, depths: FloatArray, law: InputLaw) -> FloatArray:
        rho = self._matched_rho
        if self.max_phase == FULL_PHASE and not rho:
            return self._white_energy(depths)
        if self.first_step == "unit" and self.normalization is not None:
            raise self._no_formula("energy from an unscaled first input", law)
        if float(depths.max()) > MAX_COLOURED_DEPTH:
            raise ValueError(
                f"depth must be at most {MAX_COLOURED_DEPTH} for inputs {shown(law)} and "
                f"restricted phases, got {int(depths.max())}"
            )
        return random_modes.coloured_energy(self.ring.rule(), self.max_phase, rho, depths, law)

    def _coloured_stationary(self, law: InputLaw) -> float:
        if self._closed:
            return self._white_stationary()
        rho = self._matched_rho
        unscaled = rho is None or (rho == 1.0 and law != "constant")
        if self.ring.gap == 0.0 and unscaled:
            return math.inf
        return random_modes.coloured_stationary(self.ring.rule(), self.max_phase, rho, law)

    # Gradients

    def _gradient(self, parameter: str, depths: FloatArray | None) -> FloatArray:
        if parameter == "state":
            if depths is None:
                return np.asarray(1.0 if self.r_min == 1.0 else 0.0)
            return self.ring.moment(2.0 * depths)
        if parameter == "theta_log" and self._matched_rho not in (None, 0.0):
            raise self._no_formula(
                "gradient of theta_log for a scale that depends on theta", "white"
            )
        if depths is None and self.ring.gap == 0.0 and not self._bounded_gradient(parameter):
            return np.asarray(math.inf)
        rule = self.ring.rule()
        weight = self._rule().weight
        if parameter != "eigenvalue":
            weight = weight * rule.radius**2
        if parameter == "nu_log":
            weight = weight * (0.5 * rule.log_q) ** 2
        if parameter == "theta_log":
            weight = weight * self.max_phase**2 / 3.0
        if depths is None:
            return np.asarray(weight @ one_mode.derivative_energies(rule.log_q, None))
        energies = [weight @ one_mode.derivative_energies(rule.log_q, t) for t in depths.ravel()]
        return np.array(energies).reshape(depths.shape)

    def _bounded_gradient(self, parameter: str) -> bool:
        rho = self._matched_rho
        return parameter == "nu_log" and rho is not None and rho < 1.0


def _as_normalization(value: Any) -> Normalization:
    if value is None or value in ("gamma", "constant"):
        return None if value is None else str(value)
    if isinstance(value, (tuple, list)) and len(value) == 2 and value[0] == "ar1":
        law = as_input_law("normalization", value)
        return "ar1", float(law[1])  # type: ignore[arg-type]
    raise ValueError(
        f"normalization must be 'gamma', None, ('ar1', rho) or 'constant', got {shown(value)}"
    )
