r"""Which law answers at which width and depth: quantiles of log E_k at gain 1.

========================= =============================================================
k = 0, k = 1, n = 1       exact
n < 50                    simulation
c <= 1                    log-normal
1 < c < 1.3               blend, linear in c
c up to 40 (real: 20)     overlap-sum law
beyond                    the answer at that depth, and growth by the spectral radius
========================= =============================================================
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.typical.log_normal import log_normal_quantile, log_variance
from sigprop.typical.overlap_law import overlap_law
from sigprop.typical.radius import LARGEST_WIDTH, spectral_radius_quantiles
from sigprop.typical.sampled import default_samples, sampled_quantiles
from sigprop.typical.stated_errors import TESTED_WIDTHS, growth_error, law_error, log_normal_error

METHODS = ("auto", "log-normal", "overlap-sum law", "simulation")
"""What a caller may ask for."""

LOWEST, HIGHEST = 0.005, 0.995
"""Levels that all methods answer at."""

_BLEND = (1.0, 1.3)
_ANCHOR = {"complex": 40.0, "real": 20.0}


class Answer(NamedTuple):
    """Quantiles of log E_k at gain 1, their errors, and the law that gave them."""

    values: FloatArray
    errors: FloatArray
    method: str


def unit_gain_quantiles(
    n: int, k: int, field: str, q: FloatArray, method: str = "auto", samples: int | None = None
) -> Answer:
    """Return the quantiles at checked arguments, q of shape (m,)."""
    if method == "simulation":
        return _simulation(n, k, field, q, samples)
    if method == "log-normal":
        return _log_normal(n, k, field, q)
    if method == "overlap-sum law":
        return _overlap_sum(n, k, field, q)
    if k <= 1 or n == 1:
        return _exact(n, k, field, q)
    anchor = anchor_depth(n, k, field)
    if anchor < k:
        return _by_radius(n, k, anchor, field, q)
    return _at_moderate_depth(n, k, field, q)


def anchor_depth(n: int, k: int, field: str) -> int:
    """Return the depth up to which the laws go; beyond it the spectral radius takes over."""
    return min(k, math.floor(_ANCHOR[field] * math.sqrt(n)))


def _at_moderate_depth(n: int, k: int, field: str, q: FloatArray) -> Answer:
    c = k / math.sqrt(n)
    if n < TESTED_WIDTHS[0]:
        return _simulation(n, k, field, q, None)
    if c <= _BLEND[0]:
        return _log_normal(n, k, field, q)
    law = _overlap_sum(n, k, field, q)
    if c >= _BLEND[1]:
        return law
    share = (c - _BLEND[0]) / (_BLEND[1] - _BLEND[0])
    narrow = log_normal_quantile(n, k, field, q)
    return Answer(share * law.values + (1.0 - share) * narrow, law.errors, "blend")


def gamma_shape(n: int, field: str) -> float:
    r"""Return the shape nu of the energy of one step, Gamma(nu)/nu."""
    return float(n) if field == "complex" else 0.5 * n


def rounding_error(k: int, values: FloatArray) -> FloatArray:
    """Return the error of quantiles k log(...) of an exact law."""
    return np.asarray(1e-12 * np.abs(values) + k * 1e-14)


def _exact(n: int, k: int, field: str, q: FloatArray) -> Answer:
    r"""Return quantiles of log E: E = 1 (k = 0), Gamma(nu)/nu (k = 1), w^{2k} (n = 1)."""
    from scipy.special import gammaincinv

    if k == 0:
        return Answer(np.zeros(q.shape), np.zeros(q.shape), "exact")
    shape = gamma_shape(n, field)
    values = k * np.log(gammaincinv(shape, q) / shape)
    return Answer(values, rounding_error(k, values), "exact")


def _simulation(n: int, k: int, field: str, q: FloatArray, samples: int | None) -> Answer:
    count = default_samples(n, max(k, 1)) if samples is None else samples
    return Answer(*sampled_quantiles(n, k, field, q, count), "simulation")


def _log_normal(n: int, k: int, field: str, q: FloatArray) -> Answer:
    values = log_normal_quantile(n, k, field, q)
    if k > _BLEND[0] * math.sqrt(n) or n < TESTED_WIDTHS[0]:  # where it was not tested
        return Answer(values, np.full(q.shape, math.inf), "log-normal")
    errors = log_normal_error(n, k, field, q, log_variance(n, k, field))
    return Answer(values, errors, "log-normal")


def _overlap_sum(n: int, k: int, field: str, q: FloatArray) -> Answer:
    lowest = math.sqrt(n)
    highest = _ANCHOR[field] * math.sqrt(n)
    if not lowest <= k <= highest:
        raise ValueError(
            "k must be from sqrt(n) to "
            f"{_ANCHOR[field]:g} sqrt(n) = {highest:.1f} for the overlap-sum law, got {k}"
        )
    if not 2 <= n <= LARGEST_WIDTH:
        raise ValueError(
            f"n must be from 2 to {LARGEST_WIDTH} for the overlap-sum law (k > sqrt(n)), got {n}"
        )
    values = overlap_law(n, k, field).quantile(q)
    errors = law_error(n, k, field, q)
    if n < TESTED_WIDTHS[0]:
        errors = np.full(q.shape, math.inf)
    return Answer(values, errors, "overlap-sum law")


def _by_radius(n: int, k: int, anchor: int, field: str, q: FloatArray) -> Answer:
    near = _at_moderate_depth(n, anchor, field, q)
    rate = 2.0 * np.log(spectral_radius_quantiles(n, q, field))
    errors = near.errors + growth_error(n, k - anchor)
    return Answer(near.values + (k - anchor) * rate, errors, "spectral radius")
