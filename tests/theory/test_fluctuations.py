import itertools
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from sigprop import exact
from sigprop.theory import (
    _second_moment_lru,
    _second_moment_rnn,
    _trace_weights,
    fluctuations,
)

# Measured over the grids below: at most 2e-14 for the RNN, 1e-14 for the LRU.
FLOAT_TOLERANCE = 1e-13

PAIRS = [(i, j) for i in range(5) for j in range(i, 9 - i)]


def polynomial(counts, n):
    return sum(count * n**power for power, count in counts.items())


# Ground truth ------------------------------------------------------------------------------


def glued_counts(i, j, joined):
    """Enumerate pairings by gluing index variables one by one, straight from the traces."""
    # A factor G of chain c, step s, has row (p, c, s) and column (p, c, s + 1); conjugates have q.
    chains = [(0, i), (1, j)]
    letters = [(c, s) for c, length in chains for s in range(length)]
    start = []
    for c, length in chains:
        start.append((("p", c, length), ("q", c, length)))
        start.append((("p", c, 0), ("q", 1 - c if joined else c, 0)))
    counts = {}
    for images in itertools.permutations(letters):
        label = {
            (side, c, s): (side, c, s) for side in "pq" for c, k in chains for s in range(k + 1)
        }

        def root(v, label=label):
            while label[v] != v:
                v = label[v]
            return v

        glue = list(start)
        for (c, s), (d, r) in zip(letters, images, strict=True):
            glue.append((("p", c, s), ("q", d, r)))
            glue.append((("p", c, s + 1), ("q", d, r + 1)))
        for one, other in glue:
            label[root(one)] = root(other)
        free = sum(label[v] == v for v in label)
        counts[free] = counts.get(free, 0) + 1
    return dict(sorted(counts.items(), reverse=True))


@pytest.mark.parametrize(("i", "j"), [(0, 0), (0, 2), (1, 1), (1, 2), (2, 2), (1, 4), (3, 3)])
def test_enumeration_is_the_gluing_of_indices(i, j):
    enumerated = fluctuations.enumerate_trace_moments(i, j)
    assert enumerated.apart == glued_counts(i, j, joined=False)
    assert enumerated.joined == glued_counts(i, j, joined=True)


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_partitions_give_the_enumerated_polynomials(i, j):
    counts = fluctuations.trace_moment_counts(i, j)
    assert counts == fluctuations.enumerate_trace_moments(i, j)
    assert sum(counts.apart.values()) == sum(counts.joined.values()) == math.factorial(i + j)


@pytest.mark.slow
@pytest.mark.parametrize(("i", "j"), [(2, 7), (4, 5), (3, 7), (5, 5)])
def test_partitions_give_the_enumerated_polynomials_of_nine_and_ten_letters(i, j):
    assert fluctuations.trace_moment_counts(i, j) == fluctuations.enumerate_trace_moments(i, j)


@pytest.mark.parametrize(("i", "j"), [(2, 3), (3, 2), (1, 6), (4, 4)])
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_trace_moments_are_the_polynomials(n, i, j):
    counts = fluctuations.enumerate_trace_moments(i, j)
    moments = fluctuations.trace_moments(n, i, j)
    assert moments.apart == Fraction(polynomial(counts.apart, n), n ** (i + j))
    assert moments.joined == Fraction(polynomial(counts.joined, n), n ** (i + j))


@pytest.mark.parametrize("j", [0, 1, 7, 30])
@pytest.mark.parametrize("n", [1, 4, 33])
def test_trace_moments_with_the_identity_are_means(n, j):
    mean = exact.rnn_energy(n, j)
    assert fluctuations.trace_moments(n, 0, j) == (n * n * mean, n * mean)


@pytest.mark.parametrize(("i", "j"), [(1, 1), (3, 8), (20, 20), (5, 40)])
def test_width_one_is_a_power_of_an_exponential_variable(i, j):
    # |w|^2 is exponential with mean 1, and |w|^(2(i+j)) has mean (i+j)!.
    assert fluctuations.trace_moments(1, i, j) == (math.factorial(i + j),) * 2
    assert fluctuations.second_moment(1, i) == math.factorial(2 * i)


@pytest.mark.parametrize("total", [0, 1, 2, 5, 8, 13])
def test_weights_are_not_negative_and_sum_to_one_half(total):
    boxes = total + 2
    for d in range(total % 2, total + 1, 2):
        p = (total - d) // 2 + 1
        weights = [_trace_weights.exact_hook_weight(boxes - 1 - b, b, p) for b in range(boxes)]
        for D, E, alpha in itertools.product(range(1, boxes), repeat=3):
            beta = boxes - alpha
            if (alpha - 1 - D) % 2 or (beta - 1 - E) % 2 or alpha <= D or beta <= E:
                continue
            form = _trace_weights.exact_form(D, E, d)
            if form is not None:
                value = form.one + form.aa * alpha**2 + form.ab * alpha * beta + form.bb * beta**2
                weights.append(16 * value / _trace_weights.corner_product(D, E, boxes))
        assert min(weights) >= 0
        # With weights 1/n the traces tend to n: all weights together are that limit, halved.
        assert sum(weights) == Fraction(1, 2)


# Second moments of the energies ------------------------------------------------------------


def test_reference_second_moments(reference):
    rows = [row for row in reference["second_moments"] if row["weights"] == "complex"]
    assert len(rows) == 25
    for row in rows:
        n, k = row["n"], row["k"]
        assert fluctuations.second_moment(n, k) == Fraction(row["second_moment"])
        ratio = fluctuations.relative_variance(n, k, exact=True)
        assert ratio == Fraction(row["rel_var"])
        value = fluctuations.relative_variance(n, k)
        assert value == pytest.approx(row["rel_var_float"], rel=FLOAT_TOLERANCE)


@pytest.mark.parametrize(
    ("k", "coefficients"),
    [
        (0, [1]),
        (1, [1, 1]),
        (2, [1, 2, 5, 8, 8]),
        (3, [1, 3, 21, 71, 204, 276, 144]),
        (4, [1, 4, 56, 302, 1707, 5502, 11588, 13864, 7296]),
    ],
)
def test_rnn_second_moment_as_a_polynomial_in_one_over_n(k, coefficients):
    n = sympy.Symbol("n")
    expected = sum(c / n**r for r, c in enumerate(coefficients))
    assert sympy.expand(fluctuations.second_moment(n, k) - expected) == 0


@pytest.mark.parametrize(("model", "depth"), [("rnn", 9), ("lru", 5)])
def test_symbolic_second_moments_agree_with_integers(model, depth):
    n = sympy.Symbol("n")
    expression = fluctuations.second_moment(n, depth, model)
    for width in (1, 2, 10):
        value = fluctuations.second_moment(width, depth, model)
        assert expression.subs(n, width) == sympy.Rational(value.numerator, value.denominator)


@pytest.mark.parametrize("n", [1, 3, 12])
@pytest.mark.parametrize("t", [0, 1, 4])
def test_lru_second_moment_is_the_sum_over_pairs(n, t):
    total = Fraction(0)
    for i, j in itertools.product(range(t + 1), repeat=2):
        total += sum(fluctuations.trace_moments(n, i, j))
    assert fluctuations.second_moment(n, t, model="lru") == total / n**2


def test_fixed_input_does_not_fluctuate_and_gaussian_input_does():
    for n in (1, 7, 10**6):
        assert fluctuations.relative_variance(n, 0) == 0.0
        assert fluctuations.relative_variance(n, 0, exact=True) == 0
        assert fluctuations.relative_variance(n, 0, model="lru", exact=True) == Fraction(1, n)
        assert fluctuations.relative_variance(n, 0, model="lru") == pytest.approx(1 / n, rel=1e-15)


@given(st.integers(1, 10**5), st.integers(0, 20))
@settings(max_examples=30)
def test_variances_are_positive(n, k):
    assert fluctuations.relative_variance(n, k, exact=True) >= 0
    assert fluctuations.relative_variance(n, k) >= 0.0
    assert fluctuations.relative_variance(n, k % 12, model="lru") > 0.0


# float64 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 8, 50, 1000, 10**6, 2**53])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 9, 16, 30])
def test_rnn_sum_agrees_with_the_fraction(n, k):
    wanted = float(fluctuations.relative_variance(n, k, exact=True))
    assert math.exp(_second_moment_rnn.summed(n, k)) == pytest.approx(wanted, rel=FLOAT_TOLERANCE)
    value = fluctuations.relative_variance(n, k)
    assert value == pytest.approx(wanted, rel=FLOAT_TOLERANCE)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 50, 1000, 10**6, 2**53])
def test_lru_table_agrees_with_the_fractions(n):
    table = fluctuations.lru_relative_variances(n, 12)
    for t in (0, 1, 2, 3, 5, 8, 12):
        wanted = float(fluctuations.relative_variance(n, t, model="lru", exact=True))
        assert table[t] == pytest.approx(wanted, rel=FLOAT_TOLERANCE)
        value = fluctuations.relative_variance(n, t, model="lru")
        assert value == pytest.approx(wanted, rel=FLOAT_TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(1, 128), (3, 128), (20, 128), (3000, 128), (10**5, 128)])
def test_deep_rnn_sum_agrees_with_the_fraction(n, k):
    ratio = fluctuations.relative_variance(n, k, exact=True)
    log_value = math.log(ratio.numerator) - math.log(ratio.denominator)
    # Measured 3e-13 at small n and below 1e-14 from n = 3000 on.
    assert _second_moment_rnn.summed(n, k) == pytest.approx(log_value, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "k", "wanted", "digits"),
    [
        (64, 8, 0.2014986, 7),
        (256, 16, 0.0991540, 6),
        (100, 20, 2.508069, 7),
        (2500, 100, 0.6167426, 7),
        (100, 30, 138.4797, 7),
        (50, 30, 29737.40, 7),
        (1000, 100, 289.3163, 7),
        (100, 60, 2.87017e9, 6),
        (400, 150, 1.479e17, 4),
    ],
)
def test_rnn_relative_variances(n, k, wanted, digits):
    value = fluctuations.relative_variance(n, k)
    assert value == pytest.approx(wanted, rel=6 * 10.0**-digits)


@pytest.mark.parametrize(
    ("n", "wanted"),
    [
        (16, [0.1705762, 0.8921184, 1042.769, 49620.02, 2.556606e6, 9.87268e9]),
        (64, [0.03593709, 0.06743885, 0.4097262, 2.275041, 21.82394, 3834.936]),
        (1024, [0.002154039, 0.003470838, 0.006284529, 0.007831786, 0.009526219, 0.01362479]),
        (4096, [0.000537458, 0.0008611528, 0.001522783, 0.001861364, 0.002206777, 0.002924628]),
    ],
)
def test_lru_relative_variances(n, wanted):
    table = fluctuations.lru_relative_variances(n, 32)
    # The table is given to seven digits, and six at its corners.
    np.testing.assert_allclose(table[[4, 8, 16, 20, 24, 32]], wanted, rtol=1e-6)


def test_logs_are_finite_beyond_the_float_range():
    result = fluctuations.relative_variance_with_error(1, 520)
    assert result.value == math.inf
    # Width 1: (2k)!/(k!)^2 - 1.
    assert result.log_value == pytest.approx(math.log(math.comb(1040, 520)), rel=1e-13)
    log_moment = fluctuations.log_second_moment(1, [0, 5, 200])
    np.testing.assert_allclose(log_moment, [0.0, math.lgamma(11), math.lgamma(401)], rtol=1e-13)


@pytest.mark.slow
def test_lru_covariances_agree_where_the_products_are_scaled():
    # At n = 1 the covariances are 2 (i+j)! - i! j!, and from i + j = 127 on products are scaled.
    table = _second_moment_lru._covariances(1, 64)
    assert table.log_scales[126] == 0.0 < table.log_scales[127]
    for i, j in [(64, 64), (64, 63), (5, 6), (0, 64)]:
        wanted = 2 * math.factorial(i + j) - math.factorial(i) * math.factorial(j)
        log_value = math.log(table.values[i, j]) + table.log_scales[i + j]
        # Measured 2e-13: logs near 500 keep that much.
        assert log_value == pytest.approx(math.log(wanted), abs=1e-12)


def test_arrays_broadcast_and_equal_single_points():
    n, depth = np.array([[5], [80]]), np.array([0, 3, 9])
    for model in fluctuations.MODELS:
        values = fluctuations.relative_variance(n, depth, model)
        assert values.shape == (2, 3)
        for (row, column), value in np.ndenumerate(values):
            single = fluctuations.relative_variance(n[row, 0], depth[column], model)
            assert value == single
            assert np.ndim(single) == 0


def test_numpy_integers_and_integral_floats_are_the_same():
    assert fluctuations.relative_variance(np.int64(9), np.int32(4)) == (
        fluctuations.relative_variance(9.0, 4)
    )
    assert fluctuations.second_moment(np.int64(9), np.int32(40)) == (
        fluctuations.second_moment(9, 40)
    )


# Gain --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "t", "gain"), [(3, 4, Fraction(1, 2)), (8, 5, Fraction(3, 2))])
def test_gain_weighs_the_pairs(n, t, gain):
    second = mean = Fraction(0)
    for i in range(t + 1):
        mean += gain ** (2 * i) * exact.rnn_energy(n, i)
        for j in range(t + 1):
            second += gain ** (2 * (i + j)) * sum(fluctuations.trace_moments(n, i, j)) / n**2
    wanted = float(second / mean**2 - 1)
    value = fluctuations.relative_variance(n, t, model="lru", gain=float(gain))
    assert value == pytest.approx(wanted, rel=FLOAT_TOLERANCE)
    log_moment = fluctuations.log_second_moment(n, t, "lru", float(gain))
    assert log_moment == pytest.approx(math.log(second), rel=1e-13)


def test_gain_cancels_for_the_rnn():
    value = fluctuations.relative_variance(30, 12)
    assert fluctuations.relative_variance(30, 12, gain=3.0) == value
    shift = fluctuations.log_second_moment(30, 12, gain=3.0) - fluctuations.log_second_moment(
        30, 12
    )
    assert shift == pytest.approx(4 * 12 * math.log(3.0), rel=1e-13)


def test_extreme_gains_leave_the_first_and_the_last_energy():
    n, t = 10, 6
    lowest = fluctuations.relative_variance(n, t, model="lru", gain=1e-30)
    assert lowest == pytest.approx(1 / n, rel=1e-12)
    # With a Gaussian input the last energy fluctuates as ((n+1)/n) E[E_k^2].
    moment = fluctuations.second_moment(n, t) * Fraction(n + 1, n)
    highest = fluctuations.relative_variance(n, t, model="lru", gain=1e30)
    assert highest == pytest.approx(float(moment / exact.rnn_energy(n, t) ** 2 - 1), rel=1e-12)


# Methods -----------------------------------------------------------------------------------


def test_methods_are_labelled():
    label = fluctuations.relative_variance_with_error
    assert label(10**9, 20).method == "series"
    assert label(100, 20).method == "sum"
    assert label(10**9, 3000, model="lru").method == "series"
    assert label(100, 20, model="lru").method == "sum"
    assert label(1500, 2000).method == "scaled"
    assert label(10**6, 1500, model="lru").method == "series"
    assert 1e-12 < label(10**6, 1500, model="lru").relative_error < 1e-3


@pytest.mark.parametrize("critical", [1.5, 3.0])
def test_scaled_rnn_variance_agrees_with_the_sum(critical):
    k = 640
    n = round((k / critical) ** 2)
    result = _second_moment_rnn.scaled(n, k)
    # Measured below 2e-6.
    assert abs(result.log - _second_moment_rnn.summed(n, k)) < result.error
    # Negative control: without the correction it is far off at small depth over sqrt(n).
    error = abs(_second_moment_rnn.hooks_alone(n, k) - _second_moment_rnn.summed(n, k))
    assert error > 2 * result.error


@pytest.mark.slow
@pytest.mark.parametrize("critical", [0.3, 1.0, 2.0, 2.5, 5.0, 10.0, 15.9, 16.1, 30.0, 200.0])
def test_scaled_rnn_variance_agrees_with_the_deepest_sums(critical):
    k = 1024
    n = max(1, round((k / critical) ** 2))
    result = _second_moment_rnn.scaled(n, k)
    assert abs(result.log - _second_moment_rnn.summed(n, k)) < result.error


# Sample sizes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "k", "error", "wanted"),
    [(1, 5, 0.1, 25100), (1, 1, 0.1, 100), (64, 8, 0.1, 21), (10, 0, 0.1, 1), (10**9, 1, 0.1, 1)],
)
def test_required_samples(n, k, error, wanted):
    assert fluctuations.required_samples(n, k, error) == wanted


def test_required_samples_of_any_size():
    for error, factor in [(1e-150, 10**300), (1e-160, 10**320)]:  # a float holds up to 10**308
        number = fluctuations.required_samples(1, 5, error)
        assert isinstance(number, int)
        assert abs(Fraction(number, 251 * factor) - 1) < Fraction(1, 10**11)


def sampled_energies(rng, n, k, count, complex_weights):
    energies = np.empty(count)
    for index in range(count):
        W = rng.standard_normal((n, n)) / math.sqrt(n)
        if complex_weights:
            W = (W + 1j * rng.standard_normal((n, n)) / math.sqrt(n)) / math.sqrt(2)
        h = np.zeros(n, dtype=W.dtype)
        h[0] = math.sqrt(n)
        for _ in range(k):
            h = W @ h
        energies[index] = np.vdot(h, h).real / n
    return energies


def test_sampled_variance_is_the_exact_one():
    n, k, count = 16, 3, 20_000
    wanted = float(fluctuations.second_moment(n, k))
    z = {}
    for complex_weights in (True, False):
        rng = np.random.default_rng(20260511)
        squares = sampled_energies(rng, n, k, count, complex_weights) ** 2
        z[complex_weights] = (squares.mean() - wanted) / (squares.std() / math.sqrt(count))
    assert abs(z[True]) < 4
    # Negative control: real weights have another second moment.
    assert abs(z[False]) > 8


# Results and refusals ----------------------------------------------------------------------


@pytest.mark.parametrize(("n", "depth"), [(64, 8), (5, 0), (1, 520)])
def test_results_travel(n, depth):
    result = fluctuations.relative_variance_with_error(n, depth)
    assert pickle.loads(pickle.dumps(result)) == result
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert fluctuations.RelativeVariance.from_dict(json.loads(text)) == result


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: fluctuations.second_moment(3, 129), ValueError, "depth must be at most 128"),
        (lambda: fluctuations.second_moment(3, 33, "lru"), ValueError, "depth must be at most 32"),
        (lambda: fluctuations.second_moment(3.0, 2), TypeError, "n must be an integer"),
        (lambda: fluctuations.second_moment(0, 2), ValueError, "n must be an integer >= 1"),
        (lambda: fluctuations.second_moment(3, 2, "gru"), ValueError, "model must be one of"),
        (lambda: fluctuations.second_moment(sympy.Symbol("n"), 33), ValueError, "at most 32"),
        (lambda: fluctuations.trace_moments(3, 250, 7), ValueError, r"i \+ j must be at most"),
        (lambda: fluctuations.enumerate_trace_moments(5, 6), ValueError, "at most 10"),
        (lambda: fluctuations.relative_variance(2.5, 2), ValueError, "n must hold integers"),
        (lambda: fluctuations.relative_variance(2**53 + 1, 2), ValueError, "n must hold integers"),
        (lambda: fluctuations.relative_variance(8, -1), ValueError, "depth must hold integers"),
        (lambda: fluctuations.relative_variance(8, 2, gain=0.0), ValueError, "gain must be"),
        (
            lambda: fluctuations.relative_variance(8, 2, gain=2.0, exact=True),
            ValueError,
            "gain must be 1",
        ),
        (lambda: fluctuations.relative_variance(100, 257, "lru"), ValueError, "at most 256"),
        (lambda: fluctuations.relative_variance(100, 10**6 + 1), ValueError, "at most 1000000"),
        (lambda: fluctuations.relative_variance(True, 2), TypeError, "n must hold integers"),
        (lambda: fluctuations.relative_variance_with_error(2**53 + 1, 2), ValueError, "n must"),
        (lambda: fluctuations.lru_relative_variances(4, 257), ValueError, "tmax must be at most"),
        (lambda: fluctuations.required_samples(4, 2, 0.0), ValueError, "relative_error must be"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
