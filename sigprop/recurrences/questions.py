r"""What is asked of every recurrence, for the dense Gaussian ones: answered, or refused.

The impulse energies of a Gaussian matrix are :math:`Q_k = g^{2k} Q_{n,k}`, which end up growing at
every gain g: a draw with spectral radius above 1/g, however rare, outgrows all others. So the
sum of all Q_k is infinite, and no layer of this kind has a stationary energy or a horizon.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Self

import numpy as np

from sigprop._arguments import (
    FloatArray,
    as_integer,
    as_integer_array,
    as_positive_float,
    shown,
)
from sigprop.recurrences.schedule import input_schedule
from sigprop.theory import energy


class GaussianQuestions:
    """Energies per unit, schedules and horizons of `GaussianRNN` and `GaussianLRU`.

    Attributes
    ----------
    average : str
        "annealed": energies are means over the weights and the inputs.
    """

    model: ClassVar[str]
    average: ClassVar[str] = "annealed"
    gradient_parameters: ClassVar[tuple[str, ...]] = ("state",)

    width: int
    field: str
    gain: float
    tied: bool

    @property
    def units_per_head(self) -> int:
        """Units that share a head: the whole layer."""
        return self.width

    @property
    def units_per_layer(self) -> int:
        """Units of the layer: its width."""
        return self.width

    def with_inputs(self, inputs: Any) -> Self:
        """Return the same recurrence with another law of the inputs.

        Raises
        ------
        ValueError
            If nothing enters after the start.
        """
        if not hasattr(self, "inputs"):
            raise nothing_enters(self, inputs)
        changed: Any = dataclasses.replace(self, inputs=inputs)  # type: ignore[type-var]
        return changed  # type: ignore[no-any-return]

    def head_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return E||h||^2: `state_energy` times `units_per_head`, None where that is None.

        Examples
        --------
        >>> from sigprop.recurrences import GaussianLRU
        >>> float(GaussianLRU(2).head_energy(3))
        11.0
        """
        per_unit = self._state_energy(depth, inputs)
        return None if per_unit is None else self.units_per_head * per_unit

    def layer_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return what `head_energy` returns: the layer is one head."""
        return self.head_energy(depth, inputs)

    def impulse_energy(self, lag: Any) -> Any:
        """Return gain^(2k) Q_{n,k}, the energy per unit of one input k steps after it entered.

        Parameters
        ----------
        lag : int or array_like of int
            Lags k >= 0.

        Returns
        -------
        float64 or ndarray of float64

        Raises
        ------
        ValueError
            If the units are rectified and the weights tied: there is no formula.

        Examples
        --------
        >>> from sigprop.recurrences import GaussianLRU
        >>> float(GaussianLRU(2).impulse_energy(2))
        1.25
        """
        lags = as_integer_array("lag", lag, 0, energy.MAX_DEPTH)
        if not self.tied:
            return self._state_energy(lags)
        if getattr(self, "activation", "linear") != "linear":
            raise ValueError(f"no formula for the impulse energy of {self!r}; simulate it")
        return energy.rnn_energy(self.width, lags, self.gain, self.field)

    def stationary_energy(self, inputs: Any = None) -> float:
        """Refuse: the stationary energy of a Gaussian matrix is infinite at every gain.

        Raises
        ------
        ValueError
            Always, with the reason.

        Examples
        --------
        >>> from sigprop.recurrences import GaussianLRU
        >>> GaussianLRU(64, gain=0.9).stationary_energy()
        Traceback (most recent call last):
            ...
        ValueError: GaussianLRU(width=64, field='complex', gain=0.9) has no stationary energy: ...
        """
        raise ValueError(f"{self!r} has no stationary energy: {self._why_infinite()}")

    def horizon(self, kind: Any) -> float:
        """Refuse: horizons are shares of the stationary energy, which is infinite.

        Raises
        ------
        ValueError
            Always, with the reason.
        """
        raise ValueError(f"{self!r} has no horizon {shown(kind)}: {self._why_infinite()}")

    def input_schedule(self, steps: Any, target: float = 1.0) -> FloatArray:
        r"""Return the scaling xi_t^2 of white inputs that holds the mean energy at ``target``.

        Parameters
        ----------
        steps : int >= 1
            Number of steps.
        target : float > 0
            Mean energy per unit.

        Returns
        -------
        ndarray of float64, shape (steps,)

        Raises
        ------
        ValueError
            If there is none: for gain 1 and tied weights from the third step on, where
            :math:`\xi_2^2 = Q_1 - Q_2 = -1/n^2 < 0` (-2/n^2 for real weights), and for a
            smaller gain from the step on at which the energies have grown too much.
        """
        count = as_integer("steps", steps, 1)
        goal = as_positive_float("target", target)
        if count > 2 and self.tied and self.gain == 1.0:
            numerator = 1 if self.field == "complex" else 2
            raise ValueError(
                f"no input scaling holds the mean energy of {self!r} constant: it would need "
                f"xi_2^2 = -{numerator}/width^2 < 0"
            )
        energies = self.impulse_energy(np.arange(count))
        return input_schedule(1.0, energies[:-1] - energies[1:], goal, repr(self))

    def gradient_energy(self, parameter: str, depth: Any = None) -> Any:
        """Return E||(W^T)^* v||^2 / ||v||^2, the gradient of the state to an earlier one.

        The law of W is that of its adjoint, so that it equals `impulse_energy`.

        Parameters
        ----------
        parameter : {"state"}
            What the gradient is taken to.
        depth : int or array_like of int
            Number of steps T >= 0 between the two states.

        Raises
        ------
        ValueError
            If the parameter is another one, or the limit (``depth=None``) is asked for.
        """
        if parameter not in self.gradient_parameters:
            raise ValueError(
                f"parameter must be 'state' for {type(self).__name__}, got {shown(parameter)}"
            )
        if depth is None:
            raise ValueError(f"depth must be given for {self!r}: {self._why_infinite()}")
        return self.impulse_energy(as_integer_array("depth", depth, 0, energy.MAX_DEPTH))

    def _state_energy(self, depth: Any, inputs: Any = None) -> Any:
        state_energy: Any = self.state_energy  # type: ignore[attr-defined]
        return state_energy(depth, inputs)

    def _why_infinite(self) -> str:
        if not self.tied:
            return "it is a network with fresh weights at every step"
        return (
            "the mean energy of W^k grows without bound at every gain and width, carried by rare "
            "draws with a spectral radius above one; give a depth"
        )


def nothing_enters(recurrence: Any, inputs: Any) -> ValueError:
    """Return the error for a law of inputs that was given where there are no inputs."""
    return ValueError(
        f"inputs must be None for {type(recurrence).__name__}, where nothing enters after the "
        f"start, got {shown(inputs)}"
    )
