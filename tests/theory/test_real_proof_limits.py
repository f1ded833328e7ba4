"""Consequences in docs/theory_real.md: inequality, limits, expansion, takeover, input law."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from proof_pairings import moment_by_pairings
from proof_shapes import closed_form
from scipy import special

from sigprop import exact
from sigprop.theory.real_weights import exact_rnn_energy, pairing_counts

# Inequality


def test_real_pairings_contain_the_complex_ones():
    """Coefficient by coefficient, and more of them from k = 2 on."""
    for k in range(31):
        real = pairing_counts(k)
        genus = exact.genus_coefficients(k)
        complex_counts = {k + 1 - 2 * g: count for g, count in enumerate(genus)}
        assert all(real.get(power, 0) >= count for power, count in complex_counts.items())
        assert sum(real.values()) == math.prod(range(1, 2 * k, 2))
        assert sum(complex_counts.values()) == math.factorial(k)
        assert min(real.values()) > 0


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_real_energy_is_above_the_complex_one(n):
    for k in range(60):
        gap = exact_rnn_energy(n, k) - exact.rnn_energy(n, k)
        assert gap > 0 if k >= 2 else gap == 0


def test_moments_of_different_depths_are_positive():
    for j in range(12):
        for i in range(j % 2, j, 2):
            assert min(closed_form(n, i, j) for n in range(1, 12)) > 0
    assert min(moment_by_pairings(1, 5).values()) > 0


# Critical limit


def _profile(c):
    return 2 / c**2 * mpmath.sinh(c**2 / 2)


def _complex_correction(c):
    y = c**2 / 2
    first = mpmath.cosh(y) / y - mpmath.sinh(y) / y**2
    return 3 * c / 2 * first - c**3 / 6 * mpmath.sinh(y) / y


def _psi(c):
    def gauss(x):
        return mpmath.quad(lambda y: mpmath.exp(y * y / 2), [0, x])

    up, down = mpmath.exp(c**2 / 2), mpmath.exp(-(c**2))
    head = (up**2 - 2 * up + 1 / up) / (2 * c)
    return head + ((up + down) * gauss(c) - down * gauss(2 * c)) / (2 * c**2)


def _correction_from_the_closed_form(c):
    """Section 9: each sum of the closed form by Euler and Maclaurin, to order n^(-1/2)."""
    exp, quad = mpmath.exp, mpmath.quad
    rows = quad(lambda q: exp((c - q) ** 2 + q**2), [0, c / 2]) / c**2
    hooks = quad(lambda p: exp(p**2 - (c - p) ** 2 / 2), [0, c]) / (2 * c**2)

    def next_order(x):
        rest = c - 2 * x
        shift = -4 * x**3 / 3 - 3 * rest / 2 - rest**3 / 6 - 3 * x
        return exp(2 * c * x - c**2 / 2) * (shift - 1 / (2 * c) - (c - 3 * x))

    diagonal = quad(next_order, [0, c / 2]) * 2 / c + (exp(c**2 / 2) - exp(-(c**2) / 2)) / c
    return exp(c**2) / (2 * c) + rows - hooks + diagonal


@pytest.mark.parametrize("c", [0.25, 0.5, 1, 2, 3, 5])
def test_correction_of_the_critical_limit(c):
    with mpmath.workdps(30):
        c = mpmath.mpf(c)
        # Relative to e^{c^2}, the largest term: measured below 1e-28.
        difference = _correction_from_the_closed_form(c) - _complex_correction(c) - _psi(c)
        assert abs(difference) < 1e-24 * mpmath.exp(c**2)


def test_elementary_part_of_the_correction():
    """All but the two integrals of exp(y^2/2), which are those of psi by shifts of variable."""
    c, x = sympy.symbols("c x", positive=True)
    rest = c - 2 * x
    polynomial = sympy.expand(
        -sympy.Rational(4, 3) * x**3
        - sympy.Rational(3, 2) * rest
        - rest**3 / 6
        - 3 * x
        - 1 / (2 * c)
        - (c - 3 * x)
    )
    # sum of (-1)^i P^(i) / (2c)^(i+1) times exp(2cx) is the antiderivative of P exp(2cx).
    series = sum((-1) ** i * sympy.diff(polynomial, x, i) / (2 * c) ** (i + 1) for i in range(4))
    up, down = sympy.symbols("up down")  # exp(+-c^2/2), of product 1
    integral = series.subs(x, c / 2) * up - series.subs(x, 0) * down
    diagonal = 2 / c * integral + (up - down) / c

    y = c**2 / 2
    cosh, sinh = (up + down) / 2, (up - down) / 2
    complex_part = 3 * c / 2 * (cosh / y - sinh / y**2) - c**3 / 6 * sinh / y
    assert sympy.expand(diagonal - complex_part - (down - 2 * up) / (2 * c)) == 0


def _rule(points):
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return (nodes + 1) / 2, weights / 2


@pytest.mark.parametrize("c", [0.5, 1, 2, 3])
def test_correction_as_a_double_integral(c):
    """The scaling limit of the triple sum."""
    nodes, weights = _rule(60)
    # x = z s, u = z (1 - s) turns the triangle x + u <= c into a square.
    z, s = c * nodes[:, None], nodes[None, :]
    product = z * z * s * (1 - s)
    bessel = c * special.i0(product) + z * special.i1(product)
    value = weights @ (c * z * np.exp(c * z + product) * bessel) @ weights
    # Measured below 1e-12.
    assert math.exp(-(c**2) / 2) / 2 * value == pytest.approx(float(_psi(mpmath.mpf(c))), rel=1e-11)


def test_correction_for_small_depths():
    with mpmath.workdps(40):
        c = mpmath.mpf(1) / 50
        series = c**3 / 3 + 17 * c**5 / 240 + 37 * c**7 / 1680 + 347 * c**9 / 80640
        assert abs(_complex_correction(c) + _psi(c) - series) < c**11


@pytest.mark.parametrize("c", [1, 2, 3])
def test_critical_limit(c):
    """(Q - profile) sqrt(n) tends to the correction, with an error that halves at 4 n."""
    first = float(_complex_correction(mpmath.mpf(c)) + _psi(mpmath.mpf(c)))
    errors = []
    for root in (50, 100, 200):
        energy = float(exact_rnn_energy(root**2, c * root))
        errors.append((energy - float(_profile(mpmath.mpf(c)))) * root - first)
    # Measured 0.51 to 0.53.
    assert 0.48 < errors[1] / errors[0] < 0.56
    assert 0.49 < errors[2] / errors[1] < 0.54
    assert abs(errors[2]) < 0.1 * first


def test_negative_control_the_complex_correction_is_not_the_limit():
    c, root = 1, 200
    energy = float(exact_rnn_energy(root**2, c * root))
    left = (energy - float(_profile(mpmath.mpf(c)))) * root
    assert abs(left - float(_complex_correction(mpmath.mpf(c)))) > 0.1


# Fixed depth


def _coefficients(k, orders):
    counts = pairing_counts(k)
    return [counts.get(k + 1 - g, 0) for g in range(orders)]


def test_expansion_at_fixed_depth():
    """Polynomials of degree 2g on each parity of k: 2g + 1 depths of a parity decide."""
    for k in range(31):
        even = k % 2 == 0
        cube = 34 * k**3 - (27 * k**2 + 14 * k + 8 if even else 95 * k**2 - 74 * k + 45)
        third = Fraction((k * (k - 2) if even else k * k - 1) * cube, 480)
        second = Fraction(k**4 + 8 * k**3 - 4 * k**2 - 8 * k + (0 if even else 3), 24)
        assert _coefficients(k, 4) == [1, 0, second, third]


@pytest.mark.parametrize("g", range(9))
def test_coefficients_are_polynomials_on_each_parity(g):
    """Degree 2g for even g, 2g - 1 for odd g; the leading ones are those of the profile."""
    degree = 2 * g - g % 2
    leading = Fraction(1, math.factorial(g + 1) * 2**g) if g % 2 == 0 else None
    for parity in (0, 1):
        values = [_coefficients(parity + 2 * x, g + 1)[g] for x in range(degree + 6)]
        for _ in range(degree):
            values = [after - before for before, after in itertools.pairwise(values)]
        assert len(set(values)) == 1
        if leading is not None:
            # The 2g-th difference at step 2 is (2g)! 2^(2g) times the leading coefficient.
            assert values[0] == leading * math.factorial(degree) * 2**degree


# Takeover


def _outlier_term(n, k):
    return math.prod(Fraction(n + 2 * j, n) for j in range(k + 1)) / (2 * k + 1)


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_far_beyond_the_width_one_term_is_all(n):
    """Q = first term times 1 + 2(n-1)/((2m+1)(n+2m-2)) + O(k^-3), and for n = 1 exactly."""
    errors = []
    for k in (200, 400):
        m = k + 1
        ratio = exact_rnn_energy(n, k) / _outlier_term(n, k)
        errors.append(float(ratio - 1 - Fraction(2 * (n - 1), (2 * m + 1) * (n + 2 * m - 2))))
    if n == 1:
        assert errors == [0, 0]
    else:
        # As k^-3: a factor of 8.
        assert abs(errors[1]) < abs(errors[0]) / 7
        assert abs(errors[0]) < 1e-4


def test_uniform_form():
    """Q^R over Q^C + first term, from c = 1 to 9: as on the page."""
    for n, step, lower, upper in ((100, 1, 0.912, 1.033), (1000, 7, 0.970, 1.040)):
        ratios = [
            float(exact_rnn_energy(n, k) / (exact.rnn_energy(n, k) + _outlier_term(n, k)))
            for k in range(math.isqrt(n), 9 * math.isqrt(n), step)
        ]
        assert lower < min(ratios) < lower + 0.003
        assert upper - 0.003 < max(ratios) < upper
        assert ratios[-1] == pytest.approx(1, abs=0.01)
    # Below the critical depths it is no approximation.
    assert _outlier_term(1000, 1) > 0.3


def test_twice_the_exponent():
    """log Q at n = 100, complex and real, as on the page."""
    table = {
        10: (0.0487, 0.0769),
        20: (0.6203, 0.9918),
        30: (2.2138, 3.9401),
        40: (4.7716, 8.8476),
        60: (12.2787, 22.3424),
    }
    for k, logs in table.items():
        energies = exact.rnn_energy(100, k), exact_rnn_energy(100, k)
        assert [math.log(energy) for energy in energies] == pytest.approx(logs, abs=6e-5)
    # Slopes against k^2/n of log(k^2 Q) and log(k Q^R): 1/2 and 1, less k/(4n) and k/n.
    n, depths = 10**4, (650, 700)
    slopes = []
    for energy, power in ((exact.rnn_energy, 2), (exact_rnn_energy, 1)):
        early, late = (math.log(k**power * energy(n, k)) for k in depths)
        slopes.append((late - early) * n / (depths[1] ** 2 - depths[0] ** 2))
    middle = sum(depths) / (2 * n)
    # Measured within 0.7 %.
    assert slopes == pytest.approx([0.5 - middle / 4, 1 - middle], rel=0.01)


# Input law


def _kappa(x, y):
    mu, gap = (x + y) / 2, (y - x) / 2
    exp, quad = mpmath.exp, mpmath.quad
    head = (exp(mu**2) - exp(gap**2 - x**2 / 2)) / (2 * mu)
    rows = quad(lambda q: exp((mu - q) ** 2 + q**2), [0, x / 2]) / mu**2
    hooks = quad(lambda p: exp(p**2 - (mu - p) ** 2 / 2), [gap, mu]) / (2 * mu**2)
    return head + rows - hooks


@pytest.mark.parametrize(("x", "y"), [(0.5, 1), (1, 1.5), (0.5, 2), (1, 2)])
def test_critical_limit_of_the_moments(x, y):
    limit = float(_kappa(mpmath.mpf(x), mpmath.mpf(y)))
    errors = []
    for root in (40, 80, 160):
        i, j = round(x * root), round(y * root)
        m = (i + j + 2) // 2
        errors.append(float(closed_form(root**2, i, j) / root ** (2 * m)) * root - limit)
    # The error is O(n^-1/2).
    assert 0.4 < errors[1] / errors[0] < 0.6
    assert 0.45 < errors[2] / errors[1] < 0.55


def test_moments_on_the_diagonal():
    with mpmath.workdps(25):
        for c in (mpmath.mpf(1) / 2, mpmath.mpf(2)):
            edge = _psi(c) + 2 / c * mpmath.sinh(c**2 / 2)
            assert abs(_kappa(c, c) - edge) < 1e-20


def test_moments_are_dominated():
    """C n^-m <= K(c)/m for 1 <= m <= c sqrt(n): the bound under which the sum has its limit."""
    worst = 0.0
    for root in (10, 20, 40):
        c = 2
        for i in range(0, c * root, 3):
            for j in range(i + 2, c * root - i, 4):
                m = (i + j + 2) // 2
                worst = max(worst, m * float(closed_form(root**2, i, j) / root ** (2 * m)))
    assert 1 <= worst < 10


def test_constant_input():
    """S = (1/n) sum C_{i,j} n^{-(i+j)/2}: coefficients of 1, 1/n, 1/n^2, ... for t = 2 to 6."""
    expected = {
        2: [3, 2, 2],
        3: [4, 6, 14, 4],
        4: [5, 14, 54, 48, 48],
        5: [6, 26, 152, 278, 588, 304],
        6: [7, 44, 360, 1094, 3806, 4912, 3656],
    }
    for t, coefficients in expected.items():
        for n in range(1, t + 3):
            total = sum(
                closed_form(n, i, j) / Fraction(n) ** ((i + j) // 2 + 1)
                for i in range(t + 1)
                for j in range(i % 2, t + 1, 2)
            )
            assert total == sum(Fraction(a, n**g) for g, a in enumerate(coefficients))


def test_moments_in_closed_form():
    """The two integrals of kappa are differences of E, for any x < y."""

    def gauss(z):
        return mpmath.sqrt(mpmath.pi / 2) * mpmath.erfi(z / mpmath.sqrt(2))

    for x, y in ((0.5, 0.5), (0.5, 2), (1, 3)):
        x, y = mpmath.mpf(x), mpmath.mpf(y)
        mu, gap = (x + y) / 2, (y - x) / 2
        rows = mpmath.quad(lambda q, mu=mu: mpmath.exp((mu - q) ** 2 + q**2), [0, x / 2])
        assert 2 * rows == pytest.approx(mpmath.exp(mu**2 / 2) * (gauss(mu) - gauss(gap)))
        hooks = mpmath.quad(lambda p, mu=mu: mpmath.exp(p**2 - (mu - p) ** 2 / 2), [gap, mu])
        assert hooks == pytest.approx(mpmath.exp(-(mu**2)) * (gauss(2 * mu) - gauss(y)))


def test_critical_limit_with_constant_input():
    """At c = 1: S / sqrt(n) tends to 1.20561, and not to the 1.00839 of independent inputs."""

    def gauss(z):
        return np.sqrt(np.pi / 2) * special.erfi(z / np.sqrt(2))

    nodes, weights = _rule(30)
    x, y = nodes[:, None] * nodes[None, :], nodes[None, :]
    mu, gap = (x + y) / 2, (y - x) / 2
    rows = np.exp(mu**2 / 2) * (gauss(mu) - gauss(gap))
    hooks = np.exp(-(mu**2)) * (gauss(2 * mu) - gauss(y))
    kappa = (np.exp(mu**2) - np.exp(gap**2 - x**2 / 2)) / (2 * mu) + (rows - hooks) / (2 * mu**2)
    cross = weights @ (kappa * nodes[None, :]) @ weights
    white = weights @ (2 / nodes**2 * np.sinh(nodes**2 / 2))
    assert white == pytest.approx(1.00839, abs=5e-6)
    assert white + cross == pytest.approx(1.20561, abs=5e-6)
    for root, value in ((20, 1.27121), (40, 1.23851)):
        n = root**2
        total = sum(
            float(closed_form(n, i, j) / Fraction(n) ** ((i + j) // 2 + 1))
            for i in range(root + 1)
            for j in range(i % 2, root + 1, 2)
        )
        assert total / root == pytest.approx(value, abs=5e-6)
