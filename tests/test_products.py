import numpy as np
import pytest

from sigprop._products import matvec, vecmat


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (64, 64), (70, 90), (2, 3000), (3000, 2)])
@pytest.mark.parametrize("batch", [(), (3,), (2, 2)])
def test_tiled_products_are_products(shape, batch):
    rng = np.random.default_rng(0)
    height, width = shape
    A = rng.standard_normal((*batch, height, width)) + 1j * rng.standard_normal(
        (*batch, height, width)
    )
    v, w = rng.standard_normal((*batch, width)), rng.standard_normal((*batch, height))
    # Rounding of sums of up to 3000 terms of size one: measured 6e-14.
    np.testing.assert_allclose(matvec(A, v), np.einsum("...ij,...j->...i", A, v), atol=1e-12)
    np.testing.assert_allclose(vecmat(w, A), np.einsum("...i,...ij->...j", w, A), atol=1e-12)
