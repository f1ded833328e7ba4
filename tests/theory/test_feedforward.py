import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from sigprop.theory.feedforward import FeedforwardEnergy

LAWS = [
    FeedforwardEnergy(1, 1),
    FeedforwardEnergy(1, 2, "real"),
    FeedforwardEnergy(2, 5, "real"),
    FeedforwardEnergy(5, 20),
    FeedforwardEnergy(40, 7, "real"),
    FeedforwardEnergy(1000, 300),
]


def deviations(law, steps):
    return [law.mean_log() + step * math.sqrt(law.variance_log()) for step in steps]


@pytest.mark.parametrize(
    ("n", "field"), [(1, "complex"), (1, "real"), (3, "real"), (30, "complex")]
)
def test_one_layer_is_a_gamma_variable(n, field):
    law = FeedforwardEnergy(n, 1, field)
    with mpmath.workdps(40):
        for y in deviations(law, [-10, -3, -1, -0.1, 0, 0.5, 2, 3.5]):
            x = law.shape * mpmath.exp(mpmath.mpf(y))
            below = mpmath.gammainc(law.shape, 0, x, regularized=True)
            above = mpmath.gammainc(law.shape, x, mpmath.inf, regularized=True)
            density = x**law.shape * mpmath.exp(-x) / mpmath.gamma(law.shape)
            # Measured 3e-14, in a tail of 1e-50.
            assert law.cdf(y) == pytest.approx(float(below), rel=1e-12)
            assert law.sf(y) == pytest.approx(float(above), rel=1e-12)
            assert law.pdf(y) == pytest.approx(float(density), rel=1e-12)


def inverted(law, y, theta):
    """Tail probability from its integral along another line, in 30 digits."""
    with mpmath.workdps(30):
        nu, y = mpmath.mpf(law.shape), mpmath.mpf(y)

        def integrand(s):
            z = mpmath.mpc(theta, s)
            ratio = mpmath.loggamma(nu + z) - mpmath.loggamma(nu) - z * mpmath.log(nu)
            return mpmath.re(mpmath.exp(law.depth * ratio - z * y) / z)

        return float(mpmath.quad(integrand, list(range(0, 42, 3))) / mpmath.pi)


@pytest.mark.parametrize(("n", "depth", "field"), [(1, 2, "complex"), (2, 5, "real")])
def test_products_agree_with_an_independent_inversion(n, depth, field):
    law = FeedforwardEnergy(n, depth, field)
    low, high = deviations(law, [-4, 2])
    # Measured 1e-14.
    assert law.cdf(low) == pytest.approx(-inverted(law, low, -0.31 * law.shape), rel=1e-12)
    assert law.sf(high) == pytest.approx(inverted(law, high, 0.9), rel=1e-12)


def test_two_layers_of_width_one_have_the_known_tail():
    # P(G1 G2 > x) = 2 sqrt(x) K_1(2 sqrt(x)) for two exponential variables.
    law = FeedforwardEnergy(1, 2)
    for x in (1e-6, 0.3, 1.0, 7.0, 400.0):
        root = 2.0 * math.sqrt(x)
        wanted = float(root * mpmath.besselk(1, root))
        assert law.sf(math.log(x)) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_law_is_consistent_with_itself(law):
    y = np.array(deviations(law, np.linspace(-14, 14, 561)))
    density, below = law.pdf(y), law.cdf(y)
    assert np.all(density >= 0)
    # In the far tail the one that is close to 1 is rounded.
    assert np.all(np.diff(below) >= -1e-15)
    np.testing.assert_allclose(below + law.sf(y), 1.0, rtol=1e-15)
    # The density has gone at both ends or falls off exponentially on the left, where cdf is
    # its integral; measured 1e-10, by the trapezoidal rule, for the tail of one layer.
    assert np.trapezoid(density, y) + law.cdf(y[0]) == pytest.approx(1.0, abs=1e-7)
    mean = np.trapezoid(density * y, y)
    assert mean == pytest.approx(law.mean_log(), abs=2e-3 * math.sqrt(law.variance_log()))
    weighted = np.trapezoid(density * np.exp(y), y)
    assert weighted == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_quantiles_invert_the_law(law):
    q = np.array([1e-100, 1e-9, 0.05, 0.49999, 0.5, 0.50001, 0.95])
    y = law.quantile(q)
    assert np.all(np.diff(y) > 0)
    np.testing.assert_allclose(law.cdf(y), q, rtol=1e-10)
    assert law.sf(law.quantile(1 - 1e-9)) == pytest.approx(1e-9, rel=1e-6)  # 1 - 1e-9 is rounded


def test_wide_networks_lose_no_digits():
    # At n = 1e12 the law of log E is normal to six digits; differences of loggamma would
    # leave an error of 4e-3 in the exponent.
    law = FeedforwardEnergy(10**12, 100)
    y = deviations(law, [-6, -1, 0, 2, 8])
    np.testing.assert_allclose(law.cdf(y[:3]), scipy.stats.norm.cdf([-6, -1, 0]), rtol=1e-4)
    np.testing.assert_allclose(law.sf(y[3:]), scipy.stats.norm.sf([2, 8]), rtol=1e-4)
    assert law.mean_log() == pytest.approx(-100 / 2e12, rel=1e-11)
    assert law.variance_log() == pytest.approx(100 / 1e12, rel=1e-11)
    assert law.relative_variance() == pytest.approx(1e-10, rel=1e-9)


@pytest.mark.parametrize("nu", [0.5, 1.0, 15.5, 16.0, 300.0])
def test_log_moments_are_those_of_gamma_variables(nu):
    law = FeedforwardEnergy(round(2 * nu), 3, "real")
    assert law.shape == nu
    with mpmath.workdps(30):
        mean = 3 * (mpmath.digamma(nu) - mpmath.log(nu))
        variance = 3 * mpmath.psi(1, nu)
        assert law.mean_log() == pytest.approx(float(mean), rel=1e-13)
        assert law.variance_log() == pytest.approx(float(variance), rel=1e-13)
        for order in (-0.4, 0.5, 1.0, 2.0, 7.5):
            s = mpmath.mpf(order)
            ratio = mpmath.loggamma(nu + s) - mpmath.loggamma(nu) - s * mpmath.log(nu)
            assert law.log_moment(order) == pytest.approx(float(3 * ratio), abs=1e-13, rel=1e-12)


@given(st.integers(1, 200), st.integers(1, 40), st.sampled_from(["complex", "real"]))
@settings(max_examples=40)
def test_moments(n, depth, field):
    law = FeedforwardEnergy(n, depth, field)
    assert law.exact_moment(0) == law.exact_moment(1) == 1
    second = law.exact_moment(2)
    assert second == (1 + Fraction(1 if field == "complex" else 2, n)) ** depth
    assert law.relative_variance() == pytest.approx(float(second - 1), rel=1e-12)
    fourth = law.exact_moment(4)
    log_fourth = math.log(fourth.numerator) - math.log(fourth.denominator)
    assert law.log_moment(4) == pytest.approx(log_fourth, rel=1e-11, abs=1e-12)


def test_variance_beyond_the_float_range():
    assert FeedforwardEnergy(1, 2000).relative_variance() == math.inf
    assert FeedforwardEnergy(1, 2000).exact_moment(2) == 2**2000


@pytest.mark.slow
def test_sampled_networks_follow_the_law():
    n, depth, count = 6, 4, 4000
    rng = np.random.default_rng(612)
    energies = np.empty(count)
    for index in range(count):
        h = np.zeros(n)
        h[0] = math.sqrt(n)
        for _ in range(depth):
            h = rng.standard_normal((n, n)) @ h / math.sqrt(n)
        energies[index] = h @ h / n
    logs = np.log(energies)
    real = FeedforwardEnergy(n, depth, "real")
    assert scipy.stats.kstest(logs, real.cdf).pvalue > 1e-3
    # Negative control: complex weights have a narrower law.
    assert scipy.stats.kstest(logs, FeedforwardEnergy(n, depth).cdf).pvalue < 1e-12


def test_far_out_values_are_zero_and_one():
    law = FeedforwardEnergy(3, 2)
    np.testing.assert_array_equal(law.cdf([-1e300, -1e5, 1e3, 1e300]), [0, 0, 1, 1])
    np.testing.assert_array_equal(law.pdf([-1e300, -1e5, 1e3, 1e300]), [0, 0, 0, 0])


def test_laws_are_values():
    law = FeedforwardEnergy(np.int64(64), 16.0)
    assert law == FeedforwardEnergy(64, 16) == pickle.loads(pickle.dumps(law))
    assert hash(law) == hash(FeedforwardEnergy(64, 16))
    assert law.quantile([[0.1, 0.2], [0.3, 0.4]]).shape == (2, 2)
    assert np.ndim(law.cdf(0.0)) == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: FeedforwardEnergy(0, 3), ValueError, "n must be an integer >= 1"),
        (lambda: FeedforwardEnergy(4, 0), ValueError, "depth must be an integer >= 1"),
        (lambda: FeedforwardEnergy(4, 10**6 + 1), ValueError, "depth must be an integer from 1"),
        (lambda: FeedforwardEnergy(2**53 + 1, 1), ValueError, "n must be an integer from 1"),
        (lambda: FeedforwardEnergy(4, True), TypeError, "depth must be an integer"),
        (lambda: FeedforwardEnergy(4, 2, "quaternion"), ValueError, "field must be one of"),
        (lambda: FeedforwardEnergy(4, 2).quantile(0.0), ValueError, "q must hold"),
        (lambda: FeedforwardEnergy(4, 2).quantile([0.5, 1.0]), ValueError, "q must hold"),
        (lambda: FeedforwardEnergy(4, 2).cdf(math.nan), ValueError, "y must hold finite"),
        (lambda: FeedforwardEnergy(4, 2).cdf("0"), ValueError, "y must hold finite"),
        (lambda: FeedforwardEnergy(4, 2, "real").log_moment(-2), ValueError, "order must be"),
        (lambda: FeedforwardEnergy(4, 2).exact_moment(-1), ValueError, "order must be"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
