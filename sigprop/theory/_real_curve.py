r"""The real RNN energy of one width at many depths, by interpolation in the depth.

At each parity the energy is an analytic function of the depth (`_real_rnn`).  The first 256
depths are taken one by one.  Beyond, depths are cut into panels, and on each, for each parity,
a smooth function is interpolated between Chebyshev points:

- while log Q is below one, :math:`(Q - 1)/k^4`, on octaves or panels of :math:`0.7\sqrt n`;
- then :math:`Q (2m + 1)/a_m`, on panels of :math:`0.7\sqrt n`; where the share of the complex
  energy in it has fallen below e^-42 it varies on the scale of k alone, and panels are k/8.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory._real_products import Smooth
from sigprop.theory._real_rnn import HEAD, rnn_energies, smooth_energies
from sigprop.theory._rnn_kernel import Energies
from sigprop.theory._rnn_kernel import rnn_energies as complex_energies

_NODES = 18
_PROFILE_PANEL = 0.7  # in units of sqrt(n)
_NEGLIGIBLE_SHARE = -42.0
_BLOCK = 2.0**19  # depths per pass, an even number


def _log_dominant(n: float, k: FloatArray) -> FloatArray:
    """Return log(a_m / (2m + 1)), m = k + 1: the real energy at great depth."""
    return Smooth().log_a(np.full_like(k, n), k + 1.0) - np.log(2.0 * k + 3.0)


class _Panel(NamedTuple):
    """Chebyshev coefficients of one parity between the depths first and last."""

    first: float
    last: float
    shallow: bool
    coefficients: FloatArray

    def energies(self, n: float, depths: FloatArray) -> Energies:
        half = 0.5 * max(self.last - self.first, 1.0)
        smooth = np.polynomial.chebyshev.chebval(
            (depths - self.first) / half - 1.0, self.coefficients
        )
        with np.errstate(over="ignore"):
            if self.shallow:
                excess = smooth * (depths * depths) ** 2
                log_energy = np.log1p(excess)
            else:
                log_energy = np.log(smooth) + _log_dominant(n, depths)
                excess = np.expm1(log_energy)
        return Energies(1.0 + excess, log_energy, excess)


class Interpolant:
    """Energies of one width at depths from 256 on; panels are made as they are asked for."""

    def __init__(self, n: float) -> None:
        self._n = n
        self._starts = [float(HEAD)]
        self._panels: dict[tuple[int, bool], _Panel] = {}
        self._lock = threading.Lock()

    def _panel_width(self, start: float) -> float:
        k = np.array([start])
        share = complex_energies(np.array([self._n]), k).log_energy - _log_dominant(self._n, k)
        if share[0] < _NEGLIGIBLE_SHARE:
            return start / 8.0
        return float(min(start, _PROFILE_PANEL * np.sqrt(self._n)))

    def panel_starts(self, last: float) -> FloatArray:
        """Return the first depths of all panels up to the one that holds ``last``."""
        with self._lock:
            while self._starts[-1] <= last:
                start = self._starts[-1]
                self._starts.append(start + float(np.ceil(self._panel_width(start))) + 1.0)
            starts = np.array(self._starts)
        return starts[: int(np.searchsorted(starts, last, side="right")) + 1]

    def _make(self, wanted: list[int], starts: FloatArray, odd: bool) -> None:
        nodes = np.polynomial.chebyshev.chebpts1(_NODES)
        first, last = starts[wanted], starts[np.array(wanted) + 1] - 1.0
        depths = first[:, None] + 0.5 * (last - first)[:, None] * (nodes + 1.0)
        flat = depths.ravel()
        energies = smooth_energies(np.full_like(flat, self._n), flat, odd)
        logs = energies.log_energy.reshape(depths.shape)
        powers = (energies.excess / flat**4).reshape(depths.shape)
        shallow = logs.max(axis=1) < 1.0
        ratios = np.exp(logs - _log_dominant(self._n, flat).reshape(depths.shape))
        values = np.where(shallow[:, None], powers, ratios)
        coefficients = np.polynomial.chebyshev.chebfit(nodes, values.T, _NODES - 1).T
        for i, index in enumerate(wanted):
            panel = _Panel(float(first[i]), float(last[i]), bool(shallow[i]), coefficients[i])
            self._panels[index, odd] = panel

    def energies(self, depths: FloatArray, odd: bool) -> Energies:
        """Return the energies at real depths >= 256, continued from odd or from even depths."""
        result = Energies(*(np.empty_like(depths) for _ in range(3)))
        starts = self.panel_starts(float(depths.max()))
        place = np.searchsorted(starts, depths, side="right") - 1
        used = [int(index) for index in np.unique(place)]
        missing = [index for index in used if (index, odd) not in self._panels]
        if missing:
            self._make(missing, starts, odd)
        for index in used:
            here = np.flatnonzero(place == index)
            values = self._panels[index, odd].energies(self._n, depths[here])
            for target, column in zip(result, values, strict=True):
                target[here] = column
        return result

    def fill(self, result: Energies, last: int, odd: bool) -> None:
        """Write the energies at all depths of one parity from 256 to last in their places."""
        starts = self.panel_starts(float(last))
        self._make(list(range(starts.size - 1)), starts, odd)
        for index, start in enumerate(starts[:-1]):
            stop = min(starts[index + 1], last + 1.0)
            first = start + ((start % 2.0) != odd)
            for low in np.arange(first, stop, _BLOCK):
                high = min(low + _BLOCK, stop)
                values = self._panels[index, odd].energies(self._n, np.arange(low, high, 2.0))
                for column, part in zip(result, values, strict=True):
                    column[int(low) : int(high) : 2] = part


def curve(n: float, last: int) -> Energies:
    """Return Q, log Q and Q - 1 at depths 0, ..., last."""
    result = Energies(*(np.empty(last + 1) for _ in range(3)))
    depths = np.arange(float(min(last + 1, HEAD)))
    for target, values in zip(result, rnn_energies(np.full_like(depths, n), depths), strict=True):
        target[: depths.size] = values
    if last >= HEAD:
        interpolant = Interpolant(n)
        for odd in (False, True):
            interpolant.fill(result, last, odd)
    return result
