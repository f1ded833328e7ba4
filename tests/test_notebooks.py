"""Each notebook holds the cells of its paired script, and was executed."""

from pathlib import Path

import jupytext
import pytest

FOLDER = Path(__file__).parent.parent / "notebooks"
SCRIPTS = sorted(FOLDER.glob("[0-9]*.py"))


def cells(path):
    return [(cell.cell_type, cell.source) for cell in jupytext.read(path).cells]


def test_there_are_notebooks_and_all_are_paired():
    assert SCRIPTS
    assert {path.stem for path in SCRIPTS} == {path.stem for path in FOLDER.glob("*.ipynb")}


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_notebook_and_script_have_the_same_cells(script):
    assert cells(script) == cells(script.with_suffix(".ipynb"))


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_notebooks_carry_their_outputs(script):
    code = [
        cell
        for cell in jupytext.read(script.with_suffix(".ipynb")).cells
        if cell.cell_type == "code"
    ]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert any(cell.outputs for cell in code)
