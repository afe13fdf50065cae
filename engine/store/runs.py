"""Evaluation runs in the library file: what was run, and case by case what came out. The user's, never derived.

A run's id stands for everything that its outcome depends on, so a run that was cut short is found again by the
same question and goes on behind its last finished case.
"""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.errors import CorruptIndexError, LibraryError
from engine.store.connect import connect, prepare, read, translated, write
from engine.store.library_file import SCHEMA as LIBRARY_SCHEMA
from engine.store.library_file import VERSION
from engine.store.steps import Steps, no_steps

KEPT_RUNS = 500
"""Finished or not, the latest of a library; older ones are dropped when one begins."""

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS evaluation_run("
    " id TEXT PRIMARY KEY, seq INTEGER NOT NULL, manifest TEXT NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('running', 'done')),"
    " started REAL NOT NULL, ended REAL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS evaluation_case("
    " run TEXT NOT NULL REFERENCES evaluation_run(id) ON DELETE CASCADE, place INTEGER NOT NULL,"
    " outcome BLOB NOT NULL, PRIMARY KEY(run, place)) WITHOUT ROWID",
)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as a list shows it. ``number`` counts the runs of a library; ``cases`` are those that are finished; times
    are Unix seconds."""

    id: str
    number: int
    manifest: Mapping[str, Any]
    state: Literal["running", "done"]
    cases: int
    started: float
    ended: float | None


class RunStore:
    """A connection of its own to ``library.sqlite``, for one thread at a time. Close it."""

    def __init__(self, path: Path, *, steps: Steps = no_steps) -> None:
        self.path = path
        self._steps = steps
        self._connection = connect(path, synchronous="FULL")
        try:
            prepare(self._connection, path, version=VERSION, schema=LIBRARY_SCHEMA)
            with translated(path), write(self._connection) as connection:
                for statement in SCHEMA:
                    connection.execute(statement)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    def begin(self, run: str, manifest: Mapping[str, Any]) -> set[int]:
        """Begin a run, or go on with the one that was cut short: the places of the cases that it has.

        One that was finished is begun anew, and its outcome replaced.
        """
        with translated(self.path), write(self._connection) as connection:
            row = connection.execute("SELECT state FROM evaluation_run WHERE id = ?", (run,)).fetchone()
            if row is not None and row[0] == "running":
                places = connection.execute("SELECT place FROM evaluation_case WHERE run = ?", (run,))
                return {int(place) for (place,) in places}
            _forget(connection, run)
            connection.execute(
                "INSERT INTO evaluation_run(id, seq, manifest, state, started)"
                " SELECT ?, ifnull(max(seq), 0) + 1, ?, 'running', ? FROM evaluation_run",
                (run, json.dumps(manifest, ensure_ascii=False), time.time()),
            )
            old = connection.execute(
                "SELECT id FROM evaluation_run ORDER BY seq DESC LIMIT -1 OFFSET ?", (KEPT_RUNS,)
            ).fetchall()
            for (dropped,) in old:
                _forget(connection, dropped)
        self._steps("run.begun")
        return set()

    def put(self, outcomes: Iterable[tuple[str, int, Mapping[str, Any]]]) -> None:
        """Keep these (run, place, outcome), in one transaction."""
        rows = [(run, place, _packed(outcome)) for run, place, outcome in outcomes]
        with translated(self.path), write(self._connection) as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO evaluation_case(run, place, outcome) VALUES (?, ?, ?)", rows
            )
        self._steps("cases.committed")

    def end(self, runs: Sequence[str]) -> None:
        """Say that these are whole, all at once."""
        with translated(self.path), write(self._connection) as connection:
            connection.executemany(
                "UPDATE evaluation_run SET state = 'done', ended = ? WHERE id = ?",
                [(time.time(), run) for run in runs],
            )
        self._steps("run.ended")

    def outcomes(self, run: str) -> list[Any]:
        """What was kept of a run, in the order of its cases. Raises ``CorruptIndexError`` where it is damaged."""
        with translated(self.path), read(self._connection) as connection:
            rows = connection.execute(
                "SELECT outcome FROM evaluation_case WHERE run = ? ORDER BY place", (run,)
            ).fetchall()
        return [self._unpacked(row[0]) for row in rows]

    def runs(self) -> list[RunRecord]:
        """Every run that is kept, the latest first."""
        with translated(self.path), read(self._connection) as connection:
            rows = connection.execute(
                "SELECT id, seq, manifest, state, (SELECT count(*) FROM evaluation_case WHERE run = id), started, ended"
                " FROM evaluation_run ORDER BY seq DESC"
            ).fetchall()
        return [RunRecord(row[0], row[1], self._manifest(row[2]), *row[3:]) for row in rows]

    def run(self, name: str) -> RunRecord:
        """The run of an id, or of the first characters of one. Raises ``LibraryError`` where that names none or
        several."""
        found = [record for record in self.runs() if name and record.id.startswith(name)]
        if len(found) != 1:
            raise LibraryError(
                f"{len(found)} runs are called {name}" if found else f"there is no run {name}",
                "give more of its id",
            )
        return found[0]

    def _manifest(self, text: str) -> dict[str, Any]:
        try:
            found = json.loads(text)
        except ValueError as error:
            raise _damaged(self.path) from error
        if not isinstance(found, dict):
            raise _damaged(self.path)
        return found

    def _unpacked(self, blob: bytes) -> Any:
        try:
            return json.loads(zlib.decompress(blob))
        except (zlib.error, ValueError, TypeError) as error:
            raise _damaged(self.path) from error


def _forget(connection: sqlite3.Connection, run: str) -> None:
    connection.execute("DELETE FROM evaluation_case WHERE run = ?", (run,))
    connection.execute("DELETE FROM evaluation_run WHERE id = ?", (run,))


def _packed(outcome: Mapping[str, Any]) -> bytes:
    return zlib.compress(json.dumps(outcome, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)


def _damaged(path: Path) -> CorruptIndexError:
    return CorruptIndexError(f"a run kept in {path} is damaged", "run the evaluation again")
