"""Exact signal propagation in linear recurrences of finite width.

How large is the hidden state of a linear recurrence of width n after t steps?
``sigprop`` answers with the exact number, a fast float64 number, a simulated
number with an error bar, and the regime that (n, t) belongs to.

Everything below is imported on first use, so ``import sigprop`` stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sigprop import (
        auditing,
        claims,
        gallery,
        initialization,
        montecarlo,
        plots,
        recurrences,
        regimes,
        typical,
        validation,
    )
    from sigprop._warnings import SigpropWarning
    from sigprop.auditing import audit
    from sigprop.claims import check_claims
    from sigprop.montecarlo import simulate
    from sigprop.regimes import breakdown_depth, classify
    from sigprop.theory import asymptotics, certified, combinatorics, exact, fluctuations
    from sigprop.theory.curves import lru_energy_curve, rnn_energy_curve
    from sigprop.theory.energy import (
        log_lru_energy,
        log_rnn_energy,
        lru_energy,
        lru_excess,
        rnn_energy,
        rnn_excess,
    )
    from sigprop.typical import energy_quantiles
    from sigprop.validation import validate

_MODULES = {
    "asymptotics": "sigprop.theory.asymptotics",
    "auditing": "sigprop.auditing",
    "certified": "sigprop.theory.certified",
    "claims": "sigprop.claims",
    "combinatorics": "sigprop.theory.combinatorics",
    "exact": "sigprop.theory.exact",
    "fluctuations": "sigprop.theory.fluctuations",
    "gallery": "sigprop.gallery",
    "initialization": "sigprop.initialization",
    "montecarlo": "sigprop.montecarlo",
    "plots": "sigprop.plots",
    "recurrences": "sigprop.recurrences",
    "regimes": "sigprop.regimes",
    "typical": "sigprop.typical",
    "validation": "sigprop.validation",
}

_NAMES = {
    "SigpropWarning": "sigprop._warnings",
    "audit": "sigprop.auditing",
    "breakdown_depth": "sigprop.regimes",
    "check_claims": "sigprop.claims",
    "classify": "sigprop.regimes",
    "energy_quantiles": "sigprop.typical",
    "log_lru_energy": "sigprop.theory.energy",
    "log_rnn_energy": "sigprop.theory.energy",
    "lru_energy": "sigprop.theory.energy",
    "lru_energy_curve": "sigprop.theory.curves",
    "lru_excess": "sigprop.theory.energy",
    "rnn_energy": "sigprop.theory.energy",
    "rnn_energy_curve": "sigprop.theory.curves",
    "rnn_excess": "sigprop.theory.energy",
    "simulate": "sigprop.montecarlo",
    "validate": "sigprop.validation",
}

__all__ = [
    "SigpropWarning",
    "__version__",
    "asymptotics",
    "audit",
    "auditing",
    "breakdown_depth",
    "certified",
    "check_claims",
    "claims",
    "classify",
    "combinatorics",
    "energy_quantiles",
    "exact",
    "fluctuations",
    "gallery",
    "initialization",
    "log_lru_energy",
    "log_rnn_energy",
    "lru_energy",
    "lru_energy_curve",
    "lru_excess",
    "montecarlo",
    "plots",
    "recurrences",
    "regimes",
    "rnn_energy",
    "rnn_energy_curve",
    "rnn_excess",
    "simulate",
    "typical",
    "validate",
    "validation",
]


def __getattr__(name: str) -> Any:
    """Import a public module or function on first use (PEP 562)."""
    if name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    elif name in _NAMES:
        value = getattr(importlib.import_module(_NAMES[name]), name)
    else:
        raise AttributeError(f"module 'sigprop' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
