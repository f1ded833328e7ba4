import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from sigprop import exact
from sigprop.theory import real_weights

# M_k(n) by its coefficients of n, n^2, ..., n^(k+1), from enumerations of all pairings.
POLYNOMIALS = {
    8: [609600, 800624, 470832, 116900, 27184, 1556, 328, 0, 1],
    10: [
        176574720, 256855424, 158093464, 50486248, 11255770, 1295086, 162440, 5192, 730, 0, 1,
    ],
}  # fmt: skip


def test_reference_values(reference):
    rows = reference["rnn_energy_real_exact"]
    assert rows
    for row in rows:
        assert real_weights.exact_rnn_energy(row["n"], row["k"]) == Fraction(row["Q_real"])


def test_reference_polynomials(reference):
    n = sympy.Symbol("n")
    polynomials = reference["real_polynomials_in_1_over_n"]
    assert sorted(map(int, polynomials)) == [0, 1, 2, 3, 4, 5]
    for k, coefficients in polynomials.items():
        wanted = sum(c / n ** int(power) for power, c in coefficients.items())
        assert sympy.expand(real_weights.exact_rnn_energy(n, int(k)) - wanted) == 0


def test_the_example():
    value = real_weights.exact_rnn_energy(7, 3)
    assert str(value) == "417/343"
    assert value == 1 + Fraction(10, 7**2) + Fraction(4, 7**3)
    assert real_weights.moment(7, 3) == value * 7**4


@pytest.mark.parametrize("k", sorted(POLYNOMIALS))
def test_closed_form_at_greater_depth(k):
    counts = {power: c for power, c in enumerate(POLYNOMIALS[k], start=1) if c}
    assert real_weights.pairing_counts(k) == counts


@pytest.mark.parametrize("k", [1, 2, 9, 40, 101])
def test_coefficients_count_all_pairings(k):
    counts = real_weights.pairing_counts(k)
    assert sum(counts.values()) == math.prod(range(1, 2 * k, 2))
    assert counts[k + 1] == 1
    assert k not in counts  # no term in 1/n


@pytest.mark.parametrize("k", [0, 1, 2, 5, 60, 301])
def test_width_one_is_a_normal_moment(k):
    assert real_weights.exact_rnn_energy(1, k) == math.prod(range(1, 2 * k, 2))


@given(st.integers(1, 10**6), st.integers(0, 40))
@settings(max_examples=60)
def test_real_energy_is_at_least_the_complex_one(n, k):
    assert real_weights.exact_rnn_energy(n, k) >= exact.rnn_energy(n, k)


@given(st.integers(1, 60), st.integers(0, 25))
@settings(max_examples=40)
def test_polynomial_agrees_with_the_closed_form(n, k):
    counts = real_weights.pairing_counts(k)
    by_counts = Fraction(sum(c * n**power for power, c in counts.items()), n ** (k + 1))
    assert real_weights.exact_rnn_energy(n, k) == by_counts


def test_numpy_integers_are_exact():
    value = real_weights.exact_rnn_energy(np.int64(10**6), np.int32(30))
    assert value == real_weights.exact_rnn_energy(10**6, 30)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: real_weights.exact_rnn_energy(0, 3), ValueError, "n must be an integer >= 1"),
        (lambda: real_weights.exact_rnn_energy(3, -1), ValueError, "k must be an integer >= 0"),
        (lambda: real_weights.exact_rnn_energy(3.0, 2), TypeError, "n must be an integer"),
        (lambda: real_weights.exact_rnn_energy(3, True), TypeError, "k must be an integer"),
        (lambda: real_weights.pairing_counts(-1), ValueError, "k must be an integer >= 0"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
