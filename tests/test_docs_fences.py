"""Pages of the documentation: their fences run, their tables and the names in them are true.

The README, the page on the command line and the page on long simulations have tests of their
own (``test_readme.py``, ``cli/test_campaigns_page.py``).
"""

import ast
import contextlib
import doctest
import functools
import importlib
import importlib.util
import io
import math
import re
import shlex
from pathlib import Path

import pytest

import sigprop
from sigprop.cli import main
from sigprop.recurrences import S4D, DiagonalLRU, RotRNN
from sigprop.typical import stated_errors

PROJECT = Path(__file__).parent.parent
DOCS = PROJECT / "docs"
ELSEWHERE = {"theory.md", "theory_real.md", "decisions.md", "command_line.md", "campaigns.md"}
"""Pages with tests of their own, or without anything that runs."""

PAGES = sorted(page for page in DOCS.glob("*.md") if page.name not in ELSEWHERE)
THEORY = [DOCS / "structured.md", DOCS / "typical.md"]
NOT_RUN = {"bibtex", "{toctree}"}

WITH_TORCH = importlib.util.find_spec("torch") is not None
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w.])")


def fences(page):
    """Return (language, body) of each code fence of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```(\S*)[^\n]*\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(re.findall(r"^```", text, flags=re.MULTILINE)) == 2 * len(found)
    return found


def same_text(printed, expected):
    """Compare two texts; the last digits of floats may differ between processors."""
    if NUMBER.split(printed) != NUMBER.split(expected):
        return False
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=True)
    # Numbers are shown to at most twelve digits; correct ones differ by 1e-14.
    return all(math.isclose(float(a), float(b), rel_tol=1e-11) for a, b in pairs)


def run_console(body):
    """Run the ``sigprop`` commands of a fence and compare what is printed, if it is shown."""
    before, *pieces = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
    assert not before.strip(), "a console fence starts with a command"
    for command, expected in zip(pieces[::2], pieces[1::2], strict=True):
        assert command.startswith("sigprop "), command
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert main(shlex.split(command)[1:]) == 0
        if expected.strip():
            assert same_text(printed.getvalue().rstrip(), expected.rstrip()), printed.getvalue()


def run_python(body, namespace, name):
    """Run a fence as a doctest in the namespace of its page."""
    test = doctest.DocTestParser().get_doctest(body, namespace, name, name, 0)
    assert test.examples, body
    report = io.StringIO()
    doctest.DocTestRunner().run(test, out=report.write, clear_globs=False)
    assert not report.getvalue(), report.getvalue()
    namespace.update(test.globs)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_fences_run_in_order_and_print_what_they_say(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    torch_seen = False
    for language, body in fences(page):
        if language == "console":
            run_console(body)
        elif language == "python":
            torch_seen = torch_seen or "import torch" in body
            # Fences that need PyTorch run where it is installed.
            if torch_seen and not WITH_TORCH and needs_torch(body):
                continue
            run_python(body, namespace, page.name)
        else:
            assert language in NOT_RUN, language


def needs_torch(body):
    """Tell whether a fence uses PyTorch, or a tensor of the fence before."""
    return "torch" in body or "monitor" in body


def test_negative_control_a_wrong_output_is_seen():
    with pytest.raises(AssertionError, match="Expected"):
        run_python(">>> 1 + 1\n3\n", {}, "page")
    with pytest.raises(AssertionError, match="26/25"):
        run_console("$ sigprop energy --width 5 --depth 2 --model rnn --exact\n27/25\n")


# Names of tests and functions, as on the theory pages


def names_of(pattern):
    """Return what a pattern finds on the theory pages of this file."""
    text = "".join(page.read_text(encoding="utf-8") for page in THEORY)
    return sorted(set(re.findall(pattern, text)))


TESTS = names_of(r"`(tests/[\w/]+\.py)::([\w:]+)`")
NAMES = names_of(r"`(sigprop\.[\w.]+)`")


@functools.cache
def defined_in(path):
    """Return the tests of a file, with the names of their classes."""
    tree = ast.parse((PROJECT / path).read_text(encoding="utf-8"))
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = (item.name for item in node.body if isinstance(item, ast.FunctionDef))
            found.update(f"{node.name}::{name}" for name in methods)
    return found


def test_named_tests_exist():
    assert len(TESTS) >= 80
    missing = [f"{path}::{name}" for path, name in TESTS if name not in defined_in(path)]
    assert not missing
    assert "test_of_nothing" not in defined_in("tests/test_docs_fences.py")


def exists(name):
    """Tell whether a dotted name below ``sigprop`` leads somewhere."""
    thing = sigprop
    parts = name.split(".")
    for i, part in enumerate(parts[1:], start=2):
        if not hasattr(thing, part):
            with contextlib.suppress(ImportError):
                importlib.import_module(".".join(parts[:i]))
        if not hasattr(thing, part):
            return False
        thing = getattr(thing, part)
    return True


def test_named_functions_exist():
    assert len(NAMES) >= 40
    assert [name for name in NAMES if not exists(name)] == []
    assert not exists("sigprop.recurrences.NoSuchFamily")


# Tables


def rows_of(page, first_cell):
    """Return the cells of the rows of the table whose header begins with some text."""
    lines = page.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_cell} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def horizon_family(label):
    """Return the recurrence of a row of the table of horizons."""
    if label.startswith("RotRNN"):
        return RotRNN(8, 32)
    if label.startswith("S4D"):
        init, discretization = re.match(r"S4D (\w+), (\w+)", label).groups()
        return S4D(init=init, discretization=discretization)
    r_min, r_max = re.match(r"LRU \[([\d.]+), ([\d.]+)\]", label).groups()
    return DiagonalLRU(256, float(r_min), float(r_max))


def agrees(value, shown):
    """Tell whether a number is shown rounded, or as a bound, correctly."""
    if shown.startswith("<"):
        bound = float(shown.removeprefix("<"))
        return 1e-5 * bound < value < bound or value < 1e-9
    if shown == r"$\infty$":
        return math.isinf(value)
    digits = re.sub(r"e.*$", "", shown)
    decimals = len(digits.partition(".")[2])
    exponent = float(shown.partition("e")[2] or 0)
    return abs(value - float(shown)) <= 0.5001 * 10.0 ** (exponent - decimals)


def test_rounding_is_checked():
    assert agrees(1278.67, "1278.7")
    assert agrees(9.747e-4, "9.7e-4")
    assert agrees(816.5, "817")
    assert not agrees(9.747e-4, "9.8e-4")
    assert not agrees(24.0, "23.2")
    assert not agrees(1e-5, "< 1e-6")


def test_the_table_of_horizons():
    rows = rows_of(DOCS / "structured.md", "initialisation")
    assert len(rows) == 13
    kinds = [
        "mean_lag",
        "half_energy",
        ("burn_in", 0.9),
        "burn_in",
        ("tail", 1024),
        ("tail", 16384),
    ]
    for label, *cells in rows:
        recurrence = horizon_family(label)
        for kind, shown in zip(kinds, cells, strict=True):
            assert agrees(recurrence.horizon(kind), shown), (label, kind, recurrence.horizon(kind))


def test_the_table_of_stated_errors():
    rows = rows_of(DOCS / "typical.md", "$c$ up to")
    assert [float(row[0]) for row in rows] == list(stated_errors._DEPTHS)
    for column, field in enumerate(("complex", "real"), start=1):
        shown = [[float(number) for number in row[column].split()] for row in rows]
        assert shown == stated_errors._LARGEST[field].tolist()


# Reference and gallery


def test_every_figure_is_in_the_gallery():
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    for name in sigprop.gallery.FIGURES:
        assert f"## {name}\n" in text or f"`sigprop figures {name}`" in text, name
    assert "no_such_figure" not in text


def test_links_inside_the_project_lead_somewhere():
    for page in DOCS.rglob("*.md"):
        if "tutorial" in page.parts or "_build" in page.parts:
            continue
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http", "../figures/", "tutorial/")):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


PUBLIC_MODULES = [
    "sigprop",
    "sigprop.auditing",
    "sigprop.claims",
    "sigprop.gallery",
    "sigprop.initialization",
    "sigprop.montecarlo",
    "sigprop.plots",
    "sigprop.recurrences",
    "sigprop.regimes",
    "sigprop.theory.asymptotics",
    "sigprop.theory.certified",
    "sigprop.theory.combinatorics",
    "sigprop.theory.curves",
    "sigprop.theory.energy",
    "sigprop.theory.exact",
    "sigprop.theory.fluctuations",
    "sigprop.typical",
    "sigprop.validation",
]
if WITH_TORCH:
    PUBLIC_MODULES.append("sigprop.torch")


def public_functions_and_classes():
    """Return (name, object) of every function and class that a public module offers."""
    found = {}
    for module_name in PUBLIC_MODULES:
        module = importlib.import_module(module_name)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if callable(thing) and getattr(thing, "__module__", "").startswith("sigprop"):
                found[f"{thing.__module__}.{thing.__qualname__}"] = thing
    return sorted(found.items())


def test_public_names_have_a_docstring_with_an_example():
    public = public_functions_and_classes()
    assert len(public) >= 100
    assert [name for name, thing in public if not (thing.__doc__ or "").strip()] == []
    missing = {
        name
        for name, thing in public
        if "Examples\n" not in thing.__doc__ or ">>>" not in thing.__doc__
    }
    assert not missing, "\n".join(sorted(missing))


def test_every_public_module_is_in_the_reference_once():
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    listed = re.findall(r"automodule:: ([\w.]+)", pages)
    assert len(listed) == len(set(listed))
    assert {*PUBLIC_MODULES, "sigprop.torch"} - {"sigprop"} <= set(listed)
    for name in listed:
        if WITH_TORCH or name != "sigprop.torch":
            importlib.import_module(name)
