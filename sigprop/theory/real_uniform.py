r"""Real Gaussian energies at every depth in O(1): the complex energy plus one uniform product.

.. math:: Q^R_{n,k} \approx Q_{n,k} + h(c)\,U_{n,k}, \qquad
   U_{n,k} = \frac1{2k+1} \prod_{j=0}^{k} \Bigl(1 + \frac{2j}n\Bigr), \qquad
   h(c) = 2 c\, e^{-c^2} \psi(c),\quad c = k/\sqrt n .

U alone is what is left far beyond :math:`\sqrt n`: the real eigenvalues, whose exponent is
twice that of the complex ones.  The share h carries it down through the critical depths, where
it makes the gap :math:`\psi(c)/\sqrt n`, to the small ones: :math:`h \approx c^4/2`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sigprop._arguments import FLOAT_WIDTH_LIMIT, FloatArray, as_integer_array
from sigprop.theory._special import log_rising
from sigprop.theory.approximation import Approximation, as_order, from_log_error, widths_and_depths
from sigprop.theory.energy import log_lru_energy, log_rnn_energy
from sigprop.theory.real_profile import scaled_real_correction

_DIRECT_RATE = 0.02  # of log U per step: above, the last terms are summed one by one
_NEGLIGIBLE = 45.0  # e-folds below the last term
_NODES = 96


def log_product(n: FloatArray, k: FloatArray) -> FloatArray:
    r"""Return :math:`\log \prod_{j \le k} (1 + 2j/n)` for real k >= 0, relative error 1e-15."""
    n, k = np.broadcast_arrays(n, k)
    shape = n.shape
    n, k = n.ravel(), k.ravel()
    narrow = n < 2.0
    # Stirling's remainder wants an argument >= 1: the first factor of width 1 is taken apart.
    half, steps = np.where(narrow, 0.5 * n + 1.0, 0.5 * n), np.where(narrow, k - 1.0, k)
    value = log_rising(half, np.maximum(steps, 0.0))
    shifted = np.where(k >= 1.0, value + k * np.log1p(2.0 / n), 0.0)
    return np.where(narrow, shifted, value).reshape(shape)


def log_gap(n: FloatArray, k: FloatArray) -> FloatArray:
    """Return log(h U), the uniform form of Q^R - Q, for real k > 0; -inf at k = 0."""
    with np.errstate(divide="ignore"):
        return log_product(n, k) - np.log1p(2.0 * k) + np.log(share(k / np.sqrt(n)))


def share(c: FloatArray) -> FloatArray:
    r"""Return :math:`h(c) = 2c\,e^{-c^2}\psi(c)`, from c^4/2 near zero to 1."""
    return 2.0 * c * scaled_real_correction(c)


def gap_error(n: FloatArray, k: FloatArray) -> FloatArray:
    """Return the measured bound of the error of `log_gap` from depth 2 on."""
    c = k / np.sqrt(n)
    critical = 2.2 * c * (1.0 + 0.3 * c * c) * np.exp(-0.5 * c * c)
    tail = 0.6 / np.maximum(c, 2.0) ** 3
    narrow = 1.2 * c * c * np.exp(-0.25 * c * c) / n
    shallow = 3.0 / np.maximum(k, 1.0) ** 2
    return (critical + tail * np.minimum(c, 1.0)) / np.sqrt(n) + narrow + shallow


def real_uniform_rnn(n: Any, k: Any, order: int = 1) -> Approximation:
    r"""Return :math:`Q^R_{n,k} \approx Q_{n,k} + h(c)\,U_{n,k}` in O(1), at every depth.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    k : array_like of int
        Depth, 0 to 10**15.
    order : int, optional
        1 keeps the share :math:`h(c)`; 0 takes 1 for it, which is right beyond c = 4.

    Returns
    -------
    Approximation
        Its error is measured: that of the gap is at most about
        :math:`2.2\,c(1 + 0.3 c^2) e^{-c^2/2}/\sqrt n + 3/k^2` in its logarithm, and the
        gap's part of the energy weighs it.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Measured on exact gaps: off by at most about :math:`1.3/\sqrt n` from k = 16 on in layers of
    width 100 and more (0.8 % at n = 25600), and beyond :math:`5\sqrt n` by about 1e-4 or less,
    also where the depth exceeds the width. Narrower layers are worse, as the stated error says.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> form = real_uniform_rnn(100, [10, 40])
    >>> form.value.round(3).tolist(), form.relative_error.round(3).tolist()
    ([1.084, 6982.238], [0.008, 0.008])
    """
    order = as_order("order", order, 1)
    widths, depths = widths_and_depths(n, k, "k")
    complex_log = log_rnn_energy(widths, depths)
    gap, error = _gap_and_error(widths, depths, order)
    return _sum_form(complex_log, gap, error)


def _gap_and_error(n: FloatArray, k: FloatArray, order: int) -> tuple[FloatArray, FloatArray]:
    """Return the logarithm of the gap, which is zero at depths 0 and 1, and its error."""
    gap, error = log_gap(n, k), gap_error(n, k)
    gap = np.where(k >= 2.0, gap, -np.inf)
    if order == 0:
        plain = log_product(n, k) - np.log1p(2.0 * k)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(k >= 2.0, np.abs(plain - gap) + error, np.inf)
        gap = plain
    return gap, error


def _sum_form(complex_log: FloatArray, gap: FloatArray, error: FloatArray) -> Approximation:
    """Return the logarithm of the sum; the gap may be off by e^(+-error)."""
    ratio = gap - complex_log
    with np.errstate(over="ignore", invalid="ignore"):
        excess = np.where(ratio > 0.0, ratio + np.log1p(np.exp(-np.abs(ratio))), 0.0)
        excess = np.where(ratio <= 0.0, np.log1p(np.exp(np.minimum(ratio, 0.0))), excess)
        weight = np.exp(ratio - excess)
        # log(1 + r e^d) <= log(1 + r) + min(d, r (e^d - 1)) for d >= 0, and less for d < 0.
        log_error = np.where(
            weight > 0.0, np.minimum(error, weight * np.expm1(np.minimum(error, 700.0))), 0.0
        )
    return from_log_error(complex_log + excess, log_error)


def real_uniform_lru(n: Any, t: Any) -> Approximation:
    r"""Return :math:`S^R_{n,t} \approx S_{n,t} + \sum_{k \le t} h(c_k)\,U_{n,k}`, white inputs.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    t : array_like of int
        Depth, 0 to 10**15.

    Returns
    -------
    Approximation
        With a measured error, as for `real_uniform_rnn`.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    The sum is done by a Gauss rule over the depths that carry it, or term by term where
    one step multiplies by more than 1.02: at most a few thousand operations per point.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> form = real_uniform_lru(10**4, 100)
    >>> round(float(form.value), 2), bool(form.relative_error < 1e-3)
    (101.96, True)
    """
    widths, depths = widths_and_depths(n, t, "t")
    complex_log = np.asarray(log_lru_energy(widths, depths), dtype=np.float64)
    gap, error = np.empty(widths.shape), np.empty(widths.shape)
    for index in np.ndindex(widths.shape):
        gap[index], error[index] = _summed_gap(float(widths[index]), float(depths[index]))
    return _sum_form(complex_log, gap, error)


def _summed_gap(n: float, t: float) -> tuple[float, float]:
    """Return the logarithm of the sum of the gaps to depth t, and the error of it."""
    if t < 2.0:
        return -np.inf, 0.0
    rate = float(np.log1p(2.0 * t / n))
    reach = max(_NEGLIGIBLE / rate, 1.0)
    if t <= 256.0 or rate > _DIRECT_RATE:
        depths = np.arange(max(2.0, t - np.ceil(reach)), t + 1.0)
        weights, rule_error = np.ones_like(depths), 0.0
    else:
        points, legendre = np.polynomial.legendre.leggauss(_NODES)
        low, high = max(1.5, t + 0.5 - reach), t + 0.5
        depths = 0.5 * (low + high) + 0.5 * (high - low) * points
        weights, rule_error = 0.5 * (high - low) * legendre, (rate + 4.0 / t) ** 2 / 24.0
    widths = np.full_like(depths, n)
    logs = log_gap(widths, depths)
    top = float(np.max(logs))
    terms = weights * np.exp(logs - top)
    total = float(np.sum(terms))
    spread = float(np.sum(terms * np.expm1(gap_error(widths, depths)))) / total
    return top + float(np.log(total)), float(np.log1p(spread)) + rule_error


def takeover_depth(n: Any) -> Any:
    r"""Return :math:`k^*`, the first depth where real weights double the energy: Q^R >= 2 Q.

    Beyond it the real exponent, twice the complex one, rules:
    :math:`k^* \approx \sqrt{2 n \log(2n/k^*)}`.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.

    Returns
    -------
    int64 scalar or ndarray
        From the uniform form.

    Raises
    ------
    TypeError, ValueError
        If `n` does not hold integers in its range.

    Notes
    -----
    Found within one of the exact depth at n = 10 to 1000 and at 1e4 and 1e8.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> takeover_depth([100, 10**4, 10**12])
    array([     24,     294, 5072312])
    """
    widths = as_integer_array("n", n, 1, FLOAT_WIDTH_LIMIT)
    low, high = np.ones_like(widths), np.ceil(16.0 * np.sqrt(widths)) + 8.0
    while np.any(high - low > 1.0):
        middle = np.floor(0.5 * (low + high))
        above = log_gap(widths, middle) >= log_rnn_energy(widths, middle)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return high.astype(np.int64)[()]
