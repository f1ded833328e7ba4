"""Why the stationary energy of a recurrence is what it is, in a sentence."""

from __future__ import annotations

import math
from typing import Any

from sigprop.recurrences.diagonal_lru import DiagonalLRU
from sigprop.recurrences.rotrnn import RotRNN

_FULL = 2.0 * math.pi


def explain(recurrence: Any, inputs: Any = None) -> str | None:
    """Return why the stationary energy is what it is; None where there is nothing to say.

    Parameters
    ----------
    recurrence : Recurrence
        A structured recurrence.
    inputs : input law, optional
        Law of the inputs; that of the recurrence by default.

    Examples
    --------
    >>> text = explain(DiagonalLRU.from_preset("PathX"), "constant")
    >>> "pi/phase = 10" in text
    True
    """
    law = recurrence.inputs if inputs is None else inputs
    if _is_silent(recurrence):
        return "no unit decays, and the normalisation scales every input to zero"
    if isinstance(recurrence, DiagonalLRU):
        return _explain_lru(recurrence, law)
    if isinstance(recurrence, RotRNN):
        return _explain_rotation(recurrence, law)
    return None


def _is_silent(recurrence: Any) -> bool:
    """Tell whether one input leaves no energy at all."""
    known = isinstance(recurrence, (DiagonalLRU, RotRNN))
    return known and float(recurrence.impulse_energy(0)) == 0.0


def _explain_lru(lru: DiagonalLRU, law: Any) -> str:
    if lru.normalization is None:
        return "no normalisation: every unit adds up the inputs of its whole memory"
    if lru.normalization != "gamma":
        return (
            f"the inputs are scaled for the law {lru.normalization!r}: energy 1 under that law "
            "once the start is forgotten, another one under other laws"
        )
    if law == "white":
        return "gamma = sqrt(1 - |lambda|^2) normalises white inputs: 1 once the start is forgotten"
    if lru.max_phase == _FULL:
        return (
            "phases are uniform on the full circle, so the mean over layers does not depend on "
            "the law of the inputs; single layers differ (see the quantiles)"
        )
    reach = math.pi / lru.max_phase
    return (
        "gamma = sqrt(1 - |lambda|^2) normalises white inputs only: with phases on "
        f"[0, {lru.max_phase:.4g}] the energy of constant inputs is multiplied by the mean of "
        f"(1 - |lambda|^2)/|1 - lambda|^2, which tends to pi/phase = {reach:.4g} as |lambda| -> 1, "
        "and that of other slow inputs towards it; a normalization for AR(rho) inputs matches them"
    )


def _explain_rotation(rotation: RotRNN, law: Any) -> str:
    if law == "white":
        return "xi normalises white inputs: energy 1 per head, 1/N per unit"
    if rotation.max_phase == _FULL:
        return "angles are uniform on the full circle: the mean does not depend on the inputs"
    return (
        "xi normalises white inputs only: with angles on "
        f"[0, {rotation.max_phase:.4g}] slowly varying inputs have another energy"
    )
