"""Numbers on the command line are exact, and wrong ones end in one line and status 2."""

import argparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigprop.cli import main
from sigprop.cli.options import MAX_DIGITS, exact_integer

ENERGY = ["energy", "--depth", "3", "--model", "rnn"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("+7", 7),
        ("007", 7),
        ("1_000", 1000),
        ("1e12", 10**12),
        ("1E+3", 1000),
        ("1e23", 10**23),  # int(float("1e23")) is 99999999999999991611392
        ("2.5e3", 2500),
        ("7.0", 7),
        ("1500e-2", 15),
        ("9007199254740993", 2**53 + 1),
        ("9" * MAX_DIGITS, 10**MAX_DIGITS - 1),
    ],
)
def test_exact_integers(text, value):
    number = exact_integer(0)(text)
    assert type(number) is int
    assert number == value


@given(st.integers(0, 10**60), st.integers(0, 60))
def test_scientific_notation_is_exact(mantissa, exponent):
    assert exact_integer(0)(f"{mantissa}e{exponent}") == mantissa * 10**exponent


NOT_INTEGERS = ["10.5", "-1", "nan", "inf", "abc", "", " ", "1e", "e3", "1j", "True", "1/1", "--"]
NOT_DECIMAL = ["1__0", "_1", "1_", "0x10", "1,000", "1e-3", "-1e3", "٣"]
TOO_LONG = ["1e400000000", "1e99999999999999999999", "1e-400000000", "1" * (MAX_DIGITS + 1)]


@pytest.mark.parametrize("text", [*NOT_INTEGERS, *NOT_DECIMAL, *TOO_LONG])
def test_refused_integers_are_one_line_that_names_the_option(text, capsys):
    assert main([*ENERGY, "--width", text]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "--width" in captured.err
    assert len(captured.err) < 250


def test_bounds_are_inclusive():
    assert exact_integer(1, 5)("5") == 5
    for text in ("0", "6"):
        with pytest.raises(argparse.ArgumentTypeError, match="integer >= 1 and <= 5"):
            exact_integer(1, 5)(text)


@pytest.mark.parametrize("gain", ["0", "-1", "nan", "inf", "1e999", "one"])
def test_gain_is_a_finite_positive_number(gain, capsys):
    assert main([*ENERGY, "--width", "3", "--gain", gain]) == 2
    assert "--gain" in capsys.readouterr().err


def test_singular_and_plural_are_one_option(capsys):
    outputs = []
    for names in (("--width", "--depth", "--model"), ("--widths", "--depths", "--models")):
        width, depth, model = names
        assert main(["energy", width, "3", "4", depth, "2", model, "rnn", "--json"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_abbreviations_are_refused(capsys):
    assert main(["energy", "--wid", "3", "--depth", "2"]) == 2
    assert "--width" in capsys.readouterr().err
