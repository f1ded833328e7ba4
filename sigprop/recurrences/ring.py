r"""The ring law of the LRU: :math:`r^2` uniform on :math:`[r_{min}^2, r_{max}^2]`.

Its moments have the closed form, with a = r_min^2, b = r_max^2,

.. math:: E\,r^p = \frac{b^{p/2+1} - a^{p/2+1}}{(p/2+1)(b - a)} .

Means of other functions are integrals over :math:`u = -\ln(1 - r)`, a variable in which all
scales of 1 - r have the same length; r is :math:`1 - e^{-u}`, so no digit of 1 - r is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sigprop._arguments import FloatArray, as_finite_float
from sigprop.recurrences.quadrature import panel_rule

_LONGEST = 80.0
"""Largest u for r_max = 1: what lies beyond counts for nothing up to depth 2^53."""


@dataclass(frozen=True)
class RadiusRule:
    """Nodes of a law of radii r: the radii, their gaps 1 - r, and weights of sum 1."""

    radius: FloatArray
    gap: FloatArray
    weight: FloatArray

    @property
    def log_q(self) -> FloatArray:
        """Logarithms of q = r^2."""
        with np.errstate(divide="ignore"):
            return 2.0 * np.log1p(-self.gap)

    @property
    def q_gap(self) -> FloatArray:
        """Gaps 1 - q = (1 - r)(1 + r)."""
        return self.gap * (1.0 + self.radius)


@dataclass(frozen=True)
class RingLaw:
    """Radii with r^2 uniform between r_min^2 and r_max^2, 0 <= r_min <= r_max <= 1.

    Examples
    --------
    >>> ring = RingLaw(0.0, 1.0)
    >>> ring.moment(np.array([0.0, 2.0, 4.0])).round(12).tolist()
    [1.0, 0.5, 0.333333333333]
    """

    r_min: float
    r_max: float

    def __post_init__(self) -> None:
        low = as_finite_float("r_min", self.r_min)
        high = as_finite_float("r_max", self.r_max)
        if not 0.0 <= low <= high <= 1.0:
            raise ValueError(
                f"r_min and r_max must satisfy 0 <= r_min <= r_max <= 1, got {low!r} and {high!r}"
            )
        object.__setattr__(self, "r_min", low)
        object.__setattr__(self, "r_max", high)

    @property
    def span(self) -> float:
        """r_max^2 - r_min^2."""
        return (self.r_max - self.r_min) * (self.r_max + self.r_min)

    @property
    def gap(self) -> float:
        """1 - r_max^2."""
        return (1.0 - self.r_max) * (1.0 + self.r_max)

    @property
    def log_ratio(self) -> float:
        """ln(r_min^2 / r_max^2), for r_max > 0."""
        share = self.span / self.r_max**2  # 1 - a/b
        return math.log1p(-share) if share < 1.0 else -math.inf

    def moment(self, power: FloatArray) -> FloatArray:
        r"""Return :math:`E\,r^p` for powers p >= 0.

        Computed as :math:`r_{max}^p (1 - e^{mL})/(m (1 - e^L))` with m = p/2 + 1 and
        L = ln(a/b): no cancellation however narrow the ring.
        """
        exponent = np.asarray(power, dtype=np.float64)
        with np.errstate(under="ignore"):
            top = np.power(self.r_max, exponent)
            if self.span == 0.0:
                return top
            m = 0.5 * exponent + 1.0
            share = self.span / self.r_max**2  # 1 - a/b
            return top * -np.expm1(m * self.log_ratio) / (m * share)

    def mean_inverse_gap(self) -> float:
        """Return E 1/(1 - r^2) = ln((1 - a)/(1 - b))/(b - a), inf for r_max = 1."""
        if self.gap == 0.0:
            return math.inf
        if self.span == 0.0:
            return 1.0 / self.gap
        return math.log1p(self.span / self.gap) / self.span

    def rule(self) -> RadiusRule:
        """Return a quadrature rule of the law: Gauss-Legendre in u = -ln(1 - r)."""
        if self.r_min == self.r_max:
            gap = np.array([1.0 - self.r_max])
            return RadiusRule(1.0 - gap, gap, np.ones(1))
        start = -math.log1p(-self.r_min)
        length = _LONGEST - start
        if self.r_max < 1.0:
            length = math.log1p((self.r_max - self.r_min) / (1.0 - self.r_max))
        u, weight = panel_rule(start, length)
        gap = np.exp(-u)
        radius = -np.expm1(-u)
        weight = weight * radius * gap  # 2 r dr = 2 r (1 - r) du
        return RadiusRule(radius, gap, weight / weight.sum())

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        r"""Draw :math:`\nu = -\ln r` by :math:`-\tfrac12 \ln(1 - ((1-b) + (1-U)(b-a)))`."""
        gaps = self.gap + (1.0 - rng.random(shape)) * self.span
        with np.errstate(divide="ignore"):
            nu: FloatArray = -0.5 * np.log1p(-gaps)
        return nu
