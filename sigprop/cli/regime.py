"""``sigprop regime``: which regime a width and a depth belong to, and where it ends."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sigprop.cli import options
from sigprop.cli.output import json_text, labelled_text, naming

if TYPE_CHECKING:
    from sigprop.regimes import Boundaries, Regime


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "regime",
        run,
        "the regime of every width and depth given, and its boundaries in depth",
        "sigprop regime --width 10000 --depth 600",
    )
    options.add_widths(parser)
    options.add_depths(parser)
    options.add_fields(parser)
    options.add_tolerance(parser)
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the regime of each width and depth."""
    from sigprop.regimes import classify

    regimes = []
    for width in arguments.widths:
        for depth in arguments.depths:
            for field in arguments.fields:
                with naming(width=width, depth=depth, tol=arguments.tol):
                    regimes.append(classify(width, depth, arguments.tol, field))
    if arguments.json:
        print(json_text({"regimes": [regime.to_dict() for regime in regimes]}))
    else:
        print("\n\n".join(_text(regime) for regime in regimes))
    return 0


def _text(regime: Regime) -> str:
    lines = [
        ("c", f"{regime.c:.6g} = {regime.depth} / sqrt({regime.width})"),
        ("exact energy", f"S = {regime.energy:.12g}, log S = {regime.log_energy:.12g}"),
        ("infinite width", f"t + 1 = {regime.depth + 1}, excess {regime.excess:.6g}"),
        ("holds", f"{', '.join(regime.holds) or 'none'} (within {regime.tol:g})"),
        *(("boundaries" if i == 0 else "", line) for i, line in enumerate(_boundaries(regime))),
    ]
    weights = "" if regime.field == "complex" else f", {regime.field} weights"
    title = f"width {regime.width}, depth {regime.depth}{weights}: {regime.name}"
    return f"{title}\n{labelled_text(lines)}"


def _boundaries(regime: Regime) -> list[str]:
    ends: Boundaries = regime.boundaries
    lines = [f"sub-critical to t < {ends.sub_critical_end}"]
    if ends.critical_end >= ends.sub_critical_end:
        lines.append(f"critical through {ends.critical_end}")
    first, last = ends.critical_end + 1, ends.super_critical_start - 1
    if first <= last:
        lines.append(f"crossover from {first} through {last}")
    start = max(ends.super_critical_start, first)
    if start < ends.beyond_width_start:
        # In wide layers two forms hold at once; the name is then that of the shallower one.
        overlap = f" (its form from {last + 1})" if start > last + 1 else ""
        lines.append(f"super-critical from {start}{overlap}")
    lines.append(f"beyond width from {ends.beyond_width_start}")
    if ends.takeover is not None:
        lines.append(f"Q twice that of complex weights from {ends.takeover}: real eigenvalues rule")
    return lines
