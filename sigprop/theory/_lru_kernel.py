r"""float64 kernel of the LRU energy: O(1) per point, no loop over depth.

Where the positive expansion applies it gives the sum over depths in closed form.
Beyond, with m = t + 1,

.. math:: S_{n,t} = Q_{n,t} \sum_{s=0}^{N-1} \frac{Q_{n,t-s}}{Q_{n,t}} + S_{n,t-N},

where N reaches back either to depths at which the closed form holds or to where the
terms have fallen by e^-42.  The terms vary slowly, so a Gauss rule for consecutive
integers replaces the sum.
"""

from __future__ import annotations

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory import _positive_expansion as expansion
from sigprop.theory._gram_rule import gram_rule, ladder
from sigprop.theory._rnn_kernel import (
    Energies,
    falling_share,
    rnn_energies,
    scaled_deep_energy,
)
from sigprop.theory._special import phi, stirling_remainder

_NEGLIGIBLE = 42.0  # nats: e^-42 is 6e-19


def _decay(n: FloatArray, m: FloatArray, s: FloatArray) -> FloatArray:
    """Return the integral of log(1 + u/n) over [m-s, m]: log r_m - log r_{m-s} but for O(1)."""
    return s * np.log1p(m / n) - (n + m) * phi(-s / (n + m))


def window(n: FloatArray, t: FloatArray) -> FloatArray:
    """Return how far back the terms are above e^-42 of the last one (t + 1 if all are)."""
    m = t + 1.0
    s = np.minimum(_NEGLIGIBLE / np.log1p(m / n), t)
    for _ in range(8):  # Newton from below on a concave function: monotone, quadratic
        slope = np.log1p((m - s) / n)
        s = np.minimum(s + (_NEGLIGIBLE - _decay(n, m, s)) / slope, t)
    return np.minimum(np.ceil(1.01 * s) + 2.0, t + 1.0)


def term_ratio(n: FloatArray, t: FloatArray, s: FloatArray) -> FloatArray:
    """Return Q_{t-s}/Q_t for real 0 <= s <= t; arrays of one shape."""
    m = t + 1.0
    rising = (
        -_decay(n, m, s)
        + 0.5 * np.log1p(-s / (n + m))
        + (stirling_remainder(n + m - s) - stirling_remainder(n + m))
    )
    prefactor = (m / (m - s)) * ((m + 1.0) / (m - s + 1.0))
    return np.exp(rising) * prefactor * (falling_share(n, m - s) / falling_share(n, m))


def _last_terms(n: FloatArray, t: FloatArray, lengths: FloatArray) -> FloatArray:
    """Return sum_{s < N} Q_{t-s}/Q_t, grouped by N so that each rule is evaluated at once."""
    total = np.empty_like(n)
    for length in np.unique(lengths):
        group = lengths == length
        nodes, weights = gram_rule(float(length))
        shape = (int(np.count_nonzero(group)), nodes.size)
        ratio = term_ratio(
            *(np.broadcast_to(v, shape).ravel() for v in (n[group, None], t[group, None], nodes))
        )
        total[group] = np.sum(ratio.reshape(shape) * weights, axis=1)
    return total


def _deep_ratio(n: FloatArray, t: FloatArray, log_last: FloatArray) -> FloatArray:
    """Return S/Q beyond the closed form: the last terms and, where it counts, the head."""
    closed = expansion.last_depth(n)
    reach = np.minimum(window(n, t), t - closed)
    lengths = ladder()[np.searchsorted(ladder(), reach)]
    total = _last_terms(n, t, lengths)
    head = (lengths <= t) & (t - lengths <= closed)
    if np.any(head):
        first = t[head] - lengths[head]
        energy = (first + 1.0) * (1.0 + expansion.lru_excess(n[head], first))
        total[head] += energy * np.exp(-log_last[head])
    return total


def _deep(n: FloatArray, t: FloatArray) -> Energies:
    last = rnn_energies(n, t)
    ratio = _deep_ratio(n, t, last.log_energy)
    log_energy = last.log_energy + np.log(ratio)
    with np.errstate(over="ignore"):
        energy = last.energy * ratio
    # S/(t+1) may be finite where S is not, and even where Q is not.
    relative, _ = scaled_deep_energy(n, t, ratio / (t + 1.0))
    return Energies(energy, log_energy, relative - 1.0)


def _shallow(n: FloatArray, t: FloatArray) -> Energies:
    excess = expansion.lru_excess(n, t)
    # (t+1) + (t+1) excess rounds once less than (t+1)(1 + excess).
    energy = (t + 1.0) + (t + 1.0) * excess
    return Energies(energy, np.log(t + 1.0) + np.log1p(excess), excess)


def lru_energies(n: FloatArray, t: FloatArray) -> Energies:
    """Return S, log S and S/(t+1) - 1 for one-dimensional arrays of widths and depths."""
    result = Energies(*(np.empty_like(n) for _ in range(3)))
    shallow = expansion.applies(n, t)
    for where, method in ((shallow, _shallow), (~shallow, _deep)):
        if np.any(where):
            for target, values in zip(result, method(n[where], t[where]), strict=True):
                target[where] = values
    return result


def ratio_to_last_term(n: FloatArray, t: FloatArray) -> FloatArray:
    """Return S_{n,t} / Q_{n,t}, to full relative accuracy however large both are."""
    ratio = np.empty_like(n)
    shallow = expansion.applies(n, t)
    if np.any(shallow):
        w, depth = n[shallow], t[shallow]
        lru, rnn = expansion.lru_excess(w, depth), expansion.rnn_excess(w, depth)
        ratio[shallow] = (depth + 1.0) * (1.0 + lru) / (1.0 + rnn)
    if not np.all(shallow):
        w, depth = n[~shallow], t[~shallow]
        ratio[~shallow] = _deep_ratio(w, depth, rnn_energies(w, depth).log_energy)
    return ratio
