"""Enclosures of real energies: they hold the exact value, and are as narrow as they say."""

import importlib.util
import random
from fractions import Fraction

import mpmath
import pytest

from sigprop.theory import _certified_real, certified, exact

HAS_ARB = importlib.util.find_spec("flint") is not None
ARITHMETICS = [
    pytest.param("arb", marks=pytest.mark.skipif(not HAS_ARB, reason="needs python-flint")),
    "mpmath",
]

FUNCTIONS = [
    certified.rnn_energy,
    certified.log_rnn_energy,
    certified.lru_energy,
    certified.log_lru_energy,
]


def _as_fraction(number):
    sign, mantissa, exponent, _ = number._mpf_
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** exponent
    return -magnitude if sign else magnitude


def _is_narrow(enclosure):
    lower, upper = _as_fraction(enclosure.lower), _as_fraction(enclosure.upper)
    return 0 <= upper - lower <= abs(lower) / 10**enclosure.digits


def _cells(count, seed, widest, deepest):
    rng = random.Random(seed)
    for _ in range(count):
        width, depth = int(10 ** rng.uniform(0, widest)), int(10 ** rng.uniform(0, deepest))
        yield width, depth, rng.randint(1, 60)


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_rationals_are_inside(arithmetic):
    count = 150 if arithmetic == "arb" else 50
    for n, depth, digits in _cells(count, 1, widest=30, deepest=2.5):
        for function, truth in (
            (certified.rnn_energy, exact.rnn_energy(n, depth, "real")),
            (certified.lru_energy, exact.lru_energy(n, depth, "real")),
        ):
            enclosure = function(n, depth, digits, field="real", arithmetic=arithmetic)
            assert enclosure.contains(truth), (function, n, depth, digits)
            assert _is_narrow(enclosure), (function, n, depth, digits)


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_balls_hold_the_rationals_at_every_depth(arithmetic, monkeypatch):
    """The recurrence in balls, also where the rational is rounded otherwise, and through k = n."""
    monkeypatch.setattr(_certified_real, "EXACT_DEPTH", -1)
    for n in (1, 2, 3, 30, 10**9):
        rnn, lru = exact.rnn_energies(n, 40, "real"), exact.lru_energies(n, 40, "real")
        for depth in range(0, 41, 1 if arithmetic == "arb" else 4):
            for function, table in ((certified.rnn_energy, rnn), (certified.lru_energy, lru)):
                enclosure = function(n, depth, 25, field="real", arithmetic=arithmetic)
                assert enclosure.contains(table[depth]), (function, n, depth)


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_logarithms_are_those_of_the_rationals(arithmetic):
    for n, depth, digits in _cells(60, 2, widest=12, deepest=2.3):
        for function, truth in (
            (certified.log_rnn_energy, exact.rnn_energy(n, depth, "real")),
            (certified.log_lru_energy, exact.lru_energy(n, depth, "real")),
        ):
            enclosure = function(n, depth, digits, field="real", arithmetic=arithmetic)
            assert _is_narrow(enclosure), (function, n, depth, digits)
            # 200 digits are far more than the 60 and the 25 zeros of Q - 1 at n = 1e12.
            with mpmath.workdps(200):
                log_energy = mpmath.log(mpmath.mpf(truth.numerator) / truth.denominator)
                assert enclosure.contains(log_energy), (function, n, depth, digits)


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize(
    ("n", "k"), [(10**12, 2), (10**30, 3), (10**15, 100), (10**30, 500), (10**100, 200)]
)
def test_logarithms_near_zero_keep_their_digits(arithmetic, n, k):
    enclosure = certified.log_rnn_energy(n, k, 30, field="real", arithmetic=arithmetic)
    assert _is_narrow(enclosure)
    # x - x^2/2 <= log(1 + x) <= x at the exact x = Q - 1.
    x = exact.rnn_energy(n, k, "real") - 1
    assert x - x * x / 2 <= _as_fraction(enclosure.upper)
    assert _as_fraction(enclosure.lower) <= x
    # Negative control: the logarithm of complex weights is another number.
    assert not enclosure.contains(certified.log_rnn_energy(n, k, 30).mid)


def test_ones_are_exact():
    for n in (1, 7, 10**20):
        for k in (0, 1):
            enclosure = certified.rnn_energy(n, k, field="real")
            assert enclosure.lower == enclosure.upper == 1
            assert certified.log_rnn_energy(n, k, field="real").mid == 0
        assert certified.log_lru_energy(n, 0, field="real").upper == 0


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_depths_of_thousands(arithmetic):
    n, depth = 10**6, 3000
    q = certified.rnn_energy(n, depth, 40, field="real", arithmetic=arithmetic)
    assert q.contains(exact.rnn_energy(n, depth, "real"))
    s = certified.lru_energy(n, depth, 40, field="real", arithmetic=arithmetic)
    assert s.contains(exact.lru_energy(n, depth, "real"))


@pytest.mark.skipif(not HAS_ARB, reason="needs python-flint; mpmath takes some seconds")
def test_depth_ten_thousand():
    # Far beyond critical depth Q^R (2k+1) / prod_{j<=k} (1 + 2j/n) tends to 1 from above.
    n, k = 1000, 10**4
    enclosure = certified.log_rnn_energy(n, k, 50, field="real", arithmetic="arb")
    assert _is_narrow(enclosure)
    with mpmath.workdps(40):
        product = mpmath.loggamma(mpmath.mpf(n) / 2 + k + 1) - mpmath.loggamma(mpmath.mpf(n) / 2)
        wanted = product + (k + 1) * mpmath.log(mpmath.mpf(2) / n) - mpmath.log(2 * k + 1)
        # Measured 2.5e-5.
        assert 0 < enclosure.mid - wanted < 1e-4


def test_number_of_digits():
    for function in FUNCTIONS:
        coarse, fine = (function(10**6, 800, digits, field="real") for digits in (5, 200))
        assert _is_narrow(coarse)
        assert _is_narrow(fine)
        assert coarse.lower <= fine.upper
        assert fine.lower <= coarse.upper


def test_shifted_enclosures_do_not_hold_the_value():
    for n, depth, digits in _cells(40, 3, widest=6, deepest=2.3):
        enclosure = certified.rnn_energy(n, depth, digits, field="real")
        truth = exact.rnn_energy(n, depth, "real")
        for moved in (1, -1):
            wrong = truth * (1 + Fraction(3 * moved, 10**digits))
            assert not enclosure.contains(wrong)


def test_complex_energies_take_any_input_law():
    assert certified.lru_energy(50, 90, inputs="constant") == certified.lru_energy(50, 90)
    with pytest.raises(ValueError, match="inputs must be"):
        certified.lru_energy(50, 90, inputs="pink")


def test_constant_inputs():
    enclosure = certified.lru_energy(8, 2, 30, field="real", inputs="constant")
    assert enclosure.contains(3 + Fraction(2, 8) + Fraction(2, 64))
    logarithm = certified.log_lru_energy(8, 2, 30, field="real", inputs="constant")
    with mpmath.workdps(60):
        assert logarithm.contains(mpmath.log(mpmath.mpf(210) / 64))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("arguments", "field", "error", "text"),
    [
        ((3, 10**5 + 1), "real", ValueError, "[kt] must be at most 100000 to certify"),
        ((3, 2), "quaternion", ValueError, "field must be one of 'complex', 'real'"),
        ((0, 2), "real", ValueError, "n must be an integer >= 1, got 0"),
        ((3, 2.0), "real", TypeError, "[kt] must be an integer >= 0, got the float"),
        ((3, 2, 0), "real", ValueError, "digits must be an integer >= 1, got 0"),
    ],
)
def test_bad_arguments(function, arguments, field, error, text):
    with pytest.raises(error, match=text):
        function(*arguments, field=field)
