"""What a random matrix of the same gain would do: mean energy, and the band of single draws."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from sigprop.theory.energy import log_rnn_energy

BAND = (0.05, 0.95)
"""Quantiles that make the band: nine draws in ten lie inside."""


class Prediction(NamedTuple):
    """Logarithms of the mean energy and of the two ends of the band, one for each depth.

    ``error`` is how far an end of the band may be off. All are None for a zero matrix.
    """

    mean: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    error: tuple[float | None, ...]


def predict(n: int, depths: Sequence[int], field: str, log_gain_squared: float) -> Prediction:
    r"""Return the prediction for a matrix of independent Gaussian entries of that gain.

    Parameters
    ----------
    n : int
        Width.
    depths : sequence of int
        Depths k >= 0.
    field : {"complex", "real"}
        Field of the entries.
    log_gain_squared : float
        :math:`\log g^2` with :math:`E|W_{ij}|^2 = g^2/n`.

    Returns
    -------
    Prediction
        :math:`\log(g^{2k} Q_{n,k})`, exact, and the 5 % and 95 % quantiles of
        :math:`\log(\|W^k x\|^2/n)` over W and x, with the error that
        `sigprop.typical.energy_quantiles` states.

    Notes
    -----
    A measured profile is an average over x and fluctuates less than the energy of one x, most
    so at depths below sqrt(n): there the band is wider than nine draws in ten need.

    The band takes up to 2 s for a depth, and some seconds at widths 30 to 50, where it is
    simulated with a fixed seed; it is kept for the next call.

    Examples
    --------
    >>> round(predict(100, [10], "complex", 0.0).mean[0], 6)
    0.048695
    """
    if log_gain_squared == -math.inf:
        nothing = (None,) * len(depths)
        return Prediction(nothing, nothing, nothing, nothing)
    bands = [_unit_band(n, k, field) for k in depths]
    gains = [k * log_gain_squared for k in depths]
    return Prediction(
        mean=_sums(_unit_means(n, tuple(depths), field), gains),
        low=_sums([band.low for band in bands], gains),
        high=_sums([band.high for band in bands], gains),
        error=tuple(band.error for band in bands),
    )


class _Band(NamedTuple):
    low: float
    high: float
    error: float


@functools.lru_cache(maxsize=64)
def _unit_means(n: int, depths: tuple[int, ...], field: str) -> tuple[float, ...]:
    """Return logs of the mean energies at gain 1, kept for the members of a stack."""
    return tuple(log_rnn_energy(n, depths, field=field).tolist())


@functools.lru_cache(maxsize=4096)
def _unit_band(n: int, k: int, field: str) -> _Band:
    """Return logs of the quantiles `BAND` of the energy of one draw at gain 1."""
    from sigprop.typical import energy_quantiles

    found = energy_quantiles(n, k, BAND, field=field)
    low, high = found.values
    return _Band(low, high, max(found.errors))


def _sums(values: Sequence[float], shifts: Sequence[float]) -> tuple[float, ...]:
    return tuple(value + shift for value, shift in zip(values, shifts, strict=True))
