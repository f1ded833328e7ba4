"""The law of the spectral radius: published digits, small cases, simulation."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sigprop.typical import (
    radius,
    real_radius,
    spectral_radius_cdf,
    spectral_radius_quantiles,
)
from sigprop.typical.radius import log_radius_cdf

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


@pytest.mark.parametrize("n", [500, 4096, 20000, 20001, 10**6])
def test_real_law_is_zero_far_inside(n: int) -> None:
    distances = np.array([math.sqrt(n), 40.0, 12.0, 8.0, 6.5, 5.0])  # of sqrt(n) r inside
    radii = np.maximum(1.0 - distances / math.sqrt(n), 0.0)
    # The least of these exponents, that of n = 500 and distance 5, is about -1400.
    assert np.all(spectral_radius_cdf(n, radii, field="real") == 0.0)


def test_real_law_is_zero_where_a_truncated_determinant_is_not() -> None:
    radii = [0.001, 0.1, 0.5, 0.6, 0.7]
    assert np.all(spectral_radius_cdf(1000, radii, field="real") == 0.0)
    for n, r in [(500, 0.4), (2000, 0.7), (4096, 0.8)]:
        assert spectral_radius_cdf(n, r, field="real") == 0.0


@pytest.mark.parametrize("n", [1, 2, 5, 9, 101, 400, 20001])
@pytest.mark.parametrize("field", ["complex", "real"])
def test_laws_increase_in_the_radius(n: int, field: str) -> None:
    log_cdf = log_radius_cdf(n, field)
    distances = np.linspace(-min(8.0, math.sqrt(n)), 3.0, 45)
    logs = np.array([log_cdf(max(0.0, 1.0 + x / math.sqrt(n))) for x in distances])
    assert not np.any(np.isnan(logs))
    assert all(later >= early for early, later in itertools.pairwise(logs))
    # Strictly so wherever it is in the float range, the joint of the two forms included.
    inside = logs[logs > -700.0]
    assert inside.size > 10
    assert np.all(np.diff(inside) > 1e-9)


def test_half_the_complex_law_and_the_real_one_stay_close() -> None:
    """Down to exp(-700): log P is half the complex one up to a slowly varying factor."""
    for n in (30, 101, 1000):
        distances = np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
        radii = 1.0 - distances / math.sqrt(n)
        real, half = (
            np.array([share * log_radius_cdf(n, field)(float(r)) for r in radii])
            for field, share in (("real", 1.0), ("complex", 0.5))
        )
        # Measured between -.2 and 3.6 whatever the width, where log P falls to -750.
        assert np.all(np.abs(real - half) < 4.0)


# P(radius < r) of two real units, from the double integral with 30 digits, and the relative
# error allowed. Measured: 4e-15, 3e-13, 2.2e-10; below the lowest radius (.00266) .0023.
TWO_REAL_UNITS = [
    (0.7, 0.333538443979128, 1e-13),
    (0.1, 0.00205684199637396, 3e-12),
    (0.01, 2.23675834315145e-6, 2e-9),
    (0.0001, 2.25655833419103e-12, 4e-3),
]


@pytest.mark.parametrize(("r", "probability", "tolerance"), TWO_REAL_UNITS)
def test_two_real_units(r: float, probability: float, tolerance: float) -> None:
    assert spectral_radius_cdf(2, r, field="real") == pytest.approx(probability, rel=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize(("r", "probability"), [row[:2] for row in TWO_REAL_UNITS])
def test_digits_of_two_real_units(r: float, probability: float) -> None:
    import mpmath

    def angular(x: Any) -> Any:
        def integrand(t: Any) -> Any:
            y = mpmath.sqrt(2) * x * mpmath.sin(t)
            return mpmath.sin(t) * mpmath.exp(y * y) * mpmath.erfc(y)

        return 2 * mpmath.quad(integrand, [0, mpmath.pi / 2])

    def below(y: Any) -> Any:
        return mpmath.sqrt(mpmath.pi / 2) * mpmath.erf(y / mpmath.sqrt(2))

    with mpmath.workdps(20):
        end = r * mpmath.sqrt(2)
        pairs = mpmath.quad(lambda x: x * x * mpmath.exp(-x * x) * angular(x), [0, end])
        axis = mpmath.quad(lambda y: y * mpmath.exp(-y * y / 2) * below(y), [0, end])
        exact = mpmath.sqrt(2 / mpmath.pi) * (pairs + axis)
        assert abs(probability / exact - 1) < 1e-13


def test_tiny_levels() -> None:
    q = np.array([1e-300, 1e-30, 1e-12])
    assert np.allclose(spectral_radius_quantiles(1, q), np.sqrt(q), rtol=1e-9, atol=0)
    real = spectral_radius_quantiles(1, q, "real")
    assert np.allclose(real, q * math.sqrt(math.pi / 2), rtol=1e-9, atol=0)
    for n, field, least in [(7, "complex", 1e-300), (50, "real", 1e-67), (9, "real", 1e-20)]:
        for level in (least, 1e-15, 1e-9):
            radius = spectral_radius_quantiles(n, level, field)
            assert spectral_radius_cdf(n, radius, field) == pytest.approx(level, rel=1e-7)


@pytest.mark.parametrize(
    ("n", "q", "field"),
    [(5, 1e-301, "complex"), (2, 1e-30, "real"), (4, 1e-12, "real"), (50, 1e-70, "real")],
)
def test_levels_that_are_not_resolved_are_refused(n: int, q: float, field: str) -> None:
    with pytest.raises(ValueError, match=f"q must be at least .*, got {q}"):
        spectral_radius_quantiles(n, [0.5, q], field)


def test_huge_radii() -> None:
    for n in (1, 2, 50, 30000):
        for field in ("complex", "real"):
            assert np.all(spectral_radius_cdf(n, [1e30, 1e200, 1e300], field) == 1.0)


def test_a_level_is_the_same_alone_and_after_others() -> None:
    many = spectral_radius_quantiles(37, [0.999, 0.2, 0.6], "real")
    radius._radius_at.cache_clear()
    radius._anchors.cache_clear()
    assert spectral_radius_quantiles(37, 0.6, "real") == many[2]


def test_a_quantile_costs_few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    law = radius.log_radius_cdf_real

    def counted(*arguments: Any) -> float:
        calls.append(arguments)
        return law(*arguments)

    monkeypatch.setattr(radius, "log_radius_cdf_real", counted)
    spectral_radius_quantiles(143, LEVELS, "real")
    # 6 anchors, then 4 to 7 for each level; brackets and Brent's method took 11 each.
    assert len(calls) <= 6 + 7 * LEVELS.size
    before = len(calls)
    spectral_radius_quantiles(143, LEVELS, "real")
    assert len(calls) == before


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


def test_messages_show_plain_numbers() -> None:
    with pytest.raises(ValueError, match=r"got 1\.5$"):
        spectral_radius_quantiles(10, np.array([0.5, 1.5]))
    with pytest.raises(ValueError, match=r"got 1e-301$"):
        spectral_radius_quantiles(10, np.array([1e-301]))


def test_bad_radii() -> None:
    with pytest.raises(ValueError, match="r must"):
        spectral_radius_cdf(10, -1.0)
