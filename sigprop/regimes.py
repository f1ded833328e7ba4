r"""Which regime does (n, t) belong to, with the numbers behind each boundary.

Three descriptions of the LRU energy :math:`S_{n,t}` compete, and each is used where its
relative error is within a tolerance:

- sub-critical, infinite width: :math:`S \approx t + 1`;
- critical profile: :math:`S \approx \sqrt n\, I((t+1)/\sqrt n)`;
- super-critical: :math:`S \approx Q_{n,t}\,(1+y)/y` with :math:`y = (t+1)/n`.

The excess S/(t+1) - 1 and the error of the profile grow with depth, and the error of the
super-critical form has a single minimum and then rises to zero, so every boundary is
found exactly by bisection on float64 energies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import (
    FLOAT_WIDTH_LIMIT,
    FloatArray,
    as_choice,
    as_integer,
    as_integer_array,
    as_positive_float,
)
from sigprop.theory._lru_kernel import ratio_to_last_term
from sigprop.theory.asymptotics import log_critical_integral, log_critical_profile
from sigprop.theory.energy import (
    MAX_DEPTH,
    log_lru_energy,
    log_rnn_energy,
    lru_excess,
    rnn_excess,
)

NAMES = ("sub-critical", "critical", "crossover", "super-critical", "beyond-width")
"""The regimes in the order in which a growing depth passes them."""

MIN_TOL = 1e-10
"""Smallest tolerance of a classification: the errors it compares are float64 numbers."""

_Predicate = Callable[[FloatArray, FloatArray], npt.NDArray[np.bool_]]


@dataclass(frozen=True)
class Boundaries:
    """Depths at which the regimes of one width change (`regime_boundaries`).

    Attributes
    ----------
    sub_critical_end : int
        First depth that is no longer sub-critical: the breakdown depth.
    critical_end : int
        Last depth up to which the critical profile holds; below ``sub_critical_end``
        if it never holds beyond the sub-critical regime.
    super_critical_start : int
        First depth from which on the super-critical form holds.
    beyond_width_start : int
        ``max(n - 1, super_critical_start)``: from here on the rate is that of depths
        comparable to the width.
    """

    sub_critical_end: int
    critical_end: int
    super_critical_start: int
    beyond_width_start: int


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


def _true_at(
    predicate: _Predicate, n: FloatArray, t: FloatArray, where: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Evaluate the predicate where asked; false elsewhere."""
    result = np.zeros_like(where)
    if np.any(where):
        result[where] = predicate(n[where], t[where])
    return result


def _first_true(
    predicate: _Predicate, n: FloatArray, low: FloatArray, guess: FloatArray
) -> FloatArray:
    """Return the first depth above ``low`` at which a monotone predicate is true, per width.

    The predicate is taken to be false at ``low``.  The answer is bracketed by steps that
    double away from ``guess``, then bisected, so a good guess saves most of the work.
    """
    high = np.minimum(np.maximum(np.rint(guess), low + 1.0), float(MAX_DEPTH))
    low, step = low.copy(), np.maximum(1.0, np.floor(high / 256.0))
    above = ~predicate(n, high)
    low[above] = high[above]
    moving = np.ones_like(above)
    while np.any(moving):
        target = np.where(above, high + step, np.maximum(high - step, low))
        if np.any(moving & (target > MAX_DEPTH)):
            raise ValueError(f"no depth up to {MAX_DEPTH} passes this tol at this width")
        moving &= above | (target > low)
        passed = _true_at(predicate, n, target, moving)
        low = np.where(moving & ~passed, target, low)
        high = np.where(moving & (passed | above), target, high)
        moving &= passed != above
        step = 2.0 * step
    while np.any(high - low > 1.0):
        open_ended = high - low > 1.0
        middle = np.floor(0.5 * (low + high))
        passed = _true_at(predicate, n, middle, open_ended)
        high = np.where(open_ended & passed, middle, high)
        low = np.where(open_ended & ~passed, middle, low)
    return high


def _profile_error(n: FloatArray, t: FloatArray) -> FloatArray:
    """Return sqrt(n) I((t+1)/sqrt(n)) / S - 1."""
    profile = 0.5 * np.log(n) + log_critical_integral((t + 1.0) / np.sqrt(n))
    with np.errstate(over="ignore"):
        error: FloatArray = np.expm1(profile - log_lru_energy(n, t))
    return error


def _super_critical_error(n: FloatArray, t: FloatArray) -> FloatArray:
    """Return Q (1+y)/y / S - 1, y = (t+1)/n."""
    return (1.0 + n / (t + 1.0)) / ratio_to_last_term(n, t) - 1.0


def _worst_super_critical_depth(n: FloatArray, tol: float) -> FloatArray:
    """Return a depth where the error is below -tol, or else the depth of its minimum.

    The minimum is at c = 2.18 for large n, with value -0.61; at n = 1 it is -1/3.
    """
    depth = np.ceil(2.18 * np.sqrt(n))
    shallow = _super_critical_error(n, depth) >= -tol
    if np.any(shallow):
        depth[shallow] = _minimum_of_super_critical_error(n[shallow])
    return depth


def _minimum_of_super_critical_error(n: FloatArray) -> FloatArray:
    """Ternary search over depths from 0 to c = 4."""
    low, high = np.zeros_like(n), np.ceil(4.0 * np.sqrt(n)) + 4.0
    while np.any(high - low > 2.0):
        third = np.maximum(np.floor((high - low) / 3.0), 1.0)
        wide = high - low > 2.0
        left, right = low + third, high - third
        rising = _super_critical_error(n, left) < _super_critical_error(n, right)
        high = np.where(wide & rising, right, high)
        low = np.where(wide & ~rising, left, low)
    errors = np.stack([_super_critical_error(n, low + step) for step in (0.0, 1.0, 2.0)])
    best: FloatArray = low + np.argmin(errors, axis=0)
    return best


def _super_critical_start(n: FloatArray, tol: float) -> FloatArray:
    worst = _worst_super_critical_depth(n, tol)
    fails = _super_critical_error(n, worst) < -tol
    start = np.empty_like(n)
    if np.any(fails):
        start[fails] = _first_true(
            lambda widths, t: _super_critical_error(widths, t) >= -tol,
            n[fails],
            worst[fails],
            np.sqrt(3.0 * n[fails] / tol),
        )
    if not np.all(fails):
        # The form is within tol at its worst: it holds once it has come down from above.
        early = ~fails
        start[early] = _first_true(
            lambda widths, t: _super_critical_error(widths, t) <= tol,
            n[early],
            np.full(int(np.count_nonzero(early)), -1.0),
            worst[early],
        )
    return start


def _critical_passage(tol: float, quantity: str) -> float:
    """Return the c at which the limit profile passes 1 + tol: I(c)/c or F(c)."""
    c = np.geomspace(1e-4, 40.0, 4000)
    if quantity == "lru":
        log_ratio = log_critical_integral(c) - np.log(c)
    else:
        log_ratio = log_critical_profile(c)
    return float(np.interp(math.log1p(tol), log_ratio, c))


def _breakdown(n: FloatArray, tol: float, quantity: str) -> FloatArray:
    excess = lru_excess if quantity == "lru" else rnn_excess
    guess = _critical_passage(tol, quantity) * np.sqrt(n) - 1.0
    return _first_true(lambda w, t: np.asarray(excess(w, t) > tol), n, np.zeros_like(n), guess)


def breakdown_depth(n: Any, tol: float = 0.1, quantity: str = "lru") -> Any:
    r"""Return the first depth whose excess over infinite width is above `tol`.

    The least t with :math:`S_{n,t}/(t+1) - 1 > tol` ("lru") or the least k with
    :math:`Q_{n,k} - 1 > tol` ("rnn").

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    tol : float, optional
        Relative excess, finite, > 0.
    quantity : {"lru", "rnn"}, optional
        Energy of the LRU (S) or of the RNN (Q).

    Returns
    -------
    int or ndarray of int64
        Depths of the shape of `n`.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Exact up to ties closer than the error of the excess (1e-14 relative): the excess
    is nondecreasing in depth, so bisection finds the first passage.  For small `tol`
    about :math:`(120\, tol)^{1/4}\sqrt n` and :math:`(24\, tol)^{1/4}\sqrt n`.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> breakdown_depth(10000)
    182
    >>> breakdown_depth([100, 10**6], tol=0.01, quantity="rnn")
    array([  7, 699])
    """
    widths = as_integer_array("n", n, 1, FLOAT_WIDTH_LIMIT)
    tol = as_positive_float("tol", tol)
    quantity = as_choice("quantity", quantity, ("lru", "rnn"))
    depths = _breakdown(widths.ravel(), tol, quantity).astype(np.int64)
    return int(depths[0]) if widths.ndim == 0 else depths.reshape(widths.shape)


def _as_tol(tol: Any) -> float:
    number = as_positive_float("tol", tol)
    if number < MIN_TOL:
        raise ValueError(f"tol must be at least {MIN_TOL:g} for a classification, got {number:g}")
    return number


def _boundary_columns(n: FloatArray, tol: float) -> tuple[FloatArray, ...]:
    sub_end = _breakdown(n, tol, "lru")
    holds_at_breakdown = _profile_error(n, sub_end) <= tol
    critical_end = sub_end - 1.0
    if np.any(holds_at_breakdown):
        w, low = n[holds_at_breakdown], sub_end[holds_at_breakdown]
        first_failure = _first_true(
            lambda widths, t: _profile_error(widths, t) > tol,
            w,
            low,
            (6.0 * tol) ** (1.0 / 3.0) * w ** (2.0 / 3.0),
        )
        critical_end[holds_at_breakdown] = first_failure - 1.0
    super_start = _super_critical_start(n, tol)
    return sub_end, critical_end, super_start, np.maximum(n - 1.0, super_start)


def regime_boundaries(n: int, tol: float = 0.1) -> Boundaries:
    """Return the depths at which the regimes of width `n` change.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    tol : float, optional
        Largest relative error at which a description counts as holding, >= 1e-10.

    Returns
    -------
    Boundaries
        End of the sub-critical and of the critical regime, start of the
        super-critical one and of the one beyond the width.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    References
    ----------
    docs/theory.md.

    Examples
    --------
    >>> regime_boundaries(10000)  # doctest: +NORMALIZE_WHITESPACE
    Boundaries(sub_critical_end=182, critical_end=459, super_critical_start=566,
               beyond_width_start=9999)
    """
    width = as_integer_array("n", as_integer("n", n, 1), 1, FLOAT_WIDTH_LIMIT)
    columns = _boundary_columns(width.reshape(1), _as_tol(tol))
    return Boundaries(*(int(column[0]) for column in columns))


def _regime_index(t: FloatArray, columns: tuple[FloatArray, ...]) -> npt.NDArray[np.intp]:
    """Index into `NAMES`: the first regime whose end lies beyond the depth."""
    sub_end, critical_end, super_start, beyond_start = columns
    index = np.full(t.shape, NAMES.index("beyond-width"), dtype=np.intp)
    for name, inside in (
        ("super-critical", t < beyond_start),
        ("crossover", t < super_start),
        ("critical", t <= critical_end),
        ("sub-critical", t < sub_end),
    ):
        index[inside] = NAMES.index(name)
    return index


def classify(n: int, depth: int, tol: float = 0.1) -> Regime:
    r"""Return the regime of a recurrence of width `n` at `depth`, with the numbers behind it.

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    depth : int
        Depth t, 0 to 10**15.
    tol : float, optional
        Largest relative error at which a description counts as holding, >= 1e-10.

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
    The super-critical form must hold from the boundary on, not at the depth alone:
    it also crosses the exact value once, by accident, near c = 1.

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
    tol = _as_tol(tol)
    columns = _boundary_columns(width, tol)
    sub_end, _, super_start, _ = columns
    truths = {
        "sub-critical": bool(t[0] < sub_end[0]),
        "critical": bool(abs(_profile_error(width, t)[0]) <= tol),
        "super-critical": bool(t[0] >= super_start[0]),
    }
    return Regime(
        name=NAMES[int(_regime_index(t, columns)[0])],
        width=int(width[0]),
        depth=int(t[0]),
        tol=tol,
        c=float(t[0] / math.sqrt(width[0])),
        log_energy=float(log_lru_energy(width, t)[0]),
        log_rnn_energy=float(log_rnn_energy(width, t)[0]),
        excess=float(lru_excess(width, t)[0]),
        boundaries=Boundaries(*(int(column[0]) for column in columns)),
        holds=tuple(name for name, true in truths.items() if true),
    )


def regime_map(widths: Any, depths: Any, tol: float = 0.1) -> npt.NDArray[np.intp]:
    """Return the regime of every pair of a width and a depth, as indices into `NAMES`.

    Parameters
    ----------
    widths : array_like of int
        Widths, 1 to 2**53.
    depths : array_like of int
        Depths, 0 to 10**15.
    tol : float, optional
        Largest relative error at which a description counts as holding, >= 1e-10.

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
    columns = _boundary_columns(n.ravel(), _as_tol(tol))
    grid = np.broadcast_to(t.ravel(), (n.size, t.size))
    index = _regime_index(grid, tuple(column[:, None] for column in columns))
    return index.reshape(n.shape + t.shape)
