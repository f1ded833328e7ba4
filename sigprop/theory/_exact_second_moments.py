r"""Exact second moments of the traces of :math:`A_j = W^j W^{j*}`, and of the energies.

Integers give `fractions.Fraction`, a SymPy symbol gives a SymPy expression.  The public
names are re-exported, with the derivation's status, by `sigprop.theory.fluctuations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from sigprop._arguments import as_choice, as_exact_integer
from sigprop.theory import _trace_moments_exact, _wick_second_moment
from sigprop.theory.exact import _is_symbolic

MODELS = ("rnn", "lru")

MAX_EXACT_DEPTH = {"rnn": 128, "lru": 32}
"""Deepest exact rational second moments: each takes some seconds."""

MAX_SYMBOLIC_DEPTH = {"rnn": 32, "lru": 16}
"""Deepest second moments as polynomials in 1/n."""


class TraceMoments(NamedTuple):
    r"""The two second moments of :math:`A_i` and :math:`A_j`."""

    apart: Fraction
    """:math:`E[\\mathrm{tr} A_i\\, \\mathrm{tr} A_j]`."""
    joined: Fraction
    """:math:`E[\\mathrm{tr} A_i A_j]`."""


class TraceCounts(NamedTuple):
    """Pairings behind the two second moments: power of the width n to their number."""

    apart: dict[int, int]
    joined: dict[int, int]


def trace_moments(n: int, i: int, j: int) -> TraceMoments:
    r"""Return :math:`E[\mathrm{tr} A_i\, \mathrm{tr} A_j]` and :math:`E[\mathrm{tr} A_i A_j]`.

    :math:`A_j = W^j W^{j*}`, complex Gaussian W with :math:`E|W_{ij}|^2 = 1/n`.

    Parameters
    ----------
    n : int
        Width, >= 1.
    i, j : int
        Depths, >= 0, at most 256 together.

    Returns
    -------
    TraceMoments
        Exact fractions ``apart`` and ``joined``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Notes
    -----
    Sum over O((i + j)^3) partitions; i = j = 100 takes about a second.

    Examples
    --------
    >>> trace_moments(3, 1, 1)
    TraceMoments(apart=Fraction(10, 1), joined=Fraction(6, 1))
    """
    width = as_exact_integer("n", n, 1)
    total, difference = _checked_pair(i, j, 2 * MAX_EXACT_DEPTH["rnn"])
    (plus,) = _trace_moments_exact.pair_sums(width, total, [difference])
    (minus,) = _trace_moments_exact.pair_sums(-width, total, [difference])
    # Conjugate partitions have opposite contents: sign^(i+j) P(-n) sums over them.
    mirrored = -minus if total % 2 else minus
    scale = width**total
    return TraceMoments((plus + mirrored) / scale, (plus - mirrored) / scale)


def trace_moment_counts(i: int, j: int) -> TraceCounts:
    r"""Return :math:`n^{i+j}` times both second moments of traces as polynomials in n.

    Parameters
    ----------
    i, j : int
        Depths, >= 0, at most 64 together.

    Returns
    -------
    TraceCounts
        For ``apart`` and ``joined`` the power of n (descending) to its integer coefficient,
        the number of Wick pairings with that many free indices.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Notes
    -----
    The same as `enumerate_trace_moments`, from the sum over partitions.

    Examples
    --------
    >>> trace_moment_counts(2, 2).apart
    {6: 1, 4: 7, 2: 16}
    """
    total, difference = _checked_pair(i, j, 2 * MAX_SYMBOLIC_DEPTH["rnn"])
    (counts,) = _trace_moments_exact.pair_counts(total, [difference])
    apart = {power: count for power, count in counts.items() if (power - total) % 2 == 0}
    joined = {power: count for power, count in counts.items() if (power - total) % 2}
    return TraceCounts(apart, joined)


def enumerate_trace_moments(i: int, j: int) -> TraceCounts:
    r"""Enumerate the (i + j)! Wick pairings behind both second moments of traces.

    Parameters
    ----------
    i, j : int
        Depths, >= 0, at most 10 together.

    Returns
    -------
    TraceCounts
        As `trace_moment_counts`, which gives the same at any depth.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range.

    Notes
    -----
    Deliberately slow and obvious: i + j = 8 takes a second, 10 half a minute.

    Examples
    --------
    >>> enumerate_trace_moments(1, 2)
    TraceCounts(apart={5: 1, 3: 3, 1: 2}, joined={4: 2, 2: 4})
    """
    _checked_pair(i, j, _wick_second_moment.MAX_LETTERS)
    return TraceCounts(*_wick_second_moment.trace_moment_counts(int(i), int(j)))


def _checked_pair(i: int, j: int, largest_sum: int) -> tuple[int, int]:
    """Return i + j and |j - i|."""
    first, second = as_exact_integer("i", i, 0), as_exact_integer("j", j, 0)
    if first + second > largest_sum:
        raise ValueError(f"i + j must be at most {largest_sum}, got {first} + {second}")
    return first + second, abs(second - first)


def second_moment(n: Any, depth: int, model: str = "rnn") -> Any:
    r"""Return :math:`E[E^2]` exactly, E the energy of one draw at this depth.

    RNN: :math:`E[E_k^2] = (E[(\mathrm{tr} A_k)^2] + E[\mathrm{tr} A_k^2]) / (n(n+1))`.
    LRU: :math:`E[E_t^2] = n^{-2} \sum_{i,j \le t} (E[\mathrm{tr} A_i \mathrm{tr} A_j] +
    E[\mathrm{tr} A_i A_j])`.

    Parameters
    ----------
    n : int or sympy expression
        Width, >= 1, or a SymPy symbol.
    depth : int
        k of the RNN, 0 to 128, or t of the LRU, 0 to 32; for a symbol 32 and 16.
    model : {"rnn", "lru"}, optional
        The recurrence.

    Returns
    -------
    fractions.Fraction or sympy.Expr
        The exact second moment.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in its range, or the model is unknown.

    Notes
    -----
    Cost O(k^3) and O(t^4) integer operations: k = 100 and t = 20 take a second at small n, a
    few at n = 10**6.

    Examples
    --------
    >>> second_moment(3, 2)
    Fraction(212, 81)
    >>> import sympy
    >>> second_moment(sympy.Symbol("n"), 2)
    1 + 2/n + 5/n**2 + 8/n**3 + 8/n**4
    >>> second_moment(1, 1, model="lru")
    Fraction(10, 1)
    """
    as_choice("model", model, MODELS)
    depth = as_exact_integer("depth", depth, 0)
    if _is_symbolic(n):
        _check_depth(depth, MAX_SYMBOLIC_DEPTH[model], f"a symbolic {model} second moment")
        return _symbolic_rnn(n, depth) if model == "rnn" else _symbolic_lru(n, depth)
    width = as_exact_integer("n", n, 1)
    _check_depth(depth, MAX_EXACT_DEPTH[model], f"an exact {model} second moment")
    return _exact_rnn(width, depth) if model == "rnn" else _exact_lru(width, depth)


def _check_depth(depth: int, largest: int, what: str) -> None:
    if depth > largest:
        raise ValueError(f"depth must be at most {largest} for {what}, got {depth}")


def _exact_rnn(n: int, k: int) -> Fraction:
    (total,) = _trace_moments_exact.pair_sums(n, 2 * k, [0])
    moment: Fraction = 2 * total / (n ** (2 * k + 1) * (n + 1))
    return moment


def _lru_pairs(t: int) -> Iterator[tuple[int, list[int]]]:
    """All pairs i <= j <= t as i + j and its list of j - i."""
    for total in range(2 * t + 1):
        yield total, list(range(total % 2, min(total, 2 * t - total) + 1, 2))


def _exact_lru(n: int, t: int) -> Fraction:
    result = Fraction(0)
    for total, differences in _lru_pairs(t):
        sums = _trace_moments_exact.pair_sums(n, total, differences)
        twice = sum((s if d == 0 else 2 * s) for d, s in zip(differences, sums, strict=True))
        result += 2 * Fraction(twice) / n ** (total + 2)
    return result


def _symbolic_rnn(n: Any, k: int) -> Any:
    """Divide 2 P(n) by n + 1, from the constant term up, and by n^(2k+1)."""
    import sympy

    (counts,) = _trace_moments_exact.pair_counts(2 * k, [0])
    quotient = 0
    terms = []
    for power in range(2 * k + 2):
        quotient = counts.get(power, 0) - quotient
        terms.append(quotient * n ** (power - 2 * k - 1))
    return sympy.Add(*terms)


def _symbolic_lru(n: Any, t: int) -> Any:
    import sympy

    terms = []
    for total, differences in _lru_pairs(t):
        polynomials = _trace_moments_exact.pair_counts(total, differences)
        for d, counts in zip(differences, polynomials, strict=True):
            pairs = 1 if d == 0 else 2
            terms += [pairs * c * n ** (power - total - 2) for power, c in counts.items()]
    return sympy.Add(*terms)
