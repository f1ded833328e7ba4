"""Activations: values, and the scale of the weights that keeps the mean energy."""

import math

import numpy as np
import pytest

from sigprop.recurrences.activations import ACTIVATIONS, activate, calibrated_scale

VALUES = np.array([-2.0, -0.0, 0.0, 3.0])


def test_values():
    assert np.array_equal(activate("linear", 0.5, VALUES), VALUES)
    assert np.array_equal(activate("relu", 0.5, VALUES), [0.0, 0.0, 0.0, 3.0])
    assert np.array_equal(activate("leaky_relu", 0.25, VALUES), [-0.5, 0.0, 0.0, 3.0])


def test_single_precision_stays():
    for name in ACTIVATIONS:
        assert activate(name, 0.3, VALUES.astype(np.float32)).dtype == np.float32


def test_scales():
    assert calibrated_scale("linear") == 1.0
    assert calibrated_scale("relu") == math.sqrt(2.0)
    assert calibrated_scale("leaky_relu", 0.5) == pytest.approx(math.sqrt(2.0 / 1.25), rel=1e-15)
    assert calibrated_scale("leaky_relu", 0.0) == calibrated_scale("relu")
    assert calibrated_scale("leaky_relu", -1.0) == pytest.approx(1.0, rel=1e-15)
    assert calibrated_scale("leaky_relu", 1e200) == pytest.approx(math.sqrt(2.0) * 1e-200)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("slope", [0.0, 0.5, -0.7, 2.0])
def test_calibrated_units_keep_the_mean_square(name, slope):
    # Gauss-Hermite on each half line: phi is linear there, so its square is a polynomial.
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    z = calibrated_scale(name, slope) * nodes
    mean_square = weights @ activate(name, slope, z) ** 2 / weights.sum()
    # The nodes are symmetric and none is zero: half the second moment on each side.
    # 4e-16 was measured.
    assert mean_square == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_a_positive_factor_comes_through(name):
    values = np.random.default_rng(0).standard_normal(100)
    scaled = activate(name, 0.3, 4.0 * values)  # a power of two: no rounding
    assert np.array_equal(scaled, 4.0 * activate(name, 0.3, values))
