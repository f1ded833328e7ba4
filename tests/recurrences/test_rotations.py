"""Rotations: planes and angles from generators and from matrices, exact powers."""

import math

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm

from sigprop.recurrences.rotations import Rotation, turn_planes


def orthogonality(matrix):
    return np.abs(matrix.T @ matrix - np.eye(len(matrix))).max()


def random_orthogonal(rng, size):
    return np.linalg.qr(rng.standard_normal((size, size)))[0]


def block_generator(rates, size, rng):
    """Return S with planes of the given rates in a random basis."""
    skew = np.zeros((size, size))
    for i, rate in enumerate(rates):
        skew[2 * i + 1, 2 * i], skew[2 * i, 2 * i + 1] = rate, -rate
    basis = random_orthogonal(rng, size)
    return basis @ skew @ basis.T


class TestGenerators:
    @pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 33, 64])
    def test_is_the_exponential(self, size):
        m = np.random.default_rng(size).standard_normal((size, size))
        rotation = Rotation.from_generator(m)
        # Measured: at most 4e-15, the error of expm included.
        assert np.abs(rotation.matrix - expm(m - m.T)).max() < 2e-14
        assert orthogonality(rotation.basis) < 2e-15
        assert rotation.angle.shape == (size // 2,)
        assert np.all(rotation.angle >= 0.0)

    @pytest.mark.parametrize("odd", [0, 1])
    @pytest.mark.parametrize(
        "rates",
        [
            (1.0, 1e-5, 1e-9, 0.0),
            (1.0, 1.0, 1.0, 1e-3),
            (5.0, 0.0, 0.0, 0.0),
            (1e-12, 1e-13, 1.0, 1.0),
            (0.0, 0.0, 0.0, 0.0),
        ],
    )
    def test_slow_and_repeated_planes(self, rates, odd):
        skew = block_generator(rates, 8 + odd, np.random.default_rng(3))
        rotation = Rotation.from_generator(0.5 * skew)
        assert np.allclose(np.sort(rotation.angle), np.sort(rates), atol=2e-15 * (1 + max(rates)))
        # Measured: 4e-16 times the norm of the generator.
        assert np.abs(rotation.matrix - expm(skew)).max() < 5e-15
        assert orthogonality(rotation.basis) < 2e-15

    @pytest.mark.parametrize("size", [7, 256])
    def test_the_millionth_power_is_orthogonal(self, size):
        rotation = Rotation.from_generator(np.random.default_rng(1).standard_normal((size, size)))
        # Measured: 1.4e-15 at size 256.
        assert orthogonality(rotation.power(10**6)) < 1e-13
        # Control: repeated squaring is not.
        assert orthogonality(np.linalg.matrix_power(rotation.matrix, 10**6)) > 1e-13

    def test_powers_against_high_precision(self):
        rotation = Rotation(np.eye(2), np.array([0.7]))
        k = 10**6
        with mpmath.workdps(30):
            angle = k * mpmath.mpf(0.7)
            cos, sin = float(mpmath.cos(angle)), float(mpmath.sin(angle))
        # The rounding of k theta: 7e5 2^-53 = 8e-11.
        assert np.allclose(rotation.power(k), [[cos, -sin], [sin, cos]], atol=8e-11)

    def test_powers_compose(self):
        rotation = Rotation.from_generator(np.random.default_rng(2).standard_normal((5, 5)))
        a = rotation.matrix
        assert np.allclose(rotation.power(0), np.eye(5), atol=1e-15)
        assert np.allclose(rotation.power(3), a @ a @ a, atol=1e-14)
        assert np.allclose(rotation.power(-1), a.T, atol=1e-14)
        vectors = np.random.default_rng(4).standard_normal((3, 5))
        assert np.allclose(rotation.apply(vectors, 2), vectors @ (a @ a).T, atol=1e-14)


class TestMatrices:
    @pytest.mark.parametrize("size", [1, 2, 3, 6, 33])
    def test_round_trip(self, size):
        m = np.random.default_rng(size).standard_normal((size, size))
        a = Rotation.from_generator(m).matrix
        rotation = Rotation.from_matrix(a)
        assert np.abs(rotation.matrix - a).max() < 1e-14
        assert np.all((rotation.angle >= 0.0) & (rotation.angle <= math.pi))
        assert orthogonality(rotation.power(10**6)) < 1e-13

    @pytest.mark.parametrize("size", [5, 6, 7])
    def test_eigenvalues_minus_one_are_paired(self, size):
        signs = np.diag([-1.0] * 4 + [1.0] * (size - 4))
        basis = random_orthogonal(np.random.default_rng(0), size)
        a = basis @ signs @ basis.T
        rotation = Rotation.from_matrix(a)
        assert np.sum(np.abs(rotation.angle - math.pi) < 1e-7) == 2
        assert np.abs(rotation.matrix - a).max() < 1e-14

    def test_half_turn_with_a_fixed_axis(self):
        rotation = Rotation.from_matrix(np.diag([1.0, -1.0, -1.0]))
        assert rotation.angle.tolist() == [math.pi]
        assert np.abs(rotation.basis[:, 2]).tolist() == [1.0, 0.0, 0.0]

    def test_an_angle_beyond_pi_comes_back_mirrored(self):
        theta = math.pi + 0.1
        a = Rotation(np.eye(2), np.array([theta])).matrix
        rotation = Rotation.from_matrix(a)
        assert rotation.angle == pytest.approx([math.pi - 0.1], abs=1e-15)
        assert np.allclose(rotation.matrix, a, atol=1e-15)

    @pytest.mark.parametrize("size", [1, 2, 5])
    def test_reflections_are_refused(self, size):
        a = random_orthogonal(np.random.default_rng(1), size)
        if np.linalg.det(a) > 0.0:
            a[0] = -a[0]
        with pytest.raises(ValueError, match="matrix must have determinant 1, got -1"):
            Rotation.from_matrix(a)

    def test_other_matrices_are_refused(self):
        with pytest.raises(ValueError, match=r"matrix must be orthogonal: .* is 1\.25"):
            Rotation.from_matrix(1.5 * np.eye(2))
        with pytest.raises(ValueError, match="generator must be a square matrix, got shape"):
            Rotation.from_generator(np.ones((2, 3)))
        with pytest.raises(TypeError, match="generator must hold real numbers"):
            Rotation.from_generator(1j * np.eye(2))
        with pytest.raises(ValueError, match="finite"):
            Rotation.from_generator([[math.nan]])
        with pytest.raises(ValueError, match="at most 2"):
            Rotation(np.eye(2), np.array([0.1])).power(2**54)


def test_rows_are_turned_over_batches():
    rows = np.random.default_rng(0).standard_normal((2, 1, 5))
    angles = np.random.default_rng(1).random((3, 2))
    turned = turn_planes(rows, angles)
    assert turned.shape == (2, 3, 5)
    cos, sin = math.cos(angles[1, 0]), math.sin(angles[1, 0])
    want = rows[0, 0, :2] @ np.array([[cos, -sin], [sin, cos]])
    assert np.allclose(turned[0, 1, :2], want)
    assert np.array_equal(turned[..., 4], np.broadcast_to(rows[..., 4], (2, 3)))
