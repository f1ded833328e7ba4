r"""The LRU far beyond its width, :math:`t \gg n`: the last term is nearly the whole sum.

Successive ratios :math:`\rho_k = Q_{n,k-1}/Q_{n,k}` decrease with depth (Q is log-convex),
and from depth n on they are rational, :math:`\rho_t = n(t+2)/(t(n+t+1))`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory.approximation import (
    Approximation,
    as_order,
    from_log_error,
    widths_and_depths,
)
from sigprop.theory.energy import log_rnn_energy


def _term_ratio(n: FloatArray, t: FloatArray) -> FloatArray:
    """Return Q_{t-1}/Q_t without falling factorials, an upper bound of it; t >= 1."""
    return (n / (n + t + 1.0)) * ((t + 2.0) / t)


def _share_bound(n: FloatArray, t: FloatArray) -> FloatArray:
    r"""Bound S/Q by :math:`1/(1 - Q_t^{-1/t})`: with Q log-convex, Q_{t-s} <= Q_t^{1-s/t}."""
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / -np.expm1(-log_rnn_energy(n, t) / t))


def beyond_width_lru(n: Any, t: Any, order: int = 1) -> Approximation:
    r"""Return :math:`S_{n,t} \approx Q_{n,t}` or :math:`Q_{n,t} + Q_{n,t-1}`, for t above n.

    :math:`Q_{n,t-1}/Q_{n,t} = n(t+2)/(t(n+t+1))`, and :math:`\log Q_{n,t}` grows like
    :math:`n\varphi(t/n)`, :math:`\varphi(a) = (1+a)\log(1+a) - a`: not like
    :math:`t^2/(2n)` any more.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        Terms besides the last, 0 or 1.

    Returns
    -------
    Approximation
        A lower bound of S.  Its error is proved; ``inf`` for t below n or 4.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Q is that of `sigprop.rnn_energy`.  The terms left out are bounded by log-convexity; the
    relative error falls like :math:`(n/t)^{order+1}`.

    References
    ----------
    docs/theory.md.

    Examples
    --------
    >>> form = beyond_width_lru(10, 1000)
    >>> round(float(form.log_value), 6), f"{float(form.relative_error):.0e}"
    (3656.681084, '1e-04')
    """
    order = as_order("order", order, 1)
    widths, depths = widths_and_depths(n, t, "t")
    inside = (depths >= widths) & (depths >= 4.0)
    safe = np.maximum(depths, 4.0)
    last = _term_ratio(widths, safe)
    if order == 0:
        kept = np.zeros_like(last)
        left_out = last * _share_bound(widths, safe - 1.0)
    else:
        kept = last
        left_out = last * _term_ratio(widths, safe - 1.0) * _share_bound(widths, safe - 2.0)
    rest = np.where(inside, np.log1p(left_out / (1.0 + kept)), np.inf)
    return from_log_error(log_rnn_energy(widths, depths) + np.log1p(kept), rest)
