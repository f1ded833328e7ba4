"""Which regime a width and a depth belong to, with the numbers behind the answer."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FLOAT_WIDTH_LIMIT, FloatArray, as_integer, as_integer_array
from sigprop.regimes.boundaries import (
    Boundaries,
    as_tol,
    boundaries_of_one_width,
    boundary_columns,
    profile_error,
)
from sigprop.theory._fields import as_field
from sigprop.theory.energy import MAX_DEPTH, log_lru_energy, log_rnn_energy, lru_excess

NAMES = ("sub-critical", "critical", "crossover", "super-critical", "beyond-width")
"""The regimes in the order in which a growing depth passes them."""


@dataclass(frozen=True)
class Regime:
    """The regime of one (width, depth), with the numbers behind it (`classify`).

    Attributes
    ----------
    name : str
        One of `NAMES`.
    width, depth : int
        The point classified.
    tol : float
        Largest relative error at which a description counts as holding.
    c : float
        Depth over the square root of the width.
    log_energy : float
        Exact log S, the LRU energy per unit.
    log_rnn_energy : float
        Exact log Q, the RNN energy per unit.
    excess : float
        S/(t+1) - 1; ``inf`` on overflow.
    boundaries : Boundaries
        Where the regimes of this width change.
    holds : tuple of str
        Which of "sub-critical", "critical", "super-critical" hold within tol here;
        more than one may.
    field : str
        Entries of the weights, "complex" or "real".

    Examples
    --------
    >>> regime = classify(64, 16)
    >>> regime.name, Regime.from_dict(regime.to_dict()) == regime
    ('critical', True)
    """

    name: str
    width: int
    depth: int
    tol: float
    c: float
    log_energy: float
    log_rnn_energy: float
    excess: float
    boundaries: Boundaries
    holds: tuple[str, ...]
    field: str = "complex"

    @property
    def energy(self) -> float:
        """Exact S, the LRU energy per unit; ``inf`` on overflow."""
        return _exp(self.log_energy)

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data: what is not finite is None."""
        data = asdict(self)
        data["energy"] = _finite_or_none(self.energy)
        data["excess"] = _finite_or_none(self.excess)
        data["holds"] = list(self.holds)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Regime:
        """Rebuild a regime from `to_dict`."""
        fields = {key: value for key, value in data.items() if key != "energy"}
        fields["excess"] = math.inf if fields["excess"] is None else fields["excess"]
        fields["boundaries"] = Boundaries(**fields["boundaries"])
        fields["holds"] = tuple(fields["holds"])
        return cls(**fields)


def _exp(value: float) -> float:
    return math.exp(value) if value < 709.78 else math.inf


def _finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _regime_index(t: FloatArray, columns: tuple[FloatArray, ...]) -> npt.NDArray[np.intp]:
    """Index into `NAMES`: the first regime whose end lies beyond the depth."""
    sub_end, critical_end, super_start, beyond_start = columns[:4]
    index = np.full(t.shape, NAMES.index("beyond-width"), dtype=np.intp)
    for name, inside in (
        ("super-critical", t < beyond_start),
        ("crossover", t < super_start),
        ("critical", t <= critical_end),
        ("sub-critical", t < sub_end),
    ):
        index[inside] = NAMES.index(name)
    return index


def classify(n: int, depth: int, tol: float = 0.1, field: str = "complex") -> Regime:
    r"""Return the regime of a recurrence of width `n` at `depth`, with the numbers behind it.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    depth : int
        Depth t, 0 to 10**15.
    tol : float, optional
        Largest relative error at which a description counts as holding, >= 1e-10, and
        >= 1e-5 for real weights.
    field : {"complex", "real"}, optional
        Entries of the weights; the inputs are white.

    Returns
    -------
    Regime
        Name, c, exact log energies, excess, boundaries in depth, and which
        descriptions hold.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Monotone in depth: a scan passes each name at most once, in the order of `NAMES`.
    Where two descriptions hold the name is that of the one with the smaller depths.
    The boundaries of a width are searched once (a tenth of a second, for real weights a
    second) and kept; `regime_map` classifies whole grids.  The super-critical form must
    hold from the boundary on, not at the depth alone: it also crosses the exact value
    once, by accident, near c = 1.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> regime = classify(10000, 600)
    >>> regime.name, regime.c, regime.holds
    ('super-critical', 6.0, ('super-critical',))
    """
    width = as_integer_array("n", as_integer("n", n, 1), 1, FLOAT_WIDTH_LIMIT).reshape(1)
    t = as_integer_array("depth", as_integer("depth", depth, 0), 0, MAX_DEPTH).reshape(1)
    field = as_field(field)
    tol = as_tol(tol, field)
    depths = boundaries_of_one_width(float(width[0]), tol, field)
    columns = tuple(np.array([depth]) for depth in depths)
    sub_end, _, super_start, _ = columns[:4]
    truths = {
        "sub-critical": bool(t[0] < sub_end[0]),
        "critical": bool(abs(profile_error(width, t, field)[0]) <= tol),
        "super-critical": bool(t[0] >= super_start[0]),
    }
    return Regime(
        name=NAMES[int(_regime_index(t, columns)[0])],
        width=int(width[0]),
        depth=int(t[0]),
        tol=tol,
        c=float(t[0] / math.sqrt(width[0])),
        log_energy=float(log_lru_energy(width, t, field=field)[0]),
        log_rnn_energy=float(log_rnn_energy(width, t, field=field)[0]),
        excess=float(lru_excess(width, t, field=field)[0]),
        boundaries=Boundaries(*(int(column[0]) for column in columns)),
        holds=tuple(name for name, true in truths.items() if true),
        field=field,
    )


def regime_map(
    widths: Any, depths: Any, tol: float = 0.1, field: str = "complex"
) -> npt.NDArray[np.intp]:
    """Return the regime of every pair of a width and a depth, as indices into `NAMES`.

    Parameters
    ----------
    widths : array_like of int
        Widths, 1 to 2**53.
    depths : array_like of int
        Depths, 0 to 10**15.
    tol : float, optional
        Largest relative error at which a description counts as holding, >= 1e-10, and
        >= 1e-5 for real weights.
    field : {"complex", "real"}, optional
        Entries of the weights; the inputs are white.

    Returns
    -------
    ndarray of int
        Shape of `widths` followed by the shape of `depths`.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    The boundaries are searched once per width, so a fine grid of depths costs nothing.

    Examples
    --------
    >>> [NAMES[i] for i in regime_map(10000, [100, 300, 500, 600, 20000])]
    ['sub-critical', 'critical', 'crossover', 'super-critical', 'beyond-width']
    """
    n = as_integer_array("widths", widths, 1, FLOAT_WIDTH_LIMIT)
    t = as_integer_array("depths", depths, 0, MAX_DEPTH)
    field = as_field(field)
    columns = boundary_columns(n.ravel(), as_tol(tol, field), field)
    grid = np.broadcast_to(t.ravel(), (n.size, t.size))
    index = _regime_index(grid, tuple(column[:, None] for column in columns))
    return index.reshape(n.shape + t.shape)
