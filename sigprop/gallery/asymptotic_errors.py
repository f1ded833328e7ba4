"""Errors of every asymptotic form against exact values: where each holds, and to how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sigprop.plots import Form, form_errors
from sigprop.plots.curve import with_gaps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sigprop.theory.approximation import Approximation

Row = dict[str, Any]
_Depths = npt.NDArray[np.int64]

_WIDTHS = (100, 10**4, 10**6)
_POINTS = 73
_FEW_POINTS = 19
_DEEPEST = 100.0
"""Depths of complex weights in units of the width, those of `_DEEPEST_REAL` in sqrt(n)."""

_DEEPEST_REAL = 25.0
_DIGITS = 40
_LOWEST, _HIGHEST = 1e-17, 10.0
_TITLES = {"rnn": "complex RNN, $Q_{n,k}$", "lru": "complex LRU, $S_{n,t}$", "real": "real weights"}


def compute(
    fast: bool = False, seed: int = 0, progress: Callable[[int, int], Any] | None = None
) -> list[Row]:
    """Return the table of all that is plotted, one row per form and depth.

    Parameters
    ----------
    fast : bool
        Two widths and few depths.
    seed : int
        Not used: nothing is random.
    progress : callable, optional
        Called as ``progress(done, total)`` after each panel.

    Returns
    -------
    list of dict
        Rows with the keys panel (rnn, lru, real), form, width, depth, error (true relative
        error of the form), stated (what it states of itself), holds, and rounding (what
        float64 logarithms allow); None where not finite.

    Notes
    -----
    Exact values are enclosures of 40 digits for complex weights, and for real ones float64
    energies.
    """
    widths = _WIDTHS[:2] if fast else _WIDTHS
    panels = [(panel, width) for panel in _TITLES for width in widths]
    rows: list[Row] = []
    for done, (panel, width) in enumerate(panels, start=1):
        rows += _panel_rows(panel, width, _FEW_POINTS if fast else _POINTS)
        if progress is not None:
            progress(done, len(panels))
    return rows


def _panel_rows(panel: str, width: int, points: int) -> Iterator[Row]:
    from sigprop.theory.approximation import ROUNDING

    deepest = _DEEPEST_REAL * math.sqrt(width) if panel == "real" else _DEEPEST * width
    depths = np.unique(np.geomspace(1.0, deepest, points).round().astype(np.int64))
    exact_logs: dict[str, list[Fraction]] = {}
    for name, energy, form in _forms(panel, width, depths):
        if energy not in exact_logs:
            exact_logs[energy] = _exact_logs(panel, energy, width, depths)
        columns = (exact_logs[energy], form.log_value, form.relative_error, form.in_window)
        for depth, exact, log, stated, holds in zip(depths, *columns, strict=True):
            yield {
                "panel": panel,
                "form": name,
                "width": width,
                "depth": int(depth),
                "error": _relative_error(log, exact),
                "stated": float(stated) if math.isfinite(stated) else None,
                "holds": bool(holds),
                "rounding": ROUNDING * (1.0 + abs(float(exact))),
            }


def _forms(panel: str, n: int, depths: _Depths) -> list[tuple[str, str, Approximation]]:
    """Return the name of every form, the energy that it is of, and its values."""
    from sigprop.theory import asymptotics as forms

    if panel == "rnn":
        return [
            ("sub-critical, genus 2", "rnn", forms.sub_critical_rnn(n, depths, genus=2)),
            ("critical, order 2", "rnn", forms.critical_rnn(n, depths, order=2)),
            ("super-critical, order 2", "rnn", forms.super_critical_rnn(n, depths, order=2)),
            ("infinite width, $1$", "rnn", forms.sub_critical_rnn(n, depths, genus=0)),
        ]
    if panel == "lru":
        return [
            ("sub-critical, genus 2", "lru", forms.sub_critical_lru(n, depths, genus=2)),
            ("critical, order 2", "lru", forms.critical_lru(n, depths, order=2)),
            ("super-critical, order 2", "lru", forms.super_critical_lru(n, depths, order=2)),
            ("infinite width, $t+1$", "lru", forms.sub_critical_lru(n, depths, genus=0)),
            ("uniform", "lru", forms.uniform_lru(n, depths)),
            ("beyond the width", "lru", forms.beyond_width_lru(n, depths)),
            ("published, $n^2 e^{t^2/2n}/t^3$", "lru", forms.published_lru(n, depths)),
        ]
    return [
        ("RNN, fixed depth", "rnn", forms.real_sub_critical_rnn(n, depths)),
        ("RNN, critical", "rnn", forms.real_critical_rnn(n, depths)),
        ("RNN, uniform", "rnn", forms.real_uniform_rnn(n, depths)),
        ("LRU, critical", "lru", forms.real_critical_lru(n, depths)),
        ("LRU, uniform", "lru", forms.real_uniform_lru(n, depths)),
    ]


def _exact_logs(panel: str, energy: str, n: int, depths: _Depths) -> list[Fraction]:
    from sigprop.theory import certified
    from sigprop.theory.energy import log_lru_energy, log_rnn_energy

    if panel == "real":
        log_energy = log_rnn_energy if energy == "rnn" else log_lru_energy
        return [Fraction(float(log)) for log in log_energy(n, depths, field="real")]
    enclose = certified.log_rnn_energy if energy == "rnn" else certified.log_lru_energy
    return [_as_fraction(enclose(n, int(depth), _DIGITS).lower) for depth in depths]


def _as_fraction(number: Any) -> Fraction:
    """Return an mpmath number as it is, whatever the precision at which mpmath works."""
    mantissa, exponent = number.man_exp
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _relative_error(log: float, exact: Fraction) -> float | None:
    """Return |form/exact - 1| from logarithms, whose difference is taken exactly."""
    if not math.isfinite(log):
        return None
    difference = float(Fraction(float(log)) - exact)
    return abs(math.expm1(difference)) if difference < 700.0 else None


def plot(table: list[Row]) -> Figure:
    """Return the figure of a table made by `compute`: a row for each energy, widths across."""
    from matplotlib.figure import Figure

    widths = sorted({row["width"] for row in table})
    figure = Figure(figsize=(3.1 * len(widths) + 2.2, 8.0), layout="constrained")
    grid = figure.subplots(len(_TITLES), len(widths), squeeze=False)
    for line, panel in zip(grid, _TITLES, strict=True):
        for ax, width in zip(line, widths, strict=True):
            _panel(ax, [row for row in table if (row["panel"], row["width"]) == (panel, width)])
            ax.set_title(f"{_TITLES[panel]}, $n = {_power(width)}$", fontsize=9)
        line[0].set_ylabel("relative error")
        line[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=7.5)
    return figure


def _panel(ax: Axes, rows: list[Row]) -> None:
    names = list(dict.fromkeys(row["form"] for row in rows))
    published = [name for name in names if name.startswith("published")]
    form_errors(ax, [_form(rows, name) for name in names if name not in published])
    for name in published:
        form = _form(rows, name)
        ax.plot(form.depths, with_gaps(form.errors), color="black", linewidth=1.2, label=name)
    first = [row for row in rows if row["form"] == names[0]]
    depths = [row["depth"] for row in first]
    rounding = [row["rounding"] for row in first]
    ax.fill_between(
        depths, rounding, _LOWEST, color="0.85", linewidth=0.0, label="float64 rounding"
    )
    ax.plot([], [], color="0.4", linewidth=0.6, label="thin: error stated")
    width = rows[0]["width"]
    for depth in (math.sqrt(width), width):
        if depth < depths[-1]:
            ax.axvline(depth, color="0.7", linewidth=0.6, zorder=0.0)
    ax.set_ylim(_LOWEST, _HIGHEST)
    ax.set_xlim(1, depths[-1])
    ax.set_yticks([10.0**power for power in range(-16, 1, 4)])
    ax.set_xlabel("depth $k$, $t$; grey lines: $\\sqrt{n}$, $n$")


def _form(rows: list[Row], name: str) -> Form:
    chosen = [row for row in rows if row["form"] == name]
    return Form(
        name,
        [row["depth"] for row in chosen],
        [row["error"] for row in chosen],
        [row["stated"] for row in chosen],
        [row["holds"] for row in chosen],
    )


def _power(width: int) -> str:
    return f"10^{{{round(math.log10(width))}}}"
