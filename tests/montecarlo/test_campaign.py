"""Campaigns: the same bits everywhere, after a kill, after an extension; errors that name cells."""

import itertools
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from dataclasses import dataclass

import numpy as np
import pytest

from sigprop.montecarlo import chunks, simulate
from sigprop.montecarlo import store as store_module
from sigprop.montecarlo.campaign import Campaign, CampaignCell, CampaignResult, ChunkError
from sigprop.montecarlo.store import CampaignStore
from sigprop.montecarlo.streams import CHUNK, cell_key, chunk_streams
from sigprop.recurrences import GaussianLRU, GaussianRNN

CELLS = [
    (GaussianRNN(8), [2, 4]),
    (GaussianLRU(6, "real"), [3], "direct"),
    (GaussianRNN(4), 9, "direct"),
    (GaussianLRU(9), [0, 5], "krylov", 300),
]


LAW = [
    (
        GaussianRNN,
        "direct",
        [[-0.916052975717, 0.695878529408], [-0.0936834959861, -0.852767484742]],
    ),
    (GaussianRNN, "krylov", [[0.745878889948, 1.9963510252], [-0.701560387102, -2.27141127105]]),
    (GaussianLRU, "direct", [[0.6325224196, -0.0261579483437], [1.6988440653, 3.0175725192]]),
    (GaussianLRU, "krylov", [[1.00549164045, 1.73894604242], [1.35161243797, 2.83840100974]]),
]
"""Log energies of two trajectories of chunk 3 with seed 1, width 5, depths 2 and 7."""


def campaign(samples=600, seed=1, cells=CELLS):
    return Campaign(cells, samples, seed)


@pytest.fixture(scope="module")
def reference():
    return campaign().run()


def same(result, expected):
    """Tell whether two results agree bit for bit."""
    return result == expected and all(
        np.array_equal(left, right)
        for left, right in zip(result.log_energies, expected.log_energies, strict=True)
    )


@dataclass(frozen=True, repr=False)
class FailingRNN(GaussianRNN):
    """A recurrence that cannot take a step."""

    def step(self, weights, state, inputs=None):
        raise FloatingPointError("no step today")


@dataclass(frozen=True, repr=False)
class BrokenRNN(GaussianRNN):
    """A recurrence whose energies are not numbers."""

    def step(self, weights, state, inputs=None):
        return np.full_like(state, np.nan)


@dataclass(frozen=True, repr=False)
class DeadlyRNN(GaussianRNN):
    """A recurrence that ends its process."""

    def step(self, weights, state, inputs=None):
        os._exit(1)


class BackwardsExecutor(Executor):
    """Runs what it is given when it has all of it, the last first."""

    def __init__(self, jobs):
        self.jobs = jobs
        self.queue = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.queue.append((future, fn, args))
        if len(self.queue) == self.jobs:
            for item, function, arguments in reversed(self.queue):
                item.set_result(function(*arguments))
        return future


class UnfinishedExecutor(Executor):
    """Ends the first job with a given result or error, and the others never."""

    def __init__(self, outcome):
        self.outcome = outcome
        self.futures = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        if not self.futures and isinstance(self.outcome, Exception):
            future.set_exception(self.outcome)
        elif not self.futures:
            future.set_result(self.outcome)
        self.futures.append(future)
        return future


class CountingExecutor(Executor):
    """Four threads that count how many jobs have been given and not yet collected."""

    def __init__(self):
        self.pool = ThreadPoolExecutor(4)
        self.lock = threading.Lock()
        self.given = self.ended = self.most = self.total = 0

    def submit(self, fn, /, *args, **kwargs):
        with self.lock:
            self.total += 1
            self.given += 1
            self.most = max(self.most, self.given)
        future = self.pool.submit(fn, *args)
        future.add_done_callback(self._end)
        return future

    def _end(self, _):
        with self.lock:
            self.given -= 1


class TestSameBits:
    def test_cells_are_those_of_simulate(self, reference):
        expected = [
            cell
            for item in campaign().cells
            for cell in simulate(
                item.recurrence, item.depths, item.samples or 600, rng=1, method=item.method
            ).cells
        ]
        assert list(reference.cells) == expected

    @pytest.mark.parametrize("workers", [1, 2, 4])
    def test_threads(self, reference, workers):
        with ThreadPoolExecutor(workers) as executor:
            assert same(campaign().run(executor), reference)

    def test_processes(self, reference):
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(2, mp_context=context) as executor:
            assert same(campaign().run(executor), reference)
            failing = Campaign([(DeadlyRNN(4), 3, "direct")], 300, 1)
            with pytest.raises(ChunkError, match=r"of DeadlyRNN\(width=4.* failed: BrokenProcess"):
                failing.run(executor)

    def test_batches(self, reference):
        with ThreadPoolExecutor(2) as executor:
            assert same(campaign().run(executor, batch=7), reference)
        with pytest.raises(ValueError, match="batch must be an integer >= 1"):
            campaign().run(batch=0)

    def test_the_order_of_results_does_not_matter(self, reference):
        jobs = sum(len(chunks.chunk_counts(campaign().samples_of(c))) for c in campaign().cells)
        executor = BackwardsExecutor(jobs)
        assert same(campaign().run(executor, in_flight=jobs), reference)

    def test_cells_do_not_depend_on_the_others(self, reference):
        alone = campaign(cells=CELLS[1:2]).run()
        assert alone.cells == reference.cells[2:3]
        backwards = campaign(cells=CELLS[::-1]).run()
        assert set(backwards.cells) == set(reference.cells)

    def test_another_seed_gives_other_numbers(self, reference):
        other = campaign(seed=2).run()
        assert not np.any(other.log_energies[0] == reference.log_energies[0])

    def test_dask(self, reference, tmp_path):
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            executor = client.get_executor()
            assert same(campaign().run(executor, tmp_path / "dask.db"), reference)
            with pytest.raises(TypeError, match=r"for Dask: client\.get_executor\(\)"):
                campaign().run(client)

    @pytest.mark.slow
    def test_dask_processes(self, reference):
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            assert same(campaign().run(client.get_executor()), reference)

    @pytest.mark.slow
    def test_loky(self, reference):
        loky = pytest.importorskip("loky")
        executor = loky.get_reusable_executor(2)
        assert same(campaign().run(executor), reference)
        executor.shutdown()

    def test_jobs_in_flight_are_bounded(self, reference):
        executor = CountingExecutor()
        assert same(campaign().run(executor, in_flight=3), reference)
        assert executor.most <= 3
        assert executor.total == 11
        executor.pool.shutdown()


class TestLaw:
    @pytest.mark.parametrize(("family", "method", "expected"), LAW)
    def test_is_that_of_its_version(self, family, method, expected):
        # To the digits that processors share; one that fails asks for another LAW_VERSION.
        assert store_module.LAW_VERSION == 1
        logs = chunks.run_chunk(method, family(5), [2, 7], 1, 3, 2)
        assert np.allclose(logs, expected, rtol=1e-9, atol=0.0)

    @pytest.mark.parametrize("method", list(chunks.SAMPLERS))
    @pytest.mark.parametrize(
        "recurrence", [GaussianRNN(7), GaussianLRU(7, "real"), GaussianRNN(64)], ids=str
    )
    def test_a_short_chunk_is_the_beginning_of_the_full_one(self, recurrence, method):
        depths = [0, 3, 12]
        key = cell_key(recurrence, depths, method)

        def chunk(count, batch=None):
            streams = chunk_streams(1, key, 3)
            return chunks.SAMPLERS[method](recurrence, depths, count, streams, batch)

        full = chunk(CHUNK)
        for count, batch in itertools.product((1, 2, 17, 255), (None, 5)):
            assert np.array_equal(chunk(count, batch), full[:count])


class TestStore:
    def test_a_finished_campaign_is_read(self, reference, tmp_path, monkeypatch):
        path = tmp_path / "a.db"
        assert same(campaign().run(store=path), reference)
        monkeypatch.setattr(chunks, "run_chunk", None)  # nothing may be simulated
        calls = []
        result = campaign().run(store=path, progress=lambda *step: calls.append(step))
        assert same(result, reference)
        assert calls == [(2100, 2100)]

    def test_more_samples_redo_only_the_last_short_chunk(self, reference, tmp_path, monkeypatch):
        path = tmp_path / "a.db"
        campaign(400).run(store=path)
        run = _recorded(monkeypatch)
        assert same(campaign().run(store=path), reference)
        # 400 = 256 + 144 and 600 = 256 + 256 + 88; the cell of 300 has all of its own.
        assert run == [(1, 256), (2, 88)] * 3

    def test_fewer_samples_are_the_first_ones(self, reference, tmp_path, monkeypatch):
        path = tmp_path / "a.db"
        campaign().run(store=path)
        run = _recorded(monkeypatch)
        fewer = campaign(270, cells=CELLS[:3]).run(store=path)
        assert run == []
        assert np.array_equal(fewer.log_energies[0], reference.log_energies[0][:270])
        assert same(fewer, campaign(270, cells=CELLS[:3]).run())

    def test_more_cells_redo_nothing(self, reference, tmp_path, monkeypatch):
        path = tmp_path / "a.db"
        campaign(cells=CELLS[1:3]).run(store=path)
        run = _recorded(monkeypatch)
        assert same(campaign().run(store=path), reference)
        assert len(run) == 3 + 2  # the first and the last cell

    def test_another_campaign_is_refused_and_nothing_lost(self, reference, tmp_path):
        path = tmp_path / "a.db"
        campaign().run(store=path)
        with pytest.raises(ValueError, match="belongs to another campaign"):
            campaign(seed=2).run(store=path)
        assert same(campaign().run(store=path), reference)

    @pytest.mark.parametrize("workers", [0, 2])
    def test_interrupted_and_continued(self, reference, tmp_path, workers):
        path = tmp_path / "a.db"
        executor = ThreadPoolExecutor(workers) if workers else None

        def interrupt(done, total):
            if done > 700:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            campaign().run(executor, path, interrupt)
        with CampaignStore(path) as store:
            kept = store.counts()
        assert 0 < len(kept) < 11
        calls = []
        result = campaign().run(executor, path, lambda *step: calls.append(step))
        assert same(result, reference)
        assert calls[0] == (sum(kept.values()), 2100)
        if executor is not None:
            executor.shutdown()

    def test_a_full_disk_keeps_what_was_stored(self, reference, tmp_path, monkeypatch):
        path = tmp_path / "a.db"
        original = CampaignStore.add

        def add(self, finished):
            if len(self.counts()) == 4:
                self._connection.execute("PRAGMA max_page_count = 1")
            original(self, finished)

        with monkeypatch.context() as patch:
            patch.setattr(CampaignStore, "add", add)
            with pytest.raises(OSError, match="the disk is full"):
                campaign().run(store=path)
        with CampaignStore(path) as store:
            assert len(store.counts()) == 4
        assert same(campaign().run(store=path), reference)

    def test_a_store_that_fails_takes_waiting_jobs_back(self, tmp_path, monkeypatch):
        def add(self, finished):
            raise OSError("the disk is gone")

        monkeypatch.setattr(CampaignStore, "add", add)
        executor = UnfinishedExecutor(np.zeros((256, 2)))
        with pytest.raises(OSError, match="the disk is gone"):
            campaign().run(executor, tmp_path / "a.db", in_flight=4)
        assert [future.cancelled() for future in executor.futures] == [False] + 3 * [True]

    def test_an_unwritable_folder_is_found_before_any_work(self, tmp_path, monkeypatch):
        monkeypatch.setattr(chunks, "run_chunk", None)
        with pytest.raises(OSError, match=r"cannot write .*none"):
            campaign().run(store=tmp_path / "none" / "a.db")


def _recorded(monkeypatch):
    """Return a list that receives (chunk, count) of every chunk that is simulated."""
    run = []
    original = chunks.run_chunk

    def run_chunk(*job):
        run.append((job[4], job[5]))
        return original(*job)

    monkeypatch.setattr(chunks, "run_chunk", run_chunk)
    return run


DRIVER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from sigprop.montecarlo.campaign import Campaign
from sigprop.recurrences import GaussianLRU, GaussianRNN

cells = [
    (GaussianRNN(8), [2, 4]),
    (GaussianLRU(6, "real"), [3], "direct"),
    (GaussianRNN(4), 9, "direct"),
    (GaussianLRU(9), [0, 5], "krylov", 300),
]
path, limit, workers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def progress(done, total):
    if done >= limit:
        print(done, flush=True)
        sys.stdin.read()  # wait here to be killed

Campaign(cells, 600, 1).run(ThreadPoolExecutor(workers) if workers else None, path, progress)
"""


def test_killed_twice_and_continued(reference, tmp_path, monkeypatch):
    # Serially up to 700 trajectories, then with threads up to 1400, each time kill -9.
    monkeypatch.setattr(store_module, "_PATIENCE", 0.05)
    path = tmp_path / "a.db"
    stored = []
    for limit, workers in ((700, 0), (1400, 2)):
        with subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(path), str(limit), str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as driver:
            assert int(driver.stdout.readline()) >= limit
            with pytest.raises(OSError, match="is in use by another run"):
                campaign().run(store=path)
            driver.kill()
        # The lock has died with the driver.
        with CampaignStore(path) as store:
            stored.append(sum(store.counts().values()))
    # Serially, the chunk that was reported last is not stored yet: it was in flight.
    assert 700 - 256 <= stored[0] < 1400 <= stored[1] < 2100
    assert same(campaign().run(store=path), reference)


class TestErrors:
    def test_a_failing_chunk_names_its_cell_and_keeps_the_others(self, tmp_path):
        path = tmp_path / "a.db"
        cells = [(GaussianRNN(8), 2), (FailingRNN(4), [3, 5], "direct"), (GaussianRNN(9), 2)]
        for executor in (None, ThreadPoolExecutor(1)):
            with pytest.raises(ChunkError) as caught:
                Campaign(cells, 200, 1).run(executor, path, in_flight=1)
            assert str(caught.value) == (
                "chunk 0 of FailingRNN(width=4, field='complex', gain=1.0) at depths 3, 5 by "
                "direct failed: FloatingPointError: no step today"
            )
            assert caught.value.cell == CampaignCell(*cells[1])
            assert caught.value.chunk == 0
            assert isinstance(caught.value.__cause__, FloatingPointError)
            with CampaignStore(path) as store:
                assert list(store.counts().values()) == [200]
            if executor is not None:
                executor.shutdown()

    @pytest.mark.filterwarnings("ignore:invalid value encountered")
    def test_results_that_came_with_an_error_are_kept(self, tmp_path):
        path = tmp_path / "a.db"
        cells = [(GaussianRNN(8), 2), (BrokenRNN(4), 3, "direct"), (GaussianRNN(9), 2)]
        with pytest.raises(ChunkError, match="got nan or inf"):
            Campaign(cells, 200, 1).run(BackwardsExecutor(3), path, in_flight=3)
        with CampaignStore(path) as store:
            assert len(store.counts()) == 2

    def test_a_cancelled_chunk(self):
        class Cancelling(Executor):
            def submit(self, fn, /, *args, **kwargs):
                future = Future()
                future.cancel()
                future.set_running_or_notify_cancel()
                return future

        with pytest.raises(ChunkError, match="failed: CancelledError") as caught:
            campaign().run(Cancelling())
        assert isinstance(caught.value.__cause__, CancelledError)

    def test_waiting_jobs_are_taken_back(self):
        executor = UnfinishedExecutor(OSError("lost"))
        with pytest.raises(ChunkError, match="failed: OSError: lost"):
            campaign().run(executor, in_flight=5)
        assert [future.cancelled() for future in executor.futures] == [False] + 4 * [True]

    def test_an_error_of_the_callback_is_not_that_of_a_chunk(self):
        def fail(done, total):
            raise RuntimeError("stop")

        with pytest.raises(RuntimeError, match=r"^stop$"):
            campaign().run(progress=fail)
        executor = ThreadPoolExecutor(1)
        with pytest.raises(RuntimeError, match=r"^stop$"):
            campaign().run(executor, progress=lambda done, total: done and fail(done, total))
        executor.shutdown()

    def test_errors_pickle(self):
        error = ChunkError("text", CampaignCell(*CELLS[0]), 3)
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), again.cell, again.chunk) == ("text", error.cell, 3)


class TestArguments:
    @pytest.mark.parametrize("samples", [0, -1, 1.5])
    def test_samples(self, samples):
        with pytest.raises(ValueError, match="samples must be an integer >= 1"):
            campaign(samples)
        with pytest.raises(ValueError, match="samples must be an integer >= 1"):
            CampaignCell(GaussianRNN(4), 2, "auto", samples)

    @pytest.mark.parametrize("depths", [[3, 1], [2, 2]])
    def test_depths_increase(self, depths):
        with pytest.raises(ValueError, match=r"depths must be increasing, got \[\d, \d\]"):
            CampaignCell(GaussianRNN(4), depths)

    @pytest.mark.parametrize("depths", [-1, [-2, 3], [], 0.5])
    def test_depths_are_integers(self, depths):
        with pytest.raises(ValueError, match="depths must"):
            CampaignCell(GaussianRNN(4), depths)

    def test_methods(self):
        with pytest.raises(ValueError, match="method must be one of"):
            CampaignCell(GaussianRNN(4), 2, "magic")
        with pytest.raises(ValueError, match="width must be at most 16384 for method 'direct'"):
            CampaignCell(GaussianRNN(10**6), 2, "direct")
        with pytest.raises(ValueError, match="depths must be at most 20000 for method 'krylov'"):
            CampaignCell(GaussianRNN(4), 10**6, "krylov")

    def test_a_method_that_does_not_apply(self):
        class Other(GaussianRNN):
            model = "other"

        with pytest.raises(ValueError, match="method 'krylov' does not apply to"):
            CampaignCell(Other(4), 2, "krylov")
        assert CampaignCell(Other(4), 2).method == "direct"

    def test_cells(self):
        with pytest.raises(ValueError, match="cells must hold at least one"):
            campaign(cells=[])
        with pytest.raises(ValueError, match=r"cells holds the same cell twice: GaussianRNN"):
            campaign(cells=[CELLS[0], CELLS[0]])
        with pytest.raises(TypeError, match=r"cells must hold CampaignCell objects or tuples"):
            campaign(cells=[GaussianRNN(4)])
        with pytest.raises(TypeError, match="recurrence must be a recurrence such as"):
            campaign(cells=[("rnn", 3)])

    def test_executor_and_in_flight(self):
        with pytest.raises(TypeError, match=r"executor must be a concurrent\.futures\.Executor"):
            campaign().run(4)
        with pytest.raises(ValueError, match="in_flight must be an integer >= 1"):
            campaign().run(in_flight=0)

    def test_grid(self):
        recurrences = [GaussianRNN(16), GaussianLRU(100)]
        by_c = Campaign.grid(recurrences, 10, 1, c=[0, 1.5, 0.01])
        assert [cell.depths for cell in by_c.cells] == [(0, 6), (0, 15)]
        by_depth = Campaign.grid(recurrences, 10, 1, depths=[2, 3], method="direct")
        assert [(cell.depths, cell.method) for cell in by_depth.cells] == [((2, 3), "direct")] * 2
        with pytest.raises(ValueError, match="give depths or c"):
            Campaign.grid(recurrences, 10, 1)
        with pytest.raises(ValueError, match="give depths or c"):
            Campaign.grid(recurrences, 10, 1, depths=3, c=1.0)
        with pytest.raises(ValueError, match="c must hold finite numbers >= 0"):
            Campaign.grid(recurrences, 10, 1, c=[-1.0])

    def test_seeds(self):
        fresh = campaign(seed=None)
        assert fresh.seed != campaign(seed=None).seed
        assert campaign(seed=np.random.SeedSequence(7)).seed == 7

    def test_pickles(self):
        assert pickle.loads(pickle.dumps(campaign())) == campaign()

    def test_long_lists_of_depths_are_cut_in_text(self):
        text = str(CampaignCell(GaussianRNN(400), range(30)))
        assert text.endswith("at depths 0, ..., 29 (30 of them) by krylov")


class TestProgress:
    def test_counts_trajectories(self):
        for executor in (None, ThreadPoolExecutor(2)):
            calls = []
            campaign().run(executor, progress=lambda *step, calls=calls: calls.append(step))
            done = [step[0] for step in calls]
            assert done[0] == 0
            assert done == sorted(done)
            assert calls[-1] == (2100, 2100)
            assert all(total == 2100 for _, total in calls)
            if executor is not None:
                executor.shutdown()


class TestResult:
    def test_json_is_strict_and_returns(self, reference, tmp_path):
        path = tmp_path / "result.json"
        reference.write(path)
        document = json.loads(path.read_text(), parse_constant=pytest.fail)
        assert list(document) == [
            "format", "version", "settings", "cells", "provenance", "times",
        ]  # fmt: skip
        again = CampaignResult.read(path)
        assert again == reference
        assert again.to_dict() == document
        assert (again.started, again.finished) == (reference.started, reference.finished)
        assert again.provenance == reference.provenance

    def test_what_does_not_depend_on_the_run_is_apart(self, reference):
        first, second = reference.to_dict(), campaign().run().to_dict()
        assert first["settings"] == second["settings"]
        assert first["cells"] == second["cells"]
        assert first["times"] != second["times"]
        assert first["settings"]["seed"] == 1
        assert first["settings"]["cells"][3] == {
            "recurrence": "GaussianLRU(width=9, field='complex', gain=1.0)",
            "model": "lru",
            "field": "complex",
            "gain": 1.0,
            "width": 9,
            "depths": [0, 5],
            "method": "krylov",
            "samples": 300,
            "key": campaign().cells[3].key,
        }

    def test_long_seeds_return(self, tmp_path):
        result = campaign(20, seed=2**100 + 1, cells=CELLS[:1]).run()
        assert result.to_dict()["settings"]["seed"] == str(2**100 + 1)
        result.write(tmp_path / "a.json")
        assert CampaignResult.read(tmp_path / "a.json") == result

    @pytest.mark.parametrize(
        "content", ["", "[]", "{}", '{"format": "sigprop campaign", "version": 1}', "\udcff"]
    )
    def test_other_documents(self, tmp_path, content):
        path = tmp_path / "a.json"
        path.write_bytes(content.encode(errors="surrogateescape"))
        with pytest.raises(ValueError, match=r"a\.json holds no campaign result"):
            CampaignResult.read(path)

    def test_truncated_documents(self, reference, tmp_path):
        path = tmp_path / "a.json"
        reference.write(path)
        path.write_text(path.read_text()[:-20])
        with pytest.raises(ValueError, match=r"a\.json holds no campaign result"):
            CampaignResult.read(path)

    def test_pickles(self, reference):
        assert same(pickle.loads(pickle.dumps(reference)), reference)

    def test_suffixes(self, reference, tmp_path):
        with pytest.raises(ValueError, match=r"path must end in \.json, \.csv, \.parquet or \.npz"):
            reference.write(tmp_path / "a.txt")
        reference.write(tmp_path / "a.csv")
        assert (tmp_path / "a.csv").read_text() == reference.to_csv()
        assert os.listdir(tmp_path) == ["a.csv"]
