"""The law of the spectral radius: published digits, small cases, simulation."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sigprop.typical import real_radius, spectral_radius_cdf, spectral_radius_quantiles

LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])

# sqrt(n) log r_q to four digits, from an independent evaluation of the same two laws.
COMPLEX = {
    50: (0.0434, 0.2851, 0.4704, 0.6729, 0.9966),
    64: (0.0848, 0.3198, 0.5011, 0.7003, 1.0212),
    128: (0.1945, 0.4132, 0.5845, 0.7753, 1.0882),
    256: (0.2964, 0.5017, 0.6644, 0.8476, 1.1524),
    512: (0.3920, 0.5858, 0.7409, 0.9171, 1.2139),
    1024: (0.4822, 0.6660, 0.8143, 0.9841, 1.2729),
    2048: (0.5678, 0.7427, 0.8848, 1.0486, 1.3297),
    4096: (0.6492, 0.8160, 0.9525, 1.1108, 1.3845),
    16384: (0.8009, 0.9539, 1.0805, 1.2288, 1.4886),
    10**5: (0.9801, 1.1187, 1.2346, 1.3718, 1.6155),
    10**6: (1.1840, 1.3083, 1.4134, 1.5392, 1.7655),
}
REAL = {
    50: (-0.1841, 0.1248, 0.3657, 0.6381, 1.1092),
    64: (-0.1347, 0.1629, 0.3964, 0.6620, 1.1263),
    128: (-0.0069, 0.2639, 0.4794, 0.7276, 1.1712),
    256: (0.1088, 0.3580, 0.5585, 0.7912, 1.2131),
    512: (0.2153, 0.4467, 0.6342, 0.8532, 1.2533),
    1024: (0.3147, 0.5309, 0.7071, 0.9137, 1.2929),
    2048: (0.4081, 0.6110, 0.7773, 0.9729, 1.3326),
    4096: (0.4963, 0.6876, 0.8451, 1.0309, 1.3725),
}
HALF_A_DIGIT = 5.1e-5


def _scaled(n: int, field: str) -> Any:
    return math.sqrt(n) * np.log(spectral_radius_quantiles(n, LEVELS, field))


@pytest.mark.parametrize("n", COMPLEX)
def test_complex_quantiles_to_all_digits(n: int) -> None:
    assert np.max(np.abs(_scaled(n, "complex") - COMPLEX[n])) < HALF_A_DIGIT


@pytest.mark.parametrize(
    "n", [pytest.param(n, marks=() if n <= 512 else (pytest.mark.slow,)) for n in REAL]
)
def test_real_quantiles_to_all_digits(n: int) -> None:
    assert np.max(np.abs(_scaled(n, "real") - REAL[n])) < HALF_A_DIGIT


def test_the_two_fields_are_not_the_same() -> None:
    """Negative control: the complex law misses the real digits by a thousand times."""
    assert np.max(np.abs(_scaled(512, "complex") - REAL[512])) > 0.03


def test_seven_digits_of_the_reference() -> None:
    path = Path(__file__).parents[1] / "data" / "typical_quantiles.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["log_radius"]
    assert len(rows) == 11
    for row in rows:
        if row["field"] == "R" and row["n"] > 512:
            continue
        field = "complex" if row["field"] == "C" else "real"
        log_r = np.log(spectral_radius_quantiles(row["n"], LEVELS, field))
        # The reference has 6 to 8 decimals, and was solved to 1e-8.
        assert np.max(np.abs(log_r - row["log_r"])) < 3e-7


def test_one_unit() -> None:
    from scipy.special import erf

    r = np.array([0.0, 0.3, 1.0, 2.5])
    assert np.allclose(spectral_radius_cdf(1, r), 1 - np.exp(-r * r), rtol=0, atol=1e-14)
    real = spectral_radius_cdf(1, r, field="real")
    assert np.allclose(real, erf(r / math.sqrt(2)), rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 9])
def test_even_and_odd_real_widths_against_eigenvalues(n: int) -> None:
    rng = np.random.default_rng(100 + n)
    samples = 20000
    weights = rng.standard_normal((samples, n, n)) / math.sqrt(n)
    radii = np.abs(np.linalg.eigvals(weights)).max(axis=1)
    at = np.quantile(radii, LEVELS)
    z = (spectral_radius_cdf(n, at, field="real") - LEVELS) / np.sqrt(
        LEVELS * (1 - LEVELS) / samples
    )
    assert np.max(np.abs(z)) < 4.0
    # Negative control: the complex law is refused by the same test.
    wrong = (spectral_radius_cdf(n, at) - LEVELS) / np.sqrt(LEVELS * (1 - LEVELS) / samples)
    assert np.max(np.abs(wrong)) > 10.0


def test_odd_widths_lie_between_even_ones() -> None:
    before, odd, after = (spectral_radius_cdf(n, 1.05, field="real") for n in (100, 101, 102))
    # A smooth function of n whatever its parity: measured 6e-7.
    assert abs(odd - 0.5 * (before + after)) < 3e-6


def test_factor_of_the_real_axis_settles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Widths beyond the largest determinant: here 64, with the exact value known at 512."""
    exact = spectral_radius_cdf(512, [1.0, 1.03, 1.06], field="real")
    gaps = []
    for near in (64, 128, 256):
        monkeypatch.setattr(real_radius, "LARGEST_DETERMINANT", near)
        monkeypatch.setattr(real_radius, "AXIS_WIDTH", near)
        gaps.append(np.abs(spectral_radius_cdf(512, [1.0, 1.03, 1.06], field="real") - exact).max())
    assert gaps[0] > gaps[1] > gaps[2]
    # Falls as 1/sqrt(near) or faster: measured 7.2e-4 at 256, which is 1.8e-4 at 4096.
    assert gaps[2] < 1e-3


@pytest.mark.parametrize(("n", "field"), [(64, "complex"), (10**8, "complex"), (33, "real")])
def test_quantile_inverts_the_distribution_function(n: int, field: str) -> None:
    q = np.array([[1e-6, 0.3], [0.9, 1 - 1e-6]])
    radii = spectral_radius_quantiles(n, q, field)
    assert radii.shape == q.shape
    assert np.allclose(spectral_radius_cdf(n, radii, field), q, rtol=1e-6, atol=1e-9)


def test_far_ends() -> None:
    for field in ("complex", "real"):
        ends = spectral_radius_cdf(40, [0.0, 0.05, 3.0], field)
        assert ends[0] == 0.0
        assert 0.0 <= ends[1] < 1e-10
        assert ends[2] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, 0.5), "n must"),
        ((10**9 + 1, 0.5), "n must"),
        ((10, 0.0), "q must"),
        ((10, 1.0), "q must"),
        ((10, 0.5, "reals"), "field must"),
    ],
)
def test_bad_arguments(arguments: tuple[Any, ...], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        spectral_radius_quantiles(*arguments)


def test_bad_radii() -> None:
    with pytest.raises(ValueError, match="r must"):
        spectral_radius_cdf(10, -1.0)
