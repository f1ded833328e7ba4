r"""One mode, :math:`h_t = \lambda h_{t-1} + u_t` with unit-variance inputs: its exact energies.

With :math:`\lambda = e^{-\nu + i\theta}`, :math:`q = |\lambda|^2` and autocorrelation R the
energy at depth t is

.. math:: S_t = \sum_{|d| \le t} R(d) \operatorname{Re}\lambda^{|d|}
          \frac{1 - q^{t-|d|+1}}{1 - q},

:math:`(1 - q^{t+1})/(1 - q)` for white inputs and :math:`|1 - \lambda^{t+1}|^2/|1-\lambda|^2`
for constant ones.  Modes are given by the logarithm of their eigenvalue, so that
:math:`1 - q`, :math:`1 - \lambda` and :math:`\lambda^k` keep their digits when q is near 1; a
mode may also be unstable, q >= 1, and its energies are kept as logarithms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray
from sigprop.recurrences.quadrature import panel_rule
from sigprop.theory.input_laws import InputLaw, autocorrelation

ComplexArray = npt.NDArray[np.complex128]

LARGEST_DECAY = 1e4
"""Decay nu that stands for an eigenvalue of zero: exp(-nu) underflows."""


def powers(log_eigenvalue: ComplexArray, exponent: float) -> ComplexArray:
    r"""Return :math:`\lambda^k = e^{-\nu k}(\cos k\theta + i \sin k\theta)`.

    Notes
    -----
    The angle k theta is reduced modulo 2 pi in float64: error about k theta 2^-53.

    Examples
    --------
    >>> powers(np.array([np.log(0.5) + 1j * np.pi]), 3).real.round(12).tolist()
    [-0.125]
    """
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        modulus = np.exp(exponent * log_eigenvalue.real) if exponent else np.ones(1)
        angle = exponent * log_eigenvalue.imag
        return np.asarray(modulus * np.cos(angle) + 1j * (modulus * np.sin(angle)))


def impulse_energies(log_eigenvalue: ComplexArray, lag: float) -> FloatArray:
    """Return Q_k = q^k of every mode."""
    with np.errstate(under="ignore", over="ignore"):
        return np.exp(2.0 * lag * log_eigenvalue.real) if lag else np.ones(log_eigenvalue.size)


def log_white_energies(log_eigenvalue: ComplexArray, depth: float) -> FloatArray:
    """Return log((1 - q^(t+1))/(1 - q)) of every mode, log(t + 1) for q = 1."""
    log_q = 2.0 * log_eigenvalue.real
    decay = -np.abs(log_q)
    neutral = decay == 0.0
    with np.errstate(under="ignore"):
        risen = np.expm1(np.where(neutral, -1.0, (depth + 1.0) * decay))
        single = np.expm1(np.where(neutral, -1.0, decay))
    # q^t times the energy of the mode of decay 1/q, for an unstable mode.
    geometric = np.log(risen / single) + depth * np.maximum(log_q, 0.0)
    return np.where(neutral, math.log(depth + 1.0), geometric)


def log_constant_energies(log_eigenvalue: ComplexArray, depth: float) -> FloatArray:
    r"""Return :math:`\log(|1 - \lambda^{t+1}|^2 / |1 - \lambda|^2)` of every mode."""
    unstable = log_eigenvalue.real > 0.0
    # |1 - lambda^m| is |lambda|^m |1 - lambda^-m|, and conjugation changes no modulus.
    decaying = np.where(unstable, -log_eigenvalue.conj(), log_eigenvalue)
    growth = 2.0 * depth * np.maximum(log_eigenvalue.real, 0.0)
    with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
        upper = np.log(np.abs(np.expm1((depth + 1.0) * decaying)))
        lower = np.log(np.abs(np.expm1(decaying)))
        result = 2.0 * (upper - lower) + growth
    return np.where(decaying == 0.0, 2.0 * math.log(depth + 1.0), result)


def log_coloured_energies(
    log_eigenvalue: ComplexArray, autocorrelations: FloatArray, depths: FloatArray
) -> FloatArray:
    r"""Return log S_t of every mode at every depth, for any autocorrelation.

    Parameters
    ----------
    log_eigenvalue : ndarray of complex128, shape (m,)
        -nu + i theta of the modes.
    autocorrelations : ndarray of float64
        R(0) = 1, R(1), ..., zero beyond its end.
    depths : ndarray of float64, shape (p,)
        Depths t >= 0.

    Returns
    -------
    ndarray of float64, shape (p, m)

    Notes
    -----
    The recursion :math:`S_t = q S_{t-1} + 1 + 2\operatorname{Re} c_t` with :math:`c_t =
    \sum_{d=1}^t R(d)\lambda^d`, one step per depth; an unstable mode is divided by q^t. The
    error is a rounding of the sum over abs(R(d) lambda^d).
    """
    log_q = 2.0 * log_eigenvalue.real
    growth = np.maximum(log_q, 0.0)  # logarithm of what is divided out at every step
    turn = np.exp(log_eigenvalue - growth)
    power = np.ones_like(turn)
    decay, shrink = np.exp(log_q - growth), np.exp(-growth)
    columns: dict[int, list[int]] = {}
    for row, depth in enumerate(depths.ravel()):
        columns.setdefault(int(depth), []).append(row)
    result = np.empty((depths.size, log_eigenvalue.size))
    energy, cross, unit = np.ones(turn.size), np.zeros_like(turn), np.ones(turn.size)
    for t in range(int(depths.max()) + 1):
        if t > 0:
            power = powers(log_eigenvalue - growth, t) if t % 64 == 0 else power * turn
            unit = unit * shrink
            cross = cross * shrink
            if t < autocorrelations.size:
                cross = cross + autocorrelations[t] * power
            energy = decay * energy + unit + 2.0 * cross.real
        for row in columns.get(t, ()):
            with np.errstate(divide="ignore", invalid="ignore"):
                result[row] = np.log(np.maximum(energy, 0.0)) + t * growth
    return result


def stationary_energies(log_eigenvalue: ComplexArray, law: InputLaw) -> FloatArray:
    r"""Return the limit of S_t of every mode, inf for q >= 1.

    Notes
    -----
    1/(1-q) for white inputs, :math:`1/|1-\lambda|^2` for constant ones,
    :math:`(1-\rho^2 q)/((1-q)|1-\rho\lambda|^2)` for AR(1), and :math:`(1 + 2\sum_d R(d)
    \operatorname{Re}\lambda^d)/(1-q)` for an autocorrelation array.

    Examples
    --------
    >>> mode = np.array([np.log(0.97) + 0.2j])
    >>> stationary_energies(mode, ("ar1", 0.8)).round(10).tolist()
    [82.9879038575]
    """
    log_q = 2.0 * log_eigenvalue.real
    stable = log_q < 0.0
    log_mode = np.where(stable, log_eigenvalue, -1.0)
    gap = -np.expm1(2.0 * log_mode.real)
    if law == "white":
        energy = 1.0 / gap
    elif law == "constant" or law[0] == "ar1":
        rho = 1.0 if law == "constant" else float(law[1])  # type: ignore[arg-type]
        distance = (1.0 - rho) - rho * np.expm1(log_mode)  # 1 - rho lambda
        numerator = (1.0 - rho) * (1.0 + rho) + rho * rho * gap
        energy = numerator / (gap * np.abs(distance) ** 2)
        if law == "constant":
            energy = 1.0 / np.abs(distance) ** 2
    else:
        values = autocorrelation(law, len(law[1]))  # type: ignore[arg-type]
        cross = np.zeros_like(log_mode)
        eigenvalue = np.exp(log_mode)
        for value in values[:0:-1]:
            cross = (cross + value) * eigenvalue
        energy = (1.0 + 2.0 * cross.real) / gap
    return np.where(stable, energy, math.inf)


def matched_scale(log_eigenvalue: ComplexArray, rho: float) -> FloatArray:
    r"""Return the input scale that gives AR(rho) inputs the stationary energy 1.

    :math:`\gamma_\rho = \sqrt{(1-q)/(1-\rho^2 q)}\,|1-\rho\lambda|`: :math:`\sqrt{1-q}` for
    rho = 0 (the LRU) and :math:`|1-\lambda|` for rho = 1 (constant inputs).

    Parameters
    ----------
    log_eigenvalue : ndarray of complex128
        -nu + i theta of the modes, nu > 0.
    rho : float
        Correlation of successive inputs, -1 < rho <= 1.

    Examples
    --------
    >>> mode = np.array([np.log(0.97) + 0.2j])
    >>> scale = matched_scale(mode, 0.8)
    >>> (scale**2 * stationary_energies(mode, ("ar1", 0.8))).round(12).tolist()
    [1.0]
    """
    gap = -np.expm1(2.0 * log_eigenvalue.real)
    if rho == 0.0:
        return np.sqrt(gap)
    distance = np.abs((1.0 - rho) - rho * np.expm1(log_eigenvalue))
    if rho == 1.0:
        return distance
    return np.sqrt(gap / ((1.0 - rho) * (1.0 + rho) + rho * rho * gap)) * distance


def derivative_energies(log_q: FloatArray, depth: float | None) -> FloatArray:
    r"""Return :math:`E|\partial h_T/\partial\lambda|^2 = \sum_{k=1}^T k^2 q^{k-1}`, white inputs.

    Parameters
    ----------
    log_q : ndarray of float64
        Logarithms of q, <= 0.
    depth : float or None
        Depth T; None for the limit :math:`(1+q)/(1-q)^3`.

    Notes
    -----
    Summed term by term in blocks of 64 lags: T times the number of modes.

    Examples
    --------
    >>> derivative_energies(np.log([0.5]), None).round(12), derivative_energies(np.log([0.5]), 2.0)
    (array([12.]), array([3.]))
    """
    if depth is None:
        with np.errstate(divide="ignore"):
            return np.asarray((1.0 + np.exp(log_q)) / (0.0 - np.expm1(log_q)) ** 3)
    total = np.zeros_like(log_q)
    last = int(depth)
    for first in range(1, last + 1, _LAGS):
        lags = np.arange(first, min(first + _LAGS, last + 1), dtype=np.float64)
        with np.errstate(under="ignore", invalid="ignore"):
            powers_of_q = np.exp(np.multiply.outer(lags - 1.0, log_q))
        powers_of_q[lags == 1.0] = 1.0
        total += (lags * lags) @ powers_of_q
    return total


_LAGS = 64


def log_uniform_laplace(s: Any, low: float, high: float) -> Any:
    r"""Return :math:`E e^{-sx} = (E_1(s x_0) - E_1(s x_1))/\ln(x_1/x_0)`, x log-uniform.

    Parameters
    ----------
    s : complex or array_like
        Arguments with real part >= 0.
    low, high : float
        Ends 0 < x_0 <= x_1 of the law: ln x is uniform between their logarithms.

    Returns
    -------
    complex128 or float64, or ndarray
        float64 for real s.

    Notes
    -----
    A mean of exponentials by Gauss-Legendre in ln x where :math:`|s| x_1 < 64`, which is
    free of the cancellation between the two E_1; the formula beyond.

    Examples
    --------
    >>> float(log_uniform_laplace(0.0, 1e-3, 1e-1).round(14))
    1.0
    >>> float(log_uniform_laplace(20.0, 1e-3, 1e-1).round(6))
    0.717847
    """
    argument = np.asarray(s)
    if argument.dtype.kind not in "fc":
        argument = argument.astype(np.float64)
    flat = np.atleast_1d(argument).ravel()
    result = np.empty_like(flat)
    near = np.abs(flat) * high < _QUADRATURE
    if near.any():
        x, weight = log_uniform_rule(low, high)
        with np.errstate(under="ignore"):
            result[near] = np.exp(-np.multiply.outer(flat[near], x)) @ weight
    if not near.all():
        result[~near] = _exponential_integrals(flat[~near], low, high)
    return result.reshape(argument.shape)[()]


_QUADRATURE = 64.0  # largest abs(s) x_1 of the quadrature: 10 waves over its last panels


def log_uniform_rule(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights, of sum 1, of the law of x with ln x uniform."""
    if low == high:
        return np.array([low]), np.ones(1)
    length = math.log(high / low)
    y, weight = panel_rule(0.0, length, 0.25)
    return low * np.exp(y), weight / weight.sum()


def _exponential_integrals(s: Any, low: float, high: float) -> Any:
    from scipy.special import exp1

    if low == high:
        return np.exp(-s * low)
    with np.errstate(under="ignore"):
        return (exp1(s * low) - exp1(s * high)) / math.log(high / low)
