"""``import sigprop`` stays cheap, and what it promises resolves."""

import subprocess
import sys

import pytest

import sigprop

HEAVY = {"scipy", "sympy", "matplotlib", "mpmath", "flint", "numba", "pandas", "tqdm"}


def run_python(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, timeout=120
    )


def imported_packages(*statements):
    """Return the top-level packages that importtime reports for some statements."""
    trace = run_python("-X", "importtime", "-c", "; ".join(statements)).stderr
    names = [line.rpartition("|")[2].strip() for line in trace.splitlines()]
    return {name.partition(".")[0] for name in names if name}


def test_import_loads_nothing_heavy():
    packages = imported_packages("import sigprop")
    assert "sigprop" in packages
    assert not packages & HEAVY


def test_the_trace_would_show_a_heavy_package():
    # Negative control: the same reading of the trace does find SymPy when it is used.
    assert "sympy" in imported_packages("import sigprop, sympy")


def test_parsing_a_command_line_loads_nothing_heavy():
    packages = imported_packages("from sigprop.cli import build_parser", "build_parser()")
    assert not packages & HEAVY


@pytest.mark.parametrize("name", sigprop.__all__)
def test_public_names_resolve(name):
    assert getattr(sigprop, name) is not None
    assert name in dir(sigprop)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no_such_thing"):
        sigprop.no_such_thing  # noqa: B018


def test_modules_resolve_in_a_fresh_process():
    code = "import sigprop; print(sigprop.exact.rnn_energy(5, 3), sigprop.exact.lru_energy(3, 2))"
    assert run_python("-c", code).stdout == "6/5 28/9\n"
