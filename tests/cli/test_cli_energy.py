"""``sigprop energy``."""

import json
import math
import sys
from fractions import Fraction

import pytest

import sigprop
from sigprop.cli import main


def records(capsys, *arguments):
    assert main(["energy", "--json", *arguments]) == 0

    def no_constants(token):
        raise AssertionError(f"not strict JSON: {token}")

    return json.loads(capsys.readouterr().out, parse_constant=no_constants)["energies"]


def test_the_reference_value_at_width_1e12(capsys):
    (record,) = records(capsys, "--width", "1e12", "--depth", "1e7", "--model", "rnn", "--log")
    assert (record["width"], record["depth"]) == (10**12, 10**7)
    # The digits come from a 50-digit evaluation; measured relative error 1e-16.
    assert math.isclose(record["log_energy"], 45.3946778481045958, rel_tol=1e-13)


def test_a_grid_has_every_model_width_and_depth(capsys):
    found = records(capsys, "--widths", "3", "5", "--depths", "0", "2", "7")
    keys = [(record["model"], record["width"], record["depth"]) for record in found]
    assert keys == [(m, n, t) for m in ("rnn", "lru") for n in (3, 5) for t in (0, 2, 7)]
    for record in found:
        function = sigprop.rnn_energy if record["model"] == "rnn" else sigprop.lru_energy
        assert record["energy"] == function(record["width"], record["depth"])
        assert record["gain"] == 1.0
        assert "exact" not in record


def test_exact_fractions(capsys):
    found = records(capsys, "--width", "5", "3", "--depth", "3", "2", "--exact")
    exact = {(r["model"], r["width"], r["depth"]): r["exact"] for r in found}
    assert exact["rnn", 5, 3] == "6/5"
    assert exact["lru", 3, 2] == "28/9"
    for record in found:
        assert math.isclose(Fraction(record["exact"]), record["energy"], rel_tol=1e-14)


def test_overflow_is_null_in_json_with_the_logarithm_beside_it(capsys):
    (record,) = records(capsys, "--width", "10", "--depth", "1e4", "--model", "lru")
    assert record["energy"] is None
    assert record["excess"] is None
    assert math.isfinite(record["log_energy"])


def test_overflow_in_text_hints_at_the_logarithm(capsys):
    assert main(["energy", "--width", "10", "--depth", "1e4"]) == 0
    captured = capsys.readouterr()
    assert "inf" in captured.out
    assert "--log" in captured.err
    assert main(["energy", "--width", "10", "--depth", "1e4", "--log"]) == 0
    assert capsys.readouterr().err == ""


def test_gain_scales_the_energy_and_not_the_excess(capsys):
    (plain,) = records(capsys, "--width", "8", "--depth", "5", "--model", "rnn")
    (scaled,) = records(capsys, "--width", "8", "--depth", "5", "--model", "rnn", "--gain", "0.5")
    assert math.isclose(scaled["energy"], plain["energy"] / 2**10, rel_tol=1e-14)
    assert scaled["excess"] == plain["excess"]


def test_fractions_beyond_the_digit_limit_of_str(capsys):
    limit = sys.get_int_max_str_digits()
    (record,) = records(capsys, "--width", "7", "--depth", "4000", "--model", "rnn", "--exact")
    numerator, denominator = record["exact"].split("/")
    assert len(numerator) > limit
    true = sigprop.exact.rnn_energy(7, 4000)
    for text, number in ((numerator, true.numerator), (denominator, true.denominator)):
        assert int(text[:30]) == number // 10 ** (len(text) - 30)
        assert int(text[-30:]) == number % 10**30
    assert sys.get_int_max_str_digits() == limit


def test_widths_beyond_float64_have_exact_fractions_only(capsys):
    (record,) = records(capsys, "--width", "1e20", "--depth", "2", "--model", "rnn", "--exact")
    assert record["exact"] == f"{10**40 + 1}/{10**40}"
    assert record["width"] == str(10**20)  # longer than a double holds: a string
    assert record["energy"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--inputs", "pink"], "--inputs"),
        (["--quantiles", "0,1"], "--quantiles"),
        (["--exact", "--gain", "2"], "--gain"),
        (["--exact", "--depth", "1e7"], "--log"),
        (["--model", "gru"], "--model"),
    ],
)
def test_what_is_not_available_says_so(arguments, message, capsys):
    assert main(["energy", "--width", "8", "--depth", "3", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


def test_the_table(capsys):
    assert main(["energy", "--width", "5", "--depth", "3", "--exact"]) == 0
    assert capsys.readouterr().out == (
        "model  width  depth  energy  excess   exact\n"
        "  rnn      5      3     1.2     0.2     6/5\n"
        "  lru      5      3    4.24    0.06  106/25\n"
    )


def test_real_weights_exactly_and_with_an_input_law(capsys):
    (record,) = records(
        capsys, "--width", "7", "--depth", "3", "--field", "real", "--model", "rnn", "--exact"
    )
    assert record["exact"] == "417/343"
    arguments = ("--width", "10", "--depth", "2", "--field", "real", "complex", "--model", "lru")
    real, complex_ = records(capsys, *arguments, "--inputs", "constant", "--exact")
    assert (real["exact"], complex_["exact"]) == ("161/50", "301/100")
    assert real["inputs"] == "constant"
    real, _ = records(capsys, *arguments, "--inputs", "ar1:0.5")
    assert math.isclose(real["energy"], 3.02 + 2.0 * 0.25 / 10, rel_tol=1e-13)


def test_quantiles_beside_the_mean(capsys):
    rnn, lru = records(
        capsys, "--width", "64", "--depth", "24", "--field", "real", "--quantiles", ".05,.5,.95"
    )
    assert rnn["quantiles"]["q"] == [0.05, 0.5, 0.95]
    assert rnn["quantiles"]["log_energy"] == sorted(rnn["quantiles"]["log_energy"])
    assert all(error > 0.0 for error in rnn["quantiles"]["error"])
    assert lru["quantiles"] is None
    assert main(["energy", "--width", "64", "--depth", "24", "--quantiles", ".5"]) == 0
    captured = capsys.readouterr()
    assert "log q50%" in captured.out
    assert "no law of the quantiles of an LRU" in captured.err


def test_what_the_library_refuses_is_named_as_an_option(capsys):
    for option, value in (("--depth", "1e16"), ("--width", "1e20")):
        arguments = {"--width": "8", "--depth": "3"} | {option: value}
        assert main(["energy", *(item for pair in arguments.items() for item in pair)]) == 2
        assert option in capsys.readouterr().err
