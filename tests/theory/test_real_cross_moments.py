"""Cross moments of real weights: closed form, triple sum and enumeration are one."""

import itertools
import random
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from sigprop.theory.real_cross_moments import (
    cross_numerator,
    cross_pairing_counts,
    products,
    real_cross_moment,
)
from sigprop.theory.real_cross_references import (
    MAX_PAIRED_WEIGHTS,
    cross_pairing_polynomial,
    cross_triple_sum,
)
from sigprop.theory.real_pairings import pairing_polynomial

N = sympy.Symbol("n")


def _integer(n, i, j):
    """C_{i,j}(n) by the closed form."""
    value = real_cross_moment(n, i, j) * n ** ((i + j) // 2 + 1)
    assert value.denominator == 1
    return int(value)


@pytest.mark.parametrize(("i", "j"), [(i, j) for i in range(11) for j in range(i, 11 - i)])
def test_closed_form_is_the_enumeration(i, j):
    assert cross_pairing_counts(i, j) == cross_pairing_polynomial(i, j)


@pytest.mark.slow
@pytest.mark.parametrize("i", range(7))
def test_closed_form_is_the_enumeration_of_twelve_weights(i):
    assert cross_pairing_counts(i, 12 - i) == cross_pairing_polynomial(i, 12 - i)


@pytest.mark.parametrize("k", range(6))
def test_enumeration_of_equal_powers_is_that_of_the_energy(k):
    assert cross_pairing_polynomial(k, k) == pairing_polynomial(k)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 50, 10**6])
def test_closed_form_is_the_triple_sum(n):
    for i, j in itertools.combinations_with_replacement(range(17), 2):
        assert _integer(n, i, j) == cross_triple_sum(n, i, j)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_closed_form_is_the_triple_sum_at_random_widths(seed):
    # Two polynomials of degree 61 that agree at a random 62-bit integer are one, but for a
    # chance of 61 in 2**61.
    rng = random.Random(seed)
    n = rng.randrange(2**61, 2**62)
    for i in range(4, 61, 8):
        for j in range(i, 61, 6):
            assert _integer(n, i, j) == cross_triple_sum(n, i, j)


def test_a_neighbouring_formula_is_told_apart():
    # Negative control: the moment of neighbouring powers, and the formula of i = j for i < j.
    assert _integer(50, 3, 5) != cross_triple_sum(50, 2, 6)
    assert _integer(50, 3, 5) != _integer(50, 4, 4)


@pytest.mark.parametrize("h", range(1, 12))
def test_trace_of_an_even_power(h):
    # (1/n) E tr W^(2h) = n^(-h-1) prod_{t<h} (n + 2t)
    expected = sympy.Mul(*(N + 2 * t for t in range(h)))
    assert sympy.expand(real_cross_moment(N, 0, 2 * h) * N ** (h + 1) - expected) == 0


def test_leading_coefficients():
    # 1 for i = j, (i + 1)/n for i < j.
    for i, j in itertools.combinations_with_replacement(range(9), 2):
        if (i + j) % 2 == 0:
            power, count = next(iter(cross_pairing_counts(i, j).items()))
            m = (i + j) // 2 + 1
            assert (power, count) == ((m, 1) if i == j else (m - 1, i + 1))


def test_width_one_is_a_normal_moment():
    # E g^(i+j) = (i+j-1)!!
    for i, j in itertools.product(range(12), repeat=2):
        expected = 0 if (i + j) % 2 else sympy.factorial2(i + j - 1)
        assert real_cross_moment(1, i, j) == expected


@given(st.integers(1, 10**30), st.integers(0, 30), st.integers(0, 30))
def test_symmetric_positive_and_a_fraction(n, i, j):
    value = real_cross_moment(n, i, j)
    assert type(value) is Fraction
    assert value == real_cross_moment(n, j, i)
    assert value > 0 if (i + j) % 2 == 0 else value == 0


@given(st.integers(1, 10**6), st.integers(0, 12), st.integers(0, 12))
@settings(max_examples=30)
def test_symbol_and_number_agree(n, i, j):
    value = sympy.sympify(real_cross_moment(N, i, j)).subs(N, n)
    assert Fraction(int(value.p), int(value.q)) == real_cross_moment(n, i, j)


def test_numerators_divide():
    # The closed form divides by (4m^2-1)(2m-d): what it floors has no remainder.
    factors = products(7, 20)
    for i, j in itertools.product(range(0, 19, 2), repeat=2):
        assert cross_numerator(i, j, factors) == cross_triple_sum(7, i, j)


@pytest.mark.parametrize("function", [real_cross_moment, cross_triple_sum])
def test_bad_arguments(function):
    for arguments, name in (((0, 1, 1), "n"), ((3, -1, 1), "i"), ((3, 1, -1), "j")):
        with pytest.raises(ValueError, match=f"^{name} must be an integer"):
            function(*arguments)
    for arguments, name in (((3.0, 1, 1), "n"), ((3, True, 1), "i"), ((3, 1, "1"), "j")):
        with pytest.raises(TypeError, match=f"^{name} must be an integer"):
            function(*arguments)


def test_enumeration_has_an_end():
    with pytest.raises(ValueError, match=r"i \+ j must be at most 12"):
        cross_pairing_polynomial(7, MAX_PAIRED_WEIGHTS - 6)
    assert cross_pairing_polynomial(2, 3) == {} == cross_pairing_counts(2, 3)
