r"""Log-uniform laws: :math:`\ln x` uniform on :math:`[\ln x_0, \ln x_1]`.

The step sizes of state-space layers and the decay rates of the RotRNN are drawn that way.
Means are Gauss-Legendre sums in ln x over panels that are short enough for what is averaged.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sigprop._arguments import FloatArray, as_positive_float
from sigprop.recurrences.quadrature import ORDER

LONGEST_PANEL = 0.25
"""Longest panel in ln x: exp(-s x) is integrated to a rounding as long as s x_0 < 150."""

MAX_PANELS = 200_000

_FIRST_EDGES = (0.05, 0.1)  # exp(-s x) with s x_0 up to 700 lives in the first of them
_GRID = 4096  # points on which the number of panels up to a place is tabulated


class PanelLimitError(ValueError):
    """The integrand oscillates so often that its mean is not computed."""


@dataclass(frozen=True)
class LogUniformLaw:
    """Numbers between ``low`` and ``high``, uniform in the logarithm.

    Parameters
    ----------
    low, high : float
        Ends, 0 < low <= high.

    Examples
    --------
    >>> law = LogUniformLaw(1e-3, 1e-1)
    >>> x, weight = law.rule()
    >>> round(float(weight @ x) - law.mean(), 15) == 0.0, round(law.mean(), 9)
    (True, 0.021497577)
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", as_positive_float("low", self.low))
        object.__setattr__(self, "high", as_positive_float("high", self.high))
        if self.low > self.high:
            raise ValueError(f"low must be at most high = {self.high!r}, got {self.low!r}")

    @property
    def length(self) -> float:
        """ln(high/low), without cancellation for a narrow law."""
        return math.log1p((self.high - self.low) / self.low)

    def mean(self) -> float:
        """Return E x = (high - low)/ln(high/low)."""
        return self.low if self.low == self.high else (self.high - self.low) / self.length

    def rule(
        self, longest: Callable[[FloatArray], FloatArray] | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return nodes x and weights of sum 1.

        Parameters
        ----------
        longest : callable, optional
            Longest panel in ln x allowed at every x, for integrands that oscillate.

        Raises
        ------
        PanelLimitError
            If that takes more than `MAX_PANELS` panels.
        """
        if self.low == self.high:
            return np.array([self.low]), np.ones(1)
        edges = self._edges(longest)
        inner, inner_weight = np.polynomial.legendre.leggauss(ORDER)
        half = 0.5 * np.diff(edges)
        y = (np.outer(half, inner) + (edges[:-1] + half)[:, np.newaxis]).ravel()
        return self.low * np.exp(y), np.outer(half, inner_weight).ravel() / self.length

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """Draw independent numbers."""
        return self.low * np.exp(self.length * rng.random(shape))

    def _edges(self, longest: Callable[[FloatArray], FloatArray] | None) -> FloatArray:
        """Return the ends of the panels in y = ln(x/low)."""
        y = np.linspace(0.0, self.length, _GRID)
        panel = np.full(_GRID, LONGEST_PANEL)
        if longest is not None:
            panel = np.minimum(panel, longest(self.low * np.exp(y)))
        density = 1.0 / panel
        steps = 0.5 * (density[1:] + density[:-1]) * np.diff(y)
        passed = np.concatenate([[0.0], np.cumsum(steps)])
        count = math.ceil(passed[-1])
        if count > MAX_PANELS:
            raise PanelLimitError(f"the mean takes {count} panels, more than {MAX_PANELS}")
        edges = np.interp(np.linspace(0.0, passed[-1], count + 1), passed, y)
        first = [edge for edge in _FIRST_EDGES if edge < edges[1]]
        return np.concatenate([edges[:1], first, edges[1:]])
