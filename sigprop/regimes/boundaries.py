"""Depths at which the regimes of one width change, found exactly by bisection."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigprop._arguments import (
    FLOAT_WIDTH_LIMIT,
    FloatArray,
    as_choice,
    as_integer_array,
    as_positive_float,
)
from sigprop.regimes import _real_form
from sigprop.regimes._search import first_true
from sigprop.theory._fields import as_field
from sigprop.theory._lru_kernel import ratio_to_last_term
from sigprop.theory._real_lru import searched_lru_energies
from sigprop.theory.asymptotics import log_critical_integral, log_critical_profile
from sigprop.theory.energy import log_lru_energy, lru_excess, rnn_excess

MIN_TOL = 1e-10
"""Smallest tolerance of a classification: the errors it compares are float64 numbers."""

MIN_REAL_TOL = 1e-5
"""The same for real weights, where S over its last term comes from logarithms."""


@dataclass(frozen=True)
class Boundaries:
    """Depths at which the regimes of one width change (`regime_boundaries`).

    Attributes
    ----------
    sub_critical_end : int, or ndarray of int64 for an array of widths; so are the others
        First depth that is no longer sub-critical: the breakdown depth.
    critical_end : int
        Last depth up to which the critical profile holds; below ``sub_critical_end``
        if it never holds beyond the sub-critical regime.
    super_critical_start : int
        First depth from which on the super-critical form holds.
    beyond_width_start : int
        ``max(n - 1, super_critical_start)``: from here on the rate is that of depths
        comparable to the width.
    takeover : int or None
        For real weights the first depth at which the RNN energy is twice the complex one:
        from there on the real outlier eigenvalues, with twice the exponent, have most of
        it. None for complex weights.

    Examples
    --------
    >>> regime_boundaries(10**4).critical_end
    459
    """

    sub_critical_end: Any
    critical_end: Any
    super_critical_start: Any
    beyond_width_start: Any
    takeover: Any = None


def _log_lru(n: FloatArray, t: FloatArray, field: str) -> FloatArray:
    if field == "real":
        return searched_lru_energies(n, t).log_energy
    return np.asarray(log_lru_energy(n, t))


def profile_error(n: FloatArray, t: FloatArray, field: str) -> FloatArray:
    """Return sqrt(n) I((t+1)/sqrt(n)) / S - 1; the profile is that of both fields."""
    profile = 0.5 * np.log(n) + log_critical_integral((t + 1.0) / np.sqrt(n))
    with np.errstate(over="ignore"):
        error: FloatArray = np.expm1(profile - _log_lru(n, t, field))
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
        start[fails] = first_true(
            lambda widths, t: _super_critical_error(widths, t) >= -tol,
            n[fails],
            worst[fails],
            np.sqrt(3.0 * n[fails] / tol),
        )
    if not np.all(fails):
        # The form is within tol at its worst: it holds once it has come down from above.
        early = ~fails
        start[early] = first_true(
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


def _excess(n: FloatArray, t: FloatArray, quantity: str, field: str) -> FloatArray:
    if quantity == "rnn":
        return np.asarray(rnn_excess(n, t, field))
    return searched_lru_energies(n, t).excess if field == "real" else np.asarray(lru_excess(n, t))


def _breakdown(n: FloatArray, tol: float, quantity: str, field: str) -> FloatArray:
    guess = _critical_passage(tol, quantity) * np.sqrt(n) - 1.0
    return first_true(lambda w, t: _excess(w, t, quantity, field) > tol, n, np.zeros_like(n), guess)


def breakdown_depth(n: Any, tol: float = 0.1, quantity: str = "lru", field: str = "complex") -> Any:
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
    field : {"complex", "real"}, optional
        Entries of the weights; the inputs are white.

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
    about :math:`(120\, tol)^{1/4}\sqrt n` and :math:`(24\, tol)^{1/4}\sqrt n`, for real
    weights too, where a width takes tenths of a second.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> breakdown_depth(10000)
    182
    >>> breakdown_depth([100, 10**6], tol=0.01, quantity="rnn")
    array([  7, 699])
    >>> breakdown_depth([10000, 10**15], field="real")
    array([     178, 57725112])
    """
    widths = as_integer_array("n", n, 1, FLOAT_WIDTH_LIMIT)
    tol = as_positive_float("tol", tol)
    quantity = as_choice("quantity", quantity, ("lru", "rnn"))
    depths = _breakdown(widths.ravel(), tol, quantity, as_field(field)).astype(np.int64)
    return int(depths[0]) if widths.ndim == 0 else depths.reshape(widths.shape)


def as_tol(tol: Any, field: str) -> float:
    """Return the tolerance of a classification as a float, at least `MIN_TOL`."""
    number = as_positive_float("tol", tol)
    least, weights = (MIN_REAL_TOL, " of real weights") if field == "real" else (MIN_TOL, "")
    if number < least:
        raise ValueError(
            f"tol must be at least {least:g} for a classification{weights}, got {number:g}"
        )
    return number


def boundary_columns(n: FloatArray, tol: float, field: str) -> tuple[FloatArray, ...]:
    """Return the fields of `Boundaries`, one array over the widths each; no takeover if complex."""
    sub_end = _breakdown(n, tol, "lru", field)
    holds_at_breakdown = np.abs(profile_error(n, sub_end, field)) <= tol
    critical_end = sub_end - 1.0
    if np.any(holds_at_breakdown):
        w, low = n[holds_at_breakdown], sub_end[holds_at_breakdown]
        first_failure = first_true(
            lambda widths, t: np.abs(profile_error(widths, t, field)) > tol,
            w,
            low,
            _profile_end_guess(w, tol, field),
        )
        critical_end[holds_at_breakdown] = first_failure - 1.0
    if field == "real":
        super_start = _real_form.super_critical_start(n, tol)
        beyond = np.maximum(n - 1.0, super_start)
        return sub_end, critical_end, super_start, beyond, _real_form.takeover_depth(n)
    super_start = _super_critical_start(n, tol)
    return sub_end, critical_end, super_start, np.maximum(n - 1.0, super_start)


def _profile_end_guess(n: FloatArray, tol: float, field: str) -> FloatArray:
    """Real weights leave the profile before they take off, complex ones by the next order."""
    guess = (6.0 * tol) ** (1.0 / 3.0) * n ** (2.0 / 3.0)
    if field == "real":
        guess = np.minimum(guess, np.sqrt(n * np.log(n + 1.0)))
    return np.asarray(guess, dtype=np.float64)


def regime_boundaries(n: Any, tol: float = 0.1, field: str = "complex") -> Boundaries:
    """Return the depths at which the regimes of width `n` change.

    Parameters
    ----------
    n : array_like of int
        Width, 1 to 2**53.
    tol : float, optional
        Largest relative error at which a description counts as holding, >= 1e-10, and
        >= 1e-5 for real weights.
    field : {"complex", "real"}, optional
        Entries of the weights; the inputs are white.

    Returns
    -------
    Boundaries
        End of the sub-critical and of the critical regime, start of the
        super-critical one and of the one beyond the width: integers, or arrays of the
        shape of `n`.

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
               beyond_width_start=9999, takeover=None)
    """
    widths = as_integer_array("n", n, 1, FLOAT_WIDTH_LIMIT)
    field = as_field(field)
    tol = as_tol(tol, field)
    if widths.ndim == 0:
        depths = boundaries_of_one_width(float(widths), tol, field)
        return Boundaries(*(int(depth) for depth in depths))
    columns = boundary_columns(widths.ravel(), tol, field)
    return Boundaries(*(column.astype(np.int64).reshape(widths.shape) for column in columns))


@functools.lru_cache(maxsize=4096)
def boundaries_of_one_width(n: float, tol: float, field: str) -> tuple[float, ...]:
    """Return the fields of `Boundaries`; kept, since a scan in depth asks again and again."""
    return tuple(float(column[0]) for column in boundary_columns(np.array([n]), tol, field))
