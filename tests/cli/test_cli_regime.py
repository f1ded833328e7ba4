"""``sigprop regime``."""

import json

import pytest

import sigprop
from sigprop import asymptotics
from sigprop.cli import main


@pytest.mark.parametrize(
    ("depth", "name"),
    [
        (100, "sub-critical"),
        (300, "critical"),
        (500, "crossover"),
        (600, "super-critical"),
        (20000, "beyond-width"),
    ],
)
def test_the_regimes_of_width_10000(depth, name, capsys):
    assert main(["regime", "--width", "10000", "--depth", str(depth)]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"width 10000, depth {depth}: {name}\n")
    for line in (
        f"{depth / 100:g} = {depth} / sqrt(10000)",
        "sub-critical to t < 182",
        "critical through 459",
        "crossover from 460 through 565",
        "super-critical from 566",
        "beyond width from 9999",
    ):
        assert line in text


def test_json_is_the_library_record(capsys):
    assert main(["regime", "--width", "64", "1e4", "--depth", "16", "--tol", "0.01", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["regimes"]
    assert found == [sigprop.classify(n, 16, tol=0.01).to_dict() for n in (64, 10**4)]


def test_overflow_is_null_in_json_and_inf_in_text(capsys):
    arguments = ["regime", "--width", "1024", "--depth", "16384"]
    assert main([*arguments, "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)["regimes"]
    assert record["excess"] is None
    assert record["log_energy"] > 3e4
    assert main(arguments) == 0
    assert "S = inf, log S = 3" in capsys.readouterr().out


@pytest.mark.parametrize("width", [1, 2, 3, 4, 8, 16])
def test_small_widths_print_their_boundaries_in_order(width, capsys):
    assert main(["regime", "--width", str(width), "--depth", "3"]) == 0
    lines = capsys.readouterr().out.split("boundaries")[1].splitlines()
    depths = [int(line.split()[-1]) for line in lines]
    assert depths == sorted(depths)


def test_wide_layers_name_the_shallower_of_two_forms(capsys):
    assert main(["regime", "--width", "1e6", "--depth", "7000"]) == 0
    text = capsys.readouterr().out
    assert "critical through 8665\n" in text
    assert "super-critical from 8666 (its form from 5694)\n" in text
    assert "crossover" not in text


def test_tol_must_be_positive(capsys):
    assert main(["regime", "--width", "64", "--depth", "3", "--tol", "0"]) == 2
    assert "--tol" in capsys.readouterr().err


def test_real_weights_say_where_they_take_over(capsys):
    assert main(["regime", "--width", "100", "--depth", "30", "--field", "real"]) == 0
    shown = capsys.readouterr().out
    assert "real weights" in shown
    takeover = int(asymptotics.takeover_depth(100))
    assert f"twice that of complex weights from {takeover}" in shown
    assert main(["regime", "--width", "100", "--depth", "30"]) == 0
    assert "twice" not in capsys.readouterr().out
