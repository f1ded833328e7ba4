"""``sigprop figures``: draw the figures of the gallery into a folder."""

from __future__ import annotations

import argparse

from sigprop import gallery
from sigprop.cli import options
from sigprop.cli.output import progress_bar


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "figures",
        run,
        "draw figures of the gallery: png, svg, and csv of the plotted data",
        "sigprop figures critical_profile --out figures",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"which figures, all if none is given: {', '.join(gallery.FIGURES)}",
    )
    parser.add_argument("--out", default="figures", metavar="DIR", help="folder to write into")
    parser.add_argument("--fast", action="store_true", help="few points and samples")
    options.add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw the figures and print the files written."""
    names = arguments.names or list(gallery.FIGURES)
    for name in names:
        if name not in gallery.FIGURES:
            raise ValueError(f"unknown figure {name!r}; there are {', '.join(gallery.FIGURES)}")
    for name in names:
        with progress_bar(name) as progress:
            paths = gallery.draw(name, arguments.out, arguments.fast, arguments.seed, progress)
        for path in paths:
            print(path)
    return 0
