"""``sigprop hultman``."""

import json
import math

from sigprop.cli import main
from sigprop.theory.combinatorics import hultman_row


def output(capsys, *arguments):
    assert main(["hultman", *arguments]) == 0
    return capsys.readouterr().out


def test_the_row_as_a_table(capsys):
    lines = output(capsys, "4").splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["1", "8"],
        ["2", "0"],
        ["3", "15"],
        ["4", "0"],
        ["5", "1"],
    ]
    assert output(capsys, "4", "--row").splitlines() == lines


def test_json_has_numbers_up_to_2_53_and_strings_beyond(capsys):
    row = json.loads(output(capsys, "40", "--json"))["row"]
    assert [int(entry) for entry in row] == hultman_row(40)
    assert sum(int(entry) for entry in row) == math.factorial(40)
    assert all(isinstance(entry, str) == (int(entry) > 2**53) for entry in row)


def test_one_number(capsys):
    assert output(capsys, "3", "--number", "2") == "5\n"
    assert output(capsys, "3", "--number", "9") == "0\n"
    document = json.loads(output(capsys, "3", "--number", "2", "--json"))
    assert document == {"k": 3, "j": 2, "number": 5}


def test_a_number_beyond_the_digit_limit(capsys):
    text = output(capsys, "2000", "--number", "3").strip()
    assert len(text) > 4300
    assert text.isdecimal()


def test_bad_arguments(capsys):
    for arguments in (["-1"], ["2.5"], ["1e9"], ["3", "--number", "0"], ["3", "--row", "--number"]):
        assert main(["hultman", *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1
