"""Numbers that describe one square matrix: size, spectrum, and distance from a normal one."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sigprop.auditing.profile import log_energies
from sigprop.auditing.spectrum import eigenvalues
from sigprop.auditing.tensors import Matrix

_EPSILON = float(np.finfo(np.float64).eps)


class Measures(NamedTuple):
    r"""What is measured on one matrix W of width n; a value beyond the float range is ``inf``.

    ``gain_squared`` is :math:`\|W\|_F^2/n = n\,\overline{|W_{ij}|^2}`, the estimate of g^2 in
    :math:`E|W_{ij}|^2 = g^2/n`, ``log_gain_squared`` its logarithm, finite also where the square
    is not, and ``gain`` its root; ``mean_entry`` the mean of the entries;
    ``departure_from_normality`` Henrici's
    :math:`\sqrt{1 - \sum|\lambda_i|^2/\|W\|_F^2}`, 0 for a normal matrix and at most 1;
    ``numerical_abscissa`` the largest eigenvalue of :math:`(W + W^*)/2`.

    In units of the gain, so without a scale: ``relative_mean`` is n times the mean entry, which
    a mean beside noise has as an eigenvalue, ``relative_eigenvalue`` the eigenvalue nearest to
    it, and ``relative_radius`` the spectral radius.
    """

    gain_squared: float
    log_gain_squared: float
    gain: float
    mean_entry: complex
    spectral_radius: float
    spectral_norm: float
    departure_from_normality: float
    numerical_abscissa: float
    relative_mean: complex
    relative_eigenvalue: complex
    relative_radius: float


def measure(W: Matrix) -> Measures:
    """Measure a finite square matrix.

    Parameters
    ----------
    W : ndarray of float64 or complex128
        Shape (n, n).

    Returns
    -------
    Measures

    Notes
    -----
    O(n^3): all eigenvalues, about 2 s at width 1024.  A departure below sqrt(4 n eps), 1e-6 at
    width 1024, cannot be told from 0 and is given as 0.  The radius of a matrix with a power 0
    is given as 0: rounding would make it eps^(1/n).

    Examples
    --------
    >>> found = measure(np.array([[0.0, 2.0], [0.0, 0.0]]))
    >>> found.gain_squared, found.spectral_radius, found.spectral_norm
    (2.0, 0.0, 2.0)
    >>> found.departure_from_normality, found.numerical_abscissa
    (1.0, 1.0)
    """
    n = len(W)
    peak = float(np.abs(W.view(np.float64)).max())
    if peak == 0.0:
        return Measures(0.0, -math.inf, *[0.0] * 9)
    shift = math.frexp(peak)[1]
    with np.errstate(under="ignore"):
        scaled = np.ldexp(W.view(np.float64), -shift).view(W.dtype)
    square = float(np.sum(np.square(scaled.view(np.float64))))
    spectrum = eigenvalues(scaled, shift, W)
    values, gain = spectrum.in_units_of(shift), math.sqrt(square / n)
    departure = max(0.0, 1.0 - float(np.sum(np.abs(values) ** 2)) / square)
    hermitian = (scaled + scaled.conj().T) / 2.0
    mean = complex(scaled.mean())
    radius, radius_shift = spectrum.radius()
    return Measures(
        gain_squared=_times_power(square / n, 2 * shift),
        log_gain_squared=float(log_energies(W, [1])[0]),
        gain=_times_power(gain, shift),
        mean_entry=complex(_times_power(mean.real, shift), _times_power(mean.imag, shift)),
        spectral_radius=_times_power(radius, radius_shift),
        spectral_norm=_times_power(float(np.linalg.norm(scaled, 2)), shift),
        departure_from_normality=0.0 if departure < 4.0 * n * _EPSILON else math.sqrt(departure),
        numerical_abscissa=_times_power(float(np.linalg.eigvalsh(hermitian)[-1]), shift),
        relative_mean=n * mean / gain,
        relative_eigenvalue=complex(values[np.argmin(np.abs(values - n * mean))]) / gain,
        relative_radius=float(np.abs(values).max()) / gain,
    )


def _times_power(value: float, exponent: int) -> float:
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.copysign(math.inf, value)
