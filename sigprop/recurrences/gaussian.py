"""Dense Gaussian recurrences: W is n x n with i.i.d. entries, E|W_ij|^2 = gain^2 / n.

The RNN multiplies by W from a start, h^(k) = W^k x with E||x||^2 = n; the LRU also receives
an input at every step, h^(t) = W h^(t-1) + x^(t). In both the same W is used at every step,
which is what makes the energy grow with depth / sqrt(n). An RNN may also have rectified
units, or a fresh W at every step ("untied", a feedforward network), to compare with.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from sigprop._arguments import (
    FloatArray,
    as_choice,
    as_finite_float,
    as_integer,
    as_integer_array,
)
from sigprop.recurrences.activations import (
    ACTIVATIONS,
    DEFAULT_SLOPE,
    activate,
    calibrated_scale,
)
from sigprop.recurrences.dense import FIELDS, DenseGaussian
from sigprop.recurrences.input_laws import InputLaw, as_input_law, input_sequence
from sigprop.recurrences.protocol import State
from sigprop.recurrences.questions import nothing_enters
from sigprop.recurrences.vectors import VECTORS, fixed_vectors, vectors
from sigprop.theory import energy

__all__ = ["FIELDS", "STARTS", "GaussianLRU", "GaussianRNN"]

STARTS = ("fixed", "sphere", "gaussian")


@dataclass(frozen=True, repr=False)
class GaussianRNN(DenseGaussian):
    r"""The recurrence h^(k) = phi(W h^(k-1)) from x with E||x||^2 = n; energy gain^(2k) Q_{n,k}.

    Parameters
    ----------
    width : int
        Width n >= 1.
    field : {"complex", "real"}
        Field of the weights.
    gain : float
        Factor on the weights, finite and > 0.
    activation : {"linear", "relu", "leaky_relu"}
        Units phi; others than linear ones for real weights only. Their weights are larger
        by :math:`\sqrt{2/(1+\alpha^2)}`, which keeps the mean energy of a fresh layer:
        E|W_ij|^2 = weight_scale^2 / n.
    slope : float
        Slope alpha of the leaky ReLU below zero, finite.
    tied : bool
        Whether the same W is used at every step (a recurrence), or a fresh one (a
        feedforward network).
    start : {"fixed", "sphere", "gaussian"}
        x = sqrt(n) e_1, uniform on the sphere ||x||^2 = n, or proper standard normal.
    dtype : {"float64", "float32"}
        Precision of the weights and of their products. Random numbers are drawn in
        float64, and start and norms stay there.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above, or they contradict one another.

    Notes
    -----
    The law of W is invariant under unitary (orthogonal) conjugation, so every start of norm
    sqrt(n) gives linear units the same law of the energies; a Gaussian start gives them
    the same mean. Fresh weights make every layer forget the direction of its input. The
    start matters to rectified units with one W.

    The mean energy is exact for linear units, gain^(2k) Q_{n,k} with the Q of the field, and
    for fresh weights of either field with any units, gain^(2k): given ||h||^2 the entries of
    W h are independent normals of variance weight_scale^2 ||h||^2 / n.

    Rectified units may all be off: the energy is then exactly zero, and stays zero.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> float(GaussianRNN(width=5).state_energy(3))
    1.2
    >>> relu = GaussianRNN(width=5, field="real", activation="relu", tied=False)
    >>> float(relu.state_energy(3)), round(relu.weight_scale, 6)
    (1.0, 1.414214)
    """

    _: KW_ONLY
    activation: str = "linear"
    slope: float = DEFAULT_SLOPE
    start: str = "fixed"

    model: ClassVar[str] = "rnn"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("activation", as_choice("activation", self.activation, ACTIVATIONS))
        self._set("slope", as_finite_float("slope", self.slope))
        self._set("start", as_choice("start", self.start, STARTS))
        if self.activation != "linear" and self.field != "real":
            raise ValueError(
                f"activation must be 'linear' unless field is 'real', got {self.activation!r} "
                f"with field {self.field!r}"
            )
        if self.activation != "leaky_relu" and self.slope != DEFAULT_SLOPE:
            raise ValueError(
                "slope is that of activation 'leaky_relu', "
                f"got {self.slope!r} with activation {self.activation!r}"
            )

    @property
    def weight_scale(self) -> float:
        """Standard deviation of the entries of W times sqrt(n): gain times calibration."""
        return self.gain * calibrated_scale(self.activation, self.slope)

    @property
    def is_plain(self) -> bool:
        """Whether the energies have the law of W^k x with one W and ||x||^2 = n, in float64."""
        return (
            self.activation == "linear"
            and self.tied
            and self.start != "gaussian"
            and self.dtype == "float64"
        )

    def state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return E||h^(k)||^2 / n: gain^(2k) Q_{n,k}, or gain^(2k) for fresh weights.

        Parameters
        ----------
        depth : int or array_like of int
            Depths k >= 0.
        inputs : None
            Nothing enters after the start.

        Returns
        -------
        float64 or ndarray of float64, or None
            inf where it overflows; `log_state_energy` does not. None for rectified
            recurrences with one W.

        Raises
        ------
        TypeError, ValueError
            If a depth is not one, or ``inputs`` are given.
        """
        depths = self._depths(depth, inputs)
        if not self.tied:
            with np.errstate(over="ignore", under="ignore"):
                return (self.gain ** (2.0 * depths))[()]
        if self.activation != "linear":
            return None
        return energy.rnn_energy(self.width, depths, self.gain, self.field)

    def log_state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return the logarithm of `state_energy`; None where that is None."""
        depths = self._depths(depth, inputs)
        if not self.tied:
            return (2.0 * math.log(self.gain) * depths)[()]
        if self.activation != "linear":
            return None
        return energy.log_rnn_energy(self.width, depths, self.gain, self.field)

    def _depths(self, depth: Any, inputs: Any) -> FloatArray:
        if inputs is not None:
            raise nothing_enters(self, inputs)
        return _depths(depth)

    def initial_state(
        self, rng: np.random.Generator | None = None, batch: int | None = None
    ) -> State:
        """Return the start x, drawn if it is random.

        Parameters
        ----------
        rng : numpy.random.Generator, optional
            Source of a random start, taken vector after vector.
        batch : int >= 1, optional
            Number of independent starts; None for a single one.

        Returns
        -------
        ndarray of complex128 or float64, shape (n,) or (batch, n)

        Raises
        ------
        TypeError
            If the start is random and ``rng`` is not given.
        """
        count = () if batch is None else (as_integer("batch", batch, 1),)
        if self.start == "fixed":
            return fixed_vectors((*count, self.width), self.field)
        if rng is None:
            raise TypeError(f"rng must be a Generator for start {self.start!r}, got None")
        return vectors(self.start, rng, (*count, self.width), self.field)

    def draw_inputs(
        self,
        rng: np.random.Generator,
        batch: int,
        steps: int,
        previous: State | None = None,
    ) -> None:
        """Return None: nothing enters after the start."""
        return

    def step(self, weights: State, state: State, inputs: State | None = None) -> State:
        """Return phi(W h), or phi(W h + x) when ``inputs`` x is given.

        Leading axes are a batch. With ``dtype="float32"`` the product is computed in single
        precision.

        Examples
        --------
        >>> relu = GaussianRNN(2, "real", activation="relu")
        >>> relu.step(np.eye(2), np.array([1.0, -1.0]))
        array([1., 0.])
        """
        return activate(self.activation, self.slope, super().step(weights, state, inputs))


@dataclass(frozen=True, repr=False)
class GaussianLRU(DenseGaussian):
    r"""The recurrence h^(t) = W h^(t-1) + x^(t) from h^(0) = x^(0); energy S_{n,t}.

    The inputs x^(0), x^(1), ... have E||x^(t)||^2 = n. For complex weights, and for real ones
    with white inputs, the energy is the sum of gain^(2k) Q_{n,k} over k = 0..t.

    Parameters
    ----------
    width : int
        Width n >= 1.
    field : {"complex", "real"}
        Field of the weights and of the inputs.
    gain : float
        Factor on the weights, finite and > 0: E|W_ij|^2 = gain^2 / n.
    inputs : "white", "constant", ("ar1", rho) or array_like
        A fresh input at every step, the same one at every step, a stationary sequence
        with :math:`E x^{(s)} \bar x^{(t)} = \rho^{|t-s|}` for every entry, -1 < rho < 1, or
        one with the autocorrelation R(0) = 1, R(1), ... of an array, zero beyond it.
    input_vectors : {"gaussian", "real_gaussian", "sphere", "fixed"}
        One input: proper standard normal; real standard normal (for complex weights);
        uniform on the sphere ||x||^2 = n; or sqrt(n) e_1 (constant inputs). Correlated
        sequences are Gaussian.
    dtype : {"float64", "float32"}
        Precision of the weights and of their products. Random numbers are drawn in
        float64, and inputs, sums and norms stay there.
    tied : bool
        True: the same W is used at every step.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above, or they contradict one another.

    Notes
    -----
    For complex weights the law of the inputs does not matter in the mean: W and
    :math:`e^{i\theta} W` have the same law, so E (W^j)* W^k = 0 for j != k and only the
    squared norms of the inputs are left. For real weights terms with j + k even remain,
    weighed by the autocorrelation of the inputs at lag k - j: constant inputs have a larger
    energy than white ones, at leading order for depths about sqrt(n).

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> float(GaussianLRU(width=2).state_energy(3))
    5.5
    >>> float(GaussianLRU(width=2, inputs=("ar1", 0.5)).state_energy(3))
    5.5
    >>> real = [GaussianLRU(10, "real", inputs=law) for law in ("white", "constant")]
    >>> [round(float(lru.state_energy(2)), 9) for lru in real]
    [3.02, 3.22]
    """

    _: KW_ONLY
    inputs: InputLaw = "white"
    input_vectors: str = "gaussian"

    model: ClassVar[str] = "lru"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("inputs", as_input_law("inputs", self.inputs))
        self._set("input_vectors", as_choice("input_vectors", self.input_vectors, VECTORS))
        if not self.tied:
            raise ValueError("tied must be True for an LRU, got False")
        if self.field == "real" and self.input_vectors == "real_gaussian":
            raise ValueError(
                "input_vectors must be 'gaussian' for real inputs of a real LRU, "
                "got 'real_gaussian', which is for complex weights"
            )
        if self.input_vectors == "fixed" and self.inputs != "constant":
            raise ValueError(f"input_vectors 'fixed' needs inputs 'constant', got {self.inputs!r}")
        if self.input_vectors == "sphere" and self.inputs not in ("white", "constant"):
            raise ValueError(
                "input_vectors must be 'gaussian' or 'real_gaussian' for inputs "
                f"{self.inputs!r}, got 'sphere'"
            )

    @property
    def is_plain(self) -> bool:
        """Whether the inputs are fresh proper normals of the field and the weights float64."""
        return (
            self.inputs == "white" and self.input_vectors == "gaussian" and self.dtype == "float64"
        )

    def state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return E||h^(t)||^2 / n = S_{n,t}, for complex weights whatever the inputs.

        Parameters
        ----------
        depth : int or array_like of int
            Depths t >= 0.
        inputs : "white", "constant", ("ar1", rho) or array_like, optional
            Law of the inputs in time; None takes the law of the recurrence.

        Returns
        -------
        float64 or ndarray of float64
            inf where it overflows; `log_state_energy` does not.
        """
        law = self._law(inputs)
        return energy.lru_energy(self.width, _depths(depth), self.gain, self.field, law)

    def log_state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return log S_{n,t}, for complex weights whatever the inputs."""
        law = self._law(inputs)
        return energy.log_lru_energy(self.width, _depths(depth), self.gain, self.field, law)

    def _law(self, inputs: Any) -> InputLaw:
        return self.inputs if inputs is None else as_input_law("inputs", inputs)

    def initial_state(
        self, rng: np.random.Generator | None = None, batch: int | None = None
    ) -> None:
        """Return None: the first input is the first state."""
        return

    def draw_inputs(
        self,
        rng: np.random.Generator,
        batch: int,
        steps: int,
        previous: State | None = None,
    ) -> State:
        """Draw inputs with E||x||^2 = n, trajectory after trajectory.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of the normals.
        batch, steps : int >= 1
            Number of trajectories, and of steps.
        previous : ndarray, shape (batch, n), optional
            Inputs of the step before; None at the start of the trajectories.

        Returns
        -------
        ndarray of complex128 or float64, shape (batch, steps, n)
            A read-only view for constant inputs.
        """

        def draw(count: int) -> State:
            return vectors(self.input_vectors, rng, (batch, count, self.width), self.field)

        return input_sequence(self.inputs, draw, steps, previous)


def _depths(depth: Any) -> FloatArray:
    return as_integer_array("depth", depth, 0, energy.MAX_DEPTH)
