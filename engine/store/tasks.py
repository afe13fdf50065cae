"""The durable record of what a library's tasks did: syncs, rebuilds, embedding. Inside the caller's transaction.

A record is written when a task begins. One that was never ended says that its process was cut short.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.model import Skipped

KEPT = 1000
"""Records that are kept, the latest."""

LISTED = 1000
"""Failures of one task that are kept by name."""

State = Literal["running", "done", "failed", "cancelled", "interrupted"]

MORE = (
    "CREATE TABLE IF NOT EXISTS task_more("
    "task INTEGER PRIMARY KEY, total INTEGER NOT NULL DEFAULT 0, failures TEXT NOT NULL DEFAULT '[]')"
)


@dataclass(frozen=True, slots=True)
class Task:
    """One task. ``started`` and ``ended`` are seconds since the epoch, ``ended`` None while it runs; ``done`` of
    ``total`` are files. ``detail`` says why it failed; ``failures`` are the files that could not be read, and why.
    """

    id: int
    kind: str
    generation: str
    state: State
    started: float
    ended: float | None
    done: int
    total: int
    detail: str
    failures: tuple[Skipped, ...]

    @property
    def seconds(self) -> float | None:
        """How long it took; None while it runs, and where nobody knows when it was cut short."""
        return None if self.ended is None else max(0.0, self.ended - self.started)


def begin(connection: sqlite3.Connection, kind: str, generation: str) -> int:
    """A task has begun; its number."""
    cursor = connection.execute(
        "INSERT INTO task(kind, generation, state, started) VALUES (?, ?, 'running', ?)",
        (kind, generation, time.time()),
    )
    return int(cursor.lastrowid or 0)


def reached(connection: sqlite3.Connection, task: int, done: int, total: int) -> None:
    """How far a running task is, for other processes and for after a kill."""
    connection.execute(MORE)
    connection.execute("UPDATE task SET done = ? WHERE id = ?", (done, task))
    connection.execute(
        "INSERT INTO task_more(task, total) VALUES (?, ?) ON CONFLICT(task) DO UPDATE SET total = excluded.total",
        (task, total),
    )


def end(
    connection: sqlite3.Connection,
    task: int,
    state: State,
    *,
    done: int,
    total: int,
    detail: str = "",
    failures: Sequence[Skipped] = (),
) -> None:
    """A task has ended, one way or another. The oldest records are let go."""
    connection.execute(
        "UPDATE task SET state = ?, ended = ?, done = ?, detail = ? WHERE id = ?",
        (state, time.time(), done, detail, task),
    )
    connection.execute(MORE)
    named = json.dumps([[each.path, each.reason] for each in failures[:LISTED]], ensure_ascii=False)
    connection.execute("INSERT OR REPLACE INTO task_more VALUES (?, ?, ?)", (task, total, named))
    for table, column in (("task", "id"), ("task_more", "task")):
        connection.execute(f"DELETE FROM {table} WHERE {column} <= (SELECT max(id) FROM task) - {KEPT}")


def interrupt(connection: sqlite3.Connection) -> int:
    """Nobody works on what still counts as running: its process was cut short. How many there were."""
    return connection.execute("UPDATE task SET state = 'interrupted' WHERE state = 'running'").rowcount


def latest(connection: sqlite3.Connection, limit: int) -> tuple[Task, ...]:
    """The last tasks, the latest first."""
    more = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'task_more'").fetchone()
    total, failures, joined = (
        ("ifnull(m.total, 0)", "m.failures", "LEFT JOIN task_more m ON m.task = t.id")
        if more
        else ("0", "NULL", "")
    )
    rows = connection.execute(
        f"SELECT t.id, t.kind, t.generation, t.state, t.started, t.ended, t.done, {total}, t.detail, {failures}"
        f" FROM task t {joined} ORDER BY t.id DESC LIMIT ?",
        (limit,),
    )
    return tuple(Task(*(*row[:9], _named(row[9]))) for row in rows)


def _named(kept: str | None) -> tuple[Skipped, ...]:
    try:
        return tuple(Skipped(str(path), str(reason)) for path, reason in json.loads(kept or "[]"))
    except (TypeError, ValueError):
        return ()
