"""float64 energies of real weights against exact rationals and independent sums."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sigprop
from sigprop.theory._real_lru import lru_energies, searched_lru_energies
from sigprop.theory._real_rnn import HEAD, rnn_energies, smooth_energies
from sigprop.theory.real_weights import exact_rnn_energy

WIDTHS = [1, 2, 3, 4, 7, 10, 33, 63, 64, 100, 1000, 3999, 4000, 10**4, 10**6, 10**9, 10**12, 2**53]
# Odd and even, around the seams: 100 direct terms, 256 tabulated depths.
DEPTHS = [2, 3, 4, 5, 10, 13, 40, 99, 100, 101, 102, 200, 201, 202, 203, 255, 256, 257, 258, 400]


@pytest.fixture
def context():
    private = mpmath.mp.clone()
    private.dps = 50
    return private


def _check_point(context, n, k, truth):
    """Compare energy, logarithm and excess with a number of many digits."""
    log_truth = context.log(truth)
    log_energy = sigprop.log_rnn_energy(n, k, field="real")
    # Measured 9e-16.
    assert abs(log_energy - log_truth) <= 1e-14 * abs(log_truth)
    if log_truth < 700:
        # Measured 6e-13 at log Q = 640, 1.3e-15 while log Q < 1.
        tol = 1e-14 if log_truth < 1 else 1e-14 * max(10.0, float(log_truth))
        excess = sigprop.rnn_excess(n, k, field="real")
        assert abs(excess / (truth - 1) - 1) <= tol
        energy = sigprop.rnn_energy(n, k, field="real")
        assert abs(energy / truth - 1) <= tol


@pytest.mark.parametrize("n", WIDTHS)
def test_rnn_against_exact_rationals(n, context):
    for k in DEPTHS:
        truth = exact_rnn_energy(n, k)
        _check_point(context, n, k, context.mpf(truth.numerator) / truth.denominator)


def _closed_form(context, n, k):
    """Evaluate the closed form with 50 digits, term by term."""
    m, n = k + 1, context.mpf(n)
    a, b, d = [context.one], [context.one], [context.one]
    for j in range(m):
        a.append(a[-1] * (1 + 2 * j / n))
        b.append(b[-1] * (1 + (2 * j - 1) / n))
        d.append(d[-1] * (1 - (j + 2) / n))
    total = (2 * m + 1) * a[m]
    total += 4 * sum(a[m - q] * b[q] for q in range(1, m // 2 + 1))
    total -= 2 * (1 - 1 / n) * sum(a[p] * d[m - 1 - p] for p in range(1, m))
    for place in range(1, (m - 1) // 2 + 1):
        factor = (4 * (2 * m + 1) * (n - m - 1 + 3 * place) + 2 * m) / n
        total += factor * a[place] * b[place] * d[m - 1 - 2 * place]
    if m % 2 == 0:
        total += 4 * m * a[m // 2] * b[m // 2]
    return total / (4 * m * m - 1)


@pytest.mark.parametrize(
    ("n", "k"),
    [
        (2, 10_001),
        (100, 10_000),
        (1000, 2_001),
        (10**4, 10_000),
        (10**6, 4_471),  # log a_m = 20 is passed between these two
        (10**6, 4_473),
        (10**6, 10_000),
        (10**15, 10_001),
    ],
)
def test_deep_points_against_the_closed_form(n, k, context):
    _check_point(context, n, k, _closed_form(context, n, k))


@pytest.mark.slow
def test_depth_of_a_hundred_thousand_against_the_closed_form(context):
    _check_point(context, 10**9, 10**5, _closed_form(context, 10**9, 10**5))


@pytest.mark.parametrize(
    ("n", "k", "excess"),
    [
        # Sums of all k terms in extended precision, first orders removed: 18 digits.
        (10**6, 3000, 10.3892529266212721),
        (10**9, 10**5, 13.9556180096924233),
        (10**12, 10**6, 0.0421910423218084995),
        (10**13, 3 * 10**6 + 1, 0.0340935299055981725),
        (10**12, 4 * 10**6, 186.458623221900981),
    ],
)
def test_very_deep_points_against_sums_of_every_term(n, k, excess):
    # Measured 2.3e-15.
    assert sigprop.rnn_excess(n, k, field="real") == pytest.approx(excess, rel=2e-14)


@pytest.mark.parametrize(("n", "k"), [(10**6, 10), (10**9, 100), (10**12, 1000), (2**53, 2)])
def test_excess_far_below_the_resolution_of_the_energy(n, k):
    truth = exact_rnn_energy(n, k) - 1
    value = Fraction(float(sigprop.rnn_excess(n, k, field="real")))
    assert abs(float(value / truth) - 1) < 5e-15  # measured 7e-16
    # Negative control: the excess of complex weights is another number.
    assert abs(float(Fraction(float(sigprop.rnn_excess(n, k))) / truth) - 1) > 0.005


@given(st.integers(1, 2**53), st.integers(0, 10**15))
@settings(max_examples=60, deadline=None)
def test_real_energies_are_finite_and_at_least_the_complex_ones(n, k):
    with np.errstate(all="raise", under="ignore"):
        real, complex_ = sigprop.log_rnn_energy(n, k, field="real"), sigprop.log_rnn_energy(n, k)
    assert np.isfinite(real)
    assert real >= complex_ * (1 - 1e-14)
    assert not np.isnan(sigprop.rnn_energy(n, k, field="real"))


@pytest.mark.parametrize("n", [100, 10**6, 10**12])
def test_real_excess_exceeds_the_complex_one_from_depth_two(n):
    k = np.concatenate([np.arange(2, 300), np.rint(np.geomspace(300, 3e6, 60))])
    complex_ = sigprop.rnn_excess(n, k)
    finite = np.isfinite(complex_)
    assert np.all(sigprop.rnn_excess(n, k[finite], field="real") > complex_[finite])


def test_width_one_is_a_normal_moment():
    for k in (2, 60, 255, 256, 301, 1000):
        truth = math.log(math.prod(range(1, 2 * k, 2)))
        assert sigprop.log_rnn_energy(1, k, field="real") == pytest.approx(truth, rel=2e-15)


def test_energies_beyond_the_float_range():
    assert sigprop.rnn_energy(1, 300, field="real") == math.inf
    assert sigprop.rnn_excess(1, 300, field="real") == math.inf
    assert sigprop.lru_energy(1, 300, field="real") == math.inf
    assert np.isfinite(sigprop.log_lru_energy(1, 10**15, field="real"))


def test_deep_energies_have_twice_the_complex_exponent():
    # Q ~ a_m / (2m - 1) far beyond critical depth: 0.6% below it at n = 1000, c = 8.
    n, k = 1000, 253
    wanted = sum(math.log1p(2 * j / n) for j in range(k + 1)) - math.log(2 * k + 1)
    assert sigprop.log_rnn_energy(n, k, field="real") == pytest.approx(wanted, abs=0.02)
    assert sigprop.log_rnn_energy(n, k) < 0.7 * wanted


@pytest.mark.parametrize("n", [1.0, 2.0, 5.0, 50.0, 1000.0, 3900.0, 4100.0, 1e6, 1e12])
def test_tabulated_and_smooth_routes_agree_at_the_first_depths_of_both(n):
    depths = np.array([256.0, 257.0])
    widths = np.full_like(depths, n)
    table = rnn_energies(widths, depths)
    for i, odd in enumerate((False, True)):
        smooth = smooth_energies(widths[i : i + 1], depths[i : i + 1], odd)
        assert smooth.log_energy[0] == pytest.approx(table.log_energy[i], rel=1e-14)


def test_parities_differ_by_more_than_the_error():
    # Negative control of the continuation: depths of the other parity are another function.
    k = np.array([300.0])
    n = np.array([1e6])
    same, other = smooth_energies(n, k, False).excess[0], smooth_energies(n, k, True).excess[0]
    assert same == rnn_energies(n, k).excess[0]
    assert 1e-12 < abs(other / same - 1) < 1e-3


LAST = 1200


@pytest.mark.parametrize("n", [1, 3, 40, 1000, 4100, 10**6, 10**12])
def test_lru_is_the_sum_of_rnn_energies(n):
    k = np.arange(LAST + 1.0)
    rnn = rnn_energies(np.full_like(k, float(n)), k)
    log_sums = np.logaddexp.accumulate(rnn.log_energy)
    t = np.array([0, 1, 2, 3, 100, HEAD - 1, HEAD, HEAD + 1, 300, 455, 456, 457, 600, 857, LAST])
    for route in (lru_energies, searched_lru_energies):
        values = route(np.full(t.size, float(n)), t.astype(float))
        # Measured 8e-16.
        np.testing.assert_allclose(values.log_energy, log_sums[t], rtol=5e-14, atol=1e-15)
        for i, depth in enumerate(t):
            if log_sums[depth] < 300:
                excess = math.fsum(rnn.excess[: depth + 1]) / (depth + 1)
                # Measured 7e-14, at log S = 60.
                assert values.excess[i] == pytest.approx(excess, rel=5e-13, abs=0)


def test_lru_of_one_point_equals_that_of_many():
    t = [10, 300, 5000, 10**5]
    many = sigprop.log_lru_energy(10**6, t, field="real")
    for i, depth in enumerate(t):
        one = sigprop.log_lru_energy(10**6, depth, field="real")
        assert one == pytest.approx(many[i], rel=5e-14)


@pytest.mark.parametrize("n", [2, 100, 5000, 10**8])
@pytest.mark.parametrize("t", [0, 1, 5, 300, 1200])
def test_lru_with_a_gain(n, t):
    k = np.arange(t + 1)
    logs = sigprop.log_rnn_energy(n, k, field="real")
    for gain in (0.5, 0.9, 0.99, 0.9999, 1.001, 1.5):
        wanted = np.logaddexp.reduce(logs + 2 * np.log(gain) * k)
        value = sigprop.log_lru_energy(n, t, gain, field="real")
        # Measured 3e-14.
        assert abs(value - wanted) <= 2e-13 * max(1.0, abs(wanted))
        energy = sigprop.lru_energy(n, t, gain, "real")
        assert energy == math.inf or energy == pytest.approx(math.exp(wanted), rel=1e-11)


def test_gain_multiplies_the_rnn_energy():
    value = sigprop.rnn_energy(10, 3, 0.5, "real")
    assert value == pytest.approx(1.104 * 0.5**6, rel=1e-14)
    log_value = sigprop.log_rnn_energy(10, 3, [0.5, 2.0], "real")
    np.testing.assert_allclose(log_value, np.log(1.104) + 6 * np.log([0.5, 2.0]), rtol=1e-14)


@pytest.mark.parametrize(
    ("inputs", "wanted"),
    [("white", 3 + 2 / 8**2), ("constant", 3 + 2 / 8 + 2 / 8**2)],
)
def test_input_law_of_real_weights(inputs, wanted):
    value = sigprop.lru_energy(8, 2, field="real", inputs=inputs)
    assert value == pytest.approx(wanted, rel=1e-14)
    excess = sigprop.lru_excess(8, [0, 1, 2], field="real", inputs=inputs)
    np.testing.assert_allclose(excess, [0, 0, wanted / 3 - 1], atol=1e-15)


def test_input_law_broadcasts_over_widths_depths_and_gains():
    n, t, gain = np.array([3, 20])[:, None], np.array([0, 4, 9]), 0.9
    values = sigprop.log_lru_energy(n, t, gain, "real", "constant")
    assert values.shape == (2, 3)
    for (row, column), value in np.ndenumerate(values):
        one = sigprop.log_lru_energy(n[row, 0], t[column], gain, "real", "constant")
        assert value == pytest.approx(one, rel=1e-13, abs=1e-15)


def test_input_law_does_not_matter_for_complex_weights():
    t = [0, 3, 50, 10**6]
    white = sigprop.lru_energy(50, t)
    for inputs in ("constant", ("ar1", 0.5), [1.0, 0.25]):
        np.testing.assert_array_equal(sigprop.lru_energy(50, t, inputs=inputs), white)


def test_arrays_broadcast_and_equal_single_points():
    n, k = np.array([1, 3, 50, 10**7])[:, None], np.array([0, 2, 30, 301])
    values = sigprop.log_rnn_energy(n, k, field="real")
    assert values.shape == (4, 4)
    for (row, column), value in np.ndenumerate(values):
        one = sigprop.log_rnn_energy(n[row, 0], k[column], field="real")
        assert value == pytest.approx(one, rel=1e-14)
    assert np.ndim(sigprop.rnn_energy(3, 2, field="real")) == 0
    np.testing.assert_array_equal(sigprop.rnn_energy([1, 5], [[0], [1]], field="real"), 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sigprop.rnn_energy(3, 2, field="quaternion"), "^field must be one of 'complex'"),
        (lambda: sigprop.lru_energy(3, 2, field=None), "^field must be one of"),
        (lambda: sigprop.lru_energy(3, 2, inputs="pink"), "^inputs must be"),
        (lambda: sigprop.rnn_energy(2.5, 3, field="real"), "^n must hold integers"),
        (lambda: sigprop.rnn_energy(2**53 + 1, 3, field="real"), "^n must hold integers"),
        (lambda: sigprop.lru_energy(3, -1, field="real"), "^t must hold integers"),
        (
            lambda: sigprop.lru_energy(3, 5001, field="real", inputs="constant"),
            "^t must be at most 5000 for real weights and inputs that are not white",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
