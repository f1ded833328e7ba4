"""Configuration of the documentation."""

import sigprop

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
add_module_names = False
