"""Figures of the package: each recipe computes, plots, and writes png, svg and csv.

The scripts in the folder ``figures`` of the project and the command ``sigprop figures``
are thin callers of `draw`, so that an installed wheel can make every figure.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sigprop._arguments import as_choice, as_exact_integer
from sigprop._files import make_folder, write_files

FIGURES = (
    "critical_profile",
    "real_weights",
    "regime_map",
    "asymptotic_errors",
    "super_critical",
    "tied_untied",
    "mean_typical",
    "same_spectrum",
    "structured",
    "hultman",
)
"""Names of the recipes; each is a module of this package."""


def draw(
    name: str,
    folder: str | os.PathLike[str],
    fast: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], Any] | None = None,
) -> list[Path]:
    """Compute one figure and write ``name.png``, ``name.svg`` and ``name.csv``.

    Parameters
    ----------
    name : str
        One of `FIGURES`.
    folder : str or os.PathLike
        Where to write; made if missing.
    fast : bool
        Draw with few points and samples, in a second or two: to test that it works.
    seed : int
        Root of the random streams, >= 0.
    progress : callable, optional
        Called as ``progress(done, total)`` while simulating.

    Returns
    -------
    list of pathlib.Path
        The three files.

    Raises
    ------
    ValueError
        If there is no recipe of that name.
    OSError
        If the folder cannot be made or written; then no file is changed.

    Notes
    -----
    The same seed and versions give the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in draw("critical_profile", folder, fast=True)]
    ['critical_profile.png', 'critical_profile.svg', 'critical_profile.csv']
    """
    from sigprop.gallery import writing

    recipe = importlib.import_module(f"sigprop.gallery.{as_choice('name', name, FIGURES)}")
    seed = as_exact_integer("seed", seed, 0)
    target = make_folder(folder)
    table = recipe.compute(fast=fast, seed=seed, progress=progress)
    with writing.house_style():
        pictures = writing.render(recipe.plot(table))
    command = f"sigprop figures {name}{' --fast' if fast else ''} --seed {seed}"
    contents: dict[str | os.PathLike[str], bytes | str] = {
        target / f"{name}.png": pictures["png"],
        target / f"{name}.svg": pictures["svg"],
        target / f"{name}.csv": writing.csv_text(table, command=command, seed=seed),
    }
    write_files(contents)
    return [Path(path) for path in contents]
