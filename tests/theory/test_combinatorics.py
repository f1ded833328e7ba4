import math
import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigprop import combinatorics


def test_stirling_row_is_the_rising_factorial():
    for m in range(12):
        row = combinatorics.stirling_row(m)
        for x in (1, 2, 7):
            assert sum(c * x**j for j, c in enumerate(row)) == math.prod(range(x, x + m))


@pytest.mark.parametrize("m", [0, 1, 2, 17, 60, 257])
def test_stirling_row_without_flint_is_the_same(m):
    assert combinatorics._stirling_row_python(m) == combinatorics.stirling_row(m)


def test_hultman_rows_of_the_reference(reference):
    for k, row in reference["hultman_rows"].items():
        assert combinatorics.hultman_row(int(k)) == row


@pytest.mark.parametrize("k", range(8))
def test_enumeration_gives_the_hultman_row(k):
    counts = combinatorics.wick_polynomial(k)
    row = combinatorics.hultman_row(k)
    assert counts == {j: row[j - 1] for j in range(k + 1, 0, -1) if row[j - 1]}


@pytest.mark.parametrize("k", [0, 1, 2, 3, 10, 101, 300])
def test_hultman_row_sums_to_the_factorial(k):
    assert sum(combinatorics.hultman_row(k)) == math.factorial(k)


def test_hultman_number_is_zero_outside_its_range_and_parity():
    assert combinatorics.hultman_number(4, 5) == 1
    assert combinatorics.hultman_number(4, 4) == 0
    assert combinatorics.hultman_number(4, 0) == 0
    assert combinatorics.hultman_number(4, 60) == 0


def _compose(p, q):
    return tuple(p[i] for i in q)


def _inverse(p):
    return tuple(int(i) for i in np.argsort(p))


@given(st.permutations(range(6)))
def test_commutator_cycles_by_composing_permutations(sigma):
    size = len(sigma) + 1
    long_cycle = tuple((i + 1) % size for i in range(size))
    extended = (0, *(letter + 1 for letter in sigma))
    commutator = _compose(
        long_cycle, _compose(extended, _compose(_inverse(long_cycle), _inverse(extended)))
    )
    assert combinatorics.commutator_cycle_count(sigma) == combinatorics.cycle_count(commutator)


@given(st.permutations(range(7)))
def test_commutator_cycles_have_the_parity_of_the_number_of_points(sigma):
    assert (combinatorics.commutator_cycle_count(sigma) - (len(sigma) + 1)) % 2 == 0


def test_cycle_count_sums_to_stirling_numbers():
    counts = [0] * 6
    for sigma in permutations(range(5)):
        counts[combinatorics.cycle_count(sigma)] += 1
    assert counts == combinatorics.stirling_row(5)


@pytest.mark.parametrize("bad", [(0, 0), (1, 2), (0, 2)])
def test_not_a_permutation_is_refused(bad):
    with pytest.raises(ValueError, match="sigma"):
        combinatorics.cycle_count(bad)


@pytest.mark.parametrize("bad", ["01", 3, None, (0.0, 1.0), (True, False)])
def test_not_a_sequence_of_integers_is_refused(bad):
    with pytest.raises(TypeError, match="sigma"):
        combinatorics.commutator_cycle_count(bad)


def test_enumeration_refuses_large_depths_and_points_to_the_row():
    with pytest.raises(ValueError, match=r"k must be at most 10.*hultman_row"):
        combinatorics.wick_polynomial(11)


@pytest.mark.parametrize("function", ["stirling_row", "hultman_row", "wick_polynomial"])
@pytest.mark.parametrize(
    ("value", "error"),
    [(-1, ValueError), (True, TypeError), (2.0, TypeError), ("3", TypeError), (None, TypeError)],
)
def test_bad_sizes_are_refused_by_name(function, value, error):
    with pytest.raises(error, match=r"^[mk] must be an integer >= 0"):
        getattr(combinatorics, function)(value)


def test_works_without_flint():
    code = (
        "import sys; sys.modules['flint'] = None\n"
        "from sigprop import combinatorics\n"
        "print(combinatorics.hultman_row(5))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[0, 84, 0, 35, 0, 1]"
