r"""Exact energies of the Gaussian RNN and LRU: integers, rationals, symbolic in n.

The denominators are known in advance, so tables need no gcd: for complex weights
:math:`Q_{n,k} = J_k / n^{2 \lfloor k/2 \rfloor}` and
:math:`S_{n,t} = X_t / n^{2 \lfloor t/2 \rfloor}`, for real ones :math:`J_k / n^k` and
:math:`X_t / n^t`, with integers J and X.

One dispatch rule: integers give `fractions.Fraction`, a SymPy symbol gives a
SymPy expression.
"""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType
from typing import Any

from sigprop._arguments import as_choice, as_exact_depth, as_exact_integer
from sigprop.theory import _exact_complex, _exact_real
from sigprop.theory._symbolic import is_symbolic
from sigprop.theory.combinatorics import hultman_row
from sigprop.theory.input_laws import as_input_law

__all__ = [
    "genus_coefficients",
    "is_symbolic",
    "lru_energies",
    "lru_energy",
    "lru_genus_coefficients",
    "lru_numerators",
    "rnn_energies",
    "rnn_energy",
    "rnn_numerators",
]

FIELDS = ("complex", "real")

_ROUTES: dict[str, ModuleType] = {"complex": _exact_complex, "real": _exact_real}


def _route(field: str) -> ModuleType:
    """Return the module that has the numerators of a field."""
    return _ROUTES[as_choice("field", field, FIELDS)]


def rnn_energy(n: Any, k: int, field: str = "complex") -> Any:
    r"""Return :math:`Q_{n,k} = (n^{(k+2)} - n_{(k+2)}) / ((k+1)(k+2) n^{k+1})` exactly.

    The mean energy per unit :math:`E\|W^k x\|^2 / n`, :math:`\|x\|^2 = n`, of a
    Gaussian RNN with :math:`E|W_{ij}|^2 = 1/n`; :math:`n^{(m)}` and :math:`n_{(m)}` are the
    rising and the falling factorial.  That is for complex weights; for real ones it is
    :math:`Q^{\mathbb R}_{n,k} = M_k(n)/n^{k+1}`, never less.

    Parameters
    ----------
    n : int or sympy expression
        Width, >= 1, any Python or NumPy integer, or a SymPy symbol.
    k : int
        Depth, >= 0.
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    fractions.Fraction or sympy.Expr
        The exact energy; for a symbol the genus expansion
        :math:`\sum_g q_g n^{-2g}`, built from the Hultman row, or for real weights the
        polynomial in 1/n, odd powers included.

    Raises
    ------
    TypeError
        If an argument is not an integer (floats and bools are refused).
    ValueError
        If ``n < 1``, ``k < 0`` or the field is another one.

    Notes
    -----
    Exact.  Complex: cost is that of a product of k + 1 small integers by halves and of
    the one gcd of `Fraction`, which dominates.  Real: O(k) products of a large and a small
    integer, the recurrence of `sigprop.theory.real_recurrence`; seconds at k = 10^4.

    References
    ----------
    arXiv 2605.05113; docs/theory_real.md.

    Examples
    --------
    >>> rnn_energy(5, 3)
    Fraction(6, 5)
    >>> rnn_energy(7, 3, field="real")
    Fraction(417, 343)
    >>> import sympy
    >>> n = sympy.Symbol("n")
    >>> rnn_energy(n, 4)
    1 + 15/n**2 + 8/n**4
    >>> rnn_energy(n, 4, field="real")
    1 + 28/n**2 + 28/n**3 + 48/n**4
    """
    route = _route(field)
    k = as_exact_depth("k", k)
    if is_symbolic(n):
        if field == "real":
            return _power_sum(n, _exact_real.coefficients(_exact_real.rnn_numerator, k), 1)
        return _power_sum(n, genus_coefficients(k), 2)
    width = as_exact_integer("n", n, 1)
    return Fraction(route.rnn_numerator(width, k), width ** _exponent(k, field))


def lru_energy(n: Any, t: int, field: str = "complex", inputs: Any = "white") -> Any:
    r"""Return :math:`S_{n,t} = \sum_{k=0}^t Q_{n,k}` exactly.

    The mean energy per unit :math:`E\|h_t\|^2 / n` of the Gaussian LRU
    :math:`h_t = W h_{t-1} + x_t` with inputs :math:`x_0, \dots, x_t` of unit variance.  The
    sum is that of independent inputs, and for complex weights of all inputs; for real
    weights and inputs of autocorrelation R it is
    :math:`\sum_{i,j \le t} R(i-j)\, \tfrac1n E\,\mathrm{tr}\,(W^i)^T W^j`.

    Parameters
    ----------
    n : int or sympy expression
        Width, >= 1, any Python or NumPy integer, or a SymPy symbol.
    t : int
        Depth, >= 0.
    field : {"complex", "real"}, optional
        Field of the weights.
    inputs : input law, optional
        "white", "constant", ("ar1", rho) or an array of autocorrelations; a float counts as
        the binary fraction that it is.  For complex weights it is checked and changes
        nothing: the cross terms have mean zero, as :math:`W \to e^{i\varphi} W` leaves the
        law of W as it is.

    Returns
    -------
    fractions.Fraction or sympy.Expr
        The exact energy.

    Raises
    ------
    TypeError
        If an argument is not an integer (floats and bools are refused).
    ValueError
        If ``n < 1``, ``t < 0``, the field is another one or the law is no input law.

    Notes
    -----
    Complex: uses :math:`S_{n,t} + (t+1) Q_{n,t} = \sum_{m=1}^{t+1} (r_m + f_m)` with
    :math:`r_m, f_m` the rising and falling factorials over :math:`n^m`; both
    sums are computed by binary splitting.  Real: the recurrence of `rnn_energy`, summed; for
    inputs that are not white see `sigprop.theory.real_inputs`.

    References
    ----------
    arXiv 2605.05113; docs/theory.md; docs/theory_real.md.

    Examples
    --------
    >>> lru_energy(3, 2)
    Fraction(28, 9)
    >>> lru_energy(3, 2, field="real")
    Fraction(29, 9)
    >>> lru_energy(3, 2, field="real", inputs="constant")
    Fraction(35, 9)
    >>> import sympy
    >>> lru_energy(sympy.Symbol("n"), 4)
    5 + 21/n**2 + 8/n**4
    """
    route = _route(field)
    t = as_exact_depth("t", t)
    law = as_input_law("inputs", inputs)
    if field == "real" and law != "white":
        from sigprop.theory import real_inputs

        return real_inputs.exact_lru_energy(n, t, inputs)
    if is_symbolic(n):
        if field == "real":
            return _power_sum(n, _exact_real.coefficients(_exact_real.lru_numerator, t), 1)
        return _power_sum(n, lru_genus_coefficients(t), 2)
    width = as_exact_integer("n", n, 1)
    return Fraction(route.lru_numerator(width, t), width ** _exponent(t, field))


def _exponent(depth: int, field: str) -> int:
    """Power of n in the denominator."""
    return depth if field == "real" else 2 * (depth // 2)


def _power_sum(n: Any, coefficients: list[int], step: int) -> Any:
    r"""Return :math:`\sum_g u_g n^{-step\,g}` as a SymPy expression."""
    import sympy

    return sympy.Add(*(sympy.Integer(u) / n ** (step * g) for g, u in enumerate(coefficients)))


def rnn_numerators(n: int, kmax: int, field: str = "complex") -> list[int]:
    r"""Return the integers :math:`J_k = Q_{n,k}\, n^{2\lfloor k/2 \rfloor}`, k = 0, ..., kmax.

    For real weights :math:`J_k = Q^{\mathbb R}_{n,k}\, n^k`.

    Parameters
    ----------
    n : int
        Width, >= 1.
    kmax : int
        Last depth, >= 0.
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    list of int
        ``kmax + 1`` exact integers; no gcd is ever taken.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the field is another one.

    Examples
    --------
    >>> rnn_numerators(5, 4)
    [1, 1, 26, 30, 1008]
    >>> rnn_numerators(5, 4, field="real")
    [1, 5, 27, 179, 1513]
    """
    route = _route(field)
    width = as_exact_integer("n", n, 1)
    numerators: list[int] = route.rnn_numerators(width, as_exact_depth("kmax", kmax))
    return numerators


def lru_numerators(n: int, tmax: int, field: str = "complex") -> list[int]:
    r"""Return the integers :math:`X_t = S_{n,t}\, n^{2\lfloor t/2 \rfloor}`, t = 0, ..., tmax.

    For real weights, with independent inputs, :math:`X_t = S^{\mathbb R}_{n,t}\, n^t`.

    Parameters
    ----------
    n : int
        Width, >= 1.
    tmax : int
        Last depth, >= 0.
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    list of int
        ``tmax + 1`` exact integers; no gcd is ever taken.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the field is another one.

    Examples
    --------
    >>> lru_numerators(5, 4)
    [1, 2, 76, 106, 3658]
    >>> lru_numerators(5, 4, field="real")
    [1, 10, 77, 564, 4333]
    """
    route = _route(field)
    width = as_exact_integer("n", n, 1)
    numerators: list[int] = route.lru_numerators(width, as_exact_depth("tmax", tmax))
    return numerators


def _fractions(n: int, numerators: list[int], field: str) -> list[Fraction]:
    denominators = _route(field).denominators(n, len(numerators) - 1)
    return [Fraction(p, q) for p, q in zip(numerators, denominators, strict=True)]


def rnn_energies(n: int, kmax: int, field: str = "complex") -> list[Fraction]:
    r"""Return :math:`[Q_{n,0}, \dots, Q_{n,kmax}]` as reduced fractions.

    Parameters
    ----------
    n : int
        Width, >= 1.
    kmax : int
        Last depth, >= 0.
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    list of fractions.Fraction
        ``kmax + 1`` exact energies.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the field is another one.

    Examples
    --------
    >>> [str(q) for q in rnn_energies(3, 3)]
    ['1', '1', '10/9', '14/9']
    >>> [str(q) for q in rnn_energies(3, 3, field="real")]
    ['1', '1', '11/9', '61/27']
    """
    return _fractions(as_exact_integer("n", n, 1), rnn_numerators(n, kmax, field), field)


def lru_energies(
    n: int, tmax: int, field: str = "complex", inputs: Any = "white"
) -> list[Fraction]:
    r"""Return :math:`[S_{n,0}, \dots, S_{n,tmax}]` as reduced fractions.

    Parameters
    ----------
    n : int
        Width, >= 1.
    tmax : int
        Last depth, >= 0.
    field : {"complex", "real"}, optional
        Field of the weights.
    inputs : input law, optional
        As for `lru_energy`.

    Returns
    -------
    list of fractions.Fraction
        ``tmax + 1`` exact energies.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, the field is another one or the law
        is no input law.

    Examples
    --------
    >>> [str(s) for s in lru_energies(3, 3)]
    ['1', '2', '28/9', '14/3']
    >>> [str(s) for s in lru_energies(3, 3, field="real")]
    ['1', '2', '29/9', '148/27']
    """
    width, tmax = as_exact_integer("n", n, 1), as_exact_depth("tmax", tmax)
    law = as_input_law("inputs", inputs)
    if as_choice("field", field, FIELDS) == "real" and law != "white":
        from sigprop.theory import real_inputs

        return real_inputs.exact_lru_energies(width, tmax, inputs)
    return _fractions(width, lru_numerators(width, tmax, field), field)


def genus_coefficients(k: int) -> list[int]:
    r"""Return :math:`[q_0, q_1, \dots]` of :math:`Q_{n,k} = \sum_g q_g n^{-2g}`.

    Parameters
    ----------
    k : int
        Depth, >= 0.

    Returns
    -------
    list of int
        The ``k // 2 + 1`` integers :math:`q_g = S_H(k, k+1-2g)`.

    Raises
    ------
    TypeError, ValueError
        If `k` is not an integer >= 0.

    Examples
    --------
    >>> genus_coefficients(6)
    [1, 70, 469, 180]
    """
    return hultman_row(k)[::-2][: as_exact_depth("k", k) // 2 + 1]


def lru_genus_coefficients(t: int) -> list[int]:
    r"""Return :math:`[s_0, s_1, \dots]` of :math:`S_{n,t} = \sum_g s_g n^{-2g}`.

    Parameters
    ----------
    t : int
        Depth, >= 0.

    Returns
    -------
    list of int
        The ``t // 2 + 1`` integers :math:`s_g = \sum_{k \le t} S_H(k, k+1-2g)`.

    Raises
    ------
    TypeError, ValueError
        If `t` is not an integer >= 0.

    Examples
    --------
    >>> lru_genus_coefficients(4)
    [5, 21, 8]
    """
    t = as_exact_depth("t", t)
    totals = [0] * (t // 2 + 1)
    for k in range(t + 1):
        for g, q in enumerate(genus_coefficients(k)):
            totals[g] += q
    return totals
