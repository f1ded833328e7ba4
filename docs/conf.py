"""Configuration of the documentation."""

import re
import shutil
from pathlib import Path
from typing import Any

from sphinx import addnodes

import sigprop

DOCS = Path(__file__).parent

project = "sigprop"
author = "The sigprop developers"
copyright = "2026, The sigprop developers"  # noqa: A001  (the name that Sphinx reads)
release = version = sigprop.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"sigprop {version}"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the notebooks are executed by `make notebooks`

napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the numpydoc sections say types, shapes and domains
autodoc_mock_imports = ["torch"]  # `sigprop.torch` is documented without it
add_module_names = False


def copy_notebooks(folder: Path) -> None:
    """Put the notebooks, with the outputs stored in them, where Sphinx reads pages."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for notebook in sorted((DOCS.parent / "notebooks").glob("*.ipynb")):
        shutil.copy(notebook, folder)


copy_notebooks(DOCS / "tutorial")


def leave_plain_words_alone(app: Any, doctree: Any) -> None:
    """Take "shape" or "width" in the type of an argument for a word, not for an attribute."""
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node.get("refdomain") == "py" and re.fullmatch("[a-z_]+", node["reftarget"]):
            node.replace_self(node.children)


def setup(app: Any) -> None:
    """Connect what this file adds to Sphinx."""
    app.connect("doctree-read", leave_plain_words_alone)
