"""Checks of user input: one place that says what an argument may be.

Every message names the argument, the value that was given and what is allowed.
Integers of any NumPy or Python kind are taken as exact; integral floats are
taken as the integer that they are; bools, strings, nan, inf and fractions are
refused.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

FLOAT_WIDTH_LIMIT = 2**53
"""Largest width that a float64 holds exactly together with all smaller ones."""

FloatArray = npt.NDArray[np.float64]


def shown(value: Any) -> str:
    """Return a value as text for a message, cut to 60 characters."""
    try:
        text = repr(value)
    except ValueError:  # an integer beyond the interpreter's digit limit
        text = f"an integer of {value.bit_length()} bits"
    return text if len(text) <= 60 else text[:57] + "..."


def as_integer(name: str, value: Any, minimum: int) -> int:
    """Return ``value`` as a Python int, at least ``minimum``.

    Raises
    ------
    TypeError
        If ``value`` is not a number (bool, string, array, None, ...).
    ValueError
        If it is not integral, not finite, or below ``minimum``.
    """
    wanted = f"{name} must be an integer >= {minimum}"
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{wanted}, got the bool {value!r}")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return as_integer(name, value[()], minimum)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if not math.isfinite(number) or not number.is_integer():
            raise ValueError(f"{wanted}, got {shown(value)}")
        result = int(number)
    else:
        try:
            result = operator.index(value)
        except TypeError:
            raise TypeError(
                f"{wanted}, got {shown(value)} of type {type(value).__name__}"
            ) from None
    if result < minimum:
        raise ValueError(f"{wanted}, got {shown(value)}")
    return result


def as_exact_integer(name: str, value: Any, minimum: int) -> int:
    """Like `as_integer`, but a float is refused: exact arithmetic takes integers only."""
    if isinstance(value, (float, np.floating)):
        raise TypeError(f"{name} must be an integer >= {minimum}, got the float {value!r}")
    return as_integer(name, value, minimum)


MAX_EXACT_DEPTH = 10**9
"""Depths beyond have no exact number that fits into any memory."""


def as_exact_depth(name: str, value: Any) -> int:
    """Return a depth >= 0 of an exact number: an integer that is not beyond all memory."""
    depth = as_exact_integer(name, value, 0)
    if depth > MAX_EXACT_DEPTH:
        raise ValueError(
            f"{name} must be at most {MAX_EXACT_DEPTH} for exact numbers, got {shown(depth)}; "
            "use the float64 functions or sigprop.certified"
        )
    return depth


def as_integer_list(name: str, values: Any, minimum: int) -> list[int]:
    """Return one number or a one-dimensional collection as a non-empty list of ints."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be integers >= {minimum}, got the string {values!r}")
    if isinstance(values, np.ndarray):
        items: list[Any] = list(np.atleast_1d(values))
    elif hasattr(values, "__iter__") and not hasattr(values, "__index__"):
        items = list(values)
    else:
        items = [values]
    if not items:
        raise ValueError(f"{name} must hold at least one integer >= {minimum}, got none")
    return [as_integer(name, item, minimum) for item in items]


def as_positive_float(name: str, value: Any) -> float:
    """Return ``value`` as a finite float > 0."""
    number = as_finite_float(name, value)
    if number <= 0.0:
        raise ValueError(f"{name} must be a finite number > 0, got {shown(value)}")
    return number


def as_finite_float(name: str, value: Any) -> float:
    """Return ``value`` as a finite float."""
    if isinstance(value, (bool, np.bool_, str, bytes)):
        raise TypeError(f"{name} must be a finite number, got {shown(value)}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be a finite number, got {shown(value)} of type {type(value).__name__}"
        ) from None
    except OverflowError:
        raise ValueError(f"{name} must be a finite number, got {shown(value)}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {shown(value)}")
    return number


def as_choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """Return ``value`` if it is one of the strings ``allowed``."""
    if not isinstance(value, str) or value not in allowed:
        options = ", ".join(repr(option) for option in allowed)
        raise ValueError(f"{name} must be one of {options}, got {shown(value)}")
    return value


def as_integer_array(name: str, value: Any, minimum: int, maximum: int) -> FloatArray:
    """Return an array of integers as float64, exact, each in [minimum, maximum].

    Raises
    ------
    TypeError
        If the entries are not numbers (bools, strings, objects).
    ValueError
        If the array is empty or an entry is not integral, not finite or out of range.
    """
    wanted = f"{name} must hold integers from {minimum} to {maximum}"
    try:
        array = np.asarray(value)
    except (OverflowError, ValueError):
        raise TypeError(f"{wanted}, got {shown(value)}") from None
    if array.dtype == object and all(hasattr(item, "__index__") for item in array.flat):
        return _as_object_array(name, array, minimum, maximum)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{wanted}, got {shown(value)} of dtype {array.dtype}")
    if array.size == 0:
        raise ValueError(f"{wanted}, got an empty array")
    if array.dtype == np.float16:
        array = array.astype(np.float64)  # whose range does not hold the bounds
    bad = (array < minimum) | (array > maximum)
    if array.dtype.kind == "f":
        bad |= ~np.isfinite(array) | (array != np.rint(array))
    if np.any(bad):
        first = array[bad].flat[0].item()
        raise ValueError(f"{wanted}, got {shown(first)}{_hint(name, first, maximum)}")
    return array.astype(np.float64)


def _as_object_array(
    name: str, array: npt.NDArray[np.object_], minimum: int, maximum: int
) -> FloatArray:
    """Python integers beyond 64 bits arrive as objects: check them one by one."""
    result = np.empty(array.shape, dtype=np.float64)
    for index, item in np.ndenumerate(array):
        number = as_integer(name, item, minimum)
        if number > maximum:
            raise ValueError(
                f"{name} must hold integers from {minimum} to {maximum}, "
                f"got {shown(number)}{_hint(name, number, maximum)}"
            )
        result[index] = number
    return result


def _hint(name: str, value: float, maximum: int) -> str:
    if maximum == FLOAT_WIDTH_LIMIT and maximum < value < math.inf:
        return f"; for a larger {name} use sigprop.exact or sigprop.certified"
    return ""


def as_gain_array(value: Any) -> FloatArray:
    """Return the gain as a float64 array of finite numbers > 0."""
    try:
        array = np.asarray(value)
    except (OverflowError, ValueError):
        raise TypeError(f"gain must hold finite numbers > 0, got {shown(value)}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"gain must hold finite numbers > 0, got {shown(value)}")
    if array.size == 0:
        raise ValueError("gain must hold finite numbers > 0, got an empty array")
    result = array.astype(np.float64)
    bad = ~(np.isfinite(result) & (result > 0.0))
    if np.any(bad):
        raise ValueError(f"gain must hold finite numbers > 0, got {shown(result[bad].flat[0])}")
    return result


def as_nonnegative_array(name: str, value: Any, maximum: float = math.inf) -> FloatArray:
    """Return an array of finite numbers from 0 to ``maximum`` as float64."""
    wanted = f"{name} must hold finite numbers >= 0"
    if maximum < math.inf:
        wanted = f"{wanted} and <= {maximum:g}"
    try:
        array = np.asarray(value)
    except (OverflowError, ValueError):
        raise TypeError(f"{wanted}, got {shown(value)}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{wanted}, got {shown(value)}")
    if array.size == 0:
        raise ValueError(f"{wanted}, got an empty array")
    result = array.astype(np.float64)
    bad = ~(np.isfinite(result) & (result >= 0.0) & (result <= maximum))
    if np.any(bad):
        raise ValueError(f"{wanted}, got {shown(result[bad].flat[0].item())}")
    return result
