r"""Exact second moments of the traces of :math:`A_j = W^j W^{j*}`, and of the energies.

With s = 1 for complex weights and 2 for real ones both energies have their second moment from

.. math:: F_{ij} = n^{i+j} (E[\mathrm{tr} A_i\, \mathrm{tr} A_j] + s\, E[\mathrm{tr} A_i A_j]),

a polynomial in n: for complex weights a sum over partitions, for real ones, of which no such
sum is known, an enumeration of all pairings.

Integers give `fractions.Fraction`, a SymPy symbol gives a SymPy expression.  The public
names are re-exported, with the derivation's status, by `sigprop.theory.fluctuations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from sigprop._arguments import as_choice, as_exact_integer
from sigprop.theory import (
    _real_wick_pairings,
    _trace_moments_exact,
    _wick_second_moment,
    _word_moments,
)
from sigprop.theory._symbolic import is_symbolic
from sigprop.theory.exact import FIELDS

MODELS = ("rnn", "lru")

MAX_EXACT_DEPTH = {"rnn": 128, "lru": 32}
"""Deepest exact rational second moments: each takes some seconds."""

MAX_SYMBOLIC_DEPTH = {"rnn": 32, "lru": 16}
"""Deepest second moments as polynomials in 1/n."""

MAX_REAL_DEPTH = 7
"""Deepest second moments of real weights, by enumeration: three seconds for the first one."""

_JOINED_WEIGHT = {"complex": 1, "real": 2}


class TraceMoments(NamedTuple):
    r"""The two mixed second moments of :math:`A_i` and :math:`A_j`.

    Examples
    --------
    >>> trace_moments(4, 1, 1)._fields
    ('apart', 'joined')
    """

    apart: Fraction
    """:math:`E[\\mathrm{tr} A_i\\, \\mathrm{tr} A_j]`."""
    joined: Fraction
    """:math:`E[\\mathrm{tr} A_i A_j]`."""


class TraceCounts(NamedTuple):
    """Pairings behind the two second moments: power of the width n to their number.

    Examples
    --------
    >>> trace_moment_counts(1, 1).apart
    {4: 1, 2: 1}
    """

    apart: dict[int, int]
    joined: dict[int, int]


def trace_moments(n: int, i: int, j: int, field: str = "complex") -> TraceMoments:
    r"""Return :math:`E[\mathrm{tr} A_i\, \mathrm{tr} A_j]` and :math:`E[\mathrm{tr} A_i A_j]`.

    :math:`A_j = W^j W^{j*}`, Gaussian W with :math:`E|W_{ij}|^2 = 1/n`.

    Parameters
    ----------
    n : int
        Width, >= 1.
    i, j : int
        Depths, >= 0, together at most 256 (complex) or 14 (real).
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    TraceMoments
        Exact fractions ``apart`` and ``joined``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the field is unknown.

    Notes
    -----
    Complex: sum over O((i + j)^3) partitions; i = j = 100 takes about a second.  Real: all
    pairings, three seconds for the first at i + j = 14 and a tenth of one at 10.

    Examples
    --------
    >>> trace_moments(3, 1, 1)
    TraceMoments(apart=Fraction(10, 1), joined=Fraction(6, 1))
    >>> trace_moments(3, 1, 1, field="real")
    TraceMoments(apart=Fraction(11, 1), joined=Fraction(7, 1))
    """
    width = as_exact_integer("n", n, 1)
    as_choice("field", field, FIELDS)
    if field == "real":
        counts = trace_moment_counts(i, j, field)
        scale = width ** (int(i) + int(j))
        return TraceMoments(*(Fraction(_value(c, width), scale) for c in counts))
    total, difference = _checked_pair(i, j, 2 * MAX_EXACT_DEPTH["rnn"])
    (plus,) = _trace_moments_exact.pair_sums(width, total, [difference])
    (minus,) = _trace_moments_exact.pair_sums(-width, total, [difference])
    # Conjugate partitions have opposite contents: sign^(i+j) P(-n) sums over them.
    mirrored = -minus if total % 2 else minus
    scale = width**total
    return TraceMoments((plus + mirrored) / scale, (plus - mirrored) / scale)


def trace_moment_counts(i: int, j: int, field: str = "complex") -> TraceCounts:
    r"""Return :math:`n^{i+j}` times both second moments of traces as polynomials in n.

    Parameters
    ----------
    i, j : int
        Depths, >= 0, together at most 64 (complex) or 14 (real).
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    TraceCounts
        For ``apart`` and ``joined`` the power of n (descending) to its integer coefficient,
        the number of Wick pairings with that many free indices.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the field is unknown.

    Notes
    -----
    The same as `enumerate_trace_moments`.  Complex: from the sum over partitions.  Real: the
    pairings are made one by one, and what they leave behind is gathered by equal means.

    Examples
    --------
    >>> trace_moment_counts(2, 2).apart
    {6: 1, 4: 7, 2: 16}
    >>> trace_moment_counts(2, 2, field="real").apart
    {6: 1, 4: 14, 3: 2, 2: 64, 1: 24}
    """
    as_choice("field", field, FIELDS)
    if field == "real":
        _checked_pair(i, j, 2 * MAX_REAL_DEPTH, " for real weights")
        first, second = ("G" * length + "T" * length for length in (int(i), int(j)))
        return TraceCounts(
            _word_moments.counts([first, second]), _word_moments.counts([first + second])
        )
    total, difference = _checked_pair(i, j, 2 * MAX_SYMBOLIC_DEPTH["rnn"])
    (counts,) = _trace_moments_exact.pair_counts(total, [difference])
    apart = {power: count for power, count in counts.items() if (power - total) % 2 == 0}
    joined = {power: count for power, count in counts.items() if (power - total) % 2}
    return TraceCounts(apart, joined)


def enumerate_trace_moments(i: int, j: int, field: str = "complex") -> TraceCounts:
    r"""Enumerate the Wick pairings behind both second moments of traces.

    Parameters
    ----------
    i, j : int
        Depths, >= 0, together at most 10 (complex) or 8 (real).
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    TraceCounts
        As `trace_moment_counts`, which gives the same at any depth.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the field is unknown.

    Notes
    -----
    Deliberately slow and obvious, one by one: complex, (i + j)! pairings, a second at
    i + j = 8 and half a minute at 10; real, (2(i + j) - 1)!! pairings, a second at 7 and
    half a minute at 8.

    Examples
    --------
    >>> enumerate_trace_moments(1, 2)
    TraceCounts(apart={5: 1, 3: 3, 1: 2}, joined={4: 2, 2: 4})
    >>> enumerate_trace_moments(1, 1, field="real")
    TraceCounts(apart={4: 1, 2: 2}, joined={3: 2, 2: 1})
    """
    as_choice("field", field, FIELDS)
    if field == "real":
        _checked_pair(i, j, _real_wick_pairings.MAX_SUM, " for real weights")
        return TraceCounts(*_real_wick_pairings.trace_moment_counts(int(i), int(j)))
    _checked_pair(i, j, _wick_second_moment.MAX_LETTERS)
    return TraceCounts(*_wick_second_moment.trace_moment_counts(int(i), int(j)))


def _checked_pair(i: int, j: int, largest_sum: int, where: str = "") -> tuple[int, int]:
    """Return i + j and |j - i|."""
    first, second = as_exact_integer("i", i, 0), as_exact_integer("j", j, 0)
    if first + second > largest_sum:
        raise ValueError(f"i + j must be at most {largest_sum}{where}, got {first} + {second}")
    return first + second, abs(second - first)


def _value(counts: dict[int, int], n: int) -> int:
    """Evaluate a polynomial at an integer."""
    return sum(count * n**power for power, count in counts.items())


def second_moment(n: Any, depth: int, model: str = "rnn", field: str = "complex") -> Any:
    r"""Return :math:`E[E^2]` exactly, E the energy of one draw at this depth.

    With s = 1 (complex) or s = 2 (real),
    RNN: :math:`E[E_k^2] = (E[(\mathrm{tr} A_k)^2] + s E[\mathrm{tr} A_k^2]) / (n(n+s))`.
    LRU: :math:`E[E_t^2] = n^{-2} \sum_{i,j \le t} (E[\mathrm{tr} A_i \mathrm{tr} A_j] +
    s E[\mathrm{tr} A_i A_j])`.

    Parameters
    ----------
    n : int or sympy expression
        Width, >= 1, or a SymPy symbol.
    depth : int
        k of the RNN, 0 to 128, or t of the LRU, 0 to 32; for a symbol 32 and 16.  For real
        weights at most 7.
    model : {"rnn", "lru"}, optional
        The recurrence; inputs of the LRU are independent Gaussian, of the field of the weights.
    field : {"complex", "real"}, optional
        Field of the weights.

    Returns
    -------
    fractions.Fraction or sympy.Expr
        The exact second moment.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the model or field is unknown.

    Notes
    -----
    Cost O(k^3) and O(t^4) integer operations: k = 100 and t = 20 take a second at small n, a
    few at n = 10**6.  Real weights: three seconds for the first at depth 7, half of one at 6.

    Examples
    --------
    >>> second_moment(3, 2)
    Fraction(212, 81)
    >>> import sympy
    >>> second_moment(sympy.Symbol("n"), 2)
    1 + 2/n + 5/n**2 + 8/n**3 + 8/n**4
    >>> second_moment(1, 1, model="lru")
    Fraction(10, 1)
    >>> second_moment(sympy.Symbol("n"), 2, field="real")
    1 + 4/n + 12/n**2 + 32/n**3 + 56/n**4
    """
    as_choice("model", model, MODELS)
    as_choice("field", field, FIELDS)
    depth = as_exact_integer("depth", depth, 0)
    if field == "real":
        check_real_depth(depth, model)
    if is_symbolic(n):
        _check_depth(depth, MAX_SYMBOLIC_DEPTH[model], f"a symbolic {model} second moment")
        return _symbolic_rnn(n, depth, field) if model == "rnn" else _symbolic_lru(n, depth, field)
    width = as_exact_integer("n", n, 1)
    _check_depth(depth, MAX_EXACT_DEPTH[model], f"an exact {model} second moment")
    if model == "rnn":
        return _exact_rnn(width, depth, field)
    return exact_lru(width, depth, field, Fraction(1))


def _check_depth(depth: int, largest: int, what: str) -> None:
    if depth > largest:
        raise ValueError(f"depth must be at most {largest} for {what}, got {depth}")


def check_real_depth(depth: int, model: str) -> None:
    """Refuse depths whose pairings are too many.

    Raises
    ------
    ValueError
        If the depth is beyond `MAX_REAL_DEPTH`.
    """
    if depth > MAX_REAL_DEPTH:
        raise ValueError(
            f"depth must be at most {MAX_REAL_DEPTH} for the second moment of a real {model}, "
            f"got {depth}: none is known beyond; simulate, and estimate it from the sample"
        )


def _pair_values(n: int, total: int, differences: list[int], field: str) -> list[Fraction]:
    """Return F_ij at an integer n for i + j = total and each j - i."""
    if field == "real":
        return [Fraction(_value(c, n)) for c in _pair_counts(total, differences, field)]
    return [2 * value for value in _trace_moments_exact.pair_sums(n, total, differences)]


def _pair_counts(total: int, differences: list[int], field: str) -> list[dict[int, int]]:
    """Return F_ij as polynomials in n for i + j = total and each j - i."""
    if field == "complex":
        return _trace_moments_exact.pair_counts(total, differences)
    result = []
    for d in differences:
        apart, joined = trace_moment_counts((total - d) // 2, (total + d) // 2, field)
        twice = {power: _JOINED_WEIGHT[field] * count for power, count in joined.items()}
        result.append({p: apart.get(p, 0) + twice.get(p, 0) for p in apart.keys() | twice.keys()})
    return result


def _exact_rnn(n: int, k: int, field: str) -> Fraction:
    (value,) = _pair_values(n, 2 * k, [0], field)
    moment: Fraction = value / (n ** (2 * k + 1) * (n + _JOINED_WEIGHT[field]))
    return moment


def _lru_pairs(t: int) -> Iterator[tuple[int, list[int]]]:
    """All pairs i <= j <= t as i + j and its list of j - i."""
    for total in range(2 * t + 1):
        yield total, list(range(total % 2, min(total, 2 * t - total) + 1, 2))


def exact_lru(n: int, t: int, field: str, gain: Fraction) -> Fraction:
    """Return E[E_t^2] of the LRU with weights multiplied by the gain."""
    result = Fraction(0)
    for total, differences in _lru_pairs(t):
        values = _pair_values(n, total, differences, field)
        both = sum((v if d == 0 else 2 * v) for d, v in zip(differences, values, strict=True))
        result += gain ** (2 * total) * both / n ** (total + 2)
    return result


def _symbolic_rnn(n: Any, k: int, field: str) -> Any:
    """Divide F by n + s, from the constant term up, and by n^(2k+1)."""
    import sympy

    (counts,) = _pair_counts(2 * k, [0], field)
    s = _JOINED_WEIGHT[field]
    quotient = 0
    terms = []
    for power in range(2 * k + 2):
        quotient = (counts.get(power, 0) - quotient) // s
        terms.append(quotient * n ** (power - 2 * k - 1))
    return sympy.Add(*terms)


def _symbolic_lru(n: Any, t: int, field: str) -> Any:
    import sympy

    terms = []
    for total, differences in _lru_pairs(t):
        polynomials = _pair_counts(total, differences, field)
        for d, counts in zip(differences, polynomials, strict=True):
            pairs = 1 if d == 0 else 2
            terms += [pairs * c * n ** (power - total - 2) for power, c in counts.items()]
    return sympy.Add(*terms)
