"""Weighted values of several families: sums, their spread, and what the spread rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_BATCHES = 16
_SMALLEST_BATCH = 4
_FEWEST_BATCHES = 4


@dataclass(frozen=True)
class WeightedValues:
    """Weighted values v = w g of each family, divided by exp(log_scale)."""

    log_scale: float
    parts: tuple[FloatArray, ...]

    @classmethod
    def scaled(cls, log_weights: list[FloatArray], factors: list[FloatArray]) -> WeightedValues:
        """Return w g of each family, scaled so that the largest is +-1."""
        smallest = min(len(part) for part in factors)
        if smallest < 2:
            raise ValueError(
                f"every family needs at least 2 samples for an error bar, got {smallest}: "
                "draw more samples"
            )
        with np.errstate(divide="ignore"):
            logs = [w + np.log(np.abs(g)) for w, g in zip(log_weights, factors, strict=True)]
        log_scale = max(float(part.max()) for part in logs)
        if log_scale == -math.inf:
            log_scale = 0.0
        return cls(
            log_scale,
            tuple(
                np.sign(g) * np.exp(part - log_scale) for part, g in zip(logs, factors, strict=True)
            ),
        )

    def mean(self) -> float:
        """Return the sum over families of the mean, over exp(log_scale)."""
        return float(sum(part.mean() for part in self.parts))

    def standard_error(self) -> float:
        """Return the standard error of `mean`: families are independent."""
        return math.sqrt(sum(variance_of_mean(part) for part in self.parts))

    def concentration(self) -> tuple[float, float]:
        """Return effective samples and largest share of v / N, N the size of the family."""
        shares = np.concatenate([np.abs(part) / len(part) for part in self.parts])
        total = float(shares.sum())
        if total == 0.0:
            return 0.0, 0.0
        return effective_samples(shares), float(shares.max()) / total

    def batch_ratio(self) -> float | None:
        """Return the error bar over the one that a typical batch of samples predicts."""
        batches = min(_BATCHES, min(len(part) for part in self.parts) // _SMALLEST_BATCH)
        error = self.standard_error()
        if batches < _FEWEST_BATCHES or error == 0.0:
            return None
        variances = np.zeros(batches)
        for part in self.parts:
            variances += [part[b::batches].var(ddof=1) / len(part) for b in range(batches)]
        typical = float(np.median(variances))
        return error / math.sqrt(typical) if typical > 0.0 else None


def variance_of_mean(values: FloatArray) -> float:
    """Return the sample variance over the number of samples."""
    return float(values.var(ddof=1)) / len(values)


def effective_samples(values: FloatArray) -> float:
    """Return (sum v)^2 / sum v^2, 0 if all are 0."""
    squares = float(np.square(values).sum())
    return float(values.sum()) ** 2 / squares if squares > 0.0 else 0.0
