"""``sigprop gain``: which gain is safe at a width and a length, and the line to paste."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sigprop.cli import options
from sigprop.cli.output import json_text, labelled_text, table_text

if TYPE_CHECKING:
    from sigprop.initialization import DefaultRow, GainReport


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "gain",
        run,
        "which gain keeps a dense recurrence of one width safe to a sequence length",
        "sigprop gain --width 1024 --length 16384 --field real",
    )
    parser.add_argument(
        "--width", type=options.exact_integer(1), required=True, metavar="N", help="width n"
    )
    parser.add_argument(
        "--length",
        type=options.exact_integer(1),
        required=True,
        metavar="T",
        help="length of the sequence: each depth up to it must be safe",
    )
    parser.add_argument(
        "--field",
        choices=options.FIELDS,
        default="real",
        help="entries of the weights (default: real, as in every framework)",
    )
    parser.add_argument(
        "--bound",
        type=options.positive_number,
        default=10.0,
        metavar="B",
        help="bound of the energy per unit, above 1 (default: 10)",
    )
    parser.add_argument(
        "--quantile",
        type=options.positive_number,
        default=0.95,
        metavar="Q",
        help="share of draws of W that stay below the bound at each depth, .005 to .995 "
        "(default: 0.95)",
    )
    parser.add_argument(
        "--defaults", action="store_true", help="also say what the defaults of frameworks do"
    )
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the gains, what gain 1 does, and the lines to paste."""
    from sigprop.initialization import framework_defaults, gain_report

    report = gain_report(
        arguments.width,
        arguments.length,
        arguments.bound,
        quantile=arguments.quantile,
        field=arguments.field,
    )
    rows = framework_defaults(arguments.width, arguments.length) if arguments.defaults else ()
    if arguments.json:
        document = report.to_dict()
        if arguments.defaults:
            document["defaults"] = [row.to_dict() for row in rows]
        print(json_text(document))
        return 0
    print(_text(report))
    if rows:
        print("\n" + _defaults_text(rows))
    return 0


def _text(report: GainReport) -> str:
    share = f"{100 * report.quantile:g} % of draws"
    lines = [
        (
            "safe gain",
            (
                f"{report.safe_gain:.6f} +- {report.safe_gain_error:.1g}: {share} stay below "
                f"{report.bound:g} at each depth to {report.length} (by {report.method})"
            ),
        ),
        ("", f"a median draw then ends at log energy {report.safe_gain_log_energy:.4g}"),
        (
            "median gain",
            (
                f"{report.median_unit_gain:.6f} +- {report.median_unit_gain_error:.1g}: a median "
                "draw has energy 1 at the end"
            ),
        ),
        ("mean gain", f"{report.mean_unit_gain:.6f}: the mean energy at the end is 1"),
        ("", report.remark),
        (
            "gain 1",
            (
                f"log energy at the end {report.default_gain_median:.6g} for a median draw, "
                f"{report.default_gain_energy:.6g} in the mean"
            ),
        ),
        ("", f"infinite width ends at depth {report.breakdown_depth} (10 % excess of S)"),
        ("PyTorch", report.paste["torch"]),
        ("JAX", report.paste["jax"]),
    ]
    title = f"width {report.width}, length {report.length}, {report.field} weights"
    return f"{title}\n{labelled_text(lines)}"


def _defaults_text(rows: tuple[DefaultRow, ...]) -> str:
    columns = ["default", "law", "gain^2", "regime", "log mean", "log median", "verdict"]
    cells = [
        [
            row.name,
            row.law,
            f"{row.gain_squared:.4g}",
            row.regime,
            "-" if row.log_mean_energy is None else f"{row.log_mean_energy:.4g}",
            f"{row.log_median_energy:.4g}",
            row.verdict,
        ]
        for row in rows
    ]
    return table_text(columns, cells)
