"""How simulated cells are shown: a table, and lines for what a table cannot say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sigprop.cli.output import table_text

if TYPE_CHECKING:
    from sigprop.montecarlo import Cell

_COLUMNS = ("model", "field", "width", "depth", "regime", "method")
_NUMBERS = ("exact", "mean", "standard_error", "median")


def cells_text(cells: Sequence[Cell]) -> str:
    """Return a table of the cells, and under it what is special about some of them.

    A mean that is not trustworthy is not shown: its cell has a line with quantiles, the
    exact mean, and the reason.
    """
    rows = [_row(cell) for cell in cells]
    lines = [f"{_name(cell)}: {text}" for cell in cells for text in _remarks(cell)]
    return "\n".join([table_text([*_COLUMNS, *_NUMBERS], rows), *lines])


def _row(cell: Cell) -> list[str]:
    hidden = () if cell.trustworthy else ("mean", "standard_error")
    numbers = ["-" if name in hidden else _number(getattr(cell, name)) for name in _NUMBERS]
    return [*(str(getattr(cell, name)) for name in _COLUMNS), *numbers]


def _name(cell: Cell) -> str:
    return f"{cell.model} {cell.field} n={cell.width} depth={cell.depth}"


def _remarks(cell: Cell) -> list[str]:
    remarks = [] if cell.choice is None else [f"importance sampling, since {cell.choice}"]
    if not cell.trustworthy:
        remarks.append(f"{_leading(cell)}; no mean from this sample: {cell.reason}{_advice(cell)}")
    return remarks


def _leading(cell: Cell) -> str:
    """Return what can be said of the energy: quantiles if there are any, and the exact mean."""
    quantiles = [("median", cell.median), ("5 %", cell.quantile_05), ("95 %", cell.quantile_95)]
    parts = [f"{name} {_number(value)}" for name, value in quantiles if value is not None]
    return ", ".join([*parts, _exact_mean(cell)])


def _exact_mean(cell: Cell) -> str:
    if cell.log_exact is None:
        return "exact mean not known"
    if cell.exact is None:
        return f"exact mean e^{cell.log_exact:.6g}"
    return f"exact mean {_number(cell.exact)}"


def _advice(cell: Cell) -> str:
    """Return what would give the mean by simulation."""
    from sigprop.montecarlo import importance

    advice = ""
    log_needed = _log10_needed(cell)
    if log_needed is not None:
        advice = f"; a 10 % error bar takes about 10^{log_needed:.1f} trajectories"
    by_importance = cell.method != "importance" and cell.model == "rnn"
    if by_importance and importance.applies(cell.width, cell.depth, cell.field):
        advice += "; try --method importance"
    return advice


def _log10_needed(cell: Cell) -> float | None:
    """Return log10 of the sample size at which the exact standard error is 10 % of the mean."""
    if not cell.exact or not cell.exact_standard_error:
        return None
    relative = math.log10(cell.exact_standard_error) - math.log10(cell.exact)
    return math.log10(cell.samples) + 2.0 * (relative + 1.0)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"
