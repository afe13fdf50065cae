"""The durable record of one running task: begun, how far it is, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Sequence

from engine.model import Progress, Skipped
from engine.store.library_file import LibraryFile
from engine.store.tasks import State

SECONDS = 2.0
"""How often a running task writes down how far it is: each time costs a sync of the disk."""


class Record:
    """Begins the record; ``end`` has to be called, however the task went."""

    def __init__(self, library: LibraryFile, kind: str, generation: str) -> None:
        self._library = library
        self._stage = "embed" if kind == "embed" else "index"
        self._task = library.begin_task(kind, generation)
        self._written = time.monotonic()
        self._done = self._total = 0

    def reached(self, progress: Progress) -> None:
        """Take note of a progress, and write it down now and then."""
        if progress.stage != self._stage:
            return
        self._done, self._total = progress.done, progress.total
        now = time.monotonic()
        if now - self._written >= SECONDS:
            self._written = now
            self._library.reach_task(self._task, self._done, self._total)

    def end(
        self,
        state: State,
        detail: str,
        done: int | None = None,
        total: int | None = None,
        failures: Sequence[Skipped] = (),
    ) -> None:
        """It has ended, one way or another, so far: by default as far as it was last said to be."""
        self._library.end_task(
            self._task,
            state,
            done=self._done if done is None else done,
            total=self._total if total is None else total,
            detail=detail,
            failures=failures,
        )
