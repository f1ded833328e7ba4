r"""Second moments of the energy of one draw: how far a sample mean can be trusted.

One draw of the weights has the energy :math:`E_k = \|W^k x\|^2/n` (RNN, fixed x with
:math:`\|x\|^2 = n`) or :math:`E_t = \|h_t\|^2/n` (LRU with independent Gaussian inputs, complex
or real as the weights).  Its mean is exact elsewhere; here are its exact second moment and
relative variance, so that the standard error of a mean of N draws is known:
mean * sqrt(relative variance / N).

With :math:`A_j = W^j W^{j*}` everything follows from :math:`E[\mathrm{tr} A_i \mathrm{tr} A_j]`
and :math:`E[\mathrm{tr} A_i A_j]`.  For complex weights these are sums over partitions that are
hooks or double hooks, with rational weights >= 0.  That no other partition enters is proved.
The weights are verified, exactly, against enumeration of all pairings (i + j <= 10),
independent computations at n = 1 and 2, and long ranges of integrality, but not proved for
every depth.

For real weights no such sum is known: all pairings are enumerated, up to depth 7, with
``field="real"``.

All functions are for Gaussian weights with :math:`E|W_{ij}|^2 = 1/n`.
"""

from __future__ import annotations

from sigprop.theory._exact_second_moments import (
    MAX_EXACT_DEPTH,
    MAX_REAL_DEPTH,
    MAX_SYMBOLIC_DEPTH,
    MODELS,
    TraceCounts,
    TraceMoments,
    enumerate_trace_moments,
    second_moment,
    trace_moment_counts,
    trace_moments,
)
from sigprop.theory._relative_variance import (
    MAX_LRU_DEPTH,
    RelativeVariance,
    log_second_moment,
    lru_relative_variances,
    relative_variance,
    relative_variance_with_error,
)
from sigprop.theory._required_samples import required_samples
from sigprop.theory._variance_expansions import (
    critical_variance,
    variance_coefficients,
    variance_series,
)
from sigprop.theory._variance_series import VarianceSeries

__all__ = [
    "MAX_EXACT_DEPTH",
    "MAX_LRU_DEPTH",
    "MAX_REAL_DEPTH",
    "MAX_SYMBOLIC_DEPTH",
    "MODELS",
    "RelativeVariance",
    "TraceCounts",
    "TraceMoments",
    "VarianceSeries",
    "critical_variance",
    "enumerate_trace_moments",
    "log_second_moment",
    "lru_relative_variances",
    "relative_variance",
    "relative_variance_with_error",
    "required_samples",
    "second_moment",
    "trace_moment_counts",
    "trace_moments",
    "variance_coefficients",
    "variance_series",
]
