r"""Activations and the scale of the weights that keeps the energy of a fresh layer.

With :math:`\varphi(z) = z` for z > 0 and :math:`\alpha z` below, a standard normal z has
:math:`E\varphi(z)^2 = (1 + \alpha^2)/2`, so weights larger by :math:`\sqrt{2/(1+\alpha^2)}`
keep the mean energy: sqrt(2) for the ReLU (alpha = 0), 1 for linear units (alpha = 1).
"""

from __future__ import annotations

import math

import numpy as np

from sigprop.recurrences.protocol import State

ACTIVATIONS = ("linear", "relu", "leaky_relu")

DEFAULT_SLOPE = 0.5
"""Slope alpha of the leaky ReLU below zero."""


def calibrated_scale(activation: str, slope: float = DEFAULT_SLOPE) -> float:
    """Return sqrt(2 / (1 + alpha^2)), the factor on the weights that keeps the mean energy.

    Parameters
    ----------
    activation : {"linear", "relu", "leaky_relu"}
        Kind of unit.
    slope : float
        Slope alpha of the leaky ReLU below zero; the others do not read it.

    Returns
    -------
    float

    Examples
    --------
    >>> [round(calibrated_scale(name), 6) for name in ACTIVATIONS]
    [1.0, 1.414214, 1.264911]
    """
    if activation == "linear":
        return 1.0
    alpha = 0.0 if activation == "relu" else slope
    return math.sqrt(2.0) / math.hypot(1.0, alpha)


def activate(activation: str, slope: float, values: State) -> State:
    """Return the activation of every entry; real values unless it is linear."""
    if activation == "linear":
        return values
    if activation == "relu":
        return np.maximum(values, 0.0)
    return np.where(values > 0.0, values, slope * values)
