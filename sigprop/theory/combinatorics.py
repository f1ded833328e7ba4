"""Stirling numbers, Hultman numbers and the commutator cycles behind them.

The energy of a complex Gaussian RNN is a sum over Wick pairings, one for each
permutation of k letters, and a pairing contributes a power of the width equal
to the number of cycles of a commutator.  `wick_polynomial` enumerates exactly
that and is the ground truth of the package; `hultman_row` counts the same
cycles through Stirling numbers and is what the exact energies are built on.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sigprop._arguments import as_exact_integer

__all__ = [
    "MAX_ENUMERATION_DEPTH",
    "commutator_cycle_count",
    "cycle_count",
    "hultman_number",
    "hultman_row",
    "stirling_row",
    "wick_polynomial",
]

MAX_ENUMERATION_DEPTH = 10
"""Largest depth whose k! pairings `wick_polynomial` will enumerate (10! = 3.6 million)."""


def stirling_row(m: int) -> list[int]:
    r"""Return the unsigned Stirling numbers :math:`[c(m, 0), \dots, c(m, m)]`.

    They are the coefficients of the rising factorial:
    :math:`x(x+1)\cdots(x+m-1) = \sum_j c(m, j) x^j`.

    Parameters
    ----------
    m : int
        Number of letters, >= 0.

    Returns
    -------
    list of int
        ``m + 1`` exact integers with sum ``m!``.

    Raises
    ------
    TypeError, ValueError
        If `m` is not an integer >= 0.

    Notes
    -----
    With python-flint a polynomial product tree; without it one multiplication
    by each linear factor, which is quadratic in `m` but needs nothing installed.

    Examples
    --------
    >>> stirling_row(4)
    [0, 6, 11, 6, 1]
    """
    m = as_exact_integer("m", m, 0)
    try:
        from flint import fmpz_poly
    except ImportError:
        return _stirling_row_python(m)
    return [int(c) for c in _rising_factorial(fmpz_poly, 0, m).coeffs()]


def _stirling_row_python(m: int) -> list[int]:
    row = [1]
    for j in range(m):
        shifted, scaled = [0, *row], [j * c for c in row]
        row = [a + b for a, b in zip(shifted, [*scaled, 0], strict=True)]
    return row


def _rising_factorial(polynomial: Any, start: int, stop: int) -> Any:
    """Product of (x + j) over start <= j < stop, by halves so that factors stay balanced."""
    if stop - start <= 16:
        product = polynomial([1])
        for j in range(start, stop):
            product *= polynomial([j, 1])
        return product
    middle = (start + stop) // 2
    return _rising_factorial(polynomial, start, middle) * _rising_factorial(
        polynomial, middle, stop
    )


def hultman_row(k: int) -> list[int]:
    r"""Return the Hultman numbers :math:`[S_H(k, 1), \dots, S_H(k, k+1)]`.

    :math:`S_H(k, j) = 2 c(k+2, j) / ((k+1)(k+2))` if :math:`k - j` is odd, else 0:
    the number of permutations of k letters whose commutator with the long cycle
    of k + 1 letters has j cycles.

    Parameters
    ----------
    k : int
        Depth, >= 0.

    Returns
    -------
    list of int
        ``k + 1`` exact integers with sum ``k!``; entry ``j - 1`` is :math:`S_H(k, j)`.

    Raises
    ------
    TypeError, ValueError
        If `k` is not an integer >= 0.

    References
    ----------
    arXiv 2605.05113; OEIS A164652.

    Examples
    --------
    >>> hultman_row(4)
    [8, 0, 15, 0, 1]
    """
    k = as_exact_integer("k", k, 0)
    stirling = stirling_row(k + 2)
    pairs = (k + 1) * (k + 2) // 2
    return [stirling[j] // pairs if (k - j) % 2 else 0 for j in range(1, k + 2)]


def hultman_number(k: int, j: int) -> int:
    r"""Return :math:`S_H(k, j)`, the permutations of k letters with j commutator cycles.

    Parameters
    ----------
    k : int
        Depth, >= 0.
    j : int
        Number of cycles, >= 0; zero outside ``1 <= j <= k + 1``.

    Returns
    -------
    int
        The exact count.

    Raises
    ------
    TypeError, ValueError
        If `k` or `j` is not an integer >= 0.

    Notes
    -----
    Computes the whole row; take `hultman_row` when several entries are wanted.

    Examples
    --------
    >>> hultman_number(5, 2)
    84
    """
    k = as_exact_integer("k", k, 0)
    j = as_exact_integer("j", j, 0)
    return hultman_row(k)[j - 1] if 1 <= j <= k + 1 else 0


def _as_permutation(sigma: Sequence[int]) -> tuple[int, ...]:
    if isinstance(sigma, (str, bytes)) or not hasattr(sigma, "__iter__"):
        raise TypeError(f"sigma must be a sequence of 0-based images, got {sigma!r}")
    image = tuple(as_exact_integer("sigma", value, 0) for value in sigma)
    if sorted(image) != list(range(len(image))):
        raise ValueError(
            f"sigma must hold each of 0, ..., {len(image) - 1} exactly once, got {image}"
        )
    return image


def cycle_count(sigma: Sequence[int]) -> int:
    """Return the number of cycles of a permutation, fixed points included.

    Parameters
    ----------
    sigma : sequence of int
        0-based images: letter ``i`` goes to ``sigma[i]``.

    Returns
    -------
    int
        Number of cycles; 0 for the empty permutation.

    Raises
    ------
    TypeError, ValueError
        If `sigma` is not a permutation of ``0, ..., len(sigma) - 1``.

    Examples
    --------
    >>> cycle_count((1, 0, 2))
    2
    """
    return _count_cycles(_as_permutation(sigma))


def _count_cycles(image: Sequence[int]) -> int:
    unseen = [True] * len(image)
    cycles = 0
    for start in range(len(image)):
        if unseen[start]:
            cycles += 1
            letter = start
            while unseen[letter]:
                unseen[letter] = False
                letter = image[letter]
    return cycles


def commutator_cycle_count(sigma: Sequence[int]) -> int:
    r"""Return the cycles of :math:`\tau\tilde\sigma\tau^{-1}\tilde\sigma^{-1}`.

    :math:`\tilde\sigma` extends `sigma` from k letters to k + 1 by a fixed point
    in front, and :math:`\tau = (0\,1 \cdots k)` is the long cycle.  It is the
    number of free indices of the Wick pairing `sigma`.

    Parameters
    ----------
    sigma : sequence of int
        Permutation of k letters as 0-based images.

    Returns
    -------
    int
        Number of cycles, between 1 and k + 1, of the parity of k + 1.

    Raises
    ------
    TypeError, ValueError
        If `sigma` is not a permutation.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> commutator_cycle_count((0, 1, 2))
    4
    >>> commutator_cycle_count((1, 0, 2))
    2
    """
    return _commutator_cycles(_as_permutation(sigma))


def _commutator_cycles(sigma: Sequence[int]) -> int:
    size = len(sigma) + 1
    extended = [0, *(letter + 1 for letter in sigma)]
    inverse = [0] * size
    for letter, image in enumerate(extended):
        inverse[image] = letter
    commutator = [(extended[inverse[letter] - 1] + 1) % size for letter in range(size)]
    return _count_cycles(commutator)


def wick_polynomial(k: int) -> dict[int, int]:
    r"""Enumerate all pairings: :math:`n^{k+1} Q_{n,k} = \sum_{\sigma \in S_k} n^{cyc(\sigma)}`.

    Parameters
    ----------
    k : int
        Depth, 0 to 10: all k! permutations are visited.

    Returns
    -------
    dict of int to int
        Power of the width n (descending) to the number of pairings with it.

    Raises
    ------
    TypeError, ValueError
        If `k` is not an integer from 0 to 10.

    Notes
    -----
    Deliberately slow and obvious, the ground truth for `hultman_row`: depth 8
    takes a fraction of a second, depth 10 about half a minute.

    References
    ----------
    arXiv 2605.05113.

    Examples
    --------
    >>> wick_polynomial(4)
    {5: 1, 3: 15, 1: 8}
    """
    k = as_exact_integer("k", k, 0)
    if k > MAX_ENUMERATION_DEPTH:
        raise ValueError(
            f"k must be at most {MAX_ENUMERATION_DEPTH} for an enumeration of k! pairings, "
            f"got {k}; hultman_row gives the same counts at any depth"
        )
    counts = Counter(_commutator_cycles(sigma) for sigma in itertools.permutations(range(k)))
    return dict(sorted(counts.items(), reverse=True))
