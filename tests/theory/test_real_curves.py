"""Curves of real weights against points, and the rules of summation behind both."""

import numpy as np
import pytest

import sigprop
from sigprop.theory._real_curve import Interpolant
from sigprop.theory._sum_rule import DIRECT, rules, sums


@pytest.mark.parametrize("n", [1, 2, 5, 50, 300, 1000, 4100, 10**5, 10**6, 10**9, 2**53])
def test_rnn_curve_agrees_with_points(n):
    last = 30_000
    curve = sigprop.rnn_energy_curve(n, last, field="real")
    depths = np.unique(
        np.concatenate([np.arange(240, 280), np.rint(np.geomspace(1, last, 150))])
    ).astype(np.int64)
    log_points = sigprop.log_rnn_energy(n, depths, field="real")
    # Measured 6e-15 (n = 1e6).
    errors = np.abs(curve.log_energy[depths] - log_points)
    assert np.all(errors <= 3e-14 * np.maximum(1.0, log_points))
    moderate = log_points < 600
    excess = sigprop.rnn_excess(n, depths[moderate], field="real")
    # Measured 7e-15 while log Q < 1, and 6e-13 at log Q = 600.
    tol = 1e-14 * np.maximum(3.0, log_points[moderate])
    assert np.all(np.abs(curve.excess[depths[moderate]] - excess) <= tol * excess)
    assert np.all(np.isinf(curve.energy[depths[log_points > 710]]))


@pytest.mark.parametrize("n", [2, 100, 5000, 10**6, 10**12])
def test_lru_curve_agrees_with_points(n):
    curve = sigprop.lru_energy_curve(n, 20_000, field="real")
    depths = np.unique(np.rint(np.geomspace(1, 20_000, 25))).astype(np.int64)
    log_points = sigprop.log_lru_energy(n, depths, field="real")
    # Measured 6e-15.
    np.testing.assert_allclose(curve.log_energy[depths], log_points, rtol=5e-14)
    moderate = log_points < 100
    excess = sigprop.lru_excess(n, depths[moderate], field="real")
    # Measured 7e-14, at log S = 60.
    np.testing.assert_allclose(curve.excess[depths[moderate]], excess, rtol=5e-13)


def test_short_curves():
    for last in (0, 1, 7, 255, 256, 257):
        curve = sigprop.rnn_energy_curve(30, last, field="real")
        expected = sigprop.rnn_energy(30, np.arange(last + 1), field="real")
        assert curve.energy.shape == (last + 1,)
        np.testing.assert_allclose(curve.energy, expected, rtol=5e-13)  # at log Q = 350


def test_lru_curve_under_other_inputs():
    curve = sigprop.lru_energy_curve(20, 40, "real", "constant")
    points = sigprop.lru_energy(20, np.arange(41), field="real", inputs="constant")
    np.testing.assert_allclose(curve.energy, points, rtol=1e-13)
    assert curve.excess[0] == 0.0
    with pytest.raises(ValueError, match=r"^tmax must be at most 5000 for real weights"):
        sigprop.lru_energy_curve(20, 6000, "real", "constant")
    complex_curve = sigprop.lru_energy_curve(20, 6000, inputs="constant")
    np.testing.assert_array_equal(complex_curve.energy, sigprop.lru_energy_curve(20, 6000).energy)


def test_panels_are_kept_and_cover_every_depth():
    interpolant = Interpolant(1e6)
    starts = interpolant.panel_starts(1e5)
    assert starts[0] == 256.0
    assert starts[-2] <= 1e5 < starts[-1]
    first = interpolant.energies(np.array([1000.0, 5000.0]), False)
    again = interpolant.energies(np.array([1000.0, 5000.0]), False)
    np.testing.assert_array_equal(first.excess, again.excess)


@pytest.mark.parametrize("length", [1.0, 12.0, 13.0, 100.0, 101.0, 150.0, 1000.0, 123_456.0])
def test_sum_rule_is_exact_for_polynomials_and_sharp_for_exponentials(length):
    s = np.arange(length) / length
    for degree in (0, 1, 5, 20, 40):
        value = sums(np.array([length]), lambda _, x, d=degree: (x / length) ** d)[0]
        assert value == pytest.approx(np.sum(s**degree), rel=5e-14)  # measured 1.4e-14
    value = sums(np.array([length]), lambda _, x: np.exp(-45.0 * x / length))[0]
    assert value == pytest.approx(np.sum(np.exp(-45.0 * s)), rel=1e-12)


def test_sum_rule_of_a_length_that_is_no_integer_continues_the_sum():
    # sum_{s < N} s^2 = (N - 1) N (2N - 1) / 6.
    lengths = np.array([DIRECT + 0.5, 333.25])
    values = sums(lengths, lambda _, x: x * x)
    wanted = (lengths - 1) * lengths * (2 * lengths - 1) / 6
    np.testing.assert_allclose(values, wanted, rtol=1e-14)


def test_sum_rule_of_nothing_is_zero_and_members_are_complete():
    lengths = np.array([0.0, 1.0, 12.0, 13.0, 100.0, 101.0, 1e15])
    seen = np.concatenate([members for members, _, _ in rules(lengths)])
    assert sorted(seen) == [1, 2, 3, 4, 5, 6]
    assert sums(lengths, lambda _, x: np.ones_like(x))[0] == 0.0
