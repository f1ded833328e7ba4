import numpy as np
import pytest

import sigprop
from sigprop.theory.curves import lru_energy_curve, rnn_energy_curve, running_sum

# Measured over all widths below: 5.3e-15 for Q and Q - 1, 2.7e-15 for log Q,
# 6.3e-15 for S and its excess, 6e-16 for log S.
TOL = 1.5e-14

POINTS = {
    "rnn": (sigprop.rnn_energy, sigprop.log_rnn_energy, sigprop.rnn_excess),
    "lru": (sigprop.lru_energy, sigprop.log_lru_energy, sigprop.lru_excess),
}
CURVES = {"rnn": rnn_energy_curve, "lru": lru_energy_curve}


@pytest.mark.parametrize("model", ["rnn", "lru"])
@pytest.mark.parametrize("n", [1, 2, 5, 22, 100, 10**4, 10**6, 10**8, 2**53])
def test_curves_agree_with_points(model, n):
    last = 50_000
    seam = int(np.sqrt(4.0 * n))
    near_seam = np.arange(max(seam - 40, 0), seam + 40)
    depths = np.concatenate([np.arange(140), np.rint(np.geomspace(100, last, 200)), near_seam])
    depths = np.unique(depths[depths <= last]).astype(np.int64)
    curve = CURVES[model](n, last)
    for values, function in zip(curve, POINTS[model], strict=True):
        assert values.shape == (last + 1,)
        points = function(n, depths)
        finite = np.isfinite(points)
        # Above 1e300 an excess may come from its logarithm: 700 roundings of 1.1e-16.
        tol = np.where(points[finite] < 1e300, TOL, 2e-13)
        assert np.all(np.abs(values[depths][finite] - points[finite]) <= tol * points[finite])
        assert np.all(np.isinf(values[depths][~finite]))


@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_short_curves(model):
    for last in (0, 1, 22, 23, 63, 64, 65):
        curve = CURVES[model](7, last)
        expected = POINTS[model][0](7, np.arange(last + 1))
        np.testing.assert_allclose(curve.energy, expected, rtol=TOL)


def test_running_sum_does_not_drift():
    # A plain cumulative sum of a million equal terms drifts; nested blocks do not.
    x = np.full(10**6, 0.1)
    expected = 0.1 * np.arange(1, 10**6 + 1)
    assert np.max(np.abs(running_sum(x) / expected - 1)) < 5e-15  # measured 3.1e-15
    assert np.max(np.abs(np.cumsum(x) / expected - 1)) > 1e-13


@pytest.mark.parametrize("function", [rnn_energy_curve, lru_energy_curve])
def test_bad_input_is_refused_by_name(function):
    with pytest.raises(ValueError, match=r"^n must"):
        function(0, 5)
    with pytest.raises(TypeError, match=r"^n must"):
        function([1, 2], 5)
    with pytest.raises(ValueError, match=r"^[kt]max must"):
        function(5, -1)
    with pytest.raises(ValueError, match=r"^[kt]max must be an integer from 0 to 100000000"):
        function(5, 10**9)
