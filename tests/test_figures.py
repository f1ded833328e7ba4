"""Plots and gallery: headless, deterministic, all files or none."""

import csv
import io
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sigprop
from sigprop import gallery, plots
from sigprop.cli import main
from sigprop.gallery import critical_profile, writing

DISPLAYS = {"DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND"}
SUFFIXES = ("png", "svg", "csv")
TWO = ("critical_profile", "hultman")
FIGURES_FOLDER = Path(__file__).parent.parent / "figures"


def new_axes():
    from matplotlib.figure import Figure

    return Figure().add_subplot()


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    paths = gallery.draw("critical_profile", folder, fast=True, seed=3)
    assert paths == [folder / f"critical_profile.{suffix}" for suffix in SUFFIXES]
    return folder


def rows_of(path):
    lines = path.read_text().splitlines(keepends=True)
    comments = [line for line in lines if line.startswith("#")]
    return comments, list(csv.DictReader(io.StringIO("".join(lines[len(comments) :]))))


def test_the_csv_says_how_it_was_made(drawn):
    comments, _ = rows_of(drawn / "critical_profile.csv")
    text = "".join(comments)
    assert "# command: sigprop figures critical_profile --fast --seed 3\n" in text
    assert "# seed: 3\n" in text
    assert f"sigprop {sigprop.__version__}, numpy {np.__version__}, python 3." in text


def test_the_csv_holds_the_exact_energies(drawn):
    _, rows = rows_of(drawn / "critical_profile.csv")
    exact = [row for row in rows if row["kind"] == "exact"]
    assert {row["model"] for row in exact} == {"rnn", "lru"}
    for row in exact:
        width, depth = int(row["width"]), int(row["depth"])
        if row["model"] == "rnn":
            true = float(sigprop.exact.rnn_energy(width, depth))
        else:
            true = float(sigprop.exact.lru_energy(width, depth)) / math.sqrt(width)
        # The float64 route is good to 1e-14; csv keeps every digit.
        assert math.isclose(float(row["value"]), true, rel_tol=1e-13)
        assert math.isclose(float(row["c"]), depth / math.sqrt(width), rel_tol=1e-15)


def test_sampled_points_agree_with_theory(drawn):
    _, rows = rows_of(drawn / "critical_profile.csv")
    exact = {(r["model"], r["width"], r["depth"]): r for r in rows if r["kind"] == "exact"}
    sampled = [row for row in rows if row["kind"] == "sampled"]
    trusted = [row for row in sampled if row["standard_error"]]
    assert len(sampled) == 12
    assert len(trusted) >= 10
    for row in trusted:
        true = float(exact[row["model"], row["width"], row["depth"]]["value"])
        z = (float(row["value"]) - true) / float(row["standard_error"])
        assert abs(z) < 4.0  # fixed seed; sound theory passes 4 in 12 points once in 1000 seeds


def test_the_limit_is_the_profile_and_its_integral(drawn):
    _, rows = rows_of(drawn / "critical_profile.csv")
    at_one = {
        row["model"]: float(row["value"])
        for row in rows
        if row["kind"] == "limit" and float(row["c"]) == 1.0
    }
    assert math.isclose(at_one["rnn"], 2.0 * math.sinh(0.5), rel_tol=1e-14)
    steps = (np.arange(4000) + 0.5) / 4000
    integral = np.mean(2.0 / steps**2 * np.sinh(steps**2 / 2.0))
    # Midpoint rule with 4000 cells: error of order 1e-9.
    assert math.isclose(at_one["lru"], integral, rel_tol=1e-8)


def rendered(table):
    with writing.house_style():
        return writing.render(critical_profile.plot(table))


def test_same_seed_same_bytes_and_other_seed_other_points(drawn):
    table = critical_profile.compute(fast=True, seed=3)
    command = "sigprop figures critical_profile --fast --seed 3"
    again = rendered(table) | {"csv": writing.csv_text(table, command, seed=3).encode()}
    for suffix in SUFFIXES:
        assert again[suffix] == (drawn / f"critical_profile.{suffix}").read_bytes()
    other = critical_profile.compute(fast=True, seed=4)
    changed = [row["kind"] for row, new in zip(table, other, strict=True) if row != new]
    assert changed == ["sampled"] * 12


def test_pictures_are_pictures(drawn):
    assert (drawn / "critical_profile.png").read_bytes().startswith(b"\x89PNG\r\n")
    svg = (drawn / "critical_profile.svg").read_text()
    assert "<svg" in svg
    assert "dc:date" not in svg


def test_headless_and_no_figure_left_open(tmp_path):
    code = (
        "import sys; from sigprop.cli import main; "
        f"status = main(['figures', *{TWO!r}, '--fast', '--out', {str(tmp_path)!r}]); "
        "assert 'matplotlib.pyplot' not in sys.modules; "
        "import matplotlib.pyplot as plt; assert plt.get_fignums() == []; sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={name: value for name, value in os.environ.items() if name not in DISPLAYS},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    drawn = {f"{name}.{suffix}" for name in TWO for suffix in SUFFIXES}
    assert {path.name for path in tmp_path.iterdir()} == drawn


def test_the_style_of_the_user_is_restored_and_does_not_matter():
    import matplotlib

    table = [
        {"model": model, "kind": kind, "width": None, "c": c, "value": 1.0 + c}
        for model in ("rnn", "lru")
        for kind in ("limit", "infinite width")
        for c in (0.0, 1.0, 2.0)
    ]
    table += [
        {**row, "kind": kind, "width": 16, "standard_error": 0.1}
        for row in table[::6]
        for kind in ("exact", "sampled")
    ]
    plain = rendered(table)
    with matplotlib.rc_context({"lines.linewidth": 9.0, "savefig.facecolor": "red"}):
        assert rendered(table) == plain
        assert matplotlib.rcParams["lines.linewidth"] == 9.0


def test_an_unwritable_folder_is_one_line_before_any_work(tmp_path, capsys, monkeypatch):
    def no_work(**_settings):
        raise AssertionError("computed before the folder was checked")

    monkeypatch.setattr(critical_profile, "compute", no_work)
    (tmp_path / "file").write_text("kept")
    assert main(["figures", "--fast", "--out", str(tmp_path / "file")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "file" in error
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "kept"


def test_a_failure_while_drawing_leaves_the_earlier_files(tmp_path, monkeypatch):
    def broken(_table):
        raise RuntimeError("cannot draw")

    (tmp_path / "critical_profile.csv").write_text("earlier")
    monkeypatch.setattr(critical_profile, "compute", lambda **_settings: [])
    monkeypatch.setattr(critical_profile, "plot", broken)
    with pytest.raises(RuntimeError, match="cannot draw"):
        gallery.draw("critical_profile", tmp_path, fast=True)
    assert [path.name for path in tmp_path.iterdir()] == ["critical_profile.csv"]
    assert (tmp_path / "critical_profile.csv").read_text() == "earlier"


def test_unknown_figures(tmp_path, capsys):
    with pytest.raises(ValueError, match="name must be one of 'critical_profile'"):
        gallery.draw("no_such_figure", tmp_path)
    assert main(["figures", "no_such_figure", "--out", str(tmp_path)]) == 2
    assert "critical_profile" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_every_recipe_has_a_script_and_its_files():
    for name in gallery.FIGURES:
        assert f'"{name}"' in (FIGURES_FOLDER / f"{name}.py").read_text()
        for suffix in SUFFIXES:
            assert (FIGURES_FOLDER / f"{name}.{suffix}").exists()


def test_progress_is_reported(tmp_path):
    seen = []
    critical_profile.compute(fast=True, seed=0, progress=lambda *state: seen.append(state))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_plot_returns_the_axes_it_was_given():
    ax = new_axes()
    curve = plots.Curve("n = 4", [0.0, 1.0], [1.0, None])
    points = plots.Curve("sampled", [0.5, 1.0], [1.0, 1.1], [0.1, None])
    limit = plots.Curve("limit", [0.0, 1.0], [1.0, 1.04])
    assert plots.scaling_collapse(ax, [curve], limit, [points], reference=limit) is ax
    assert [line.get_label() for line in ax.lines[:3]] == ["limit", "n = 4", "limit"]
    trusted, refused = ax.lines[3], ax.lines[-1]
    assert trusted.get_color() == refused.get_color() == ax.lines[1].get_color()
    assert list(trusted.get_xdata()) == [0.5]
    assert list(refused.get_xdata()) == [1.0]
    assert (refused.get_marker(), refused.get_alpha()) == ("x", 0.4)
    assert ax.get_xlabel()


def test_more_curves_than_colours_are_refused():
    curve = plots.Curve("n", [0.0], [1.0])
    with pytest.raises(ValueError, match="at most 6 curves"):
        plots.scaling_collapse(new_axes(), [curve] * 7, curve)


def test_colours_differ_in_lightness_or_marker():
    assert len(set(plots.COLOURS)) == len(set(plots.MARKERS)) == 6


def test_csv_keeps_floats_and_leaves_gaps():
    table = [{"c": 0.1, "value": 1 / 3, "error": None}]
    text = writing.csv_text(table, command="sigprop figures x", seed=5)
    assert text.splitlines()[3:] == ["c,value,error", "0.1,0.3333333333333333,"]
