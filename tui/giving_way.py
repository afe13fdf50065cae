"""Background work that gives way to keys: as long as one is on its way to the screen, it waits at its checks.

A sync computes in Python, and shares the interpreter with the screen: at 100,000 chunks a turned setting took 53 ms
(p95) beside it, and 35 with this.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from engine.cancel import CancelToken

PAUSE_SECONDS = 0.04
"""How long work waits after a key: most are painted by then."""

WORK_SECONDS = 0.02
"""How long it works between two waits, however fast the keys come: a held key must not stop it."""


class Keys:
    """When the last key came; shared by every token of one workbench."""

    __slots__ = ("_clock", "until")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.until = 0.0

    def pressed(self) -> None:
        """A key came: work waits for a moment."""
        self.until = self._clock() + PAUSE_SECONDS


class GivingWay(CancelToken):
    """A token whose ``check`` waits while a key is handled; cancelled, it waits no longer."""

    __slots__ = ("_clock", "_keys", "_stopped", "_worked")

    def __init__(self, keys: Keys, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._keys = keys
        self._clock = clock
        self._worked = 0.0
        self._stopped = threading.Event()

    def cancel(self) -> None:
        super().cancel()
        self._stopped.set()

    def check(self) -> None:
        """Wait while a key is on its way, and raise ``Cancelled`` if ``cancel`` was called."""
        now = self._clock()
        if now < self._keys.until and now - self._worked >= WORK_SECONDS:
            self._stopped.wait(min(PAUSE_SECONDS, self._keys.until - now))
            self._worked = self._clock()
        super().check()
