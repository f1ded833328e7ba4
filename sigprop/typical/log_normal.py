r"""The log-normal law of the energy at depths up to sqrt(n).

There log E_k is close to normal with variance and mean

.. math:: \sigma^2 = \log\Big(1 + \frac{m}{\sqrt n}
          \big(c + \tfrac{c^3}{3} + \tfrac{7 c^5}{30}\big)\Big), \qquad
          \mu = \log Q_{n,k} - \tfrac12 \sigma^2, \qquad c = k/\sqrt n,

m = 1 for complex weights and 2 for real ones: the first terms of the relative variance of
E_k. For real weights too Q is the complex mean: the excess of the real one sits in draws
too rare to show in the quantiles.
"""

from __future__ import annotations

import math

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory.energy import log_rnn_energy

NARROW = 0.014
"""Variance of log E below which the law is log-normal whatever the depth."""


def log_variance(n: int, k: int, field: str) -> float:
    """Return sigma^2, the variance of log E.

    Examples
    --------
    >>> round(log_variance(1024, 16, "complex"), 6)
    0.017009
    """
    c = k / math.sqrt(n)
    copies = 1.0 if field == "complex" else 2.0
    return math.log1p(copies * (c + c**3 / 3.0 + 7.0 * c**5 / 30.0) / math.sqrt(n))


def log_normal_quantile(n: int, k: int, field: str, q: FloatArray) -> FloatArray:
    """Return the quantiles mu + sigma z(q) of log E, of the shape of q."""
    from scipy.special import ndtri

    variance = log_variance(n, k, field)
    mean = float(log_rnn_energy(n, k)) - 0.5 * variance
    return np.asarray(mean + math.sqrt(variance) * ndtri(q))
