r"""float64 kernel of the RNN energy: O(1) per point, no loop over depth.

Where :math:`x = m(m+1)/(2n) \le 2`, m = k + 1, or the depth is small, the energy is
1 plus the positive expansion.  Elsewhere

.. math:: Q_{n,k} = \frac{n}{m(m+1)}\, r_m\, (1 - e^{-2D}),
   \qquad D = \tfrac12 \log(r_m / f_m),

with :math:`\log r_m` in double-double, so that its exponential keeps every digit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory import _positive_expansion as expansion
from sigprop.theory._special import half_log_ratio, log_rising_pair


class Energies(NamedTuple):
    """An energy, its logarithm, and its excess over the infinite-width value."""

    energy: FloatArray
    log_energy: FloatArray
    excess: FloatArray


def falling_share(n: FloatArray, m: FloatArray) -> FloatArray:
    r"""Return :math:`1 - f_m/r_m = 1 - e^{-2D}`; exactly 1 from m = n on, where f vanishes.

    Takes real m too.  Between 0.9 n and n the falling part is kept only at
    integers: quadrature nodes never get there with a share above e^-39.
    """
    below = (m < n) & ((m <= 0.9 * n) | (m == np.rint(m)))
    share = np.ones_like(m)
    if np.any(below):
        share[below] = -np.expm1(-2.0 * half_log_ratio(n[below], m[below]))
    return share


def _deep(n: FloatArray, k: FloatArray) -> Energies:
    energy, log_energy = scaled_deep_energy(n, k, np.ones_like(n))
    return Energies(energy, log_energy, energy - 1.0)


def scaled_deep_energy(
    n: FloatArray, k: FloatArray, scale: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return Q times a scale, which may be finite where Q overflows, and log Q."""
    m = k + 1.0
    high, low = log_rising_pair(n, m)
    factor = (n / m / (m + 1.0)) * falling_share(n, m)
    log_energy = high + (low + np.log(factor))
    # Half the exponent twice: r_m may overflow where the product does not.
    half = np.exp(0.5 * np.minimum(high, 1400.0))
    with np.errstate(over="ignore"):
        scaled = (half * (factor * np.exp(low) * scale)) * half
    return np.where(high < 1400.0, scaled, np.inf), log_energy


def _shallow(n: FloatArray, k: FloatArray) -> Energies:
    excess = expansion.rnn_excess(n, k)
    return Energies(1.0 + excess, np.log1p(excess), excess)


def rnn_energies(n: FloatArray, k: FloatArray) -> Energies:
    """Return Q, log Q and Q - 1 for one-dimensional arrays of widths and depths."""
    result = Energies(*(np.empty_like(n) for _ in range(3)))
    shallow = expansion.applies(n, k)
    for where, method in ((shallow, _shallow), (~shallow, _deep)):
        if np.any(where):
            for target, values in zip(result, method(n[where], k[where]), strict=True):
                target[where] = values
    return result
