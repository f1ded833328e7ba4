"""Every code fence of the README and of the how-to pages runs, and prints what it says."""

import contextlib
import doctest
import io
import math
import re
import shlex
from pathlib import Path

import pytest

from sigprop.cli import main

PROJECT = Path(__file__).parent.parent
README = PROJECT / "README.md"
PAGES = [README, PROJECT / "docs" / "command_line.md"]
INSTALLATIONS = {"pip install .", "pip install .[fast]"}


def fences(page):
    """Return (language, body) of each code fence of a page."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```(\S*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(re.findall(r"^```", text, flags=re.MULTILINE)) == 2 * len(found)
    return found


def commands(page):
    """Return (command, expected output) of each line of a page that starts with ``$``."""
    pairs = []
    for language, body in fences(page):
        if language == "console":
            before, *pieces = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
            assert not before.strip(), "a console fence starts with a command"
            pairs += zip(pieces[::2], pieces[1::2], strict=True)
    return pairs


CONSOLE = [pair for page in PAGES for pair in commands(page)]
SIGPROP = [pair for pair in CONSOLE if pair[0].startswith("sigprop ")]
OTHERS = [command for command, _ in CONSOLE if not command.startswith("sigprop ")]


NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w.])")


def same_text(printed, expected):
    """Compare two texts; the last digits of floats may differ between processors."""
    if NUMBER.split(printed) != NUMBER.split(expected):
        return False
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=True)
    # Two correct float64 results differ by 1e-14 at most; a wrong one by far more than 1e-11.
    return all(math.isclose(float(a), float(b), rel_tol=1e-11) for a, b in pairs)


def test_the_comparison_sees_what_matters():
    assert same_text("energy 1.0000000000001 n 3", "energy 1 n 3")
    for wrong in ("energy 1.00000001 n 3", "energies 1 n 3", "energy 1  n 3", "energy 1 n 4"):
        assert not same_text(wrong, "energy 1 n 3")


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 200


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_fence_escapes_the_tests(page):
    assert fences(page)
    assert {language for language, _ in fences(page)} <= {"python", "console"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_fences_run_in_order_and_print_what_they_say(page):
    program = "".join(body for language, body in fences(page) if language == "python")
    test = doctest.DocTestParser().get_doctest(program, {}, page.name, page.name, 0)
    assert test.examples or page != README
    report = io.StringIO()
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.write)
    assert not report.getvalue(), report.getvalue()


@pytest.mark.parametrize(("command", "expected"), SIGPROP, ids=[pair[0] for pair in SIGPROP])
def test_sigprop_commands_print_what_they_say(command, expected):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(shlex.split(command)[1:])
    assert status == 0
    assert same_text(printed.getvalue().rstrip(), expected.rstrip()), printed.getvalue()


@pytest.mark.parametrize("command", OTHERS)
def test_other_commands_are_targets_of_make_or_installations(command):
    if command.startswith("make "):
        makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{command.removeprefix('make ')}:", makefile, flags=re.MULTILINE)
    else:
        assert command in INSTALLATIONS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_inside_the_project_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target
