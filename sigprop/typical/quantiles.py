r"""What one network does: quantiles of the energy of one draw of the weights.

The mean energy :math:`Q_{n,k}` belongs to an ensemble; beyond c = k/sqrt(n) of about 2 it is
carried by rare draws, and the energy of a typical draw is far below it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sigprop._arguments import (
    FLOAT_WIDTH_LIMIT,
    FloatArray,
    as_choice,
    as_integer,
    as_positive_float,
    shown,
)
from sigprop.theory.energy import MAX_DEPTH
from sigprop.typical.dispatch import HIGHEST, LOWEST, METHODS, unit_gain_quantiles
from sigprop.typical.radius import FIELDS, as_levels

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Levels that are answered when none are asked for."""


@dataclass(frozen=True)
class EnergyQuantiles:
    r"""Quantiles of :math:`\log E_k`, :math:`E_k = \|W^k x\|^2/n`, over draws of W.

    Attributes
    ----------
    n, k : int
        Width and depth.
    field : str
        "complex" or "real".
    gain : float
        Factor on the weights.
    q : tuple of float
        Levels.
    values : tuple of float
        Quantiles of log E_k (not of E_k), one per level.
    errors : tuple of float
        Stated error of each value: the value is off by no more, as far as was tested.
        ``inf`` where nothing is known.
    method : str
        "exact", "log-normal", "blend", "overlap-sum law", "spectral radius" or "simulation".

    Examples
    --------
    >>> found = energy_quantiles(64, 8, (0.25, 0.75))
    >>> EnergyQuantiles.from_dict(found.to_dict()) == found
    True
    """

    n: int
    k: int
    field: str
    gain: float
    q: tuple[float, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]
    method: str

    @property
    def energies(self) -> tuple[float, ...]:
        """Quantiles of E_k itself; ``inf`` where they exceed the float range."""
        with np.errstate(over="ignore", under="ignore"):
            return tuple(np.exp(self.values).tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data: None for what is not finite."""
        record = asdict(self)
        for name in ("q", "values", "errors"):
            record[name] = [item if math.isfinite(item) else None for item in record[name]]
        return record

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> EnergyQuantiles:
        """Return the quantiles of a record made by `to_dict`."""
        errors = tuple(math.inf if item is None else item for item in record["errors"])
        rest = {name: tuple(record[name]) for name in ("q", "values")}
        return cls(**{**record, **rest, "errors": errors})


def energy_quantiles(
    n: Any,
    k: Any,
    q: float | Sequence[float] | FloatArray = LEVELS,
    *,
    field: str = "complex",
    gain: Any = 1.0,
    method: str = "auto",
    samples: Any = None,
) -> EnergyQuantiles:
    r"""Return quantiles of :math:`\log E_k`, :math:`E_k = \|W^k x\|^2/n`, for one draw of W.

    Parameters
    ----------
    n : int
        Width, 1 to 10**9 (to 2**53 where k <= sqrt(n)).
    k : int
        Depth, 0 to 10**15.
    q : array_like of float, optional
        Levels from .005 to .995; one level or a one-dimensional collection.
    field : {"complex", "real"}, optional
        Gaussian weights with :math:`E|W_{ij}|^2 = \mathrm{gain}^2/n`; :math:`\|x\|^2 = n`.
    gain : float, optional
        Factor on the weights, > 0: moves every quantile by 2 k log(gain).
    method : {"auto", "log-normal", "overlap-sum law", "simulation"}, optional
        "auto" takes what was tested at this width and depth, see Notes.
    samples : int, optional
        Number of draws, with ``method="simulation"`` only; by default what some seconds
        allow, 512 to 8192.

    Returns
    -------
    EnergyQuantiles
        With ``.values`` (quantiles of log E_k), ``.energies``, ``.errors`` and ``.method``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or out of its range.

    Notes
    -----
    "auto" is exact at k <= 1 and n = 1; it simulates at n < 50, with a fixed seed; else, with
    c = k/sqrt(n), it is log-normal to c = 1, the overlap-sum law from c = 1.3 to 40 (real
    weights: 20), linear in between; deeper, log E grows at the exact quantiles of the
    spectral radius.

    Errors at n = 50 to 4096 are the largest ones seen against simulated draws: about .03 up
    to c = 1 (real weights: .06 at the 95% level), .1 up to c = 5 and .15 (.26 at the 95% level)
    up to c = 12, where log E itself spreads by 3 to 7; beyond the levels .05 and .95 as the cube
    of the normal quantile. Deeper they grow by .06/sqrt(n) per step. Twice as much is stated
    for the law at n > 4096.
    Simulated quantiles state 99% intervals of order statistics. An approximate law that is
    asked for at n < 50, or beyond its depths, states ``inf``.

    Cost: .01 to .3 s for complex weights, and .1 to 6 s for real ones whatever the width; at
    depths where the radius takes over, one of its quantiles more per level, which
    all depths share; simulations some seconds, once per width and depth of the anchor.

    Examples
    --------
    >>> law = energy_quantiles(1024, 96, [0.05, 0.5, 0.95])
    >>> law.method, [round(value, 2) for value in law.values]
    ('overlap-sum law', [-0.04, 1.3, 3.34])
    >>> [round(error, 2) for error in law.errors]
    [0.08, 0.03, 0.05]
    >>> from sigprop import log_rnn_energy
    >>> round(float(log_rnn_energy(1024, 96)), 2)  # the mean is not what one draw does
    2.27
    """
    n = as_integer("n", n, 1)
    k = as_integer("k", k, 0)
    as_choice("field", field, FIELDS)
    as_choice("method", method, METHODS)
    check_range(n, k)
    factor = as_positive_float("gain", gain)
    levels = _one_dimensional(q)
    if samples is not None:
        samples = as_integer("samples", samples, 1)
        if method != "simulation":
            raise ValueError(f"samples must be None unless method is 'simulation', got {samples}")
    answer = unit_gain_quantiles(n, k, field, levels, method, samples)
    values = answer.values + 2.0 * k * math.log(factor)
    return EnergyQuantiles(
        n=n,
        k=k,
        field=field,
        gain=factor,
        q=tuple(levels.tolist()),
        values=tuple(values.tolist()),
        errors=tuple(answer.errors.tolist()),
        method=answer.method,
    )


def check_range(n: int, k: int) -> None:
    """Refuse widths and depths beyond those of the float64 energies."""
    if n > FLOAT_WIDTH_LIMIT:
        raise ValueError(f"n must be an integer from 1 to {FLOAT_WIDTH_LIMIT}, got {shown(n)}")
    if k > MAX_DEPTH:
        raise ValueError(f"k must be an integer from 0 to {MAX_DEPTH}, got {shown(k)}")


def _one_dimensional(q: Any) -> FloatArray:
    levels = as_levels(q, LOWEST, HIGHEST)
    if levels.ndim > 1:
        raise ValueError(f"q must be one level or a one-dimensional collection, got {shown(q)}")
    return np.atleast_1d(levels)
