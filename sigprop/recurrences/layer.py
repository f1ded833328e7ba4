r"""`from_layer`: exact energies of one given diagonal layer, trained or foreign.

"Quenched": the layer is fixed, and the mean is over the inputs alone. The unit j of
:math:`h_t = \lambda \odot h_{t-1} + B u_t`, with inputs u of covariance R(s - t) I, has the
energy :math:`\sum_c |B_{jc}|^2` times that of its mode; the energies here are means over
the units, or of the outputs :math:`y = \mathrm{Re}(C h)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray, as_integer, as_integer_array, shown
from sigprop.recurrences import one_mode
from sigprop.recurrences.diagonal import DiagonalLayer, DiagonalRecurrence
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.random_modes import law_lags
from sigprop.recurrences.structured import MAX_DEPTH
from sigprop.theory.input_laws import InputLaw

ComplexArray = npt.NDArray[np.complex128]

MAX_COLOURED_DEPTH = 10**6
"""Deepest state for inputs that are neither white nor constant: a step of time each."""


@dataclass(frozen=True, eq=False, repr=False)
class LayerRecurrence(DiagonalRecurrence):
    """The recurrence of one diagonal layer; made by `from_layer`.

    Two of them are equal if their inputs have the same law and all their arrays are equal.

    Attributes
    ----------
    log_eigenvalues : ndarray of complex128, shape (n,)
        Logarithms -nu + i theta of the eigenvalues.
    input_matrix : ndarray, shape (n, d), or None
        B; None for the identity.
    output_matrix : ndarray, shape (m, n), or None
        C; None where only the state is asked for.

    Examples
    --------
    >>> layer = from_layer([0.5, 0.9])
    >>> layer.average, round(float(layer.stationary_energy()), 6)
    ('quenched', 3.298246)
    """

    log_eigenvalues: ComplexArray = field(repr=False, kw_only=True)
    input_matrix: npt.NDArray[Any] | None = field(default=None, repr=False, kw_only=True)
    output_matrix: npt.NDArray[Any] | None = field(default=None, repr=False, kw_only=True)

    model: ClassVar[str] = "layer"
    average: ClassVar[str] = "quenched"
    gradient_parameters: ClassVar[tuple[str, ...]] = ("state", "eigenvalue", "theta")

    def __repr__(self) -> str:
        """Show the width, the range of the moduli, the shapes of B and C, and the inputs."""
        low, high = np.exp(self.log_eigenvalues.real[[*self._ends]])
        parts = [f"width={self.width}", f"moduli={low:.6g}..{high:.6g}"]
        for name, matrix in (("B", self.input_matrix), ("C", self.output_matrix)):
            if matrix is not None:
                parts.append(f"{name}.shape={matrix.shape}")
        if self.inputs != "white":
            parts.append(f"inputs={self.inputs!r}")
        return f"LayerRecurrence({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        """Compare the law of the inputs and the arrays, number by number."""
        if not isinstance(other, LayerRecurrence):
            return NotImplemented
        return self._content == other._content

    def __hash__(self) -> int:
        """Return the hash of what `__eq__` compares."""
        return hash(self._content)

    @property
    def input_width(self) -> int:
        """Number of entries of one input."""
        return self.width if self.input_matrix is None else int(self.input_matrix.shape[1])

    @property
    def input_field(self) -> str:
        """Complex for independent units (B = I), real where B mixes the inputs."""
        return "complex" if self.input_matrix is None else "real"

    @property
    def layer_size(self) -> int:
        """Numbers that the layer holds."""
        return self.width if self.input_matrix is None else self.input_matrix.size

    @property
    def input_powers(self) -> FloatArray:
        """Energy of the drive of every unit, sum_c abs(B_jc)^2."""
        if self.input_matrix is None:
            return np.ones(self.width)
        powers: FloatArray = np.sum(np.abs(self.input_matrix) ** 2, axis=1)
        return powers

    @property
    def _driven(self) -> tuple[ComplexArray, FloatArray]:
        """Log-eigenvalues and shares of the energy of the units that inputs reach."""
        used = self.input_powers > 0.0
        return self.log_eigenvalues[used], self.input_powers[used] / self.width

    @property
    def _ends(self) -> tuple[int, int]:
        """Places of the smallest and the largest eigenvalue."""
        decay = self.log_eigenvalues.real
        return int(decay.argmin()), int(decay.argmax())

    @property
    def _content(self) -> tuple[Any, ...]:
        """The law of the inputs and the arrays as bytes, zeros without their sign."""
        arrays = (self.log_eigenvalues, self.input_matrix, self.output_matrix)
        return self.inputs, *(
            None if a is None else (a.shape, a.dtype.str, (a + 0.0).tobytes()) for a in arrays
        )

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> DiagonalLayer:
        """Return the layer itself, or a batch of views of it: nothing is drawn."""
        layer = DiagonalLayer(
            self.log_eigenvalues, np.ones(self.width), self.input_matrix, self.output_matrix
        )
        if batch is None:
            return layer
        count = as_integer("batch", batch, 1)
        parts = (layer.log_eigenvalue, layer.scale, layer.input_matrix, layer.output_matrix)
        views = [
            None if part is None else np.broadcast_to(part, (count, *part.shape)) for part in parts
        ]
        return DiagonalLayer(*views)  # type: ignore[arg-type]

    def log_state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return log S_t, finite where an unstable layer overflows."""
        depths = as_integer_array("depth", depth, 0, MAX_DEPTH)
        law = self._law(inputs)
        if law == "white":
            return self._over_depths(one_mode.log_white_energies, depths)[()]
        if law == "constant":
            return self._over_depths(one_mode.log_constant_energies, depths)[()]
        last = as_integer("depth", float(depths.max()), 0)
        if last > MAX_COLOURED_DEPTH:
            raise ValueError(
                f"depth must be at most {MAX_COLOURED_DEPTH} for inputs {shown(law)}, got {last}"
            )
        values = law_lags(law, last)
        logs = one_mode.log_coloured_energies(self.log_eigenvalues, values, depths)
        return self._mean_of_logs(logs).reshape(depths.shape)[()]

    def state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return S_t per unit, inf where it overflows."""
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(self.log_state_energy(depth, inputs))

    def output_energy(self, depth: Any = None, form: str = "real") -> FloatArray:
        r"""Return :math:`E y_i^2` of every output for white inputs; None for the limit.

        Parameters
        ----------
        depth : int, optional
            Depth t >= 0; None for the limit.
        form : {"real", "complex"}
            y = Re(C h), or :math:`E|y_i|^2` of y = C h.

        Returns
        -------
        ndarray of float64, shape (m,)

        Raises
        ------
        ValueError
            If the layer has no C, or for the limit of an unstable layer.

        Notes
        -----
        :math:`\tfrac12 \sum_{jk} C_{ij}\bar C_{ik} (BB^*)_{jk} g(\lambda_j\bar\lambda_k) +
        \tfrac12\mathrm{Re}\sum_{jk} C_{ij} C_{ik} (BB^T)_{jk} g(\lambda_j\lambda_k)` with
        :math:`g(z) = (1 - z^{t+1})/(1 - z)`: real inputs correlate a mode with the
        conjugate of another. Without B the units are driven independently by complex
        inputs, and only j = k of the first sum is left. n^2 terms for every output.
        """
        if self.output_matrix is None:
            raise ValueError("output_energy needs the output matrix C, got None")
        if form not in ("real", "complex"):
            raise ValueError(f"form must be one of 'real', 'complex', got {shown(form)}")
        count = None if depth is None else as_integer("depth", depth, 0) + 1.0
        # Units that no input reaches, or that no output sees, add nothing, stable or not.
        used = (self.input_powers > 0.0) & np.any(self.output_matrix != 0.0, axis=0)
        log, c = self.log_eigenvalues[used], self.output_matrix[:, used]
        if count is None and np.any(log.real >= 0.0):
            raise ValueError(
                "depth must be given for a layer with an eigenvalue of modulus >= 1 in its outputs"
            )
        if self.input_matrix is None:
            modes = _geometric(2.0 * log.real.astype(np.complex128), count).real
            energy: FloatArray = np.abs(c) ** 2 @ modes
            return energy if form == "complex" else 0.5 * energy
        b = self.input_matrix[used]
        covariance = (b @ b.conj().T) * _geometric(np.add.outer(log, log.conj()), count)
        proper: FloatArray = np.einsum("ij,jk,ik->i", c, covariance, c.conj(), optimize=True).real
        if form == "complex":
            return proper
        pseudo = (b @ b.T) * _geometric(np.add.outer(log, log), count)
        improper: FloatArray = np.einsum("ij,jk,ik->i", c, pseudo, c, optimize=True).real
        return 0.5 * (proper + improper)

    def _rule(self) -> MomentRule:
        log, share = self._driven
        return MomentRule(2.0 * log.real, share)

    def _impulse(self, lags: FloatArray) -> FloatArray:
        log, share = self._driven
        energies = [one_mode.impulse_energies(log, k) for k in lags.ravel()]
        return (np.array(energies) @ share).reshape(lags.shape)

    def _white_stationary(self) -> float:
        return self._coloured_stationary("white")

    def _coloured_stationary(self, law: InputLaw) -> float:
        log, share = self._driven
        return float(share @ one_mode.stationary_energies(log, law))

    def _why_infinite(self, law: InputLaw) -> str:
        largest = math.exp(float(self._driven[0].real.max()))
        return f"an eigenvalue has modulus {largest:.12g} >= 1"

    def _gradient(self, parameter: str, depths: FloatArray | None) -> FloatArray:
        log_q = 2.0 * self.log_eigenvalues.real
        if parameter == "state":
            if depths is None:
                return np.asarray(math.inf if np.any(log_q > 0.0) else np.mean(log_q == 0.0))
            modes = [
                np.mean(one_mode.impulse_energies(self.log_eigenvalues, k)) for k in depths.ravel()
            ]
            return np.array(modes).reshape(depths.shape)
        log, factor = self._driven
        log_q = 2.0 * log.real
        if parameter == "theta":
            factor = factor * np.exp(log_q)
        if depths is None:
            if np.any(log_q >= 0.0):
                return np.asarray(math.inf)
            return np.asarray(factor @ one_mode.derivative_energies(log_q, None))
        energies = [factor @ one_mode.derivative_energies(log_q, t) for t in depths.ravel()]
        return np.array(energies).reshape(depths.shape)

    def _over_depths(self, mode_energies: Any, depths: FloatArray) -> FloatArray:
        logs = np.array([mode_energies(self.log_eigenvalues, t) for t in depths.ravel()])
        return self._mean_of_logs(logs).reshape(depths.shape)

    def _mean_of_logs(self, logs: FloatArray) -> FloatArray:
        """Return the log of the mean over units of |b|^2 exp(logs), row by row."""
        used = self.input_powers > 0.0
        weighted = logs[:, used] + np.log(self.input_powers[used] / self.width)
        with np.errstate(under="ignore"):
            result: FloatArray = np.logaddexp.reduce(weighted, axis=1, initial=-math.inf)
        return result


def from_layer(
    eigenvalues: Any = None,
    B: Any = None,
    C: Any = None,
    *,
    log_eigenvalues: Any = None,
    inputs: Any = "white",
) -> LayerRecurrence:
    r"""Return the recurrence of one diagonal layer, :math:`h_t = \lambda\odot h_{t-1} + B u_t`.

    Parameters
    ----------
    eigenvalues : array_like of complex, shape (n,)
        Eigenvalues lambda, of any modulus.
    B : array_like, shape (n, d), optional
        Input matrix, with every normalisation in it (for an LRU, gamma times B). By default
        the identity: every unit has an input of its own.
    C : array_like, shape (m, n), optional
        Output matrix of y = Re(C h).
    log_eigenvalues : array_like of complex, shape (n,), optional
        Instead of ``eigenvalues``, their logarithms -nu + i theta: exact where a layer keeps
        them, ``-exp(nu_log) + 1j * exp(theta_log)`` for an LRU.
    inputs : "white", "constant", ("ar1", rho) or autocorrelation array
        Law of the inputs u, d independent sequences of unit variance.

    Returns
    -------
    LayerRecurrence

    Raises
    ------
    TypeError, ValueError
        If the arrays are not of these shapes, or not finite.

    Examples
    --------
    >>> layer = from_layer([0.9, 0.5j, -0.5j])
    >>> layer.average, round(layer.stationary_energy(), 12)
    ('quenched', 2.643274853801)
    >>> round(layer.stationary_energy("constant"), 12)
    33.866666666667
    """
    if (eigenvalues is None) == (log_eigenvalues is None):
        raise TypeError("give one of eigenvalues and log_eigenvalues")
    if log_eigenvalues is not None:
        log = _vector("log_eigenvalues", log_eigenvalues)
    else:
        values = _vector("eigenvalues", eigenvalues)
        with np.errstate(divide="ignore"):
            log = np.log(values)
    log = np.maximum(log.real, -one_mode.LARGEST_DECAY) + 1j * log.imag
    n = log.size
    b = None if B is None else _matrix("B", B, (n, None))
    c = None if C is None else _matrix("C", C, (None, n))
    return LayerRecurrence(n, inputs=inputs, log_eigenvalues=log, input_matrix=b, output_matrix=c)


def _geometric(log_z: ComplexArray, count: float | None) -> ComplexArray:
    """Return (1 - z^count)/(1 - z), or 1/(1 - z) for count None."""
    single = np.expm1(log_z)
    neutral = single == 0.0
    single = np.where(neutral, 1.0, single)
    if count is None:
        return np.where(neutral, math.inf, -1.0 / single)
    with np.errstate(under="ignore", over="ignore"):
        return np.where(neutral, count, np.expm1(count * log_z) / single)


def _vector(name: str, value: Any) -> ComplexArray:
    array = _numbers(name, value)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty vector, got shape {array.shape}")
    return array.astype(np.complex128)


def _matrix(name: str, value: Any, shape: tuple[int | None, int | None]) -> npt.NDArray[Any]:
    array = _numbers(name, value)
    wanted = tuple("any" if size is None else size for size in shape)
    fits = array.ndim == 2 and array.size > 0
    if not fits or any(
        size not in (None, given) for size, given in zip(shape, array.shape, strict=True)
    ):
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}")
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def _numbers(name: str, value: Any) -> npt.NDArray[Any]:
    array = np.asarray(value)
    if array.dtype.kind not in "iufc":
        raise TypeError(f"{name} must hold numbers, got dtype {array.dtype}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must hold finite numbers, got one that is not")
    return array
