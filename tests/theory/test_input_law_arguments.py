"""Input laws: what is accepted, how it is kept, its autocorrelation in floats and rationals."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigprop.theory.input_laws import (
    MAX_LAGS,
    as_input_law,
    autocorrelation,
    exact_autocorrelation,
)

LAWS = ["white", "constant", ("ar1", 0.6), ("ar1", -0.9), ("autocorrelation", (1.0, 0.5))]


def _moving_average(coefficients):
    """Autocorrelation of a moving average: its spectrum is an absolute square."""
    full = np.correlate(coefficients, coefficients, "full")[len(coefficients) - 1 :]
    return full / full[0]


class TestParse:
    @pytest.mark.parametrize("law", LAWS, ids=str)
    def test_what_is_kept_is_accepted_hashed_and_pickled(self, law):
        kept = as_input_law("inputs", law)
        assert kept == law
        assert as_input_law("inputs", kept) == kept
        assert pickle.loads(pickle.dumps(kept)) == kept
        assert hash(kept) == hash(law)
        assert eval(repr(kept)) == kept

    def test_numbers_of_any_kind_become_plain(self):
        assert as_input_law("inputs", ["ar1", Fraction(1, 2)]) == ("ar1", 0.5)
        kind, values = as_input_law("inputs", np.array([1, 0.5], dtype=np.float32))
        assert (kind, values) == ("autocorrelation", (1.0, 0.5))
        assert {type(item) for item in values} == {float}
        assert as_input_law("inputs", ["autocorrelation", [1, 0.25]])[1] == (1.0, 0.25)

    def test_zeros_at_the_end_do_not_count(self):
        assert as_input_law("inputs", [1.0, 0.5, 0.0, 0.0])[1] == (1.0, 0.5)
        assert as_input_law("inputs", [1.0, 0.0]) == "white"

    @pytest.mark.parametrize(
        "law",
        ["pink", "ar1", ("ar2", 0.5), ("ar1",), ("ar1", 0.5, 0.5), None, 0.5, (), np.eye(2), b"w"],
        ids=str,
    )
    def test_other_laws(self, law):
        with pytest.raises(ValueError, match=r"inputs must be 'white', 'constant', \('ar1', rho\)"):
            as_input_law("inputs", law)

    def test_too_many_lags(self):
        with pytest.raises(ValueError, match="at most 4096 autocorrelations, got 4097"):
            as_input_law("inputs", np.eye(1, MAX_LAGS + 1)[0])

    @pytest.mark.parametrize("first", [0.5, 2, 1.0 + 1e-12, Fraction(10**20 + 1, 10**20)])
    def test_first_is_one(self, first):
        with pytest.raises(ValueError, match=r"must start with R\(0\) = 1"):
            as_input_law("inputs", [first, 0.1])

    @pytest.mark.parametrize("item", ["a", None, True, 1j])
    def test_entries_of_wrong_kind(self, item):
        with pytest.raises(TypeError, match="autocorrelation of inputs must be a finite number"):
            as_input_law("inputs", [1.0, item])

    @pytest.mark.parametrize("item", [math.nan, math.inf])
    def test_entries_not_finite(self, item):
        with pytest.raises(ValueError, match="autocorrelation of inputs must be a finite number"):
            as_input_law("inputs", [1.0, item])

    @pytest.mark.parametrize("rho", [1.0, -1.0, 1.5, math.nan, math.inf])
    def test_rho_out_of_range(self, rho):
        with pytest.raises(ValueError, match="rho of inputs must"):
            as_input_law("inputs", ("ar1", rho))


class TestSpectrum:
    def test_edge_of_what_is_stationary(self):
        # The spectrum 1 + 2 r cos(s theta) touches zero at r = 1/2, whatever the lag.
        for lag in (1, 2, 7, 100):
            row = np.zeros(lag + 1)
            row[0], row[lag] = 1.0, 0.5
            assert as_input_law("inputs", row)[0] == "autocorrelation"
            for beyond in (0.5 + 1e-9, -0.5 - 1e-9):
                row[lag] = beyond
                with pytest.raises(ValueError, match="stationary sequence"):
                    as_input_law("inputs", row)

    def test_minimum_between_the_points_of_a_grid(self):
        # 1 + 2 r cos(theta) + 2 s cos(2 theta) has its minimum 1 - 2s - r^2/(4s) inside.
        s = 0.2
        edge = 2.0 * math.sqrt(s * (1.0 - 2.0 * s))
        assert as_input_law("inputs", [1.0, edge - 1e-9, s])
        with pytest.raises(ValueError, match="stationary sequence"):
            as_input_law("inputs", [1.0, edge + 1e-9, s])

    def test_cut_exponentials(self):
        # A geometric sequence cut where it is still large is no autocorrelation.
        with pytest.raises(ValueError, match="taper it if it was cut"):
            as_input_law("inputs", 0.9 ** np.arange(10))
        assert as_input_law("inputs", 0.9 ** np.arange(400))
        assert as_input_law("inputs", np.linspace(1.0, 0.0, 50, endpoint=False))

    @given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=12))
    def test_moving_averages_are_stationary(self, coefficients):
        coefficients = [1.0, *coefficients]
        assert as_input_law("inputs", _moving_average(coefficients))

    @given(st.lists(st.floats(-0.6, 0.6), min_size=1, max_size=6))
    def test_verdict_is_that_of_a_dense_grid(self, tail):
        values = np.array([1.0, *tail])
        angles = np.linspace(0.0, math.pi, 5001)
        lowest = (2.0 * np.cos(np.outer(angles, np.arange(values.size))) @ values - 1.0).min()
        # A grid misses the minimum by at most sum(s^2 |R(s)|) (pi/5000)^2/4 < 6e-6.
        try:
            as_input_law("inputs", values)
        except ValueError:
            assert lowest < 1e-5
        else:
            assert lowest > -1e-11


class TestAutocorrelation:
    def test_values(self):
        assert autocorrelation("white", 3).tolist() == [1.0, 0.0, 0.0]
        assert autocorrelation("constant", 3).tolist() == [1.0, 1.0, 1.0]
        assert autocorrelation(("ar1", -0.5), 4).tolist() == [1.0, -0.5, 0.25, -0.125]
        assert autocorrelation(("ar1", 0.0), 3).tolist() == [1.0, 0.0, 0.0]
        assert autocorrelation([1.0, 0.5, 0.25], 2).tolist() == [1.0, 0.5]
        assert autocorrelation([1.0, 0.5], 4).tolist() == [1.0, 0.5, 0.0, 0.0]

    @pytest.mark.parametrize("law", [*LAWS, ("ar1", 0.1)], ids=str)
    def test_rationals_are_the_floats(self, law):
        floats, exact = autocorrelation(law, 9), exact_autocorrelation(law, 9)
        assert all(type(item) is Fraction for item in exact)
        # A power of a float is rounded once.
        assert np.allclose(floats, [float(item) for item in exact], rtol=1e-15, atol=0)

    def test_rationals_of_the_caller_stay_exact(self):
        third = Fraction(1, 3)
        assert exact_autocorrelation(("ar1", third), 3) == [1, third, third**2]
        assert exact_autocorrelation([1, third], 3) == [1, third, 0]
        assert exact_autocorrelation(("ar1", 0.1), 2)[1] == Fraction(0.1) != Fraction(1, 10)

    def test_long_memory_underflows_to_zero(self):
        assert autocorrelation(("ar1", 0.5), 3000)[-1] == 0.0

    @pytest.mark.parametrize("function", [autocorrelation, exact_autocorrelation])
    def test_bad_arguments(self, function):
        with pytest.raises(ValueError, match="count must be an integer >= 1"):
            function("white", 0)
        with pytest.raises(ValueError, match="inputs must be 'white'"):
            function("pink", 3)
