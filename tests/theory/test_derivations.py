"""The steps of docs/theory.md that no other test holds, exact where they are exact."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

import sigprop
from sigprop import combinatorics, exact
from sigprop.theory._positive_expansion import derangement_numbers

WIDTHS = (1, 2, 3, 4, 7, 10, 33, 1000)


def _rising(x, m):
    return math.prod(x + j for j in range(m))


def _falling(x, m):
    return math.prod(x - j for j in range(m))


# Combinatorics and closed forms


@pytest.mark.parametrize("points", [1, 2, 3, 4, 7, 12])
def test_hook_characters_sum_to_the_closed_form(points):
    row = combinatorics.hultman_row(points - 1)
    for x in range(-3, 9):
        hooks = sum(_rising(x - r, points) for r in range(points))
        difference = _rising(x, points + 1) - _falling(x, points + 1)
        assert hooks * (points + 1) == difference
        assert sum(s * x**j for j, s in enumerate(row, start=1)) * points == hooks


@pytest.mark.parametrize("n", WIDTHS)
def test_sum_and_difference_of_factorials(n):
    rising = [Fraction(_rising(n, m), n**m) for m in range(45)]
    falling = [Fraction(_falling(n, m), n**m) for m in range(45)]
    for m in range(1, 44):
        s, d = rising[m] + falling[m], rising[m] - falling[m]
        assert rising[m + 1] + falling[m + 1] == s + Fraction(m, n) * d
        assert rising[m + 1] - falling[m + 1] == d + Fraction(m, n) * s
    energies = exact.rnn_energies(n, 40)
    for t in range(41):
        assert energies[t] == n * (rising[t + 2] - falling[t + 2]) / ((t + 1) * (t + 2))
        head = sum(rising[1 : t + 2]) + sum(falling[1 : t + 2])
        assert sum(energies[: t + 1]) + (t + 1) * energies[t] == head


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_generating_function(n):
    # Coefficients of z^N in n((1 - z/n)^-n - (1 + z/n)^n) are Q_{n,N-2}/(N-2)!.
    for power in range(2, 14):
        negative = Fraction(math.comb(n + power - 1, power), n**power)
        positive = Fraction(math.comb(n, power), n**power)
        energy = exact.rnn_energy(n, power - 2)
        assert n * (negative - positive) == energy / math.factorial(power - 2)


@pytest.mark.parametrize("n", WIDTHS)
def test_denominators_are_known_in_advance(n):
    for depth in range(25):
        power = n ** (2 * (depth // 2))
        assert (exact.rnn_energy(n, depth) * power).denominator == 1
        assert (exact.lru_energy(n, depth) * power).denominator == 1


def test_stirling_numbers_count_letters_that_move():
    moved = derangement_numbers(30)
    for size in range(1, 15):
        row = combinatorics.stirling_row(size)
        for j in range(size):
            total = sum(
                moved[j + i][i] * math.comb(size, j + i)
                for i in range(j + 1)
                if i < len(moved[j + i])
            )
            assert row[size - j] == total


# Inequalities


@pytest.mark.parametrize("n", WIDTHS)
def test_energies_are_log_convex(n):
    energies = exact.rnn_energies(n, 120)
    ratios = [after / before for before, after in pairwise(energies)]
    assert all(first <= second for first, second in pairwise(ratios))
    # The ratio stays below the larger root of the quadratic that the proof uses.
    for k, s in enumerate(ratios[:-1]):
        end = (k + 1) * (1 - Fraction((k + 2) ** 2, n * n))
        assert (k + 4) * s * s - (2 * k + 5) * s + end <= 0


def test_energies_are_not_moments_of_a_positive_law():
    # Log-convexity is not because of a hidden random variable: for n >= 2 a Hankel
    # determinant is negative.
    for n in range(2, 8):
        q = exact.rnn_energies(n, 4)
        a, b, c, d, e = q
        assert a * (c * e - d * d) - b * (b * e - d * c) + c * (b * d - c * c) < 0


@pytest.mark.parametrize("n", WIDTHS)
def test_mean_energy_is_nondecreasing_and_bounded_by_the_last(n):
    totals = exact.lru_energies(n, 60)
    means = [total / (t + 1) for t, total in enumerate(totals)]
    assert all(first <= second for first, second in pairwise(means))
    last = exact.rnn_energies(n, 60)
    assert all(total <= (t + 1) * last[t] for t, total in enumerate(totals))


def test_each_genus_is_small_against_the_one_before():
    for k in range(60):
        parts = exact.genus_coefficients(k)
        for g, (part, after) in enumerate(pairwise(parts)):
            # q_{g+1} <= q_g X^2 / ((2g+2)(2g+3)), X = (k+1)(k+2)/2.
            assert 4 * (2 * g + 2) * (2 * g + 3) * after <= part * ((k + 1) * (k + 2)) ** 2


def test_genus_three_and_four_are_polynomials():
    for k in range(25):
        q = [*exact.genus_coefficients(k), 0, 0, 0, 0]
        third = 9 * k**4 + 18 * k**3 - 57 * k**2 - 98 * k + 48
        assert q[3] == Fraction(math.comb(k + 2, 8) * third, 72)
        fourth = (15, 15, -285, -463, 1014, 1624, -576)
        value = sum(a * k ** (6 - i) for i, a in enumerate(fourth))
        assert q[4] == Fraction(math.comb(k + 2, 10) * value, 384)
        s = [*exact.lru_genus_coefficients(k), 0, 0, 0]
        third = 495 * k**4 + 2310 * k**3 - 1095 * k**2 - 11582 * k - 1968
        assert s[3] == Fraction(math.comb(k + 3, 9) * third, 5720)


# Expansions in powers of n^(-1/2), in the variables of the literature


def _exact_log_rnn(n, k):
    m = k + 2
    rising = mpmath.loggamma(n + m) - mpmath.loggamma(n)
    falling = mpmath.loggamma(n + 1) - mpmath.loggamma(n + 1 - m)
    share = -mpmath.expm1(falling - rising)
    return (
        rising + mpmath.log(share) - m * mpmath.log(n) + mpmath.log(mpmath.mpf(n) / (m * (m - 1)))
    )


@pytest.mark.parametrize("c", [0.5, 1, 2, 4])
def test_critical_rnn_in_powers(c):
    """Q = F(c)(1 + a_1 n^-1/2 + O(1/n)), c = k/sqrt(n), and the sharper form."""
    plain, sharp = [], []
    with mpmath.workdps(50):
        for n in (10**8, 10**10):
            k = round(c * math.isqrt(n))
            h = mpmath.mpf(c) ** 2 / 2
            first = 3 * mpmath.mpf(c) / 2 * (mpmath.coth(h) - 1 / h) - mpmath.mpf(c) ** 3 / 6
            exact_value = mpmath.exp(_exact_log_rnn(n, k))
            form = mpmath.sinh(h) / h * (1 + first / mpmath.sqrt(n))
            plain.append(float((exact_value / form - 1) * n))
            x = mpmath.mpf((k + 1) * (k + 2)) / (2 * n)
            form = mpmath.sinh(x + x * x / (3 * n)) / x * mpmath.exp(-(2 * k + 3) * x / (6 * n))
            sharp.append(float((exact_value / form - 1) * mpmath.mpf(n) ** 1.5))
    # Errors times n, and times n^(3/2), tend to constants: measured to 4e-4, 1.3e-3, 1.3e-4.
    assert plain[1] == pytest.approx(plain[0], rel=1e-3)
    assert sharp[0] == pytest.approx(-(c**5) / 20, rel=3e-3)
    assert sharp[1] == pytest.approx(-(c**5) / 20, rel=3e-4)


@pytest.mark.parametrize("c", [1, 2, 4])
def test_critical_lru_in_powers(c):
    """S = sqrt(n) I - 1 - (cosh h - 1)/3 + (...)/sqrt(n) + Phi_3/n, c = (t+2)/sqrt(n)."""
    n = 10**6
    t = c * math.isqrt(n) - 2
    with mpmath.workdps(40):
        c = mpmath.mpf(c)
        h, root = c * c / 2, mpmath.sqrt(n)
        sinh, cosh = mpmath.sinh(h), mpmath.cosh(h)
        gauss = mpmath.sqrt(mpmath.pi / 2)
        erfi, erf = mpmath.erfi(c / mpmath.sqrt(2)), mpmath.erf(c / mpmath.sqrt(2))
        integral = gauss * (erfi + erf) - 2 * sinh / c
        second = c**3 * cosh / 36 + c * sinh / 12 - gauss * (erfi - erf) / 12
        form = root * integral - 1 - (cosh - 1) / 3 + second / root
        third = (
            sinh / 24
            - (h * h * sinh - 2 * h * cosh + 2 * sinh) / 9
            - (h**3 * cosh - 3 * h * h * sinh + 6 * h * cosh - 6 * sinh) / 81
            - (h * cosh - sinh) / 5
            + (sinh + 2 * h * cosh) / 72
        )
        remainder = float((mpmath.mpf(float(sigprop.lru_energy(n, t))) - form) * n)
    # The next term is O(n^-3/2): measured 0.15%, 0.13% and 0.5% at n = 1e6.
    assert remainder == pytest.approx(float(third), rel=0.01)


# Regimes


@pytest.mark.parametrize(
    ("eps", "c_rnn", "c_lru"),
    [
        (1e-3, 0.39357, 0.58844),
        (0.01, 0.69940, 1.04447),
        (0.05, 1.04278, 1.54944),
        (0.1, 1.23564, 1.82543),
        (0.5, 1.80118, 2.57396),
        (1.0, 2.08678, 2.90892),
        (10.0, 3.04038, 3.87028),
    ],
)
def test_table_of_critical_passages(eps, c_rnn, c_lru):
    profile = sigprop.asymptotics.critical_profile(np.array([c_rnn - 5e-6, c_rnn + 5e-6]))
    assert profile[0] < 1 + eps < profile[1]
    ends = np.array([c_lru - 5e-6, c_lru + 5e-6])
    mean = sigprop.asymptotics.critical_integral(ends) / ends
    assert mean[0] < 1 + eps < mean[1]
    # Depths of passage at a large width are these c times sqrt(n), up to a few steps.
    n = 10**10
    assert abs(sigprop.breakdown_depth(n, eps) - c_lru * 1e5 + 1) < 3
    assert abs(sigprop.breakdown_depth(n, eps, "rnn") - c_rnn * 1e5 + 1) < 3


@pytest.mark.parametrize("n", [1, 5, 100, 10**6, 10**12])
@pytest.mark.parametrize("eps", [1e-3, 0.01, 0.1, 1.0])
def test_bracket_of_the_breakdown_depth(n, eps):
    passage = np.geomspace(1e-3, 10.0, 200001)
    c = np.interp(np.log1p(eps), sigprop.asymptotics.log_critical_profile(passage), passage)
    lower = (-3 + math.sqrt(1 + 4 * c * c * n)) / 2
    upper = math.sqrt(1.25 + math.sqrt(1 + 24 * eps * n * n)) - 0.5
    assert lower * (1 - 1e-6) <= sigprop.breakdown_depth(n, eps, "rnn") <= upper + 1


def test_ends_of_the_critical_and_starts_of_the_super_critical_form():
    for eps, n in ((0.01, 10**15), (0.05, 10**12), (0.1, 10**12)):
        boundaries = sigprop.regimes.regime_boundaries(n, eps)
        # Leading orders for small eps: measured 0.998, 0.993, 0.985 and 1.003, 1.018, 1.040.
        end = (6 * eps) ** (1 / 3) * n ** (2 / 3)
        assert boundaries.critical_end / end == pytest.approx(1, rel=0.02)
        assert boundaries.super_critical_start / math.sqrt(3 * n / eps) == pytest.approx(
            1, rel=0.05
        )


# Spectrum and feedforward


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_energy_of_the_spectrum(n):
    # Kostlan: n |lambda|^2 are independent Gamma(1), ..., Gamma(n).
    for k in range(12):
        mean = sum(Fraction(_rising(i, k), n**k) for i in range(1, n + 1)) / n
        assert mean == Fraction(_rising(n, k + 1), (k + 1) * n ** (k + 1))
        assert mean == math.prod(Fraction(n + j, n) for j in range(1, k + 1)) / (k + 1)


def test_gap_between_matrix_and_spectrum():
    n, k = 10**8, 20000
    log_eigen = math.fsum(np.log1p(np.arange(1.0, k + 1) / n)) - math.log(k + 1)
    gap = math.exp(sigprop.log_rnn_energy(n, k) - log_eigen)
    c = k / math.sqrt(n)
    assert gap == pytest.approx(k * -math.expm1(-c * c) / c**2, rel=1e-3)


def test_gain_below_one_falls_then_explodes():
    energies = sigprop.rnn_energy(256, np.arange(120), gain=0.95)
    assert int(np.argmin(energies)) == 40
    assert energies.min() == pytest.approx(0.060, abs=5e-4)
    assert int(np.flatnonzero(energies[1:] > 1.0)[0]) + 1 == 78


@pytest.mark.parametrize(("shape", "second"), [(7, 1 + 1 / 7), (3.5, 1 + 2 / 7)])
def test_one_feedforward_layer_multiplies_by_a_gamma_variable(shape, second):
    # Complex weights of width 7: Gamma(7)/7; real ones: Gamma(7/2)/(7/2).
    with mpmath.workdps(20):

        def mean(function):
            def density(x):
                return x ** (shape - 1) * mpmath.exp(-x) / mpmath.gamma(shape)

            return mpmath.quad(lambda x: function(x / shape) * density(x), [0, shape, 40, 200])

        assert float(mean(lambda g: g)) == pytest.approx(1.0, rel=1e-12)
        assert float(mean(lambda g: g * g)) == pytest.approx(second, rel=1e-12)
        log_mean = float(mpmath.digamma(shape) - mpmath.log(shape))
        assert float(mean(mpmath.log)) == pytest.approx(log_mean, rel=1e-10)
