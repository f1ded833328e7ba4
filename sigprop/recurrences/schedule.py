r"""The scaling of the inputs that holds the mean energy of a linear recurrence constant.

With white inputs scaled by :math:`\xi_t` the energy is :math:`\sum_{s \le t} \xi_s^2 Q_{t-s}`.
It is constant for all t iff :math:`\Xi(z) Q(z) = 1/(1 - z)`; subtracting two successive steps,

.. math:: \xi_0^2 = 1/Q_0, \qquad
          \xi_t^2 = \sum_{s<t} \xi_s^2 \, \frac{Q_{t-1-s} - Q_{t-s}}{Q_0} .

Where the first input enters with a scale of its own, so that its energy k steps later is
:math:`F_k` instead of :math:`Q_k`, it is :math:`\xi_0^2 = 1/F_0`, and the term of s = 0 has
:math:`F_{t-1} - F_t`.

Every term is positive where Q decreases.  A moment sequence is log-convex, and then the
scaling exists at every t (Kaluza); the energies of a Gaussian matrix grow, and it does not.
"""

from __future__ import annotations

import numpy as np

from sigprop._arguments import FloatArray

_LARGEST_RISE = 1e-13  # a negative value within rounding of zero is zero


def input_schedule(
    first: float,
    drops: FloatArray,
    target: float,
    name: str,
    entry: tuple[float, FloatArray] | None = None,
) -> FloatArray:
    """Return xi_t^2 for t = 0, ..., len(drops).

    Parameters
    ----------
    first : float > 0
        Q_0.
    drops : ndarray of float64
        Q_k - Q_{k+1} for k = 0, 1, ...
    target : float > 0
        Energy to hold.
    name : str
        What the recurrence is called in the text of an error.
    entry : tuple of float and ndarray of float64, optional
        F_0 > 0 and F_k - F_{k+1} of the first input; by default those of all inputs.

    Returns
    -------
    ndarray of float64

    Raises
    ------
    ValueError
        If a squared scaling would be negative.

    Examples
    --------
    A single decay q = 1/2 takes 1 and then 1 - q:

    >>> input_schedule(1.0, np.array([0.5, 0.25, 0.125]), 1.0, "a mode").tolist()
    [1.0, 0.5, 0.5, 0.5]
    """
    entry_first, entry_drops = (first, drops) if entry is None else entry
    shares = drops[::-1] / first
    scaling = np.empty(drops.size + 1)
    scaling[0] = target / entry_first
    from_entry = scaling[0] * entry_drops / first
    for t in range(1, scaling.size):
        value = float(scaling[1:t] @ shares[drops.size - t + 1 :] + from_entry[t - 1])
        if value < -_LARGEST_RISE * scaling[0]:
            raise ValueError(
                f"no input scaling holds the mean energy of {name} constant: it would need "
                f"xi_{t}^2 = {value:.6g} < 0"
            )
        scaling[t] = max(value, 0.0)
    return scaling
