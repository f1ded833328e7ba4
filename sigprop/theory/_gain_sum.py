"""The LRU energy with a gain: sum_{k=0}^t gain^{2k} Q_{n,k}, whatever the gain.

The terms are log-convex in k (Q is, by docs/theory.md, and gain^{2k} is geometric), so
they are largest at the two ends and fall away from each at a rate that only slows down.
The depths are therefore cut into panels whose length is their distance from the nearer
end; on such a panel a Gauss rule for consecutive integers is accurate relative to the
largest term overall.  A point costs O(log t) panels.
"""

from __future__ import annotations

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory._gram_rule import gram_rule
from sigprop.theory._rnn_kernel import rnn_energies

_END = 64.0  # depths at each end that are summed one by one


def _panels(count: float) -> list[tuple[float, float]]:
    """Cut 0, ..., count - 1 into (start, length), lengths powers of two or at most 64."""
    panels = []
    edge = 0.0
    length = _END
    while edge + length <= count / 2.0:
        panels += [(edge, length), (count - edge - length, length)]
        edge += length
        length = edge
    left = count - 2.0 * edge
    while left > 0.0:
        length = left if left <= _END else min(2.0 ** np.floor(np.log2(left)), max(edge, _END))
        panels.append((edge, length))
        edge += length
        left -= length
    return panels


def _panel_rule(start: float, length: float) -> tuple[FloatArray, FloatArray]:
    if length <= _END:
        return start + np.arange(length), np.ones(int(length))
    nodes, weights = gram_rule(length)
    return start + nodes, weights


def panel_nodes(count: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights for sums over 0, ..., count - 1 of log-convex terms.

    The nodes below 128 are integers.
    """
    rules = [_panel_rule(start, length) for start, length in _panels(count)]
    return np.concatenate([x for x, _ in rules]), np.concatenate([w for _, w in rules])


def log_gain_sum(n: float, t: float, log_gain: float) -> float:
    """Return log sum_{k=0}^t exp(2 k log_gain) Q_{n,k}."""
    depths, weights = panel_nodes(t + 1.0)
    logs = 2.0 * log_gain * depths + rnn_energies(np.full_like(depths, n), depths).log_energy
    top = float(logs.max())
    return top + float(np.log(weights @ np.exp(logs - top)))
