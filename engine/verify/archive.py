"""``library.sqlite``, which is the user's: every archived text, every run, every task, and where the pointer leads.

What is wrong here is never mended from the index; an archived text is, where the file that it came from is still
the very same.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator

from engine.cancel import CancelToken
from engine.errors import LibraryError
from engine.store import edits, library_file, runs, sweeps, tasks
from engine.store.connect import read, translated
from engine.store.places import Places
from engine.verify.database import integrity, schema_problems, strange_tables
from engine.verify.finding import Finding

WHERE = "library.sqlite"
_OPTIONAL = ";\n".join([*edits.SCHEMA, *runs.SCHEMA, library_file.ALIAS, tasks.MORE, sweeps.SCHEMA]) + ";"
"""Made with the first edit, and with the first run that is kept."""


def check_library(
    connection: sqlite3.Connection, places: Places, *, writer: bool, cancel: CancelToken
) -> Iterator[Finding]:
    """Everything but the edits. ``writer`` is whether another process writes just now.

    Raises ``LibraryError`` where the file cannot be read to the end, ``Cancelled``.
    """
    with translated(places.library), read(connection):
        for problem in (
            *integrity(connection, cancel=cancel),
            *schema_problems(connection, library_file.SCHEMA),
        ):
            yield _lost("library_damaged", WHERE, problem)
        for table in strange_tables(connection, library_file.SCHEMA, _OPTIONAL):
            yield Finding("strange_table", WHERE, f"it holds a table {table!r} that is not ours", "note")
        yield from _pointer(connection, places)
        yield from _archived(connection, cancel)
        yield from _runs(connection, cancel)
        yield from _tasks(connection, writer)


def _lost(code: str, where: str, what: str) -> Finding:
    return Finding(code, where, what, derived=False)


def _pointer(connection: sqlite3.Connection, places: Places) -> Iterator[Finding]:
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    if "serving" not in meta:
        begun = connection.execute("SELECT 1 FROM archive").fetchone()
        yield Finding(
            "generation_lost",
            WHERE,
            "no generation serves" if begun else "its first indexing was cut short before it held anything",
            "error" if begun else "note",
            mend="rebuild",
        )
    for key, name in (("serving", "serves"), ("before", "served before")):
        if not (generation := meta.get(key)):
            continue
        try:
            there = (places.generation(generation) / "index.sqlite").is_file()
        except LibraryError:
            there = False
        if not there:
            what = f"the generation that {name}, {generation!r}, is not there"
            if key == "serving":
                yield Finding("generation_lost", WHERE, what, mend="rebuild")
            else:
                yield Finding("generation_lost", WHERE, f"{what}: nothing to roll back to", "note")
    try:
        patterns = json.loads(meta.get("include", "[]"))
    except ValueError:
        patterns = None
    if not isinstance(patterns, list) or not all(isinstance(each, str) for each in patterns):
        yield Finding(
            "include_damaged",
            WHERE,
            "it does not say what belongs to the library",
            derived=False,
            remedy="say it again with `rankscope index PATH --include`",
        )


def _archived(connection: sqlite3.Connection, cancel: CancelToken) -> Iterator[Finding]:
    """Texts that cannot be unpacked, and documents whose text is gone."""
    for revision, parser, text in connection.execute("SELECT revision, parser, text FROM content"):
        cancel.check()
        try:
            zlib.decompress(text).decode("utf-8")
        except (zlib.error, TypeError, UnicodeDecodeError):
            paths = connection.execute(
                "SELECT DISTINCT path FROM archive WHERE revision = ? AND parser = ? ORDER BY path",
                (revision, parser),
            ).fetchall()
            named = ", ".join(str(path) for (path,) in paths[:3]) or "no document"
            yield Finding(
                "archive_damaged",
                named,
                f"its archived revision {str(revision)[:12]} cannot be unpacked",
                derived=False,
                mend="archive",
                target=str(paths[0][0]) if paths else "",
            )
    (lost,) = connection.execute(
        "SELECT count(*) FROM archive a WHERE NOT EXISTS"
        " (SELECT 1 FROM content c WHERE c.revision = a.revision AND c.parser = a.parser)"
    ).fetchone()
    if lost:
        yield _lost("archive_lost", WHERE, f"{lost:,} archived revisions have lost their text")


def _runs(connection: sqlite3.Connection, cancel: CancelToken) -> Iterator[Finding]:
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'evaluation_case'").fetchone():
        return
    damaged: set[str] = set()
    for run, outcome in connection.execute("SELECT run, outcome FROM evaluation_case"):
        cancel.check()
        try:
            json.loads(zlib.decompress(outcome))
        except (zlib.error, ValueError, TypeError):
            damaged.add(str(run))
    for run in sorted(damaged):
        yield Finding(
            "run_damaged",
            f"run {run[:12]}",
            "its outcome cannot be read",
            derived=False,
            remedy="run the evaluation again",
        )


def _tasks(connection: sqlite3.Connection, writer: bool) -> Iterator[Finding]:
    if writer:
        return
    for kind, generation in connection.execute(
        "SELECT kind, generation FROM task WHERE state = 'running' ORDER BY id"
    ):
        yield Finding("task_interrupted", f"{kind} of {generation}", "it was cut short", "note")
