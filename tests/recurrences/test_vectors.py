"""Random vectors: their second moments, radii, and the order in which numbers are drawn."""

import math

import numpy as np
import pytest

from sigprop.recurrences.vectors import VECTORS, fixed_vectors, vectors

RANDOM = tuple(law for law in VECTORS if law != "fixed")
FIELDS = ("complex", "real")


def _z(values, expected):
    return (values.mean() - expected) / (values.std(ddof=1) / math.sqrt(values.size))


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("law", VECTORS)
def test_kind_and_mean_square(law, field):
    x = vectors(law, np.random.default_rng(3), (20_000, 5), field)
    assert x.shape == (20_000, 5)
    assert x.dtype == (np.complex128 if field == "complex" else np.float64)
    squares = np.sum(np.abs(x) ** 2, axis=1)
    if law in ("sphere", "fixed"):
        assert np.allclose(squares, 5.0, rtol=1e-14)
    else:
        assert abs(_z(squares, 5.0)) < 4.0


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("law", RANDOM)
def test_second_moments_are_the_identity(law, field):
    x = vectors(law, np.random.default_rng(4), (20_000, 3), field)
    for i, j in ((0, 0), (2, 2), (0, 1), (1, 2)):
        products = x[:, i] * x[:, j].conj()
        assert abs(_z(products.real, float(i == j))) < 4.0
        if field == "complex" and law != "real_gaussian" and i != j:
            assert abs(_z(products.imag, 0.0)) < 4.0


@pytest.mark.parametrize("law", ["gaussian", "sphere"])
def test_complex_vectors_are_proper_and_real_ones_are_not(law):
    proper = vectors(law, np.random.default_rng(5), (20_000, 3), "complex")[:, 0] ** 2
    assert abs(_z(proper.real, 0.0)) < 4.0
    assert abs(_z(proper.imag, 0.0)) < 4.0
    real = vectors("real_gaussian", np.random.default_rng(5), (20_000, 3), "complex")
    assert not np.any(real.imag)
    assert abs(_z(real[:, 0].real ** 2, 0.0)) > 4.0


def test_the_sphere_is_not_gaussian():
    # E x_1^4 is 3 n / (n + 2) on the real sphere, 3 for a normal.
    x = vectors("sphere", np.random.default_rng(6), (20_000, 4), "real")[:, 0]
    assert abs(_z(x**4, 2.0)) < 4.0
    assert abs(_z(x**4, 3.0)) > 4.0


def test_the_sphere_of_one_dimension():
    x = vectors("sphere", np.random.default_rng(7), (100, 1), "real")
    assert set(np.abs(x).ravel()) == {1.0}
    assert 0 < np.count_nonzero(x > 0) < 100


def test_fixed_vectors_take_no_numbers():
    rng = np.random.default_rng(8)
    x = vectors("fixed", rng, (2, 9), "complex")
    assert np.array_equal(x, fixed_vectors((2, 9), "complex"))
    assert np.array_equal(x[1], [3.0] + [0.0] * 8)
    assert rng.standard_normal() == np.random.default_rng(8).standard_normal()


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("law", RANDOM)
def test_vectors_are_drawn_in_turn(law, field):
    together = vectors(law, np.random.default_rng(9), (4, 2, 7), field)
    rng = np.random.default_rng(9)
    for one in together:
        assert np.array_equal(one, vectors(law, rng, (2, 7), field))
