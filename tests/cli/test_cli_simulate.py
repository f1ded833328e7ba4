"""``sigprop simulate``: the record of the library, refusals in words, files, stores, resumption."""

import csv
import json
import signal
import subprocess
import sys

import pytest

import sigprop
from sigprop.cli import main, results
from sigprop.montecarlo import Archive, CampaignResult, ChunkError, Simulation, planning
from sigprop.montecarlo.campaign import Campaign
from sigprop.montecarlo.store import CampaignStore

SMALL = ["simulate", "--width", "16", "--depths", "2", "4", "--samples", "300", "--seed", "5"]
RARE = ["simulate", "--model", "rnn", "--width", "64", "--depths", "8", "64", "--seed", "1"]
"""At depth 64 = 8 sqrt(64) no plain sample of a size that can be drawn sees the mean."""


def cells(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["cells"]


def refusal(capsys, *arguments):
    """Return the line of a command that must be refused with status 2."""
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1, captured.err
    return captured.err


@pytest.fixture
def no_work(monkeypatch):
    """Let every simulation fail: what is refused must be refused before."""

    def run(*_arguments, **_settings):
        raise AssertionError("simulated before everything was checked")

    monkeypatch.setattr(Campaign, "run", run)
    monkeypatch.setattr("sigprop.montecarlo.simulate", run)


class TestCells:
    def test_they_are_those_of_the_library(self, capsys):
        lru = sigprop.recurrences.GaussianLRU(16, gain=0.5)
        expected = sigprop.simulate(lru, [2, 4], 300, rng=5).to_dict()["cells"]
        assert cells(capsys, *SMALL, "--model", "lru", "--gain", "0.5") == expected

    def test_they_are_those_of_the_library_with_importance_sampling(self, capsys):
        rnn = sigprop.recurrences.GaussianRNN(64)
        expected = sigprop.simulate(rnn, [8, 64], 300, rng=1).to_dict()["cells"]
        assert cells(capsys, *RARE, "--samples", "300") == expected
        assert [cell["method"] for cell in expected] == ["krylov", "importance"]

    def test_they_are_those_of_validate(self, capsys):
        simulated = cells(capsys, *SMALL)
        validated = cells(capsys, "validate", *SMALL[1:])
        assert simulated == validated

    def test_batches_executors_and_stores_do_not_change_them(self, capsys, tmp_path):
        expected = cells(capsys, *SMALL)
        store = str(tmp_path / "a.db")
        for changed in (
            ["--batch", "7"],
            ["--executor", "threads", "--workers", "2"],
            ["--executor", "threads", "--store", store],
            ["--store", store],
        ):
            assert cells(capsys, *SMALL, *changed) == expected

    def test_depths_in_units_of_the_square_root_of_the_width(self, capsys):
        # 0.51 sqrt(16) and 0.5 sqrt(16) are the same depth: it is there once.
        arguments = ["simulate", "--width", "16", "64", "--c", "1", "0.5", "0.51", "--model", "rnn"]
        depths = [(c["width"], c["depth"]) for c in cells(capsys, *arguments, "--samples", "10")]
        assert depths == [(16, 2), (16, 4), (64, 4), (64, 8)]

    def test_any_width_costs_the_same(self, capsys):
        arguments = ["--model", "rnn", "--width", "1e9", "--depths", "50", "--samples", "64"]
        (cell,) = cells(capsys, "simulate", *arguments, "--seed", "1")
        assert (cell["width"], cell["method"]) == (10**9, "krylov")
        assert abs(cell["z"]) < 4.0

    def test_long_seeds_are_strings(self, capsys):
        (cell,) = cells(capsys, *SMALL[:3], "--depth", "1", "--seed", "1e30", "--model", "rnn")
        assert cell["seed"] == str(10**30)


class TestText:
    def test_a_mean_that_can_be_trusted_is_in_the_table(self, capsys):
        assert main([*SMALL, "--model", "rnn"]) == 0
        header, *rows = capsys.readouterr().out.splitlines()
        assert header.split() == [
            *("model", "field", "width", "depth", "regime", "method"),
            *("exact", "mean", "standard_error", "median"),
        ]
        simulated = cells(capsys, *SMALL, "--model", "rnn")
        shown = [(f"{cell['mean']:.6g}", f"{cell['standard_error']:.6g}") for cell in simulated]
        assert [tuple(row.split()[7:9]) for row in rows] == shown

    def test_a_mean_that_the_sample_cannot_see_gives_way_to_quantiles(self, capsys):
        plain = [*RARE, "--samples", "500", "--method", "krylov"]
        assert main(plain) == 0
        _, fine, flagged, line = capsys.readouterr().out.splitlines()
        (_, cell) = cells(capsys, *plain)
        assert "-" not in fine.split()
        assert flagged.split()[7:9] == ["-", "-"]
        assert f"{cell['mean']:.6g}" not in flagged + line
        assert line.startswith(
            f"rnn complex n=64 depth=64: median {cell['median']:.6g}, "
            f"5 % {cell['quantile_05']:.6g}, 95 % {cell['quantile_95']:.6g}, "
            f"exact mean {cell['exact']:.6g}; no mean from this sample: {cell['reason']}"
        )
        # The relative variance there is 1.5e14, so that 10 % takes 1.5e16 trajectories.
        assert "10 % error bar takes about 10^16.2 trajectories" in line
        assert line.endswith("try --method importance")

    @pytest.mark.parametrize(
        ("width", "depth", "samples", "trusted"),
        [("1", "10", "1e5", False), ("64", "64", "2000", False), ("64", "8", "2000", True)],
    )
    @pytest.mark.parametrize("method", ["krylov", "direct"])
    def test_text_and_json_flag_the_same(self, width, depth, samples, trusted, method, capsys):
        size = ["--width", width, "--depth", depth, "--samples", samples, "--method", method]
        arguments = ["simulate", "--model", "rnn", *size, "--seed", "1"]
        (cell,) = cells(capsys, *arguments)
        assert (cell["trustworthy"], cell["standard_error"] is not None) == (trusted, trusted)
        assert main(arguments) == 0
        lines = capsys.readouterr().out.splitlines()
        assert ("-" in lines[1].split()) is not trusted
        assert len(lines) == (2 if trusted else 3)

    def test_importance_sampling_says_why(self, capsys):
        assert main([*RARE, "--samples", "500"]) == 0
        *_, rare, line = capsys.readouterr().out.splitlines()
        assert rare.split()[5] == "importance"
        assert line.startswith("rnn complex n=64 depth=64: importance sampling, since a plain ")

    def test_energies_beyond_float64(self, capsys):
        arguments = ["--model", "rnn", "--width", "9", "--depths", "300", "--samples", "60"]
        assert main(["simulate", *arguments, "--gain", "10", "--method", "direct"]) == 0
        exact = sigprop.log_rnn_energy(9, 300, 10.0)
        assert f"exact mean e^{exact:.6g}; no mean" in capsys.readouterr().out


class TestRelativeError:
    def test_the_exact_variance_gives_the_sample_size(self, capsys):
        # Depth 8 needs 2015 trajectories for 1 %, depth 4 fewer: one trajectory serves both.
        arguments = ["simulate", "--model", "rnn", "--width", "64", "--depths", "4", "8"]
        shallow, deep = cells(capsys, *arguments, "--relative-error", "0.01")
        assert shallow["samples"] == deep["samples"] == 2015
        ratio = deep["exact_standard_error"] / deep["exact"]
        assert 0.00999 < ratio <= 0.01
        # A sample that small would not show its tail, whatever the variance.
        (few,) = cells(capsys, *arguments[:-2], "4", "--relative-error", "0.5")
        assert few["samples"] == 256

    @pytest.mark.usefixtures("no_work")
    def test_what_it_cannot_have_is_refused(self, capsys):
        def asked(*arguments):
            return refusal(capsys, "simulate", "--relative-error", "0.01", *arguments)

        rare = asked("--width", "64", "--depth", "64", "--model", "rnn")
        assert "10^18.2 trajectories for rnn complex n=64 depth=64, more than 10^8" in rare
        assert "--method importance" in rare
        lru = asked("--width", "64", "--depth", "64", "--model", "lru")
        assert "importance" not in lru
        assert "give --samples" in lru
        real = asked("--width", "64", "--depth", "9", "--field", "real")
        assert "no exact relative variance for rnn real n=64 depth=9" in real
        deep = asked("--width", "10000", "--depth", "1000", "--model", "lru")
        assert "no exact relative variance for lru complex n=10000 depth=1000" in deep
        assert "--samples" in asked("--width", "4", "--depth", "4", "--samples", "9")


class TestRefusals:
    @pytest.mark.usefixtures("no_work")
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--samples", "0"], "--samples"),
            (["--batch", "0"], "--batch"),
            (["--method", "magic"], "--method"),
            (["--depths", "4", "2"], "--depths must be increasing, got 4 before 2"),
            (["--depths", "2", "2"], "--depths must be increasing, got 2 before 2"),
            (["--depths", "-1"], "--depth"),
            (["--c", "1"], "--c"),
            (["--width", "16", "4", "16"], "--width holds 16 twice"),
            (["--model", "rnn", "rnn"], "--model holds rnn twice"),
            (["--width", "1e17"], "--width must be at most 2**53"),
            (["--method", "importance", "--model", "lru"], "needs a GaussianRNN"),
            (["--method", "importance", "--model", "rnn"], "depth must be at least 2.5 sqrt"),
            (["--method", "direct", "--width", "1e6"], "width must be at most 16384"),
            (["--method", "importance", "--store", "a.db"], "does not go with --store"),
            (["--output", "a.txt"], "must end in .json, .csv, .parquet, .npz, got 'a.txt'"),
            (["--output", "none/a.json"], "none/a.json"),
            (["--output", "./a.json", "--store", "a.json"], "are the same file"),
            (["--output", "a.npz"], "an archive holds one experiment"),
        ],
    )
    def test_in_one_line_before_the_work(self, arguments, words, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert words in refusal(capsys, *SMALL, *arguments)
        assert list(tmp_path.iterdir()) == []

    def test_a_store_of_another_seed(self, capsys, tmp_path):
        store = str(tmp_path / "a.db")
        expected = cells(capsys, *SMALL, "--store", store)
        assert "its seed is 5, not 6" in refusal(capsys, *SMALL, "--seed", "6", "--store", store)
        foreign = tmp_path / "b.db"
        foreign.write_text("no database, but longer than the smallest page of one\n" * 20)
        assert "not a campaign store" in refusal(capsys, *SMALL, "--store", str(foreign))
        assert cells(capsys, *SMALL, "--store", store) == expected

    def test_a_chunk_that_fails(self, capsys, tmp_path, monkeypatch):
        def fail(*_job):
            raise FloatingPointError("no step today")

        monkeypatch.setattr("sigprop.montecarlo.chunks.run_chunk", fail)
        line = refusal(capsys, *SMALL, "--model", "lru", "--store", str(tmp_path / "a.db"))
        assert "chunk 0 of GaussianLRU(width=16, field='complex', gain=1.0) at depths 2, 4" in line
        assert "FloatingPointError: no step today" in line
        assert f"{tmp_path / 'a.db'} keeps what was finished" in line
        assert main([*SMALL, "--debug"]) == 2
        assert ChunkError.__name__ in capsys.readouterr().err

    def test_parquet_without_pyarrow(self, capsys, monkeypatch, no_work):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        assert "sigprop[parquet]" in refusal(capsys, *SMALL, "--output", "a.parquet")


class TestFiles:
    def test_json(self, capsys, tmp_path):
        path = tmp_path / "a.json"
        printed = cells(capsys, *SMALL, "--output", str(path))
        result = CampaignResult.read(path)
        assert [cell.to_dict() for cell in result.cells] == printed
        assert result.settings["seed"] == 5
        assert result.provenance["sigprop"] == sigprop.__version__

    def test_json_with_importance_sampling(self, capsys, tmp_path):
        path = tmp_path / "a.json"
        printed = cells(capsys, *RARE, "--samples", "100", "--output", str(path))
        document = json.loads(path.read_text())
        assert list(document) == ["cells", "provenance"]
        assert document["cells"] == printed == Simulation.from_dict(document).to_dict()["cells"]

    @pytest.mark.parametrize("rest", [SMALL, [*RARE, "--samples", "100"]])
    def test_csv(self, rest, capsys, tmp_path):
        path = tmp_path / "a.csv"
        printed = cells(capsys, *rest, "--output", str(path))
        rows = list(csv.DictReader(path.read_text().splitlines()))
        assert [(row["depth"], row["method"]) for row in rows] == [
            (str(cell["depth"]), cell["method"]) for cell in printed
        ]

    def test_npz_holds_plain_samples(self, capsys, tmp_path):
        path = tmp_path / "a.npz"
        assert main([*RARE, "--samples", "100", "--output", str(path)]) == 0
        assert "auto is the plain sampler" in capsys.readouterr().err
        archive = Archive.read(path)
        assert archive.depth.tolist() == [8, 64]
        assert archive.num_samples == 100

    def test_a_result_that_cannot_be_written_is_shown(self, capsys, tmp_path, monkeypatch):
        def full(*_arguments):
            raise OSError("cannot write a.json: the disk is full")

        monkeypatch.setattr(CampaignResult, "write", full)
        assert main([*SMALL, "--output", str(tmp_path / "a.json")]) == 2
        captured = capsys.readouterr()
        assert captured.out.splitlines()[0].startswith("model")
        assert "the disk is full" in captured.err

    def test_the_trial_archive_simulates_nothing(self, no_work, tmp_path):
        rnn = sigprop.recurrences.GaussianRNN(16)
        results.check_output(str(tmp_path / "a.npz"), Campaign([(rnn, [2, 4])], 10, 1))
        with pytest.raises(ValueError, match=r"--output to npz: seed must be below 2\*\*64"):
            results.check_output(str(tmp_path / "a.npz"), Campaign([(rnn, 2)], 10, 2**65))


class TestStore:
    def test_auto_is_the_plain_sampler_and_says_so(self, capsys, tmp_path):
        store = str(tmp_path / "a.db")
        assert main([*RARE, "--samples", "100", "--store", store]) == 0
        captured = capsys.readouterr()
        assert captured.err == (
            "note: importance sampling does not go with --store: auto is the plain sampler\n"
        )
        assert captured.out.splitlines()[2].split()[5] == "krylov"

    def test_more_samples_continue_fewer(self, capsys, tmp_path):
        store = str(tmp_path / "a.db")
        cells(capsys, *SMALL, "--store", store)
        more = [*SMALL, "--samples", "700"]
        assert cells(capsys, *more, "--store", store) == cells(capsys, *more)
        with CampaignStore(store) as kept:
            assert sorted(kept.counts().values()) == 2 * [188] + 4 * [256]

    def test_progress_begins_with_what_is_stored(self, capsys, tmp_path, monkeypatch):
        store = str(tmp_path / "a.db")
        calls = []
        cells(capsys, *SMALL, "--store", store)
        run = Campaign.run

        def watched(self, executor, path, _progress, **settings):
            return run(self, executor, path, lambda *call: calls.append(call), **settings)

        monkeypatch.setattr(Campaign, "run", watched)
        cells(capsys, *SMALL, "--samples", "512", "--store", store)
        assert calls[0] == (512, 1024)  # the full chunk of each of the two models
        assert calls[-1] == (1024, 1024)

    def test_the_variance_is_not_asked_for_where_the_method_is_given(self, capsys, monkeypatch):
        monkeypatch.setattr(planning, "choices", None)
        assert len(cells(capsys, *SMALL, "--method", "direct")) == 4


LONG = [
    *("simulate", "--model", "rnn", "--width", "64", "--depths", "4", "30"),
    *("--samples", "3000", "--seed", "1", "--method", "krylov", "--json"),
]
"""Twelve chunks."""

ENTRY = """
import signal, sys, time
from sigprop.cli import main
from sigprop.montecarlo import chunks

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it
limit, run_chunk, begun = int(sys.argv[1]), chunks.run_chunk, []

def limited(*job):
    begun.append(job)
    if len(begun) > limit:
        print("ready", flush=True)
        time.sleep(120)  # wait here for the signal
    return run_chunk(*job)

chunks.run_chunk = limited
sys.exit(main(sys.argv[2:]))
"""


def stopped(store, number, limit):
    """Run `LONG` on a store, send a signal in chunk ``limit + 1``, and return how it ended."""
    child = subprocess.Popen(
        [sys.executable, "-c", ENTRY, str(limit), *LONG, "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout.readline() == "ready\n"
        child.send_signal(number)
        output, errors = child.communicate(timeout=120)
    assert output == ""
    return child.returncode, errors


def stored(store):
    with CampaignStore(store) as kept:
        return sum(kept.counts().values())


def test_interrupted_killed_and_finished(capsys, tmp_path):
    store = tmp_path / "a.db"
    status, errors = stopped(store, signal.SIGINT, 2)
    assert status == 130
    assert errors.startswith(f"note: interrupted; {store} keeps what was finished")
    assert errors.count("\n") == 1
    assert stored(store) == 2 * 256
    assert stopped(store, signal.SIGKILL, 3) == (-signal.SIGKILL, "")
    assert stored(store) == 5 * 256
    resumed = cells(capsys, *LONG[:-1], "--store", str(store))
    rnn = sigprop.recurrences.GaussianRNN(64)
    assert resumed == sigprop.simulate(rnn, [4, 30], 3000, 1, "krylov").to_dict()["cells"]
