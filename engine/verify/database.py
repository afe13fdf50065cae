"""One file of SQLite: whole by SQLite's own check, with the tables that it should have and nothing that acts.

Any statement here gives up within 20 ms of a cancel: SQLite's check of a large file is one long statement.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.store.connect import statements

WATCH_SECONDS = 0.02
PROBLEMS = 20
"""Of one file that are told; a damaged one has thousands, and one is enough to build it anew."""


@contextmanager
def interruptible(connection: sqlite3.Connection, cancel: CancelToken) -> Iterator[None]:
    """A statement inside is interrupted when the token is cancelled, and ``Cancelled`` raised."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(WATCH_SECONDS):
            if cancel.cancelled:
                connection.interrupt()

    watcher = threading.Thread(target=watch, name="rankscope-interrupt", daemon=True)
    watcher.start()
    try:
        yield
    except sqlite3.OperationalError:
        if cancel.cancelled:
            raise Cancelled from None
        raise
    finally:
        ended.set()
        watcher.join()


def integrity(connection: sqlite3.Connection, *, cancel: CancelToken) -> list[str]:
    """What SQLite says is wrong with the file, a sentence each. Raises ``sqlite3.Error`` where it cannot be read at
    all, ``Cancelled``."""
    with interruptible(connection, cancel):
        told = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({PROBLEMS})")]
        problems = [" ".join(each.split()) for each in told if each != "ok"]
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    for table in sorted({str(row[0]) for row in broken}):
        problems.append(f"rows of {table} refer to rows that are not there")
    return problems


def schema_problems(connection: sqlite3.Connection, *schemas: str) -> list[str]:
    """How the tables differ from those of these schemas; a table more than they have is not one of them."""
    with _of(*schemas) as wanted:
        expected, found = _tables(wanted), _tables(connection)
    problems = []
    for name, columns in expected.items():
        if name not in found:
            problems.append(f"the table {name} is missing")
        elif found[name] != columns:
            problems.append(f"the table {name} has other columns than it should")
    acting = connection.execute(
        "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name"
    )
    problems += (f"it holds a {kind} {name!r}, and nothing of ours acts by itself" for kind, name in acting)
    return problems


def strange_tables(connection: sqlite3.Connection, *schemas: str) -> list[str]:
    """Tables that none of these schemas has."""
    with _of(*schemas) as wanted:
        return sorted(_tables(connection).keys() - _tables(wanted).keys())


@contextmanager
def _of(*schemas: str) -> Iterator[sqlite3.Connection]:
    """An empty database with these schemas."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for schema in schemas:
            for statement in statements(schema):
                connection.execute(statement)
        yield connection
    finally:
        connection.close()


def _tables(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Name, type, whether NULL is barred, and place in the key of every column, by table."""
    names = [
        row[0]
        for row in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    ]
    return {
        name: sorted(
            tuple(row)
            for row in connection.execute(
                'SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (name,)
            )
        )
        for name in names
    }
