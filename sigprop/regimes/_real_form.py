r"""The super-critical form of real weights, and where its real part takes over.

Deep in the super-critical regime the energy of the real RNN is that of the complex one plus the
part of the real outlier eigenvalues, whose exponent is twice as large:

.. math:: Q \approx Q^{\mathbb C}_{n,k} + R_{n,k}, \qquad
   R_{n,k} = \frac{1}{2k+1} \prod_{j \le k} (1 + \tfrac{2j}{n}) .

Consecutive terms grow by 1 + y and by 1 + 2y, y = (t+1)/n, so that
:math:`S \approx Q^{\mathbb C} (1+y)/y + R\, (1+2y)/(2y)`.
"""

from __future__ import annotations

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.regimes._search import first_true
from sigprop.theory._real_lru import searched_lru_energies
from sigprop.theory._real_products import Smooth
from sigprop.theory.energy import MAX_DEPTH, log_rnn_energy

_FIRST, _GRID = 32.0, 160  # first depths, and depths beyond, where the error is followed


def _log_outlier_part(n: FloatArray, k: FloatArray) -> FloatArray:
    """Return log R."""
    return Smooth().log_a(n, k + 1.0) - np.log(2.0 * k + 1.0)


def form_error(n: FloatArray, t: FloatArray) -> FloatArray:
    """Return the form over S, minus 1."""
    step = n / (t + 1.0)
    complex_part = log_rnn_energy(n, t) + np.log1p(step)
    outlier_part = _log_outlier_part(n, t) + np.log1p(0.5 * step)
    log_energy = searched_lru_energies(n, t).log_energy
    with np.errstate(over="ignore"):
        error: FloatArray = np.expm1(np.logaddexp(complex_part, outlier_part) - log_energy)
    return error


def _followed_depths(n: float, tol: float) -> FloatArray:
    """Return depths from 0 to where the error, about 1.5 n/t^2 there, is well below tol.

    Between the first ones and 0.3 sqrt(n) the form is too large by a factor of 3 or more.
    """
    last = np.ceil((8.0 + 4.0 / np.sqrt(tol)) * np.sqrt(n)) + 2.0 * _FIRST
    first = max(_FIRST, 0.3 * np.sqrt(n))
    depths = np.concatenate([np.arange(_FIRST), np.geomspace(first, last, _GRID)])
    return np.unique(np.rint(depths))


def super_critical_start(n: FloatArray, tol: float) -> FloatArray:
    """Return the first depth from which on the form is within tol."""
    start = np.zeros_like(n)
    for i, width in enumerate(n.tolist()):
        depths = _followed_depths(width, tol)
        failures = np.abs(form_error(np.full_like(depths, width), depths)) > tol
        if np.any(failures):
            last = int(np.flatnonzero(failures).max())
            start[i] = _first_within(width, tol, depths[last], depths[last + 1])
    return start


def _first_within(width: float, tol: float, low: float, high: float) -> float:
    """Bisect between a depth where the form fails and one from which on it holds."""
    n = np.array([width])
    while high - low > 1.0:
        middle = np.floor(0.5 * (low + high))
        if abs(form_error(n, np.array([middle]))[0]) > tol:
            low = middle
        else:
            high = middle
    return high


def takeover_depth(n: FloatArray) -> FloatArray:
    r"""Return the first depth k >= 1 at which the real energy is twice the complex one.

    About :math:`\sqrt{2 n \log(2n/k)}`.
    """
    guess = np.sqrt(n)
    for _ in range(20):
        guess = np.sqrt(2.0 * n * np.log(np.maximum(2.0 * n / guess, np.e)))
    return first_true(
        lambda w, k: np.asarray(
            log_rnn_energy(w, k, field="real") >= log_rnn_energy(w, k) + np.log(2.0)
        ),
        n,
        np.zeros_like(n),
        np.minimum(guess, MAX_DEPTH),
    )
