"""``library.sqlite``: what is the user's. Archived revisions, tasks, and which generation serves.

Nothing here is derived; a generation or the cache may be deleted at any time, this file may not.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.edits.pin import Pin
from engine.errors import CorruptIndexError
from engine.model import Revision, Skipped
from engine.store import edits, tasks
from engine.store.connect import connect, prepare, read, translated, write
from engine.store.reading import require_unchanged, unchanged
from engine.store.steps import Steps, no_steps

VERSION = 1
KEPT_REVISIONS = 3
_INCLUDE = "include"
SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE content(
  revision TEXT NOT NULL, parser TEXT NOT NULL, encoding TEXT NOT NULL, doubtful INTEGER NOT NULL,
  title TEXT NOT NULL, text BLOB NOT NULL, PRIMARY KEY(revision, parser)) WITHOUT ROWID;
CREATE TABLE archive(
  document_id TEXT NOT NULL, revision TEXT NOT NULL, parser TEXT NOT NULL, path TEXT NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY(document_id, revision, parser)) WITHOUT ROWID;
CREATE INDEX archive_content ON archive(revision, parser);
CREATE TABLE task(
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, generation TEXT NOT NULL, state TEXT NOT NULL,
  started REAL NOT NULL, ended REAL, done INTEGER NOT NULL DEFAULT 0,
  detail TEXT NOT NULL DEFAULT '');
"""


ALIAS = "CREATE TABLE IF NOT EXISTS alias(file TEXT PRIMARY KEY, origin TEXT NOT NULL) WITHOUT ROWID"


@dataclass(frozen=True, slots=True)
class Archived:
    """A revision to archive under the document that has it."""

    document_id: str
    path: str
    revision: Revision


class LibraryFile:
    """One connection to ``library.sqlite``, for one thread at a time."""

    def __init__(self, path: Path, *, steps: Steps = no_steps) -> None:
        self.path = path
        self._steps = steps
        self._connection = connect(path, synchronous="FULL")
        try:
            if prepare(self._connection, path, version=VERSION, schema=SCHEMA):
                steps("library.created")
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    # --- which generation serves ---

    def serving(self) -> str | None:
        """The id of the generation that serves, None before the first."""
        return self.value("serving")

    def serve(self, generation: str) -> None:
        """Move the pointer: the one step in which a generation takes over. The one before is remembered."""
        with translated(self.path), write(self._connection):
            before = self.value("serving")
            self._set("serving", generation)
            if before and before != generation:
                self._set("before", before)
        self._steps("pointer.moved")

    def previous(self) -> str | None:
        """The generation that served before, kept for a rollback."""
        return self.value("before")

    def value(self, key: str) -> str | None:
        if not unchanged(self._connection):
            self._connection.close()
            self._connection = connect(self.path, synchronous="FULL", create=False)
        with translated(self.path):
            row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            require_unchanged(self._connection)
        return str(row[0]) if row else None

    def remember(self, key: str, value: str) -> None:
        """Keep a small fact of the library (its root, its embedder)."""
        with translated(self.path), write(self._connection):
            self._set(key, value)

    # --- what of the folder is the library ---

    def include(self) -> tuple[str, ...]:
        """The patterns of what is indexed, in the syntax of ignore files; none means everything."""
        try:
            found = json.loads(self.value(_INCLUDE) or "[]")
        except ValueError as error:
            raise _no_patterns(self.path) from error
        if not isinstance(found, list) or not all(isinstance(pattern, str) for pattern in found):
            raise _no_patterns(self.path)
        return tuple(found)

    def include_only(self, patterns: Sequence[str]) -> None:
        """Index only what these match, from now on. Writes nothing where that was so already."""
        said = json.dumps(list(patterns), ensure_ascii=False)
        if said != (self.value(_INCLUDE) or "[]"):
            self.remember(_INCLUDE, said)

    def _set(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (key, value))

    # --- files that were renamed ---

    def origins(self) -> dict[str, str]:
        """For each file that goes by another name than its path, the path by which its documents are named."""
        with translated(self.path):
            if not self._connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'alias'").fetchone():
                return {}
            return dict(self._connection.execute("SELECT file, origin FROM alias"))

    def former_paths(self) -> list[tuple[str, str]]:
        """Document id and path of every document at every path under which a revision of it is archived."""
        with translated(self.path):
            return self._connection.execute(
                "SELECT DISTINCT document_id, path FROM archive ORDER BY seq"
            ).fetchall()

    def name_after(self, origins: Mapping[str, str]) -> None:
        """Let these files go by these names, from now on. Writes nothing where there are none."""
        if not origins:
            return
        with translated(self.path), write(self._connection) as connection:
            connection.execute(ALIAS)
            connection.executemany(
                "INSERT OR REPLACE INTO alias(file, origin) VALUES (?, ?)", sorted(origins.items())
            )
        self._steps("alias.recorded")

    # --- archived revisions ---

    def archive(self, revisions: Iterable[Archived]) -> None:
        """Keep these revisions, and of each document the last three, in one transaction."""
        with translated(self.path), write(self._connection) as connection:
            for item in revisions:
                _archive(connection, item)
        self._steps("revision.archived")

    def archive_again(self, item: Archived) -> None:
        """Put a revision in place of what is kept of it, which is damaged or lost."""
        with translated(self.path), write(self._connection) as connection:
            connection.execute(
                "DELETE FROM content WHERE revision = ? AND parser = ?",
                (item.revision.revision, item.revision.parser),
            )
            _archive(connection, item)
        self._steps("revision.archived")

    def revision(self, revision: str, parser: str) -> Revision | None:
        """An archived revision, or None where it is no longer kept."""
        with translated(self.path), read(self._connection):
            return revision_in(self._connection, self.path, revision, parser)

    def text_of(self, revision: str, parser: str) -> str | None:
        """The text of an archived revision, or None where it is no longer kept."""
        found = self.revision(revision, parser)
        return None if found is None else found.text

    def pins(self, document_id: str) -> tuple[Pin, ...]:
        """The edits of a document, the earliest first."""
        with translated(self.path):
            return edits.pins_of(self._connection, document_id) if edits.kept(self._connection) else ()

    def last_edit(self) -> int:
        """The number of the last step of the history of edits, 0 before the first."""
        with translated(self.path):
            return edits.last(self._connection) if edits.kept(self._connection) else 0

    # --- tasks ---

    def begin_task(self, kind: str, generation: str) -> int:
        """A durable record that the work began; ``end_task`` completes it, or its absence says it was cut
        short."""
        with translated(self.path), write(self._connection) as connection:
            return tasks.begin(connection, kind, generation)

    def reach_task(self, task: int, done: int, total: int) -> None:
        """How far a running task is."""
        with translated(self.path), write(self._connection) as connection:
            tasks.reached(connection, task, done, total)

    def end_task(
        self,
        task: int,
        state: tasks.State,
        *,
        done: int,
        total: int = 0,
        detail: str = "",
        failures: Sequence[Skipped] = (),
    ) -> None:
        with translated(self.path), write(self._connection) as connection:
            tasks.end(connection, task, state, done=done, total=total, detail=detail, failures=failures)

    def interrupt_tasks(self) -> None:
        """Say of what still counts as running that its process was cut short. For the holder of the lease, before
        it begins anything."""
        with translated(self.path), write(self._connection) as connection:
            tasks.interrupt(connection)

    def tasks(self, limit: int = tasks.KEPT) -> tuple[tasks.Task, ...]:
        """The last tasks, the latest first."""
        with translated(self.path), read(self._connection):
            return tasks.latest(self._connection, limit)


def _no_patterns(path: Path) -> CorruptIndexError:
    return CorruptIndexError(
        f"{path} does not say what belongs to the library", "say it again with --include"
    )


@contextmanager
def reading_archive(path: Path) -> Iterator[Callable[[str, str], Revision | None]]:
    """The archived revisions of a library file, by revision and parser, on a connection of its own: for a
    thread beside the one that writes."""
    connection = connect(path, synchronous="FULL", create=False)
    try:
        with translated(path), read(connection):
            yield lambda revision, parser: revision_in(connection, path, revision, parser)
    finally:
        connection.close()


def revision_in(connection: sqlite3.Connection, path: Path, revision: str, parser: str) -> Revision | None:
    """An archived revision, or None where it is no longer kept. Raises ``CorruptIndexError``."""
    row = connection.execute(
        "SELECT encoding, doubtful, title, text FROM content WHERE revision = ? AND parser = ?",
        (revision, parser),
    ).fetchone()
    if row is None:
        return None
    try:
        text = zlib.decompress(row[3]).decode("utf-8")
    except (zlib.error, UnicodeDecodeError) as error:
        raise CorruptIndexError(f"an archived revision in {path} is damaged", "restore a backup") from error
    return Revision(revision, text, row[0], bool(row[1]), parser, row[2])


def _archive(connection: sqlite3.Connection, item: Archived) -> None:
    revision = item.revision
    connection.execute(
        "INSERT OR IGNORE INTO content(revision, parser, encoding, doubtful, title, text) VALUES (?, ?, ?, ?, ?, ?)",
        (
            revision.revision,
            revision.parser,
            revision.encoding,
            revision.doubtful,
            revision.title,
            zlib.compress(revision.text.encode("utf-8"), 1),
        ),
    )
    latest = connection.execute(
        "SELECT ifnull(max(seq), 0) FROM archive WHERE document_id = ?", (item.document_id,)
    ).fetchone()[0]
    connection.execute(
        "INSERT OR REPLACE INTO archive(document_id, revision, parser, path, seq) VALUES (?, ?, ?, ?, ?)",
        (item.document_id, revision.revision, revision.parser, item.path, latest + 1),
    )
    dropped = connection.execute(
        "SELECT revision, parser FROM archive WHERE document_id = ? ORDER BY seq DESC LIMIT -1 OFFSET ?",
        (item.document_id, KEPT_REVISIONS),
    ).fetchall()
    pinned = edits.revisions_of(connection, item.document_id) if edits.kept(connection) else set()
    dropped = [old for old in dropped if old not in pinned]  # an edit is anchored by the text it was made in
    for old in dropped:
        connection.execute(
            "DELETE FROM archive WHERE document_id = ? AND revision = ? AND parser = ?",
            (item.document_id, *old),
        )
        connection.execute(
            "DELETE FROM content WHERE revision = ? AND parser = ? AND NOT EXISTS"
            " (SELECT 1 FROM archive WHERE archive.revision = content.revision AND archive.parser = content.parser)",
            old,
        )
