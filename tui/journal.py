"""What queries leave behind: a bounded record of each, and the history that the query line goes through.

``counts`` (the default) writes no text: settings, counts, timings and codes alone, and the history ends with
the session. ``queries`` also writes the question and the chunk ids, and the next session finds the questions
again. One file a process and library under the user's state folder, for the user alone; the oldest go first.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.model import QUERY_LIMIT
from engine.settings.places import state_folder

if TYPE_CHECKING:
    from engine.trace import Trace

FILE_LIMIT = 1_000_000
"""Bytes that one process records at most."""

FILES_KEPT = 20
HISTORY_LIMIT = 500
TOP = 20
"""Chunk ids of each query that are kept, from the first."""


class Journal:
    """Appends one line of JSON for each query. What cannot be written is left out: a full disk stops no
    search."""

    def __init__(
        self, library: Path, *, texts: bool, folder: Path | None = None, now: Callable[[], float] = time.time
    ) -> None:
        named = hashlib.sha256(os.fsencode(library)).hexdigest()[:16]
        self._folder = (folder or state_folder()) / "journal" / named
        self._file = self._folder / f"{int(now() * 1000):015}-{os.getpid()}.jsonl"
        self._now = now
        self.texts = texts

    def record(self, trace: Trace) -> None:
        """Leave a record of a query's trace."""
        line = json.dumps(entry(trace, self._now(), texts=self.texts), ensure_ascii=True)
        try:
            if not self._file.exists():
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                _drop_oldest(self._folder)
            elif self._file.stat().st_size + len(line) > FILE_LIMIT:
                return
            handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with open(handle, "w", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError:
            return

    def queries(self) -> list[str]:
        """The questions of earlier sessions, oldest first; none where only counts are kept."""
        if not self.texts:
            return []
        found: list[str] = []
        for path in _files(self._folder)[-FILES_KEPT:]:
            found.extend(_queries(path))
        return found[-HISTORY_LIMIT:]


def entry(trace: Trace, at: float, *, texts: bool) -> dict[str, Any]:
    """One query's record. Without ``texts`` nothing in it can be read back into a question or a passage."""
    recall = trace.recall
    record: dict[str, Any] = {
        "at": round(at, 3),
        "corpus_version": recall.state.corpus_version,
        "embedder": recall.state.embedder,
        "scopes": len(recall.scopes),
        "settings": asdict(trace.retrieval),
        "characters": len(recall.query),
        "channels": {
            channel.channel: {"listed": channel.listed, "ms": round(channel.milliseconds, 2)}
            for channel in recall.channels
            if channel.used
        },
        "candidates": len(recall.chunks),
        "groups": len(trace.context.groups),
        "left_out": len(trace.context.left_out),
        "context_characters": trace.context.character_count,
        "degraded": [one.code for one in trace.degraded],
        "ms": round(trace.milliseconds, 2),
    }
    if texts:
        record["query"] = recall.query
        record["scope_names"] = list(recall.scopes)
        record["chunks"] = [result.chunk.chunk_id for result in islice(trace.ranking.results(), TOP)]
    return record


class History:
    """The questions asked, for the query line: the last once, a text being written kept at the end."""

    def __init__(self, queries: list[str] | None = None) -> None:
        self._queries = list(queries or [])[-HISTORY_LIMIT:]
        self._at = len(self._queries)
        self._draft = ""

    def add(self, query: str) -> None:
        """A question was asked; asking it again moves it to the end."""
        if query in self._queries:
            self._queries.remove(query)
        self._queries = [*self._queries, query][-HISTORY_LIMIT:]
        self._at, self._draft = len(self._queries), ""

    def previous(self, present: str) -> str:
        """The question before; ``present``, what is in the line now, is kept as a draft the first time."""
        if self._at == len(self._queries):
            self._draft = present
        self._at = max(0, self._at - 1)
        return self._queries[self._at] if self._queries else present

    def next(self, present: str) -> str:
        """The question after, at the end the draft."""
        if self._at >= len(self._queries):
            return present
        self._at += 1
        return self._draft if self._at == len(self._queries) else self._queries[self._at]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob("*.jsonl"))
    except OSError:
        return []


def _drop_oldest(folder: Path) -> None:
    for path in _files(folder)[: -FILES_KEPT + 1]:
        path.unlink(missing_ok=True)


def _queries(path: Path) -> list[str]:
    """The questions in one file, whatever else is in it: half a line, or what another version wrote."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(FILE_LIMIT).splitlines()
    except OSError:
        return []
    found: list[str] = []
    for line in lines:
        try:
            query = json.loads(line).get("query")
        except (ValueError, AttributeError, RecursionError):
            continue
        if isinstance(query, str) and 0 < len(query) <= QUERY_LIMIT:
            found.append(query)
    return found
