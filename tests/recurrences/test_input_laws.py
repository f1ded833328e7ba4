"""Input sequences: autocorrelation, and sequences continued where they were left."""

import math

import numpy as np
import pytest

from sigprop.recurrences.input_laws import as_input_law, drawn_at_once, input_sequence
from sigprop.theory.input_laws import autocorrelation

BATCH, WIDTH = 2000, 5

MARKOV = ["white", "constant", ("ar1", 0.6), ("ar1", -0.9), ("ar1", 0.0)]
# The spectra of the last two touch zero; the last is longer than the sequences drawn.
ARRAYS = [
    as_input_law("inputs", values)
    for values in ([1.0, 0.3, -0.2], [1.0, -0.5], np.linspace(1.0, 0.0, 9)[:-1])
]


def _drawing(rng, batch=BATCH):
    return lambda count: rng.standard_normal((batch, count, WIDTH))


@pytest.mark.parametrize("law", [*MARKOV, *ARRAYS], ids=str)
def test_autocorrelation(law):
    x = input_sequence(law, _drawing(np.random.default_rng(1)), 6)
    assert x.shape == (BATCH, 6, WIDTH)
    # Products of 10000 pairs: four standard errors are about 0.04.
    for first, second in ((0, 0), (5, 5), (0, 1), (4, 5), (2, 4)):
        products = (x[:, first] * x[:, second]).ravel()
        error = products.std(ddof=1) / math.sqrt(products.size)
        expected = autocorrelation(law, 6)[second - first]
        assert abs(products.mean() - expected) < 4.0 * error
        # The same products tell it from a law with a correlation that differs by 0.1.
        assert abs(products.mean() - expected - 0.1) > 4.0 * error


@pytest.mark.parametrize("law", MARKOV, ids=str)
@pytest.mark.parametrize("parts", [(6,), (1, 5), (2, 1, 3), (1,) * 6])
def test_continued_sequences_are_one(law, parts):
    # One trajectory: its numbers come in the same order however many at a time.
    together = input_sequence(law, _drawing(np.random.default_rng(2), 1), 6)
    draw, previous, pieces = _drawing(np.random.default_rng(2), 1), None, []
    for steps in parts:
        pieces.append(input_sequence(law, draw, steps, previous))
        previous = pieces[-1][:, -1]
    assert np.array_equal(np.concatenate(pieces, axis=1), together)


def test_constant_inputs_draw_one_vector():
    rng = np.random.default_rng(3)
    x = input_sequence("constant", _drawing(rng, 2), 4)
    assert np.array_equal(x, np.repeat(x[:, :1], 4, axis=1))
    assert not np.any(x[0] == x[1])
    twin = np.random.default_rng(3)
    twin.standard_normal((2, WIDTH))
    assert rng.standard_normal() == twin.standard_normal()


def test_ar1_is_its_recursion():
    x = input_sequence(("ar1", 0.6), _drawing(np.random.default_rng(4), 1), 3)[0]
    noise = np.random.default_rng(4).standard_normal((3, WIDTH))
    assert np.array_equal(x[0], noise[0])
    # sqrt(1 - 0.36) is 0.8: one rounding each.
    assert np.allclose(x[1], 0.6 * x[0] + 0.8 * noise[1], rtol=0, atol=1e-15)
    assert np.allclose(x[2], 0.6 * x[1] + 0.8 * noise[2], rtol=0, atol=1e-15)


@pytest.mark.parametrize("law", ARRAYS, ids=str)
@pytest.mark.parametrize("steps", [1, 2, 6, 30])
def test_covariance_of_arrays_is_exact(law, steps):
    # One unit vector of noise at a time gives the columns of the filter F, and F F^T is R.
    size = steps + len(law[1]) - 1
    filtered = input_sequence(law, lambda count: np.eye(count)[:, :, np.newaxis], steps)[..., 0]
    assert filtered.shape == (size, steps)
    lags = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    # Measured 4e-16; at a root of the spectrum the rounding of R has its square root, 1e-8,
    # in F but not in F F^T.
    assert np.allclose(filtered.T @ filtered, autocorrelation(law, steps)[lags], rtol=0, atol=1e-14)


@pytest.mark.parametrize("law", ARRAYS, ids=str)
def test_arrays_keep_proper_complex_normals_proper(law):
    rng = np.random.default_rng(5)

    def draw(count):
        pairs = rng.standard_normal((BATCH, count, WIDTH, 2)) * math.sqrt(0.5)
        return pairs[..., 0] + 1j * pairs[..., 1]

    x = input_sequence(law, draw, 4)
    assert x.dtype == np.complex128
    plain, conjugated = ((x[:, 1] * y).ravel() for y in (x[:, 2], x[:, 2].conj()))
    # Products of 10000 pairs; four standard errors are about 0.04.
    for products, expected in ((plain, 0.0), (conjugated, law[1][1])):
        error = products.real.std(ddof=1) / math.sqrt(products.size)
        assert abs(products.real.mean() - expected) < 4.0 * error
        assert abs(products.real.mean() - expected - 0.1) > 4.0 * error


def test_arrays_are_drawn_at_once():
    assert [drawn_at_once(law) for law in MARKOV] == [False] * 5
    assert all(drawn_at_once(law) for law in ARRAYS)
    with pytest.raises(ValueError, match=r"previous must be None .* all steps are drawn at once"):
        input_sequence(ARRAYS[0], _drawing(np.random.default_rng(6)), 2, np.zeros((BATCH, WIDTH)))
