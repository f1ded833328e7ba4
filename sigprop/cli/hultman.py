"""``sigprop hultman``: Hultman numbers, the coefficients of the exact energy in 1/n."""

from __future__ import annotations

import argparse

from sigprop._digits import integer_text
from sigprop.cli import options
from sigprop.cli.output import json_text, table_text

_LARGEST_ROW = 10_000
"""The row has k + 1 numbers of up to k log2(k) bits: 0.2 GB here, 20 GB at ten times as much."""


def add_command(commands: options.Commands) -> None:
    """Add the command and its options."""
    parser = options.add_command(
        commands,
        "hultman",
        run,
        "Hultman numbers S_H(k, j): permutations of k whose commutator has j cycles",
        "sigprop hultman 8 --number 3",
    )
    parser.add_argument(
        "k",
        type=options.exact_integer(0, _LARGEST_ROW),
        metavar="K",
        help=f"the k of Q_(n,k), 0 to {_LARGEST_ROW}",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument(
        "--row", action="store_true", help="the whole row j = 1 ... k+1 (this is the default)"
    )
    shape.add_argument(
        "--number",
        type=options.exact_integer(1),
        metavar="J",
        help="only the number of permutations with J cycles",
    )
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the row, or the one number asked for."""
    from sigprop.theory.combinatorics import hultman_number, hultman_row

    if arguments.number is not None:
        number = hultman_number(arguments.k, arguments.number)
        if arguments.json:
            print(json_text({"k": arguments.k, "j": arguments.number, "number": number}))
        else:
            print(integer_text(number))
        return 0
    row = hultman_row(arguments.k)
    if arguments.json:
        print(json_text({"k": arguments.k, "row": row}))
    else:
        rows = [[str(j), integer_text(number)] for j, number in enumerate(row, start=1)]
        print(table_text(["j", f"S_H({arguments.k}, j)"], rows))
    return 0
