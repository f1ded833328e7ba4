"""What layers of state-space modes have in common: step sizes, discretisation, energies."""

from __future__ import annotations

import dataclasses
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from sigprop._arguments import FloatArray, as_choice, shown
from sigprop.recurrences.log_uniform import LogUniformLaw, PanelLimitError
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.state_space import (
    DISCRETIZATIONS,
    ModeMixture,
    as_steps,
    log_transition,
)
from sigprop.recurrences.structured import NoFormulaError, StructuredRecurrence
from sigprop.theory.input_laws import InputLaw

MAX_COLOURED_DEPTH = 10**6
"""Deepest state for inputs that are not white."""

MAX_PARTICIPATION_NODES = 30_000
"""Largest number of decays whose pairs are summed for the participation."""


@dataclass(frozen=True)
class StateSpace(StructuredRecurrence):
    """A layer of discretised modes; a family offers ``_mixture``, the law of its modes."""

    width: int = dataclasses.field(init=False, repr=False)
    _: KW_ONLY
    discretization: str = "zoh"
    dt_min: float = 1e-3
    dt_max: float = 1e-1

    gradient_parameters: ClassVar[tuple[str, ...]] = ("state",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            "discretization", as_choice("discretization", self.discretization, DISCRETIZATIONS)
        )
        low, high = as_steps(self.dt_min, self.dt_max)
        self._set("dt_min", low)
        self._set("dt_max", high)

    @property
    def input_field(self) -> str:
        """Field of the inputs: real."""
        return "real"

    @property
    def step_law(self) -> LogUniformLaw:
        """Law of the step sizes."""
        return LogUniformLaw(self.dt_min, self.dt_max)

    def _mixture(self) -> ModeMixture:
        raise NotImplementedError

    @cached_property
    def _moments(self) -> MomentRule:
        return self._mixture().rule()

    def _rule(self) -> MomentRule:
        return self._moments

    def _e_fold(self) -> float:
        """Return -1/ln q of the slowest mode: at dt_min, or far beyond 2/omega if bilinear."""
        mixture = self._mixture()
        ends = np.array([[self.dt_min], [self.dt_max]])
        nu = -log_transition(mixture.modes, ends, self.discretization).real
        return 0.5 / float(nu.min())

    def _participation(self) -> float:
        nodes = self._rule().log_q.size
        if nodes > MAX_PARTICIPATION_NODES:
            raise NoFormulaError(
                f"no participation of {self!r}: it is a sum over the pairs of {nodes} decays, of "
                f"which at most {MAX_PARTICIPATION_NODES} are taken; narrow dt_min to dt_max"
            )
        return super()._participation()

    def _coloured_energy(self, depths: FloatArray, law: InputLaw) -> FloatArray:
        if float(depths.max()) > MAX_COLOURED_DEPTH:
            raise ValueError(
                f"depth must be at most {MAX_COLOURED_DEPTH} for inputs {shown(law)}, "
                f"got {int(depths.max())}"
            )
        try:
            return self._mixture().coloured_energy(depths, law)
        except PanelLimitError:
            raise self._no_formula("energy", law) from None

    def _coloured_stationary(self, law: InputLaw) -> float:
        try:
            return self._mixture().coloured_stationary(law)
        except PanelLimitError:
            raise self._no_formula("stationary energy", law) from None

    def _gradient(self, parameter: str, depths: FloatArray | None) -> FloatArray:
        return np.asarray(0.0) if depths is None else self._mixture().mean_decay(depths)
