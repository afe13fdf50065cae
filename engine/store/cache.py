"""``cache.sqlite``: embeddings by embedder fingerprint and ``embed_hash``, bounded. Derived: lost, it costs
only time.

A file that is damaged, foreign or of another version is deleted and begun anew, and ``replaced`` says so.
What it gives back is checked: a row that is not as it was written, or no unit vector of the right length, is as
good as none.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import CorruptIndexError, LibraryError, NewerSchemaError, OlderSchemaError
from engine.store.connect import connect, prepare, read, statements, translated, write
from engine.store.reading import writable
from engine.store.seal import SEAL_BYTES, is_sealed, seal, sealed
from engine.store.steps import Steps, no_steps
from engine.store.vector_pages import ROW, are_units

Vectors = NDArray[np.float32]

VERSION = 2
LIMIT_BYTES = 512 << 20
"""Room for 220,000 vectors of 512 dimensions."""

LOW_WATER = 0.9
"""An eviction goes down to this share of the limit, so that not every write evicts."""

PAGE_SIZE = 16_384
"""A page of 4 KiB would hold one vector of 512 dimensions and waste the rest."""

BATCH = 500
EVICTED = 32
"""How many go at a time, until there is room."""

SCHEMA = """
CREATE TABLE embedding(
  id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, embed_hash TEXT NOT NULL, used INTEGER NOT NULL,
  vector BLOB NOT NULL, UNIQUE(fingerprint, embed_hash));
CREATE INDEX embedding_used ON embedding(used);
"""


class EmbeddingCache:
    """One connection to the cache. Safe to call from any thread: calls wait for each other.

    Reading writes nothing; what was read counts as used from the next ``put_many`` or ``close`` on.
    """

    def __init__(self, path: Path, *, limit_bytes: int = LIMIT_BYTES, steps: Steps = no_steps) -> None:
        """Open or make the cache. Raises ``LibraryError`` where the place cannot be used at all."""
        self.path = path
        self.replaced = ""
        self._limit = limit_bytes
        self._steps = steps
        self._guard = threading.Lock()
        self._touched: set[tuple[str, str]] = set()
        try:
            self._connection = _open(path)
        except (CorruptIndexError, NewerSchemaError, OlderSchemaError) as error:
            self._begin_anew(error)

    def close(self) -> None:
        with self._guard:
            with suppress(LibraryError):  # what was used is a hint: nothing is lost without it
                self._done(self._note_used)
            self._connection.close()

    def get_many(
        self, fingerprint: str, hashes: Sequence[str], *, dimensions: int | None = None
    ) -> dict[str, Vectors]:
        """Those of these embeddings that are known: hash → ``(dimensions,) float32``, L2-normalised.

        Rows that are not usable, or not of ``dimensions`` where that is said, count as unknown.
        """
        found: dict[str, object] = {}

        def select(connection: sqlite3.Connection) -> None:
            with read(connection):
                for batch in _batches(list(dict.fromkeys(hashes))):
                    found.update(_select(connection, fingerprint, batch))

        with self._guard:
            self._done(select)
            usable = {
                key: row
                for key, blob in found.items()
                if (row := unit(fingerprint, key, blob, dimensions)) is not None
            }
            self._touched.update((fingerprint, key) for key in usable)
        return usable

    def put_many(self, fingerprint: str, hashes: Sequence[str], vectors: Vectors) -> None:
        """Keep these embeddings, row for row, as the most recently used; the least recently used make room.

        Rows that are no unit vectors are passed over. Raises ``DiskFullError`` and ``LibraryError``.
        """
        matrix = np.ascontiguousarray(vectors, dtype=ROW)
        if len(hashes) != len(matrix):
            raise ValueError(f"{len(hashes)} hashes and {len(matrix)} vectors")
        usable = are_units(matrix)
        rows = [
            (hashes[place], sealed_vector(fingerprint, hashes[place], matrix[place]))
            for place in np.flatnonzero(usable).tolist()
        ]

        def insert(connection: sqlite3.Connection) -> None:
            with write(connection):
                now = self._note_used(connection)
                connection.executemany(
                    "INSERT INTO embedding(fingerprint, embed_hash, used, vector) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT DO UPDATE SET used = excluded.used, vector = excluded.vector",
                    ((fingerprint, key, now, blob) for key, blob in rows),
                )
                _evict(connection, self._limit)

        with self._guard:
            self._done(insert)
        self._steps("cache.committed")

    def begin_anew(self, problem: str) -> None:
        """Throw away everything, for what was found wrong with it."""
        with self._guard:
            self._connection.close()
            self._begin_anew(CorruptIndexError(problem))

    def _done(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """``work`` on the connection. Where the file turns out to be damaged, on nothing: it is begun
        anew."""
        try:
            with translated(self.path):
                work(self._connection)
        except CorruptIndexError as error:
            self._connection.close()
            self._begin_anew(error)

    def _begin_anew(self, error: LibraryError) -> None:
        """Delete the file and what stands beside it, and open an empty one; where it may not be written, go on
        without."""
        self._touched.clear()
        if not writable(self.path):
            self._connection = _in_memory()
            return
        with translated(self.path):
            for end in ("", "-wal", "-shm", "-journal"):
                self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        self.replaced = f"the embedding cache was begun anew: {error.problem}"
        self._connection = _open(self.path)

    def _note_used(self, connection: sqlite3.Connection) -> int:
        """Move what was read since the last write to the front; the number that stands for now."""
        now = int(connection.execute("SELECT coalesce(max(used), 0) + 1 FROM embedding").fetchone()[0])
        connection.executemany(
            "UPDATE embedding SET used = ? WHERE fingerprint = ? AND embed_hash = ?",
            [(now, *key) for key in sorted(self._touched)],
        )
        self._touched.clear()
        return now


def _open(path: Path) -> sqlite3.Connection:
    if not path.exists() and not writable(path):
        return _in_memory()
    if not path.exists():
        with translated(path), closing(sqlite3.connect(path, timeout=10)) as fresh:
            fresh.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            fresh.execute("VACUUM")  # writes the header: the size cannot change once the file is in WAL mode
    connection = connect(path, synchronous="NORMAL")
    try:
        prepare(connection, path, version=VERSION, schema=SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection


def _in_memory() -> sqlite3.Connection:
    """A cache for this process alone, where an index that may not be written has none."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    for statement in statements(SCHEMA):
        connection.execute(statement)
    return connection


def _select(
    connection: sqlite3.Connection, fingerprint: str, hashes: Sequence[str]
) -> Iterator[tuple[str, object]]:
    marks = ",".join("?" * len(hashes))
    return connection.execute(
        f"SELECT embed_hash, vector FROM embedding WHERE fingerprint = ? AND embed_hash IN ({marks})",
        (fingerprint, *hashes),
    )


def sealed_vector(fingerprint: str, embed_hash: str, vector: Vectors) -> bytes:
    """A vector as it is stored: behind a checksum of its key and its bytes, for a changed bit may leave its length
    as it was."""
    return sealed(np.ascontiguousarray(vector, dtype=ROW).tobytes(), seal(fingerprint, embed_hash))


def unit(fingerprint: str, embed_hash: str, blob: object, dimensions: int | None = None) -> Vectors | None:
    """The vector that a row holds; None where it holds none that can be used."""
    if not isinstance(blob, bytes) or len(blob) <= SEAL_BYTES or len(blob) % ROW.itemsize:
        return None
    if not is_sealed(blob, seal(fingerprint, embed_hash)):
        return None
    row = np.frombuffer(blob, dtype=ROW, offset=SEAL_BYTES)
    if dimensions is not None and len(row) != dimensions:
        return None
    return row if are_units(row.reshape(1, -1))[0] else None


def _evict(connection: sqlite3.Connection, limit: int) -> None:
    """Drop the least recently used, where the limit is passed, down to the low water."""
    if _bytes_used(connection) <= limit:
        return
    while _bytes_used(connection) > limit * LOW_WATER:
        dropped = connection.execute(
            "DELETE FROM embedding WHERE id IN (SELECT id FROM embedding ORDER BY used, id LIMIT ?)",
            (EVICTED,),
        )
        if not dropped.rowcount:
            return


def _bytes_used(connection: sqlite3.Connection) -> int:
    """The bytes of the file that hold something; what an eviction freed is written over before the file
    grows."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _batches(hashes: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(hashes), BATCH):
        yield hashes[start : start + BATCH]
