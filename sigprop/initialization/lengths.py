r"""Safe length: how long a sequence may be at a given gain before the energy passes a bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from sigprop._arguments import as_choice, as_positive_float
from sigprop.initialization.gains import (
    FIELDS,
    MAX_LENGTH,
    MODELS,
    as_quantile,
    as_width,
    depth_ladder,
)
from sigprop.theory import energy


@dataclass(frozen=True)
class SafeLength:
    """The greatest length at which the energy stays below a bound.

    Attributes
    ----------
    length : int or None
        Greatest depth such that the energy is at most the bound there and at every depth
        before; None if it is so to depth 10**7, the last one asked.
    width : int
        Width n.
    gain, bound : float
        What it is for.
    model, field : str
        Recurrence and field of the weights.
    quantile : float or None
        Quantile of the energy; None for the mean.
    method : str
        "exact mean", or how the quantile was found.

    Examples
    --------
    >>> safe_length(64, 1.0, 2.0, quantile=None, field="complex").to_dict()["length"]
    16
    """

    length: int | None
    width: int
    gain: float
    bound: float
    model: str
    field: str
    quantile: float | None
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for strict JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> SafeLength:
        """Return the answer whose `to_dict` is given."""
        return cls(**fields)


def safe_length(
    n: int,
    gain: float = 1.0,
    bound: float = 10.0,
    *,
    quantile: float | None = 0.95,
    field: str = "real",
    model: str = "rnn",
) -> SafeLength:
    r"""Return the greatest length at which a gain keeps the energy below a bound.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    gain : float
        Factor on the weights, > 0: E|W_ij|^2 = gain^2 / n.
    bound : float
        Bound > 1 of the energy per unit, of the ratio S/(t+1) for the LRU.
    quantile : float or None
        Which quantile of the energy of one draw of W is meant (rnn), .005 to .995, for widths
        to 10**9; None for the mean, which is what the LRU always takes.
    field : {"real", "complex"}
        Field of the weights.
    model : {"rnn", "lru"}
        Recurrence.

    Returns
    -------
    SafeLength

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    The mean passes the bound once and for all, since it is log-convex in depth. A quantile
    is first looked at on depths a factor two apart; the length is where it passes the bound
    for the first time, to the resolution of that ladder's bisection.

    Examples
    --------
    >>> safe_length(1024, 1.0, 2.0, quantile=None, field="complex").length
    66
    """
    n = as_width(n)
    gain, bound = as_positive_float("gain", gain), as_positive_float("bound", bound)
    field, model = as_choice("field", field, FIELDS), as_choice("model", model, MODELS)
    if bound <= 1.0:
        raise ValueError(f"bound must be above 1, the energy at depth 0, got {bound!r}")
    log_bound = math.log(bound)
    if quantile is not None:
        quantile = as_quantile("quantile", quantile)
    if model == "rnn" and quantile is not None:
        length, method = _quantile_length(n, gain, log_bound, quantile, field)
        return SafeLength(length, n, gain, bound, model, field, quantile, method)

    def safe(depth: int) -> bool:
        if model == "rnn":
            return float(energy.log_rnn_energy(n, depth, gain, field)) <= log_bound
        log_energy = float(energy.log_lru_energy(n, depth, gain, field))
        return log_energy - math.log(depth + 1.0) <= log_bound

    method = "exact mean"
    if quantile is not None:
        method = "exact mean (no law of the quantiles of an LRU is known)"
    return SafeLength(_first_unsafe(safe), n, gain, bound, model, field, None, method)


def _first_unsafe(safe: Callable[[int], bool]) -> int | None:
    """Return the last depth of the safe stretch that starts at 0, None if it has no end."""
    last_safe = 0
    for depth in depth_ladder(MAX_LENGTH):
        if safe(depth):
            last_safe = depth
            continue
        low, high = last_safe, depth
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if safe(middle) else (low, middle)
        return low
    return None


def _quantile_length(
    n: int, gain: float, log_bound: float, quantile: float, field: str
) -> tuple[int | None, str]:
    from sigprop.typical import energy_quantiles

    methods = []

    def safe(depth: int) -> bool:
        answer = energy_quantiles(n, depth, (quantile,), field=field, gain=gain)
        methods.append(answer.method)
        return float(answer.values[0]) <= log_bound

    length = _first_unsafe(safe)
    return length, methods[-1]
