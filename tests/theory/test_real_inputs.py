"""The real LRU with correlated inputs: exact coefficients, float64 against rationals."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from sigprop import exact
from sigprop.recurrences.input_laws import input_sequence
from sigprop.theory._real_inputs_kernel import _CrossMoments
from sigprop.theory.input_laws import as_input_law, exact_autocorrelation
from sigprop.theory.real_cross_moments import cross_numerator, products, real_cross_moment
from sigprop.theory.real_inputs import (
    MAX_STEPS,
    exact_lru_energies,
    exact_lru_energy,
    log_lru_energies,
    lru_excesses,
)
from sigprop.theory.real_weights import exact_rnn_energy

N = sympy.Symbol("n")

CONSTANT_INPUT = {
    0: [1],
    1: [2],
    2: [3, 2, 2],
    3: [4, 6, 14, 4],
    4: [5, 14, 54, 48, 48],
    5: [6, 26, 152, 278, 588, 304],
    6: [7, 44, 360, 1094, 3806, 4912, 3656],
}

LAWS = ["white", "constant", ("ar1", 0.5), ("ar1", -0.99), [1.0, -0.3, 0.2, 0.1, -0.05]]

# The spectrum of the last is zero at theta = 0 and pi, where a deep W has its real outliers.
CANCELLING = [1.0, 0.0, -0.5]

WIDTHS = [1, 2, 5, 30, 100, 1000, 10**6, 10**12, 2**53]

# Measured 9e-16 of max(1, log S), and 2e-13 of the excess, both to depth 80.
LOG_TOL = 5e-15
EXCESS_TOL = 1e-12


@pytest.fixture
def context():
    private = mpmath.mp.clone()
    private.dps = 40
    return private


def _double_sum(n, t, inputs, gain=1):
    """S as it is defined, moment by moment."""
    correlation = exact_autocorrelation(inputs, t + 1)
    return sum(
        correlation[abs(i - j)] * real_cross_moment(n, i, j) * gain ** (i + j)
        for i in range(t + 1)
        for j in range(t + 1)
    )


def _log(context, value):
    return context.log(context.mpf(value.numerator) / value.denominator)


class TestExact:
    @pytest.mark.parametrize("t", CONSTANT_INPUT)
    def test_constant_input_coefficients(self, t):
        expected = sum(c * N ** (-power) for power, c in enumerate(CONSTANT_INPUT[t]))
        assert sympy.expand(exact_lru_energy(N, t, "constant") - expected) == 0

    @pytest.mark.parametrize("law", [*LAWS, CANCELLING], ids=str)
    @pytest.mark.parametrize("n", [1, 4, 31])
    def test_definition(self, n, law):
        assert exact_lru_energies(n, 12, law) == [_double_sum(n, t, law) for t in range(13)]
        assert exact_lru_energy(n, 12, law) == _double_sum(n, 12, law)

    @pytest.mark.parametrize("n", [1, 2, 17, 10**20])
    def test_white_inputs_are_the_sum_of_rnn_energies(self, n):
        energies = exact_lru_energies(n, 20, "white")
        assert energies[0] == 1
        steps = [after - before for before, after in itertools.pairwise(energies)]
        assert steps == [exact_rnn_energy(n, k) for k in range(1, 21)]

    def test_sign_of_rho_does_not_matter(self):
        rho = Fraction(2, 7)
        assert exact_lru_energy(5, 9, ("ar1", rho)) == exact_lru_energy(5, 9, ("ar1", -rho))

    def test_rational_correlations_stay_exact(self):
        # t = 2: S = S_white + 2 R(2)/n.
        rho = Fraction(1, 3)
        white = 3 + Fraction(2, 49)
        assert exact_lru_energy(7, 2, "white") == white
        assert exact_lru_energy(7, 2, ("ar1", rho)) == white + Fraction(2, 9 * 7)
        assert exact_lru_energy(7, 2, ("ar1", 1 / 3)) != white + Fraction(2, 9 * 7)
        assert exact_lru_energy(7, 2, [1, 0, Fraction(-1, 3)]) == white - Fraction(2, 3 * 7)

    @given(st.integers(1, 10**9), st.integers(0, 9))
    @settings(max_examples=30)
    def test_symbol_and_number_agree(self, n, t):
        law = ("ar1", Fraction(3, 4))
        value = sympy.sympify(exact_lru_energy(N, t, law)).subs(N, n)
        assert Fraction(int(value.p), int(value.q)) == exact_lru_energy(n, t, law)

    @given(st.integers(1, 200), st.integers(0, 14), st.fractions(0, Fraction(99, 100)))
    @settings(max_examples=30)
    def test_energy_grows_with_the_correlation(self, n, t, rho):
        white, constant = (exact_lru_energy(n, t, law) for law in ("white", "constant"))
        correlated = exact_lru_energy(n, t, ("ar1", rho))
        assert exact.lru_energy(n, t) <= white <= correlated <= constant

    def test_bad_arguments(self):
        with pytest.raises(ValueError, match="inputs must be 'white'"):
            exact_lru_energy(3, 2, "pink")
        with pytest.raises(ValueError, match="t must be an integer >= 0"):
            exact_lru_energy(3, -1, "constant")
        with pytest.raises(TypeError, match="n must be an integer >= 1"):
            exact_lru_energies(3.0, 2, "constant")


class TestFloat:
    @pytest.mark.parametrize("n", WIDTHS)
    @pytest.mark.parametrize("law", [*LAWS, CANCELLING], ids=str)
    def test_logarithm_and_excess(self, n, law, context):
        depths = (0, 1, 2, 3, 5, 8, 13, 29, 50)
        table = exact_lru_energies(n, depths[-1], law)
        logs, excesses = (f(n, depths[-1], law) for f in (log_lru_energies, lru_excesses))
        assert logs.shape == excesses.shape == (51,)
        for t in depths:
            truth = _log(context, table[t])
            assert abs(float(logs[t]) - truth) <= LOG_TOL * max(1.0, abs(float(truth)))
            excess = table[t] / (t + 1) - 1
            # For white inputs the excess is of order 1/n^2, and its digits are lost for large n.
            if excess < Fraction(1e300) and (law != "white" or n <= 100):
                assert abs(Fraction(float(excesses[t])) - excess) <= EXCESS_TOL * abs(excess)

    def test_definition_of_done(self):
        # The stated value has six digits.
        value = math.exp(log_lru_energies(25600, 160, "constant")[-1]) / math.sqrt(25600)
        assert abs(value - 1.21385) < 1e-5
        assert abs(value - math.exp(log_lru_energies(25600, 160, "white")[-1]) / 160) > 0.1

    @pytest.mark.parametrize(("n", "value"), [(400, 5.74417), (1600, 5.71325), (6400, 5.6988)])
    def test_twice_the_critical_depth(self, n, value):
        root = math.isqrt(n)
        energy = math.exp(log_lru_energies(n, 2 * root, "constant")[-1]) / root
        assert abs(energy - value) < 6e-6

    @pytest.mark.parametrize("gain", [Fraction(1, 1000), Fraction(9, 10), Fraction(3, 2), 50])
    @pytest.mark.parametrize("n", [1, 7, 400])
    def test_gain(self, n, gain, context):
        # Measured 2e-16.
        logs = log_lru_energies(n, 30, ("ar1", 0.75), math.log(gain))
        for t in (0, 1, 2, 7, 30):
            truth = _log(context, _double_sum(n, t, ("ar1", 0.75), Fraction(gain)))
            assert abs(float(logs[t]) - truth) <= LOG_TOL * max(1.0, abs(float(truth)))

    def test_extreme_gains_stay_finite(self):
        faint = log_lru_energies(10, 300, "constant", -700.0)
        assert np.array_equal(faint, np.zeros(301))
        loud = log_lru_energies(10, 300, "constant", 700.0)
        assert np.isfinite(loud).all()
        # The last moment alone is left: t log_gain twice, and Q_{n,t}.
        last = float(log_lru_energies(10, 300, "constant")[-1])
        assert 300 * 1400.0 < loud[-1] < 300 * 1400.0 + last

    @pytest.mark.parametrize(("n", "t"), [(20, 270), (150, 490)])
    def test_deep_and_mild_sums_join(self, n, t, context):
        # log A_m passes 600 on the way: rows beyond are scaled.
        logs = log_lru_energies(n, t, "constant")
        assert logs[t // 2] < 600.0 < logs[t]
        factors = products(n, t + 1)
        growth = sum(
            (1 if i == t else 2) * cross_numerator(i, t, factors) * n ** ((t - i) // 2)
            for i in range(t % 2, t + 1, 2)
        )
        growth = context.mpf(growth) / context.mpf(n) ** (t + 1)
        measured = context.exp(float(logs[t])) - context.exp(float(logs[t - 1]))
        # Measured 2e-13: the logarithms are rounded to 1e-13.
        assert abs(measured / growth - 1) < 1e-11

    def test_moments_at_great_depth(self):
        # Single moments at the end of the range, with rows on both sides of the scale.
        n, last = 1000, 1201
        table, factors = _CrossMoments(n, last), products(n, last + 1)
        assert table.log_scale[1] == 0.0 < table.log_scale[last]
        for d in range(1, last + 1):
            diagonal, others = table.advance(d, 1 if d < last else 0)
            if d not in (1, 2, 501, 1000, 1200, last):
                continue
            for lag, value in enumerate([diagonal, *others]):
                m = d + lag
                truth = _log_integer(cross_numerator(d - 1, d - 1 + 2 * lag, factors))
                scale = table.log_scale[m]
                whole = value + (1.0 if lag == 0 and scale == 0.0 else 0.0)
                # Measured 1.6e-12: the logarithms compared are of size 1e4.
                assert abs(math.log(whole) + scale - (truth - m * math.log(n))) < 1e-11

    def test_simulated_array_of_autocorrelations(self):
        n, t, count = 4, 4, 40000
        law = as_input_law("inputs", [1.0, 0.0, -0.5])
        rng = np.random.default_rng(2026)
        weights = rng.standard_normal((count, n, n)) / math.sqrt(n)
        inputs = input_sequence(law, lambda m: rng.standard_normal((count, m, n)), t + 1)
        state = np.zeros((count, n))
        for step in range(t + 1):
            state = np.einsum("bij,bj->bi", weights, state) + inputs[:, step]
        energies = np.mean(state**2, axis=1)
        # The exact energy is 6.25 for this law and 8.1875 for white inputs.
        error = energies.std(ddof=1) / math.sqrt(count)
        z = [(energies.mean() - float(exact_lru_energy(n, t, x))) / error for x in (law, "white")]
        assert abs(z[0]) < 4.0 < abs(z[1])

    def test_bad_arguments(self):
        with pytest.raises(ValueError, match="n must be at most 2\\*\\*53"):
            log_lru_energies(2**53 + 1, 3, "constant")
        with pytest.raises(ValueError, match="tmax must be at most 5000"):
            lru_excesses(10, MAX_STEPS + 1, "constant")
        with pytest.raises(ValueError, match="log_gain must be a finite number"):
            log_lru_energies(10, 3, "constant", math.inf)
        with pytest.raises(ValueError, match="inputs must be 'white'"):
            log_lru_energies(10, 3, "pink")


def _log_integer(value):
    bits = max(value.bit_length() - 64, 0)
    return math.log(value >> bits) + bits * math.log(2.0)


@pytest.mark.parametrize("n", [10**8, 10**12, 2**53])
@pytest.mark.parametrize("law", [[1, 0.5], [1, 0, 0, 0, 0.25], ("ar1", 1e-9), "constant"])
def test_excess_in_wide_layers_whatever_the_law(n, law):
    """Small even correlations leave the excess of white inputs, of order t^4/n^2."""
    for t in (2, 3, 10, 40):
        exact = exact_lru_energy(n, t, law) / (t + 1) - 1
        # Measured 7e-16 at most; the sums of cross moments alone were off by 37 % here.
        assert abs(Fraction(float(lru_excesses(n, t, law)[t])) / exact - 1) < 1e-14
