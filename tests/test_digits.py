"""Integers and fractions print in full, whatever the interpreter's digit limit."""

import sys
import threading
from decimal import getcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigprop._digits import fraction_text, integer_text


def digits_back(text):
    """Read decimal digits by pieces, independently of the code under test."""
    sign = -1 if text.startswith("-") else 1
    value = 0
    for start in range(0, len(text.lstrip("-")), 500):
        piece = text.lstrip("-")[start : start + 500]
        value = value * 10 ** len(piece) + int(piece)
    return sign * value


@given(st.integers(-(10**40), 10**40))
def test_small_integers_are_as_str(number):
    assert integer_text(number) == str(number)


@given(st.integers(0, 2**40), st.integers(0, 60_000), st.booleans())
def test_long_integers_come_back(odd, shift, negative):
    number = (odd << shift) + odd
    number = -number if negative else number
    assert digits_back(integer_text(number)) == number


@pytest.mark.parametrize("power", [307, 308, 309, 616, 617, 4299, 4300, 4301, 100_000])
def test_powers_of_ten_and_their_neighbours(power):
    assert integer_text(10**power) == "1" + "0" * power
    assert integer_text(10**power - 1) == "9" * power
    assert integer_text(-(10**power) - 1) == "-1" + "0" * (power - 1) + "1"


def test_plain_str_would_raise_and_the_limit_stays():
    limit = sys.get_int_max_str_digits()
    precision = getcontext().prec
    number = 7**20_000
    with pytest.raises(ValueError, match="digits"):
        str(number)
    assert digits_back(integer_text(number)) == number
    assert sys.get_int_max_str_digits() == limit
    assert getcontext().prec == precision


def test_threads_do_not_disturb_each_other():
    numbers = [3 ** (4000 + 700 * i) for i in range(8)]
    texts = {}

    def work(number):
        texts[number] = integer_text(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(digits_back(texts[number]) == number for number in numbers)


def test_fractions():
    assert fraction_text(Fraction(6, 5)) == "6/5"
    assert fraction_text(Fraction(-8, 4)) == "-2"
    numerator, denominator = fraction_text(Fraction(7**9000, 2**9000)).split("/")
    assert digits_back(numerator) == 7**9000
    assert digits_back(denominator) == 2**9000
