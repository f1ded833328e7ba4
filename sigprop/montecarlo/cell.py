"""One simulated energy beside the exact one: the record that every command prints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop import regimes
from sigprop.montecarlo import planning, rare
from sigprop.montecarlo.estimate import Estimate
from sigprop.montecarlo.weighted import WeightedEstimate
from sigprop.recurrences.protocol import Recurrence
from sigprop.recurrences.structured import NoFormulaError, StructuredRecurrence

FloatArray = npt.NDArray[np.float64]

_NULL_MEANS_OVERFLOW = ("mean",)
_NULL_MEANS_OVERFLOW_IF_PLAIN = ("median", "quantile_05", "quantile_95")

_ROUNDING = 1e-12  # relative rounding of a mean: no error bar is taken to be smaller
_LARGEST_LOG_RATIO = 700.0  # cut on log(mean / exact) that keeps a z-score finite


@dataclass(frozen=True)
class Cell:
    """One simulated energy: what was simulated, what theory says, what came out.

    The attributes are the keys of the JSON record, in this order.

    Attributes
    ----------
    model, field, gain, width, depth
        What was simulated.
    c : float
        depth / sqrt(width).
    regime : str or None
        Name of the regime of (width, depth), that of complex weights with gain 1; None for
        a structured recurrence, whose energy does not depend on the width.
    exact, log_exact : float or None
        Exact mean energy and its logarithm; None where theory has none, and ``exact`` also
        where it overflows.
    mean : float
        Estimate of the mean energy; inf (null in JSON) where it overflows.
    standard_error : float or None
        Standard error of the mean from the sample. None when refused, that is when the
        mean is not trustworthy, or where it overflows.
    exact_standard_error : float or None
        Standard error that the exact relative variance gives a plain sample of this size;
        None where theory has none, where it overflows, and for importance sampling.
    z : float or None
        (mean - exact) over the exact standard error where there is one, else over that of
        the sample; None without theory or without error bar.
    median, quantile_05, quantile_95 : float or None
        Sample quantiles of the energy; inf (null in JSON) where they overflow, None for
        importance sampling, whose draws are not typical.
    effective_samples : float
        (sum x)^2 / sum x^2, of weighted values for importance sampling.
    largest_share : float
        Largest single (weighted) value over their sum.
    trustworthy : bool
        False where the tail that the sample cannot see dominates.
    reason : str or None
        Why it is not trustworthy; None if it is.
    method : str
        How it was simulated: "krylov", "direct" or "importance".
    choice : str or None
        Why ``auto`` took importance sampling; None if it did not.
    samples : int
        Number of trajectories.
    seed : int
        The integer that, given as ``rng``, reproduces the cell.

    Examples
    --------
    >>> from sigprop import simulate
    >>> from sigprop.recurrences import GaussianRNN
    >>> (cell,) = simulate(GaussianRNN(16), 4, 500, rng=0).cells
    >>> Cell.from_dict(cell.to_dict()) == cell
    True
    """

    model: str
    field: str
    gain: float
    width: int
    depth: int
    c: float
    regime: str | None
    exact: float | None
    log_exact: float | None
    mean: float
    standard_error: float | None
    exact_standard_error: float | None
    z: float | None
    median: float | None
    quantile_05: float | None
    quantile_95: float | None
    effective_samples: float
    largest_share: float
    trustworthy: bool
    reason: str | None
    method: str
    choice: str | None
    samples: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON record: plain types, None for everything that is not finite."""
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Cell:
        """Return the cell of a JSON record.

        Raises
        ------
        ValueError
            If the keys are not those of a cell.
        """
        names = [field.name for field in fields(cls)]
        if set(record) != set(names):
            missing = sorted(set(names) - set(record))
            unknown = sorted(set(record) - set(names))
            raise ValueError(f"record is not a cell: missing {missing}, unknown {unknown}")
        values = dict(record)
        plain = values["method"] != rare.METHOD
        for name in _NULL_MEANS_OVERFLOW + (_NULL_MEANS_OVERFLOW_IF_PLAIN if plain else ()):
            if values[name] is None:
                values[name] = math.inf
        values["seed"] = int(values["seed"])  # beyond 2**53 it may be written as a string
        return cls(**values)


def cell_of(
    recurrence: Recurrence, depth: int, log_energies: FloatArray, method: str, seed: int
) -> Cell:
    """Return the cell of a plain sample of log energies, with what theory says beside it."""
    estimate = Estimate.from_log_energies(log_energies)
    exact, log_exact = _exact_energy(recurrence, depth)
    low, high = (float(np.quantile(log_energies, q, method="inverted_cdf")) for q in (0.05, 0.95))
    variance = planning.exact_relative_variance(recurrence, depth)
    relative = None
    if variance is not None and log_exact is not None:
        relative = _sqrt_over_samples(variance.log_value, estimate.samples)
    return Cell(
        **_what(recurrence, depth),
        exact=exact,
        log_exact=log_exact,
        mean=estimate.mean,
        standard_error=_finite(estimate.standard_error),
        exact_standard_error=_exact_error(log_exact, relative),
        z=_z_score(estimate, log_exact, relative),
        median=estimate.median,
        quantile_05=_exp(low),
        quantile_95=_exp(high),
        effective_samples=estimate.effective_samples,
        largest_share=estimate.largest_share,
        trustworthy=estimate.trustworthy,
        reason=estimate.reason,
        method=method,
        choice=None,
        samples=estimate.samples,
        seed=seed,
    )


def weighted_cell(
    recurrence: Recurrence, depth: int, estimate: WeightedEstimate, choice: str | None, seed: int
) -> Cell:
    """Return the cell of an importance sample, whose estimate is that of gain 1."""
    log_factor = rare.log_gain_factor(recurrence, depth)
    log_exact = _finite(recurrence.log_state_energy(depth))
    mean = _exp(estimate.log_mean + log_factor)
    error = None
    if estimate.trustworthy:
        error = _finite(_exp(estimate.log_mean + log_factor + math.log(estimate.relative_error)))
    z = None
    if log_exact is not None and estimate.trustworthy:
        z = estimate.z_score(log_exact - log_factor)
    return Cell(
        **_what(recurrence, depth),
        exact=_finite(recurrence.state_energy(depth)),
        log_exact=log_exact,
        mean=mean,
        standard_error=error,
        exact_standard_error=None,
        z=z,
        median=None,
        quantile_05=None,
        quantile_95=None,
        effective_samples=estimate.effective_samples,
        largest_share=estimate.largest_share,
        trustworthy=estimate.trustworthy,
        reason=estimate.reason,
        method=rare.METHOD,
        choice=choice,
        samples=estimate.samples,
        seed=seed,
    )


def _exact_energy(recurrence: Recurrence, depth: int) -> tuple[float | None, float | None]:
    """Return the exact energy and its logarithm, None where there is no formula."""
    try:
        exact = recurrence.state_energy(depth)
        log_exact = recurrence.log_state_energy(depth)
    except NoFormulaError:
        return None, None
    return _finite(exact), _finite(log_exact)


def _what(recurrence: Recurrence, depth: int) -> dict[str, Any]:
    structured = isinstance(recurrence, StructuredRecurrence)
    return {
        "model": recurrence.model,
        "field": recurrence.field,
        "gain": recurrence.gain,
        "width": recurrence.width,
        "depth": depth,
        "c": depth / math.sqrt(recurrence.width),
        "regime": None if structured else regimes.classify(recurrence.width, depth).name,
    }


def _sqrt_over_samples(log_variance: float, samples: int) -> float:
    """Return the relative standard error sqrt(variance / samples), inf where it overflows."""
    return _exp(0.5 * (log_variance - math.log(samples)))


def _exact_error(log_exact: float | None, relative: float | None) -> float | None:
    if log_exact is None or relative is None:
        return None
    if relative == 0.0:
        return 0.0
    return _finite(_exp(log_exact + math.log(relative)))


def _z_score(estimate: Estimate, log_exact: float | None, relative: float | None) -> float | None:
    """Return the z-score over the exact error if there is one, else over that of the sample."""
    if log_exact is None:
        return None
    if relative is None:
        return estimate.z_score(log_exact)
    ratio = math.expm1(min(estimate.log_mean - log_exact, _LARGEST_LOG_RATIO))
    return ratio / math.hypot(relative, _ROUNDING)


def _exp(value: float) -> float:
    return math.exp(value) if value < 709.78 else math.inf


def _finite(value: np.float64 | float | None) -> float | None:
    """Return a finite value as a float, anything else as None."""
    return float(value) if value is not None and math.isfinite(value) else None
