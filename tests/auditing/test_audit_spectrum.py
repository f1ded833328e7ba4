"""Eigenvalues of matrices whose entries no single power of two can hold."""

import math

import numpy as np
import pytest

from sigprop.auditing import audit, spectrum
from sigprop.auditing.measures import measure

pytestmark = pytest.mark.usefixtures("no_bands")

BIG = 2.0**660


@pytest.mark.parametrize(
    ("W", "radius"),
    [
        ([[1e-200, 1e200], [0.0, 1e-200]], 1e-200),
        ([[1e-200, 0.0], [1e200, -3e-200]], 3e-200),
        ([[0.0, 1e200], [1e-200, 0.0]], 1.0),
        ([[0.0, 1e300j], [1e-100j, 0.0]], 1e100),
        ([[0.0, 1e300], [5e-324, 0.0]], math.sqrt(5e-324) * 1e150),
        ([[0.0, 1e300, 0.0], [0.0, 0.0, 1e-200], [0.0, 0.0, 0.0]], 0.0),
        ([[BIG, BIG, 0.0], [-BIG, -BIG, 0.0], [1e-200, 1.0, 2e-200]], 2e-200),
    ],
)
def test_radii_that_underflow_would_lose(W, radius):
    # Measured 1e-15 at most.
    assert measure(np.array(W)).spectral_radius == pytest.approx(radius, rel=1e-14, abs=0.0)


@pytest.mark.parametrize("seed", range(4))
def test_entries_over_500_orders_against_many_digits(seed):
    mp = pytest.importorskip("mpmath").mp.clone()
    mp.dps = 600
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((5, 5)) * 10.0 ** rng.uniform(-250, 250, (5, 5))
    W[rng.random((5, 5)) < 0.3] = 0.0
    exact = max(abs(value) for value in mp.eig(mp.matrix(W.tolist()), left=False, right=False))
    # Measured 4e-16.
    assert measure(W).spectral_radius == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("field", ["real", "complex"])
def test_both_ways_agree_where_both_work(field, monkeypatch):
    rng = np.random.default_rng(3)
    W = rng.standard_normal((12, 12))
    W = W if field == "real" else W + 1j * rng.standard_normal((12, 12))
    plain = spectrum.eigenvalues(W, 0, W).in_units_of(0)
    monkeypatch.setattr(spectrum, "_is_narrow", lambda W: False)
    taken_apart = spectrum.eigenvalues(W, 0, W).in_units_of(0)
    distance = np.abs(plain[:, np.newaxis] - taken_apart)
    # Measured 4e-15.
    assert distance.min(axis=0).max() < 1e-12
    assert distance.min(axis=1).max() < 1e-12


def test_a_scaled_triangle_in_the_record():
    record = audit([[1e-200, 1e200], [0.0, 1e-200]], [1]).tensors[0]
    assert (record.spectral_radius, record.departure_from_normality) == (1e-200, 1.0)
