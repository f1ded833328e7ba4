"""Real asymptotic forms: independent routes of psi, exact limits, and honest errors."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigprop.theory import asymptotics
from sigprop.theory.exact import rnn_energy as exact_complex
from sigprop.theory.real_profile import _series, scaled_real_correction_integral
from sigprop.theory.real_uniform import gap_error, log_gap, log_product
from sigprop.theory.real_weights import exact_rnn_energy

WIDTHS = (1, 2, 3, 5, 10, 30, 100, 1000, 10_000)


def _log(value: Fraction) -> float:
    shift = value.numerator.bit_length() - value.denominator.bit_length()
    return math.log(value / Fraction(2) ** shift) + shift * math.log(2.0)


@cache
def _exact_log(n: int, k: int) -> float:
    return _log(exact_rnn_energy(n, k))


def _depths(n: int) -> list[int]:
    root = math.sqrt(n)
    scaled = {round(c * root) for c in (0.2, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 3.8, 4.2, 5, 7, 10, 20)}
    return sorted(k for k in scaled | {0, 1, 2, 3, 4, 5, 8, 13} if k <= 700)


GRID = [(n, k) for n in WIDTHS for k in _depths(n)]


@pytest.mark.parametrize("c", [0.01, 0.3, 1.0, 1.2499, 1.2501, 2.0, 4.0, 6.0])
def test_psi_closed_form_and_double_integral(c: float) -> None:
    # The two routes differ by at most 3.4e-16 on these points, 1e-13 is stated.
    closed = float(asymptotics.real_correction(c))
    assert asymptotics.real_correction_integral_form(c) == pytest.approx(closed, rel=1e-13)


def test_psi_near_zero_and_far_out() -> None:
    assert _series()[:2] == (0.25, 17 / 240)
    c = 1e-4
    assert float(asymptotics.real_correction(c)) == pytest.approx(c**3 / 4, rel=1e-8)
    # psi 2c e^{-c^2} = 1 + 1/(2 c^2) + ...: 1.46 % above 1 at c = 6.
    c = 6.0
    assert float(asymptotics.real_correction(c)) * 2 * c * math.exp(-c * c) == pytest.approx(
        1.0, abs=0.02
    )
    assert float(asymptotics.real_correction(40.0)) == math.inf


def test_psi_is_the_limit_of_the_exact_gap() -> None:
    # sqrt(n) times the distance to psi is 0.4895, 0.4939, 0.4963: it halves per fourfold width.
    distances = []
    for n in (400, 1600, 6400):
        k = math.isqrt(n)
        gap = float(exact_rnn_energy(n, k) - exact_complex(n, k)) * math.sqrt(n)
        distances.append(abs(gap - float(asymptotics.real_correction(1.0))))
    assert distances[0] / distances[1] == pytest.approx(2.0, abs=0.15)
    assert distances[1] / distances[2] == pytest.approx(2.0, abs=0.1)


def test_integral_of_psi() -> None:
    # d/dc of the integral is psi; the central difference leaves 3e-8 to 4.3e-7 (c = 8).
    for c in (0.7, 2.0, 4.4, 4.6, 8.0):
        points = np.array([c - 1e-4, c + 1e-4])
        low, high = np.exp(points**2 - c * c) * scaled_real_correction_integral(points)
        slope = (high - low) / 2e-4
        scaled = float(asymptotics.real_correction(c)) * math.exp(-c * c)
        assert slope == pytest.approx(scaled, rel=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_product(n: int) -> None:
    for k in (0, 1, 2, 7, 60):
        exact = _log(math.prod((Fraction(n + 2 * j, n) for j in range(k + 1)), start=Fraction(1)))
        value = float(log_product(np.array(float(n)), np.array(float(k))))
        assert value == pytest.approx(exact, rel=4e-15, abs=1e-15)  # measured 4.5e-16


@pytest.mark.parametrize(("n", "k"), GRID)
def test_stated_errors_hold(n: int, k: int) -> None:
    exact = _exact_log(n, k)
    forms = [
        asymptotics.real_uniform_rnn(n, k, 0),
        asymptotics.real_uniform_rnn(n, k, 1),
        asymptotics.real_critical_rnn(n, k, 0),
        asymptotics.real_critical_rnn(n, k, 1),
        *(asymptotics.real_sub_critical_rnn(n, k, order) for order in (0, 1, 2)),
    ]
    for form in forms:
        off = abs(math.expm1(min(float(form.log_value) - exact, 700.0)))
        assert off <= float(form.relative_error)


def test_error_of_the_gap_is_close_to_the_stated_one() -> None:
    """The bound holds everywhere and is not idle: it is reached to 90 % somewhere."""
    ratios = []
    for n, k in GRID:
        if k < 2:
            continue
        gap = _log(exact_rnn_energy(n, k) - exact_complex(n, k))
        point = np.array(float(n)), np.array(float(k))
        ratios.append(abs(gap - float(log_gap(*point))) / float(gap_error(*point)))
    assert max(ratios) <= 1.0  # measured 0.944 at n = 1, k = 6
    assert max(ratios) > 0.5


def test_uniform_form_is_sharp() -> None:
    # Measured: 1.27 %, 1.00 %, 9.6e-5 and 8.9e-6 of the gap.
    for c, share in ((1, 0.014), (2, 0.011), (4, 1e-4), (7, 1e-5)):
        n, k = 10_000, 100 * c
        gap = _log(exact_rnn_energy(n, k) - exact_complex(n, k))
        assert abs(gap - float(log_gap(np.array(1e4), np.array(float(k))))) < share
    # Without the share the same check fails at c = 1 by orders of magnitude.
    plain = asymptotics.real_uniform_rnn(10_000, 100, 0)
    assert abs(math.expm1(float(plain.log_value) - _exact_log(10_000, 100))) > 0.005


@pytest.mark.parametrize("n", [1, 2, 10, 100, 1000, 4000])
def test_lru_forms(n: int) -> None:
    depths = sorted({0, 1, 2, 5, *(round(c * math.sqrt(n)) for c in (0.5, 1, 2, 3, 4, 6))})
    total, table = Fraction(0), {}
    for k in range(max(depths) + 1):
        total += exact_rnn_energy(n, k)
        table[k] = _log(total)
    for t in depths:
        for form in (
            asymptotics.real_uniform_lru(n, t),
            asymptotics.real_critical_lru(n, t, 0),
            asymptotics.real_critical_lru(n, t, 1),
        ):
            off = abs(math.expm1(min(float(form.log_value) - table[t], 700.0)))
            assert off <= float(form.relative_error)


def test_lru_limit_of_the_page() -> None:
    # S - sqrt(n) int F -> 1.11949 at c = 1; n = 25600 gives 1.12017 exactly.
    n, t = 25_600, 160
    value = float(asymptotics.real_uniform_lru(n, t).value)
    leading = math.sqrt(n) * float(asymptotics.critical_integral(1.0))
    assert value - leading == pytest.approx(1.12017, abs=2e-3)


def test_takeover_depth() -> None:
    for n in (10, 30, 100, 400, 1000):
        k = int(asymptotics.takeover_depth(n))
        doubled = [exact_rnn_energy(n, j) >= 2 * exact_complex(n, j) for j in (k - 2, k + 1)]
        assert doubled == [False, True]


@given(n=st.integers(1, 2**53), k=st.integers(0, 10**15))
@settings(deadline=None, max_examples=200)
def test_never_nan(n: int, k: int) -> None:
    for form in (
        asymptotics.real_uniform_rnn(n, k),
        asymptotics.real_uniform_rnn(n, k, 0),
        asymptotics.real_critical_rnn(n, k),
        asymptotics.real_sub_critical_rnn(n, k),
    ):
        assert not math.isnan(float(form.log_value))
        assert not math.isnan(float(form.relative_error))


def test_broadcasting_and_refusals() -> None:
    form = asymptotics.real_uniform_rnn([[10], [100]], [2, 5, 9])
    assert form.value.shape == form.relative_error.shape == (2, 3)
    with pytest.raises(ValueError, match="n must"):
        asymptotics.real_uniform_rnn(0, 1)
    with pytest.raises(ValueError, match="order must"):
        asymptotics.real_critical_rnn(10, 1, 2)
    with pytest.raises(TypeError, match="k must"):
        asymptotics.real_sub_critical_rnn(10, True)
    with pytest.raises(ValueError, match="c must"):
        asymptotics.real_correction_integral_form(13.0)
    with pytest.raises(ValueError, match="c must"):
        asymptotics.real_correction(-1.0)
