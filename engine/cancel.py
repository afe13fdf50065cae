"""Cooperative cancellation, shared by every long loop of the engine."""

from __future__ import annotations

import threading
import time

from engine.errors import Cancelled

YIELD_SECONDS = 0.005
"""How often a loop gives way: a ``sleep(0)`` costs 60 µs of timer slack, too much for each page of a scan."""


class CancelToken:
    """A flag that one thread sets and long work in another checks, at least every 50 ms.

    ``check`` also yields the interpreter's lock, so that a screen in the same process stays responsive.
    ``checks`` counts the calls; tests assert on it.
    """

    __slots__ = ("_event", "_yielded", "checks")

    def __init__(self) -> None:
        self._event = threading.Event()
        self._yielded = time.monotonic()
        self.checks = 0

    def cancel(self) -> None:
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        """Raise ``Cancelled`` if ``cancel`` was called."""
        self.checks += 1
        if self._event.is_set():
            raise Cancelled
        now = time.monotonic()
        if now - self._yielded >= YIELD_SECONDS:
            self._yielded = now
            time.sleep(0)
