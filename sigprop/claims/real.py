"""Claims about real weights, and about how far one draw is from the mean."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from sigprop.claims.claim import Claim, verdict
from sigprop.theory import asymptotics
from sigprop.theory.combinatorics import wick_polynomial
from sigprop.theory.exact import rnn_energy
from sigprop.theory.feedforward import FeedforwardEnergy
from sigprop.theory.real_pairings import pairing_polynomial
from sigprop.theory.real_weights import exact_rnn_energy

_LAST_DEPTH = 6
_GAP_WIDTHS = (1, 2, 3, 5, 10, 30, 100)
_GAP_DEPTH = 60


def real_exceeds_complex() -> Claim:
    """Subtract complex from real energies: no coefficient in 1/n may be negative."""
    gaps = []
    for k in range(_LAST_DEPTH + 1):
        real, complex_ = pairing_polynomial(k), wick_polynomial(k)
        powers = set(real) | set(complex_)
        gaps.append({power: real.get(power, 0) - complex_.get(power, 0) for power in powers})
    negative = sum(value < 0 for gap in gaps for value in gap.values())
    strict = sum(any(gap.values()) for gap in gaps)
    last = sum(gaps[-1].values())
    return Claim(
        claim="Real Gaussian weights have at least the energy of complex ones",
        route="all pairings enumerated, coefficient by coefficient in 1/n",
        size=f"k = 0 to {_LAST_DEPTH}, {sum(pairing_polynomial(_LAST_DEPTH).values())} pairings "
        "at the last",
        measured=f"{negative} negative coefficients in the gap, which is strict at {strict} of "
        f"{len(gaps)} depths (not at 0 and 1) and {last} at n = 1, k = {_LAST_DEPTH}",
        window=None,
        verdict=verdict(negative == 0 and strict == len(gaps) - 2),
    )


def exact_gap() -> Claim:
    """Subtract the two closed forms, at integers."""
    gaps = [
        exact_rnn_energy(n, k) - rnn_energy(n, k)
        for n in _GAP_WIDTHS
        for k in range(2, _GAP_DEPTH + 1)
    ]
    positive = sum(gap > 0 for gap in gaps)
    n, k = 100, 30
    gap = exact_rnn_energy(n, k) - rnn_energy(n, k)
    return Claim(
        claim="The gap between real and complex energies is exact and positive beyond depth 1",
        route="difference of the two closed forms, in fractions",
        size=f"n in {', '.join(map(str, _GAP_WIDTHS))}, k = 2 to {_GAP_DEPTH}",
        measured=f"positive at {positive} of {len(gaps)}; {float(gap):.6g} at n = {n}, k = {k}, "
        f"on top of {float(rnn_energy(n, k)):.6g}",
        window=None,
        verdict=verdict(positive == len(gaps)),
    )


def universal_profile() -> Claim:
    """Compare real energies at k = c sqrt(n) with the complex profile, and the rest with psi."""
    worst, ratios = 0.0, []
    for c in (0.5, 1.0, 2.0):
        off = []
        for n in (400, 1600, 6400):
            k = round(c * math.sqrt(n))
            rest = float(exact_rnn_energy(n, k) - rnn_energy(n, k)) * math.sqrt(n)
            off.append(abs(rest / float(asymptotics.real_correction(c)) - 1.0))
        worst = max(worst, off[-1])
        ratios += [early / late for early, late in itertools.pairwise(off)]
    agrees = worst < 0.1 and all(1.7 < ratio < 2.3 for ratio in ratios)
    return Claim(
        claim="Real and complex weights share the critical profile; the gap is psi(c)/sqrt(n)",
        route="exact gap times sqrt(n) against psi(c)",
        size="c = 0.5, 1, 2 at n = 400, 1600, 6400",
        measured=f"within {100 * worst:.1f} % of psi at n = 6400; a fourfold width divides the "
        f"distance by {min(ratios):.2f} to {max(ratios):.2f}",
        window="k of the order of sqrt(n); the gap rules from k* = sqrt(2 n log(2n/k*)) on",
        verdict=verdict(agrees, "k of the order of sqrt(n)"),
    )


def doubled_exponent() -> Claim:
    """Compare how fast the logarithms of both energies grow far beyond sqrt(n)."""
    n, first, second = 10_000, 800, 1200
    real, complex_ = (
        _log(energy(n, second)) - _log(energy(n, first))
        for energy in (exact_rnn_energy, rnn_energy)
    )
    exponent = sum(math.log1p(2.0 * j / n) for j in range(first + 1, second + 1))
    exponent -= math.log((2 * second + 1) / (2 * first + 1))
    return Claim(
        claim="Deep in the super-critical regime the real exponent is twice the complex one",
        route="growth of the exact log energies against that of prod (1 + 2j/n)/(2k+1)",
        size=f"n = {n}, from k = {first} to {second} (8 and 12 sqrt(n))",
        measured=f"log Q grows by {real:.4f} with real weights, {exponent:.4f} by the product, "
        f"{complex_:.4f} with complex ones: a ratio of {real / complex_:.3f}",
        window=None,
        verdict=verdict(abs(real - exponent) < 0.01 and 1.85 < real / complex_ < 2.1),
    )


def feedforward_fluctuations() -> Claim:
    """Follow the relative variance of an untied network: exact, and of order one at L ~ n."""
    widths = np.array([10**3, 10**4, 10**5, 10**6])
    depths, spread = [], []
    for n in widths:
        rate = math.log1p(2.0 / int(n))
        depths.append(math.ceil(math.log(2.0) / rate))
        law = FeedforwardEnergy(int(n), depths[-1], "real")
        spread.append(float(law.relative_variance()))
    slope = float(np.polyfit(np.log(widths), np.log(depths), 1)[0])
    return Claim(
        claim="Without tied weights the mean stays and the fluctuations reach it at L ~ n",
        route="exact second moment (1 + 2/n)^L of a real feedforward network at its unit depth",
        size="n = 1e3 to 1e6",
        measured=f"depth of relative variance 1 scales as n^{slope:.4f}; the variance there is "
        f"{min(spread):.4f} to {max(spread):.4f}",
        window=None,
        verdict=verdict(abs(slope - 1.0) < 0.005 and max(abs(s - 1.0) for s in spread) < 0.05),
    )


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)
