"""Reading a database that may not be written: another user's, or one on a read-only file system.

A database in WAL mode is read through its log and an index of that log, ``-wal`` and ``-shm`` beside it, and
SQLite wants to make both (sqlite.org/wal.html, "Read-Only Databases"). Where they are there, they are read. Where
the log is gone, because the last writer closed it, the file alone is the whole state and is opened as one that
does not change; that it did not is looked at after each reading (``require_unchanged``). Only a log without its
index cannot be read without writing, and says so.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from engine.errors import BusyError, LibraryError

Stamp = tuple[int, int, int]


class Frozen(sqlite3.Connection):
    """A connection that takes its file for one that does not change; ``seen`` is its stamp when it was opened."""

    path: Path
    seen: Stamp


def writable(path: Path) -> bool:
    """Whether a database may be written or made here: the file, and the folder for its log."""
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return not path.parent.exists()  # nothing is there to be read: let the opening say so
    return not path.exists() or os.access(path, os.W_OK)


def opened_to_read(
    path: Path, busy_ms: int, inspect: Callable[[sqlite3.Connection], None]
) -> sqlite3.Connection:
    """A connection that writes nothing, not even beside the file. ``inspect`` may refuse it.

    Raises ``LibraryError``, ``sqlite3.Error``.
    """
    log, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    if os.access(index, os.R_OK) and log.exists():
        return _opened(path, "mode=ro", sqlite3.Connection, busy_ms, inspect)
    if log.exists() and log.stat().st_size:
        raise LibraryError(
            f"{path} may not be written here, and its last changes lie in a log that only a writer can take in",
            "let its owner open it once, or copy its folder to where you may write and name that with --data",
        )
    seen = _stamp(path)
    connection = _opened(path, "mode=ro&immutable=1", Frozen, busy_ms, inspect)
    assert isinstance(connection, Frozen)
    connection.path, connection.seen = path, seen
    return connection


def unchanged(connection: sqlite3.Connection) -> bool:
    """Whether what a connection reads is still what lies there; only one that takes its file for unchanging may
    be wrong."""
    return not isinstance(connection, Frozen) or _stamp(connection.path) == connection.seen


def require_unchanged(*connections: sqlite3.Connection) -> None:
    """To be called after reading: raises ``BusyError`` where what was read counts for nothing, for its file was
    changed meanwhile."""
    for connection in connections:
        if not unchanged(connection):
            assert isinstance(connection, Frozen)
            raise BusyError(f"{connection.path} was changed by its owner while it was read", "ask again")


def _opened(
    path: Path,
    query: str,
    factory: type[sqlite3.Connection],
    busy_ms: int,
    inspect: Callable[[sqlite3.Connection], None],
) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{query}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=busy_ms / 1000,
        factory=factory,
    )
    try:
        connection.execute(f"PRAGMA busy_timeout = {busy_ms}")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        inspect(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _stamp(path: Path) -> Stamp:
    """Of a file that is gone, one that no file has."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return 0, 0, 0
    return status.st_ino, status.st_size, status.st_mtime_ns
