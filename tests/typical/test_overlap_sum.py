"""The overlap sum: its mean is Q exactly, and its two transforms are right."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sigprop import rnn_energy
from sigprop.typical import real_law
from sigprop.typical.kostlan import KostlanProduct
from sigprop.typical.laplace import cdf_of_broad_law, cdf_of_narrow_law
from sigprop.typical.overlap import log_interference, log_mean_overlap, log_weight
from sigprop.typical.overlap_law import overlap_law
from sigprop.typical.real_law import RealDeterminant

LEVELS = np.array([0.005, 0.05, 0.25, 0.5, 0.75, 0.95, 0.995])


@pytest.mark.parametrize(
    ("n", "k"), [(2, 1), (5, 3), (16, 40), (64, 12), (64, 96), (1024, 200), (10**6, 3000)]
)
def test_mean_of_the_sum_is_the_exact_energy(n: int, k: int) -> None:
    """The mean is the integral of v(u) sum_j Gamma_j(u) = v(u) Gamma(n,u)/Gamma(n)."""
    from scipy.special import gammaincc

    # In r = sqrt(u); the integrand peaks near r^2 = n + k, within O(1).
    centre = math.sqrt(n + k)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    low, high = max(0.0, centre - 12.0 - k / math.sqrt(n)), centre + 12.0
    r = low + 0.5 * (high - low) * (nodes + 1.0)
    u = r * r
    with np.errstate(under="ignore"):
        density = gammaincc(n, u) * 2.0 * r * 0.5 * (high - low) * weights
        mean = float((np.exp(log_weight(u, n, k)) * density).sum())
    assert mean == pytest.approx(float(rnn_energy(n, k)), rel=1e-9)


@pytest.mark.parametrize(("n", "k"), [(64, 12), (1024, 48), (1024, 96), (10**6, 2000)])
def test_mean_of_the_discrete_product(n: int, k: int) -> None:
    # Measured below 1e-6 up to c = 3; deeper, rare radii beyond the grid carry the mean.
    assert KostlanProduct(n, k).mean() == pytest.approx(float(rnn_energy(n, k)), rel=3e-6)


def test_mean_overlap_against_many_digits() -> None:
    import mpmath

    with mpmath.workdps(60):
        for n in (1, 7, 64, 4096):
            edge = math.sqrt(n)
            for x in (-0.9 * edge, -2.0, 0.0, 1.0, 2.999, 3.001, 5.0, 9.0):
                u = n + x * edge
                if u <= 0:
                    continue
                tail = mpmath.gammainc(n, u)
                exact = mpmath.log(n - u + mpmath.mpf(u) ** n * mpmath.exp(-u) / tail)
                measured = log_mean_overlap(np.array([u]), n)[0]
                assert measured == pytest.approx(float(exact), abs=1e-11)


def test_interference_against_the_product() -> None:
    for n, k in [(10, 0), (10, 8), (50, 7), (1000, 30)]:
        j = np.arange(1, k + 2)
        expected = math.log1p(-float(np.prod((n - j) / (n + j))))
        assert log_interference(n, k) == pytest.approx(expected, abs=1e-12)
    assert log_interference(10, 9) == 0.0
    assert log_interference(10**9, 10**9 - 5) == 0.0


def test_transforms_at_small_widths_against_eigenvalues() -> None:
    """E prod u(lambda_i) over sampled spectra, even and odd n; without the diagonal X_i."""
    for n, k, field in [(4, 6, "complex"), (4, 6, "real"), (5, 6, "real")]:
        rng = np.random.default_rng(7 * n + len(field))
        samples = 20000
        weights = rng.standard_normal((samples, n, n))
        if field == "complex":
            weights = (weights + 1j * rng.standard_normal(weights.shape)) / math.sqrt(2.0)
        eigenvalues = np.linalg.eigvals(weights)
        u = np.maximum(np.abs(eigenvalues) ** 2, 1e-300)
        v = np.exp(log_weight(u.ravel(), n, k)).reshape(u.shape)
        law = KostlanProduct(n, k) if field == "complex" else RealDeterminant(n, k)
        for s in (0.1, 1.0, 10.0):
            if field == "complex":
                product = (1.0 / (1.0 + s * v)).prod(axis=1)
            else:
                # A pair contributes 1/(1 + 2 s v): each of its two members a square root.
                product = (1.0 / np.sqrt(1.0 + 2.0 * s * v)).prod(axis=1)
            exact = math.exp(law.log_laplace(np.array([s + 0j]))[0].real)
            error = product.std() / math.sqrt(samples)
            # The trapezoid at r = 0, where the grid is cut at small n, adds some 1e-4.
            assert abs(product.mean() - exact) < 4.0 * error + 3e-4


def test_odd_widths_are_smooth_in_n() -> None:
    s = np.array([0.3 + 0j, 1.0 + 0.5j])
    before, odd, after = (RealDeterminant(n, 20).log_laplace(s) for n in (100, 101, 102))
    assert np.max(np.abs(odd - 0.5 * (before + after))) < 1e-4


def test_factor_of_the_real_axis_settles(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = overlap_law(512, 68, "real").quantile(LEVELS)
    gaps = []
    for near in (64, 256):
        overlap_law.cache_clear()
        monkeypatch.setattr(real_law, "LARGEST_DETERMINANT", near)
        gaps.append(np.abs(overlap_law(512, 68, "real").quantile(LEVELS) - exact))
    overlap_law.cache_clear()
    # From 256 measured .002 at the median, .016 at 95% and .065 at 99.5%. From 4096, as used,
    # it is a tenth of that: the gap falls by 3 to 4 with every fourfold width.
    assert np.all(gaps[1][1:] < 0.4 * gaps[0][1:])
    assert gaps[1][3] < 0.004
    assert gaps[1].max() < 0.1


def test_inversions_of_known_laws() -> None:
    from scipy.special import gammainc

    broad = np.linspace(-9.0, 2.0, 12)
    assert np.allclose(
        cdf_of_broad_law(lambda s: -np.log1p(s), broad), -np.expm1(-np.exp(broad)), atol=1e-7
    )
    for shape in (30.0, 3000.0):
        deviation = shape**-0.5
        levels = deviation * np.linspace(-3.0, 3.0, 7)
        narrow = cdf_of_narrow_law(lambda s, a=shape: -a * np.log1p(s / a), levels, deviation)
        assert np.allclose(narrow, gammainc(shape, shape * np.exp(levels)), atol=1e-9)


def test_the_two_inversions_agree() -> None:
    law = KostlanProduct(256, 18)
    levels = np.linspace(-0.8, 1.2, 9)
    broad = cdf_of_broad_law(law.log_laplace, levels)
    narrow = cdf_of_narrow_law(law.log_laplace, levels, 0.33)
    assert np.max(np.abs(broad - narrow)) < 1e-6
