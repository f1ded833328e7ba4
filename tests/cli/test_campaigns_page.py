"""The how-to page on long simulations: its commands and its Python print what they say."""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

from sigprop.cli import main

PAGE = Path(__file__).parent.parent.parent / "docs" / "campaigns.md"
NOT_RUN = ("dask ", "mpiexec ", "sigprop simulate ", "    --")
"""How the lines of commands begin that need a cluster."""


def fences(language):
    """Return the bodies of the code fences of a language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def printed(command):
    """Return what a command prints, without its line."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert main(shlex.split(command)[1:]) == 0
    return output.getvalue()


def test_every_fence_is_of_a_kind_that_is_tested():
    kinds = [len(fences(language)) for language in ("console", "python", "sh")]
    assert min(kinds) > 0
    assert sum(kinds) * 2 == len(re.findall(r"^```", PAGE.read_text(), re.MULTILINE))
    for body in fences("sh"):
        assert all(line.startswith(NOT_RUN) for line in body.splitlines())


def test_commands_print_what_they_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for body in fences("console"):
        line, _, expected = body.partition("\n")
        assert line.startswith("$ sigprop simulate ")
        assert printed(line.removeprefix("$ ")) == expected


def test_python_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = "".join(fences("python"))
    test = doctest.DocTestParser().get_doctest(program, {}, PAGE.name, PAGE.name, 0)
    report = io.StringIO()
    doctest.DocTestRunner().run(test, out=report.write)
    assert not report.getvalue(), report.getvalue()
