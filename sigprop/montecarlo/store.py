"""The store of a campaign: one SQLite file with one row for each finished chunk.

Only the process that drives the campaign writes, and each set of finished chunks is one
transaction, so a process that is killed at any moment leaves what it had finished and
nothing else. The driver holds SQLite's exclusive lock from opening to closing; the operating
system releases it when the driver dies.

The file is never opened except through SQLite: closing any other handle of it would
release the locks of the whole process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from sigprop._files import check_writable
from sigprop.montecarlo.provenance import package_version
from sigprop.montecarlo.streams import CHUNK
from sigprop.montecarlo.sums import EnergySums

FloatArray = npt.NDArray[np.float64]

LAW_VERSION = 1
"""Version of the streams and samplers: raised whenever the same seed gives other numbers."""

SCHEMA_VERSION = 1
"""Version of the tables below."""

_APPLICATION_ID = 0x53475052  # "SGPR", how the file tells itself from other databases

_SMALLEST_FILE = 512  # bytes, the smallest page of SQLite

_PATIENCE = 1.0  # seconds to wait for a lock that is about to be released

_SCHEMA = (
    "CREATE TABLE identity (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE cells (key TEXT PRIMARY KEY, cell TEXT NOT NULL, depths TEXT NOT NULL)",
    """CREATE TABLE chunks (
        key TEXT NOT NULL REFERENCES cells (key), chunk INTEGER NOT NULL,
        count INTEGER NOT NULL, sums TEXT NOT NULL, log_energies BLOB NOT NULL,
        crc32 INTEGER NOT NULL, PRIMARY KEY (key, chunk))""",
    f"PRAGMA application_id = {_APPLICATION_ID}",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)

_CHUNKS_WITH_DEPTHS = "SELECT count, log_energies, crc32, depths FROM chunks JOIN cells USING (key)"


class StoredCell(NamedTuple):
    """What the rows of a cell belong to: its key, its name for people, its depths."""

    key: str
    name: str
    depths: tuple[int, ...]


class FinishedChunk(NamedTuple):
    """The log energies of one chunk, shape (count, depths)."""

    key: str
    chunk: int
    log_energies: FloatArray


class ChunkStore(Protocol):
    """Where finished chunks are kept."""

    def register(self, cells: Iterable[StoredCell]) -> None:
        """Announce cells whose chunks are going to be added."""
        ...

    def counts(self) -> dict[tuple[str, int], int]:
        """Return how many trajectories are kept of each (key, chunk)."""
        ...

    def add(self, finished: Iterable[FinishedChunk]) -> None:
        """Keep some chunks, all or none; an earlier shorter one is replaced."""
        ...

    def load(self, key: str, chunk: int) -> FloatArray:
        """Return the log energies of a chunk that is kept."""
        ...


class MemoryStore:
    """A store that lasts as long as the run."""

    def __init__(self) -> None:
        self._chunks: dict[tuple[str, int], FloatArray] = {}

    def register(self, cells: Iterable[StoredCell]) -> None:
        """Do nothing: nothing is written."""

    def counts(self) -> dict[tuple[str, int], int]:
        """Return how many trajectories are kept of each (key, chunk)."""
        return {name: len(values) for name, values in self._chunks.items()}

    def add(self, finished: Iterable[FinishedChunk]) -> None:
        """Keep some chunks."""
        self._chunks.update({(key, chunk): values for key, chunk, values in finished})

    def load(self, key: str, chunk: int) -> FloatArray:
        """Return the log energies of a chunk that is kept."""
        return self._chunks[key, chunk]


class CampaignStore:
    """One SQLite file of finished chunks, locked by the process that holds it open.

    Parameters
    ----------
    path : str or os.PathLike
        The file; made if missing. Use as a context manager, or call `close`.
    seed : int, optional
        Root seed of the campaign. An existing store must have it; a new store needs it.

    Raises
    ------
    ValueError
        If the file is no store, is damaged, or belongs to another campaign (another seed)
        or to another version's law of random numbers.
    OSError
        If another run holds the store, or the file cannot be read or written. What was
        stored before is unchanged.

    Notes
    -----
    Tables: ``identity`` (seed, law, versions), ``cells`` (key, name, depths) and ``chunks``
    (key, chunk, count, sums as JSON for each depth, log energies as little-endian float64 of
    shape (count, depths), and their CRC-32). The rollback journal is used rather than the
    write-ahead log, since it also works on network file systems; while a run goes on, and
    after one was killed, it lies beside the store as ``PATH-journal`` and belongs to it.
    """

    def __init__(self, path: str | os.PathLike[str], seed: int | None = None) -> None:
        self.path = Path(os.path.abspath(path))
        check_writable(self.path)
        if self.path.exists() and 0 < self.path.stat().st_size < _SMALLEST_FILE:
            # SQLite takes a file of one byte for an empty database.
            raise ValueError(f"{self.path} is damaged or not a campaign store")
        with self._explained():
            self._connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
        try:
            self._open(seed)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> CampaignStore:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the file and its lock."""
        self._connection.close()

    @property
    def seed(self) -> int:
        """Root seed of the campaign."""
        return int(self._identity()["seed"])

    def register(self, cells: Iterable[StoredCell]) -> None:
        """Announce cells whose chunks are going to be added; known ones stay as they are."""
        rows = [(key, name, json.dumps(depths)) for key, name, depths in cells]
        with self._transaction():
            self._connection.executemany("INSERT OR IGNORE INTO cells VALUES (?, ?, ?)", rows)

    def counts(self) -> dict[tuple[str, int], int]:
        """Return how many trajectories are kept of each (key, chunk)."""
        rows = self._rows("SELECT key, chunk, count FROM chunks")
        return {(key, chunk): count for key, chunk, count in rows}

    def add(self, finished: Iterable[FinishedChunk]) -> None:
        """Keep some chunks in one transaction; an earlier shorter one is replaced.

        Raises
        ------
        OSError
            If the disk is full or cannot be written: none of them is kept, and everything
            stored before is.
        """
        rows = [_row(item) for item in finished]
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?)", rows
            )

    def load(self, key: str, chunk: int) -> FloatArray:
        """Return the log energies of a chunk, shape (count, depths).

        Raises
        ------
        ValueError
            If the row does not have the length or the checksum that it was written with.
        """
        ((count, blob, checksum, depths),) = self._rows(
            f"{_CHUNKS_WITH_DEPTHS} WHERE key = ? AND chunk = ?", (key, chunk)
        )
        shape = (count, len(json.loads(depths)))
        if len(blob) != 8 * shape[0] * shape[1] or zlib.crc32(blob) != checksum:
            raise ValueError(f"{self.path} is damaged: chunk {chunk} of cell {key} has changed")
        return np.frombuffer(blob, dtype="<f8").reshape(shape).astype(np.float64)

    def check(self) -> None:
        """Read everything once; raise ValueError if anything has changed since it was written."""
        with self._explained():
            (verdict,) = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise ValueError(f"{self.path} is damaged: {verdict}")
        for key, chunk in self._rows("SELECT key, chunk FROM chunks"):
            self.load(key, chunk)

    def summary(self) -> list[dict[str, Any]]:
        """Return what is stored, one strict JSON record for each cell and depth.

        It is read from the sums: ``samples``, ``log_mean`` (of the energy), and the naive
        ``relative_error`` of the mean, which is too small where the tail is not seen.
        """
        parts: dict[str, list[list[EnergySums]]] = {}
        for key, text in self._rows("SELECT key, sums FROM chunks ORDER BY key, chunk"):
            sums = [EnergySums.from_dict(record) for record in json.loads(text)]
            parts.setdefault(key, []).append(sums)
        return [
            {"cell": name, "depth": depth, **_running(EnergySums.merged(column))}
            for key, name, depths in self._rows("SELECT key, cell, depths FROM cells")
            if key in parts
            for depth, column in zip(json.loads(depths), zip(*parts[key], strict=True), strict=True)
        ]

    def _open(self, seed: int | None) -> None:
        """Take the lock for as long as the connection lives; check the file or make it."""
        with self._explained():
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        with self._transaction():
            if not self._rows("SELECT 1 FROM sqlite_master LIMIT 1"):
                self._create(seed)
            self._check_kind()
            self._check_identity(seed)
        self.check()

    def _create(self, seed: int | None) -> None:
        if seed is None:
            raise ValueError(f"{self.path} is not a campaign store: it is empty")
        for statement in _SCHEMA:
            self._connection.execute(statement)
        rows = [
            ("seed", str(seed)),
            ("law", str(LAW_VERSION)),
            ("chunk", str(CHUNK)),
            ("draws", draws_fingerprint()),
            ("sigprop", package_version()),
            ("numpy", np.__version__),
        ]
        self._connection.executemany("INSERT INTO identity VALUES (?, ?)", rows)

    def _check_kind(self) -> None:
        ((application,),) = self._rows("PRAGMA application_id")
        ((version,),) = self._rows("PRAGMA user_version")
        if application != _APPLICATION_ID:
            raise ValueError(f"{self.path} is not a campaign store but another SQLite database")
        if version != SCHEMA_VERSION:
            raise ValueError(
                f"{self.path} is a campaign store of schema {version}, "
                f"this version of sigprop reads schema {SCHEMA_VERSION}"
            )

    def _check_identity(self, seed: int | None) -> None:
        found = self._identity()
        if found.keys() < {"seed", "law", "chunk", "draws", "sigprop", "numpy"}:
            raise ValueError(f"{self.path} is damaged: it does not say what campaign it holds")
        if seed is not None and found["seed"] != str(seed):
            raise ValueError(
                f"{self.path} belongs to another campaign: its seed is {found['seed']}, "
                f"not {seed}; use that seed or another file"
            )
        if (found["law"], found["chunk"]) != (str(LAW_VERSION), str(CHUNK)):
            raise ValueError(
                f"{self.path} was made by sigprop {found['sigprop']}, which draws other numbers "
                f"from the same seed (law {found['law']} in chunks of {found['chunk']}, here "
                f"law {LAW_VERSION} in chunks of {CHUNK}); use that version or another file"
            )
        if found["draws"] != draws_fingerprint():
            raise ValueError(
                f"{self.path} was made with NumPy {found['numpy']}, whose generators draw other "
                f"numbers than those of NumPy {np.__version__}; use that version or another file"
            )

    def _identity(self) -> dict[str, str]:
        return dict(self._rows("SELECT name, value FROM identity"))

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._explained():
            return self._connection.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Keep everything done inside, or nothing."""
        with self._explained():
            self._connection.execute("BEGIN EXCLUSIVE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn an error of SQLite into one that names the file and the likely cause."""
        try:
            yield
        except sqlite3.Error as error:
            raise _file_error(error, self.path) from error


def stored_seed(path: str | os.PathLike[str]) -> int | None:
    """Return the seed of the campaign whose store is ``path``; None if there is no file.

    Raises
    ------
    ValueError, OSError
        As `CampaignStore`.
    """
    if not os.path.exists(path):
        return None
    with CampaignStore(path) as store:
        return store.seed


def draws_fingerprint() -> str:
    """Return a hash of some draws of NumPy's generators, which may change between versions.

    Nine digits are hashed: processors may differ in the last bit of a draw.
    """
    rng = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(2, 3)))
    draws = [rng.standard_normal(64), *(rng.standard_gamma(a, 64) for a in (0.5, 1.0, 40.0))]
    text = " ".join(f"{value:.9e}" for value in np.concatenate(draws).tolist())
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _row(finished: FinishedChunk) -> tuple[str, int, int, str, bytes, int]:
    key, chunk, log_energies = finished
    sums = [EnergySums.of(column).to_dict() for column in log_energies.T]
    blob = np.ascontiguousarray(log_energies, dtype="<f8").tobytes()
    text = json.dumps(sums, allow_nan=False)
    return key, chunk, len(log_energies), text, blob, zlib.crc32(blob)


def _running(sums: EnergySums) -> Mapping[str, Any]:
    deviation = sums.relative_deviation
    return {
        "samples": sums.count,
        "log_mean": sums.log_mean_energy if sums.mean > 0.0 else None,
        "relative_error": None if deviation is None else deviation / sums.count**0.5,
    }


_CAUSES: dict[int, tuple[type[Exception], str]] = {
    sqlite3.SQLITE_BUSY: (OSError, "is in use by another run; wait for it, or use another file"),
    sqlite3.SQLITE_FULL: (OSError, "cannot be written: the disk is full; what was stored is kept"),
    sqlite3.SQLITE_READONLY: (PermissionError, "cannot be written: it is read-only"),
    sqlite3.SQLITE_PERM: (PermissionError, "cannot be opened: permission denied"),
    sqlite3.SQLITE_CANTOPEN: (OSError, "cannot be opened"),
    sqlite3.SQLITE_IOERR: (OSError, "cannot be read or written"),
    sqlite3.SQLITE_CORRUPT: (ValueError, "is damaged or truncated"),
    sqlite3.SQLITE_NOTADB: (ValueError, "is not a campaign store"),
}


def _file_error(error: sqlite3.Error, path: Path) -> Exception:
    """Return what the error means for the file; a mistake of the code stays as it is."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None or code & 0xFF not in _CAUSES:
        return error
    kind, text = _CAUSES[code & 0xFF]  # the upper bits say where, not what
    return kind(f"{path} {text}")
