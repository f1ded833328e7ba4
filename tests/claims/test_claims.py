"""The claims table: what it says, and that it notices when something is wrong."""

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import pytest

import sigprop.claims as claims
from sigprop import check_claims, exact
from sigprop.claims import combinatorial, limits, real
from sigprop.claims.claim import FAILS, Check
from sigprop.cli import main
from sigprop.theory.combinatorics import wick_polynomial
from sigprop.theory.real_pairings import pairing_polynomial

DATA = Path(__file__).parent.parent / "data" / "dense_small.json"


@pytest.fixture(scope="module")
def report():
    return check_claims()


def test_every_verdict_is_as_stated(report):
    assert report.verdict == "as stated"
    assert [claim.verdict for claim in report.claims] == [c.expected for c in claims.CHECKS]
    assert FAILS not in {claim.verdict for claim in report.claims}


def test_the_published_form_fails_where_it_must_and_holds_in_its_window():
    inside = limits._published_distance(10**12, round(1e12**0.6))
    outside = limits._published_distance(10**6, 10**5)
    assert abs(outside + 158.56) < 0.01
    assert abs(inside) < 0.03
    measured = limits.published_super_critical_form().measured
    assert "-158.56" in measured
    assert "+0.0116" in measured


def test_paths_and_closed_form_agree_for_single_cells():
    assert combinatorial.path_energy(3, 4) == exact.rnn_energy(3, 4)
    assert combinatorial.path_energy(2, 0) == 1
    assert combinatorial.constant_input_energy(2, 3) == exact.lru_energy(2, 3)


@pytest.mark.parametrize("k", range(6))
def test_pairings_are_those_of_the_reference(k):
    with open(DATA, encoding="utf-8") as file:
        reference = json.load(file)["real_polynomials_in_1_over_n"][str(k)]
    polynomial = {str(k + 1 - power): count for power, count in pairing_polynomial(k).items()}
    assert polynomial == reference


def test_pairings_count_all_and_refuse_large_depths():
    assert sum(pairing_polynomial(6).values()) == 10395
    with pytest.raises(ValueError, match="k must be at most 8"):
        pairing_polynomial(9)


def test_a_wrong_closed_form_changes_the_verdict(monkeypatch):
    monkeypatch.setattr(exact, "rnn_energy", lambda n, k: Fraction(1))
    assert combinatorial.closed_form().verdict == FAILS
    assert combinatorial.trace_moment_reduction().verdict == FAILS


def test_a_wrong_count_changes_the_verdict(monkeypatch):
    monkeypatch.setattr(real, "pairing_polynomial", wick_polynomial)
    assert real.real_exceeds_complex().verdict == FAILS


def test_a_wrong_limit_changes_the_verdict(monkeypatch):
    monkeypatch.setattr(limits, "critical_profile", lambda c: 1.0 + c**4 / 24.0)
    assert limits.critical_limit().verdict == FAILS


def test_a_changed_verdict_is_exit_status_one(monkeypatch, capsys):
    wrong = dataclasses.replace(claims.CHECKS[1], expected=FAILS)
    monkeypatch.setattr(claims, "CHECKS", (wrong,))
    assert main(["claims"]) == 1
    assert "verdicts: changed" in capsys.readouterr().out


def test_json_holds_the_record_of_every_claim(monkeypatch, capsys):
    monkeypatch.setattr(claims, "CHECKS", (Check("holds", combinatorial.wick_count),))
    assert main(["claims", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    keys = ["claim", "route", "size", "measured", "window", "verdict"]
    assert [list(record) for record in document["claims"]] == [keys]
    assert document["verdict"] == "as stated"


def test_doubled_exponent_and_fluctuation_scale_say_their_numbers():
    doubled = real.doubled_exponent()
    assert "ratio of 1.941" in doubled.measured
    assert "positive at 413 of 413" in real.exact_gap().measured
    assert "n^0.999" in real.feedforward_fluctuations().measured


def test_complex_weights_fail_the_real_claims(monkeypatch):
    """Negative control: complex energies in the place of real ones must not pass."""
    monkeypatch.setattr(real, "exact_rnn_energy", exact.rnn_energy)
    assert real.exact_gap().verdict == FAILS
    assert real.universal_profile().verdict == FAILS
    assert real.doubled_exponent().verdict == FAILS
