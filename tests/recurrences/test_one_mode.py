"""One mode and the rules built on it, against mpmath at 40 digits and brute-force sums."""

import cmath
import math

import mpmath
import numpy as np
import pytest

from sigprop.recurrences import one_mode
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.phase import FULL_PHASE, coloured_sums, phase_moments, poisson_mean
from sigprop.recurrences.quadrature import panel_rule
from sigprop.recurrences.ring import RingLaw
from sigprop.theory.input_laws import autocorrelation

# (nu, theta): short and long memories, any angle; the last two are unstable.
MODES = [
    (0.7, 0.0),
    (0.03, 0.2),
    (1e-4, 3.0),
    (1e-3, 0.01),
    (0.5, math.pi),
    (-0.1, 1.0),
    (0.0, 2.0),
]
STABLE = MODES[:5]
LAWS = ["white", "constant", ("ar1", 0.8), ("ar1", -0.6), ("autocorrelation", (1.0, 0.5, 0.2))]
CLOSE = 1e-12


def _eigenvalue(nu, theta):
    return mpmath.exp(mpmath.mpc(-nu, theta))


def _brute_energy(nu, theta, law, depth):
    """Sum R(s - s') lambda^s conj(lambda)^s' over all pairs of inputs."""
    with mpmath.workdps(40):
        r = [mpmath.mpf(float(value)) for value in autocorrelation(law, depth + 1)]
        if isinstance(law, tuple) and law[0] == "ar1":
            r = [mpmath.mpf(law[1]) ** d for d in range(depth + 1)]
        z = [_eigenvalue(nu, theta) ** k for k in range(depth + 1)]
        total = mpmath.mpf(0)
        for s in range(depth + 1):
            total += abs(z[s]) ** 2
            for later in range(s):
                total += 2 * r[s - later] * mpmath.re(z[s] * mpmath.conj(z[later]))
        return total


def _relative(got, want):
    return float(abs(mpmath.mpf(float(got)) / want - 1))


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_energies_are_the_double_sum(mode, law):
    # Largest error measured: 8e-15.
    log = np.array([complex(-mode[0], mode[1])])
    for depth in (0, 1, 2, 7, 40):
        want = _brute_energy(*mode, law, depth)
        values = autocorrelation(law, depth + 1)
        got = one_mode.log_coloured_energies(log, values, np.array([float(depth)]))
        assert _relative(math.exp(got[0, 0]), want) < CLOSE
        if law == "white":
            assert _relative(math.exp(one_mode.log_white_energies(log, depth)[0]), want) < CLOSE
        if law == "constant":
            assert _relative(math.exp(one_mode.log_constant_energies(log, depth)[0]), want) < CLOSE


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("mode", STABLE, ids=str)
def test_stationary_energies(mode, law):
    with mpmath.workdps(40):
        z = _eigenvalue(*mode)
        q = abs(z) ** 2
        if law == "white":
            want = 1 / (1 - q)
        elif law == "constant":
            want = 1 / abs(1 - z) ** 2
        elif law[0] == "ar1":
            rho = mpmath.mpf(law[1])
            want = (1 + 2 * mpmath.re(rho * z / (1 - rho * z))) / (1 - q)
        else:
            lags = law[1]
            cross = sum(mpmath.mpf(value) * z**d for d, value in enumerate(lags) if d)
            want = (1 + 2 * mpmath.re(cross)) / (1 - q)
    log = np.array([complex(-mode[0], mode[1])])
    assert _relative(one_mode.stationary_energies(log, law)[0], want) < CLOSE
    deep = np.array([60.0 / mode[0]]).round()
    values = autocorrelation(law, int(deep[0]) + 1)
    if deep[0] < 1e4:
        limit = math.exp(one_mode.log_coloured_energies(log, values, deep)[0, 0])
        # The recursion loses a rounding per step of memory: 2e-14 was measured.
        assert limit == pytest.approx(float(want), rel=1e-12)


def test_unstable_modes_have_no_stationary_energy():
    log = np.array([0.1 + 1j, 2j, -0.1 + 0j])
    for law in LAWS:
        assert list(np.isinf(one_mode.stationary_energies(log, law))) == [True, True, False]


def test_unstable_energies_beyond_the_float_range():
    log = np.array([0.1 + 0.3j])
    depth = 10**4
    white = one_mode.log_white_energies(log, depth)[0]
    # q^t / (1 - 1/q) to all digits.
    assert white == pytest.approx(0.2 * depth - math.log(-math.expm1(-0.2)), rel=1e-15)
    constant = one_mode.log_constant_energies(log, depth)[0]
    want = 0.2 * depth - 2.0 * math.log(abs(1.0 - cmath.exp(-0.1 - 0.3j)))
    assert constant == pytest.approx(want, rel=1e-15)
    recursion = one_mode.log_coloured_energies(log, np.ones(depth + 1), np.array([float(depth)]))
    assert recursion[0, 0] == pytest.approx(want, rel=1e-13)


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.9, 0.999, 1.0])
@pytest.mark.parametrize("mode", STABLE, ids=str)
def test_matched_scale_gives_unit_energy(mode, rho):
    log = np.array([complex(-mode[0], mode[1])])
    law = "constant" if rho == 1.0 else ("ar1", rho) if rho else "white"
    energy = one_mode.matched_scale(log, rho) ** 2 * one_mode.stationary_energies(log, law)
    assert energy[0] == pytest.approx(1.0, rel=1e-14)
    # Another scale does not.
    other = one_mode.matched_scale(log, 0.3) ** 2 * one_mode.stationary_energies(log, law)
    assert abs(other[0] - 1.0) > 1e-6


@pytest.mark.parametrize("nu", [0.7, 0.01, 1e-5])
def test_scale_of_slow_modes_keeps_its_digits(nu):
    with mpmath.workdps(40):
        want = mpmath.sqrt(1 - mpmath.exp(-2 * mpmath.mpf(nu)))
    assert _relative(one_mode.matched_scale(np.array([complex(-nu)]), 0.0)[0], want) < 1e-15


def test_powers_at_large_exponents():
    # The error is that of reducing k theta: 6e5 2^-53.
    log = np.array([-1e-6 + 6.1j, -1e-5 + 0.3j])
    k = 10**5
    with mpmath.workdps(40):
        want = [mpmath.exp(k * mpmath.mpc(z.real, z.imag)) for z in log]
    got = one_mode.powers(log, k)
    for value, exact in zip(got, want, strict=True):
        assert float(abs(mpmath.mpc(value) - exact)) < 7e-11
    assert one_mode.powers(np.array([-one_mode.LARGEST_DECAY + 1j]), 1)[0] == 0.0


@pytest.mark.parametrize("q", [0.3, 0.95, 0.9999])
def test_derivative_energies(q):
    log_q = np.log([q])
    with mpmath.workdps(40):
        exact = mpmath.exp(mpmath.mpf(float(log_q[0])))
        for depth in (0, 1, 63, 64, 65, 300):
            want = sum(k * k * exact ** (k - 1) for k in range(1, depth + 1))
            got = one_mode.derivative_energies(log_q, depth)[0]
            assert got == want == 0 or _relative(got, want) < CLOSE
        limit = (1 + exact) / (1 - exact) ** 3
    assert _relative(one_mode.derivative_energies(log_q, None)[0], limit) < CLOSE


@pytest.mark.parametrize("ends", [(1e-3, 1e-1), (1e-4, 1e-1), (1e-3, 1.001e-3)])
@pytest.mark.parametrize(
    "s", [1e-6, 1.0, 20.0, 639.0, 641.0, 5000.0, 1j, 500j, 1283j, 0.5 + 630j, 200.0 + 2000j, 1e4j]
)
def test_log_uniform_laplace(ends, s):
    low, high = ends
    with mpmath.workdps(40):
        x, y = mpmath.mpmathify(s) * low, mpmath.mpmathify(s) * high
        want = (mpmath.e1(x) - mpmath.e1(y)) / mpmath.log(mpmath.mpf(high) / mpmath.mpf(low))
        got = one_mode.log_uniform_laplace(s, low, high)
        error = abs(mpmath.mpmathify(complex(got)) - want) / abs(want)
    # Largest error measured: 1e-14, but 4e-13 where a narrow law takes the formula of E1.
    assert float(error) < CLOSE


def test_log_uniform_laplace_of_arrays_and_points():
    values = one_mode.log_uniform_laplace(np.array([[0.0, 20.0], [1e4, 1.0]]), 1e-3, 1e-1)
    assert values.shape == (2, 2)
    single = one_mode.log_uniform_laplace(20.0, 1e-3, 1e-1)
    assert values[0, 1] == pytest.approx(single, rel=1e-15)
    assert one_mode.log_uniform_laplace(2.0, 0.5, 0.5) == math.exp(-1.0)
    assert one_mode.log_uniform_laplace(200.0, 0.5, 0.5) == math.exp(-100.0)


class TestPhases:
    @pytest.mark.parametrize("phase", [0.05, math.pi / 10, 2.0, math.pi, 5.0, 6.28])
    @pytest.mark.parametrize("s", [-0.999, -0.5, 0.0, 0.3, 0.9, 0.9999])
    def test_poisson_mean(self, s, phase):
        with mpmath.workdps(40):
            # 1 + 2 sum s^d sin(d phi)/(d phi), summed as a logarithm.
            log = mpmath.log(1 - mpmath.mpf(s) * mpmath.exp(mpmath.mpc(0, phase)))
            want = 1 - 2 * mpmath.im(log) / mpmath.mpf(phase)
        got = poisson_mean(np.array([s]), np.array([1.0 - s]), phase)[0]
        # 1 - s is rounded here, which alone moves the mean by 1e-16 / (1 - s).
        assert _relative(got, want) < CLOSE

    def test_ends(self):
        s, gap = np.array([1.0, 0.5]), np.array([0.0, 0.5])
        assert np.array_equal(poisson_mean(s, gap, FULL_PHASE), [1.0, 1.0])
        assert poisson_mean(s, gap, 0.1)[0] == pytest.approx(math.pi / 0.1, rel=1e-15)

    def test_moments(self):
        assert np.array_equal(phase_moments(4, FULL_PHASE), [1.0, 0.0, 0.0, 0.0])
        d = np.arange(1, 50)
        assert np.allclose(phase_moments(50, 1.3)[1:], np.sin(1.3 * d) / (1.3 * d), rtol=1e-15)
        # The wedge that 6.28 leaves open.
        assert np.max(np.abs(phase_moments(50, 6.28)[1:])) == pytest.approx(5.1e-4, rel=0.01)

    def test_coloured_sums_are_the_double_sum(self):
        rng = np.random.default_rng(0)
        lags, factors, moments = rng.random(9), rng.random(9), rng.random(17)
        for t in range(9):
            want = sum(
                (1 if d == 0 else 2) * lags[d] * factors[d] * moments[2 * k + d]
                for d in range(t + 1)
                for k in range(t - d + 1)
            )
            got = coloured_sums(np.array([float(t)]), lags, factors, moments)[0]
            assert got == pytest.approx(want, rel=1e-14)
        assert np.array_equal(lags, np.random.default_rng(0).random(9))


class TestRules:
    def test_panels(self):
        x, weight = panel_rule(1.0, 2.3)
        assert weight.sum() == pytest.approx(2.3, rel=1e-15)
        assert weight @ np.exp(-90.0 * (x - 1.0)) == pytest.approx(1.0 / 90.0, rel=1e-14)

    def test_sums_are_those_of_the_powers(self):
        q, weight = np.array([0.0, 0.3, 0.9]), np.array([0.5, 1.0, 2.0])
        with np.errstate(divide="ignore"):
            rule = MomentRule(np.log(q), weight)
        k = np.arange(400.0)
        powers = np.array([weight @ q**lag for lag in k])
        assert np.allclose(rule.impulse(k), powers, rtol=1e-13, atol=1e-30)
        assert np.allclose(rule.drop(k[:-1]), powers[:-1] - powers[1:], rtol=1e-12, atol=1e-15)
        assert np.allclose(rule.running(k), np.cumsum(powers), rtol=1e-14)
        assert rule.running(np.array([[0.0, 3.0]])).shape == (1, 2)
        assert rule.stationary() == pytest.approx(powers.sum(), rel=1e-14)
        assert rule.beyond(np.array([9.0]))[0] == pytest.approx(powers[10:].sum(), rel=1e-13)
        assert rule.mean_lag() == pytest.approx((k @ powers) / powers.sum(), rel=1e-13)
        assert rule.sum_of_squares() == pytest.approx(np.sum(powers**2), rel=1e-13)

    def test_a_decay_of_one_never_ends(self):
        rule = MomentRule(np.array([0.0, -1.0]), np.array([0.5, 0.5]))
        assert rule.stationary() == math.inf
        assert rule.running(np.array([9.0]))[0] == pytest.approx(
            5.0 + 0.5 * (1.0 - math.exp(-10.0)) / (1.0 - math.exp(-1.0)), rel=1e-15
        )

    @pytest.mark.parametrize("ends", [(0.0, 1.0), (0.9, 0.999), (0.5, 0.5 + 1e-9), (0.3, 0.3)])
    def test_ring_moments(self, ends):
        ring = RingLaw(*ends)
        rule = ring.rule()
        assert rule.weight.sum() == pytest.approx(1.0, rel=1e-15)
        for power in (0, 1, 2, 7, 100):
            with mpmath.workdps(60):
                a, b = (mpmath.mpf(end) ** 2 for end in ends)
                m = mpmath.mpf(power) / 2 + 1
                want = (b**m - a**m) / (m * (b - a)) if a < b else b ** (m - 1)
            assert _relative(ring.moment(np.array([float(power)]))[0], want) < 1e-14
            # Powers of radii whose logarithm is rounded: 100 roundings.
            assert _relative(rule.weight @ rule.radius**power, want) < 3e-14

    @pytest.mark.parametrize("ends", [(-0.1, 0.5), (0.5, 0.4), (0.5, 1.1)])
    def test_rings_out_of_range(self, ends):
        with pytest.raises(ValueError, match="r_min and r_max must satisfy"):
            RingLaw(*ends)

    def test_ring_samples(self):
        ring = RingLaw(0.2, 0.9999)
        nu = ring.sample(np.random.default_rng(1), (40_000,))
        q = np.exp(-2.0 * nu)
        assert q.min() >= 0.2**2 - 1e-15
        assert q.max() <= 0.9999**2 + 1e-15
        r = 0.2 + 0.7999 * np.random.default_rng(2).random(40_000)
        for power in (1, 2, 3):
            z, control = (
                (values.mean() - 1.0 / (power + 1.0)) / (values.std() / 200.0)
                for values in (((law - 0.2**2) / ring.span) ** power for law in (q, r**2))
            )
            assert abs(z) < 4.0
            assert abs(control) > 4.0  # uniform r is another law
