"""How fast a task goes and how long it will take. Reports at most ten times a second."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.model import Progress, Stage

SECONDS = 0.1
"""Between two reports. A screen that is told more often only types more slowly."""

_SETTLED = 0.5
"""Seconds before a rate means anything."""


class Pace:
    """Counts items of one stage; ``step`` gives a report when one is due."""

    def __init__(self, stage: Stage, total: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stage = stage
        self._total = total
        self._clock = clock
        self._began = self._told = clock()
        self._done = 0

    def step(self, detail: str = "", *, items: int = 1) -> Progress | None:
        """Count these items; the report that is due, or None."""
        self._done += items
        now = self._clock()
        if now - self._told < SECONDS:
            return None
        self._told = now
        return self._report(now, detail)

    def last(self) -> Progress:
        """The report at the end of the stage."""
        return self._report(self._clock(), "")

    def _report(self, now: float, detail: str) -> Progress:
        took = now - self._began
        rate = self._done / took if took > 0 else 0.0
        left = (self._total - self._done) / rate if rate > 0 and took >= _SETTLED else None
        return Progress(self._stage, self._done, self._total, rate, left, detail)
