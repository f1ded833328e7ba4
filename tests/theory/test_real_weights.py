import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from sigprop import exact
from sigprop.theory import real_weights
from sigprop.theory.real_pairings import pairing_polynomial

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


@pytest.mark.parametrize("k", range(7))
def test_closed_form_is_the_enumeration(k):
    assert real_weights.pairing_counts(k) == pairing_polynomial(k)


@pytest.mark.slow
def test_closed_form_is_the_enumeration_of_13_double_factorial_pairings():
    assert real_weights.pairing_counts(7) == pairing_polynomial(7)


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


WIDTHS = [1, 2, 3, 4, 7, 20, 100, 1000, 10**4, 10**6, 10**9, 10**12, 2**53]
DEPTHS = [2, 3, 4, 5, 10, 13, 40, 99, 200, 401]


@pytest.mark.parametrize("n", WIDTHS)
def test_float_forms_agree_with_the_fraction(n):
    with mpmath.workdps(40):
        for k in DEPTHS:
            energy = real_weights.exact_rnn_energy(n, k)
            ratio = mpmath.mpf(energy.numerator) / energy.denominator
            log_energy = float(mpmath.log(ratio))
            # Measured 2e-15.
            log_value = real_weights.log_rnn_energy(n, k)
            assert abs(log_value - log_energy) <= 1e-13 * max(1.0, log_energy)
            if log_energy < 700:
                value = real_weights.rnn_energy(n, k)
                # Measured 2e-13, at log Q = 350.
                assert value == pytest.approx(float(ratio), rel=1e-14 * max(10.0, log_energy))
            if log_energy < 300:
                # Measured 2e-11, at n = 1e6 and k = 5: the two ways to the excess meet there.
                excess = real_weights.rnn_excess(n, k)
                assert excess == pytest.approx(float(ratio - 1), rel=2e-10)


def test_float_forms_at_depths_that_straddle_the_series():
    for n, k in [(10**6, 4), (10**6, 5), (10**8, 53), (10**8, 54), (10**10, 546), (10**10, 547)]:
        energy = real_weights.exact_rnn_energy(n, k)
        assert real_weights.rnn_excess(n, k) == pytest.approx(float(energy - 1), rel=2e-10)
        # Negative control: the excess of complex weights is another number.
        assert abs(float(energy - 1) / float(exact.rnn_energy(n, k) - 1) - 1) > 1e-3


def test_energies_beyond_the_float_range():
    assert real_weights.rnn_energy(1, 300) == math.inf
    assert real_weights.rnn_excess(1, 300) == math.inf
    wanted = math.log(math.prod(range(1, 600, 2)))
    assert real_weights.log_rnn_energy(1, 300) == pytest.approx(wanted, rel=1e-14)


def test_deep_energies_have_twice_the_complex_exponent():
    # Far beyond critical depth Q^R ~ (1/(2k+1)) prod_{j<=k} (1 + 2j/n); 0.6% at n = 1000, c = 8.
    n, k = 1000, 253
    wanted = sum(math.log1p(2 * j / n) for j in range(k + 1)) - math.log(2 * k + 1)
    assert real_weights.log_rnn_energy(n, k) == pytest.approx(wanted, abs=0.02)


def test_first_depths_have_energy_one():
    np.testing.assert_array_equal(
        real_weights.rnn_energy([1, 5, 10**9], [[0], [1]]), np.ones((2, 3))
    )
    np.testing.assert_array_equal(real_weights.rnn_excess([1, 5], 1), [0.0, 0.0])
    np.testing.assert_array_equal(real_weights.log_rnn_energy(5, [0, 1]), [0.0, 0.0])


def test_arrays_broadcast_and_equal_single_points():
    n, k = np.array([3, 50, 10**7])[:, None], np.array([2, 30])
    values = real_weights.log_rnn_energy(n, k)
    assert values.shape == (3, 2)
    for (row, column), value in np.ndenumerate(values):
        assert value == real_weights.log_rnn_energy(n[row, 0], k[column])
    assert np.ndim(real_weights.rnn_energy(3, 2)) == 0


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
        (lambda: real_weights.rnn_energy(2.5, 3), ValueError, "n must hold integers"),
        (lambda: real_weights.rnn_energy(2**53 + 1, 3), ValueError, "n must hold integers"),
        (lambda: real_weights.log_rnn_energy(4, 10**6 + 1), ValueError, "k must hold integers"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
