"""Edits in the library file: every step that was taken, and the pins that they have led to. The user's, never
derived.

The log is append-only: an undo is a step like any other, with what it took away and what it put back. The pins
are what all steps together leave, changed in the step's own transaction.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.edits.pin import Pin, pin_from_json
from engine.errors import CorruptIndexError
from engine.store.connect import connect, translated, write
from engine.store.steps import Steps, no_steps

Action = Literal[
    "text", "split", "merge", "disable", "enable", "delete", "restore", "resolve", "undo", "import"
]

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS edit("
    " seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, action TEXT NOT NULL,"
    " document_id TEXT NOT NULL, removed TEXT NOT NULL, added TEXT NOT NULL, undoes INTEGER)",
    "CREATE INDEX IF NOT EXISTS edit_document ON edit(document_id)",
    "CREATE TABLE IF NOT EXISTS pin("
    " id TEXT PRIMARY KEY, document_id TEXT NOT NULL, revision TEXT NOT NULL, parser TEXT NOT NULL,"
    " seq INTEGER NOT NULL, body TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS pin_document ON pin(document_id, seq)",
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the history: the pins that it took away and those that it put in their place. ``at`` is in Unix
    seconds; ``undoes`` is the step that it takes back, if it does."""

    seq: int
    at: float
    action: Action
    document_id: str
    removed: tuple[Pin, ...]
    added: tuple[Pin, ...]
    undoes: int | None = None

    @property
    def path(self) -> str:
        return next(pin.path for pin in (*self.added, *self.removed))


class EditStore:
    """A connection of its own to ``library.sqlite``, for one thread at a time. Close it."""

    def __init__(self, path: Path, *, steps: Steps = no_steps) -> None:
        self.path = path
        self._steps = steps
        self._connection = connect(path, synchronous="FULL", create=False)

    def close(self) -> None:
        self._connection.close()

    def append(
        self,
        action: Action,
        document_id: str,
        removed: Sequence[Pin],
        added: Sequence[Pin],
        *,
        undoes: int | None = None,
    ) -> Step:
        """Take a step: these pins go, those come. Durable when it returns.

        Raises ``LibraryError`` where the file cannot be written, ``CorruptIndexError`` where a pin to be taken
        away is not as it is given: another process has changed it meanwhile.
        """
        now = time.time()
        with translated(self.path), write(self._connection) as connection:
            for statement in SCHEMA:
                connection.execute(statement)
            for pin in removed:
                if connection.execute(
                    "DELETE FROM pin WHERE id = ? AND body = ?", (pin.id, _body(pin))
                ).rowcount != 1:  # fmt: skip
                    raise CorruptIndexError(
                        f"an edit of {pin.path} is not what it was a moment ago", "look at it again"
                    )
            seq = connection.execute(
                "INSERT INTO edit(at, action, document_id, removed, added, undoes) VALUES (?, ?, ?, ?, ?, ?)",
                (now, action, document_id, _bodies(removed), _bodies(added), undoes),
            ).lastrowid
            _insert_pins(connection, ((pin, seq or 0) for pin in added))
        self._steps("edit.appended")
        return Step(int(seq or 0), now, action, document_id, tuple(removed), tuple(added), undoes)

    def restore_pins(self) -> int:
        """Make the pins anew from the history, which is the truth; how many there are now."""
        if not self._kept():
            return 0
        left: dict[str, tuple[Pin, int]] = {}
        for step in reversed(self.steps()):
            for pin in step.removed:
                left.pop(pin.id, None)
            left.update((pin.id, (pin, step.seq)) for pin in step.added)
        with translated(self.path), write(self._connection) as connection:
            connection.execute("DELETE FROM pin")
            _insert_pins(connection, left.values())
        return len(left)

    def pins(self, document_id: str) -> tuple[Pin, ...]:
        """The pins of a document, the earliest first."""
        return pins_of(self._connection, document_id) if self._kept() else ()

    def every_pin(self) -> tuple[Pin, ...]:
        """The pins of all documents, by document, the earliest first."""
        return _pins(self._connection, "ORDER BY document_id, seq, rowid") if self._kept() else ()

    def last(self) -> int:
        """The number of the last step, 0 before the first."""
        return last(self._connection) if self._kept() else 0

    def changed_after(self, seq: int) -> list[str]:
        """The documents that steps behind this one have changed."""
        if not self._kept():
            return []
        rows = self._connection.execute(
            "SELECT DISTINCT document_id FROM edit WHERE seq > ? ORDER BY document_id", (seq,)
        )
        return [document_id for (document_id,) in rows]

    def steps(self, document_id: str | None = None) -> list[Step]:
        """The history, the latest step first."""
        if not self._kept():
            return []
        where, given = ("WHERE document_id = ?", (document_id,)) if document_id else ("", ())
        rows = self._connection.execute(
            f"SELECT seq, at, action, document_id, removed, added, undoes FROM edit {where} ORDER BY seq DESC",
            given,
        )
        return [
            Step(seq, at, action, document, _unpacked(removed), _unpacked(added), undoes)
            for seq, at, action, document, removed, added, undoes in rows
        ]

    def _kept(self) -> bool:
        with translated(self.path):
            return kept(self._connection)


def _insert_pins(connection: sqlite3.Connection, pins: Iterable[tuple[Pin, int]]) -> None:
    """Each pin with the step that made it."""
    connection.executemany(
        "INSERT INTO pin(id, document_id, revision, parser, seq, body) VALUES (?, ?, ?, ?, ?, ?)",
        [(pin.id, pin.document_id, pin.revision, pin.parser, seq, _body(pin)) for pin, seq in pins],
    )


def kept(connection: sqlite3.Connection) -> bool:
    """Whether a library file has had an edit yet: its tables come with the first."""
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'pin'").fetchone() is not None


def last(connection: sqlite3.Connection) -> int:
    """The number of the last step in a library file that has any."""
    return int(connection.execute("SELECT ifnull(max(seq), 0) FROM edit").fetchone()[0])


def revisions_of(connection: sqlite3.Connection, document_id: str) -> set[tuple[str, str]]:
    """The revisions, with their parsers, in which the pins of a document were made."""
    rows = connection.execute(
        "SELECT DISTINCT revision, parser FROM pin WHERE document_id = ?", (document_id,)
    )
    return {(revision, parser) for revision, parser in rows}


def pins_of(connection: sqlite3.Connection, document_id: str) -> tuple[Pin, ...]:
    """The pins of a document in a library file that has any, the earliest first."""
    return _pins(connection, "WHERE document_id = ? ORDER BY seq, rowid", (document_id,))


def _pins(connection: sqlite3.Connection, rest: str, given: tuple[str, ...] = ()) -> tuple[Pin, ...]:
    rows = connection.execute(f"SELECT body FROM pin {rest}", given)
    return tuple(_pin(body) for (body,) in rows)


def _body(pin: Pin) -> str:
    return json.dumps(pin.to_json(), ensure_ascii=True, sort_keys=True)


def _bodies(pins: Iterable[Pin]) -> str:
    return json.dumps([pin.to_json() for pin in pins], ensure_ascii=True, sort_keys=True)


def _pin(body: str) -> Pin:
    return pin_from_json(_parsed(body))


def _unpacked(bodies: str) -> tuple[Pin, ...]:
    found = _parsed(bodies)
    return tuple(pin_from_json(one) for one in found) if isinstance(found, list) else ()


def _parsed(body: str) -> object:
    try:
        return json.loads(body)
    except ValueError as error:
        raise CorruptIndexError(
            "an edit kept in the library file is damaged", "restore a backup of it"
        ) from error
