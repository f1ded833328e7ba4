"""Critical limit of the real LRU with correlated inputs."""

import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.special import dawsn, iv

from sigprop.theory.profile import critical_profile
from sigprop.theory.real_cross_moments import real_cross_moment
from sigprop.theory.real_inputs import log_lru_energies
from sigprop.theory.real_inputs_critical import (
    constant_input_profile,
    cross_moment_integral,
    cross_moment_profile,
    summable_input_slope,
)

POINTS = [(0.3, 0.3), (0.2, 1.5), (1.0, 1.0), (1.0, 2.0), (2.0, 2.5), (0.7, 3.0)]


def _by_bessel(x, y):
    """Limit of the triple sum: its hooks with J = 0, and a double integral over J > 0."""
    delta = 0.5 * (y - x)

    def hooks(a):
        return math.exp(0.5 * (a * a - (x - a) ** 2) + 2.0 * a * delta + delta * delta)

    def bulk(a, J):
        other, s = J + delta, x - a - 2.0 * J
        z = 2.0 * a * math.sqrt(J * other)
        # I_1(z)/z is 1/2 at zero.
        ratio = 2.0 * iv(1, z) / z if z > 0.0 else 1.0
        factor = (2.0 * a + s) * iv(0, z) + a * a * (J + other) * ratio
        power = 0.5 * (a * a - s * s) + 2.0 * a * (J + other) + J * J + other * other
        return math.exp(power) * factor

    return quad(hooks, 0.0, x)[0] + dblquad(bulk, 0.0, 0.5 * x, 0.0, lambda J: x - 2.0 * J)[0]


def _by_dawson(x, y):
    """The two integrals of the closed form by Dawson's function: they cancel for small x."""
    mu, delta = 0.5 * (x + y), 0.5 * (y - x)
    root = math.sqrt(2.0)
    first = (math.exp(mu**2) - math.exp(delta**2 - 0.5 * x**2)) / (2.0 * mu)
    second = math.exp(mu**2) * dawsn(mu / root)
    second -= math.exp(0.5 * (mu**2 + delta**2)) * dawsn(delta / root)
    third = math.exp(mu**2) * dawsn(root * mu) - math.exp(0.5 * y**2 - mu**2) * dawsn(y / root)
    return first + (second - third) / (root * mu**2)


@pytest.mark.parametrize(("x", "y"), POINTS)
def test_three_forms_of_the_profile(x, y):
    value = cross_moment_profile(x, y)
    # Measured 3e-15 (Dawson) and 7e-16 (the Bessel form; quad states 1e-8).
    assert value == pytest.approx(_by_dawson(x, y), rel=1e-12)
    assert value == pytest.approx(_by_bessel(x, y), rel=1e-9)
    assert value == cross_moment_profile(y, x)
    assert value != pytest.approx(_by_dawson(x + 1e-6, y), rel=1e-9)


@pytest.mark.parametrize(
    ("x", "y"), [(1e-3, 1e-3), (1e-3, 5), (0.01, 10), (3, 7), (9, 10), (10, 10)]
)
def test_profile_to_the_ends_of_its_domain(x, y):
    context = mpmath.mp.clone()
    context.dps = 30
    x, y = context.mpf(x), context.mpf(y)
    mu, delta = (x + y) / 2, (y - x) / 2
    exp = context.exp
    halves = context.linspace(0, x / 2, 5)
    turns = context.linspace(delta, mu, 5)
    truth = (exp(mu**2) - exp(delta**2 - x**2 / 2)) / (2 * mu)
    truth += context.quad(lambda q: exp((mu - q) ** 2 + q * q), halves) / mu**2
    truth -= context.quad(lambda p: exp(p * p - (mu - p) ** 2 / 2), turns) / (2 * mu**2)
    # Measured 2e-15.
    assert cross_moment_profile(float(x), float(y)) == pytest.approx(float(truth), rel=2e-14)


def test_profile_at_small_x_and_on_the_axis():
    y = np.linspace(0.1, 6.0, 12)
    assert np.array_equal(cross_moment_profile(0.0, [0.0, 1.0, 10.0]), np.zeros(3))
    # The next term is relative of order x y.
    assert np.allclose(cross_moment_profile(1e-9, y), 1e-9 * np.exp(y * y / 4), rtol=1e-7, atol=0)


@pytest.mark.parametrize("c", [0.5, 1.0, 2.0, 3.0])
def test_diagonal_is_psi_plus_the_profile(c):
    # psi, the correction of order n^(-1/2) of Q; E(x) = int_0^x exp(v^2/2) dv.
    h = 0.5 * c * c

    def growth(x):
        return quad(lambda v: math.exp(0.5 * v * v), 0.0, x, epsrel=1e-13)[0]

    psi = (math.exp(2 * h) - 2 * math.exp(h) + math.exp(-h)) / (2 * c)
    shares = (math.exp(h) + math.exp(-2 * h)) * growth(c) - math.exp(-2 * h) * growth(2 * c)
    psi += shares / (2 * c * c)
    # Measured 1e-15.
    expected = psi + c * critical_profile(c)
    assert cross_moment_profile(c, c) == pytest.approx(expected, rel=1e-12)


def test_moments_approach_the_profile():
    # The distance is of order n^(-1/2): it halves when n is four times as large.
    distances = []
    for root in (20, 40, 80):
        moment = float(real_cross_moment(root**2, root, 2 * root))
        distances.append(root * moment - cross_moment_profile(1.0, 2.0))
    assert abs(distances[-1]) < 0.2
    # Measured 1.916 and 1.956.
    assert distances[0] / distances[1] == pytest.approx(2.0, abs=0.2)
    assert distances[1] / distances[2] == pytest.approx(2.0, abs=0.1)


def test_integral():
    published = [0.02165, 0.19722, 3.3868, 120.75]
    # The first has four digits.
    assert np.allclose(cross_moment_integral([0.5, 1.0, 2.0, 3.0]), published, rtol=3e-4, atol=0)
    value = dblquad(lambda y, x: cross_moment_profile(x, y), 0.0, 1.5, lambda x: x, 1.5)[0]
    assert cross_moment_integral(1.5) == pytest.approx(value, rel=1e-10)
    # c^3/6 (1 + O(c^2))
    assert cross_moment_integral(1e-3) == pytest.approx(1e-9 / 6, rel=1e-5)
    assert cross_moment_integral(0.0) == 0.0


def test_constant_input_profile():
    published = [0.52191, 1.20561, 2.43471, 5.68512]
    assert np.allclose(constant_input_profile([0.5, 1.0, 1.5, 2.0]), published, rtol=0, atol=6e-6)


@pytest.mark.parametrize(("c", "slope"), [(1, 1.32), (2, 1.07)])
def test_energies_approach_the_limit(c, slope):
    # Measured (S/sqrt(n) - limit) sqrt(n) at n = 400, 6400: 1.312, 1.318 and 1.181, 1.094.
    for root in (20, 80):
        energy = math.exp(log_lru_energies(root**2, c * root, "constant")[-1]) / root
        assert (energy - constant_input_profile(c)) * root == pytest.approx(slope, abs=0.15)


@pytest.mark.parametrize(
    ("law", "total"), [(("ar1", 0.5), 1 / 3), ([1.0, 0.0, 0.3], 0.3), ([1.0, 0.0, -0.5], -0.5)]
)
def test_summable_inputs_add_a_constant(law, total):
    gaps = []
    for root in (50, 100, 200):
        energies = (math.exp(log_lru_energies(root**2, root, x)[-1]) for x in (law, "white"))
        correlated, white = energies
        gaps.append(correlated - white - total * summable_input_slope(1.0))
    # Of order n^(-1/2); measured -1.10, -0.53 and 0.89 over the root of n.
    assert abs(gaps[-1]) * 200 < 1.5
    assert gaps[0] / gaps[1] == pytest.approx(2.0, abs=0.1)
    assert gaps[1] / gaps[2] == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(
    "function", [cross_moment_integral, constant_input_profile, summable_input_slope]
)
def test_domain(function):
    for c in (-0.1, 10.1, math.nan):
        with pytest.raises(ValueError, match="c must hold finite numbers"):
            function(c)
    assert function(np.ones((2, 3))).shape == (2, 3)
    assert np.ndim(function(1.0)) == 0
