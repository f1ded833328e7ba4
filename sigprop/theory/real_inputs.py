r"""Energy of the real Gaussian LRU whatever the correlation of its inputs: exact and float64.

For :math:`h_t = W h_{t-1} + x_t` with real W and stationary inputs of autocorrelation R, an
input law of `sigprop.theory.input_laws`,

.. math:: S_{n,t} = \frac1n E \|h_t\|^2
   = \sum_{i,j=0}^{t} R(i - j)\, \frac1n E\,\mathrm{tr}\,(W^i)^T W^j .

The moments vanish for i + j odd, so only even lags count: inputs ``("ar1", rho)`` and
``("ar1", -rho)`` give the same energy.  The other moments are positive.  For complex weights
all of them vanish but those with i = j, and the input law does not matter in the mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from sigprop._arguments import (
    FLOAT_WIDTH_LIMIT,
    FloatArray,
    as_exact_depth,
    as_exact_integer,
    as_finite_float,
    as_integer,
    shown,
)
from sigprop.theory._real_inputs_kernel import LruSums, lru_sums
from sigprop.theory._symbolic import is_symbolic
from sigprop.theory.input_laws import autocorrelation, exact_autocorrelation
from sigprop.theory.real_cross_moments import (
    Products,
    cross_numerator,
    double_factorial,
    polynomial_digits,
    products,
    symbolic_sum,
)

MAX_STEPS = 5000
"""Largest depth of the float64 energies: O(t^3) time, O(t) memory for mild energies."""


def exact_lru_energy(n: Any, t: int, inputs: Any) -> Any:
    r"""Return :math:`S_{n,t} = \sum_{i,j} R(i-j) \frac1n E\,\mathrm{tr}\,(W^i)^T W^j` exactly.

    Parameters
    ----------
    n : int or sympy expression
        Width, >= 1, any Python or NumPy integer, or a SymPy symbol.
    t : int
        Depth, >= 0: inputs 0, ..., t have entered.
    inputs : "white", "constant", ("ar1", rho) or array_like
        The input law.  Its numbers may be `Fraction`; a float counts as the binary
        fraction that it is.

    Returns
    -------
    fractions.Fraction or sympy.Expr
        The energy; for a symbol the polynomial in 1/n.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    O(t^3) products of integers of O(t) words: two seconds at t = 200.

    References
    ----------
    docs/theory_real.md.

    Examples
    --------
    >>> print(exact_lru_energy(2, 2, "constant"), exact_lru_energy(2, 2, "white"))
    9/2 7/2
    >>> import sympy
    >>> exact_lru_energy(sympy.Symbol("n"), 4, "constant")
    5 + 14/n + 54/n**2 + 48/n**3 + 48/n**4
    """
    t = as_exact_depth("t", t)
    weights = _lag_weights(inputs, t)
    if not is_symbolic(n):
        return _exact_energies(as_exact_integer("n", n, 1), t, weights)[-1]
    # The sums over moments of one lag are polynomials with coefficients from 0 to their value
    # at n = 1, a sum of (2m-3)!! over m <= t + 1: the digits of their value at n = 2**bits.
    bits = (2 * double_factorial(2 * t - 1)).bit_length()
    *_, totals = _lag_totals(t, weights, products(1 << bits, t + 1))
    coefficients: dict[int, Fraction] = {}
    for lag, total in totals.items():
        for power, count in polynomial_digits(total, bits).items():
            place = power - t - 1
            coefficients[place] = coefficients.get(place, Fraction(0)) + weights[lag] * count
    return symbolic_sum(n, coefficients)


def exact_lru_energies(n: int, tmax: int, inputs: Any) -> list[Fraction]:
    """Return S_{n,t} exactly for t = 0, ..., tmax, at the cost of the last one alone.

    Parameters
    ----------
    n : int
        Width, >= 1.
    tmax : int
        Last depth, >= 0.
    inputs : "white", "constant", ("ar1", rho) or array_like
        The input law, as for `exact_lru_energy`.

    Returns
    -------
    list of fractions.Fraction
        ``tmax + 1`` energies.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Examples
    --------
    >>> [str(S) for S in exact_lru_energies(3, 3, "constant")]
    ['1', '2', '35/9', '208/27']
    """
    width, tmax = as_exact_integer("n", n, 1), as_exact_depth("tmax", tmax)
    return _exact_energies(width, tmax, _lag_weights(inputs, tmax))


def _exact_energies(n: int, tmax: int, weights: dict[int, Fraction]) -> list[Fraction]:
    energies, denominator = [], 1
    for totals in _lag_totals(tmax, weights, products(n, tmax + 1)):
        denominator *= n
        terms = (weights[lag] * total for lag, total in totals.items())
        energies.append(sum(terms, start=Fraction(0)) / denominator)
    return energies


def _lag_weights(inputs: Any, tmax: int) -> dict[int, Fraction]:
    """Return how often R counts at each even lag, times R, where that is not zero."""
    correlation = exact_autocorrelation(inputs, tmax + 1)
    weights = {lag: (2 if lag else 1) * R for lag, R in enumerate(correlation) if lag % 2 == 0}
    return {lag: weight for lag, weight in weights.items() if weight != 0}


def _lag_totals(tmax: int, lags: Iterable[int], factors: Products) -> Iterator[dict[int, int]]:
    """Yield n^(t+1) times the sum of the moments (i, i + lag), i + lag <= t, for t = 0, 1, ..."""
    n = factors.width
    totals: dict[int, int] = {}
    for t in range(tmax + 1):
        for lag in lags:
            if lag <= t:
                term = cross_numerator(t - lag, t, factors) * n ** (lag // 2)
                totals[lag] = totals.get(lag, 0) * n + term
        yield totals


def log_lru_energies(n: Any, tmax: Any, inputs: Any, log_gain: float = 0.0) -> FloatArray:
    r"""Return :math:`\log S_{n,t}`, t = 0, ..., tmax, of the real LRU with gain exp(log_gain).

    Parameters
    ----------
    n : int
        Width, 1 to 2**53.
    tmax : int
        Largest depth, 0 to 5000.
    inputs : "white", "constant", ("ar1", rho) or array_like
        The input law.
    log_gain : float, optional
        Logarithm of the factor on the weights: the moment of W^i and W^j gets the factor
        exp((i + j) log_gain).

    Returns
    -------
    ndarray of float64, shape (tmax + 1,)
        Natural logarithms, finite at every width and depth.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Relative error of S below 1e-12 max(1, log S) where no R at an even lag is negative, which
    includes white, constant and AR(1) inputs; otherwise that, relative to the sum of the
    moments with abs(R) in place of R.  O(t^3) time, about two seconds at t = 2000.

    Examples
    --------
    >>> float(np.exp(log_lru_energies(25600, 160, "constant")[-1]) / 160).__round__(5)
    1.21385
    """
    sums = _sums(n, tmax, inputs, as_finite_float("log_gain", log_gain))
    return sums.log_scale + np.log(sums.plain + sums.excess)


def lru_excesses(n: Any, tmax: Any, inputs: Any) -> FloatArray:
    r"""Return :math:`S_{n,t}/(t+1) - 1`, t = 0, ..., tmax, of the real LRU.

    Parameters
    ----------
    n, tmax, inputs
        As for `log_lru_energies`.

    Returns
    -------
    ndarray of float64, shape (tmax + 1,)
        Excess over infinite width; inf where it overflows.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its domain.

    Notes
    -----
    Accurate also where the excess is far below the resolution of S, whatever the law of
    the inputs. Relative error below 1e-12 (measured 2e-13).

    Examples
    --------
    >>> f"{lru_excesses(10**15, 2, 'constant')[2]:.12e}"
    '6.666666666667e-16'
    """
    sums = _sums(n, tmax, inputs, 0.0, with_excess=True)
    with np.errstate(over="ignore"):
        return sums.excess * np.exp(sums.log_scale) / np.arange(1.0, sums.excess.size + 1.0)


def _sums(n: Any, tmax: Any, inputs: Any, log_gain: float, with_excess: bool = False) -> LruSums:
    width, steps = as_integer("n", n, 1), as_integer("tmax", tmax, 0)
    if width > FLOAT_WIDTH_LIMIT:
        raise ValueError(
            f"n must be at most 2**53, got {shown(width)}; for a larger n use exact_lru_energy"
        )
    if steps > MAX_STEPS:
        raise ValueError(f"tmax must be at most {MAX_STEPS}, got {shown(steps)}")
    excess = None
    if with_excess:
        from sigprop.theory.curves import rnn_energy_curve

        excess = rnn_energy_curve(width, steps, field="real").excess
    return lru_sums(width, steps, autocorrelation(inputs, steps + 1), log_gain, excess)
