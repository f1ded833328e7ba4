"""The store: transactions, locks, identity, and files that are not what they should be."""

import math
import os
import signal
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from sigprop.montecarlo import store as store_module
from sigprop.montecarlo.store import (
    CampaignStore,
    FinishedChunk,
    StoredCell,
    draws_fingerprint,
    stored_seed,
)

CELL = StoredCell("ab" * 16, "a cell", (2, 4, 8))


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch):
    monkeypatch.setattr(store_module, "_PATIENCE", 0.05)


def _values(count, seed=0):
    return np.random.default_rng(seed).normal(size=(count, 3))


def _chunk(number, count=256):
    return FinishedChunk(CELL.key, number, _values(count, number))


@pytest.fixture
def path(tmp_path):
    """A store with chunks 0 and 1."""
    path = tmp_path / "campaign.db"
    with CampaignStore(path, seed=5) as store:
        store.register([CELL])
        store.add([_chunk(0), _chunk(1, 40)])
    return path


def _edit(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def _interrupted_deletion(store):
    with store._transaction():
        store._connection.execute("DELETE FROM chunks")
        raise KeyboardInterrupt


class TestChunks:
    def test_return_bit_for_bit(self, path):
        with CampaignStore(path, seed=5) as store:
            assert store.counts() == {(CELL.key, 0): 256, (CELL.key, 1): 40}
            assert np.array_equal(store.load(CELL.key, 0), _values(256, 0))
            assert np.array_equal(store.load(CELL.key, 1), _values(40, 1))

    def test_a_longer_chunk_replaces_the_shorter(self, path):
        with CampaignStore(path, seed=5) as store:
            store.add([_chunk(1)])
            assert store.counts() == {(CELL.key, 0): 256, (CELL.key, 1): 256}
            assert np.array_equal(store.load(CELL.key, 1), _values(256, 1))

    def test_energies_of_zero(self, path):
        values = np.array([[-math.inf, 0.0, 1.0]])
        with CampaignStore(path, seed=5) as store:
            store.add([FinishedChunk(CELL.key, 2, values)])
            assert np.array_equal(store.load(CELL.key, 2), values)

    def test_all_of_a_set_or_none(self, path):
        with CampaignStore(path, seed=5) as store:
            with pytest.raises(KeyboardInterrupt):
                _interrupted_deletion(store)
            assert len(store.counts()) == 2

    def test_summary_is_the_moments_of_all_chunks(self, path):
        every = np.concatenate([_values(256, 0), _values(40, 1)])
        with CampaignStore(path, seed=5) as store:
            records = store.summary()
        assert [(r["cell"], r["depth"], r["samples"]) for r in records] == [
            ("a cell", depth, 296) for depth in CELL.depths
        ]
        x = np.exp(every)
        for record, column in zip(records, x.T, strict=True):
            assert record["log_mean"] == pytest.approx(math.log(column.mean()), abs=1e-12)
            error = column.std(ddof=1) / column.mean() / math.sqrt(296)
            assert record["relative_error"] == pytest.approx(error, rel=1e-12)

    def test_one_file_is_left(self, path):
        assert os.listdir(path.parent) == ["campaign.db"]


class TestIdentity:
    def test_the_seed_is_kept_with_all_its_digits(self, tmp_path):
        path = tmp_path / "long.db"
        assert stored_seed(path) is None
        assert not path.exists()
        CampaignStore(path, seed=2**127 + 1).close()
        assert stored_seed(path) == 2**127 + 1

    def test_another_seed(self, path):
        with pytest.raises(
            ValueError, match="belongs to another campaign: its seed is 5, not 6; use that seed"
        ):
            CampaignStore(path, seed=6)

    @pytest.mark.parametrize(("name", "value"), [("LAW_VERSION", 99), ("CHUNK", 128)])
    def test_the_law_of_another_version(self, path, monkeypatch, name, value):
        monkeypatch.setattr(store_module, name, value)
        with pytest.raises(ValueError, match=r"was made by sigprop .*, which draws other numbers"):
            CampaignStore(path, seed=5)

    def test_other_generators(self, path, monkeypatch):
        assert draws_fingerprint() == draws_fingerprint()
        monkeypatch.setattr(store_module, "draws_fingerprint", lambda: "0" * 16)
        with pytest.raises(
            ValueError, match=r"was made with NumPy .*, whose generators draw other"
        ):
            CampaignStore(path, seed=5)

    def test_another_schema(self, path):
        _edit(path, "PRAGMA user_version = 7")
        with pytest.raises(ValueError, match="schema 7, this version of sigprop reads schema 1"):
            CampaignStore(path, seed=5)

    def test_nothing_is_changed_by_a_refusal(self, path):
        before = path.read_bytes()
        with pytest.raises(ValueError, match="another campaign"):
            CampaignStore(path, seed=6)
        assert path.read_bytes() == before


class TestOtherFiles:
    @pytest.mark.parametrize("content", [b"hello, " * 1000, b"x", b"PK\x03\x04" + bytes(5000)])
    def test_foreign_files(self, tmp_path, content):
        path = tmp_path / "other"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"not a campaign store|is damaged or truncated"):
            CampaignStore(path, seed=5)
        assert path.read_bytes() == content

    def test_other_databases(self, tmp_path):
        path = tmp_path / "other.db"
        _edit(path, "CREATE TABLE chunks (key, chunk, count)")
        before = path.read_bytes()
        with pytest.raises(ValueError, match="not a campaign store but another SQLite database"):
            CampaignStore(path, seed=5)
        assert path.read_bytes() == before

    def test_truncated_at_any_length(self, path):
        content = path.read_bytes()
        for size in {1, 99, 100, 600, 4096, len(content) // 2, len(content) - 4096} | {
            len(content) - 1
        }:
            path.write_bytes(content[:size])
            with pytest.raises(ValueError, match="is damaged"):
                CampaignStore(path, seed=5)

    def test_changed_bytes(self, path):
        blob = np.ascontiguousarray(_values(256, 0)).tobytes()
        content = path.read_bytes()
        # A piece of one page: longer ones are cut by the links between pages.
        where = content.index(blob[800:1600])
        path.write_bytes(content[:where] + b"\x00" + content[where + 1 :])
        with pytest.raises(ValueError, match=r"is damaged: chunk 0 of cell (ab)+ has changed"):
            CampaignStore(path, seed=5)

    def test_missing_identity(self, path):
        _edit(path, "DELETE FROM identity WHERE name = 'law'")
        with pytest.raises(ValueError, match="damaged: it does not say what campaign it holds"):
            CampaignStore(path, seed=5)

    def test_an_empty_file_is_a_new_store(self, tmp_path):
        path = tmp_path / "empty.db"
        path.touch()
        with pytest.raises(ValueError, match="not a campaign store: it is empty"):
            stored_seed(path)
        CampaignStore(path, seed=5).close()
        assert stored_seed(path) == 5


class TestDisk:
    def test_full(self, path):
        many = [_chunk(number) for number in range(2, 12)]
        with CampaignStore(path, seed=5) as store:
            ((pages,),) = store._rows("PRAGMA page_count")
            store._connection.execute(f"PRAGMA max_page_count = {pages + 5}")
            with pytest.raises(OSError, match="the disk is full; what was stored is kept"):
                store.add(many)
            assert len(store.counts()) == 2
            store._connection.execute(f"PRAGMA max_page_count = {pages + 500}")
            store.add(many)
        with CampaignStore(path, seed=5) as store:
            assert len(store.counts()) == 12

    def test_read_only(self, path):
        with CampaignStore(path, seed=5) as store:
            store._connection.execute("PRAGMA query_only = 1")
            with pytest.raises(PermissionError, match="cannot be written: it is read-only"):
                store.add([_chunk(2)])
            assert len(store.counts()) == 2

    def test_no_folder(self, path, tmp_path):
        for target in (tmp_path / "none" / "a.db", tmp_path, path / "a.db"):
            with pytest.raises(OSError, match="cannot write"):
                CampaignStore(target, seed=5)

    def test_memory_is_not_a_place(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        CampaignStore(":memory:", seed=5).close()
        assert (tmp_path / ":memory:").exists()


class TestLock:
    def test_one_driver_at_a_time(self, path):
        with CampaignStore(path, seed=5) as first:
            for seed in (5, None):
                with pytest.raises(OSError, match="is in use by another run"):
                    CampaignStore(path, seed=seed)
            first.add([_chunk(2)])
            # The refused ones have not released the lock of the first.
            with pytest.raises(OSError, match="is in use by another run"):
                CampaignStore(path, seed=5)
        CampaignStore(path, seed=5).close()

    def test_a_refused_store_is_closed(self, path):
        with pytest.raises(ValueError, match="another campaign"):
            CampaignStore(path, seed=6)
        CampaignStore(path, seed=5).close()


KILLED_WHILE_WRITING = """
import os, signal, sys
import numpy as np
from sigprop.montecarlo.store import CampaignStore, FinishedChunk

store = CampaignStore(sys.argv[1], seed=5)
key = "ab" * 16
store._connection.execute("PRAGMA cache_size = 1")  # write to the file before the end

def kill(statement):
    if statement == "COMMIT":
        os.kill(os.getpid(), signal.SIGKILL)

store._connection.set_trace_callback(kill)
store.add(FinishedChunk(key, number, np.full((256, 3), 7.0)) for number in range(40))
"""


def test_killed_in_the_middle_of_a_transaction(path):
    content = path.read_bytes()
    child = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_WRITING, str(path)], timeout=60, check=False
    )
    assert child.returncode == -signal.SIGKILL
    # The file was being written: the journal beside it undoes that.
    assert path.read_bytes() != content
    assert path.with_name("campaign.db-journal").exists()
    with CampaignStore(path, seed=5) as store:
        assert store.counts() == {(CELL.key, 0): 256, (CELL.key, 1): 40}
        assert np.array_equal(store.load(CELL.key, 0), _values(256, 0))
    assert os.listdir(path.parent) == ["campaign.db"]
