r"""An estimate of a mean energy from log energies, and whether it can be trusted.

Energies of long recurrences are heavy-tailed: beyond depth / sqrt(n) = 3 the mean is carried
by draws so rare that a sample does not hold one, and the error bar of the sample, which
cannot know of them, is far too small. `Estimate` says so instead of printing it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

ENOUGH_TAIL = 5.0
"""Draws a sample must hold, on average, beyond the level that carries the second moment.

Chosen on 233 settings of the complex RNN (n = 1 to 1024, 100 to 20000 trajectories), 20 to
100 samples each, and measured on those same samples. With 5 the 95 % intervals of trusted
results covered the exact mean in 93.1 % of the cases; where intervals of all samples cover
less than 85 %, one sample in eighty was trusted. At n = 1024, depth 64, 256 trajectories 5
flags one sample in twenty, 10 one in seven, with the same coverage."""

LARGEST_SHARE = 0.2
"""Share of the sum that one trajectory may carry: catches outliers that no bulk announces."""

_SCORES = np.linspace(-1.0, 2.0, 7)
"""Normal scores at which the quantiles of the log energy are read, 16 % to 98 %."""

_LEVELS = np.array([NormalDist().cdf(score) for score in _SCORES.tolist()])

_ROUNDING = 1e-12
"""Relative difference of two means that rounding may make."""

_LARGEST_LOG_RATIO = 700.0
"""Cut on log(exact / mean) that keeps a z-score finite."""


@dataclass(frozen=True)
class Estimate:
    """The sample mean of an energy, its error bar, and whether to believe them.

    Attributes
    ----------
    mean : float
        Mean of the sample, inf where it overflows.
    log_mean : float
        Its logarithm; -inf if all energies are zero, else finite.
    standard_error : float or None
        Standard error of the mean, over trajectories; None when refused, that is when
        ``trustworthy`` is False, and inf where it overflows.
    relative_error : float or None
        ``standard_error / mean``, None when refused.
    median : float
        Median energy, inf where it overflows.
    effective_samples : float
        (sum x)^2 / sum x^2, from 1 (one draw is everything) to ``samples``; 0 if all
        energies are zero.
    largest_share : float
        Largest draw over the sum; 0 if all energies are zero.
    samples : int
        Number of trajectories.
    trustworthy : bool
        False where the tail that the sample cannot see dominates.
    reason : str or None
        Why it is not trustworthy, in words; None if it is.

    Notes
    -----
    The rule for the tail. Let L(z) = a + b z + g z^2 be fitted to quantiles of the log
    energy against normal scores z. The second moment, and so the error bar, is carried by
    draws near the z that maximises 2 L(z) - z^2 / 2, that is z* = 2 b / (1 - 4 g): two
    standard deviations of the log for a log-normal law, further out if the law is skewed to
    the right, nowhere if g >= 1/4. A sample is trusted if it holds on average at least
    `ENOUGH_TAIL` draws beyond z*. A negative g is halved, since curvature to the left fades
    in the far tail. The rule reads the bulk only: a rule that reads the largest draws trusts
    just those samples that missed the tail, and their intervals cover least.

    Energies that are exactly zero (rectified units that are all off) count in the mean and
    its error. They have no logarithm and no tail: the rule reads the other draws, and their
    number. A sample of zeros only says nothing about the mean and is refused.

    Examples
    --------
    >>> Estimate.from_log_energies(np.log(np.linspace(0.9, 1.1, 101))).trustworthy
    True
    """

    mean: float
    log_mean: float
    standard_error: float | None
    relative_error: float | None
    median: float
    effective_samples: float
    largest_share: float
    samples: int
    trustworthy: bool
    reason: str | None

    @classmethod
    def from_log_energies(cls, log_energies: Any) -> Estimate:
        """Estimate the mean of exp(log_energies) without leaving the log domain.

        Parameters
        ----------
        log_energies : array_like of float, shape (samples,)
            Natural logarithms of independent energies; -inf for an energy of zero.

        Returns
        -------
        Estimate

        Raises
        ------
        ValueError
            If the array is empty, not one-dimensional, or holds nan or inf.
        """
        logs = _checked(log_energies)
        samples = logs.size
        top = float(logs.max())
        if top == -math.inf:
            return cls._of_zeros(samples)
        scaled = np.exp(logs - top)
        mean = float(scaled.mean())
        log_mean = top + math.log(mean)
        largest_share = float(scaled.max() / scaled.sum())
        reason = _reason(logs, largest_share)
        relative_error = None
        if reason is None:
            relative_error = float(scaled.std(ddof=1)) / mean / math.sqrt(samples)
        return cls(
            mean=_exp(log_mean),
            log_mean=log_mean,
            standard_error=None if relative_error is None else _times_exp(relative_error, log_mean),
            relative_error=relative_error,
            median=_exp(float(np.median(logs))),
            effective_samples=float(scaled.sum() ** 2 / np.square(scaled).sum()),
            largest_share=largest_share,
            samples=samples,
            trustworthy=reason is None,
            reason=reason,
        )

    @classmethod
    def _of_zeros(cls, samples: int) -> Estimate:
        return cls(
            mean=0.0,
            log_mean=-math.inf,
            standard_error=None,
            relative_error=None,
            median=0.0,
            effective_samples=0.0,
            largest_share=0.0,
            samples=samples,
            trustworthy=False,
            reason=f"no energy of {samples} is above zero: what carries the mean was not drawn",
        )

    def z_score(self, log_exact: float) -> float | None:
        """Return (mean - exact) / standard error, or None when the error is refused.

        A constant energy has error zero: z is then 0 if it equals the exact one to
        rounding, and large if not.
        """
        if self.relative_error is None:
            return None
        excess = -math.expm1(min(log_exact - self.log_mean, _LARGEST_LOG_RATIO))
        if abs(excess) <= _ROUNDING:
            return 0.0
        return excess / max(self.relative_error, _ROUNDING)


def draws_in_tail(log_energies: FloatArray) -> float:
    """Return how many draws the sample holds, on average, where the second moment is carried.

    The log energies are finite: energies of zero are left out.
    """
    quantiles = np.quantile(log_energies, _LEVELS)
    curvature, slope, _ = np.polyfit(_SCORES, quantiles, 2).tolist()
    if curvature < 0.0:
        curvature /= 2.0
    if curvature >= 0.25:
        return 0.0
    return log_energies.size * NormalDist().cdf(-2.0 * slope / (1.0 - 4.0 * curvature))


def _reason(logs: FloatArray, largest_share: float) -> str | None:
    """Return why the mean of these draws cannot be trusted, or None."""
    if logs.size == 1:
        return "one trajectory gives no error bar"
    alive = logs[logs > -math.inf]
    if alive.size == logs.size and np.ptp(logs) == 0.0:
        return None
    seen = draws_in_tail(alive)
    if seen < ENOUGH_TAIL:
        shown = f"about {seen:.1f}" if seen >= 0.1 else "fewer than 0.1"
        return (
            f"the tail dominates: {shown} of {logs.size} trajectories are expected where "
            f"the second moment is carried, {ENOUGH_TAIL:g} are needed"
        )
    if largest_share > LARGEST_SHARE:
        return f"one trajectory of {logs.size} carries {largest_share:.0%} of the sum"
    return None


def _checked(log_energies: Any) -> FloatArray:
    logs = np.asarray(log_energies, dtype=np.float64)
    if logs.ndim != 1 or logs.size == 0:
        raise ValueError(
            "log_energies must be a one-dimensional array with at least one entry, "
            f"got shape {logs.shape}"
        )
    if not np.all(logs < math.inf):  # nan is not either
        raise ValueError("log_energies must be finite or -inf, got nan or inf")
    return logs


def _exp(value: float) -> float:
    """Return exp(value), inf where it overflows."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def _times_exp(factor: float, value: float) -> float:
    """Return factor exp(value), which may be finite where exp(value) is not."""
    return 0.0 if factor == 0.0 else _exp(math.log(factor) + value)
