"""Modes of random radius and phase close to what their input scale is made for: mpmath."""

import math

import mpmath
import numpy as np
import pytest

from sigprop.recurrences import DiagonalLRU
from sigprop.recurrences.phase import (
    FULL_PHASE,
    phase_moments,
    turned_moments,
    turned_poisson_mean,
)
from sigprop.theory.input_laws import autocorrelation

MODULUS = 1.0 - 2.0**-30


def _turned(d, phase):
    """E (1 - cos) cos(d theta) by the difference of sincs, in the digits that it needs."""
    x = mpmath.mpf(phase)
    return mpmath.sinc(d * x) - (mpmath.sinc((d + 1) * x) + mpmath.sinc((d - 1) * x)) / 2


class TestPhaseMeans:
    @pytest.mark.parametrize("phase", [1e-9, 1e-4, 0.3, 2.0, 5.0, 6.28])
    def test_turned_moments(self, phase):
        # Largest error measured: 3.3e-15 of E(1 - cos).
        lags = [0, 1, 2, 3, 7, 49, 51, 1000, 149_999, 150_001, 200_000]
        got = turned_moments(200_001, phase)
        with mpmath.workdps(60):
            scale = _turned(0, phase)
            errors = [abs((mpmath.mpf(float(got[d])) - _turned(d, phase)) / scale) for d in lags]
        # The angle d phi is rounded, which counts for d times the sine of it over d phi.
        assert max(errors) < 1e-14

    def test_differences_of_sincs_lose_the_digits(self):
        sincs = phase_moments(2, 1e-9)
        assert abs((1.0 - sincs[1]) / turned_moments(1, 1e-9)[0] - 1.0) > 0.5

    def test_turned_moments_of_the_full_circle(self):
        assert turned_moments(4, FULL_PHASE).tolist() == [1.0, -0.5, 0.0, 0.0]
        assert turned_moments(1, FULL_PHASE).tolist() == [1.0]

    @pytest.mark.parametrize("phase", [1e-9, 1e-4, 0.1, 0.49, 0.51, 0.9, 2.0, 4.0, 6.28])
    def test_turned_poisson_mean(self, phase):
        # Largest error measured: 2e-15, on both sides of every change of method.
        gaps = np.array([3e-12, 0.999e-9, 1.001e-9, 1e-4, 0.1, 0.5, 0.74, 0.76, 0.999, 1.3, 1.99])
        got = turned_poisson_mean(1.0 - gaps, gaps, phase)
        with mpmath.workdps(60):
            for value, gap in zip(got, gaps, strict=True):
                g, half = mpmath.mpf(float(gap)), mpmath.mpf(phase) / 2
                s = 1 - g
                plain = mpmath.atan2((1 + s) * mpmath.sin(half), g * mpmath.cos(half)) / half
                want = g * ((1 + s) - g * plain) / (2 * s)
                assert float(abs(mpmath.mpf(float(value)) / want - 1)) < 1e-14


def _energy(r, phase, rho, depth, law):
    """S_t of modes of one radius whose inputs have the scale of AR(rho), 80 digits."""
    r, rho = mpmath.mpf(r), mpmath.mpf(rho)
    q = r * r
    total = mpmath.mpf(0)
    correlations = autocorrelation(law, depth + 1)
    x = mpmath.mpf(phase)
    for d in range(depth + 1):
        near = (1 + rho * rho * q) * mpmath.sinc(d * x)
        near -= rho * r * (mpmath.sinc((d + 1) * x) + mpmath.sinc((d - 1) * x))
        geometric = (1 - q ** (depth - d + 1)) / (1 - q)
        total += (1 if d == 0 else 2) * mpmath.mpf(correlations[d]) * near * r**d * geometric
    return float((1 - q) / (1 - rho * rho * q) * total)


class TestMatchedScales:
    @pytest.mark.parametrize("phase", [1e-9, 1e-4, 0.3])
    @pytest.mark.parametrize("law", ["white", "constant", ("ar1", 0.9), (1.0, 0.5, 0.25)], ids=str)
    @pytest.mark.parametrize("rho", [1.0, 1.0 - 2.0**-20, 0.5])
    def test_state_energies(self, rho, law, phase):
        # Largest error measured: 2.3e-15.
        scale = "constant" if rho == 1.0 else ("ar1", rho)
        lru = DiagonalLRU(1, MODULUS, MODULUS, phase, scale)
        for depth in (0, 1, 20):
            with mpmath.workdps(80):
                want = _energy(MODULUS, phase, rho, depth, law)
            assert float(lru.state_energy(depth, law)) == pytest.approx(want, rel=2e-14)

    @pytest.mark.parametrize("phase", [1e-9, 1e-4, 0.3])
    @pytest.mark.parametrize("law", [("ar1", 0.5), ("ar1", 0.1), (1.0, 0.5, 0.25)], ids=str)
    def test_stationary_energies_of_the_constant_scale(self, law, phase):
        lru = DiagonalLRU(1, MODULUS, MODULUS, phase, "constant")
        with mpmath.workdps(60):
            r = mpmath.mpf(MODULUS)
            of_lags = law[0] == 1.0
            rho = 0 if of_lags else mpmath.mpf(law[1])

            def integrand(theta):
                mode = r * mpmath.expj(theta)
                if of_lags:
                    inputs = 1 + 2 * sum(law[d] * (mode**d).real for d in (1, 2))
                else:
                    inputs = (1 - (rho * r) ** 2) / abs(1 - rho * mode) ** 2
                return abs(1 - mode) ** 2 * inputs / (1 - r * r)

            want = float(mpmath.quad(integrand, [0, mpmath.mpf(phase)]) / mpmath.mpf(phase))
        # Largest error measured: 1e-15.
        assert lru.stationary_energy(law) == pytest.approx(want, rel=1e-13)

    def test_narrow_rings_next_to_the_unit_circle(self):
        # References: integrals over the ring in 60 digits; largest error measured: 4e-15. With
        # 1 - sinc(phi) taken directly they come out as 3.70e-25 and 7.033075580e-9.
        lru = DiagonalLRU(1, 1.0 - 1e-12, 1.0 - 1e-13, 1e-9, "constant")
        assert float(lru.state_energy(0)) == pytest.approx(3.33333703330103e-19, rel=1e-13)
        lru = DiagonalLRU(1, 0.9999, 0.99999, 1e-4, "constant")
        assert float(lru.impulse_energy(0)) == pytest.approx(7.03307574649698e-9, rel=1e-13)

    def test_no_energy_is_negative(self):
        lru = DiagonalLRU(1, 0.999, 0.9999, 2.0 * math.pi / 64.0, ("ar1", 0.999999))
        assert np.all(lru.state_energy(np.arange(0, 400), "constant") >= 0.0)


class TestDeepRings:
    @pytest.mark.parametrize("width", [1e-13, 1e-9, 1e-4, 0.05, 0.9])
    def test_impulse_energies_far_beyond_the_memory(self, width):
        # Largest error measured: 5.4e-15.
        low, high = (0.9, 0.9 + width) if width < 0.1 else (0.0, 0.9)
        lags = np.array([101, 200, 1000, 3000])
        got = DiagonalLRU(4, low, high).impulse_energy(lags)
        with mpmath.workdps(60):
            a, b = mpmath.mpf(low) ** 2, mpmath.mpf(high) ** 2
            for lag, value in zip(lags, got, strict=True):
                k = int(lag)
                first = (b ** (k + 1) - a ** (k + 1)) / ((k + 1) * (b - a))
                second = (b ** (k + 2) - a ** (k + 2)) / ((k + 2) * (b - a))
                assert float(value) == pytest.approx(float(first - second), rel=5e-14)
