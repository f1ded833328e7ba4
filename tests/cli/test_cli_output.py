"""Strict JSON, tables, and progress bars that only a terminal sees."""

import builtins
import io
import json
import sys

import pytest

from sigprop.cli import output


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_strict_json():
    document = {"a": float("nan"), "b": [float("inf"), 1.5, 2**53, 2**53 + 1, -(10**30)]}
    document["c"] = {"d": None, "e": True, "f": "text"}
    assert json.loads(output.json_text(document)) == {
        "a": None,
        "b": [None, 1.5, 2**53, str(2**53 + 1), str(-(10**30))],
        "c": {"d": None, "e": True, "f": "text"},
    }


def test_tables_are_aligned():
    text = output.table_text(["n", "energy"], [["1", "2.5"], ["1000", "3"]])
    assert text == "   n  energy\n   1     2.5\n1000       3"


def run_progress():
    with output.progress_bar("label") as progress:
        if progress is not None:
            for done in range(1, 4):
                progress(done, 3)
        return progress


def test_no_bar_outside_a_terminal(capsys):
    assert run_progress() is None
    assert capsys.readouterr().err == ""


def test_tqdm_where_it_is_installed(monkeypatch):
    pytest.importorskip("tqdm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    run_progress()
    assert "label" in terminal.getvalue()


def test_a_plain_bar_where_tqdm_is_not(monkeypatch):
    real_import = builtins.__import__

    def without_tqdm(name, *arguments, **settings):
        if name.partition(".")[0] == "tqdm":
            raise ImportError(name)
        return real_import(name, *arguments, **settings)

    terminal = Terminal()
    monkeypatch.setattr(builtins, "__import__", without_tqdm)
    monkeypatch.setattr(sys, "stderr", terminal)
    run_progress()
    states = terminal.getvalue().rstrip().split("\r")
    assert states[-1].startswith(f"label [{'#' * 30}] 3/3")
    assert "2/3" in states[-2]


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


def time_left_after_a_resumption(clock):
    """Return what the bar shows when 90 of 100 steps were there and one took ten seconds."""
    with output.progress_bar("label", resumes=True) as progress:
        progress(90, 100)
        clock.seconds += 10.0
        progress(91, 100)
        return sys.stderr.getvalue().rpartition("\r")[2]


def test_the_time_left_does_not_count_what_was_there(monkeypatch):
    tqdm = pytest.importorskip("tqdm")
    clock = Clock()
    monkeypatch.setattr(tqdm.std, "time", clock)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert "91/100 [00:10<01:30" in time_left_after_a_resumption(clock)


def test_nor_does_the_plain_bar(monkeypatch):
    clock = Clock()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(output.time, "monotonic", clock)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert time_left_after_a_resumption(clock).rstrip().endswith("91/100 90 s left")
