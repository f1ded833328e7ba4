"""Claims about real weights."""

from __future__ import annotations

from sigprop.claims.claim import Claim, verdict
from sigprop.theory.combinatorics import wick_polynomial
from sigprop.theory.real_pairings import pairing_polynomial

_LAST_DEPTH = 6


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
