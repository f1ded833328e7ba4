"""The triple sum, the closed form and the recurrence of real energies are one function."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigprop.theory import exact, real_recurrence, real_triple_sum, real_weights

PRIME = 2**31 - 1


def _disagreements(last, closed_form, table):
    """Depths up to ``last`` at which two polynomials of degree k + 1 differ at k + 2 points."""
    tables = {n: table(n, last) for n in range(1, last + 3)}
    return [
        k
        for k in range(last + 1)
        if any(tables[n][k] != closed_form(n, k) for n in range(1, k + 3))
    ]


def test_closed_form_is_the_triple_sum_as_polynomials():
    assert _disagreements(24, real_weights.moment, real_triple_sum.moments) == []


def test_a_changed_closed_form_is_another_polynomial():
    # Negative control: one coefficient of one depth moved by one.
    def changed(n, k):
        return real_weights.moment(n, k) + (n if k == 9 else 0)

    assert _disagreements(12, changed, real_triple_sum.moments) == [9]


@pytest.mark.slow
def test_closed_form_is_the_triple_sum_as_polynomials_to_depth_64():
    assert _disagreements(64, real_weights.moment, real_triple_sum.moments) == []


def test_recurrence_is_the_closed_form_as_polynomials():
    def table(n, last):
        return list(itertools.islice(real_recurrence.moments(n), last + 1))

    assert _disagreements(40, real_weights.moment, table) == []


@pytest.mark.parametrize(("last", "count"), [(60, 1), pytest.param(400, 3, marks=pytest.mark.slow)])
def test_all_forms_agree_modulo_a_prime(last, count):
    rng = random.Random(11)
    for n in (rng.randrange(1, PRIME) for _ in range(count)):
        residues = real_triple_sum.moments_modulo(n, last, PRIME)
        by_recurrence = itertools.islice(real_recurrence.moments(n), last + 1)
        assert residues == [value % PRIME for value in by_recurrence]
        assert residues == [real_weights.moment(n, k) % PRIME for k in range(last + 1)]


@pytest.mark.parametrize("prime", [67, 101, 65537])
def test_residues_are_those_of_the_integers(prime):
    for n in (1, 2, 5, 60, 66, prime - 1, 3 * prime + 4):
        residues = real_triple_sum.moments_modulo(n, 20, prime)
        assert residues == [value % prime for value in real_triple_sum.moments(n, 20)]


def test_width_one_is_a_normal_moment():
    wanted = [math.prod(range(1, 2 * k, 2)) for k in range(41)]
    assert real_triple_sum.moments(1, 40) == wanted
    assert list(itertools.islice(real_recurrence.moments(1), 41)) == wanted


@given(st.integers(1, 200), st.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_gap_is_not_negative_and_exact(n, k):
    gap = real_triple_sum.real_excess_over_complex(n, k)
    assert gap >= 0
    assert (gap > 0) == (k >= 2)
    assert gap == exact.rnn_energy(n, k, field="real") - exact.rnn_energy(n, k)


@given(st.integers(1, 10**40), st.integers(0, 200))
@settings(max_examples=100, deadline=None)
def test_real_energy_is_never_below_the_complex_one(n, k):
    gap = exact.rnn_energy(n, k, field="real") - exact.rnn_energy(n, k)
    assert gap >= 0
    assert (gap > 0) == (k >= 2)


def test_tables_start_at_the_first_depths():
    for last in range(5):
        assert real_triple_sum.moments(3, last) == [3, 9, 33, 183, 1395][: last + 1]
    assert real_triple_sum.exact_rnn_energy(7, 3) == Fraction(417, 343)


def test_recurrence_runs_in_fractions_and_floats():
    exact_energies = exact.rnn_energies(9, 20, field="real")
    assert list(itertools.islice(real_recurrence.energies(9, Fraction(1)), 21)) == exact_energies
    for value, truth in zip(real_recurrence.energies(9, 1.0), exact_energies, strict=False):
        # Measured 5e-14 at most.
        assert value == pytest.approx(float(truth), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: real_triple_sum.moments(0, 3), ValueError, "n must be an integer >= 1, got 0"),
        (lambda: real_triple_sum.moments(2, 1.5), TypeError, "kmax must be an integer >= 0"),
        (lambda: real_triple_sum.real_excess_over_complex(2, -1), ValueError, "k must be"),
        (lambda: real_triple_sum.exact_rnn_energy(2.0, 1), TypeError, "n must be"),
        (lambda: real_triple_sum.moments_modulo(3, 9, 11), ValueError, "prime must be"),
        (lambda: real_triple_sum.moments_modulo(3, 9, 15), ValueError, "prime must be a prime"),
        (lambda: real_triple_sum.moments_modulo(3, 9, 2**61 - 1), ValueError, "prime below"),
        (lambda: real_recurrence.moments(True), TypeError, "n must be an integer >= 1"),
        (lambda: real_recurrence.energies(0, 1.0), ValueError, "n must be an integer >= 1"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
