r"""The diagonal recurrence with the eigenvalues of a Gaussian matrix: same spectrum, other energy.

For the complex Gaussian W with E|W_ij|^2 = 1/n the squared moduli of the eigenvalues have the law
of n independent Gamma(j)/n, j = 1, ..., n (Kostlan), so that

.. math:: Q^{eig}_{n,k} = \frac1n E \sum_j |\lambda_j|^{2k}
          = \frac{n^{\overline{k+1}}}{(k+1)\,n^{k+1}} = \frac{1}{k+1} \prod_{j=1}^k (1 + j/n).

It tends to 1/(k+1), the ring law on [0, 1]. The matrix itself has :math:`Q_{n,k} \ge 1`: the whole
ratio, about k for k much smaller than sqrt(n), comes from W not being normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sigprop._arguments import FloatArray, as_integer, as_integer_array
from sigprop.recurrences.diagonal import DiagonalLayer, DiagonalRecurrence
from sigprop.recurrences.vectors import normals
from sigprop.theory.curves import running_sum
from sigprop.theory.input_laws import InputLaw

MAX_DEPTH = 10**7
"""Deepest state: energies are running products over the depths."""


@dataclass(frozen=True, repr=False)
class GinibreSpectrum(DiagonalRecurrence):
    r"""Diagonal recurrence :math:`h_t = \lambda\odot h_{t-1} + u_t`, lambda the eigenvalues of W.

    Parameters
    ----------
    width : int
        Width n >= 1 of the Gaussian matrix, and number of units.
    inputs : "white", "constant", ("ar1", rho) or autocorrelation array
        Law of the inputs; every unit has an independent complex one.

    Notes
    -----
    The law of the spectrum is invariant under rotations, so the mean energy is the same for
    inputs of every colour, at every depth. The mean needs the law of one eigenvalue only;
    `sample` draws all of them as they are, from a Gaussian matrix, at n^3 per layer.

    The stationary energy is infinite: it grows as ln t as long as k is much smaller than n,
    and without bound beyond, from eigenvalues outside the unit circle.

    References
    ----------
    arXiv 2303.06349 for the ring as the limit of this spectrum.

    Examples
    --------
    >>> spectrum = GinibreSpectrum(5)
    >>> round(float(spectrum.impulse_energy(4)), 12), round(float(spectrum.state_energy(1)), 12)
    (0.96768, 1.6)
    """

    model: ClassVar[str] = "ginibre_spectrum"
    gradient_parameters: ClassVar[tuple[str, ...]] = ("state",)

    @property
    def layer_size(self) -> int:
        """Entries of the matrix that is drawn for one layer."""
        return self.width**2

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> DiagonalLayer:
        """Draw the eigenvalues of one Gaussian matrix, or of ``batch`` independent ones."""
        count = () if batch is None else (as_integer("batch", batch, 1),)
        matrices = normals(rng, (*count, self.width, self.width), "complex")
        eigenvalues = np.linalg.eigvals(matrices / math.sqrt(self.width))
        return DiagonalLayer(np.log(eigenvalues), np.ones(eigenvalues.shape))

    def log_state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return log S_t, whatever the inputs; finite where S_t overflows."""
        self._law(inputs)
        depths = _depths("depth", depth)
        with np.errstate(under="ignore"):
            logs = np.logaddexp.accumulate(self._log_impulses(int(depths.max())))
        return logs[depths.astype(np.intp)][()]

    def _log_impulses(self, last: int) -> FloatArray:
        """Return log Q_k for k = 0..last."""
        k = np.arange(last + 1.0)
        rising = running_sum(np.log1p(k / self.width))
        return np.asarray(rising - np.log1p(k))

    def _impulse(self, lags: FloatArray) -> FloatArray:
        lags = _depths("lag", lags)
        with np.errstate(over="ignore"):
            return np.exp(self._log_impulses(int(lags.max()))[lags.astype(np.intp)])

    def _drop(self, lags: FloatArray) -> FloatArray:
        if lags.size == 0:
            return lags
        # Q_{k+1}/Q_k = (1 + (k+1)/n)(k+1)/(k+2).
        m = lags + 1.0
        return self._impulse(lags) * (1.0 - m * m / self.width) / (m + 1.0)

    def _white_energy(self, depths: FloatArray) -> FloatArray:
        depths = _depths("depth", depths)
        with np.errstate(over="ignore"):
            energies = np.exp(self._log_impulses(int(depths.max())))
            return running_sum(energies)[depths.astype(np.intp)]

    def _coloured_energy(self, depths: FloatArray, law: InputLaw) -> FloatArray:
        return self._white_energy(depths)

    def _white_stationary(self) -> float:
        return math.inf

    def _coloured_stationary(self, law: InputLaw) -> float:
        return math.inf

    def _why_infinite(self, law: InputLaw) -> str:
        return "eigenvalues of a Gaussian matrix lie outside the unit circle with some probability"

    def _gradient(self, parameter: str, depths: FloatArray | None) -> FloatArray:
        return np.asarray(math.inf) if depths is None else self._impulse(depths)


def _depths(name: str, depth: Any) -> FloatArray:
    return as_integer_array(name, depth, 0, MAX_DEPTH)
