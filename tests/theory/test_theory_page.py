"""The pages of the theory name functions and tests: all of them exist."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from pathlib import Path

import pytest

import sigprop

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
REAL_PAGE = (ROOT / "docs" / "theory_real.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE + REAL_PAGE)))
NAMES = sorted(set(re.findall(r"`(sigprop\.[\w.]+)`", PAGE + REAL_PAGE)))


@functools.cache
def _functions(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_page_is_read():
    assert len(TESTS) >= 60
    assert any("test_real_proof" in path for path, _ in TESTS)
    assert len(NAMES) >= 30
    assert len(set(re.findall(r"^## (\d+)\.", PAGE, re.MULTILINE))) == 16


@pytest.mark.parametrize(("path", "name"), TESTS)
def test_named_tests_exist(path, name):
    assert name in _functions(path)


@pytest.mark.parametrize("name", NAMES)
def test_named_functions_exist(name):
    thing = sigprop
    parts = name.split(".")
    for i, part in enumerate(parts[1:], start=2):
        if not hasattr(thing, part):
            importlib.import_module(".".join(parts[:i]))
        thing = getattr(thing, part)


def test_negative_control_a_name_that_does_not_exist():
    assert "test_of_nothing" not in _functions("tests/theory/test_exact.py")


def test_every_asymptotic_form_is_on_the_page():
    page = (PAGE + REAL_PAGE).replace("`_lru`", "`super_critical_lru`")
    for name in sigprop.asymptotics.__all__:
        if name.endswith(("_rnn", "_lru", "_ratio", "_bounds")):
            assert f"sigprop.asymptotics.{name}`" in page, name


def test_table_of_the_published_form():
    """The numbers of section 10 are those of the package."""
    rows = re.findall(r"^\| \$10\^\{?(\d+)\}?\$ \|(.*)\|$", PAGE, re.MULTILINE)
    assert len(rows) == 4
    for exponent, cells in rows:
        n = 10 ** int(exponent)
        for power, cell in zip((0.55, 0.6, 2 / 3, 0.75, 0.9), cells.split("|"), strict=True):
            t = round(n**power)
            shown = cell.strip().strip("$").replace(r" \cdot 10^", "e")
            form = sigprop.asymptotics.published_lru(n, t).log_value
            # Shown to three or four digits.
            difference = sigprop.log_lru_energy(n, t) - form
            assert difference == pytest.approx(float(shown), rel=5e-3)
