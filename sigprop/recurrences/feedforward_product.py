r"""Linear feedforward networks of any widths: the exact law of their energies.

With independent Gaussian layers, :math:`E|W_{l,ij}|^2 = 1/n_{l-1}`, layer l multiplies the
energy per unit :math:`\|h_l\|^2/n_l` by an independent :math:`\Gamma(\nu_l)/\nu_l`, where
:math:`\nu_l = n_l` for complex weights and n_l/2 for real ones. The mean is 1 at every depth;
the second moment is :math:`\prod_l (1 + 1/\nu_l)` and the mean logarithm :math:`\sum_l
(\psi(\nu_l) - \ln\nu_l)`. So the mean never moves, and the breakdown at depths proportional to
the width is one of the fluctuations; that of a recurrence, at its square root, is in the mean.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from sigprop._arguments import (
    FloatArray,
    as_choice,
    as_integer,
    as_integer_array,
    as_positive_float,
    shown,
)
from sigprop._products import matvec
from sigprop.recurrences.protocol import State, as_generator
from sigprop.recurrences.questions import nothing_enters
from sigprop.recurrences.vectors import fixed_vectors, normals
from sigprop.theory.feedforward import FeedforwardEnergy

FIELDS = ("complex", "real")


@dataclass(frozen=True)
class MixedFeedforwardEnergy(FeedforwardEnergy):
    """Law of the energy of layers of different widths; ``n`` is the smallest of them.

    Parameters
    ----------
    n, depth, field
        As for `FeedforwardEnergy`: the smallest width and the number of all layers.
    parts : tuple of FeedforwardEnergy
        The layers of every width, of which the law is the product.
    """

    parts: tuple[FeedforwardEnergy, ...] = ()

    def exact_moment(self, order: int) -> Fraction:
        r"""Return :math:`E[E^p]` exactly, p >= 0."""
        return math.prod((part.exact_moment(order) for part in self.parts), start=Fraction(1))

    def relative_variance(self) -> float:
        r"""Return :math:`\prod_l (1 + 1/\nu_l) - 1`."""
        log = math.fsum(part.depth * math.log1p(1.0 / part.shape) for part in self.parts)
        with np.errstate(over="ignore"):
            return float(np.expm1(np.float64(log)))

    def mean_log(self) -> float:
        r"""Return :math:`\sum_l (\psi(\nu_l) - \log\nu_l)`."""
        return math.fsum(part.mean_log() for part in self.parts)

    def variance_log(self) -> float:
        r"""Return :math:`\sum_l \psi'(\nu_l)`."""
        return math.fsum(part.variance_log() for part in self.parts)

    def _cumulant_function(self, z: Any) -> Any:
        return sum(part._cumulant_function(z) for part in self.parts)

    def _saddle(self, y: float) -> float:
        """Solve K'(theta) = y for theta > -shape, in the logarithm of the distance to it."""
        from scipy.optimize import brentq
        from scipy.special import digamma

        target = self._within_range(y)
        shapes = np.array([part.shape for part in self.parts])
        counts = np.array([part.depth for part in self.parts])

        def excess(u: float) -> float:
            theta = math.exp(u) - self.shape
            return float(counts @ (digamma(shapes + theta) - np.log(shapes))) - target

        low, high = math.log(1e-3), math.log(float(shapes.max())) + 12.0
        if excess(low) >= 0.0:
            return math.exp(low) - self.shape
        return math.exp(brentq(excess, low, high, rtol=1e-10)) - self.shape


@dataclass(frozen=True, eq=False)
class FeedforwardNetwork:
    """One network, or a batch of them along the leading axis of every matrix.

    Attributes
    ----------
    matrices : tuple of ndarray
        W_1, ..., W_L of shapes (..., n_l, n_{l-1}).
    """

    matrices: tuple[State, ...]

    def __len__(self) -> int:
        """Return the number of networks of a batch."""
        if self.matrices[0].ndim < 3:
            raise TypeError("a single network has no length; draw a batch")
        return len(self.matrices[0])

    def __getitem__(self, index: Any) -> FeedforwardNetwork:
        """Return one network of a batch, or some of them."""
        return FeedforwardNetwork(tuple(matrix[index] for matrix in self.matrices))

    def output(self, inputs: State) -> State:
        """Return W_L ... W_1 x."""
        for matrix in self.matrices:
            inputs = matvec(matrix, inputs)
        return inputs


@dataclass(frozen=True)
class FeedforwardProduct:
    r"""The network h_L = W_L ... W_1 x at initialisation, depth by depth.

    Parameters
    ----------
    widths : sequence of int
        n_0, n_1, ..., n_L, each >= 1: the size of the input, then of every layer.
    field : {"complex", "real"}
        Gaussian weights with :math:`E|W_{l,ij}|^2 = 1/n_{l-1}`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    Energies are per unit, :math:`\|h_l\|^2/n_l` with :math:`\|x\|^2 = n_0`. The width n_0 of
    the input does not matter to their law.

    To be simulated like a recurrence, the state is that of all layers side by side, h_l in
    block l as :math:`\sqrt{n_0/n_l}\,h_l` and zeros elsewhere; a step moves to the next block.

    References
    ----------
    arXiv 2605.05113 for the recurrence that it is compared with.

    Examples
    --------
    >>> net = FeedforwardProduct([4, 2, 8])
    >>> net.moment(2)
    Fraction(27, 16)
    >>> round(FeedforwardProduct([100] * 101).relative_variance(), 12)
    1.704813829422
    >>> round(net.mean_log(), 12) == round(net.law().mean_log(), 12)
    True
    """

    widths: tuple[int, ...]
    field: str = "complex"

    model: ClassVar[str] = "feedforward"
    average: ClassVar[str] = "annealed"
    gain: ClassVar[float] = 1.0
    tied: ClassVar[bool] = True
    gradient_parameters: ClassVar[tuple[str, ...]] = ("state",)

    def __post_init__(self) -> None:
        given: Any = self.widths
        if not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
            raise TypeError(f"widths must hold the widths n_0, n_1, ..., n_L, got {shown(given)}")
        widths = tuple(
            as_integer(f"widths[{place}]", width, 1) for place, width in enumerate(given)
        )
        if len(widths) < 2:
            raise ValueError(f"widths must hold at least n_0 and n_1, got {widths!r}")
        object.__setattr__(self, "widths", widths)
        object.__setattr__(self, "field", as_choice("field", self.field, FIELDS))

    @property
    def depth(self) -> int:
        """Number L of layers."""
        return len(self.widths) - 1

    @property
    def width(self) -> int:
        """Width n_0 of the input, to which every state is scaled."""
        return self.widths[0]

    # The law of the energy

    def law(self, depth: Any = None) -> FeedforwardEnergy:
        """Return the law of the energy at a depth, by default L.

        Parameters
        ----------
        depth : int, optional
            1 to L.

        Returns
        -------
        FeedforwardEnergy
            With moments, density, tails and quantiles of the logarithm.
        """
        layers = self.depth if depth is None else as_integer("depth", depth, 1)
        self._check_depth(layers)
        counts = Counter(self.widths[1 : layers + 1])
        parts = tuple(FeedforwardEnergy(n, counts[n], self.field) for n in sorted(counts))
        if len(parts) == 1:
            return parts[0]
        return MixedFeedforwardEnergy(parts[0].n, layers, self.field, parts)

    def moment(self, order: int, depth: Any = None) -> Fraction:
        r"""Return the exact moment :math:`E[(\|h\|^2/n)^p]` at a depth, by default L."""
        return self.law(depth).exact_moment(order)

    def relative_variance(self, depth: Any = None) -> float:
        r"""Return :math:`\prod_l (1 + 1/\nu_l) - 1` at a depth, by default L."""
        return self.law(depth).relative_variance()

    def mean_log(self, depth: Any = None) -> float:
        r"""Return the mean log energy at a depth, by default L."""
        return self.law(depth).mean_log()

    def sample_energies(
        self, rng: np.random.Generator, samples: int, depth: Any = None
    ) -> FloatArray:
        """Draw energies at a depth from their law, a product of Gamma variables, without matrices.

        Examples
        --------
        >>> net = FeedforwardProduct([10**6] * 11)
        >>> net.sample_energies(np.random.default_rng(0), 3).round(1).tolist()
        [1.0, 1.0, 1.0]
        """
        count = as_integer("samples", samples, 1)
        layers = self.depth if depth is None else as_integer("depth", depth, 0)
        self._check_depth(layers)
        logs = np.zeros(count)
        for n in self.widths[1 : layers + 1]:
            shape = float(n) if self.field == "complex" else 0.5 * n
            logs += np.log(rng.standard_gamma(shape, count) / shape)
        return np.exp(logs)

    # The questions asked of every recurrence

    @property
    def units_per_head(self) -> int:
        """Units that share a head: all of the last layer."""
        return self.widths[-1]

    @property
    def units_per_layer(self) -> int:
        """Units of the last layer."""
        return self.widths[-1]

    def state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return E||h_l||^2/n_l, which is 1 at every depth 0 to L; ``inputs`` must be None."""
        return np.ones_like(self._depths("depth", depth, inputs))[()]

    def log_state_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return 0."""
        return np.log(self.state_energy(depth, inputs))

    def head_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return E||h_l||^2 = n_l, the width of the layer at that depth.

        Examples
        --------
        >>> FeedforwardProduct([4, 2, 8]).head_energy([0, 1, 2]).tolist()
        [4.0, 2.0, 8.0]
        """
        depths = self._depths("depth", depth, inputs)
        return np.array(self.widths, dtype=np.float64)[depths.astype(np.intp)]

    def layer_energy(self, depth: Any, inputs: Any = None) -> Any:
        """Return what `head_energy` returns: a layer is one head."""
        return self.head_energy(depth, inputs)

    def impulse_energy(self, lag: Any) -> Any:
        """Return the energy of the input after some layers: 1."""
        return np.ones_like(self._depths("lag", lag, None))[()]

    def stationary_energy(self, inputs: Any = None) -> float:
        """Refuse: a network ends after L layers."""
        raise ValueError(
            f"{self._name} has no stationary energy: it ends after {self.depth} layers"
        )

    def horizon(self, kind: Any) -> float:
        """Refuse: there is one input, and it does not fade in the mean."""
        raise ValueError(f"{self._name} has no horizon {shown(kind)}: one input enters")

    def input_schedule(self, steps: Any, target: float = 1.0) -> FloatArray:
        """Refuse: there is one input, and its mean energy is constant."""
        raise ValueError(f"{self._name} has no input schedule: one input enters")

    def gradient_energy(self, parameter: str, depth: Any = None) -> Any:
        r"""Return :math:`E\|(W_l \cdots W_1)^T v\|^2/\|v\|^2 = 1`, the gradient to the input."""
        if parameter != "state":
            raise ValueError(
                f"parameter must be 'state' for FeedforwardProduct, got {shown(parameter)}"
            )
        return self.state_energy(self.depth if depth is None else depth)

    # Simulation

    @property
    def layer_size(self) -> int:
        """Entries of all matrices of one network."""
        return sum(n * m for n, m in zip(self.widths[1:], self.widths[:-1], strict=True))

    @property
    def input_width(self) -> int:
        """Number of entries of the input."""
        return self.width

    def with_gain(self, gain: float) -> Self:
        """Return the network itself for gain 1; there is no other."""
        if as_positive_float("gain", gain) != 1.0:
            raise ValueError(f"gain must be 1 for FeedforwardProduct, got {shown(gain)}")
        return self

    def with_inputs(self, inputs: Any) -> Self:
        """Refuse: nothing enters after the start."""
        raise nothing_enters(self, inputs)

    def sample(self, rng: np.random.Generator, batch: int | None = None) -> FeedforwardNetwork:
        """Draw one network, or ``batch`` independent ones, network after network.

        Examples
        --------
        >>> net = FeedforwardProduct([2, 3, 1]).sample(np.random.default_rng(0))
        >>> [matrix.shape for matrix in net.matrices]
        [(3, 2), (1, 3)]
        """
        as_generator(rng)
        if batch is not None:
            drawn = [self.sample(rng).matrices for _ in range(as_integer("batch", batch, 1))]
            return FeedforwardNetwork(tuple(np.stack(part) for part in zip(*drawn, strict=True)))
        pairs = zip(self.widths[1:], self.widths[:-1], strict=True)
        return FeedforwardNetwork(
            tuple(normals(rng, (n, m), self.field) / math.sqrt(m) for n, m in pairs)
        )

    def initial_state(
        self, rng: np.random.Generator | None = None, batch: int | None = None
    ) -> State:
        """Return the input sqrt(n_0) e_1 in its block, the other blocks zero."""
        count = () if batch is None else (as_integer("batch", batch, 1),)
        start = fixed_vectors((*count, sum(self.widths)), self.field)
        start[..., 0] = math.sqrt(self.width)
        return start

    def draw_inputs(
        self, rng: np.random.Generator, batch: int, steps: int, previous: State | None = None
    ) -> None:
        """Return None: nothing enters after the start."""
        return

    def first_state(self, weights: FeedforwardNetwork, inputs: State) -> State:
        """Return the inputs: they are the first state."""
        return inputs

    def step(self, weights: FeedforwardNetwork, state: State, inputs: State | None = None) -> State:
        """Return the state one layer on; it is zero after the last layer."""
        moved = np.zeros_like(state)
        ends = np.cumsum(self.widths)
        for layer, matrix in enumerate(weights.matrices):
            block = state[..., ends[layer] - self.widths[layer] : ends[layer]]
            if np.any(block):
                scale = math.sqrt(self.widths[layer] / self.widths[layer + 1])
                moved[..., ends[layer] : ends[layer + 1]] = scale * matvec(matrix, block)
        return moved

    @property
    def _name(self) -> str:
        return f"FeedforwardProduct of {self.depth} layers"

    def _depths(self, name: str, depth: Any, inputs: Any) -> FloatArray:
        if inputs is not None:
            raise nothing_enters(self, inputs)
        depths = as_integer_array(name, depth, 0, 2**53)
        self._check_depth(int(depths.max()), name)
        return depths

    def _check_depth(self, depth: int, name: str = "depth") -> None:
        if depth > self.depth:
            raise ValueError(
                f"{name} must be at most {self.depth}, the number of layers, got {depth}"
            )
