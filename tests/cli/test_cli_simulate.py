"""``sigprop simulate``: the same record as the library and as ``validate``."""

import json

import sigprop
from sigprop.cli import main

SMALL = ["simulate", "--width", "16", "--depths", "2", "4", "--samples", "300", "--seed", "5"]


def cells(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["cells"]


def test_cells_are_those_of_the_library(capsys):
    lru = sigprop.recurrences.GaussianLRU(16, gain=0.5)
    expected = sigprop.simulate(lru, [2, 4], 300, rng=5).to_dict()["cells"]
    assert cells(capsys, *SMALL, "--model", "lru", "--gain", "0.5") == expected


def test_cells_are_those_of_validate(capsys):
    simulated = cells(capsys, *SMALL)
    validated = cells(capsys, "validate", *SMALL[1:])
    assert simulated == validated


def test_batches_do_not_change_the_result(capsys):
    assert cells(capsys, *SMALL, "--batch", "7") == cells(capsys, *SMALL)


def test_long_seeds_are_strings(capsys):
    (cell,) = cells(capsys, *SMALL[:3], "--depth", "1", "--seed", "1e30", "--model", "rnn")
    assert cell["seed"] == str(10**30)


def test_the_table_says_what_cannot_be_trusted(capsys):
    arguments = ["simulate", "--width", "4", "--depth", "1", "40", "--samples", "100"]
    assert main([*arguments, "--model", "rnn"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == ["model", "field", "width", "depth"]
    untrusted = lines[2].split()
    assert untrusted[3] == "40"
    assert "-" in untrusted
    assert lines[3].startswith("rnn complex n=4 depth=40: ")


def test_bad_options_are_named(capsys):
    for option in (["--samples", "0"], ["--batch", "0"], ["--method", "magic"]):
        assert main([*SMALL, *option]) == 2
        assert option[0] in capsys.readouterr().err
