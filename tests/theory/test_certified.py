"""Certified enclosures: they hold the exact value, and are as narrow as they say."""

import importlib.util
import random
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from sigprop.theory import _certified_formulas as formulas
from sigprop.theory import _exact_complex, certified, exact
from sigprop.theory import _positive_expansion as expansion
from sigprop.theory._certified_interval import interval_arithmetic
from sigprop.theory.certified import Enclosure

HAS_ARB = importlib.util.find_spec("flint") is not None
needs_arb = pytest.mark.skipif(not HAS_ARB, reason="needs python-flint")
ARITHMETICS = [pytest.param("arb", marks=needs_arb), "mpmath"]

FUNCTIONS = [
    certified.rnn_energy,
    certified.log_rnn_energy,
    certified.lru_energy,
    certified.log_lru_energy,
]


def _factory(arithmetic):
    return certified._arithmetic_factory(arithmetic)


def _as_fraction(number):
    sign, mantissa, exponent, _ = number._mpf_
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** exponent
    return -magnitude if sign else magnitude


def _is_narrow(enclosure):
    lower, upper = _as_fraction(enclosure.lower), _as_fraction(enclosure.upper)
    return 0 <= upper - lower <= abs(lower) / 10**enclosure.digits


def _overlap(one, other):
    return one.lower <= other.upper and other.lower <= one.upper


def _cells(count, seed, widest, deepest):
    rng = random.Random(seed)
    for _ in range(count):
        width = int(10 ** rng.uniform(0, np.log10(widest)))
        yield width, int(10 ** rng.uniform(0, np.log10(deepest + 1))) - 1, rng.randint(1, 60)


# --- the exact value is inside -------------------------------------------------------


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_rnn_rationals_are_inside(arithmetic):
    for n, k, digits in _cells(2000, 1, widest=10**6, deepest=400):
        enclosure = certified.rnn_energy(n, k, digits, arithmetic=arithmetic)
        assert enclosure.contains(exact.rnn_energy(n, k)), (n, k, digits)
        assert _is_narrow(enclosure), (n, k, digits)


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_lru_rationals_are_inside(arithmetic):
    for n, t, digits in _cells(2000, 2, widest=10**6, deepest=250):
        enclosure = certified.lru_energy(n, t, digits, arithmetic=arithmetic)
        assert enclosure.contains(exact.lru_energy(n, t)), (n, t, digits)
        assert _is_narrow(enclosure), (n, t, digits)


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_integer_routes_are_inside_at_every_depth(arithmetic):
    # All depths through the change from rationals to log Gamma and sums, and through k = n.
    for n in (1, 2, 7, 64, 66, 100):
        rnn, lru = exact.rnn_energies(n, 110), exact.lru_energies(n, 110)
        for depth in range(111):
            q = certified.rnn_energy(n, depth, 25, arithmetic=arithmetic)
            s = certified.lru_energy(n, depth, 25, arithmetic=arithmetic)
            assert q.contains(rnn[depth]), (n, depth)
            assert s.contains(lru[depth]), (n, depth)


def test_shifted_enclosures_do_not_hold_the_value():
    for n, depth, digits in _cells(200, 3, widest=10**6, deepest=250):
        for function, truth in (
            (certified.rnn_energy, exact.rnn_energy(n, depth)),
            (certified.lru_energy, exact.lru_energy(n, depth)),
        ):
            enclosure = function(n, depth, digits)
            lower, upper = _as_fraction(enclosure.lower), _as_fraction(enclosure.upper)
            # 3 widths beyond the ends; a value on an end of zero width needs some shift too.
            shift = 3 * (upper - lower) + lower / 10 ** (digits + 4)
            with mpmath.workprec(10_000):
                moved = mpmath.mpf(shift.numerator) / shift.denominator
                up = Enclosure(enclosure.lower + moved, enclosure.upper + moved, digits)
                down = Enclosure(enclosure.lower - moved, enclosure.upper - moved, digits)
            assert not up.contains(truth)
            assert not down.contains(truth)


# --- routes that share no formula agree ----------------------------------------------


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_integrals_hold_the_rationals(arithmetic, monkeypatch):
    """The trapezoidal rules, in place of the term-by-term sums that are used at these sizes."""
    monkeypatch.setattr(formulas, "_few_terms", lambda accuracy: 30)
    monkeypatch.setattr(formulas, "EXACT_DEPTH", 5)
    rng = random.Random(4)
    for _ in range(400 if arithmetic == "arb" else 40):
        n, t = int(10 ** rng.uniform(1, 5)), int(10 ** rng.uniform(1.5, 3))
        digits = rng.choice([5, 20, 45])
        enclosure = certified.lru_energy(n, t, digits, arithmetic=arithmetic)
        assert enclosure.contains(exact.lru_energy(n, t)), (n, t, digits)


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize("n", [1, 30, 10**4, 10**6])
def test_integrals_and_sums_overlap(arithmetic, n, monkeypatch):
    depths = (2500, 6000)
    assert formulas._few_terms(200) < depths[0]
    integrals = [certified.lru_energy(n, t, 40, arithmetic=arithmetic) for t in depths]
    monkeypatch.setattr(formulas, "_few_terms", lambda accuracy: 10**4)
    sums = [certified.lru_energy(n, t, 40, arithmetic=arithmetic) for t in depths]
    assert all(map(_overlap, integrals, sums))


def _window_ratio(n, t, bits):
    """Bounds of S/Q_t by its last terms, in integers over 2^bits.

    For t well beyond sqrt(n): the falling factorials, below exp(-(k+1)(k+2)/n) of the rising
    ones, are below 2^-bits all along the window, and S_{t-w} <= (t-w+1) Q_{t-w}.
    """
    one = 1 << bits
    low = high = low_sum = high_sum = one
    k = t
    while k > 0:  # Q_{k-1} = Q_k n (k + 2) / ((n + k + 1) k), but for f/r
        before = high
        low = low * n * (k + 2) // ((n + k + 1) * k)
        high = -(-high * n * (k + 2) // ((n + k + 1) * k))
        k -= 1
        low_sum, high_sum = low_sum + low, high_sum + high
        if high == before:  # rounding up keeps it from falling any more
            break
    assert (k + 1) * (k + 2) > bits * n  # exp(-bits) of f/r is far below 2^-bits
    slack = high_sum * 4 // one + 1
    return Fraction(low_sum - slack, one), Fraction(high_sum + slack + k * high, one)


@pytest.mark.parametrize(
    ("n", "t"), [(10**15, 10**12), (10**9, 10**7), (10**6, 10**5), (10**4, 10**6), (3, 10**12)]
)
def test_backward_window_overlaps(n, t):
    bits = 200
    low, high = _window_ratio(n, t, bits)
    last = certified.rnn_energy(n, t, 40)
    total = certified.lru_energy(n, t, 40)
    with mpmath.workprec(400):
        ratios = [mpmath.mpf(x.numerator) / x.denominator for x in (low, high)]
        # Measured: the bounds of the window are 6e-49 apart or less.
        assert ratios[1] / ratios[0] < 1 + mpmath.mpf(10) ** -40
        assert last.lower * ratios[0] <= total.upper
        assert last.upper * ratios[1] >= total.lower


def _genus_bounds(n, t, genera):
    """Bounds of S/(t+1) by the positive expansion and its remainder, in rationals."""
    numbers = expansion.derangement_numbers(4 * genera + 3)
    total, binomial = Fraction(1), Fraction(t * (t - 1), 2)
    for p in range(4, 4 * genera + 3):
        tail = Fraction(0)
        for g in range(1, genera + 1):
            cycles = p - 2 * g - 1
            if 1 <= cycles < len(numbers[p]):
                tail += Fraction(numbers[p][cycles], n ** (2 * g))
        total += Fraction(2, p * (p - 1) ** 2) * binomial * tail
        binomial *= Fraction(t - p + 2, p - 1)
    x = Fraction((t + 1) * (t + 2), 2 * n)
    remainder = Fraction(1)
    for i in range(1, 2 * genera + 3):
        remainder *= x / i
    # x^{2G+2}/(2G+3)! and what follows, each less than half of the one before.
    return total, total + 2 * remainder / (2 * genera + 3)


@pytest.mark.parametrize(
    ("n", "t"), [(10**15, 10**5), (10**15, 3 * 10**7), (10**12, 10**6), (10**30, 10**15)]
)
def test_genus_expansion_overlaps(n, t):
    low, high = _genus_bounds(n, t, genera=20)
    enclosure = certified.lru_energy(n, t, 60)
    assert (high - low) / low < Fraction(1, 10**40)
    assert _as_fraction(enclosure.lower) <= high * (t + 1)
    assert _as_fraction(enclosure.upper) >= low * (t + 1)


@needs_arb
def test_arithmetics_overlap_at_all_sizes():
    rng = random.Random(5)
    for i in range(20):
        n, depth = int(10 ** rng.uniform(0, 30)), int(10 ** rng.uniform(0, 30))
        if i % 2:
            depth = int(n**0.5 * 10 ** rng.uniform(-2, 2)) + 1
        for function in FUNCTIONS:
            arb = function(n, depth, 30, arithmetic="arb")
            assert _overlap(arb, function(n, depth, 35, arithmetic="mpmath")), (function, n, depth)


def _reference_number(text):
    digits = len(text.replace(".", "").split("e")[0].lstrip("-0"))
    return Fraction(text), Fraction(1, 10 ** (digits - 2))


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize(
    ("table", "key", "depth", "function"),
    [
        ("log_rnn_energy", "logQ", "k", certified.log_rnn_energy),
        ("log_lru_energy", "logS", "t", certified.log_lru_energy),
    ],
)
def test_reference_rows(reference, arithmetic, table, key, depth, function):
    for row in reference[table]:
        enclosure = function(int(row["n"]), int(row[depth]), 60, arithmetic=arithmetic)
        value, tolerance = _reference_number(row[key])
        # The rows are printed to 50 to 60 digits: the last two may be rounded.
        assert abs(_as_fraction(enclosure.mid) - value) <= tolerance * value, row


# --- bounds ---------------------------------------------------------------------------


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize("bits", [4, 8, 16, 30])
def test_few_bits_give_wide_balls_and_never_wrong_ones(arithmetic, bits, monkeypatch):
    monkeypatch.setattr(formulas, "_few_terms", lambda accuracy: 30)
    held = 0
    for n, t in ((50, 100), (1000, 100), (1000, 400), (10**5, 1000)):
        truth = exact.lru_energy(n, t)
        with _factory(arithmetic)(bits + 24) as a:
            try:
                lower, upper = a.ends(formulas.lru_energy(a, n, t, bits))
            except formulas.TooWideError:
                continue
        lower, upper = map(mpmath.mp.make_mpf, (lower, upper))
        assert lower == -mpmath.inf or _as_fraction(lower) <= truth
        assert upper == mpmath.inf or _as_fraction(upper) >= truth
        held += 1
    assert held > 0


@pytest.mark.parametrize("inverse_step", [6, 8, 10])
def test_error_of_the_rising_rule_is_within_its_bound(inverse_step, monkeypatch):
    """With steps so coarse that the error shows: below the bound, and not far below."""
    n, last = 40, 60
    truth = sum(
        (Fraction(_exact_complex.product(n, n + m), n**m) for m in range(1, last + 1)),
        start=Fraction(0),
    )
    with interval_arithmetic(200) as a:
        monkeypatch.setattr(formulas.math, "isqrt", lambda _: inverse_step - 1)
        chosen, bound = formulas._rising_rule(a, n + last, 60)
        monkeypatch.undo()
        assert chosen == inverse_step
        trapezoid = formulas._rising_trapezoid(a, n, 1, last, inverse_step, 60)
        total = trapezoid * n / (formulas._scaled_factorial(a, n) * inverse_step)
        value, stated = (_as_fraction(mpmath.mp.make_mpf(a.ends(x)[1])) for x in (total, bound))
    error = abs(value / truth - 1)
    # Measured: 0.01 to 0.4 of the bound.
    assert stated / 1000 < error < stated


# --- log energies, exact values, sizes -------------------------------------------------


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_ones_are_exact(arithmetic):
    for n in (1, 7, 10**20):
        for k in (0, 1):
            assert certified.rnn_energy(n, k, arithmetic=arithmetic).lower == 1
            assert certified.rnn_energy(n, k, arithmetic=arithmetic).upper == 1
            log_energy = certified.log_rnn_energy(n, k, arithmetic=arithmetic)
            assert log_energy.lower == log_energy.upper == log_energy.mid == 0
        assert certified.log_lru_energy(n, 0, arithmetic=arithmetic).upper == 0
        assert certified.lru_energy(n, 1, arithmetic=arithmetic).mid == 2


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize(
    ("n", "k"), [(10**12, 2), (10**30, 3), (10**15, 100), (10**25, 10**6), (10**400, 2)]
)
def test_logarithms_near_zero_keep_their_digits(arithmetic, n, k):
    enclosure = certified.log_rnn_energy(n, k, 30, arithmetic=arithmetic)
    assert _is_narrow(enclosure)
    # x - x^2/2 <= log(1 + x) <= x about the first term of the genus expansion, and the
    # second term is below (k^2/n)^4.
    x = Fraction((k + 2) * (k + 1) * k * (k - 1), 24 * n**2)
    slack = x * x + Fraction(k**8, n**4) + x / 10**30
    assert x - slack <= _as_fraction(enclosure.lower) <= _as_fraction(enclosure.upper) <= x + slack


def test_depth_of_a_million_millions():
    enclosure = certified.log_lru_energy(10**15, 10**12, digits=30)
    assert _is_narrow(enclosure)
    assert abs(enclosure.mid - mpmath.mpf("499833402.8036881720717571917702984737420422")) < 1e-6


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_hidden_factorial(arithmetic):
    """Q_{1,k} = k!, far beyond where an integer could be written down."""
    enclosure = certified.log_rnn_energy(1, 10**12, 40, arithmetic=arithmetic)
    with mpmath.workdps(60):
        truth = mpmath.loggamma(mpmath.mpf(10**12 + 1))
        assert abs(truth / enclosure.mid - 1) < mpmath.mpf(10) ** -40


@pytest.mark.parametrize("function", FUNCTIONS)
def test_number_of_digits(function):
    coarse, fine = function(10**6, 3000, 5), function(10**6, 3000, 200)
    assert _is_narrow(coarse)
    assert _is_narrow(fine)
    assert _overlap(coarse, fine)


# --- the environment -------------------------------------------------------------------


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_precisions_are_left_alone(arithmetic):
    before = mpmath.mp.prec, mpmath.iv.prec
    if HAS_ARB:
        import flint

        flint_before, flint.ctx.prec = flint.ctx.prec, 77
    for function in FUNCTIONS:
        function(1000, 300, 70, arithmetic=arithmetic).to_dict()
    with pytest.raises(ZeroDivisionError), _factory(arithmetic)(500):
        _ = 1 // 0
    assert (mpmath.mp.prec, mpmath.iv.prec) == before
    if HAS_ARB:
        assert flint.ctx.prec == 77
        flint.ctx.prec = flint_before


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_threads_give_what_one_thread_gives(arithmetic):
    cells = [(10**9, 10**5, 20), (1000, 5000, 90), (10**15, 10**8, 35), (50, 130, 60)] * 3
    jobs = [(function, *cell) for cell in cells for function in FUNCTIONS]

    def run(job):
        function, n, depth, digits = job
        return function(n, depth, digits, arithmetic=arithmetic)

    serial = [run(job) for job in jobs[: len(jobs) // 3]] * 3
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, jobs)) == serial


def test_without_flint_mpmath_takes_over(monkeypatch):
    monkeypatch.setattr(certified.importlib.util, "find_spec", lambda name: None)
    assert _factory("auto") is interval_arithmetic
    with pytest.raises(ImportError, match=r"arithmetic='arb' needs python-flint"):
        certified.rnn_energy(10, 3, arithmetic="arb")


def test_precision_taken_away_is_reported(monkeypatch):
    monkeypatch.setattr(
        certified, "_arithmetic_factory", lambda name: lambda bits: interval_arithmetic(20)
    )
    with pytest.raises(ArithmeticError, match="digits=30"):
        certified.rnn_energy(10**9, 10**6, 30)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((0, 1), ValueError, "n must be an integer >= 1, got 0"),
        ((10.0, 1), TypeError, "n must be an integer >= 1, got the float"),
        ((True, 1), TypeError, "n must be"),
        ((3, -1), ValueError, "[kt] must be an integer >= 0, got -1"),
        ((3, "2"), TypeError, "[kt] must be"),
        ((3, 2, 0), ValueError, "digits must be an integer >= 1, got 0"),
        ((3, 2, 1.5), TypeError, "digits must be"),
    ],
)
def test_bad_arguments(function, arguments, error, text):
    with pytest.raises(error, match=text):
        function(*arguments)


def test_unknown_arithmetic():
    with pytest.raises(ValueError, match="arithmetic must be one of 'auto', 'arb', 'mpmath'"):
        certified.rnn_energy(3, 2, arithmetic="balls")


def test_numpy_integers_are_exact():
    wide = certified.lru_energy(np.int64(10**18), np.int32(10**9), np.int8(40))
    assert wide == certified.lru_energy(10**18, 10**9, 40)
    assert type(wide.digits) is int
