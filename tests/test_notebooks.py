"""Each notebook holds the cells of its paired script, and was executed."""

import re
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient

PROJECT = Path(__file__).parent.parent
FOLDER = PROJECT / "notebooks"
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


@pytest.fixture(scope="module")
def installed_wheel(tmp_path_factory):
    """Build a wheel of the project and install it, alone, into a folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", str(folder), str(PROJECT)], check=True)
    (wheel,) = folder.glob("*.whl")
    target = folder / "site"
    subprocess.run([*pip, "install", "-q", "--no-deps", "--target", target, wheel], check=True)
    return target


def texts_of_a_run(script, installed_wheel, folder):
    """Execute a notebook outside the source tree, with the wheel first on the path."""
    notebook = jupytext.read(script)
    environment = f"import sys, os; sys.path.insert(0, {str(installed_wheel)!r})"
    speed = "os.environ['SIGPROP_FAST'] = '1'"
    check = f"import sigprop; assert sigprop.__file__.startswith({str(installed_wheel)!r})"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(f"{environment}; {speed}; {check}"))
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    # Output comes in pieces cut anywhere: only all of it together can be compared.
    return "".join(
        str(output.get("text") or output.get("data", {}).get("text/plain"))
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type != "stream" or output.name == "stdout"
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # those of the kernel's connection are not ours
@pytest.mark.parametrize("script", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_notebooks_run_from_a_wheel_twice_with_the_same_numbers(script, installed_wheel, tmp_path):
    if "torch" in script.read_text(encoding="utf-8"):
        pytest.importorskip("torch")
    first = texts_of_a_run(script, installed_wheel, tmp_path)
    again = texts_of_a_run(script, installed_wheel, tmp_path)
    assert first
    # Addresses of objects differ from run to run, numbers do not.
    address = re.compile(r" at 0x[0-9a-f]+")
    assert address.sub("", first) == address.sub("", again)
