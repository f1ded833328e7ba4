"""The frame around the commands: statuses, errors, pipes, interruptions."""

import os
import subprocess
import sys

import pytest

import sigprop
from sigprop.cli import energy, main


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"sigprop {sigprop.__version__}\n"
    assert main(["--help"]) == 0
    assert "validate" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", ["energy", "regime", "hultman", "validate", "simulate", "figures"]
)
def test_every_command_has_help_with_an_example(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"example: sigprop {command}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["energy"], ["hultman"]])
def test_wrong_use_is_one_line_and_status_two(arguments, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


def test_library_errors_are_one_line(capsys):
    assert main(["energy", "--width", "1e17", "--depth", "3"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("sigprop energy: ")
    assert error.count("\n") == 1
    assert "Traceback" not in error


def test_debug_shows_the_traceback(capsys):
    assert main(["energy", "--width", "1e17", "--depth", "3", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


def raising(error):
    def run(_arguments):
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "status", "lines"),
    [
        (KeyboardInterrupt(), 130, 0),
        (BrokenPipeError(), 141, 0),
        (OSError("cannot write\nhere"), 2, 1),
        (ValueError(), 2, 1),
    ],
)
def test_statuses(error, status, lines, monkeypatch, capsys):
    monkeypatch.setattr(energy, "run", raising(error))
    assert main(["energy", "--width", "3", "--depth", "3"]) == status
    assert capsys.readouterr().err.count("\n") == lines


def test_programming_errors_are_not_hidden(monkeypatch):
    monkeypatch.setattr(energy, "run", raising(AssertionError("bug")))
    with pytest.raises(AssertionError, match="bug"):
        main(["energy", "--width", "3", "--depth", "3"])


def test_python_dash_m():
    command = [sys.executable, "-m", "sigprop", "hultman", "3", "--number", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert (done.stdout, done.stderr) == ("5\n", "")


def test_a_reader_that_goes_away_is_no_error():
    command = [sys.executable, "-m", "sigprop", "hultman", "600"]
    read_end, write_end = os.pipe()
    process = subprocess.Popen(command, stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)
    os.read(read_end, 1)
    os.close(read_end)  # the row is longer than a pipe holds, so the writer notices
    _, error = process.communicate(timeout=120)
    assert error == b""
    assert process.returncode == 141
