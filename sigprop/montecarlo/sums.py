r"""Sums of energies that merge: what is left of a chunk when its draws are forgotten.

Energies are kept relative to the largest one, exp(e - top), so that no depth overflows, and
as mean and sum of squared deviations, so that nearly constant energies keep their variance
(the difference of raw second moments would lose it).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class EnergySums:
    """Count, mean and squared deviations of energies x = exp(e) and of their logarithms e.

    Attributes
    ----------
    count : int
        Number of energies.
    zeros : int
        How many of them are exactly zero; they have no logarithm.
    top : float
        Largest log energy; -inf if all energies are zero.
    mean, deviations : float
        Mean of exp(e - top), and sum of its squared deviations from that mean.
    log_mean, log_deviations : float
        The same of e over the energies that are not zero.

    Notes
    -----
    `merged` is the pairwise update of Chan, Golub and LeVeque (1979) after a rescaling by
    the difference of the tops. The last bits depend on the order of merging, so chunks are
    merged in the order of their numbers.

    Examples
    --------
    >>> parts = [EnergySums.of(np.log([1.0, 2.0])), EnergySums.of(np.log([3.0]))]
    >>> total = EnergySums.merged(parts)
    >>> total.count, round(math.exp(total.log_mean_energy), 12)
    (3, 2.0)
    """

    count: int
    zeros: int
    top: float
    mean: float
    deviations: float
    log_mean: float
    log_deviations: float

    @classmethod
    def of(cls, log_energies: FloatArray) -> EnergySums:
        """Return the sums of some log energies, shape (count,), -inf for an energy of zero."""
        finite = log_energies[log_energies > -math.inf]
        top = float(finite.max()) if finite.size else -math.inf
        scaled = np.exp(log_energies - top) if finite.size else np.zeros(log_energies.size)
        mean, deviations = _moments(scaled)
        log_mean, log_deviations = _moments(finite)
        zeros = log_energies.size - finite.size
        return cls(log_energies.size, zeros, top, mean, deviations, log_mean, log_deviations)

    @classmethod
    def merged(cls, parts: Iterable[EnergySums]) -> EnergySums:
        """Return the sums of all parts together, merged in the order given."""
        total = cls(0, 0, -math.inf, 0.0, 0.0, 0.0, 0.0)
        for part in parts:
            total = total._with(part)
        return total

    @property
    def log_mean_energy(self) -> float:
        """Logarithm of the mean energy; -inf if all are zero."""
        return self.top + math.log(self.mean) if self.mean > 0.0 else -math.inf

    @property
    def relative_deviation(self) -> float | None:
        """Standard deviation of one energy (ddof 1) over the mean; None if there is none."""
        if self.count < 2 or self.mean == 0.0:
            return None
        return math.sqrt(self.deviations / (self.count - 1)) / self.mean

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as strict JSON: the logarithm of zero is null."""
        return asdict(self) | {"top": self.top if math.isfinite(self.top) else None}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> EnergySums:
        """Return the sums of a record made by `to_dict`."""
        values = {field.name: record[field.name] for field in fields(cls)}
        if values["top"] is None:
            values["top"] = -math.inf
        return cls(**values)

    def _with(self, other: EnergySums) -> EnergySums:
        top = max(self.top, other.top)
        mean, deviations = _together(
            (self.count, *self._scaled_to(top)), (other.count, *other._scaled_to(top))
        )
        log_mean, log_deviations = _together(
            (self.count - self.zeros, self.log_mean, self.log_deviations),
            (other.count - other.zeros, other.log_mean, other.log_deviations),
        )
        count, zeros = self.count + other.count, self.zeros + other.zeros
        return EnergySums(count, zeros, top, mean, deviations, log_mean, log_deviations)

    def _scaled_to(self, top: float) -> tuple[float, float]:
        """Return mean and deviations of exp(e - top)."""
        if self.top == -math.inf:
            return 0.0, 0.0
        factor = math.exp(self.top - top)
        return self.mean * factor, self.deviations * factor * factor


def _moments(values: FloatArray) -> tuple[float, float]:
    """Return the mean and the sum of squared deviations, (0, 0) of nothing."""
    if values.size == 0:
        return 0.0, 0.0
    mean = float(values.mean())
    return mean, float(np.square(values - mean).sum())


def _together(
    left: tuple[int, float, float], right: tuple[int, float, float]
) -> tuple[float, float]:
    """Return mean and squared deviations of two (count, mean, deviations) together."""
    count = left[0] + right[0]
    if count == 0:
        return 0.0, 0.0
    share = right[0] / count
    difference = right[1] - left[1]
    mean = left[1] + difference * share
    return mean, left[2] + right[2] + difference * difference * left[0] * share
