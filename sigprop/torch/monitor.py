r"""State energies of a running recurrence: :math:`\overline{|h_{t,i}|^2}` at every step t."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from sigprop._arguments import FloatArray, as_integer, as_integer_list, shown
from sigprop.initialization.gains import depth_ladder
from sigprop.torch.prediction import PredictedEnergies, predict_energies
from sigprop.torch.tensors import COMPLEX, REAL, as_tensor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STEPS_AT_ONCE = 256


class EnergyMonitor:
    r"""Record of the energies of states, mean squares per unit, step by step.

    Attach it to a module, or hand it the states with `record`. It accumulates until thrown away:
    the energy of a step is the mean over all sequences that reached it.

    Parameters
    ----------
    module : torch.nn.Module, optional
        What to attach to at once.

    Notes
    -----
    What is read of a module: of ``nn.RNN``, ``nn.GRU`` and ``nn.LSTM`` the output sequence, so
    the hidden states of the last layer (not the cell of an LSTM), forward direction, padded or
    packed, ``batch_first`` or not, every call a batch of whole sequences; of any other module the
    output of a call as the states of one step: `restart` begins the next sequence. Of a tuple,
    a named one, a list or a mapping it is the first tensor in it. An output without a tensor
    ends the call in a TypeError, and so do states of another width in a ValueError.

    Squares and sums are taken in float64. States that are infinite, or beyond 1e154, give the
    energy inf, states with a nan give nan.

    Energies are of one draw of the weights: averages over a batch do not average over W.

    Examples
    --------
    >>> rnn = nn.RNN(8, 64, batch_first=True)
    >>> with EnergyMonitor(rnn) as monitor:
    ...     _ = rnn(torch.randn(4, 100, 8))
    >>> monitor.energies().shape, monitor.counts()[0], monitor.width
    ((100,), np.int64(4), 64)
    """

    def __init__(self, module: nn.Module | None = None) -> None:
        self._width: int | None = None
        self._totals: list[float] = []
        self._counts: list[int] = []
        self._step = 0
        self._module: nn.Module | None = None
        self._handle: Any = None
        if module is not None:
            self.attach(module)

    # Recording

    def attach(self, module: nn.Module) -> EnergyMonitor:
        """Record every forward call of a module from now on; return the monitor itself."""
        if not isinstance(module, nn.Module):
            raise TypeError(
                f"module must be a torch.nn.Module, got {shown(module)} of type "
                f"{type(module).__name__}"
            )
        if self._handle is not None:
            raise ValueError(f"module: the monitor is attached to {self._name()}; detach it first")
        self._module = module
        self._handle = module.register_forward_hook(self._hook)
        self.restart()
        return self

    def detach(self) -> None:
        """Stop recording the module; what was recorded stays."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def __enter__(self) -> EnergyMonitor:
        """Return the monitor itself, attached again if it was detached from a module."""
        if self._handle is None and self._module is not None:
            self.attach(self._module)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Detach it."""
        self.detach()

    def record(self, h: Tensor) -> None:
        """Record the states after the next step of a recurrence.

        Parameters
        ----------
        h : Tensor, real or complex, shape (..., n)
            States; the axes before the last one are a batch.

        Examples
        --------
        >>> monitor, h = EnergyMonitor(), torch.ones(2, 16)
        >>> for _ in range(3):
        ...     h = 0.5 * h
        ...     monitor.record(h)
        >>> monitor.energies().tolist()
        [0.25, 0.0625, 0.015625]
        """
        squares = _mean_squares(self._checked("h", h))
        self._add(self._step, [float(squares.sum())], [squares.numel()])
        self._step += 1

    def restart(self) -> None:
        """Let the next state recorded be the first of new sequences."""
        self._step = 0

    def record_sequence(self, states: Tensor | PackedSequence, batch_first: bool = False) -> None:
        """Record the states of whole sequences.

        Parameters
        ----------
        states : Tensor of shape (T, n), (T, B, n) or (B, T, n), or PackedSequence
            States after steps 1 to T.
        batch_first : bool, optional
            Whether the shape is (B, T, n).
        """
        if isinstance(states, PackedSequence):
            sizes = states.batch_sizes.tolist()
            squares = _mean_squares(self._checked("states", states.data))
            totals = [float(part.sum()) for part in torch.split(squares, sizes)]
            return self._add(0, totals, sizes)
        tensor = as_tensor("states", states, REAL + COMPLEX)
        if tensor.ndim not in (2, 3):
            raise ValueError(
                "states must have shape (T, n), (T, B, n) or, batch first, (B, T, n), "
                f"got shape {tuple(tensor.shape)}"
            )
        if tensor.ndim == 2:
            tensor = tensor.unsqueeze(1)
        elif batch_first:
            tensor = tensor.transpose(0, 1)
        totals = []
        for part in torch.split(self._checked("states", tensor), _STEPS_AT_ONCE):
            totals += _mean_squares(part).sum(dim=1).tolist()
        return self._add(0, totals, [tensor.shape[1]] * len(totals))

    def _hook(self, module: nn.Module, inputs: Any, output: Any) -> None:
        states = _first_states(output)
        if states is None:
            raise TypeError(
                f"module {type(module).__name__} must return states in a tensor for a monitor, got "
                f"a {type(output).__name__}: detach the monitor, and hand it the states by record"
            )
        if not isinstance(module, nn.RNNBase):
            return self.record(states)
        size = module.proj_size or module.hidden_size
        if isinstance(states, PackedSequence):
            return self.record_sequence(states._replace(data=states.data[..., :size]))
        return self.record_sequence(states[..., :size], module.batch_first)

    def _checked(self, name: str, states: Any) -> Tensor:
        """Return states of the width that all others had."""
        tensor = as_tensor(name, states, REAL + COMPLEX)
        if tensor.ndim == 0 or tensor.shape[-1] == 0:
            raise ValueError(f"{name} must have shape (..., n), got shape {tuple(tensor.shape)}")
        if self._width is None:
            self._width = int(tensor.shape[-1])
        if tensor.shape[-1] != self._width:
            raise ValueError(
                f"{name} must have the width {self._width} of the states before, "
                f"got shape {tuple(tensor.shape)}"
            )
        return tensor

    def _add(self, first: int, totals: Sequence[float], counts: Sequence[int]) -> None:
        """Add the sums of energies of some sequences to the steps from a first one on."""
        missing = first + len(totals) - len(self._totals)
        self._totals += [0.0] * missing
        self._counts += [0] * missing
        for step, (total, count) in enumerate(zip(totals, counts, strict=True), start=first):
            self._totals[step] += total
            self._counts[step] += count

    # Results

    @property
    def width(self) -> int | None:
        """Width n of the states; None before the first."""
        return self._width

    def __len__(self) -> int:
        """Return the number of steps of the longest sequence."""
        return len(self._totals)

    def counts(self) -> npt.NDArray[np.int64]:
        """Return the number of sequences that reached each step, shape (T,)."""
        return np.array(self._counts, dtype=np.int64)

    def energies(self) -> FloatArray:
        """Return the mean energy per unit of the states after steps 1 to T, shape (T,).

        Returns
        -------
        ndarray of float64
            Means over all sequences that reached the step: inf or nan as soon as one of their
            states is.
        """
        totals, counts = np.array(self._totals, dtype=np.float64), self.counts()
        means = np.full(totals.shape, np.nan)
        np.divide(totals, counts, out=means, where=counts > 0)
        return means

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data.

        ``energy`` and ``total`` (of which it is the mean over ``count`` sequences) are None where
        they are not finite; ``infinite`` and ``not_a_number`` list those steps, from 1.
        """
        totals = np.array(self._totals, dtype=np.float64)
        return {
            "width": self._width,
            "count": list(self._counts),
            "energy": _finite_or_none(self.energies()),
            "total": _finite_or_none(totals),
            "infinite": (1 + np.flatnonzero(np.isinf(totals))).tolist(),
            "not_a_number": (1 + np.flatnonzero(np.isnan(totals))).tolist(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EnergyMonitor:
        """Return the monitor whose `to_dict` is given, attached to nothing; it goes on recording.

        Raises
        ------
        ValueError
            If the data contradict themselves.
        """
        monitor = cls()
        counts = [as_integer("count", count, 0) for count in data["count"]]
        special = dict.fromkeys(data["infinite"], math.inf)
        special |= dict.fromkeys(data["not_a_number"], math.nan)
        for step, total in enumerate(data["total"], start=1):
            if (total is None) != (step in special):
                raise ValueError(f"total of step {step} must be a number, or listed as infinite")
            monitor._totals.append(special[step] if total is None else float(total))
        if len(counts) != len(monitor._totals):
            raise ValueError(
                f"count and total must have one length, got {len(counts)} and "
                f"{len(monitor._totals)}"
            )
        monitor._counts = counts
        monitor._width = None if data["width"] is None else as_integer("width", data["width"], 1)
        return monitor

    # Theory

    def predicted(
        self,
        weights: Any = None,
        *,
        model: str = "rnn",
        field: str | None = None,
        entering: float = 1.0,
        steps: Sequence[int] | None = None,
    ) -> PredictedEnergies:
        """Return what a linear Gaussian recurrence of the same gain would do.

        Parameters
        ----------
        weights : Tensor of shape (n, n), or float, optional
            Recurrent weights, whose gain is measured, or the gain itself. If None, those of the
            last layer of the ``nn.RNN``, or of the ``nn.Linear`` or ``nn.RNNCell``, attached
            last. Gates have no single gain: for ``nn.GRU`` and ``nn.LSTM`` it must be given.
        model : {"rnn", "lru"}, optional
            "rnn": an initial state and no inputs; "lru": initial state 0 and an independent
            white input at each step.
        field : {"real", "complex"}, optional
            Field of the weights; that of the tensor if None, "real" for a gain.
        entering : float, optional
            Energy per unit of the initial state, or of the input of every step as it arrives
            at the state.
        steps : sequence of int, optional
            Steps from 1; from 1 to the last one recorded, each twice the one before, if None.

        Returns
        -------
        PredictedEnergies

        Raises
        ------
        TypeError, ValueError
            If nothing was recorded, no gain is known, or an argument is out of its domain.

        Notes
        -----
        Units that saturate and gates are not in it. The band is found step by step: up to
        seconds each for real weights of width 1000.
        """
        if self._width is None or not self._totals:
            raise ValueError("weights: nothing to compare with, no state was recorded")
        given = self._own_weights() if weights is None else weights
        taken = depth_ladder(len(self)) if steps is None else as_integer_list("steps", steps, 1)
        return predict_energies(
            self._width, given, taken, model=model, field=field, entering=entering
        )

    def plot(self, ax: Axes, *predictions: PredictedEnergies, label: str = "measured") -> Axes:
        """Draw the recorded energies, and predictions, on logarithmic scales; return the axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes
            Where to draw.
        *predictions : PredictedEnergies
            Answers of `predicted`; the first has the colour of the measured curve.
        label : str, optional
            Text of the legend.
        """
        from sigprop.plots import energies_over_time

        bands = [prediction.band() for prediction in predictions]
        return energies_over_time(ax, {label: self.energies()}, bands)

    def _own_weights(self) -> Tensor:
        module = self._module
        if isinstance(module, nn.RNN):
            weights: Tensor = getattr(module, f"weight_hh_l{module.num_layers - 1}")
            return weights
        if isinstance(module, nn.RNNCell):
            return module.weight_hh
        if isinstance(module, nn.Linear):
            return module.weight
        raise ValueError(
            "weights must be given, a square tensor or a gain: "
            f"{self._name()} has no single recurrent matrix"
        )

    def _name(self) -> str:
        return "the monitor" if self._module is None else type(self._module).__name__


def _first_states(output: Any) -> Any:
    """Return the first tensor, or packed sequence, of whatever a module returns; None without."""
    if isinstance(output, (Tensor, PackedSequence)):
        return output
    if isinstance(output, Mapping):
        parts: Iterable[Any] = output.values()
    elif isinstance(output, (tuple, list)):
        parts = output
    else:
        return None
    return next((found for found in map(_first_states, parts) if found is not None), None)


def _mean_squares(states: Tensor) -> Tensor:
    """Return the means of |h|^2 over the last axis, in float64."""
    with torch.no_grad():
        if states.is_complex():
            wide = torch.view_as_real(states.detach().resolve_conj()).cpu().double()
            return wide.square().sum(dim=-1).mean(dim=-1)
        return states.detach().cpu().double().square().mean(dim=-1)


def _finite_or_none(values: FloatArray) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]
