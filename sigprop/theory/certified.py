r"""Certified energies of the Gaussian RNN and LRU: intervals that hold the exact value.

Any number of digits and any width; any depth for complex weights, at a cost that does not
grow with it, and depths to 1e5 for real ones, at a cost in proportion.  The work is done in
balls of Arb if python-flint is installed, and in mpmath intervals if not: both are rounded
outward at every step, and every truncation is bounded by a proof.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import mpmath
from mpmath import libmp

from sigprop._arguments import as_choice, as_exact_integer, shown
from sigprop.theory import _certified_formulas as formulas
from sigprop.theory import _certified_real, exact
from sigprop.theory._certified_arb import arb_arithmetic
from sigprop.theory._certified_interval import interval_arithmetic
from sigprop.theory._enclosure import Enclosure
from sigprop.theory.input_laws import as_input_law

__all__ = ["Enclosure", "log_lru_energy", "log_rnn_energy", "lru_energy", "rnn_energy"]

MAX_DIGITS = 10**6
"""Most digits of an enclosure."""

_ATTEMPTS = 5

_Formula = Callable[[formulas.Arithmetic, int, int, int], formulas.Ball]
_ArithmeticFactory = Callable[[int], AbstractContextManager[formulas.Arithmetic]]


def _arithmetic_factory(name: str) -> _ArithmeticFactory:
    as_choice("arithmetic", name, ("auto", "arb", "mpmath"))
    has_flint = importlib.util.find_spec("flint") is not None
    if name == "arb" and not has_flint:
        raise ImportError("arithmetic='arb' needs python-flint: install sigprop[fast]")
    return arb_arithmetic if has_flint and name != "mpmath" else interval_arithmetic


def _log2(raw: Any) -> int:
    """Return the binary logarithm of a raw positive number, rounded up."""
    _, _, exponent, length = raw
    return int(exponent + length)


def _missing_bits(lower: Any, upper: Any, bits: int) -> int | None:
    """How many bits [lower, upper] lacks of a relative width 2^-bits; None if all of them."""
    width = libmp.mpf_sub(upper, lower, 30, libmp.round_ceiling)
    if width == libmp.fzero:
        return 0
    smaller = lower if libmp.mpf_gt(lower, libmp.fzero) else libmp.mpf_neg(upper)
    if not libmp.mpf_gt(smaller, libmp.fzero) or width == libmp.finf:
        return None
    return max(0, bits + _log2(width) - _log2(smaller) + 1)


def _enclose(formula: _Formula, n: int, depth: int, digits: int, arithmetic: str) -> Enclosure:
    """Evaluate a formula with growing precision until the ball is narrow enough."""
    factory = _arithmetic_factory(arithmetic)
    if digits > MAX_DIGITS:
        raise ValueError(f"digits must be at most {MAX_DIGITS}, got {shown(digits)}")
    bits = digits * 3322 // 1000 + 4  # log2(10) < 3.322, and room for rounding the ends
    # A sum over depths loses at most the bits of the depth to cancellation.
    guard = 16 + depth.bit_length()
    for _ in range(_ATTEMPTS):
        # Exponents and log Gammas reach (n + depth) log(n + depth).
        with factory(bits + guard + 2 * (n + depth).bit_length() + 16) as a:
            try:
                lower, upper = a.ends(formula(a, n, depth, bits + guard))
            except formulas.TooWideError:
                lower, upper = libmp.fninf, libmp.finf
        missing = _missing_bits(lower, upper, bits)
        if missing == 0:
            return Enclosure(mpmath.mp.make_mpf(lower), mpmath.mp.make_mpf(upper), digits)
        guard = 2 * (guard + n.bit_length()) if missing is None else guard + missing + 8
    raise ArithmeticError(
        f"no enclosure with digits={digits} at n of {n.bit_length()} and depth of "
        f"{depth.bit_length()} bits after {_ATTEMPTS} rounds of growing precision; if other "
        'threads set the precision of python-flint, pass arithmetic="mpmath"'
    )


def _rnn_formula(log: bool, field: str, depth: int) -> _Formula:
    if as_choice("field", field, exact.FIELDS) == "complex":
        return formulas.log_rnn_energy if log else formulas.rnn_energy
    _check_real_depth("k", depth)
    return _certified_real.log_rnn_energy if log else _certified_real.rnn_energy


def _lru_formula(log: bool, field: str, inputs: Any, n: int, depth: int) -> _Formula:
    white = as_input_law("inputs", inputs) == "white"
    if as_choice("field", field, exact.FIELDS) == "complex":
        return formulas.log_lru_energy if log else formulas.lru_energy
    if not white:
        return _certified_real.of_rational(exact.lru_energy(n, depth, "real", inputs), log)
    _check_real_depth("t", depth)
    return _certified_real.log_lru_energy if log else _certified_real.lru_energy


def _check_real_depth(name: str, depth: int) -> None:
    if depth > _certified_real.MAX_DEPTH:
        raise ValueError(
            f"{name} must be at most {_certified_real.MAX_DEPTH} to certify an energy of real "
            f'weights, got {shown(depth)}; sigprop.theory.energy takes field="real" beyond'
        )


def rnn_energy(
    n: int, k: int, digits: int = 50, *, field: str = "complex", arithmetic: str = "auto"
) -> Enclosure:
    r"""Enclose :math:`Q_{n,k} = (n^{(k+2)} - n_{(k+2)}) / ((k+1)(k+2) n^{k+1})`.

    The mean energy per unit :math:`E\|W^k x\|^2 / n`, :math:`\|x\|^2 = n`, of a Gaussian
    RNN with :math:`E|W_{ij}|^2 = 1/n`; rising and falling factorials.  That is for complex
    weights; for real ones it is :math:`Q^{\mathbb R}_{n,k}`, never less.

    Parameters
    ----------
    n : int
        Width, >= 1, of any size.
    k : int
        Depth, >= 0, of any size.
    digits : int, optional
        Relative correct digits, >= 1.
    field : {"complex", "real"}, optional
        Field of the weights; a real depth is at most 10**5.
    arithmetic : {"auto", "arb", "mpmath"}, optional
        Balls of Arb (needs python-flint) or intervals of mpmath; "auto" prefers Arb.

    Returns
    -------
    Enclosure
        Narrower than ``10**-digits`` times the value.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the field or the arithmetic is not
        a known one.
    ImportError
        If Arb is asked for and python-flint is not installed.

    Notes
    -----
    Exact rationals rounded once up to depth 64, differences of log Gamma beyond.  At 50
    digits 0.2 to 0.6 ms with Arb and 1 to 6 ms with mpmath, whatever n and k.  Real weights:
    the recurrence of `sigprop.theory.real_recurrence` in balls, at 50 digits and k = 10^4
    0.1 to 0.5 s with Arb and 3 to 7 s with mpmath.

    Any number of threads may call this function: calls take turns under a lock.  The
    precisions of mpmath are never changed; that of python-flint, one number for the whole
    process, is put back at the end of a call.  Threads that compute with python-flint on
    their own meanwhile call for ``arithmetic="mpmath"``, those with mpmath for "arb".

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> rnn_energy(5, 3, digits=4)
    Enclosure(lower=1.1999999992549, upper=1.2000000001863, digits=4)
    >>> rnn_energy(10**12, 10**3, digits=20, field="real").contains(1)
    False
    """
    width, depth = as_exact_integer("n", n, 1), as_exact_integer("k", k, 0)
    digits = as_exact_integer("digits", digits, 1)
    return _enclose(_rnn_formula(False, field, depth), width, depth, digits, arithmetic)


def log_rnn_energy(
    n: int, k: int, digits: int = 50, *, field: str = "complex", arithmetic: str = "auto"
) -> Enclosure:
    r"""Enclose :math:`\log Q_{n,k}`, to a relative width of the logarithm itself.

    Parameters
    ----------
    n : int
        Width, >= 1, of any size.
    k : int
        Depth, >= 0, of any size.
    digits : int, optional
        Relative correct digits of the logarithm, >= 1.
    field : {"complex", "real"}, optional
        Field of the weights; a real depth is at most 10**5.
    arithmetic : {"auto", "arb", "mpmath"}, optional
        As for `rnn_energy`.

    Returns
    -------
    Enclosure
        The logarithm; [0, 0] at depths 0 and 1, where Q = 1.

    Raises
    ------
    TypeError, ValueError, ImportError
        As for `rnn_energy`.

    Notes
    -----
    Cost and threads as for `rnn_energy`.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> log_rnn_energy(10**30, 10**15, digits=20).mid
    mpf('0.041324854612918188')
    >>> log_rnn_energy(10**30, 1000, digits=15, field="real").mid
    mpf('4.1999833e-50')
    """
    width, depth = as_exact_integer("n", n, 1), as_exact_integer("k", k, 0)
    digits = as_exact_integer("digits", digits, 1)
    return _enclose(_rnn_formula(True, field, depth), width, depth, digits, arithmetic)


def lru_energy(
    n: int,
    t: int,
    digits: int = 50,
    *,
    field: str = "complex",
    inputs: Any = "white",
    arithmetic: str = "auto",
) -> Enclosure:
    r"""Enclose :math:`S_{n,t} = \sum_{k=0}^t Q_{n,k}`.

    The mean energy per unit :math:`E\|h_t\|^2 / n` of the Gaussian LRU
    :math:`h_t = W h_{t-1} + x_t` with unit-variance inputs :math:`x_0, \dots, x_t`.

    Parameters
    ----------
    n : int
        Width, >= 1, of any size.
    t : int
        Depth, >= 0, of any size.
    digits : int, optional
        Relative correct digits, >= 1.
    field : {"complex", "real"}, optional
        Field of the weights; a real depth is at most 10**5.
    inputs : input law, optional
        As for `sigprop.exact.lru_energy`: for complex weights it is checked and changes
        nothing; for real ones other laws than "white" are computed exactly and rounded once.
    arithmetic : {"auto", "arb", "mpmath"}, optional
        As for `rnn_energy`.

    Returns
    -------
    Enclosure
        Narrower than ``10**-digits`` times the value.

    Raises
    ------
    TypeError, ValueError, ImportError
        As for `rnn_energy`.

    Notes
    -----
    :math:`S + (t+1) Q_t = \sum_{m \le t+1} (r_m + f_m)` with :math:`r_m, f_m` the rising and
    falling factorials over :math:`n^m`, summed term by term up to about 1500 terms at 50
    digits, and beyond by trapezoidal rules for their Gamma and Cauchy integrals, with some
    hundred nodes and a proved error.  At 50 digits 0.3 to 10 ms with Arb and 10 to 160 ms
    with mpmath, whatever n <= 1e30 and t; at 1000 digits 0.1 to 2 s with Arb.  Real weights
    cost what `rnn_energy` does.

    Threads as for `rnn_energy`.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> from sigprop.theory import exact
    >>> lru_energy(10, 100, digits=40).contains(exact.lru_energy(10, 100))
    True
    >>> energy = exact.lru_energy(10, 100, field="real")
    >>> lru_energy(10, 100, digits=40, field="real").contains(energy)
    True
    """
    width, depth = as_exact_integer("n", n, 1), as_exact_integer("t", t, 0)
    digits = as_exact_integer("digits", digits, 1)
    formula = _lru_formula(False, field, inputs, width, depth)
    return _enclose(formula, width, depth, digits, arithmetic)


def log_lru_energy(
    n: int,
    t: int,
    digits: int = 50,
    *,
    field: str = "complex",
    inputs: Any = "white",
    arithmetic: str = "auto",
) -> Enclosure:
    r"""Enclose :math:`\log S_{n,t}`, to a relative width of the logarithm itself.

    Parameters
    ----------
    n : int
        Width, >= 1, of any size.
    t : int
        Depth, >= 0, of any size.
    digits : int, optional
        Relative correct digits of the logarithm, >= 1.
    field : {"complex", "real"}, optional
        Field of the weights; a real depth is at most 10**5.
    inputs : input law, optional
        As for `sigprop.exact.lru_energy`: for complex weights it is checked and changes
        nothing; for real ones other laws than "white" are computed exactly and rounded once.
    arithmetic : {"auto", "arb", "mpmath"}, optional
        As for `rnn_energy`.

    Returns
    -------
    Enclosure
        The logarithm; [0, 0] at depth 0, where S = 1.

    Raises
    ------
    TypeError, ValueError, ImportError
        As for `rnn_energy`.

    Notes
    -----
    Cost and threads as for `lru_energy`.

    References
    ----------
    arXiv 2605.05113; docs/theory.md.

    Examples
    --------
    >>> log_lru_energy(10**15, 10**12, digits=30).mid
    mpf('499833402.80368817')
    """
    width, depth = as_exact_integer("n", n, 1), as_exact_integer("t", t, 0)
    digits = as_exact_integer("digits", digits, 1)
    formula = _lru_formula(True, field, inputs, width, depth)
    return _enclose(formula, width, depth, digits, arithmetic)
