"""docs/theory_real.md names functions and tests: all of them exist, and no test is left out."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from pathlib import Path

import pytest

import sigprop

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theory_real.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
NAMES = sorted(set(re.findall(r"`(sigprop\.[\w.]+)`", PAGE)))
PROOF = ("test_real_proof.py", "test_real_proof_sums.py", "test_real_proof_limits.py")


@functools.cache
def _functions(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_page_is_read():
    assert len(TESTS) >= 60
    assert len(NAMES) >= 10
    assert re.findall(r"^## (\d+)\.", PAGE, re.MULTILINE) == [str(x) for x in range(1, 17)]


def test_every_section_names_a_test():
    for section in re.split(r"^## \d+\.", PAGE, flags=re.MULTILINE)[1:]:
        assert "*Held by* `tests/" in section, section[:40]


@pytest.mark.parametrize(("path", "name"), TESTS)
def test_named_tests_exist(path, name):
    assert name in _functions(path)


@pytest.mark.parametrize("name", NAMES)
def test_named_functions_exist(name):
    thing, path = sigprop, "sigprop"
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        if not hasattr(thing, part):
            importlib.import_module(path)
        thing = getattr(thing, part)
    assert callable(thing) or path.startswith("sigprop.theory.")


def test_every_test_of_the_proof_is_cited():
    for file in PROOF:
        path = f"tests/theory/{file}"
        written = {name for name in _functions(path) if name.startswith("test_")}
        assert not written - {name for cited, name in TESTS if cited == path}


def test_negative_control_a_name_that_does_not_exist():
    assert "test_of_nothing" not in _functions("tests/theory/test_real_proof.py")
