"""A generation: one derived index of a library, built with one chunking. Owns its folder, file and
connections.

Everything in it can be built again from the sources and the library file. What its tables hold is written by
``documents`` and read by ``chunks``; postings and vectors bring their own tables.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from engine.errors import CorruptIndexError
from engine.recall.analysis import analyser_version
from engine.settings import Chunking
from engine.store import postings, vectors
from engine.store.chunk_cache import ChunkCache
from engine.store.connect import connect, prepare, translated, write
from engine.store.lease import SharedLock
from engine.store.reading import require_unchanged, unchanged
from engine.store.steps import Steps, no_steps

VERSION = 5
SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE state(
  only INTEGER PRIMARY KEY CHECK (only = 1), commit_number INTEGER NOT NULL, applied_edit INTEGER NOT NULL);
INSERT INTO state VALUES (1, 0, 0);
CREATE TABLE label_set(
  id INTEGER PRIMARY KEY, labels TEXT NOT NULL UNIQUE, seal INTEGER NOT NULL,
  documents INTEGER NOT NULL DEFAULT 0, chunks INTEGER NOT NULL DEFAULT 0,
  waiting INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0,
  corpus_sum TEXT NOT NULL DEFAULT '0', vector_sum TEXT NOT NULL DEFAULT '0');
CREATE TABLE file(
  path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL, sha256 TEXT NOT NULL, reason TEXT NOT NULL, recipe TEXT NOT NULL,
  chunking TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE document(
  did INTEGER PRIMARY KEY, document_id TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE, file TEXT NOT NULL,
  title TEXT NOT NULL, revision TEXT NOT NULL, kind TEXT NOT NULL, language TEXT NOT NULL, parser TEXT NOT NULL,
  encoding TEXT NOT NULL, doubtful INTEGER NOT NULL, label_set INTEGER NOT NULL REFERENCES label_set(id),
  characters INTEGER NOT NULL, lines INTEGER NOT NULL, chunks INTEGER NOT NULL, conflicts INTEGER NOT NULL,
  corpus_term TEXT NOT NULL, seal INTEGER NOT NULL);
CREATE INDEX document_file ON document(file);
CREATE INDEX document_labels ON document(label_set);
CREATE TABLE chunk(
  cid INTEGER PRIMARY KEY AUTOINCREMENT, did INTEGER NOT NULL REFERENCES document(did), chunk_id TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL, ordinal INTEGER NOT NULL, parent TEXT,
  start INTEGER NOT NULL, "end" INTEGER NOT NULL, line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
  heading_path TEXT NOT NULL, text TEXT NOT NULL, text_hash TEXT NOT NULL, embed_hash TEXT NOT NULL,
  vector TEXT NOT NULL CHECK (vector IN ('none', 'waiting', 'ready', 'refused')),
  edited INTEGER NOT NULL, enabled INTEGER NOT NULL, pin TEXT NOT NULL, seal INTEGER NOT NULL);
CREATE INDEX chunk_place ON chunk(did, ordinal);
CREATE INDEX chunk_waiting ON chunk(cid) WHERE vector = 'waiting';
CREATE INDEX chunk_edited ON chunk(did) WHERE edited OR NOT enabled;
"""


class Generation:
    """An open generation. Readers are borrowed from a pool; writing is for the lease holder."""

    def __init__(self, folder: Path, *, steps: Steps = no_steps) -> None:
        self.folder = folder
        self.id = folder.name
        self.path = folder / "index.sqlite"
        self.steps = steps
        if not self.path.is_file():
            raise CorruptIndexError(f"the generation {self.id} has lost its index", _REBUILD)
        self._lock = SharedLock(folder)
        self._idle: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._closed = False
        self._writing = threading.RLock()
        self._writer: sqlite3.Connection | None = None
        self.postings = postings.Cache()
        self.chunks = ChunkCache()
        try:
            with self.reading() as connection:
                self.meta = dict(connection.execute("SELECT key, value FROM meta"))
            self.chunking = _chunking(self.meta, self.path)
        except BaseException:
            self.close()
            raise

    @property
    def current(self) -> bool:
        """Whether this version's analyser made its postings; otherwise it has to be built again."""
        return self.meta.get("analyser") == analyser_version()

    @classmethod
    def create(
        cls, folder: Path, *, chunking: Chunking, meta: dict[str, str], steps: Steps = no_steps
    ) -> Generation:
        """Make an empty generation. It serves nobody until the library's pointer names it."""
        with translated(folder):
            folder.mkdir(parents=True)
        path = folder / "index.sqlite"
        connection = connect(path, synchronous="NORMAL")
        try:
            prepare(connection, path, version=VERSION, schema=SCHEMA + postings.SCHEMA + vectors.SCHEMA)
            with translated(path), write(connection):
                facts = {**meta, "chunking": json.dumps(asdict(chunking), sort_keys=True)}
                connection.executemany("INSERT INTO meta(key, value) VALUES (?, ?)", facts.items())
        finally:
            connection.close()
        steps("generation.created")
        return cls(folder, steps=steps)

    def close(self) -> None:
        """Give up all connections and the shared lock."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._lock.release()

    def remember(self, **facts: str) -> None:
        """Keep facts about the generation, such as its embedder or that it is whole."""
        with self.writing() as connection:
            for key, value in facts.items():
                connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (key, value))
        self.meta.update(facts)

    # --- connections ---

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One write transaction. It raises the commit number, by which readers know one state from
        another. Threads of the lease holder take turns: one may sync or embed while another edits."""
        with self._writing, translated(self.path):
            if self._writer is None:
                self._writer = self._open()
            with write(self._writer) as connection:
                connection.execute("UPDATE state SET commit_number = commit_number + 1")
                yield connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One read transaction on one connection of the pool."""
        with self.snapshot(1) as (connection,):
            yield connection

    @contextmanager
    def snapshot(self, count: int) -> Iterator[tuple[sqlite3.Connection, ...]]:
        """``count`` read transactions that all see one and the same commit, for channels that run side by
        side."""
        connections = tuple(self._borrow() for _ in range(count))
        try:
            with translated(self.path):
                _agree(connections)
                try:
                    yield connections
                finally:
                    require_unchanged(*connections)
        finally:
            for connection in connections:
                with suppress(sqlite3.Error):
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            self._return(connections)

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, so that what follows does not read through it."""
        with self._writing, translated(self.path):
            if self._writer is None:
                self._writer = self._open()
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def _borrow(self) -> sqlite3.Connection:
        with self._guard:
            while self._idle:
                connection = self._idle.pop()
                if unchanged(connection):
                    return connection
                connection.close()
        return self._open()

    def _return(self, connections: tuple[sqlite3.Connection, ...]) -> None:
        """Back to the pool; a query that outlived its generation closes what it used."""
        with self._guard:
            if not self._closed:
                self._idle.extend(connections)
                return
        for connection in connections:
            connection.close()

    def _open(self) -> sqlite3.Connection:
        connection = connect(self.path, synchronous="NORMAL", create=False)
        try:
            prepare(connection, self.path, version=VERSION, schema=SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection

    def delete(self) -> bool:
        """Remove the folder, if nobody else uses it; false where somebody does. The object is closed either
        way."""
        alone = self._lock.exclusive()
        self.close()
        if alone:
            with translated(self.folder):
                shutil.rmtree(self.folder)
            self.steps("generation.deleted")
        return alone


_REBUILD = "rebuild it with `rankscope index PATH --rebuild`"


def commit_number(connection: sqlite3.Connection) -> int:
    """Which state a read transaction sees."""
    return int(connection.execute("SELECT commit_number FROM state").fetchone()[0])


def applied_edit(connection: sqlite3.Connection) -> int:
    """The last step of the history of edits that a generation holds."""
    return int(connection.execute("SELECT applied_edit FROM state").fetchone()[0])


def mark_applied(connection: sqlite3.Connection, seq: int) -> None:
    """Say that a generation holds every step up to this one."""
    connection.execute("UPDATE state SET applied_edit = max(applied_edit, ?)", (seq,))


def mark_unapplied(connection: sqlite3.Connection, seq: int) -> None:
    """Say that a generation may lack what was edited after this step."""
    connection.execute("UPDATE state SET applied_edit = min(applied_edit, ?)", (seq,))


def _agree(connections: tuple[sqlite3.Connection, ...]) -> None:
    """Begin a read transaction on each, again and again until all see one commit."""
    while True:
        seen = set()
        for connection in connections:
            connection.execute("BEGIN")
            seen.add(commit_number(connection))
        if len(seen) == 1:
            return
        for connection in connections:
            connection.execute("ROLLBACK")


def _chunking(meta: dict[str, str], path: Path) -> Chunking:
    try:
        return Chunking(**json.loads(meta["chunking"]))
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptIndexError(f"{path} does not say how it was cut", _REBUILD) from error


def discard(folder: Path, *, steps: Steps = no_steps) -> bool:
    """Remove a generation's folder, whole or not, if nobody uses it; false where somebody does."""
    lock = SharedLock(folder)
    try:
        if not lock.exclusive():
            return False
        with translated(folder):
            shutil.rmtree(folder)
    finally:
        lock.release()
    steps("generation.deleted")
    return True


def drop_unreferenced(folder: Path) -> None:
    """Remove the page files that a compaction left behind, if nobody reads the generation."""
    lock = SharedLock(folder)
    try:
        if not lock.exclusive():
            return
        path = folder / "index.sqlite"
        connection = connect(path, synchronous="NORMAL", create=False)
        try:
            with translated(path):
                for file in vectors.unreferenced(connection, folder):
                    file.unlink()
        finally:
            connection.close()
    finally:
        lock.release()
