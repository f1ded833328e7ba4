"""Claims of arXiv 2605.05113 and of what goes beyond, checked on the spot: `check_claims`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sigprop.claims import combinatorial, limits, real
from sigprop.claims.claim import FAILS, HOLDS, HOLDS_IN_WINDOW, Check, Claim

__all__ = ["CHECKS", "FAILS", "HOLDS", "HOLDS_IN_WINDOW", "Claim", "Report", "check_claims"]

CHECKS = (
    Check(HOLDS, combinatorial.trace_moment_reduction),
    Check(HOLDS, combinatorial.wick_count),
    Check(HOLDS, combinatorial.closed_form),
    Check(HOLDS, combinatorial.lru_is_the_sum),
    Check(HOLDS, limits.three_regimes),
    Check(HOLDS_IN_WINDOW, limits.sub_critical_limit),
    Check(HOLDS_IN_WINDOW, limits.critical_limit),
    Check(HOLDS_IN_WINDOW, limits.published_super_critical_form),
    Check(HOLDS, limits.breakdown_scale),
    Check(HOLDS, real.real_exceeds_complex),
    Check(HOLDS, real.exact_gap),
    Check(HOLDS_IN_WINDOW, real.universal_profile),
    Check(HOLDS, real.doubled_exponent),
    Check(HOLDS, real.feedforward_fluctuations),
)
"""Every claim with the verdict that docs/theory.md states for it."""


@dataclass(frozen=True)
class Report:
    """What `check_claims` returns.

    Attributes
    ----------
    claims : tuple of Claim
        One per claim, in the order of `CHECKS`.
    verdict : str
        "as stated", or "changed" if a verdict differs from the stated one.

    Examples
    --------
    >>> Report((), "as stated").to_dict()
    {'claims': [], 'verdict': 'as stated'}
    """

    claims: tuple[Claim, ...]
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"claims": [record, ...], "verdict"}``, strict JSON."""
        return {"claims": [claim.to_dict() for claim in self.claims], "verdict": self.verdict}


def check_claims(progress: Callable[[int, int], Any] | None = None) -> Report:
    """Check every claim of arXiv 2605.05113 and compare the verdicts with the stated ones.

    Parameters
    ----------
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    Report
        The claims with route, size, measured agreement, window and verdict.

    Notes
    -----
    Takes a few seconds; nothing is random.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> check_claims().verdict
    'as stated'
    """
    claims = []
    for done, check in enumerate(CHECKS, start=1):
        claims.append(check.run())
        if progress is not None:
            progress(done, len(CHECKS))
    stated = [check.expected for check in CHECKS]
    changed = [claim.verdict for claim in claims] != stated
    return Report(tuple(claims), "changed" if changed else "as stated")
