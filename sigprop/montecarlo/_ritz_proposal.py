"""What Ritz importance sampling draws first: a Ritz value lam and the scale of its left vector.

H is the Krylov-Hessenberg matrix of (W, x) and H_K its leading K x K block, whose
eigenvalues are the Ritz values. Three families cover every case; D is the real dimension
of the set where lam lives:

- ``complex``: complex W, complex lam, D = 2; only |lam| matters, so lam > 0;
- ``real``: real W, real lam, D = 1; W and -W have the same energies, so lam > 0;
- ``pair``: real W, lam not real, D = 2; conjugation and W -> -W leave a quarter plane.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[Any]

COMPLEX, REAL, PAIR = "complex", "real", "pair"

CHAINS = {COMPLEX: 10, REAL: 10, PAIR: 20}
"""Chains simulated for each one kept: with one, the effective sample size falls to a half."""

_BLOCK_FACTOR = 2.3
"""K = 2.3 sqrt(n): at sqrt(n) the error bar is wrong, from 2 to 4 sqrt(n) efficiency is flat."""

_WIDE_SHARE = 0.2
"""Share of the second Gamma law of |lam|^2, which reaches nearer to the unit circle."""

_BAND_SHARE = 0.3
"""Share of the angles of a pair drawn within `_BAND` / sqrt(n) of the real axis."""

_BAND = 1.5


@dataclass(frozen=True)
class RitzPlan:
    """One family of Ritz values at one width and depth, and the size of the block H_K."""

    family: str
    width: int
    depth: int
    block: int
    chains: int

    @property
    def dimension(self) -> int:
        """D, the real dimension of the set where the Ritz value lives."""
        return 1 if self.family == REAL else 2

    @property
    def is_complex(self) -> bool:
        """Whether W has complex entries."""
        return self.family == COMPLEX


def make_plan(family: str, width: int, depth: int, block: int | None = None) -> RitzPlan:
    """Return the plan with K = 2.3 sqrt(n), or the given ``block``, within [2, min(k, n - 4)]."""
    wanted = round(_BLOCK_FACTOR * math.sqrt(width)) if block is None else block
    return RitzPlan(family, width, depth, max(2, min(wanted, depth, width - 4)), CHAINS[family])


@dataclass(frozen=True)
class RitzValues:
    """Proposed Ritz values, one per chain, and their density on the line or the plane."""

    square: FloatArray  # |lam|^2
    value: Array  # lam: float64, or complex128 for pairs
    log_density: FloatArray

    def repeated(self, times: int) -> RitzValues:
        """Return each value ``times`` times in a row."""
        return RitzValues(
            np.repeat(self.square, times),
            np.repeat(self.value, times),
            np.repeat(self.log_density, times),
        )


def draw_ritz_values(plan: RitzPlan, count: int, generator: np.random.Generator) -> RitzValues:
    """Draw lam with |lam|^2 ~ 0.8 Gamma(a)/r + 0.2 Gamma(a - 2k/3)/r, a = D n/2 + k, r = D n/2.

    The density of lam follows from that of s = |lam|^2: the plane has d^2 lam = ds dphi / 2,
    the line d lam = ds / (2 sqrt(s)) on each side of 0.
    """
    square = _draw_squares(plan, count, generator)
    log_density = _log_density_of_squares(plan, square)
    modulus = np.sqrt(square)
    if plan.family == COMPLEX:
        return RitzValues(square, modulus, log_density - math.log(math.pi))
    if plan.family == REAL:
        return RitzValues(square, modulus, log_density + 0.5 * np.log(square))
    angle, log_angle_density = _draw_angles(plan, count, generator)
    # The quarter plane stands for the whole one: a quarter of the density of the angle.
    log_density += math.log(2.0) + log_angle_density - math.log(4.0)
    return RitzValues(square, modulus * np.exp(1j * angle), log_density)


def draw_first_squares(plan: RitzPlan, count: int, generator: np.random.Generator) -> FloatArray:
    """Draw |l_0|^2, l the left vector, from its law biased by |l_0|^2.

    A unit vector of D n/2 degrees has |l_0|^2 ~ Beta(D/2, D (n-1)/2); the bias adds 1 to the
    first parameter. For a pair, l = X + iY with (X, Y) an orthonormal frame: Beta(2, (n-2)/2).
    """
    if plan.family == PAIR:
        return generator.beta(2.0, 0.5 * (plan.width - 2), count)
    half = 0.5 * plan.dimension
    return generator.beta(half + 1.0, half * (plan.width - 1), count)


def _gamma_laws(plan: RitzPlan) -> tuple[float, float, float]:
    """Return (a, a - 2k/3, r): the two shapes and the rate of |lam|^2."""
    rate = 0.5 * plan.dimension * plan.width
    shape = rate + plan.depth
    return shape, shape - 2.0 * plan.depth / 3.0, rate


def _draw_squares(plan: RitzPlan, count: int, generator: np.random.Generator) -> FloatArray:
    shape, wide_shape, rate = _gamma_laws(plan)
    wide = generator.random(count) < _WIDE_SHARE
    return generator.standard_gamma(np.where(wide, wide_shape, shape)) / rate


def _log_density_of_squares(plan: RitzPlan, square: FloatArray) -> FloatArray:
    shape, wide_shape, rate = _gamma_laws(plan)

    def log_gamma_density(a: float) -> FloatArray:
        log_density: FloatArray = (
            a * math.log(rate) - math.lgamma(a) + (a - 1.0) * np.log(square) - rate * square
        )
        return log_density

    return np.logaddexp(
        math.log1p(-_WIDE_SHARE) + log_gamma_density(shape),
        math.log(_WIDE_SHARE) + log_gamma_density(wide_shape),
    )


def _draw_angles(
    plan: RitzPlan, count: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw angles in (0, pi/2) and return them with their log density.

    Near the real axis the projectors of a pair are large and plain uniform angles leave a
    heavy tail, hence the band.
    """
    band = min(_BAND / math.sqrt(plan.width), 0.7)
    in_band = generator.random(count) < _BAND_SHARE
    angle = generator.random(count) * np.where(in_band, band, 0.5 * math.pi)
    density = (1.0 - _BAND_SHARE) / (0.5 * math.pi) + np.where(
        angle < band, _BAND_SHARE / band, 0.0
    )
    return angle, np.log(density)
