"""``sigprop recurrence`` and recurrences by name."""

import json
import math

import pytest

from sigprop.cli import main
from sigprop.cli import recurrence as command
from sigprop.recurrences import DiagonalLRU, registry


def document(capsys, *arguments):
    assert main(["recurrence", *arguments, "--json"]) == 0

    def no_constants(token):
        raise AssertionError(f"not strict JSON: {token}")

    return json.loads(capsys.readouterr().out, parse_constant=no_constants)


def test_pathx_under_constant_inputs(capsys):
    found = document(capsys, "lru", "--preset", "PathX", "--inputs", "constant", "--no-simulation")
    assert found["stationary_energy"] == pytest.approx(9.99, abs=0.01)
    assert "normalises white inputs only" in found["reason"]
    assert "pi/phase = 10" in found["reason"]
    exact = DiagonalLRU.from_preset("PathX", inputs="constant")
    for cell in found["cells"]:
        assert cell["state_energy"] == float(exact.state_energy(cell["depth"]))
        assert cell["layer_energy"] == pytest.approx(256 * cell["state_energy"], rel=1e-15)
        share = cell["state_energy"] / found["stationary_energy"]
        assert cell["share_of_stationary"] == pytest.approx(share, rel=1e-15)


def test_the_simulation_stands_beside_theory(capsys):
    found = document(
        capsys,
        "rotrnn",
        "--heads",
        "2",
        "--head-size",
        "4",
        "--depths",
        "3",
        "9",
        "--samples",
        "512",
        "--seed",
        "2",
        "--gamma-min",
        "0.5",
    )
    assert [cell["depth"] for cell in found["cells"]] == [3, 9]
    for cell in found["cells"]:
        assert cell["quantile_05"] <= cell["median"] <= cell["quantile_95"]
        assert cell["z"] is None or abs(cell["z"]) < 4.0
        assert cell["head_energy"] == pytest.approx(4 * cell["state_energy"], rel=1e-15)


@pytest.mark.parametrize("name", registry.NAMES)
def test_every_name_runs(name, capsys):
    found = document(capsys, name, "--depths", "0", "5", "--no-simulation")
    assert found["recurrence"] == name
    assert all(cell["impulse_energy"] > 0.0 for cell in found["cells"])
    has_limit = name not in ("rnn", "gaussian_lru", "ginibre_spectrum", "feedforward", "lru")
    assert (found["stationary_energy"] is not None) or not has_limit


def test_gaussian_weights_have_no_stationary_energy_and_it_says_why(capsys):
    found = document(capsys, "rnn", "--width", "64", "--depth", "4", "--no-simulation")
    assert found["stationary_energy"] is None
    assert "rare draws" in found["reason"]
    assert set(found["horizon"].values()) == {None}


def test_text(capsys):
    assert (
        main(["recurrence", "lru", "--preset", "ListOps", "--depth", "2", "--no-simulation"]) == 0
    )
    shown = capsys.readouterr().out
    assert "mean lag" in shown
    assert "mean lag, sum k Q_k / sum Q_k: 2.99657 steps" in shown  # ln(1/(1 - .9801))/.9801 - 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gru"], "NAME"),
        (["lru", "--heads", "2"], "heads is no option of 'lru'"),
        (["lru", "--preset", "Foo"], "task must be one of"),
        (["lru", "--r-min", "2"], "r_min"),
        (["lru", "--inputs", "pink"], "--inputs"),
        (["rnn", "--inputs", "constant"], "--inputs is no option of rnn"),
        (["rotrnn", "--head-size", "0"], "--head-size"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(arguments, words, capsys):
    assert main(["recurrence", *arguments, "--no-simulation"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert captured.err.count("\n") == 1


def test_names_and_options_of_the_command_are_those_of_the_registry():
    assert command.NAMES == registry.NAMES
    known = {*command._INTEGERS, *command._NUMBERS, *command._TEXTS}
    takes = {option for name in registry.NAMES for option in registry.option_names(name)}
    assert known <= takes
    assert registry.by_name("lru", max_phase=math.pi).max_phase == math.pi


def test_validate_by_name(capsys):
    arguments = ["validate", "--recurrence", "lru", "--depths", "4", "--samples", "300", "--json"]
    assert main(arguments) == 0
    (cell,) = json.loads(capsys.readouterr().out)["cells"]
    assert cell["model"] == "diagonal_lru"
    assert cell["regime"] is None
    assert main(["validate", "--recurrence", "gru"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["lru", "--r-min", "1", "--r-max", "1"],
        ["rotrnn", "--decay", "ring", "--gamma-min", "1", "--gamma-max", "1"],
        ["feedforward"],
    ],
)
def test_layers_without_decay_and_defaults_of_every_name(arguments, capsys):
    found = document(capsys, *arguments, "--no-simulation")
    assert found["cells"][0]["state_energy"] >= 0.0


def test_depths_that_a_network_does_not_have_are_refused_at_once(capsys):
    arguments = ["validate", "--recurrence", "lru", "feedforward", "--depths", "64"]
    assert main([*arguments, "--samples", "100000000"]) == 2
    assert "depth" in capsys.readouterr().err
