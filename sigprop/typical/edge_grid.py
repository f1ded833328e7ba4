r"""The radial grid on which the laws live: distances from the edge of the spectrum.

The radii :math:`r = \sqrt n |\lambda|` that matter lie within O(1) of :math:`\sqrt n`,
whatever the width, where they spread by 1/2; over a distance d the weight
:math:`|\lambda|^{2k}` changes by the factor :math:`e^{2cd}`, :math:`c = k/\sqrt n`.
"""

from __future__ import annotations

import math

import numpy as np

from sigprop._arguments import FloatArray

_WIDEST_STEP = 0.1  # trapezoidal rule on Gaussians of width 1/2: rounding error only
_STEP_TIMES_C = 0.4  # against the poles of 1/(1 + s v)
_OUTWARD = 4.5  # no eigenvalue beyond, up to exp(-40)
_INWARD, _INWARD_OVER_C = 2.7, 4.0  # the whole grid moves quantiles below 1e-3, measured


def edge_grid(n: int, c: float) -> FloatArray:
    r"""Return uniform distances of r from the edge :math:`\sqrt n`, inside negative.

    Parameters
    ----------
    n : int
        Width.
    c : float
        Scaled depth k/sqrt(n).

    Returns
    -------
    ndarray of float64
        Increasing; starts where the weight is negligible, or at the centre.
    """
    inward = min(_INWARD + _INWARD_OVER_C / c, 0.999 * math.sqrt(n))
    step = min(_WIDEST_STEP, _STEP_TIMES_C / c)
    return np.linspace(-inward, _OUTWARD, math.ceil((inward + _OUTWARD) / step) + 1)
