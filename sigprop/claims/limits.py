"""Claims about large widths: three regimes, their limits, and where each one ends."""

from __future__ import annotations

import math

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.claims.claim import Claim, verdict
from sigprop.regimes import breakdown_depth, classify
from sigprop.theory.asymptotics import critical_integral, critical_profile, published_lru
from sigprop.theory.energy import log_lru_energy, lru_energy, lru_excess, rnn_energy

_WIDTHS = np.array([10**4, 10**6, 10**8, 10**10, 10**12, 10**14])
_C = np.array([0.25, 0.5, 1.0, 1.5, 2.0, 3.0])


def _exponent(x: FloatArray, y: FloatArray) -> float:
    """Return the slope of log y against log x by least squares."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def sub_critical_limit() -> Claim:
    """Compare the excess at t = n^0.4 with its first term C(t+3, 5)/(n^2 (t+1))."""
    t = np.rint(_WIDTHS**0.4)
    excess = lru_excess(_WIDTHS, t)
    first = (t + 3) * (t + 2) * t * (t - 1) / (120.0 * _WIDTHS.astype(float) ** 2)
    ratio = excess / first
    falls = bool(np.all(np.diff(excess) < 0.0))
    return Claim(
        claim="Sub-critical: S / (t+1) tends to 1 for t << sqrt(n)",
        route="exact excess along t = n^0.4 against its first term in 1/n^2",
        size="n = 1e4 to 1e14",
        measured=f"excess falls from {excess[0]:.1e} to {excess[-1]:.1e}; "
        f"over its first term {ratio[0]:.4f} to {ratio[-1]:.8f}",
        window="t << sqrt(n)",
        verdict=verdict(falls and abs(ratio[-1] - 1.0) < 1e-4, "t << sqrt(n)"),
    )


def critical_limit() -> Claim:
    """Compare Q with F(c) and S/sqrt(n) with I(c): the error must fall as n^(-1/2)."""
    n = _WIDTHS[:, None].astype(float)
    depth = np.rint(_C * np.sqrt(n))
    c = depth / np.sqrt(n)
    rnn = np.abs(rnn_energy(n, depth) / critical_profile(c) - 1.0)
    lru = np.abs(lru_energy(n, depth) / (np.sqrt(n) * critical_integral(c)) - 1.0)
    rates = [_exponent(_WIDTHS, error[:, column]) for error in (rnn, lru) for column in range(6)]
    worst = max(abs(rate + 0.5) for rate in rates)
    return Claim(
        claim="Critical: Q tends to (2/c^2) sinh(c^2/2) and S/sqrt(n) to its integral",
        route="float64 energies at t = c sqrt(n)",
        size="n = 1e4 to 1e14, six c from 0.25 to 3",
        measured=f"largest error {max(rnn[-1].max(), lru[-1].max()):.1e} at n = 1e14; "
        f"decay exponents {min(rates):.3f} to {max(rates):.3f}, expected -1/2",
        window="t / sqrt(n) fixed",
        verdict=verdict(worst < 0.05, "t / sqrt(n) fixed"),
    )


def _published_distance(n: int, t: int) -> float:
    return float(log_lru_energy(n, t) - published_lru(n, t).log_value)


def published_super_critical_form() -> Claim:
    """Measure S ~ (n^2/t^3) exp(t^2/(2n)) inside sqrt(n) << t << n^(2/3), and beyond."""
    inside = math.expm1(_published_distance(10**12, round(1e12**0.6)))
    seam = _published_distance(10**12, 10**8)
    outside = _published_distance(10**6, 10**5)
    window = "sqrt(n) << t << n^(2/3)"
    agrees = abs(inside) < 0.03 and abs(seam + 1.0 / 6.0) < 0.001 and outside < -100.0
    return Claim(
        claim="Super-critical: S ~ (n^2/t^3) exp(t^2/(2n))",
        route="exact log S against the published form",
        size="(1e12, n^0.6), (1e12, n^(2/3)), (1e6, 1e5)",
        measured=f"relative difference {inside:+.4f} at n = 1e12, t = n^0.6; "
        f"log difference {seam:+.4f} at its end t = n^(2/3); fails outside, log difference "
        f"{outside:+.2f} at n = 1e6, t = 1e5",
        window=window,
        verdict=verdict(agrees, window),
    )


def three_regimes() -> Claim:
    """Classify three depths of each width: they must pass the regimes in order."""
    seen = 0
    for n in (10**4, 10**6, 10**8, 10**12):
        root = math.isqrt(n)
        names = [classify(n, depth).name for depth in (root // 2, 2 * root, round(n**0.75))]
        seen += names == ["sub-critical", "critical", "super-critical"]
    return Claim(
        claim="There are three regimes: t << sqrt(n), t ~ sqrt(n), t >> sqrt(n)",
        route="classification by which description is within 10 %",
        size="n = 1e4 to 1e12 at c = 1/2, c = 2 and t = n^0.75",
        measured=f"in this order at {seen} of 4 widths",
        window=None,
        verdict=verdict(seen == 4),
    )


def breakdown_scale() -> Claim:
    """Fit exponents: the recurrent breakdown depth scales as sqrt(n), the feedforward as n."""
    recurrent = _exponent(_WIDTHS, breakdown_depth(_WIDTHS, 0.1))
    # Feedforward: the mean is 1 at every depth and the relative variance (1 + 1/n)^L - 1.
    feedforward = _exponent(_WIDTHS, np.ceil(math.log1p(0.1) / np.log1p(1.0 / _WIDTHS)))
    agrees = abs(recurrent - 0.5) < 0.005 and abs(feedforward - 1.0) < 0.005
    return Claim(
        claim="Infinite width ends at t ~ sqrt(n) with tied weights, at L ~ n without",
        route="first depth with 10 % excess (tied mean) or 10 % relative variance (untied)",
        size="n = 1e4 to 1e14",
        measured=f"exponents {recurrent:.4f} and {feedforward:.4f}; untied, the mean never departs",
        window=None,
        verdict=verdict(agrees),
    )
