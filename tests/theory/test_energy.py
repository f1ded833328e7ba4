"""float64 energies against exact rationals and the 60-digit reference."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sigprop
from sigprop import exact
from sigprop.theory._gram_rule import gram_rule, ladder

# Measured 9e-16 (Q, log Q), 1.2e-15 (Q - 1).
RNN_TOL = 4e-15
# Measured 6e-15 (S, excess), 5e-16 (log S).
LRU_TOL = 5e-14


def _relative(value, truth):
    value = Fraction(float(value))
    return abs(float((value - truth) / truth)) if truth else float(abs(value))


def _relative_log(value, truth, context):
    return float(abs((context.mpf(float(value)) - truth) / truth)) if truth else abs(float(value))


@pytest.fixture
def context():
    private = mpmath.mp.clone()
    private.dps = 70
    return private


def _log(context, fraction):
    return context.log(context.mpf(fraction.numerator) / fraction.denominator)


MAX_FLOAT = Fraction(np.finfo(float).max)

WIDTHS = [1, 2, 3, 5, 10, 20, 23, 50, 100, 257, 1000, 10**5]


@pytest.mark.parametrize("n", WIDTHS)
def test_rnn_against_exact_rationals(n, context):
    last = 320
    table = exact.rnn_energies(n, last)
    depths = np.arange(last + 1)
    energy, log_energy = sigprop.rnn_energy(n, depths), sigprop.log_rnn_energy(n, depths)
    excess = sigprop.rnn_excess(n, depths)
    for k, truth in enumerate(table):
        assert _relative_log(log_energy[k], _log(context, truth), context) < RNN_TOL
        if truth < MAX_FLOAT:
            assert _relative(energy[k], truth) < RNN_TOL
            assert _relative(excess[k], truth - 1) < RNN_TOL
        else:
            assert energy[k] == np.inf


@pytest.mark.parametrize("n", WIDTHS)
def test_lru_against_exact_rationals(n, context):
    last = 320
    table = exact.lru_energies(n, last)
    depths = np.arange(last + 1)
    energy, log_energy = sigprop.lru_energy(n, depths), sigprop.log_lru_energy(n, depths)
    excess = sigprop.lru_excess(n, depths)
    for t, truth in enumerate(table):
        assert _relative_log(log_energy[t], _log(context, truth), context) < LRU_TOL
        if truth < MAX_FLOAT:
            assert _relative(energy[t], truth) < LRU_TOL
            assert _relative(excess[t], truth / (t + 1) - 1) < LRU_TOL
        else:
            assert energy[t] == np.inf


@pytest.mark.parametrize(
    ("rows", "depth", "log_energy", "excess"),
    [
        ("log_rnn_energy", "k", sigprop.log_rnn_energy, sigprop.rnn_excess),
        ("log_lru_energy", "t", sigprop.log_lru_energy, None),
    ],
)
def test_reference_grid(reference, context, rows, depth, log_energy, excess):
    checked = 0
    for row in reference[rows]:
        n, k = int(row["n"]), int(row[depth])
        if n > 2**53:
            continue
        log_key = "logQ" if depth == "k" else "logS"
        truth = context.mpf(row[log_key])
        assert _relative_log(log_energy(n, k), truth, context) < 1e-15  # measured 3e-16
        if excess is not None and row["Qm1"] is not None:
            assert _relative_log(excess(n, k), context.mpf(row["Qm1"]), context) < RNN_TOL
        checked += 1
    assert checked >= 13


def test_a_larger_width_is_sent_to_the_exact_route():
    with pytest.raises(ValueError, match=r"n must hold integers.*sigprop\.exact"):
        sigprop.rnn_energy(2**53 + 2, 3)


def test_large_widths_keep_the_excess():
    # Q - 1 = 1/n^2 at depth 2: far below the resolution of Q itself.
    assert sigprop.rnn_excess(10**12, 2) == 1e-24
    assert sigprop.rnn_energy(10**12, 2) == 1.0
    assert sigprop.log_rnn_energy(10**12, 2) == 1e-24


@given(st.integers(1, 2**53), st.integers(0, 10**12))
def test_never_nan_and_never_below_infinite_width(n, depth):
    with np.errstate(all="raise", under="ignore"):
        for value in (
            sigprop.rnn_energy(n, depth),
            sigprop.log_rnn_energy(n, depth),
            sigprop.rnn_excess(n, depth),
            sigprop.lru_energy(n, depth),
            sigprop.log_lru_energy(n, depth),
            sigprop.lru_excess(n, depth),
        ):
            assert not np.isnan(value)
            assert value >= 0.0
        assert np.isfinite(sigprop.log_rnn_energy(n, depth))
        assert np.isfinite(sigprop.log_lru_energy(n, depth))


@given(st.integers(1, 10**9), st.integers(0, 10**6))
def test_lru_increment_is_the_rnn_energy(n, t):
    before, after = sigprop.lru_energy(n, t), sigprop.lru_energy(n, t + 1)
    if np.isfinite(after):
        # Both sides carry 1e-14 of S; the difference is compared on that scale.
        assert abs((after - before) - sigprop.rnn_energy(n, t + 1)) < 3e-14 * after


def test_seams_between_branches_are_smooth():
    # The branches meet at x = 2; third differences of a smooth curve are of relative size
    # n^(-3/2), and a seam would break the pattern.
    for n in (10**4, 10**6):
        seam = int(np.sqrt(4.0 * n))
        depths = np.arange(seam - 60, seam + 60)
        for values in (sigprop.log_rnn_energy(n, depths), sigprop.log_lru_energy(n, depths)):
            third = np.diff(values, 3)
            # Rounding: 8 times the 5e-16 measured for values near one.
            assert np.ptp(third) < 2.0 * n**-1.5 + 2e-14


def test_broadcasting_and_scalars():
    widths, depths = np.array([[10], [100], [1000]]), np.array([0, 5, 50, 500])
    for function in (
        sigprop.rnn_energy,
        sigprop.log_rnn_energy,
        sigprop.rnn_excess,
        sigprop.lru_energy,
        sigprop.log_lru_energy,
        sigprop.lru_excess,
    ):
        grid = function(widths, depths)
        assert grid.shape == (3, 4)
        assert grid.dtype == np.float64
        assert isinstance(function(10, 5), np.float64)
        assert grid[1, 2] == function(100, 50)
        assert function(widths[:, :, None], depths).shape == (3, 1, 4)


@pytest.mark.parametrize("kind", [np.int32, np.uint16, np.float64, np.float32])
def test_every_integral_kind_is_accepted(kind):
    assert sigprop.rnn_energy(kind(100), kind(40)) == sigprop.rnn_energy(100, 40)


@pytest.mark.parametrize("gain", [0.5, 0.9, 0.999, 1.001, 1.1, 2.0])
@pytest.mark.parametrize(("n", "t"), [(3, 40), (50, 100), (256, 700), (10, 1), (7, 0)])
def test_gain_against_exact_rationals(n, t, gain, context):
    square = Fraction(gain) ** 2
    table = exact.rnn_energies(n, t)
    rnn = square**t * table[t]
    lru = sum(square**k * q for k, q in enumerate(table))
    # Both logs carry the rounding of 2 t log(gain): measured 2e-16 of max(1, |2 t log gain|, log).
    scale = 1.0 + abs(2 * t * np.log(gain)) + abs(float(_log(context, lru)))
    assert (
        abs(float(_log(context, rnn) - float(sigprop.log_rnn_energy(n, t, gain)))) < 1e-15 * scale
    )
    assert (
        abs(float(_log(context, lru) - float(sigprop.log_lru_energy(n, t, gain)))) < 1e-15 * scale
    )
    if lru < 10**300:
        assert _relative(sigprop.rnn_energy(n, t, gain), rnn) < 5e-15 + 1e-15 * scale
        assert _relative(sigprop.lru_energy(n, t, gain), lru) < 5e-15 + 1e-15 * scale


def test_gain_sum_at_great_depth():
    # Infinitely wide: a geometric series.  n = 2^53 is as good as infinite up to t = 1e5.
    gain = 0.9999
    expected = -np.expm1(2e5 * np.log(gain)) / (1 - gain) / (1 + gain)
    # The series' own rounding in 1 - gain is 1e-12.
    assert np.isclose(sigprop.lru_energy(2**53, 10**5 - 1, gain), expected, rtol=3e-12)


def test_gain_broadcasts():
    values = sigprop.lru_energy([[10], [20]], 5, gain=[0.5, 1.0, 2.0])
    assert values.shape == (2, 3)
    assert np.isclose(values[1, 1], sigprop.lru_energy(20, 5), rtol=1e-14)
    assert sigprop.rnn_energy(10, [1, 2], gain=np.ones((3, 1))).shape == (3, 2)


def test_gain_of_an_overflowing_energy_is_recovered():
    # Q(100, 2000) overflows, but with the gain that compensates the product is near 1.
    log_energy = float(sigprop.log_rnn_energy(100, 2000))
    gain = float(np.exp(-log_energy / 4000))
    assert sigprop.rnn_energy(100, 2000) == np.inf
    # 4000 roundings of the gain: 4000 * 1.1e-16 = 4.4e-13.
    assert np.isclose(sigprop.rnn_energy(100, 2000, gain=gain), 1.0, rtol=2e-12)


FUNCTIONS = [sigprop.rnn_energy, sigprop.log_rnn_energy, sigprop.lru_energy, sigprop.log_lru_energy]


@pytest.mark.parametrize("function", [*FUNCTIONS, sigprop.rnn_excess, sigprop.lru_excess])
@pytest.mark.parametrize(
    ("n", "k", "error", "name"),
    [
        (0, 1, ValueError, "n"),
        (-1, 1, ValueError, "n"),
        (2.5, 1, ValueError, "n"),
        (np.nan, 1, ValueError, "n"),
        (np.inf, 1, ValueError, "n"),
        (True, 1, TypeError, "n"),
        ("5", 1, TypeError, "n"),
        (None, 1, TypeError, "n"),
        ([], 1, ValueError, "n"),
        (5, -1, ValueError, "[kt]"),
        (5, 0.5, ValueError, "[kt]"),
        (5, [1, np.nan], ValueError, "[kt]"),
        (5, np.array([True]), TypeError, "[kt]"),
        (5, 10**16, ValueError, "[kt]"),
        (10**40, 1, ValueError, "n"),
        (1 + 2j, 1, TypeError, "n"),
    ],
)
def test_bad_input_is_refused_by_name(function, n, k, error, name):
    with pytest.raises(error, match=f"^{name} must hold integers"):
        function(n, k)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("gain", "error"),
    [
        (0.0, ValueError),
        (-1.0, ValueError),
        (np.nan, ValueError),
        (np.inf, ValueError),
        ([], ValueError),
        (True, TypeError),
        ("1", TypeError),
        (None, TypeError),
    ],
)
def test_bad_gain_is_refused_by_name(function, gain, error):
    with pytest.raises(error, match=r"^gain must hold finite numbers > 0"):
        function(10, 3, gain=gain)


@pytest.mark.parametrize("length", [1.0, 40.0, 48.0, 67.0, 1e3, 1e6, 1e12])
def test_gram_rule_sums_polynomials_exactly(length):
    nodes, weights = gram_rule(length)
    scaled = nodes / length
    # sum of binomials: sum_s C(s, j) = C(N, j+1), written as products over N.
    for degree in (0, 1, 2, 7, 20):
        values = np.ones_like(scaled)
        total = 1.0
        for j in range(degree):
            values *= scaled - j / length
            total *= 1.0 - (j + 1) / length
        # Measured 5e-14 for degree 20, whose values alternate in sign at small lengths.
        assert np.isclose(weights @ values, length * total / (degree + 1), rtol=1e-12)


def test_ladder_steps_are_short_enough_for_the_window():
    steps = ladder()[1:] / ladder()[:-1]
    assert np.all(steps[39:] < 1.21)
    assert np.all(np.diff(ladder()[:40]) == 1.0)


def test_a_naive_evaluation_fails_where_ours_does_not():
    # Negative control: differences of gammaln lose every digit at large n.
    from scipy.special import gammaln

    n, k = 1e12, 2
    naive = gammaln(n + k + 2) - gammaln(n) - (k + 1) * np.log(n) - np.log((k + 1) * (k + 2))
    assert abs(naive - float(sigprop.log_rnn_energy(n, k))) > 1.0
