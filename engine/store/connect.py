"""Opening SQLite files the one safe way, and telling its errors in our words.

The busy timeout is set before WAL, so that many processes may open one new file at once. Write transactions
begin ``IMMEDIATE``: a read that is upgraded to a write would fail at once, whatever the timeout. A file that
may not be written is opened to be read; how, ``reading`` decides.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from engine.errors import (
    BusyError,
    CorruptIndexError,
    DiskFullError,
    LibraryError,
    NewerSchemaError,
    OlderSchemaError,
)
from engine.store.reading import opened_to_read, writable

BUSY_MS = 10_000
BATCH = 500
"""Values bound to one statement; every SQLite allows 999."""

_T = TypeVar("_T")

APPLICATION_ID = 0x52414E4B
"""``RANK``: marks our files, so that a foreign SQLite file is told from a damaged one."""


def connect(path: Path, *, synchronous: str, create: bool = True) -> sqlite3.Connection:
    """A connection in autocommit mode, for use by one thread at a time; one that only reads where the file may
    not be written.

    Raises ``LibraryError`` or one of its kind where the file cannot be opened as a database; one that is not ours
    stays as it was.
    """
    with translated(path):
        if not writable(path):
            return opened_to_read(path, BUSY_MS, lambda connection: _refuse_foreign(connection, path))
        mode = "rwc" if create else "rw"
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_MS / 1000,
        )
        try:
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            connection.execute("PRAGMA trusted_schema = OFF")
            _refuse_foreign(connection, path)  # before WAL, which rewrites the header
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA journal_size_limit = 16777216")
        except BaseException:
            connection.close()
            raise
    return connection


def prepare(connection: sqlite3.Connection, path: Path, *, version: int, schema: str) -> bool:
    """Create the schema in a new file, or check that an old one is of this version. True where it was created.

    Takes no lock where there is nothing to create: a reader opens while another process writes.
    """
    with translated(path):
        if not _tables(connection):
            with write(connection):
                if not _tables(connection):
                    for statement in statements(schema):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    connection.execute(f"PRAGMA user_version = {version}")
                    return True
        _refuse_foreign(connection, path)
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found > version:
        raise NewerSchemaError(
            f"{path} was written by a later version (schema {found}, this one reads {version})",
            "upgrade Rankscope",
        )
    if found < version:
        raise OlderSchemaError(
            f"{path} was written by an earlier version (schema {found}, this one reads {version})",
            _mend(path),
        )
    return False


def _tables(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Tables first: whoever makes a file commits its mark together with them."""
    if not _tables(connection):
        return
    if int(connection.execute("PRAGMA application_id").fetchone()[0]) != APPLICATION_ID:
        raise CorruptIndexError(
            f"{path} is a database, but not an index of Rankscope",
            "move it away or choose another --data folder",
        )


def statements(schema: str) -> Iterator[str]:
    """The statements of a schema one by one; ``executescript`` would commit the caller's transaction
    first."""
    statement = ""
    for line in schema.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement


def batches(items: Sequence[_T], size: int = BATCH) -> Iterator[list[_T]]:
    """The items in lists short enough to be bound to one statement."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


def marks(items: Sequence[object]) -> str:
    """A question mark for each item, as ``IN`` wants them."""
    return ",".join("?" * len(items))


@contextmanager
def write(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One write transaction: committed at the end, rolled back on any exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


@contextmanager
def read(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One read transaction: every statement inside sees the same state."""
    connection.execute("BEGIN")
    try:
        yield connection
    finally:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say about ``path`` into one sentence with a remedy."""
    try:
        yield
    except sqlite3.Error as error:
        raise _as_ours(error, path) from error
    except UnicodeDecodeError as error:  # SQLite quotes what it found in a damaged schema
        raise CorruptIndexError(f"{path} is damaged", _mend(path)) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(
                f"no room left to write {path}", "free some space and run it again"
            ) from error
        if error.errno == errno.EFBIG:
            raise DiskFullError(f"{path} may not grow any further", "raise the file size limit") from error
        raise LibraryError(
            f"{path} cannot be used ({error.strerror or error})", "check its permissions"
        ) from error


def _as_ours(error: sqlite3.Error, path: Path) -> LibraryError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _no_room(path)):
        return DiskFullError(f"no room left to write {path}", "free some space and run it again")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BusyError(
            f"{path} is in use by another process", "close the other one or try again in a moment"
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return CorruptIndexError(f"{path} is damaged, or is no database", _mend(path))
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return LibraryError(f"{path} cannot be opened or written", "check its permissions, or use --data DIR")
    if code == sqlite3.SQLITE_IOERR:
        return LibraryError(f"reading or writing {path} failed ({error})", "check the disk and try again")
    return CorruptIndexError(f"{path} does not hold what it should ({error})", _mend(path))


def _no_room(path: Path) -> bool:
    """Whether the disk is full to the last block: SQLite cannot even map its index of the log then, and says no
    more than that input or output failed."""
    with suppress(OSError):
        return shutil.disk_usage(path.parent).free == 0
    return False


def _mend(path: Path) -> str:
    if path.name == "library.sqlite":
        return "restore it from a backup, or move its folder away to begin a new index"
    return "it is derived: rebuild it with `rankscope index PATH --rebuild`"
