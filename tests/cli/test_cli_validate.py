"""``sigprop validate``: the report in three shapes, its verdict and its exit status."""

import csv
import io
import json

import pytest

import sigprop
from sigprop import validation
from sigprop.cli import main
from sigprop.cli import validate as command

IDENTITY = ["model", "field", "gain", "width", "depth", "c", "regime"]
NUMBERS = ["exact", "log_exact", "mean", "standard_error", "exact_standard_error", "z"]
QUANTILES = ["median", "quantile_05", "quantile_95"]
TRUST = ["effective_samples", "largest_share", "trustworthy", "reason"]
RECORD = [*IDENTITY, *NUMBERS, *QUANTILES, *TRUST, "method", "choice", "samples", "seed"]

SMALL = ["validate", "--widths", "16", "--c", "0.5", "1", "--samples", "400", "--seed", "1"]


def strict_json(text):
    def no_constants(token):
        raise AssertionError(f"not strict JSON: {token}")

    return json.loads(text, parse_constant=no_constants)


def test_json_holds_the_record_of_every_cell(capsys):
    assert main([*SMALL, "--json"]) == 0
    document = strict_json(capsys.readouterr().out)
    assert list(document) == ["cells", "verdict"]
    assert document["verdict"] == "agree"
    keys = [(cell["model"], cell["width"], cell["depth"]) for cell in document["cells"]]
    assert keys == [(model, 16, depth) for model in ("rnn", "lru") for depth in (2, 4)]
    for cell in document["cells"]:
        assert list(cell) == RECORD
        assert (cell["samples"], cell["seed"]) == (400, 1)


def test_table_and_csv_tell_the_same(capsys):
    assert main(SMALL) == 0
    table = capsys.readouterr().out
    assert "verdict: agree (4 cells: 4 agree)" in table
    assert main([*SMALL, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == [*RECORD, "verdict"]
    for row, line in zip(rows, table.splitlines()[1:], strict=False):
        assert line.split()[:4] == [row["model"], row["field"], row["width"], row["depth"]]


def test_a_wrong_theory_is_status_one(monkeypatch, capsys):
    # Negative control: simulate a gain that the theory beside it does not know of.
    honest = validation.GaussianRNN.log_state_energy

    def without_gain(self, depth):
        return honest(type(self)(self.width, self.field), depth)

    monkeypatch.setattr(validation.GaussianRNN, "log_state_energy", without_gain)
    arguments = [*SMALL, "--model", "rnn", "--gain", "1.2", "--json"]
    assert main(arguments) == 1
    assert strict_json(capsys.readouterr().out)["verdict"] == "disagree"
    monkeypatch.undo()
    assert main(arguments) == 0


def test_the_threshold_decides(capsys):
    assert main([*SMALL, "--threshold", "1e-6"]) == 1
    assert "verdict: disagree" in capsys.readouterr().out


def test_fixed_depths_instead_of_c(capsys):
    assert main([*SMALL[:3], "--depths", "0", "3", "--samples", "50", "--json"]) == 0
    cells = strict_json(capsys.readouterr().out)["cells"]
    assert [cell["depth"] for cell in cells] == [0, 3, 0, 3]
    assert main([*SMALL, "--depths", "3"]) == 2
    assert "--depth" in capsys.readouterr().err


def test_real_weights_agree(capsys):
    assert main([*SMALL, "--field", "real", "--json"]) == 0
    document = strict_json(capsys.readouterr().out)
    assert document["verdict"] == "agree"
    for cell in document["cells"]:
        function = sigprop.rnn_energy if cell["model"] == "rnn" else sigprop.lru_energy
        assert cell["exact"] == float(function(cell["width"], cell["depth"], field="real"))


@pytest.mark.parametrize(
    ("name", "flags", "start"),
    [
        ("report.json", [], "{"),
        ("report.csv", [], "model,field"),
        ("report.txt", [], "model "),
        ("report.txt", ["--json"], "{"),
        ("report.json", ["--csv"], "model,field"),
    ],
)
def test_output_goes_to_the_file_and_the_verdict_to_the_terminal(
    name, flags, start, tmp_path, capsys
):
    assert main([*SMALL, *flags, "--output", str(tmp_path / name)]) == 0
    assert capsys.readouterr().out == "verdict: agree (4 cells: 4 agree)\n"
    assert (tmp_path / name).read_text().lstrip().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_unwritable_output_is_found_before_the_work(tmp_path, monkeypatch, capsys):
    def no_work(**_settings):
        raise AssertionError("simulated before the output was checked")

    monkeypatch.setattr(validation, "validate", no_work)
    assert main([*SMALL, "--output", str(tmp_path / "missing" / "report.json")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "report.json" in error


def test_an_interrupted_run_leaves_the_earlier_report(tmp_path, monkeypatch):
    def interrupted(**_settings):
        raise KeyboardInterrupt

    (tmp_path / "report.json").write_text("earlier")
    monkeypatch.setattr(validation, "validate", interrupted)
    assert main([*SMALL, "--output", str(tmp_path / "report.json")]) == 130
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert (tmp_path / "report.json").read_text() == "earlier"


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["--samples", "0"], "--samples"),
        (["--seed", "-1"], "--seed"),
        (["--c", "nan"], "--c"),
        (["--c", "-0.5"], "--c"),
        (["--threshold", "0"], "--threshold"),
        (["--json", "--csv"], "--csv"),
        (["--field", "quaternion"], "--field"),
    ],
)
def test_bad_options_are_named(arguments, option, capsys):
    assert main([*SMALL, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert option in captured.err


def test_no_progress_bar_without_a_terminal(capsys):
    assert main(SMALL) == 0
    assert capsys.readouterr().err == ""
    assert command.DISAGREE == 1
