"""Every asymptotic form: its stated error is at least the true one, and not much more.

The reference is mpmath's log-gamma at 50 digits for Q and, for S, that times the float64
ratio S/Q, which keeps full relative accuracy however large both are.
"""

from __future__ import annotations

import functools
import json
import math
import pickle

import mpmath
import numpy as np
import pytest

import sigprop
from sigprop import asymptotics
from sigprop.theory._lru_kernel import ratio_to_last_term

# The ratio is good to 1.1e-14 (tests of the energies); nothing else is added to the errors.
REFERENCE_ERROR = 2e-14

WIDTHS = (1, 2, 3, 4, 5, 7, 10, 20, 30, 64, 100, 300, 1000, 3000, *(10**p for p in range(4, 13)))


def _depths(n):
    """Depths in every regime of a width, seams included."""
    critical = {round(c * math.sqrt(n)) for c in np.geomspace(0.02, 60.0, 40)}
    wide = {round(y * n) for y in np.geomspace(1e-3, min(1e4, 1e15 / n), 22)}
    powers = {round(n**p) for p in (0.55, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9)}
    return sorted(set(range(8)) | critical | wide | powers | {max(n - 2, 0), n - 1, n, n + 1})


POINTS = [(n, t) for n in WIDTHS for t in _depths(n)]
N = np.array([point[0] for point in POINTS], dtype=float)
T = np.array([point[1] for point in POINTS], dtype=float)


def _log_rnn(n, k):
    """Log Q from log-gamma, to 35 digits at least."""
    if k < 2:
        return mpmath.mpf(0)
    with mpmath.workdps(50):
        m = k + 1
        rising = mpmath.loggamma(n + m + 1) - mpmath.loggamma(n + 1) - m * mpmath.log(n)
        share = mpmath.mpf(1)
        if m < n:
            falling = mpmath.loggamma(n) - mpmath.loggamma(n - m) - m * mpmath.log(n)
            share = -mpmath.expm1(falling - rising)
        return rising + mpmath.log(share * n / (m * (m + 1)))


@functools.cache
def _exact_logs():
    log_rnn = [_log_rnn(*point) for point in POINTS]
    with mpmath.workdps(50):
        ratio = [mpmath.log(mpmath.mpf(r)) for r in ratio_to_last_term(N, T).tolist()]
        log_lru = [q + r for q, r in zip(log_rnn, ratio, strict=True)]
    return {"rnn": log_rnn, "lru": log_lru, "ratio": ratio}


def _true_error(log_value, log_exact):
    """Return |value/exact - 1| without ever forming the values."""
    with mpmath.workdps(50):
        difference = [
            float(mpmath.mpf(v) - e) if math.isfinite(v) else v
            for v, e in zip(np.ravel(log_value).tolist(), log_exact, strict=True)
        ]
    with np.errstate(over="ignore"):
        return np.abs(np.expm1(difference))


# Form, energy, orders, and the least typical (median) share of the true in the stated error.
FORMS = [
    (asymptotics.sub_critical_rnn, "rnn", (0, 1, 2, 5, 10), 0.95),  # measured 0.97 to 1.00
    (asymptotics.sub_critical_lru, "lru", (0, 1, 2, 5, 10), 0.90),  # measured 0.95 to 1.00
    (asymptotics.critical_rnn, "rnn", (0, 1, 2), 0.90),  # measured 0.96 to 1.00
    (asymptotics.critical_lru, "lru", (0, 1, 2), 0.75),  # measured 0.81 to 0.99
    (asymptotics.super_critical_rnn, "rnn", (0, 1, 2), 0.15),  # measured 0.99, 0.74, 0.20
    (asymptotics.super_critical_lru, "lru", (0, 1, 2), 0.15),  # measured 0.97, 0.74, 0.22
    (asymptotics.super_critical_ratio, "ratio", (0, 1, 2), 0.15),  # measured 1.00, 0.89, 0.23
    (asymptotics.beyond_width_lru, "lru", (0, 1), 0.75),  # measured 0.90, 0.85
    (asymptotics.uniform_lru, "lru", (0, 1), 0.10),  # measured 0.77, 0.15
]
CASES = [
    pytest.param(form, energy, order, typical, id=f"{form.__name__}-{order}")
    for form, energy, orders, typical in FORMS
    for order in orders
] + [
    # measured 0.75
    pytest.param(lambda n, t, order: asymptotics.published_lru(n, t), "lru", 0, 0.6, id="published")
]


@pytest.mark.parametrize(("form", "energy", "order", "typical"), CASES)
def test_stated_errors_are_honest_and_not_wasteful(form, energy, order, typical):
    result = form(N, T, order)
    true = _true_error(result.log_value, _exact_logs()[energy])
    # Honest at every point of the grid, inside the window and outside of it.
    honest = true <= result.relative_error + REFERENCE_ERROR
    assert np.all(honest), [POINTS[i] for i in np.flatnonzero(~honest)[:5]]
    # Not wasteful: where the error is above rounding, the stated one is of its size ...
    seen = result.in_window & (true > 1e-12)
    assert np.count_nonzero(seen) > 50
    assert np.median(true[seen] / result.relative_error[seen]) > typical
    # ... so that a tampered estimate is caught: a tenth of it is exceeded somewhere.
    tampered = 0.1 * result.relative_error + REFERENCE_ERROR
    assert np.any(true[result.in_window] > tampered[result.in_window])


@pytest.mark.parametrize(
    ("form", "energy", "order"),
    [
        (asymptotics.sub_critical_rnn, "rnn", 1),
        (asymptotics.sub_critical_lru, "lru", 1),
        (asymptotics.critical_rnn, "rnn", 2),
        (asymptotics.critical_lru, "lru", 2),
        (asymptotics.super_critical_rnn, "rnn", 1),
        (asymptotics.super_critical_lru, "lru", 1),
        (asymptotics.super_critical_ratio, "ratio", 1),
        (asymptotics.beyond_width_lru, "lru", 1),
        (asymptotics.uniform_lru, "lru", 1),
    ],
)
def test_negative_control_half_the_stated_error_is_a_lie(form, energy, order):
    result = form(N, T, order)
    true = _true_error(result.log_value, _exact_logs()[energy])
    halved = 0.5 * result.relative_error + REFERENCE_ERROR
    assert np.any(true[result.in_window] > halved[result.in_window])


@pytest.mark.parametrize(
    ("form", "inside", "outside"),
    [
        (asymptotics.sub_critical_lru, (10**6, 1000), (10**6, 10**4)),
        (asymptotics.sub_critical_rnn, (10**6, 1000), (10**6, 10**4)),
        (asymptotics.critical_lru, (10**6, 10**4), (10**6, 10**6)),
        (asymptotics.critical_rnn, (10**6, 10**4), (10**6, 10**6)),
        (asymptotics.super_critical_lru, (10**6, 10**5), (10**6, 1000)),
        (asymptotics.super_critical_rnn, (10**6, 10**5), (10**6, 500)),
        (asymptotics.super_critical_ratio, (10**6, 10**5), (10**6, 1000)),
        (asymptotics.published_lru, (10**6, 10**4), (10**6, 10**5)),
        (asymptotics.published_lru, (10**6, 10**4), (10**6, 1000)),
        (asymptotics.beyond_width_lru, (10**6, 10**8), (10**6, 10**5)),
        (asymptotics.uniform_lru, (10**6, 2500), (3, 7)),
    ],
)
def test_windows(form, inside, outside):
    assert form(*inside).in_window
    assert form(*inside).relative_error < 0.5
    assert not form(*outside).in_window
    assert form(*outside).relative_error > 0.5


def test_negative_control_an_error_carried_out_of_its_window_fails():
    # What a form states in its window, at n = 1e6, does not cover it outside.
    exact = {t: sigprop.log_lru_energy(10**6, t) for t in (1000, 10**4, 10**5)}
    for form, inside, outside in (
        (asymptotics.sub_critical_lru, 1000, 10**4),
        (asymptotics.critical_lru, 10**4, 10**5),
        (asymptotics.super_critical_lru, 10**5, 1000),
        (asymptotics.published_lru, 10**4, 10**5),
    ):
        stated = form(10**6, inside).relative_error
        difference = abs(form(10**6, outside).log_value - exact[outside])
        assert difference > math.log1p(stated)


def test_published_form_fails_where_the_paper_window_ends():
    # log(exact/published) = -158.56 at n = 1e6, t = 1e5, and the form knows it.
    form = asymptotics.published_lru(10**6, 10**5)
    difference = sigprop.log_lru_energy(10**6, 10**5) - form.log_value
    assert difference == pytest.approx(-158.56, abs=0.01)
    assert form.relative_error > math.expm1(158.5)
    # 3% at n = 1e12, t = n^0.6, measured 1.2%.
    t = round(1e12**0.6)
    form = asymptotics.published_lru(10**12, t)
    difference = sigprop.log_lru_energy(10**12, t) - form.log_value
    assert abs(math.expm1(difference)) < form.relative_error < 0.05
    assert abs(difference) < 0.03


@pytest.mark.parametrize("n", [10**9, 10**12, 10**15])
def test_published_form_at_the_end_of_its_window_is_off_by_a_sixth(n):
    t = round(n ** (2 / 3))
    difference = sigprop.log_lru_energy(n, t) - asymptotics.published_lru(n, t).log_value
    # -1/6 plus 3 n^(-1/3) and 2.5 n^(-1/3): 0.0055 at 1e9.
    assert difference == pytest.approx(-1 / 6, abs=6.0 * n ** (-1 / 3))


def _decay_order(form, energy, order, depth, widths):
    """Slope of log error against log width, at depths proportional to some power of it."""
    errors = []
    for n in widths:
        t = depth(n)
        with mpmath.workdps(50):
            exact = _log_rnn(n, t)
            if energy != "rnn":
                ratio = mpmath.log(
                    ratio_to_last_term(np.array([float(n)]), np.array([float(t)]))[0]
                )
                exact = ratio if energy == "ratio" else exact + ratio
            errors.append(abs(float(mpmath.mpf(float(form(n, t, order).log_value)) - exact)))
    return math.log(errors[1] / errors[0]) / math.log(widths[1] / widths[0])


@pytest.mark.parametrize(
    ("form", "energy", "order", "depth", "widths", "power"),
    [
        *[
            (asymptotics.critical_rnn, "rnn", p, lambda n: 3 * math.isqrt(n), w, -(p + 1) / 2)
            for p, w in enumerate([(10**8, 10**10), (10**6, 10**8), (10**4, 10**6)])
        ],
        *[
            (asymptotics.critical_lru, "lru", p, lambda n: 4 * math.isqrt(n), w, -(p + 1) / 2)
            for p, w in enumerate([(10**8, 10**10), (10**6, 10**8), (10**4, 10**6)])
        ],
        *[
            (form, energy, p, lambda n: n, w, -(p + 1))
            for form, energy in (
                (asymptotics.super_critical_rnn, "rnn"),
                (asymptotics.super_critical_lru, "lru"),
                (asymptotics.super_critical_ratio, "ratio"),
            )
            for p, w in enumerate([(1000, 8000), (200, 1600), (200, 1600)])
        ],
        (asymptotics.uniform_lru, "lru", 0, lambda n: 3 * math.isqrt(n), (10**6, 10**8), -0.5),
        (asymptotics.uniform_lru, "lru", 1, lambda n: 3 * math.isqrt(n), (10**6, 10**8), -1.0),
        (asymptotics.uniform_lru, "lru", 1, lambda n: n, (10**4, 10**6), -1.0),
        (asymptotics.beyond_width_lru, "lru", 0, lambda n: n * n, (100, 1000), -1.0),
        (asymptotics.beyond_width_lru, "lru", 1, lambda n: n * n, (100, 1000), -2.0),
        (asymptotics.sub_critical_lru, "lru", 1, lambda n: math.isqrt(n) // 10, (10**4, 10**6), 0),
    ],
)
def test_orders_of_decay(form, energy, order, depth, widths, power):
    # Measured within 0.06 of the power; 0.1 tells half powers of n apart.
    slope = _decay_order(form, energy, order, depth, widths)
    assert slope == pytest.approx(power, abs=0.1)


def test_uniform_form_error_is_about_five_over_n():
    # The table of docs/theory.md, over all depths of the grid up to 1000 n.
    for n, bound in ((10, 0.24), (100, 0.041), (1000, 0.0049), (10**4, 5.1e-4), (10**6, 5.2e-6)):
        t = np.unique(np.round(np.geomspace(1.0, 1000.0 * n, 2000)))
        ratio = ratio_to_last_term(np.full_like(t, n), t)
        form = asymptotics.uniform_lru(n, t).log_value - sigprop.log_rnn_energy(n, t)
        small = sigprop.log_rnn_energy(n, t) < 1e3  # beyond, rounding of the logarithms shows
        error = np.abs(np.expm1(form - np.log(ratio)))[small]
        assert 0.8 * bound < error.max() < bound  # measured .231 .0394 .0048 5.0e-4 5.0e-6


def test_bounds_are_bounds():
    exact = _exact_logs()
    for bounds, energy in (
        (asymptotics.rnn_bounds(N, T), "rnn"),
        (asymptotics.lru_bounds(N, T), "lru"),
    ):
        slack = np.array([2e-15 + 2e-15 * abs(float(e)) for e in exact[energy]])
        logs = zip(bounds.log_lower.tolist(), bounds.log_upper.tolist(), exact[energy], strict=True)
        gaps = np.array([(float(e - low), float(up - e)) for low, up, e in logs])
        assert np.all(gaps[:, 0] >= -slack)
        assert np.all(gaps[:, 1] >= -slack)
        # Negative control: 1% of the excess off, either bound fails somewhere.
        excess = np.array([float(e) for e in exact["rnn"]])
        assert np.any(gaps[:, 0] < 0.01 * excess)
        assert np.any(gaps[:, 1] < 0.01 * excess)


@pytest.mark.parametrize(("n", "k"), [(1, 12), (2, 3), (7, 9), (50, 6), (10**6, 14)])
def test_terminated_expansion_is_exact(n, k):
    form = asymptotics.sub_critical_rnn(n, k, genus=k // 2)
    assert form.value == pytest.approx(float(sigprop.exact.rnn_energy(n, k)), rel=1e-14)
    assert form.relative_error < 2e-13
    form = asymptotics.sub_critical_lru(n, k, genus=k // 2)
    assert form.value == pytest.approx(float(sigprop.exact.lru_energy(n, k)), rel=1e-14)
    assert form.relative_error < 2e-13
    if k >= 4:
        assert asymptotics.sub_critical_lru(n, k, genus=k // 2 - 1).value < form.value * (1 + 1e-14)


def test_expansion_keeps_an_excess_far_below_one():
    assert asymptotics.sub_critical_rnn(10**12, 2).log_value == pytest.approx(1e-24, rel=1e-14)


def test_depth_zero_has_no_super_critical_form():
    for form in (
        asymptotics.super_critical_rnn(9, 0),
        asymptotics.super_critical_lru(9, 0),
        asymptotics.super_critical_ratio(9, 0),
        asymptotics.published_lru(9, 0),
    ):
        assert form.value == form.relative_error == math.inf
        assert not form.in_window


@pytest.mark.parametrize(("form", "energy", "order", "typical"), CASES)
def test_extreme_points_are_never_nan(form, energy, order, typical):
    n = np.array([1, 2, 3, 1000, 10**8, 2**53])[:, None]
    t = np.array([0, 1, 2, 3, 5, 1000, 10**9, 10**15])
    result = form(n, t, order)
    for column in (result.log_value, result.value, result.relative_error):
        assert column.shape == (6, 8)
        assert not np.any(np.isnan(column))
    assert result.in_window.dtype == bool
    assert np.all(result.relative_error >= 0.0)


def test_scalars_dictionaries_and_pickles():
    form = asymptotics.critical_lru(100, 20)
    assert isinstance(form.log_value, np.float64)
    assert isinstance(form.value, np.float64)
    data = json.loads(json.dumps(form.to_dict(), allow_nan=False))
    assert data["log_value"] == form.log_value
    assert data["in_window"] is True
    pair = asymptotics.super_critical_lru(9, [0, 50])
    assert pair.to_dict()["value"][0] is None
    assert json.loads(json.dumps(pair.to_dict(), allow_nan=False))["in_window"] == [False, True]
    again = pickle.loads(pickle.dumps(pair))
    np.testing.assert_array_equal(again.log_value, pair.log_value)


@pytest.mark.parametrize(
    ("form", "highest"),
    [
        (asymptotics.critical_rnn, 2),
        (asymptotics.critical_lru, 2),
        (asymptotics.super_critical_rnn, 2),
        (asymptotics.super_critical_lru, 2),
        (asymptotics.super_critical_ratio, 2),
        (asymptotics.beyond_width_lru, 1),
        (asymptotics.uniform_lru, 1),
        (asymptotics.sub_critical_rnn, asymptotics.MAX_GENUS),
        (asymptotics.sub_critical_lru, asymptotics.MAX_GENUS),
    ],
)
def test_arguments_out_of_their_domain(form, highest):
    form(10, 5, highest)
    with pytest.raises(ValueError, match=f"from 0 to {highest}, got {highest + 1}"):
        form(10, 5, highest + 1)
    with pytest.raises(TypeError, match="bool"):
        form(10, 5, True)
    with pytest.raises(ValueError, match="n must hold integers from 1"):
        form(0, 5)
    with pytest.raises(ValueError, match=r"10\.5"):
        form(10.5, 5)
    with pytest.raises(ValueError, match=r"sigprop\.certified"):
        form(2**53 + 2, 5)
    with pytest.raises(TypeError, match="bool"):
        form(True, 5)
    with pytest.raises(ValueError, match="got -1"):
        form(10, -1)
