"""Exact energies of real weights: tables, sums over depths, symbols."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import sigprop
from sigprop.theory import exact, real_weights
from sigprop.theory.real_pairings import MAX_PAIRING_DEPTH, pairing_polynomial

widths = st.integers(1, 10**6)
depths = st.integers(0, 50)


def test_the_example():
    assert str(sigprop.exact.rnn_energy(7, 3, field="real")) == "417/343"


@pytest.mark.parametrize("k", range(7))
def test_polynomials_are_the_enumeration(k):
    _check_enumeration(k)


@pytest.mark.slow
@pytest.mark.parametrize("k", [7, 8])
def test_polynomials_are_the_enumeration_at_depths_of_many_pairings(k):
    _check_enumeration(k)


def _check_enumeration(k):
    n = sympy.Symbol("n")
    enumerated = pairing_polynomial(k)
    assert sum(enumerated.values()) == math.prod(range(1, 2 * k, 2))
    assert real_weights.pairing_counts(k) == enumerated
    wanted = sum(count * n ** (power - k - 1) for power, count in enumerated.items())
    assert sympy.expand(exact.rnn_energy(n, k, field="real") - wanted) == 0


def test_enumeration_stops_at_two_million_pairings():
    with pytest.raises(ValueError, match="k must be at most 8 for an enumeration"):
        pairing_polynomial(MAX_PAIRING_DEPTH + 1)


@given(widths, depths)
@settings(max_examples=60, deadline=None)
def test_recurrence_is_the_closed_form(n, k):
    assert exact.rnn_energy(n, k, field="real") == real_weights.exact_rnn_energy(n, k)


@given(st.integers(1, 300), st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_tables_agree_with_single_points(n, last):
    rnn, lru = exact.rnn_energies(n, last, "real"), exact.lru_energies(n, last, "real")
    assert len(rnn) == len(lru) == last + 1
    for k in {0, last // 2, last}:
        assert rnn[k] == exact.rnn_energy(n, k, "real")
        assert lru[k] == exact.lru_energy(n, k, "real") == sum(rnn[: k + 1])
        assert exact.rnn_numerators(n, last, "real")[k] == rnn[k] * n**k
        assert exact.lru_numerators(n, last, "real")[k] == lru[k] * n**k


@given(widths, depths)
@settings(max_examples=60, deadline=None)
def test_energies_are_nondecreasing_in_depth(n, k):
    now, after = (exact.rnn_energy(n, k + step, "real") for step in (0, 1))
    assert 1 <= now <= after


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_width_and_depth_may_cross(n):
    for k in range(max(n - 3, 0), n + 4):
        assert exact.rnn_energy(n, k, "real") == real_weights.exact_rnn_energy(n, k)


def test_width_one_is_a_sum_of_normal_moments():
    moments = [math.prod(range(1, 2 * k, 2)) for k in range(200)]
    assert exact.rnn_energies(1, 199, "real") == moments
    assert exact.lru_energy(1, 199, "real") == sum(moments)


def test_deep_tables():
    table = exact.rnn_energies(1000, 1000, field="real")
    for k in (2, 500, 1000):
        assert table[k] == real_weights.exact_rnn_energy(1000, k)
    assert exact.lru_energies(1000, 300, "real")[300] == sum(table[:301])


@pytest.mark.parametrize("k", [0, 1, 2, 5, 12, 40])
def test_symbolic_energies(k):
    n = sympy.Symbol("n", positive=True)
    for function in (exact.rnn_energy, exact.lru_energy):
        expression = function(n, k, field="real")
        assert isinstance(expression, sympy.Expr)
        for width in (1, 3, 50):
            value = expression.subs(n, width)
            assert Fraction(int(value.p), int(value.q)) == function(width, k, field="real")


def test_symbolic_width_may_be_an_expression():
    n = sympy.Symbol("n")
    assert sympy.simplify(exact.rnn_energy(2 * n, 2, "real") - (1 + 1 / (2 * n**2))) == 0
    assert str(exact.lru_energy(n, 2, "real")) == "3 + 2/n**2"


def test_terms_in_the_inverse_width():
    # The terms in 1/n^2 and 1/n^3 are quasi-polynomials of period two in the depth.
    for k in range(30):
        numbers = exact._exact_real.coefficients(exact._exact_real.rnn_numerator, k)
        u = [*numbers, 0, 0, 0][:4]
        odd = k % 2
        assert u[:2] == [1, 0]
        assert 24 * u[2] == k**4 + 8 * k**3 - 4 * k**2 - 8 * k + 3 * odd
        if odd:
            assert 480 * u[3] == (k**2 - 1) * (34 * k**3 - 95 * k**2 + 74 * k - 45)
        else:
            assert 480 * u[3] == k * (k - 2) * (34 * k**3 - 27 * k**2 - 14 * k - 8)


@pytest.mark.parametrize("inputs", ["constant", ("ar1", 0.5), np.array([1.0, 0.25])])
def test_inputs_do_not_matter_for_complex_weights(inputs):
    assert exact.lru_energy(6, 9, inputs=inputs) == exact.lru_energy(6, 9)
    assert exact.lru_energies(6, 9, inputs=inputs) == exact.lru_energies(6, 9)


def test_constant_inputs_of_real_weights():
    # Coefficients of 1/n^j at t = 2, 3: 3 + 2/n + 2/n^2 and 4 + 6/n + 14/n^2 + 4/n^3.
    wanted = [
        sum(Fraction(c, 8**j) for j, c in enumerate(row)) for row in ([3, 2, 2], [4, 6, 14, 4])
    ]
    assert exact.lru_energy(8, 2, "real", "constant") == wanted[0]
    assert exact.lru_energies(8, 3, "real", "constant")[2:] == wanted
    assert exact.lru_energy(8, 2, "real") == 3 + Fraction(2, 8**2)
    assert exact.lru_energy(8, 2, "real", np.array([1.0, 0.0])) == 3 + Fraction(2, 8**2)
    n = sympy.Symbol("n")
    assert str(exact.lru_energy(n, 2, "real", "constant")) == "3 + 2/n + 2/n**2"


def test_correlations_may_be_rationals():
    # S = 1 + Q_1 + Q_2 + 2 R(2) C_{0,2}/n^2 with C_{0,2} = n at t = 2; odd lags do not count.
    for rho in (Fraction(1, 3), Fraction(-1, 3)):
        value = exact.lru_energy(8, 2, "real", ("ar1", rho))
        assert value == 3 + Fraction(2, 8**2) + 2 * rho**2 / 8


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64, np.array, sympy.Integer])
def test_every_integer_kind_is_exact(kind):
    for function in (exact.rnn_energy, exact.lru_energy):
        assert function(kind(100), kind(40), "real") == function(100, 40, "real")


@pytest.mark.parametrize(
    "function",
    [
        exact.rnn_energy,
        exact.lru_energy,
        exact.rnn_energies,
        exact.lru_energies,
        exact.rnn_numerators,
        exact.lru_numerators,
    ],
)
def test_unknown_fields_are_refused(function):
    with pytest.raises(ValueError, match="field must be one of 'complex', 'real', got 'R'"):
        function(3, 2, field="R")


@pytest.mark.parametrize("field", ["complex", "real"])
def test_unknown_inputs_are_refused(field):
    with pytest.raises(ValueError, match="inputs must be"):
        exact.lru_energy(3, 2, field, inputs="pink")
