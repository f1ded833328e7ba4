r"""What every structured recurrence answers: energies, horizons, schedules, and how to run it.

A structured recurrence is a linear layer at initialisation,

.. math:: h_t = A h_{t-1} + G_t B u_t, \qquad h_{-1} = 0,

with A diagonal, a rotation or a state-space matrix, and scalar-stationary inputs of
autocorrelation :math:`E u_s u_t = R(s - t)`, R(0) = 1.  :math:`Q_k` is the mean energy of the
response to a single input k steps later, :math:`S_t` that of the state; for white inputs
:math:`S_t = \sum_{k \le t} Q_k`.

**Units.** Every energy is *per unit*, E||h||^2 / width.  `StructuredRecurrence.head_energy` and
`StructuredRecurrence.layer_energy` are the totals over the units of a head and of the layer.

**Averages.** `StructuredRecurrence.average` says over what: "annealed" over initialisations and
inputs, "quenched" over the inputs of one given layer.

A family is a frozen dataclass (``repr=False``) that derives from `StructuredRecurrence` and offers

- ``_rule()``, the decays and weights of its impulse energies (`MomentRule`); or, where a closed
  form is better or there is no such rule, ``_impulse``, ``_white_energy``, ``_white_stationary``
  and ``_beyond``;
- ``_coloured_energy`` and ``_coloured_stationary`` where there is a formula;
- ``_gradient`` with the names in ``gradient_parameters``;
- ``sample``, ``first_state``, ``step`` (and ``input_width``, ``input_field``, ``layer_size``).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from sigprop._arguments import (
    FloatArray,
    as_finite_float,
    as_integer,
    as_integer_array,
    as_positive_float,
    shown,
)
from sigprop.recurrences.input_laws import input_sequence
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.protocol import State
from sigprop.recurrences.schedule import input_schedule
from sigprop.recurrences.vectors import normals
from sigprop.theory.input_laws import InputLaw, as_input_law

MAX_DEPTH = 2**53 - 1
"""Largest depth or lag t: float64 holds every integer up to t + 1."""

HORIZONS = ("mean_lag", "half_energy", "tail", "burn_in", "e_fold", "participation")

DEFAULT_BURN_IN = 0.95
"""Share of the stationary energy that ends the burn-in."""

_TIE = 2.0**-52  # shares that differ by rounding alone are equal


class NoFormulaError(ValueError):
    """A question that has an answer but no formula here; the text says how to simulate it.

    Examples
    --------
    >>> issubclass(NoFormulaError, ValueError)
    True
    """


@dataclass(frozen=True, repr=False)
class StructuredRecurrence(ABC):
    """Base of the structured recurrences: gain 1, tied weights, linear units.

    Parameters
    ----------
    width : int
        Number n >= 1 of units of the state.
    inputs : "white", "constant", ("ar1", rho) or autocorrelation array
        Law of the inputs in time; what the energies mean when they are not told another.

    Attributes
    ----------
    model : str
        Short name of the family.
    average : {"annealed", "quenched"}
        Whether energies are means over initialisations, or those of one layer.
    field : {"complex", "real"}
        Field of the state.
    gain : float
        Always 1: a structured layer has no common factor on its weights.

    Examples
    --------
    >>> from sigprop.recurrences import DiagonalLRU
    >>> isinstance(DiagonalLRU(4), StructuredRecurrence)
    True
    """

    width: int
    _: KW_ONLY
    inputs: InputLaw = "white"

    model: ClassVar[str]
    average: ClassVar[str] = "annealed"
    field: ClassVar[str] = "complex"
    gain: ClassVar[float] = 1.0
    tied: ClassVar[bool] = True
    gradient_parameters: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        self._set("width", as_integer("width", self.width, 1))
        self._set("inputs", as_input_law("inputs", self.inputs))

    def __repr__(self) -> str:
        """Show what has no default, and what differs from its own."""
        shown_fields = [
            f"{item.name}={getattr(self, item.name)!r}"
            for item in fields(self)
            if item.repr and getattr(self, item.name) != item.default
        ]
        return f"{type(self).__qualname__}({', '.join(shown_fields)})"

    def with_gain(self, gain: float) -> Self:
        """Return the recurrence itself for gain 1; there is no other.

        Raises
        ------
        ValueError
            If the gain is not 1.
        """
        if as_positive_float("gain", gain) != 1.0:
            raise ValueError(f"gain must be 1 for a structured recurrence, got {shown(gain)}")
        return self

    def with_inputs(self, inputs: Any) -> Self:
        """Return the same recurrence with another law of the inputs."""
        return replace(self, inputs=inputs)

    # Units

    @property
    def units_per_head(self) -> int:
        """Units that share a head: the whole layer unless the family has heads."""
        return self.width

    @property
    def units_per_layer(self) -> int:
        """Units of the layer: its width."""
        return self.width

    def head_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return E||h||^2 over the units of one head: `state_energy` times `units_per_head`."""
        return self.units_per_head * self.state_energy(depth, inputs)

    def layer_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return E||h||^2 over all units: `state_energy` times `units_per_layer`."""
        return self.units_per_layer * self.state_energy(depth, inputs)

    # Energies

    def impulse_energy(self, lag: Any) -> Any:
        """Return Q_k, the energy per unit of one unit-variance input k steps after it entered.

        Parameters
        ----------
        lag : int or array_like of int
            Lags k >= 0.

        Returns
        -------
        float64 or ndarray of float64
        """
        return self._impulse(as_integer_array("lag", lag, 0, MAX_DEPTH))[()]

    def state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return S_t, the mean energy per unit of the state at depth t.

        Parameters
        ----------
        depth : int or array_like of int
            Depths t >= 0; at depth 0 one input has entered.
        inputs : "white", "constant", ("ar1", rho) or autocorrelation array, optional
            Law of the inputs; None takes the law of the recurrence.

        Returns
        -------
        float64 or ndarray of float64

        Raises
        ------
        NoFormulaError
            If there is no formula for these inputs; the text says how to simulate them.
        """
        depths = as_integer_array("depth", depth, 0, MAX_DEPTH)
        law = self._law(inputs)
        if law == "white":
            return self._white_energy(depths)[()]
        return self._coloured_energy(depths, law)[()]

    def log_state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return log S_t, -inf where the energy is zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.state_energy(depth, inputs))

    def stationary_energy(self, inputs: Any = None) -> float:
        """Return the limit of S_t at large t.

        Raises
        ------
        ValueError
            If the limit is infinite; the text says why.
        NoFormulaError
            If there is no formula for these inputs.
        """
        law = self._law(inputs)
        value = self._white_stationary() if law == "white" else self._coloured_stationary(law)
        if math.isinf(value):
            raise ValueError(
                f"the stationary energy of {self!r} with inputs {shown(law)} is infinite: "
                f"{self._why_infinite(law)}"
            )
        return value

    # Schedules and horizons

    def input_schedule(self, steps: Any, target: float = 1.0) -> FloatArray:
        r"""Return the scaling xi_t^2 of the inputs that holds the mean energy at ``target``.

        With white inputs multiplied by :math:`\xi_t`, on top of any normalisation that the
        layer has, the energy per unit is ``target`` at every t = 0, ..., steps - 1.

        Parameters
        ----------
        steps : int >= 1
            Number of steps.
        target : float > 0
            Mean energy per unit.

        Returns
        -------
        ndarray of float64, shape (steps,)
            Non-increasing, with limit target / S_inf.

        Raises
        ------
        ValueError
            If no such scaling exists, or the impulse energies are zero.

        Notes
        -----
        One scalar for all units, for the first input too where ``first_step`` gives that one
        a scale of its own. Where it has none, the scaling is
        :math:`\xi_t^2 = 1 - \sum_{j \le t} f_j` with the
        renewal coefficients :math:`Q_t = \sum_{j=1}^t f_j Q_{t-j}` (for Q_0 = target = 1);
        :math:`f_j \ge 0` where Q is a moment sequence, so that it exists for every mixture
        of decays. Computed as :math:`\xi_t^2 = \sum_{s<t} \xi_s^2 (Q_{t-1-s} - Q_{t-s})/Q_0`,
        without cancellation, in steps^2 / 2 multiplications.
        """
        count = as_integer("steps", steps, 1)
        goal = as_positive_float("target", target)
        first = self._first_impulse("input_schedule")
        lags = np.arange(count - 1.0)
        return input_schedule(first, self._drop(lags), goal, repr(self), self._entry(lags))

    def horizon(self, kind: Any) -> float:
        r"""Return how far back the layer remembers, in steps, for white inputs.

        Parameters
        ----------
        kind : str or tuple
            - ``"mean_lag"``: :math:`\sum k Q_k / \sum Q_k`;
            - ``("burn_in", p)``: smallest T with :math:`\sum_{k \le T} Q_k \ge p S_\infty`,
              0 < p < 1 (ties count), also the lag within which a share p of the energy lies;
              ``"burn_in"`` takes p = 0.95, and ``"half_energy"`` is p = 0.5;
            - ``("tail", T)``: share :math:`1 - \sum_{k \le T} Q_k / S_\infty` beyond T;
            - ``"e_fold"``: :math:`1/(-\ln q)` of the slowest decay q, the e-fold of the tail;
            - ``"participation"``: :math:`(\sum Q_k)^2 / \sum Q_k^2`.

        Returns
        -------
        float
            Steps; a share for "tail"; inf where the sum diverges.

        Raises
        ------
        ValueError
            If the kind is another one, the stationary energy is infinite, or the impulse
            energies are zero.
        """
        name, number = as_horizon(kind)
        self.stationary_energy("white")
        self._first_impulse("horizon")
        if name == "mean_lag":
            return self._mean_lag()
        if name == "e_fold":
            return self._e_fold()
        if name == "participation":
            return self._participation()
        if name == "tail":
            return float(self._tail(np.array([number]))[0])
        return first_lag(self._tail, number)

    def gradient_energy(self, parameter: str, depth: Any = None) -> Any:
        """Return E|dh_T / d parameter|^2 per unit at depth T, or its limit for ``depth=None``.

        White inputs; the normalisation of the inputs is a parameter of its own and is held.

        Parameters
        ----------
        parameter : str
            One of `gradient_parameters`.
        depth : int or array_like of int, optional
            Depths T >= 0; None for the limit.

        Raises
        ------
        ValueError
            If the family has no such parameter, or the limit is infinite.
        """
        if parameter not in self.gradient_parameters:
            allowed = ", ".join(repr(name) for name in self.gradient_parameters) or "nothing"
            raise ValueError(
                f"parameter must be one of {allowed} for {type(self).__name__}, "
                f"got {shown(parameter)}"
            )
        if depth is not None:
            depths = as_integer_array("depth", depth, 0, MAX_DEPTH)
            return self._gradient(parameter, depths)[()]
        value = float(self._gradient(parameter, None))
        if math.isinf(value):
            raise ValueError(
                f"the limit of the gradient energy of {parameter!r} is infinite for {self!r}; "
                "give a depth"
            )
        return value

    # Simulation

    @property
    def input_width(self) -> int:
        """Number of entries of one input: one for each unit unless the family has a matrix B."""
        return self.width

    @property
    def input_field(self) -> str:
        """Field of the inputs."""
        return self.field

    @property
    def layer_size(self) -> int:
        """Numbers that one drawn layer holds, which decides how many are held at once."""
        return self.width

    @abstractmethod
    def sample(self, rng: np.random.Generator, batch: int | None = None) -> Any:
        """Draw one layer, or ``batch`` independent layers: an object whose ``len`` is that."""

    def initial_state(
        self, rng: np.random.Generator | None = None, batch: int | None = None
    ) -> None:
        """Return None: the first state is made from the first input, see `first_state`."""
        return

    def draw_inputs(
        self,
        rng: np.random.Generator,
        batch: int,
        steps: int,
        previous: State | None = None,
    ) -> State:
        """Draw Gaussian inputs of unit variance, trajectory after trajectory.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of the normals.
        batch, steps : int >= 1
            Number of trajectories, and of steps.
        previous : ndarray, optional
            What the law needs of the steps before; None at the start of the trajectories.

        Returns
        -------
        ndarray of complex128 or float64, shape (batch, steps, input_width)
        """

        def draw(count: int) -> State:
            return normals(rng, (batch, count, self.input_width), self.input_field)

        return input_sequence(self.inputs, draw, steps, previous)

    @abstractmethod
    def first_state(self, layer: Any, inputs: State) -> State:
        """Return h_0, the state after the first input x_0."""

    @abstractmethod
    def step(self, layer: Any, state: State, inputs: State | None = None) -> State:
        """Return A h, or A h + G B x when ``inputs`` x is given."""

    # What a family offers

    def _rule(self) -> MomentRule:
        """Return the decays and weights of the impulse energies."""
        raise NotImplementedError

    def _impulse(self, lags: FloatArray) -> FloatArray:
        """Return Q_k."""
        return self._rule().impulse(lags)

    def _drop(self, lags: FloatArray) -> FloatArray:
        """Return Q_k - Q_{k+1} without cancellation."""
        return self._rule().drop(lags)

    def _entry(self, lags: FloatArray) -> tuple[float, FloatArray] | None:
        """Return F_0 and F_k - F_{k+1} of a first input with a scale of its own, else None.

        F_t is what S_t has beyond the inputs that came later: F_k - F_{k+1} is Q_k less the
        growth of S, which is zero where a first step of scale 1 makes S constant.
        """
        if getattr(self, "first_step", "scaled") == "scaled":
            return None
        energies = self._white_energy(np.arange(lags.size + 1.0))
        return float(energies[0]), self._impulse(lags) - np.diff(energies)

    def _first_impulse(self, question: str) -> float:
        """Return Q_0, or refuse a question that has no answer where it is zero."""
        first = float(self._impulse(np.zeros(1))[0])
        if first == 0.0:
            raise ValueError(
                f"{question} does not exist for {self!r}: its impulse energies are all zero, "
                "because its input scale or input matrix vanishes"
            )
        return first

    def _white_energy(self, depths: FloatArray) -> FloatArray:
        """Return S_t for white inputs."""
        return self._rule().running(depths)

    def _white_stationary(self) -> float:
        """Return the limit of S_t for white inputs, inf where there is none."""
        return self._rule().stationary()

    def _beyond(self, lags: FloatArray) -> FloatArray:
        """Return the sum of Q_k over k > T."""
        return self._rule().beyond(lags)

    def _mean_lag(self) -> float:
        return self._rule().mean_lag()

    def _e_fold(self) -> float:
        slowest = float(np.max(self._rule().log_q))
        return math.inf if slowest == 0.0 else -1.0 / slowest

    def _participation(self) -> float:
        return self._white_stationary() ** 2 / self._rule().sum_of_squares()

    def _tail(self, lags: FloatArray) -> FloatArray:
        return self._beyond(lags) / self._white_stationary()

    def _coloured_energy(self, depths: FloatArray, law: InputLaw) -> FloatArray:
        """Return S_t for inputs that are not white."""
        raise self._no_formula("energy", law)

    def _coloured_stationary(self, law: InputLaw) -> float:
        """Return the limit of S_t for inputs that are not white."""
        raise self._no_formula("stationary energy", law)

    def _why_infinite(self, law: InputLaw) -> str:
        """Return why the stationary energy is infinite."""
        return "the decays of its modes reach 1"

    def _gradient(self, parameter: str, depths: FloatArray | None) -> FloatArray:
        """Return the gradient energy of one of `gradient_parameters`; None for the limit."""
        raise NotImplementedError

    def _no_formula(self, what: str, law: InputLaw) -> NoFormulaError:
        return NoFormulaError(
            f"no formula for the {what} of {self!r} with inputs {shown(law)}; estimate it with "
            "sigprop.simulate(recurrence, depths, samples, inputs=...)"
        )

    def _law(self, inputs: Any) -> InputLaw:
        return self.inputs if inputs is None else as_input_law("inputs", inputs)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def as_horizon(kind: Any) -> tuple[str, float]:
    """Return the name of a horizon and its number (a share, or a lag for "tail").

    Examples
    --------
    >>> as_horizon("burn_in"), as_horizon(("tail", 1024)), as_horizon("half_energy")
    (('burn_in', 0.95), ('tail', 1024.0), ('burn_in', 0.5))
    """
    name, number = kind if isinstance(kind, (tuple, list)) and len(kind) == 2 else (kind, None)
    plain = ("mean_lag", "half_energy", "burn_in", "e_fold", "participation")
    if number is None and name in plain:
        share = {"half_energy": 0.5, "burn_in": DEFAULT_BURN_IN}.get(name, 0.0)
        return ("burn_in" if name == "half_energy" else name), share
    if name == "tail" and number is not None:
        return name, float(as_integer("T of horizon ('tail', T)", number, 0))
    if name == "burn_in" and number is not None:
        share = as_finite_float("p of horizon ('burn_in', p)", number)
        if 0.0 < share < 1.0:
            return name, share
        raise ValueError(f"p of horizon ('burn_in', p) must lie between 0 and 1, got {share!r}")
    raise ValueError(
        "horizon must be 'mean_lag', 'half_energy', 'burn_in', ('burn_in', p), ('tail', T), "
        f"'e_fold' or 'participation', got {shown(kind)}"
    )


def first_lag(tail: Callable[[FloatArray], FloatArray], share: float) -> float:
    """Return the smallest T with tail(T) <= 1 - share, for a non-increasing tail."""

    def reached(lag: int) -> bool:
        return float(tail(np.array([float(lag)]))[0]) <= 1.0 - share + _TIE

    high = 1
    while not reached(high - 1):
        if high > MAX_DEPTH:
            return math.inf
        high *= 2
    low = high // 2 - 1  # not reached, or -1
    high -= 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(high)
