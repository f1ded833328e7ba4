import math

import numpy as np
import pytest
import sympy

from sigprop import exact
from sigprop.theory import (
    _second_moment_lru,
    _second_moment_rnn,
    _variance_series,
    _variance_tables,
    fluctuations,
)


def exact_variance_coefficients(depth, model):
    n, x = sympy.symbols("n x")
    mean = exact.rnn_energy(n, depth) if model == "rnn" else exact.lru_energy(n, depth)
    variance = sympy.expand((fluctuations.second_moment(n, depth, model) - mean**2).subs(n, 1 / x))
    polynomial_in_x = sympy.Poly(variance, x)
    assert polynomial_in_x.coeff_monomial(1) == 0
    return [int(polynomial_in_x.coeff_monomial(x**r)) for r in range(1, _variance_series.TERMS + 1)]


@pytest.mark.parametrize("model", ["rnn", "lru"])
@pytest.mark.parametrize("depth", [0, 1, 2, 3, 5, 8])
def test_variance_coefficients_are_those_of_the_exact_variance(depth, model):
    wanted = exact_variance_coefficients(depth, model)
    assert fluctuations.variance_coefficients(depth, model) == wanted


@pytest.mark.slow
@pytest.mark.parametrize(("model", "depth"), [("rnn", 25), ("rnn", 30), ("lru", 14)])
def test_variance_coefficients_at_greater_depths(model, depth):
    wanted = exact_variance_coefficients(depth, model)
    assert fluctuations.variance_coefficients(depth, model) == wanted


@pytest.mark.parametrize("depth", [0, 1, 4, 30, 1000])
def test_first_coefficients_in_closed_form(depth):
    k = t = depth
    rnn = fluctuations.variance_coefficients(k)
    assert rnn[0] == k
    assert 6 * rnn[1] == k * (k - 1) * (2 * k + 5)
    assert 60 * rnn[2] == k * (k - 1) * (14 * k**3 + 39 * k**2 + 9 * k - 46)
    lru = fluctuations.variance_coefficients(t, model="lru")
    assert 6 * lru[0] == (t + 1) * (t + 2) * (2 * t + 3)
    assert 60 * lru[1] == t * (t + 1) * (t + 2) * (3 * t * t + 6 * t + 1)


@pytest.mark.parametrize(
    ("differences", "leading", "degree"),
    [
        (_variance_tables.RNN_DIFFERENCES, _variance_tables.RNN_LEADING, -1),
        (_variance_tables.LRU_DIFFERENCES, _variance_tables.LRU_LEADING, 1),
    ],
)
def test_leading_coefficients_are_the_last_differences(differences, leading, degree):
    for r, row in enumerate(differences, start=1):
        assert len(row) == 2 * r + degree + 1
        assert min(row) >= 0
        assert leading[r - 1] == row[-1] / math.factorial(2 * r + degree)
    # The ratio of successive terms falls from the fourth on: what the error bound rests on.
    ratios = np.array(leading[4:]) / np.array(leading[3:-1])
    assert np.all(np.diff(ratios) < 0)


CELLS = [(10, 2), (100, 4), (100, 10), (400, 20), (1000, 40), (1000, 60), (4096, 64)]


@pytest.mark.parametrize(("n", "depth"), CELLS)
@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_series_error_is_a_bound(n, depth, model):
    result = _variance_series.variance(n, depth, model)
    if model == "rnn":
        mean, log_sum = exact.rnn_energy(n, depth), _second_moment_rnn.summed(n, depth)
    else:
        mean = exact.lru_energy(n, depth)
        log_sum = float(_second_moment_lru._log_sums(n, np.array([depth]), 1.0)[0])
    wanted = math.exp(log_sum) * float(mean) ** 2
    assert abs(result.variance / wanted - 1) <= result.relative_error + 1e-13
    # All terms are positive, so the series is below the variance by all but rounding.
    assert result.variance <= wanted * (1 + 1e-13)


def test_series_says_where_it_is_of_no_use():
    assert _variance_series.variance(10**6, 30, "rnn").relative_error < 1e-15
    assert 1e-4 < _variance_series.variance(100, 18, "rnn").relative_error < 1e-1
    assert _variance_series.variance(100, 30, "rnn").relative_error == math.inf
    assert _variance_series.variance(1, 10**9, "lru").relative_error == math.inf


def test_critical_variances_are_limits():
    np.testing.assert_allclose(
        fluctuations.critical_variance([0.5, 1.0, 1.5, 2.0, 2.5]),
        [0.54961, 1.67951, 8.021, 107.47, 4705],
        rtol=6e-4,  # the last one is known, and converges, to three digits only
    )
    np.testing.assert_allclose(
        fluctuations.critical_variance([0.5, 1.0, 1.5, 2.0], model="lru"),
        [0.0433988, 0.4092167, 2.15710, 15.45],
        rtol=5e-4,
    )
    for model, power in (("rnn", 0.5), ("lru", -0.5)):
        limit = fluctuations.critical_variance(1.0, model)
        errors = []
        for n in (1024, 4096):
            depth = math.isqrt(n)
            log_mean = math.log(
                exact.rnn_energy(n, depth) if model == "rnn" else exact.lru_energy(n, depth)
            )
            log_ratio = fluctuations.relative_variance_with_error(n, depth, model).log_value
            errors.append(math.exp(log_ratio + 2 * log_mean) * n**power / limit - 1)
        # The error falls as 1/sqrt(n): by a factor of two here.
        assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize(
    ("model", "ends"), [("rnn", (0.62, 1.14, 1.60)), ("lru", (0.74, 1.34, 1.82))]
)
@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_range_of_the_series(model, ends, n):
    for end, error in zip(ends, (1e-12, 1e-6, 1e-3), strict=True):
        depth = math.floor(end * math.sqrt(n))
        assert fluctuations.variance_series(n, depth, model).relative_error <= error
        # Negative control: a little further on it is not that good any more.
        beyond = math.ceil((end + 0.04) * math.sqrt(n))
        assert fluctuations.variance_series(n, beyond, model).relative_error > error


@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_series_is_the_sum_of_its_coefficients(model):
    start = fluctuations.variance_series(50, 6, model)
    coefficients = fluctuations.variance_coefficients(6, model)
    wanted = sum(c / 50**r for r, c in enumerate(coefficients, start=1))
    assert start.variance == pytest.approx(wanted, rel=1e-15)
    # The RNN of depth 6 has no powers beyond the twelfth, the error is that of rounding.
    exact_variance = fluctuations.second_moment(50, 6, model)
    exact_variance -= (exact.rnn_energy if model == "rnn" else exact.lru_energy)(50, 6) ** 2
    error = abs(start.variance / float(exact_variance) - 1)
    assert error <= start.relative_error


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fluctuations.critical_variance(2.6), "c must hold numbers from 0"),
        (lambda: fluctuations.critical_variance(-0.1), "c must hold"),
        (lambda: fluctuations.critical_variance(1.0, "gru"), "model must be one of"),
        (lambda: fluctuations.variance_coefficients(-1), "depth must be an integer"),
        (lambda: fluctuations.variance_series(0, 3), "n must be an integer >= 1"),
        (lambda: fluctuations.variance_series(2**53 + 1, 3), "n must hold integers"),
        (lambda: fluctuations.variance_series(10, 3, "gru"), "model must be one of"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
