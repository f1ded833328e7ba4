r"""Limits of the energies and every asymptotic form, each with its error.

============== ============================= ===========================================
depths         forms                         error
============== ============================= ===========================================
below sqrt(n)  `sub_critical_rnn`, `_lru`    proved
about sqrt(n)  `critical_rnn`, `_lru`        proved for the RNN, measured for the LRU
above sqrt(n)  `super_critical_rnn`,         measured
               `_lru`, `_ratio`
above n        `beyond_width_lru`            proved
all            `uniform_lru`                 measured
all            `rnn_bounds`, `lru_bounds`    bounds, proved
============== ============================= ===========================================

For real weights: `real_sub_critical_rnn`, `real_critical_rnn` and `_lru`, `real_uniform_rnn`
and `_lru` (all depths), all with measured errors, the correction `real_correction` of the
profile, and `takeover_depth`, where the real energy leaves the complex one behind.

`published_lru` is the super-critical form of arXiv 2605.05113, for depths well between
sqrt(n) and n^(2/3) only.  A form returns an `Approximation`: its logarithm, its value, a
relative error that is at least the true one, and whether that error is below one half.
"Measured" errors are sums of known corrections and a multiple, fitted to exact values, of
the next one; docs/theory.md has the derivations and says on which grids they hold.
"""

from __future__ import annotations

from sigprop.theory.approximation import ROUNDING, WINDOW_ERROR, Approximation
from sigprop.theory.beyond_width import beyond_width_lru
from sigprop.theory.critical import critical_lru, critical_rnn
from sigprop.theory.genus import (
    MAX_GENUS,
    Bounds,
    lru_bounds,
    rnn_bounds,
    sub_critical_lru,
    sub_critical_rnn,
)
from sigprop.theory.profile import (
    critical_integral,
    critical_profile,
    log_critical_integral,
    log_critical_profile,
    profile_correction,
    uniform_correction,
)
from sigprop.theory.real_critical import (
    real_critical_lru,
    real_critical_rnn,
    real_sub_critical_rnn,
)
from sigprop.theory.real_profile import real_correction, real_correction_integral_form
from sigprop.theory.real_uniform import real_uniform_lru, real_uniform_rnn, takeover_depth
from sigprop.theory.super_critical import (
    published_lru,
    super_critical_lru,
    super_critical_ratio,
    super_critical_rnn,
)
from sigprop.theory.uniform import uniform_lru

__all__ = [
    "MAX_GENUS",
    "ROUNDING",
    "WINDOW_ERROR",
    "Approximation",
    "Bounds",
    "beyond_width_lru",
    "critical_integral",
    "critical_lru",
    "critical_profile",
    "critical_rnn",
    "log_critical_integral",
    "log_critical_profile",
    "lru_bounds",
    "profile_correction",
    "published_lru",
    "real_correction",
    "real_correction_integral_form",
    "real_critical_lru",
    "real_critical_rnn",
    "real_sub_critical_rnn",
    "real_uniform_lru",
    "real_uniform_rnn",
    "rnn_bounds",
    "sub_critical_lru",
    "sub_critical_rnn",
    "super_critical_lru",
    "super_critical_ratio",
    "super_critical_rnn",
    "takeover_depth",
    "uniform_correction",
    "uniform_lru",
]
