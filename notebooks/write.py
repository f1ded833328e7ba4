"""Execute each paired script of this folder into the notebook of the same name.

Run by ``make notebooks-write`` after a script was edited; the notebooks carry their outputs,
and nothing that changes between two runs.
"""

from pathlib import Path

import jupytext
from nbclient import NotebookClient

FOLDER = Path(__file__).parent

for script in sorted(FOLDER.glob("[0-9]*.py")):
    notebook = jupytext.read(script)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(FOLDER)}},
    ).execute()
    notebook.metadata.pop("language_info", None)
    jupytext.write(notebook, script.with_suffix(".ipynb"))
    print(script.with_suffix(".ipynb").name)
