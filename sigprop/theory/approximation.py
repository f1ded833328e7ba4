"""What every asymptotic form returns: a logarithm and how far it may be from the exact one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigprop._arguments import FLOAT_WIDTH_LIMIT, FloatArray, as_integer, as_integer_array
from sigprop.theory.energy import MAX_DEPTH

WINDOW_ERROR = 0.5
"""A form is in its window where its stated relative error is at most this."""

ROUNDING = 4e-15
"""Share of ``1 + |log_value|`` that the stated errors allow for float64 rounding."""


@dataclass(frozen=True, eq=False)
class Approximation:
    r"""An asymptotic form of an energy with its error: :math:`|value/exact - 1| \le error`.

    Attributes
    ----------
    log_value : float64 scalar or ndarray
        Natural logarithm of the form.
    relative_error : float64 scalar or ndarray
        :math:`e^z - 1`, where z is the stated distance between `log_value` and the exact
        logarithm, float64 rounding included; ``inf`` where the form says nothing.  Each
        form says whether z is proved or measured.

    Examples
    --------
    >>> from sigprop.theory.critical import critical_rnn
    >>> form = critical_rnn(10**6, 1000)
    >>> bool(form.in_window), sorted(form.to_dict())
    (True, ['in_window', 'log_value', 'relative_error', 'value'])
    """

    log_value: Any
    relative_error: Any

    @property
    def value(self) -> Any:
        """The form itself; ``inf`` where it exceeds the float range."""
        with np.errstate(over="ignore"):
            return np.exp(self.log_value)

    @property
    def in_window(self) -> Any:
        """Whether the stated relative error is at most one half."""
        return self.relative_error <= WINDOW_ERROR

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data: numbers or nested lists, None where not finite."""
        return {
            "log_value": _finite_or_none(self.log_value),
            "value": _finite_or_none(self.value),
            "relative_error": _finite_or_none(self.relative_error),
            "in_window": np.asarray(self.in_window).tolist(),
        }


def _finite_or_none(values: Any) -> Any:
    array = np.asarray(values)
    if array.ndim == 0:
        number = float(array)
        return number if math.isfinite(number) else None
    return [_finite_or_none(item) for item in array]


def from_log_error(log_value: FloatArray, log_error: FloatArray) -> Approximation:
    """Return the form whose logarithm is within ``log_error``, not counting rounding, of exact."""
    with np.errstate(over="ignore"):
        error = np.expm1(log_error + ROUNDING * (1.0 + np.abs(log_value)))
    return Approximation(log_value[()], error[()])


def corrected(
    leading: FloatArray, corrections: Sequence[FloatArray], rest: FloatArray, order: int
) -> Approximation:
    """Add the first ``order`` corrections to a logarithm; the others and ``rest`` are its error."""
    log_value = sum(corrections[:order], start=leading)
    log_error = sum((np.abs(term) for term in corrections[order:]), start=rest)
    return from_log_error(log_value, log_error)


def widths_and_depths(n: Any, depth: Any, name: str) -> tuple[FloatArray, FloatArray]:
    """Return checked widths and depths, broadcast against each other."""
    widths = as_integer_array("n", n, 1, FLOAT_WIDTH_LIMIT)
    depths = as_integer_array(name, depth, 0, MAX_DEPTH)
    widths, depths = np.broadcast_arrays(widths, depths)
    return widths, depths


def as_order(name: str, value: Any, highest: int) -> int:
    """Return an order from 0 to ``highest``."""
    order = as_integer(name, value, 0)
    if order > highest:
        raise ValueError(f"{name} must be an integer from 0 to {highest}, got {order}")
    return order
