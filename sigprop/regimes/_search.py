"""Bisection over depths, all widths at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray
from sigprop.theory.energy import MAX_DEPTH

Predicate = Callable[[FloatArray, FloatArray], npt.NDArray[np.bool_]]


def _true_at(
    predicate: Predicate, n: FloatArray, t: FloatArray, where: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Evaluate the predicate where asked; false elsewhere."""
    result = np.zeros_like(where)
    if np.any(where):
        result[where] = predicate(n[where], t[where])
    return result


def first_true(
    predicate: Predicate, n: FloatArray, low: FloatArray, guess: FloatArray
) -> FloatArray:
    """Return the first depth above ``low`` at which a monotone predicate is true, per width.

    The predicate is taken to be false at ``low``.  The answer is bracketed by steps that
    double away from ``guess``, then bisected, so a good guess saves most of the work.
    """
    high = np.minimum(np.maximum(np.rint(guess), low + 1.0), float(MAX_DEPTH))
    low, step = low.copy(), np.maximum(1.0, np.floor(high / 256.0))
    above = ~predicate(n, high)
    low[above] = high[above]
    moving = np.ones_like(above)
    while np.any(moving):
        target = np.where(above, high + step, np.maximum(high - step, low))
        if np.any(moving & (target > MAX_DEPTH)):
            raise ValueError(f"no depth up to {MAX_DEPTH} passes this tol at this width")
        moving &= above | (target > low)
        passed = _true_at(predicate, n, target, moving)
        low = np.where(moving & ~passed, target, low)
        high = np.where(moving & (passed | above), target, high)
        moving &= passed != above
        step = 2.0 * step
    while np.any(high - low > 1.0):
        open_ended = high - low > 1.0
        middle = np.floor(0.5 * (low + high))
        passed = _true_at(predicate, n, middle, open_ended)
        high = np.where(open_ended & passed, middle, high)
        low = np.where(open_ended & ~passed, middle, low)
    return high
