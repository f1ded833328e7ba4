"""Input laws: arguments, autocorrelation, and sequences continued where they were left."""

import math

import numpy as np
import pytest

from sigprop.recurrences.input_laws import as_input_law, input_sequence

BATCH, WIDTH = 2000, 5

LAWS = ["white", "constant", ("ar1", 0.6), ("ar1", -0.9), ("ar1", 0.0)]


def _drawing(rng, batch=BATCH):
    return lambda count: rng.standard_normal((batch, count, WIDTH))


def _autocorrelation(law, lag):
    if law == "white":
        return float(lag == 0)
    return 1.0 if law == "constant" else law[1] ** lag


class TestArguments:
    @pytest.mark.parametrize("law", LAWS)
    def test_valid_laws(self, law):
        assert as_input_law("inputs", law) == law

    def test_numbers_of_any_kind_become_plain(self):
        law = as_input_law("inputs", ["ar1", np.float32(0.5)])
        assert law == ("ar1", 0.5)
        assert type(law[1]) is float
        assert type(as_input_law("inputs", np.str_("white"))) is str

    @pytest.mark.parametrize(
        "law", ["pink", "ar1", ("ar2", 0.5), ("ar1",), ("ar1", 0.5, 0.5), None, 0.5, [1.0, 0.5], ()]
    )
    def test_other_laws(self, law):
        with pytest.raises(ValueError, match=r"inputs must be 'white', 'constant' or \('ar1', rho"):
            as_input_law("inputs", law)

    def test_arrays_are_no_laws(self):
        with pytest.raises(ValueError, match="inputs must be 'white'"):
            as_input_law("inputs", np.ones(3))

    @pytest.mark.parametrize("rho", [1.0, -1.0, 1.5, math.nan, math.inf])
    def test_rho_out_of_range(self, rho):
        with pytest.raises(ValueError, match="rho of inputs must"):
            as_input_law("inputs", ("ar1", rho))

    @pytest.mark.parametrize("rho", ["0.5", None, True, 0.5j])
    def test_rho_of_wrong_kind(self, rho):
        with pytest.raises(TypeError, match="rho of inputs must be a finite number"):
            as_input_law("inputs", ("ar1", rho))


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_autocorrelation(law):
    x = input_sequence(law, _drawing(np.random.default_rng(1)), 6)
    assert x.shape == (BATCH, 6, WIDTH)
    # Products of 10000 pairs: four standard errors are about 0.04.
    for first, second in ((0, 0), (5, 5), (0, 1), (4, 5), (2, 4)):
        products = (x[:, first] * x[:, second]).ravel()
        error = products.std(ddof=1) / math.sqrt(products.size)
        expected = _autocorrelation(law, second - first)
        assert abs(products.mean() - expected) < 4.0 * error
        # The same products tell it from a law with a correlation that differs by 0.1.
        assert abs(products.mean() - expected - 0.1) > 4.0 * error


@pytest.mark.parametrize("law", LAWS, ids=str)
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
