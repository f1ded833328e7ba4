from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from sigprop import combinatorics, exact

widths = st.integers(min_value=1, max_value=10**6)
depths = st.integers(min_value=0, max_value=60)


def _by_hultman(n, k):
    return sum(
        Fraction(count * n**j, n ** (k + 1))
        for j, count in enumerate(combinatorics.hultman_row(k), start=1)
    )


def _by_factorials(n, k):
    rising = falling = 1
    for j in range(k + 2):
        rising *= n + j
        falling *= n - j
    return Fraction(rising - falling, (k + 1) * (k + 2) * n ** (k + 1))


def test_reference_values(reference):
    for row in reference["rnn_energy_exact"]:
        assert exact.rnn_energy(row["n"], row["k"]) == Fraction(row["Q"])
    for row in reference["lru_energy_exact"]:
        assert exact.lru_energy(row["n"], row["t"]) == Fraction(row["S"])
        assert exact.rnn_energy(row["n"], row["t"]) == Fraction(row["Q"])


@pytest.mark.parametrize("k", range(8))
@pytest.mark.parametrize("n", [1, 2, 3, 7, 100])
def test_three_routes_agree(n, k):
    enumerated = sum(
        Fraction(count * n**power, n ** (k + 1))
        for power, count in combinatorics.wick_polynomial(k).items()
    )
    assert enumerated == _by_hultman(n, k) == _by_factorials(n, k) == exact.rnn_energy(n, k)


@given(widths, depths)
def test_rnn_energy_is_the_closed_form(n, k):
    assert exact.rnn_energy(n, k) == _by_factorials(n, k)


@given(widths, depths)
def test_lru_energy_is_the_sum_of_rnn_energies(n, t):
    assert exact.lru_energy(n, t) == sum(_by_factorials(n, k) for k in range(t + 1))


@given(st.integers(1, 400), st.integers(0, 120))
@settings(max_examples=30)
def test_tables_agree_with_single_points(n, last):
    rnn, lru = exact.rnn_energies(n, last), exact.lru_energies(n, last)
    assert len(rnn) == len(lru) == last + 1
    for k in {0, last // 2, last}:
        assert rnn[k] == exact.rnn_energy(n, k)
        assert lru[k] == exact.lru_energy(n, k)
        assert exact.rnn_numerators(n, last)[k] == rnn[k] * n ** (2 * (k // 2))
        assert exact.lru_numerators(n, last)[k] == lru[k] * n ** (2 * (k // 2))


@given(widths, depths)
def test_three_term_recurrence(n, k):
    now, after, later = (exact.rnn_energy(n, k + step) for step in range(3))
    lift = Fraction((k + 1) * (k + 2) ** 2, n * n)
    assert (k + 4) * later == (2 * k + 5) * after - (k + 1) * now + lift * now


@given(widths, depths)
def test_energies_are_nondecreasing_in_depth(n, k):
    assert 1 <= exact.rnn_energy(n, k) <= exact.rnn_energy(n, k + 1)


def test_width_one_is_the_factorial():
    assert exact.rnn_energy(1, 20) == 2432902008176640000


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64, np.array, sympy.Integer])
def test_every_integer_kind_is_exact(kind):
    # 100**40 overflows int64: a NumPy integer must behave as a Python one.
    assert exact.rnn_energy(kind(100), kind(40)) == exact.rnn_energy(100, 40)
    assert exact.lru_energy(kind(100), kind(40)) == exact.lru_energy(100, 40)


def test_depth_beyond_the_width():
    # The falling factorial vanishes from k = n - 1 on; k = n - 2 is the last depth with one.
    for n in (2, 3, 8):
        for k in (n - 2, n - 1, n, n + 1, 3 * n):
            assert exact.rnn_energy(n, k) == _by_factorials(n, k)
            assert exact.lru_energy(n, k) == sum(_by_factorials(n, j) for j in range(k + 1))


@pytest.mark.parametrize("k", [0, 1, 2, 5, 12, 40])
def test_symbolic_energies(k):
    n = sympy.Symbol("n", positive=True)
    for function in (exact.rnn_energy, exact.lru_energy):
        expression = function(n, k)
        assert isinstance(expression, sympy.Expr)
        for width in (1, 3, 50):
            value = expression.subs(n, width)
            assert Fraction(int(value.p), int(value.q)) == function(width, k)


def test_symbolic_width_may_be_an_expression():
    n = sympy.Symbol("n")
    assert sympy.simplify(exact.rnn_energy(2 * n, 2) - (1 + 1 / (4 * n**2))) == 0


def test_genus_coefficients_are_polynomials_in_the_depth():
    # q_1 = C(k+2, 4), q_2 = C(k+2, 6) (3k^2 + 5k - 4) / 8, and sums over depths alike.
    binomial = sympy.binomial
    for k in range(30):
        q = [*exact.genus_coefficients(k), 0, 0][:3]
        assert q[1] == binomial(k + 2, 4)
        assert q[2] == binomial(k + 2, 6) * (3 * k**2 + 5 * k - 4) / 8
        s = [*exact.lru_genus_coefficients(k), 0, 0][:3]
        assert s[0] == k + 1
        assert s[1] == binomial(k + 3, 5)
        assert s[2] == binomial(k + 3, 7) * (7 * k**2 + 21 * k - 4) / 24


@pytest.mark.parametrize("function", [exact.rnn_energy, exact.lru_energy])
@pytest.mark.parametrize(
    ("n", "k", "error", "name"),
    [
        (0, 1, ValueError, "n"),
        (-3, 1, ValueError, "n"),
        (3, -1, ValueError, "[kt]"),
        (True, 1, TypeError, "n"),
        (3, False, TypeError, "[kt]"),
        (2.0, 1, TypeError, "n"),
        (3, 1.5, TypeError, "[kt]"),
        (float("nan"), 1, TypeError, "n"),
        ("3", 1, TypeError, "n"),
        (None, 1, TypeError, "n"),
        ([3, 4], 1, TypeError, "n"),
    ],
)
def test_bad_input_is_refused_by_name(function, n, k, error, name):
    with pytest.raises(error, match=f"^{name} must be an integer"):
        function(n, k)


def test_a_wrong_closed_form_is_noticed():
    # Negative control of the comparisons above: k+1 in place of k+2 in the prefactor.
    wrong = _by_factorials(5, 3) * Fraction(5, 4)
    assert exact.rnn_energy(5, 3) != wrong
