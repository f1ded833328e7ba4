"""One claim of the theory, how it was checked and what came out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

HOLDS = "holds"
HOLDS_IN_WINDOW = "holds in its window"
FAILS = "fails"


@dataclass(frozen=True)
class Claim:
    """A checked claim; the attributes are the keys of its JSON record.

    Attributes
    ----------
    claim : str
        What is claimed.
    route : str
        How it was checked.
    size : str
        On how many or how large cases.
    measured : str
        The agreement that was measured.
    window : str or None
        Where the claim holds, if not everywhere.
    verdict : str
        "holds", "holds in its window" or "fails".

    Examples
    --------
    >>> from sigprop.claims import real
    >>> real.exact_gap().verdict
    'holds'
    """

    claim: str
    route: str
    size: str
    measured: str
    window: str | None
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON record."""
        return asdict(self)


@dataclass(frozen=True)
class Check:
    """A claim before it is checked: the verdict expected of it and the function that checks."""

    expected: str
    run: Callable[[], Claim]


def verdict(agrees: bool, window: str | None = None) -> str:
    """Return the verdict of a check that agrees everywhere or within a window."""
    if not agrees:
        return FAILS
    return HOLDS if window is None else HOLDS_IN_WINDOW
