"""``sigprop audit``."""

import json
import math
import os

import numpy as np
import pytest

from sigprop import plots
from sigprop.auditing import audit
from sigprop.cli import main as sigprop_main


@pytest.fixture
def cell(tmp_path):
    path = tmp_path / "cell.npz"
    W = np.random.default_rng(0).standard_normal((12, 4)).astype(np.float32) / 2.0
    np.savez(path, weight_hh=W, weight_ih=np.ones((12, 5)), proj=np.eye(4))
    return str(path)


def _fails(arguments, words, capsys):
    assert sigprop_main(["audit", *arguments]) == 2
    output, error = capsys.readouterr()
    assert output == ""
    assert error.count("\n") == 1
    assert words in error


def test_json(cell, capsys):
    assert sigprop_main(["audit", cell, "--depths", "0", "1", "64", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [record["block"] for record in data["tensors"]] == ["r", "z", "n"]
    for record in data["tensors"]:
        assert record["key"] == "weight_hh"
        assert (record["shape"], record["dtype"]) == ([4, 4], "float32")
        assert record["depths"] == [0, 1, 64]
        assert record["log_energy"][1] == pytest.approx(math.log(record["gain_squared"]))


def test_text(cell, capsys):
    assert sigprop_main(["audit", cell, "--key", "proj", "--depths", "8"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("proj: dense 4 x 4, float64\n")
    assert "Safe up to 8 steps" in text


def test_options(tmp_path, capsys):
    path = str(tmp_path / "w.npy")
    np.save(path, np.diag([0.5, 0.25]).repeat(2, axis=1))
    options = ["--transpose", "--blocks", "2", "--depths", "1", "--field", "complex", "--json"]
    assert sigprop_main(["audit", path, *options]) == 0
    records = json.loads(capsys.readouterr().out)["tensors"]
    assert [record["block"] for record in records] == ["0", "1"]
    assert records[0]["field"] == "complex"
    np.save(path, np.array([0.5, 0.5j]))
    assert sigprop_main(["audit", path, "--diagonal", "--depths", "3", "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)["tensors"]
    assert record["log_energy"] == [pytest.approx(-6.0 * math.log(2.0))]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_plot(cell, tmp_path, suffix, capsys):
    picture = tmp_path / f"out.{suffix}"
    assert sigprop_main(["audit", cell, "--depths", "1", "8", "--plot", str(picture)]) == 0
    assert len(picture.read_bytes()) > 1000
    assert sorted(os.listdir(tmp_path)) == ["cell.npz", picture.name]


def test_bad_input_is_one_line_and_status_2(cell, tmp_path, capsys):
    _fails([str(tmp_path / "none.npy")], "no such file", capsys)
    _fails([str(tmp_path / "w.h5")], "extension must be one of", capsys)
    _fails([cell, "--key", "bias"], "candidates are weight_hh (12, 4)", capsys)
    _fails([cell, "--key", "weight_ih"], "got shape (12, 5)", capsys)
    _fails([cell, "--depths", "1e9"], "depths must be at most", capsys)
    _fails([cell, "--plot", str(tmp_path / "out.bmp")], "--plot must end in .png", capsys)
    _fails([cell, "--plot", str(tmp_path / "no" / "out.png")], "cannot write", capsys)


def test_a_failed_plot_leaves_the_earlier_file(cell, tmp_path, capsys):
    picture = tmp_path / "out.png"
    picture.write_bytes(b"earlier")
    _fails([cell, "--key", "bias", "--plot", str(picture)], "is not in", capsys)
    assert picture.read_bytes() == b"earlier"


def test_the_plot_shows_measured_and_predicted():
    from matplotlib.figure import Figure

    result = audit(np.stack([np.eye(3), np.zeros((3, 3))]), [0, 1, 4])
    ax = plots.energy_profile(Figure().add_subplot(), result)
    identity, mean, nothing = ax.lines[0], ax.lines[1], ax.lines[2]
    assert identity.get_ydata().tolist() == [0.0, 0.0, 0.0]
    assert mean.get_ydata().tolist() == list(result.tensors[0].predicted_log_energy)
    assert np.isnan(nothing.get_ydata()).tolist() == [False, True, True]
    assert ax.get_xscale() == "symlog"
