"""Which method simulates which depth, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sigprop._arguments import as_choice
from sigprop.montecarlo import direct, importance, krylov, rare
from sigprop.recurrences.gaussian import GaussianLRU, GaussianRNN
from sigprop.recurrences.protocol import Recurrence
from sigprop.theory.fluctuations import RelativeVariance, relative_variance_with_error

METHODS = ("auto", "krylov", "direct", "importance")

ENOUGH_ERROR = 0.1
"""Relative standard error at which a plain sample is taken to suffice."""

_MAX_LRU_DEPTH = 128  # the table of exact second moments takes three seconds there
_SERIES_C = 0.5  # well below sqrt(width) the series in 1/n answers at once at any depth


@dataclass(frozen=True)
class Choice:
    """A method and the reason why ``auto`` took it; None where it was asked for."""

    method: str
    why: str | None = None


def plain_method(recurrence: Recurrence, depths: list[int]) -> str:
    """Return the plain sampler with the smaller matrices.

    Beyond the width the Krylov matrices are as large as W and need more work per step.
    """
    deepest = max(depths)
    if not krylov.applies(recurrence):
        return "direct"
    if recurrence.width > direct.MAX_WIDTH:
        return "krylov"
    return "krylov" if deepest <= min(recurrence.width, krylov.MAX_DEPTH) else "direct"


def exact_relative_variance(recurrence: Recurrence, depth: int) -> RelativeVariance | None:
    """Return Var(E)/E[E]^2 of one trajectory where theory has it, else None."""
    if not krylov.applies(recurrence):
        return None
    if isinstance(recurrence, GaussianLRU) and depth > max(
        _MAX_LRU_DEPTH, _SERIES_C * math.sqrt(recurrence.width)
    ):
        return None
    try:
        return relative_variance_with_error(
            recurrence.width, depth, recurrence.model, recurrence.gain, field=recurrence.field
        )
    except ValueError:  # a depth beyond the reach of the exact sums, 7 for real weights
        return None


def choices(method: str, recurrence: Recurrence, depths: list[int], samples: int) -> list[Choice]:
    """Return the method of every depth.

    ``auto`` simulates plainly where the exact relative variance says that the sample
    suffices, by importance sampling otherwise where that applies.  For real weights, whose
    relative variance is known to depth 7 only, the switch is at depth = 3 sqrt(width).
    """
    name = as_choice("method", method, METHODS)
    if name == "importance":
        for depth in depths:
            _check_importance(recurrence, depth, samples)
    if name != "auto":
        return [Choice(name)] * len(depths)
    rare_depths = {depth: _why_importance(recurrence, depth, samples) for depth in depths}
    plain_depths = [depth for depth, why in rare_depths.items() if why is None]
    plain = plain_method(recurrence, plain_depths) if plain_depths else "krylov"
    return [
        Choice(plain) if why is None else Choice("importance", why) for why in rare_depths.values()
    ]


def _is_dense_rnn(recurrence: Recurrence) -> bool:
    return type(recurrence) is GaussianRNN and krylov.applies(recurrence)


def _check_importance(recurrence: Recurrence, depth: int, samples: int) -> None:
    if not _is_dense_rnn(recurrence):
        raise ValueError(
            f"method 'importance' needs a GaussianRNN, got {recurrence!r}; use method 'krylov' "
            "or 'direct'"
        )
    if samples < rare.LEAST_SAMPLES:
        raise ValueError(
            f"samples must be at least {rare.LEAST_SAMPLES} for method 'importance', got {samples}"
        )
    importance.check_range(recurrence.width, depth, recurrence.field)


def _why_importance(recurrence: Recurrence, depth: int, samples: int) -> str | None:
    """Return why a depth is for importance sampling, or None if it is not."""
    if not _is_dense_rnn(recurrence) or samples < rare.LEAST_SAMPLES:
        return None
    if not importance.applies(recurrence.width, depth, recurrence.field):
        return None
    if recurrence.field == "real":
        return "beyond depth 3 sqrt(width) plain samples of real weights miss the mean"
    variance = exact_relative_variance(recurrence, depth)
    if variance is None:
        return None
    log_needed = variance.log_value - 2.0 * math.log(ENOUGH_ERROR)
    if log_needed <= math.log(samples):
        return None
    exponent = log_needed / math.log(10.0)
    return f"a plain sample needs about 10^{exponent:.1f} trajectories for a 10 % error bar"
