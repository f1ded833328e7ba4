"""``sigprop claims``: the claims of the paper, checked on the spot."""

from __future__ import annotations

import argparse

from sigprop.cli import options
from sigprop.cli.output import json_text, labelled_text, progress_bar

CHANGED = 1


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "claims",
        run,
        "check every claim of arXiv 2605.05113; exit status 1 if a verdict changed",
        "sigprop claims --json",
    )
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one block per claim, or the JSON document."""
    from sigprop.claims import check_claims

    with progress_bar("claims") as progress:
        report = check_claims(progress)
    if arguments.json:
        print(json_text(report.to_dict()))
    else:
        for claim in report.claims:
            print(f"{claim.verdict}: {claim.claim}")
            lines = [("route", claim.route), ("size", claim.size), ("measured", claim.measured)]
            if claim.window is not None:
                lines.append(("window", claim.window))
            print(labelled_text(lines))
        print(f"verdicts: {report.verdict}")
    return 0 if report.verdict == "as stated" else CHANGED
