import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy

from sigprop import exact, fluctuations
from sigprop.theory import _word_moments

PAIRS = [(i, j) for i in range(4) for j in range(i, 7 - i)]


def double_factorial(odd):
    return math.prod(range(1, odd + 1, 2))


def polynomial(counts, n):
    return sum(count * n**power for power, count in counts.items())


def real_second_moment(n, depth, model="rnn"):
    return fluctuations.second_moment(n, depth, model, field="real")


# Ground truth ------------------------------------------------------------------------------


def mean_of_square(h, n):
    """Mean of (|h|^2 / n)^2, expanded: the first n^2 variables are the weights times sqrt(n)."""
    total = Fraction(0)
    for powers, count in (sum(x**2 for x in h) ** 2).terms():
        if all(power % 2 == 0 for power in powers):
            value = math.prod(double_factorial(power - 1) for power in powers)
            total += Fraction(int(count) * value, n ** (2 + sum(powers[: n * n]) // 2))
    return total


def times(rows, h):
    return [sum(a * x for a, x in zip(row, h, strict=True)) for row in rows]


@pytest.mark.parametrize(("n", "k"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2)])
def test_rnn_second_moment_is_the_mean_of_the_expanded_polynomial(n, k):
    ring, *g = sympy.ring([f"g{index}" for index in range(n * n)], sympy.ZZ)
    rows = [g[n * row : n * row + n] for row in range(n)]
    h = [ring.one] + [ring.zero] * (n - 1)
    for _ in range(k):
        h = times(rows, h)
    # The start has norm sqrt(n), which is n^2 in E^2.
    assert real_second_moment(n, k) == n**2 * mean_of_square(h, n)


@pytest.mark.parametrize(("n", "t"), [(2, 0), (2, 1), (2, 2), (3, 1)])
def test_lru_second_moment_is_the_mean_of_the_expanded_polynomial(n, t):
    names = [f"g{index}" for index in range(n * n)] + [f"x{index}" for index in range(n * (t + 1))]
    ring, *variables = sympy.ring(names, sympy.ZZ)
    rows = [variables[n * row : n * row + n] for row in range(n)]
    h = [ring.zero] * n
    for first in range(n * n, len(variables), n):
        inputs = variables[first : first + n]
        h = [a + x for a, x in zip(times(rows, h), inputs, strict=True)]
    assert real_second_moment(n, t, "lru") == mean_of_square(h, n)


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_contraction_of_words_gives_the_enumerated_polynomials(i, j):
    counts = fluctuations.trace_moment_counts(i, j, field="real")
    assert counts == fluctuations.enumerate_trace_moments(i, j, field="real")


@pytest.mark.slow
@pytest.mark.parametrize(("i", "j"), [(0, 7), (3, 4), (3, 5), (4, 4)])
def test_contraction_of_words_gives_the_polynomials_of_sixteen_letters(i, j):
    counts = fluctuations.trace_moment_counts(i, j, field="real")
    assert counts == fluctuations.enumerate_trace_moments(i, j, field="real")


@pytest.mark.parametrize(("i", "j"), [(0, 0), (1, 3), (4, 4), (2, 9), (6, 6)])
def test_all_pairings_are_counted(i, j):
    counts = fluctuations.trace_moment_counts(i, j, field="real")
    number = double_factorial(2 * (i + j) - 1)
    assert sum(counts.apart.values()) == sum(counts.joined.values()) == number
    assert fluctuations.trace_moment_counts(j, i, field="real") == counts


def test_single_words_have_the_known_moments():
    # tr G G^T is chi-squared with n^2 degrees of freedom; tr G^2 has mean n.
    assert _word_moments.counts(["GT"]) == {2: 1}
    assert _word_moments.counts(["GT", "GT"]) == {4: 1, 2: 2}
    assert _word_moments.counts(["GG"]) == {1: 1}
    assert _word_moments.counts(["", "GT", ""]) == {4: 1}
    assert _word_moments.counts(["G", "T"]) == {1: 1}
    assert _word_moments.counts(["G"]) == {}
    # det of the 2 x 2 Gram matrix: E[(tr A)^2 - tr A^2]/2 = n(n-1) n(n-1) / 2.
    apart, joined = fluctuations.trace_moment_counts(1, 1, field="real")
    for n in (1, 2, 7):
        assert polynomial(apart, n) - polynomial(joined, n) == (n * (n - 1)) ** 2


@pytest.mark.parametrize("j", range(7))
@pytest.mark.parametrize("n", [1, 4, 33])
def test_trace_moments_with_the_identity_are_means(n, j):
    mean = exact.rnn_energy(n, j, field="real")
    assert fluctuations.trace_moments(n, 0, j, field="real") == (n * n * mean, n * mean)


# Second moments ----------------------------------------------------------------------------


def test_reference_second_moments(reference):
    rows = [row for row in reference["second_moments"] if row["weights"] == "real"]
    assert len(rows) == 20
    for row in rows:
        n, k = row["n"], row["k"]
        assert real_second_moment(n, k) == Fraction(row["second_moment"])
        ratio = fluctuations.relative_variance(n, k, exact=True, field="real")
        assert ratio == Fraction(row["rel_var"])
        # An exact rational, rounded, through its logarithm: measured 1e-15.
        value = fluctuations.relative_variance(n, k, field="real")
        assert value == pytest.approx(row["rel_var_float"], rel=1e-14)


@pytest.mark.parametrize("depth", range(7))
def test_width_one_is_a_power_of_a_normal_variable(depth):
    # E w^(2p) = (2p-1)!!, and given w the state of the LRU is normal: E h^4 = 3 (E h^2)^2.
    assert real_second_moment(1, depth) == double_factorial(4 * depth - 1)
    total = sum(
        double_factorial(2 * (i + j) - 1) for i, j in itertools.product(range(depth + 1), repeat=2)
    )
    assert real_second_moment(1, depth, "lru") == 3 * total


@pytest.mark.slow
def test_deepest_second_moments_at_width_one():
    assert real_second_moment(1, 7) == double_factorial(27)
    counts = fluctuations.trace_moment_counts(7, 7, field="real")
    assert sum(counts.apart.values()) == sum(counts.joined.values()) == double_factorial(27)


@pytest.mark.parametrize("n", [1, 3, 12])
@pytest.mark.parametrize("t", [0, 1, 4])
def test_lru_second_moment_is_the_sum_over_pairs(n, t):
    total = Fraction(0)
    for i, j in itertools.product(range(t + 1), repeat=2):
        moments = fluctuations.trace_moments(n, i, j, field="real")
        total += moments.apart + 2 * moments.joined
    assert real_second_moment(n, t, "lru") == total / n**2


@pytest.mark.parametrize(("model", "depth"), [("rnn", 0), ("rnn", 5), ("lru", 0), ("lru", 3)])
def test_symbolic_second_moments_agree_with_integers(model, depth):
    n = sympy.Symbol("n")
    expression = sympy.sympify(real_second_moment(n, depth, model))
    for width in (1, 2, 10):
        value = real_second_moment(width, depth, model)
        assert expression.subs(n, width) == sympy.Rational(value.numerator, value.denominator)


@pytest.mark.parametrize("k", range(7))
def test_first_two_orders_of_the_rnn_variance(k):
    # Seen at k = 0, ..., 8 with seven and five points to spare, not proved.
    n, x = sympy.symbols("n x")
    mean = sympy.sympify(exact.rnn_energy(n, k, field="real"))
    variance = sympy.sympify(real_second_moment(n, k)) - mean**2
    coefficients = sympy.Poly(sympy.expand(variance.subs(n, 1 / x)), x)
    assert coefficients.coeff_monomial(1) == 0
    assert coefficients.coeff_monomial(x) == 2 * k
    assert 3 * coefficients.coeff_monomial(x**2) == 2 * k * (k - 1) * (k + 4)


@pytest.mark.parametrize("n", [1, 2, 7, 100, 10**9])
def test_real_energies_fluctuate_more_than_complex_ones(n):
    for model, depth in itertools.product(fluctuations.MODELS, range(6)):
        complex_ratio = fluctuations.relative_variance(n, depth, model, exact=True)
        real_ratio = fluctuations.relative_variance(n, depth, model, exact=True, field="real")
        if model == "rnn" and depth == 0:
            assert real_ratio == complex_ratio == 0
        else:
            assert real_ratio > complex_ratio
    gaussian = fluctuations.relative_variance(n, 0, "lru", exact=True, field="real")
    assert gaussian == Fraction(2, n)


# float64 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 8, 1000, 10**6, 2**53])
@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_float_values_are_the_rounded_fractions(n, model):
    for depth in (0, 1, 2, 4, 6):
        wanted = float(fluctuations.relative_variance(n, depth, model, exact=True, field="real"))
        result = fluctuations.relative_variance_with_error(n, depth, model, field="real")
        # Measured 4e-15: the logarithm of 1e-16 is rounded at 37.
        assert abs(result.value - wanted) <= result.relative_error * wanted
        assert result.method == "enumeration"
        log_moment = fluctuations.log_second_moment(n, depth, model, field="real")
        moment = real_second_moment(n, depth, model)
        # Measured 1e-15 for both.
        assert math.exp(log_moment) == pytest.approx(float(moment), rel=1e-13)


def test_arrays_broadcast_and_results_travel():
    values = fluctuations.relative_variance([[5], [80]], [0, 3, 5], "lru", field="real")
    assert values.shape == (2, 3)
    assert values[1, 2] == fluctuations.relative_variance(80, 5, "lru", field="real")
    result = fluctuations.relative_variance_with_error(np.int64(9), np.int32(3), field="real")
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert fluctuations.RelativeVariance.from_dict(json.loads(text)) == result
    assert fluctuations.trace_moments(np.int64(9), np.int8(6), np.int8(6), field="real") == (
        fluctuations.trace_moments(9, 6, 6, field="real")
    )


@pytest.mark.parametrize(("n", "t", "gain"), [(3, 4, Fraction(1, 2)), (8, 5, Fraction(3, 2))])
def test_gain_weighs_the_pairs_of_the_lru(n, t, gain):
    second = mean = Fraction(0)
    for i in range(t + 1):
        mean += gain ** (2 * i) * exact.rnn_energy(n, i, field="real")
        for j in range(t + 1):
            moments = fluctuations.trace_moments(n, i, j, field="real")
            second += gain ** (2 * (i + j)) * (moments.apart + 2 * moments.joined) / n**2
    value = fluctuations.relative_variance(n, t, "lru", float(gain), field="real")
    assert value == pytest.approx(float(second / mean**2 - 1), rel=1e-14)
    log_moment = fluctuations.log_second_moment(n, t, "lru", float(gain), field="real")
    assert log_moment == pytest.approx(math.log(second), rel=1e-13)


def test_gain_cancels_for_the_rnn():
    value = fluctuations.relative_variance(30, 5, field="real")
    assert fluctuations.relative_variance(30, 5, gain=3.0, field="real") == value
    shift = fluctuations.log_second_moment(30, 5, gain=3.0, field="real")
    shift -= fluctuations.log_second_moment(30, 5, field="real")
    assert shift == pytest.approx(4 * 5 * math.log(3.0), rel=1e-13)


@pytest.mark.parametrize(("n", "k", "model"), [(64, 4, "rnn"), (4, 6, "rnn"), (16, 3, "lru")])
def test_required_samples_are_the_fraction_rounded_up(n, k, model):
    ratio = fluctuations.relative_variance(n, k, model, exact=True, field="real")
    needed = fluctuations.required_samples(n, k, 1 / 64, model, field="real")
    assert needed == math.ceil(ratio * 64**2)


# Simulation --------------------------------------------------------------------------------


def sampled_second_moment(n, depth, model, count, field):
    """Mean of E^2 over draws and its standard error."""
    rng = np.random.default_rng(20260511)

    def normal(*shape):
        if field == "real":
            return rng.standard_normal(shape)
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)) / math.sqrt(2)

    W = normal(count, n, n) / math.sqrt(n)
    if model == "rnn":
        h = np.zeros((count, n), dtype=W.dtype)
        h[:, 0] = math.sqrt(n)
    else:
        h = normal(count, n)
    for _ in range(depth):
        h = np.einsum("sij,sj->si", W, h)
        if model == "lru":
            h = h + normal(count, n)
    squares = ((np.abs(h) ** 2).sum(axis=1) / n) ** 2
    return squares.mean(), squares.std() / math.sqrt(count)


@pytest.mark.parametrize(
    ("n", "depth", "model"),
    [(16, 2, "rnn"), (16, 3, "rnn"), (20, 4, "rnn"), (16, 1, "lru"), (16, 2, "lru")],
)
def test_sampled_second_moment_is_the_exact_one(n, depth, model):
    wanted = float(real_second_moment(n, depth, model))
    z = {}
    for field in ("real", "complex"):
        mean, standard_error = sampled_second_moment(n, depth, model, 20_000, field)
        z[field] = (mean - wanted) / standard_error
    assert abs(z["real"]) < 4
    # Negative control: complex weights have another second moment.
    assert abs(z["complex"]) > 8


# Refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f.second_moment(3, 8, field="real"), "at most 7 for the second moment of"),
        (lambda f: f.second_moment(sympy.Symbol("n"), 8, "lru", "real"), "of a real lru, got 8"),
        (lambda f: f.relative_variance(3, 8, field="real"), "none is known beyond; simulate"),
        (lambda f: f.relative_variance_with_error(3, 8, "lru", field="real"), "simulate"),
        (lambda f: f.required_samples(3, 8, 0.1, field="real"), "depth must be at most 7"),
        (lambda f: f.log_second_moment(3, [2, 8], field="real"), "depth must be at most 7"),
        (lambda f: f.trace_moments(3, 7, 8, field="real"), "at most 14 for real weights"),
        (lambda f: f.trace_moment_counts(7, 8, field="real"), "at most 14 for real weights"),
        (lambda f: f.enumerate_trace_moments(4, 5, field="real"), "at most 8 for real weights"),
        (lambda f: f.relative_variance(3, 2, field="quaternion"), "field must be one of"),
        (lambda f: f.second_moment(3, 2, field="Real"), "field must be one of"),
        (lambda f: f.trace_moments(3, 1, 1, field=None), "field must be one of"),
        (lambda f: f.enumerate_trace_moments(1, 1, field=2), "field must be one of"),
        (lambda f: f.required_samples(3, 2, 0.1, field=""), "field must be one of"),
        (lambda f: f.log_second_moment(3, 2, field="r"), "field must be one of"),
        (lambda f: f.relative_variance_with_error(3, 2, field="r"), "field must be one of"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(fluctuations)
