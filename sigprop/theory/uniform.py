"""One line for the LRU at every depth: the last term times a function of two variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from sigprop.theory.approximation import Approximation, as_order, corrected, widths_and_depths
from sigprop.theory.energy import log_rnn_energy
from sigprop.theory.profile import integral_share, uniform_correction


def uniform_lru(n: Any, t: Any, order: int = 1) -> Approximation:
    r"""Return :math:`S_{n,t} \approx Q_{n,t} \frac{(t+1) J(C)}{1 - \kappa(c)/\sqrt n}`.

    With :math:`c = (t+1)/\sqrt n`, :math:`y = (t+1)/n`, :math:`C^2 = (t+1) y/(1+y)` and
    :math:`J(C) = I(C)/(C F(C))`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        0 leaves out the correction :math:`\kappa`, 1 keeps it.

    Returns
    -------
    Approximation
        Its error is measured: with the correction
        :math:`\frac1{n+t+1}(\frac{6.5\,c^6}{60 + c^6} + \frac{\min(c, 1)}{12\sqrt n})` in the
        logarithm.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Q is that of `sigprop.rnn_energy`.  The error is at most about 5/n over all depths,
    largest near c = 2.6 and c = 3.9; far below and far above :math:`\sqrt n` it is much
    smaller.  In its window at every depth from width 7 on.

    References
    ----------
    docs/theory.md.

    Examples
    --------
    >>> form = uniform_lru(10**4, [50, 200])
    >>> form.value.round(2), form.relative_error < 4e-4
    (array([ 51.03, 231.47]), array([ True,  True]))
    """
    order = as_order("order", order, 1)
    widths, depths = widths_and_depths(n, t, "t")
    m = depths + 1.0
    y = m / widths
    root = np.sqrt(widths)
    c = m / root
    leading = log_rnn_energy(widths, depths) + np.log(
        m * integral_share(np.sqrt(m * y / (1.0 + y)))
    )
    correction = -np.log1p(-uniform_correction(c) / root)
    sixth = np.minimum(c, 1e9) ** 6
    peak, start = 6.5 * (sixth / (60.0 + sixth)), np.minimum(c, 1.0) / (12.0 * root)
    rest = (peak + start) / (widths * (1.0 + y))
    return corrected(leading, (correction,), rest, order)
