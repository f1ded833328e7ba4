r"""What theory expects of a monitored recurrence: that of a linear Gaussian one of its gain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sigprop._arguments import as_choice, as_integer_list, as_positive_float, shown
from sigprop.auditing.prediction import Prediction, predict
from sigprop.initialization.gains import FIELDS, MODELS, as_width
from sigprop.plots import PredictedBand
from sigprop.theory.energy import log_lru_energy
from sigprop.torch.tensors import COMPLEX, REAL, as_square


@dataclass(frozen=True)
class PredictedEnergies:
    r"""Energies of a linear Gaussian recurrence, as natural logarithms, one for each step.

    Attributes
    ----------
    steps : tuple of int
        Number of steps done, 1 for the first state.
    log_mean : tuple of (float or None)
        Logarithm of the mean energy; None at gain 0.
    log_low, log_high : tuple of (float or None)
        Logarithms of the 5 % and 95 % quantiles over W and the state that it acts on; None where
        theory gives none (model "lru").
    log_error : tuple of (float or None)
        How far the ends of the band may be off; None where there is none, or nothing is known.
    width : int
        Width n.
    gain : float
        :math:`\sqrt{n\,E|W_{ij}|^2}`.
    field, model : str
        Field of the weights; "rnn" (a state that decays) or "lru" (an input at each step).
    entering : float
        Energy of the initial state (rnn), or of the input of every step (lru).

    Examples
    --------
    >>> predict_energies(100, 1.0, [1, 10], model="lru", field="complex").steps
    (1, 10)
    """

    steps: tuple[int, ...]
    log_mean: tuple[float | None, ...]
    log_low: tuple[float | None, ...]
    log_high: tuple[float | None, ...]
    log_error: tuple[float | None, ...]
    width: int
    gain: float
    field: str
    model: str
    entering: float

    def band(self) -> PredictedBand:
        """Return what `sigprop.plots.energies_over_time` draws."""
        label = f"predicted at gain {self.gain:.4g}"
        return PredictedBand(label, self.steps, self.log_mean, self.log_low, self.log_high)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for strict JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> PredictedEnergies:
        """Return the prediction whose `to_dict` is given."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in fields.items()
        }
        return cls(**values)


def predict_energies(
    n: int,
    weights: Any,
    steps: Sequence[int],
    *,
    model: str = "rnn",
    field: str | None = None,
    entering: float = 1.0,
) -> PredictedEnergies:
    r"""Return the energies of a linear Gaussian recurrence of the gain of given weights.

    After t steps the mean is :math:`e\,g^{2t} Q_{n,t}` without inputs ("rnn"), and
    :math:`e\,S_{n,t-1}` with a white input of energy e at each step and a first state 0 ("lru").

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    weights : Tensor of shape (n, n), or float
        Recurrent weights, whose gain :math:`\sqrt{n\,\overline{|W_{ij}|^2}}` is measured; or the
        gain itself.
    steps : sequence of int
        Numbers of steps t >= 1.
    model : {"rnn", "lru"}, optional
        Whether a state decays, or an input arrives at each step.
    field : {"real", "complex"}, optional
        Field of the weights; that of the tensor if None, "real" for a gain.
    entering : float, optional
        The energy e per unit, > 0.

    Returns
    -------
    PredictedEnergies

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Examples
    --------
    >>> predicted = predict_energies(100, 1.0, [1, 10], model="lru", field="complex")
    >>> [round(value, 4) for value in predicted.log_mean]
    [0.0, 2.3105]
    """
    n, taken = as_width(n), tuple(as_integer_list("steps", steps, 1))
    model, entering = as_choice("model", model, MODELS), as_positive_float("entering", entering)
    gain, own_field = _gain(n, weights)
    field = own_field if field is None else as_choice("field", field, FIELDS)
    if model == "rnn":
        log_gain_squared = 2.0 * math.log(gain) if gain > 0.0 else -math.inf
        unit = predict(n, taken, field, log_gain_squared)
    else:
        nothing = (None,) * len(taken)
        unit = Prediction(_running_means(n, taken, gain, field), nothing, nothing, nothing)
    shift = math.log(entering)
    return PredictedEnergies(
        steps=taken,
        log_mean=_shifted(unit.mean, shift),
        log_low=_shifted(unit.low, shift),
        log_high=_shifted(unit.high, shift),
        log_error=tuple(None if error == math.inf else error for error in unit.error),
        width=n,
        gain=gain,
        field=field,
        model=model,
        entering=entering,
    )


def _running_means(
    n: int, steps: tuple[int, ...], gain: float, field: str
) -> tuple[float | None, ...]:
    if gain == 0.0:
        return (0.0,) * len(steps)
    depths = np.array(steps, dtype=np.int64) - 1
    return tuple(np.atleast_1d(log_lru_energy(n, depths, gain, field)).tolist())


def _gain(n: int, weights: Any) -> tuple[float, str]:
    """Return the gain and field of weights."""
    if not isinstance(weights, Tensor):
        return as_positive_float("weights", weights), "real"
    matrix = as_square("weights", weights, REAL + COMPLEX).detach().cpu()
    if matrix.shape[0] != n:
        raise ValueError(
            f"weights must have the width {n} of the states, got shape {tuple(matrix.shape)}"
        )
    entries = torch.view_as_real(matrix.to(COMPLEX[-1])).numpy()
    peak = float(np.abs(entries).max())
    if not math.isfinite(peak):
        raise ValueError(f"weights must hold finite numbers, got {shown(peak)}")
    if peak == 0.0:
        return 0.0, "complex" if matrix.is_complex() else "real"
    with np.errstate(under="ignore"):
        gain = peak * math.sqrt(float(np.square(entries / peak).sum()) / n)
    if gain == math.inf:
        raise ValueError("weights must have a gain within the float range, got one beyond it")
    return gain, "complex" if matrix.is_complex() else "real"


def _shifted(values: Sequence[float | None], shift: float) -> tuple[float | None, ...]:
    return tuple(None if value is None else value + shift for value in values)
