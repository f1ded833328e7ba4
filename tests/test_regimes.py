import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sigprop
from sigprop import regimes


def _brute_boundaries(n, tol, last):
    """Scan every depth: the definitions, word by word."""
    t = np.arange(last, dtype=float)
    with np.errstate(over="ignore"):
        log_s, log_q = sigprop.log_lru_energy(n, t), sigprop.log_rnn_energy(n, t)
        excess = sigprop.lru_excess(n, t)
        log_profile = 0.5 * np.log(n) + sigprop.asymptotics.log_critical_integral(
            (t + 1) / np.sqrt(n)
        )
        profile_error = np.abs(np.expm1(log_profile - log_s))
        y = (t + 1) / n
        super_error = np.abs(np.expm1(log_q + np.log((1 + y) / y) - log_s))
    breakdown = int(np.argmax(excess > tol))
    critical_end = breakdown + int(np.argmax(profile_error[breakdown:] > tol)) - 1
    failures = np.flatnonzero(super_error > tol)
    return breakdown, critical_end, int(failures.max()) + 1 if failures.size else 0


@pytest.mark.parametrize("tol", [0.01, 0.1, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 33, 100, 1000])
def test_boundaries_by_scanning_every_depth(n, tol):
    last = int(60 * np.sqrt(n) + 4 * np.sqrt(3 * n / tol)) + 30
    b = regimes.regime_boundaries(n, tol)
    expected = _brute_boundaries(n, tol, last)
    assert (b.sub_critical_end, b.critical_end, b.super_critical_start) == expected
    assert b.beyond_width_start == max(n - 1, b.super_critical_start)


@pytest.mark.parametrize(
    ("depth", "name"),
    [
        (0, "sub-critical"),
        (100, "sub-critical"),
        (181, "sub-critical"),
        (182, "critical"),
        (300, "critical"),
        (459, "critical"),
        (460, "crossover"),
        (565, "crossover"),
        (566, "super-critical"),
        (600, "super-critical"),
        (9998, "super-critical"),
        (9999, "beyond-width"),
    ],
)
def test_the_published_example(depth, name):
    regime = sigprop.classify(10000, depth)
    assert regime.name == name
    assert regime.c == depth / 100
    assert regime.log_energy == sigprop.log_lru_energy(10000, depth)


@pytest.mark.parametrize("n", [1, 2, 7, 30, 1000, 10**7])
@pytest.mark.parametrize("tol", [1e-3, 0.1, 0.8])
def test_names_come_in_order_each_at_most_once(n, tol):
    depths = np.unique(np.rint(np.geomspace(1, 50 * n + 10**5, 800)))
    index = regimes.regime_map(n, depths, tol)
    assert np.all(np.diff(index) >= 0)
    assert index[0] == 0
    assert index[-1] == regimes.NAMES.index("beyond-width")


def test_regime_map_agrees_with_classify():
    widths, depths = [3, 100, 10**6], [0, 5, 50, 2000, 10**4, 10**7]
    grid = regimes.regime_map(widths, depths)
    assert grid.shape == (3, 6)
    for i, n in enumerate(widths):
        for j, t in enumerate(depths):
            assert regimes.NAMES[grid[i, j]] == sigprop.classify(n, t).name


@given(st.integers(1, 2**53), st.sampled_from([1e-14, 1e-6, 0.01, 0.1, 1.0, 50.0]))
@settings(max_examples=40, deadline=None)
def test_breakdown_depth_is_the_first_passage(n, tol):
    for quantity, excess in (("lru", sigprop.lru_excess), ("rnn", sigprop.rnn_excess)):
        depth = sigprop.breakdown_depth(n, tol, quantity)
        assert isinstance(depth, int)
        assert excess(n, depth) > tol >= excess(n, depth - 1)


def test_breakdown_depth_follows_the_square_root():
    # c_S(0.1) = 1.82543 and c_Q(0.1) = 1.23564; within 3 of c sqrt(n) - 1.
    for n in (10**6, 10**10, 10**14):
        assert abs(sigprop.breakdown_depth(n) - (1.82543 * np.sqrt(n) - 1)) < 3 + 1e-5 * np.sqrt(n)
        rnn = sigprop.breakdown_depth(n, quantity="rnn")
        assert abs(rnn - (1.23564 * np.sqrt(n) - 1.5)) < 3 + 1e-5 * np.sqrt(n)


def test_breakdown_depth_is_vectorised():
    widths = np.array([[1, 10], [100, 10**8]])
    depths = sigprop.breakdown_depth(widths, 0.01)
    assert depths.shape == (2, 2)
    assert depths.dtype == np.int64
    assert depths[1, 0] == sigprop.breakdown_depth(100, 0.01)


def test_boundaries_are_vectorised():
    widths = np.array([[10, 10**4], [10**6, 3]])
    b = regimes.regime_boundaries(widths)
    assert b.sub_critical_end.shape == (2, 2)
    assert b.super_critical_start.dtype == np.int64
    single = regimes.regime_boundaries(10**4)
    assert (b.sub_critical_end[0, 1], b.critical_end[0, 1]) == (182, 459)
    assert (single.super_critical_start, single.beyond_width_start) == (566, 9999)


def test_holds_lists_every_description_within_tol():
    # At tol 0.5 the excess is small, yet the profile holds as well: both are listed.
    assert sigprop.classify(10**6, 100, 0.5).holds == ("sub-critical", "critical")
    wide = sigprop.classify(10**9, 5 * 10**5)
    assert wide.name == "critical"
    assert wide.holds == ("critical", "super-critical")
    assert sigprop.classify(10000, 500).holds == ()


def test_an_accidental_agreement_is_not_super_critical():
    # Q (1+y)/y crosses S near c = 1; only a form that keeps holding counts.
    n, t = 10**6, 1020
    y = (t + 1) / n
    form = sigprop.rnn_energy(n, t) * (1 + y) / y
    assert abs(form / sigprop.lru_energy(n, t) - 1) < 0.1
    assert "super-critical" not in sigprop.classify(n, t).holds


def test_dictionaries_round_trip_and_are_strict_json():
    for regime in (sigprop.classify(10000, 600), sigprop.classify(5, 10**6)):
        text = json.dumps(regime.to_dict(), allow_nan=False)
        assert regimes.Regime.from_dict(json.loads(text)) == regime
        assert pickle.loads(pickle.dumps(regime)) == regime
    assert sigprop.classify(5, 10**6).to_dict()["energy"] is None


@pytest.mark.parametrize(
    ("arguments", "error", "name"),
    [
        ((0, 1), ValueError, "n"),
        ((10, -1), ValueError, "depth"),
        ((10, 1, 0.0), ValueError, "tol"),
        ((10, 1, -0.1), ValueError, "tol"),
        ((10, 1, np.nan), ValueError, "tol"),
        ((10, 1, 1e-12), ValueError, "tol"),
        ((10, 1, "a"), TypeError, "tol"),
        ((10, True), TypeError, "depth"),
        ((10.5, 1), ValueError, "n"),
        (([1, 2], 1), TypeError, "n"),
        ((2**54, 1), ValueError, "n"),
    ],
)
def test_classify_refuses_bad_input_by_name(arguments, error, name):
    with pytest.raises(error, match=f"^{name} must"):
        sigprop.classify(*arguments)


def test_breakdown_depth_refuses_bad_input_by_name():
    with pytest.raises(ValueError, match=r"^quantity must be one of 'lru', 'rnn'"):
        sigprop.breakdown_depth(10, 0.1, "gru")
    with pytest.raises(ValueError, match=r"^tol must be a finite number > 0"):
        sigprop.breakdown_depth(10, 0)
