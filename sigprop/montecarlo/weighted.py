"""Estimates from weighted samples that come in families: E g = sum over families of mean(w g).

Everything stays in the log domain until the end, and every estimate says how many samples
carry it, because the error bar of weighted samples is only as good as their largest weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_finite_float, as_integer
from sigprop.montecarlo._weighted_values import (
    WeightedValues,
    effective_samples,
    variance_of_mean,
)

FloatArray = npt.NDArray[np.float64]

LARGEST_SHARE = 0.1
"""Share of the mean that one sample may carry."""

LEAST_EFFECTIVE = 0.3
"""Smallest trusted ratio of effective samples to samples.

Within the range of the method it is 0.4 to 0.97; with a block of sqrt(n) or at depth sqrt(n),
where intervals miss, 0.01 to 0.27, and lowest where the estimate happens to be right: the
samples that miss the tail are those that look even."""

BATCH_RATIO = 2.0
"""Largest trusted ratio of the error bar of all samples to that of a typical batch.

Measured at 250 to 3000 samples: within the range of the method the median is 1.0 to 1.1 (at
most 1.5 for real weights at c = 3, where 2.3 was seen); with a block of sqrt(n) or at depth
sqrt(n), where intervals miss, 1.2 to 400 with a median of 2."""


@dataclass(frozen=True, eq=False)
class WeightedFamily:
    """Independent weighted samples of one family.

    Attributes
    ----------
    name : str
        Name of the family.
    log_weights : ndarray of float64, shape (N,)
    log_energies : ndarray of float64, shape (N, depth + 1)
        Log energies of the paths at depth 0, ..., depth.
    """

    name: str
    log_weights: FloatArray
    log_energies: FloatArray


@dataclass(frozen=True)
class FamilyPart:
    """What one family contributes to a mean.

    Attributes
    ----------
    name : str
    samples : int
    share : float
        Part of the mean, from 0 to 1.
    relative_error : float
        Standard error of this part over the whole mean.
    effective_samples : float
        (sum v)^2 / sum v^2 over the family's weighted values v.
    """

    name: str
    samples: int
    share: float
    relative_error: float
    effective_samples: float


@dataclass(frozen=True)
class WeightedEstimate:
    """The mean energy from weighted samples, its error bar, and what speaks for the error bar.

    Attributes
    ----------
    mean : float
        Estimate of E[energy], inf where it overflows.
    log_mean : float
        Its logarithm.
    relative_error : float
        Standard error over mean, from the sample; to be believed only if ``trustworthy``.
    effective_samples : float
        (sum v)^2 / sum v^2 over all weighted values v, from 1 to ``samples``.
    largest_share : float
        Largest weighted value over their sum.
    batch_ratio : float or None
        The error bar over the one that the median variance of up to 16 batches gives: near 1
        if the samples alike make the error bar, above 2 if a few make it. None if there
        are too few samples for batches.
    samples : int
    families : tuple of FamilyPart
    trustworthy : bool
    reason : str or None
        Why it is not trustworthy; None if it is.
    """

    mean: float
    log_mean: float
    relative_error: float
    effective_samples: float
    largest_share: float
    batch_ratio: float | None
    samples: int
    families: tuple[FamilyPart, ...]
    trustworthy: bool
    reason: str | None

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, inf where it overflows."""
        return _exp(self.log_mean) * self.relative_error if self.relative_error > 0.0 else 0.0

    def log_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the logarithms of mean -+ z standard errors; the lower may be -inf.

        Parameters
        ----------
        level : float, optional
            Confidence level, between 0 and 1.
        """
        level = as_finite_float("level", level)
        if not 0.0 < level < 1.0:
            raise ValueError(f"level must be between 0 and 1, got {level!r}")
        reach = NormalDist().inv_cdf(0.5 + 0.5 * level) * self.relative_error
        low = self.log_mean + math.log1p(-reach) if reach < 1.0 else -math.inf
        return low, self.log_mean + math.log1p(reach)

    def z_score(self, log_exact: float) -> float:
        """Return (mean - exact) / standard error."""
        return -math.expm1(log_exact - self.log_mean) / self.relative_error

    def to_dict(self) -> dict[str, Any]:
        """Return plain types, None for everything that is not finite."""
        return _strict(asdict(self))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> WeightedEstimate:
        """Return the estimate of a record made by `to_dict`."""
        values = dict(record)
        values["families"] = tuple(FamilyPart(**part) for part in values["families"])
        if values["mean"] is None:
            values["mean"] = math.inf
        return cls(**values)


@dataclass(frozen=True)
class FunctionalEstimate:
    """The mean of a functional of the path, such as the probability of a tail.

    Attributes
    ----------
    value : float
    standard_error : float
    effective_samples : float
        (sum abs(v))^2 / sum v^2 over the weighted values v; 0 if all are 0. Below about 30 the
        standard error means little.
    largest_share : float
        Largest abs(v) over their sum; 0 if all are 0.
    """

    value: float
    standard_error: float
    effective_samples: float
    largest_share: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain types, None for everything that is not finite."""
        return _strict(asdict(self))


def merge_families(parts: Iterable[Sequence[WeightedFamily]]) -> tuple[WeightedFamily, ...]:
    """Return the families of several calls, each family's samples one after the other.

    Raises
    ------
    ValueError
        If there is nothing to merge, or the names or depths differ.
    """
    calls = [tuple(part) for part in parts]
    if not calls:
        raise ValueError("parts must hold at least one set of families, got none")
    shapes = {tuple((f.name, f.log_energies.shape[1]) for f in call) for call in calls}
    if len(shapes) > 1:
        raise ValueError(f"parts must have the same families and depth, got {sorted(shapes)}")
    return tuple(
        WeightedFamily(
            group[0].name,
            np.concatenate([family.log_weights for family in group]),
            np.concatenate([family.log_energies for family in group]),
        )
        for group in zip(*calls, strict=True)
    )


def mean_energy(families: Sequence[WeightedFamily], depth: int | None = None) -> WeightedEstimate:
    """Estimate E[energy at ``depth``] = sum over families of mean(w energy).

    Parameters
    ----------
    families : sequence of WeightedFamily
        At least 2 samples in each.
    depth : int, optional
        Depth of the energy, by default the last one, for which the samples were drawn.

    Returns
    -------
    WeightedEstimate
    """
    column = _column(families, depth)
    values = WeightedValues.scaled(
        [family.log_weights + family.log_energies[:, column] for family in families],
        [np.ones(len(family.log_weights)) for family in families],
    )
    mean, error = values.mean(), values.standard_error()
    log_mean = values.log_scale + math.log(mean)
    effective, largest_share = values.concentration()
    batch_ratio = values.batch_ratio()
    samples = sum(len(part) for part in values.parts)
    reason = _reason(effective / samples, largest_share, batch_ratio)
    return WeightedEstimate(
        mean=_exp(log_mean),
        log_mean=log_mean,
        relative_error=error / mean,
        effective_samples=effective,
        largest_share=largest_share,
        batch_ratio=batch_ratio,
        samples=samples,
        families=tuple(
            FamilyPart(
                name=family.name,
                samples=len(part),
                share=float(part.mean()) / mean,
                relative_error=math.sqrt(variance_of_mean(part)) / mean,
                effective_samples=effective_samples(part),
            )
            for family, part in zip(families, values.parts, strict=True)
        ),
        trustworthy=reason is None,
        reason=reason,
    )


def path_functional(
    families: Sequence[WeightedFamily], function: Callable[[FloatArray], npt.ArrayLike]
) -> FunctionalEstimate:
    """Estimate E[g(path)] = sum over families of mean(w g).

    Parameters
    ----------
    families : sequence of WeightedFamily
        At least 2 samples in each.
    function : callable
        g: takes log energies of shape (N, depth + 1), returns N finite numbers.

    Returns
    -------
    FunctionalEstimate

    Notes
    -----
    The samples were drawn for the mean energy at the last depth: a functional that common
    paths carry has few effective samples, and is better left to plain simulation.
    """
    factors = [_evaluated(function, family.log_energies) for family in families]
    values = WeightedValues.scaled([family.log_weights for family in families], factors)
    effective, largest_share = values.concentration()
    return FunctionalEstimate(
        value=_times_exp(values.mean(), values.log_scale),
        standard_error=_times_exp(values.standard_error(), values.log_scale),
        effective_samples=effective,
        largest_share=largest_share,
    )


def tail_probability(
    families: Sequence[WeightedFamily], log_level: float, depth: int | None = None
) -> FunctionalEstimate:
    """Estimate P(log energy at ``depth`` > ``log_level``).

    Parameters
    ----------
    families : sequence of WeightedFamily
        At least 2 samples in each.
    log_level : float
        Logarithm of the level.
    depth : int, optional
        Depth of the energy, by default the last one.

    Returns
    -------
    FunctionalEstimate
        The probability, its standard error, and how many samples carry it.
    """
    log_level = as_finite_float("log_level", log_level)
    column = _column(families, depth)
    return path_functional(families, lambda paths: paths[:, column] > log_level)


def _reason(effective: float, largest_share: float, batch_ratio: float | None) -> str | None:
    """Return why the error bar cannot be trusted, or None."""
    if largest_share > LARGEST_SHARE:
        return f"one sample carries {largest_share:.0%} of the mean"
    if effective < LEAST_EFFECTIVE:
        return f"the weights are too uneven: only {effective:.0%} of the samples are effective"
    if batch_ratio is None:
        return "too few samples to check the error bar"
    if batch_ratio > BATCH_RATIO:
        return (
            f"a few samples make the error bar: it is {batch_ratio:.1f} times that of a "
            "typical batch"
        )
    return None


def _column(families: Sequence[WeightedFamily], depth: int | None) -> int:
    last: int = families[0].log_energies.shape[1] - 1
    if depth is None:
        return last
    column = as_integer("depth", depth, 0)
    if column > last:
        raise ValueError(f"depth must be at most {last}, the depth of the paths, got {depth!r}")
    return column


def _evaluated(
    function: Callable[[FloatArray], npt.ArrayLike], log_energies: FloatArray
) -> FloatArray:
    values = np.asarray(function(log_energies), dtype=np.float64)
    if values.shape != log_energies.shape[:1]:
        raise ValueError(
            f"function must return one number per path, shape {log_energies.shape[:1]}, "
            f"got shape {values.shape}"
        )
    if not np.all(np.isfinite(values)):
        raise ValueError("function must return finite numbers, got nan or inf")
    return values


def _strict(record: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in record.items()
    }


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def _times_exp(factor: float, value: float) -> float:
    if factor == 0.0:
        return 0.0
    return math.copysign(_exp(math.log(abs(factor)) + value), factor)
