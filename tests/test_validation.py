"""`validate`: verdicts, grid, report and controls that must fail."""

import csv
import io
import json
import math
import pickle
from dataclasses import dataclass, replace

import pytest

import sigprop
from sigprop.montecarlo import simulate
from sigprop.recurrences import GaussianLRU, GaussianRNN
from sigprop.validation import Validation, default_samples, validate


@dataclass(frozen=True)
class LoudLRU(GaussianLRU):
    """Real and imaginary parts of variance 1/n each, a common mistake; theory unchanged."""

    def sample(self, rng, batch=None):
        return math.sqrt(2.0) * super().sample(rng, batch)


@dataclass(frozen=True)
class DriftingRNN(GaussianRNN):
    """A gain that is 3 % too large; theory unchanged."""

    def sample(self, rng, batch=None):
        return 1.03 * super().sample(rng, batch)


@pytest.fixture(scope="module")
def small():
    return validate(widths=[4, 16], c=[0.5, 1.0], samples=2000, rng=0)


class TestVerdicts:
    def test_theory_agrees(self, small):
        assert small.verdict == "agree"
        assert small.verdicts == ("agree",) * 8

    @pytest.mark.parametrize("wrong", [LoudLRU(16), DriftingRNN(64)], ids=repr)
    def test_wrong_laws_disagree(self, wrong):
        result = validate(recurrences=[GaussianRNN(4), wrong], c=[1.0], samples=2000)
        assert result.verdicts == ("agree", "disagree")
        assert result.verdict == "disagree"

    def test_cells_that_test_nothing(self):
        relu, rare = GaussianRNN(4, "real", activation="relu"), GaussianRNN(1)
        result = validate(recurrences=[relu, rare], depths=[10], samples=500)
        assert result.verdicts == ("no theory", "untrustworthy")
        assert result.verdict == "inconclusive"
        with_good = validate(recurrences=[relu, rare, GaussianRNN(64)], depths=[10], samples=500)
        assert with_good.verdict == "agree"

    def test_threshold(self, small):
        (cell,) = simulate(GaussianRNN(16), 4, 2000, rng=0).cells
        for z, verdict in (
            (3.99, "agree"),
            (-3.99, "agree"),
            (4.0, "disagree"),
            (-9.0, "disagree"),
        ):
            assert Validation((replace(cell, z=z),)).verdict == verdict
        assert Validation((replace(cell, z=4.5),), threshold=5.0).verdict == "agree"
        assert validate(widths=4, c=1, samples=500, threshold=1e-9).verdict == "disagree"


class TestGrid:
    def test_is_models_by_fields_by_widths_by_depths(self):
        result = validate(
            widths=[4, 9], c=[1.0, 0.5], models=["lru", "rnn"], fields=["complex", "real"],
            samples=20, gain=0.9,
        )  # fmt: skip
        shown = [(cell.model, cell.field, cell.width, cell.depth) for cell in result.cells]
        assert shown == [
            (model, field, width, depth)
            for model in ("lru", "rnn")
            for field in ("complex", "real")
            for width, depths in ((4, (1, 2)), (9, (2, 3)))
            for depth in depths
        ]
        assert {cell.gain for cell in result.cells} == {0.9}

    def test_each_depth_once(self):
        # c sqrt(2) is 0.14 and 0.28: both round to depth 0.
        result = validate(widths=2, c=[0.1, 0.2, 1.0], models="rnn", samples=20)
        assert [cell.depth for cell in result.cells] == [0, 1]

    def test_depths_instead_of_c(self):
        result = validate(widths=[4, 9], depths=[3, 0, 3], models="rnn", samples=20)
        assert [cell.depth for cell in result.cells] == [0, 3, 0, 3]

    def test_single_values(self):
        result = validate(widths=4, c=1.0, models="rnn", fields="real", samples=20)
        assert [(cell.model, cell.field, cell.depth) for cell in result.cells] == [
            ("rnn", "real", 2)
        ]

    def test_cells_are_those_of_simulate(self, small):
        expected = simulate(GaussianLRU(16), [2, 4], 2000, rng=0).cells
        assert small.cells[-2:] == expected

    def test_seed_and_batch(self, small):
        again = validate(widths=[4, 16], c=[0.5, 1.0], samples=2000, rng=0, batch=10)
        assert again == small
        assert validate(widths=4, c=1, samples=20, rng=1) != validate(widths=4, c=1, samples=20)

    def test_default_samples(self):
        assert default_samples(GaussianRNN(10**9), [0, 128]) == 8192
        assert default_samples(GaussianRNN(10**9), [256]) == 2048
        assert default_samples(GaussianRNN(1024), [1000]) == 256
        # Deeper than wide, the matrices are n x n.
        assert default_samples(GaussianRNN(256), [10**4]) == 2048
        assert validate(widths=4, c=1, models="rnn").cells[0].samples == 8192

    def test_progress_runs_over_the_grid(self):
        calls = []
        validate(widths=[4, 9], c=1, samples=300, progress=lambda *step: calls.append(step))
        assert calls[-1] == (1200, 1200)
        assert calls == sorted(calls)

    def test_top_level_name(self):
        assert sigprop.validate is validate
        assert sigprop.validation.validate is validate


class TestReport:
    def test_json(self, small):
        document = json.loads(json.dumps(small.to_dict(), allow_nan=False))
        assert list(document) == ["cells", "verdict"]
        assert document["verdict"] == "agree"
        assert Validation.from_dict(document) == small
        assert pickle.loads(pickle.dumps(small)) == small

    def test_json_with_another_verdict_is_refused(self, small):
        document = small.to_dict() | {"verdict": "disagree"}
        with pytest.raises(ValueError, match="the verdict of the document is 'disagree'"):
            Validation.from_dict(document)

    def test_csv(self, small):
        rows = list(csv.DictReader(io.StringIO(small.to_csv())))
        assert len(rows) == len(small.cells)
        for row, cell in zip(rows, small.cells, strict=True):
            assert float(row["mean"]) == cell.mean
            assert int(row["width"]) == cell.width
            assert row["reason"] == ""
            assert row["verdict"] == "agree"

    def test_table(self, small):
        lines = small.to_table().splitlines()
        assert len(lines) == 1 + len(small.cells) + 1
        assert lines[0].split()[-1] == "verdict"
        assert lines[1].split()[:4] == ["rnn", "complex", "4", "1"]
        assert lines[1].split()[-1] == "agree"
        assert lines[-1] == "verdict: agree (8 cells: 8 agree)"

    def test_table_says_why_an_error_bar_is_missing(self):
        table = validate(widths=1, depths=10, models="rnn", samples=100).to_table()
        assert "rnn complex n=1 depth=10: the tail dominates" in table
        assert table.endswith("verdict: inconclusive (1 cell: 1 untrustworthy)")


class TestArguments:
    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            ({"widths": [0]}, "widths must be an integer >= 1, got 0"),
            ({"widths": []}, "widths must hold at least one"),
            ({"c": [-0.5]}, "c must hold finite numbers >= 0"),
            ({"c": []}, "c must hold finite numbers >= 0"),
            ({"c": math.nan}, "c must be a finite number"),
            ({"models": ["gru"]}, "models must be one of 'rnn', 'lru', got 'gru'"),
            ({"models": []}, "models must hold at least one of rnn, lru"),
            ({"fields": "quaternion"}, "fields must be one of 'complex', 'real'"),
            ({"depths": [-1]}, "depths must be an integer >= 0, got -1"),
            ({"samples": 0}, "samples must be an integer >= 1, got 0"),
            ({"gain": 0.0}, "gain must be a finite number > 0"),
            ({"threshold": 0.0}, "threshold must be a finite number > 0"),
            ({"recurrences": []}, "recurrences must hold at least one"),
            ({"rng": -1}, "rng must be an integer >= 0"),
        ],
    )
    def test_out_of_range(self, changes, match):
        with pytest.raises(ValueError, match=match):
            validate(**({"widths": [4], "c": [1.0], "samples": 20} | changes))

    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            ({"widths": "4"}, "widths must be integers >= 1"),
            ({"widths": True}, "widths must be an integer >= 1"),
            ({"c": "1"}, "c must be a finite number"),
            ({"c": True}, "c must be a finite number"),
            ({"samples": 1.5j}, "samples must be an integer >= 1"),
            ({"recurrences": [64]}, "recurrences must hold recurrences"),
            ({"rng": "0"}, "rng must be None"),
        ],
    )
    def test_wrong_kind(self, changes, match):
        with pytest.raises(TypeError, match=match):
            validate(**({"widths": [4], "c": [1.0], "samples": 20} | changes))
