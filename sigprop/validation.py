"""Theory against simulation on a grid: one verdict per cell and one for all.

A cell agrees if its sample mean lies within ``threshold`` standard errors of the exact
mean. Cells whose sample cannot see the tail, or for which theory has no exact mean, say
nothing either way and are reported as such.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigprop._arguments import (
    as_choice,
    as_finite_float,
    as_integer,
    as_integer_list,
    as_positive_float,
)
from sigprop.montecarlo import Cell, simulate
from sigprop.montecarlo.planning import plain_method
from sigprop.montecarlo.streams import Seed, root_seed
from sigprop.recurrences import FeedforwardProduct, GaussianLRU, GaussianRNN, Recurrence
from sigprop.recurrences.gaussian import FIELDS
from sigprop.recurrences.registry import by_name

__all__ = [
    "FAMILIES",
    "VERDICTS",
    "Validation",
    "default_samples",
    "validate",
]

FAMILIES: dict[str, type[GaussianRNN] | type[GaussianLRU]] = {
    GaussianRNN.model: GaussianRNN,
    GaussianLRU.model: GaussianLRU,
}

VERDICTS = ("agree", "disagree", "untrustworthy", "no theory")

_COLUMNS = ("model", "field", "width", "depth", "c", "regime", "exact", "mean", "error", "z")


@dataclass(frozen=True)
class Validation:
    """What `validate` returns: the simulated cells and what they say about theory.

    Attributes
    ----------
    cells : tuple of Cell
        One for each recurrence and depth.
    threshold : float
        Largest abs(z) that agrees.

    Examples
    --------
    >>> result = validate(widths=[4], c=[0.5], models=["rnn"], samples=200, rng=0)
    >>> result.verdict, result.verdicts
    ('agree', ('agree',))
    """

    cells: tuple[Cell, ...]
    threshold: float = 4.0

    @property
    def verdicts(self) -> tuple[str, ...]:
        """One of "agree", "disagree", "untrustworthy" and "no theory" for each cell."""
        return tuple(_cell_verdict(cell, self.threshold) for cell in self.cells)

    @property
    def verdict(self) -> str:
        """All cells together.

        "disagree" if any cell disagrees; else "agree" if any agrees, which is then every cell
        that could be tested; else "inconclusive": no cell could be tested.
        """
        if "disagree" in self.verdicts:
            return "disagree"
        return "agree" if "agree" in self.verdicts else "inconclusive"

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"cells": [record, ...], "verdict": ...}``, strict JSON."""
        return {"cells": [cell.to_dict() for cell in self.cells], "verdict": self.verdict}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], threshold: float = 4.0) -> Validation:
        """Return the validation of a document made by `to_dict`.

        Raises
        ------
        ValueError
            If its verdict is not that of its cells at this threshold.
        """
        cells = tuple(Cell.from_dict(record) for record in document["cells"])
        result = cls(cells, as_positive_float("threshold", threshold))
        if document["verdict"] != result.verdict:
            raise ValueError(
                f"the verdict of the document is {document['verdict']!r}, that of its cells at "
                f"threshold {threshold} is {result.verdict!r}"
            )
        return result

    def to_table(self) -> str:
        """Return an aligned text table, the reasons of refused error bars, and the verdict."""
        rows: list[tuple[str, ...]] = [(*_COLUMNS, "verdict")]
        rows += [
            (*_row(cell), verdict) for cell, verdict in zip(self.cells, self.verdicts, strict=True)
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = [
            "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
            for row in rows
        ]
        lines += [
            f"{cell.model} {cell.field} n={cell.width} depth={cell.depth}: {cell.reason}"
            for cell in self.cells
            if cell.reason is not None
        ]
        return "\n".join([*lines, self.summary()])

    def to_csv(self) -> str:
        """Return comma-separated values: the cell records and their verdicts, "" for None."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        records = [cell.to_dict() for cell in self.cells]
        writer.writerow([*records[0], "verdict"])
        for record, verdict in zip(records, self.verdicts, strict=True):
            writer.writerow([*record.values(), verdict])
        return text.getvalue()

    def summary(self) -> str:
        """Return the verdict and the number of cells with each verdict, in one line."""
        counts = Counter(self.verdicts)
        parts = [f"{counts[name]} {name}" for name in VERDICTS if counts[name]]
        plural = "" if len(self.cells) == 1 else "s"
        return f"verdict: {self.verdict} ({len(self.cells)} cell{plural}: {', '.join(parts)})"


def validate(
    widths: Any = (64, 256, 1024),
    c: Any = (0.5, 1.0, 2.0),
    models: Any = ("rnn", "lru"),
    fields: Any = ("complex",),
    samples: int | None = None,
    rng: Seed = 0,
    threshold: float = 4.0,
    progress: Callable[[int, int], Any] | None = None,
    *,
    depths: Any = None,
    gain: float = 1.0,
    recurrences: str | Sequence[Recurrence | str] | None = None,
    batch: int | None = None,
) -> Validation:
    """Simulate a grid of recurrences and depths and compare each mean with the exact one.

    Parameters
    ----------
    widths : int or sequence of int
        Widths n >= 1.
    c : float or sequence of float
        Depths in units of sqrt(n), finite and >= 0: depth = round(c sqrt(n)), each depth once.
    models : sequence of {"rnn", "lru"}
        Families of recurrences.
    fields : sequence of {"complex", "real"}
        Fields of the weights.
    samples : int, optional
        Trajectories per recurrence, >= 1; by default `default_samples`.
    rng : int, None, numpy.random.SeedSequence or numpy.random.Generator
        Root of all random streams, 0 by default.
    threshold : float
        Largest abs(z) that agrees, > 0. A cell of sound theory passes 4 once in 16000.
    progress : callable, optional
        Called as ``progress(done, total)`` in trajectories over the whole grid.
    depths : int or sequence of int, optional
        Depths >= 0 for every width, instead of ``c``.
    gain : float
        Factor on the weights of the grid.
    recurrences : sequence of Recurrence or str, optional
        What to simulate, instead of the grid of ``widths``, ``models``, ``fields`` and ``gain``;
        a name is that of `sigprop.recurrences.registry.by_name`, with its defaults.
    batch : int, optional
        Trajectories held in memory at once; never changes the result.

    Returns
    -------
    Validation

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Examples
    --------
    >>> validate(widths=[8], c=[1.0], samples=1000).verdict
    'agree'
    """
    if recurrences is None:
        grid = _grid(widths, models, fields, gain)
    else:
        grid = _as_recurrences(recurrences)
    threshold = as_positive_float("threshold", threshold)
    c_values = _as_c_values(c)
    fixed_depths = None if depths is None else sorted(set(as_integer_list("depths", depths, 0)))
    seed = root_seed(rng)
    depth_lists = [fixed_depths or _depths_at(c_values, item.width) for item in grid]
    _check_depths(grid, depth_lists)
    if samples is None:
        counts = [default_samples(*point) for point in zip(grid, depth_lists, strict=True)]
    else:
        counts = [as_integer("samples", samples, 1)] * len(grid)
    cells: list[Cell] = []
    for index, (recurrence, cell_depths, count) in enumerate(
        zip(grid, depth_lists, counts, strict=True)
    ):
        report = _shifted(progress, sum(counts[:index]), sum(counts))
        result = simulate(recurrence, cell_depths, count, seed, batch=batch, progress=report)
        cells.extend(result.cells)
    return Validation(tuple(cells), threshold)


def default_samples(recurrence: Recurrence, depths: list[int]) -> int:
    """Return a number of trajectories that takes seconds: 256 to 8192, by matrix size.

    The matrices are as large as the depth where the simulation is width-free, as large as
    the width elsewhere; up to 128 the number is 8192.

    Examples
    --------
    >>> default_samples(GaussianRNN(10**6), [100]), default_samples(GaussianRNN(512), [1024])
    (8192, 512)
    """
    width_free = plain_method(recurrence, depths) == "krylov"
    side = max(depths) if width_free else recurrence.width
    return max(256, min(8192, 2**27 // max(side, 1) ** 2))


def _grid(widths: Any, models: Any, fields: Any, gain: float) -> list[Recurrence]:
    return [
        FAMILIES[model](width, field, gain)
        for model in _as_names("models", models, tuple(FAMILIES))
        for field in _as_names("fields", fields, FIELDS)
        for width in as_integer_list("widths", widths, 1)
    ]


def _as_names(name: str, values: Any, allowed: tuple[str, ...]) -> list[str]:
    """Return one name or a collection of names as a non-empty list of those allowed."""
    names = [values] if isinstance(values, str) or values is None else list(values)
    if not names:
        raise ValueError(f"{name} must hold at least one of {', '.join(allowed)}, got none")
    return [as_choice(name, value, allowed) for value in names]


def _as_recurrences(recurrences: str | Sequence[Recurrence | str]) -> list[Recurrence]:
    named = [recurrences] if isinstance(recurrences, str) else list(recurrences)
    grid = [by_name(item) if isinstance(item, str) else item for item in named]
    if not grid:
        raise ValueError("recurrences must hold at least one recurrence, got none")
    for recurrence in grid:
        if not isinstance(recurrence, Recurrence):
            raise TypeError(
                "recurrences must hold recurrences such as GaussianRNN(64), "
                f"got {recurrence!r} of type {type(recurrence).__name__}"
            )
    return grid


def _check_depths(grid: list[Recurrence], depth_lists: list[list[int]]) -> None:
    """Refuse depths that a network does not have before anything is simulated."""
    for recurrence, depths in zip(grid, depth_lists, strict=True):
        if isinstance(recurrence, FeedforwardProduct):
            recurrence.state_energy(max(depths))


def _as_c_values(c: Any) -> list[float]:
    values = [c] if np.ndim(c) == 0 else list(c)
    numbers = [as_finite_float("c", value) for value in values]
    if not numbers or min(numbers) < 0.0:
        raise ValueError(f"c must hold finite numbers >= 0, got {c!r}")
    return numbers


def _depths_at(c_values: list[float], width: int) -> list[int]:
    """Return the depths round(c sqrt(n)), sorted, each once."""
    return sorted({round(c * math.sqrt(width)) for c in c_values})


def _shifted(
    progress: Callable[[int, int], Any] | None, before: int, total: int
) -> Callable[[int, int], Any] | None:
    """Return a callback that reports the progress of one recurrence as that of the grid."""
    if progress is None:
        return None
    return lambda done, _: progress(before + done, total)


def _cell_verdict(cell: Cell, threshold: float) -> str:
    if cell.log_exact is None:
        return "no theory"
    if cell.z is None or not cell.trustworthy:
        return "untrustworthy"
    return "agree" if abs(cell.z) < threshold else "disagree"


def _row(cell: Cell) -> tuple[str, ...]:
    """Return the text of one line of the table."""
    return (
        cell.model,
        cell.field,
        str(cell.width),
        str(cell.depth),
        f"{cell.c:.3g}",
        cell.regime or "-",
        _text(cell.exact, ".6g"),
        _text(cell.mean, ".6g"),
        _text(cell.standard_error, ".2g"),
        _text(cell.z, "+.2f"),
    )


def _text(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
