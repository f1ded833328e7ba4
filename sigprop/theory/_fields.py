"""Fields of the weights, and the one case in which the input law changes the mean energy."""

from __future__ import annotations

from typing import Any

import numpy as np

from sigprop._arguments import FloatArray, as_choice
from sigprop.theory.input_laws import InputLaw, as_input_law

FIELDS = ("complex", "real")
"""Entries of the weights: complex or real normal numbers, of one variance."""


def as_field(value: Any) -> str:
    """Return the field of the weights, one of `FIELDS`."""
    return as_choice("field", value, FIELDS)


def as_law_that_matters(field: str, inputs: Any) -> InputLaw | None:
    """Return the input law if the mean energy depends on it: real weights, not white."""
    law = as_input_law("inputs", inputs)
    return law if field == "real" and law != "white" else None


def _last_depth(name: str, depths: FloatArray) -> int:
    from sigprop.theory.real_inputs import MAX_STEPS

    last = int(depths.max())
    if last > MAX_STEPS:
        raise ValueError(
            f"{name} must be at most {MAX_STEPS} for real weights and inputs that are not white, "
            f"got {last}; beyond, simulate, or use sigprop.theory.real_inputs_critical"
        )
    return last


def log_lru_with_inputs(
    n: FloatArray, t: FloatArray, log_gain: FloatArray, law: InputLaw
) -> FloatArray:
    """Return log S for real weights, arrays of one shape: one curve per width and gain."""
    from sigprop.theory.real_inputs import log_lru_energies

    result = np.empty(n.shape)
    _last_depth("t", t)
    for width, gain in set(zip(n.flat, log_gain.flat, strict=True)):
        here = (n == width) & (log_gain == gain)
        wanted = t[here].astype(np.int64)
        result[here] = log_lru_energies(int(width), int(wanted.max()), law, float(gain))[wanted]
    return result


def lru_excess_with_inputs(n: FloatArray, t: FloatArray, law: InputLaw) -> FloatArray:
    """Return S/(t+1) - 1 for real weights, arrays of one shape."""
    from sigprop.theory.real_inputs import lru_excesses

    result = np.empty(n.shape)
    _last_depth("t", t)
    for width in np.unique(n):
        here = n == width
        wanted = t[here].astype(np.int64)
        result[here] = lru_excesses(int(width), int(wanted.max()), law)[wanted]
    return result


def lru_curve_with_inputs(n: float, last: int, law: InputLaw) -> tuple[FloatArray, FloatArray]:
    """Return log S and S/(t+1) - 1 for real weights at t = 0, ..., last."""
    from sigprop.theory.real_inputs import log_lru_energies, lru_excesses

    _last_depth("tmax", np.array([float(last)]))
    return log_lru_energies(int(n), last, law), lru_excesses(int(n), last, law)
