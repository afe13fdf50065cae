"""The terminal driver of the workbench: the toolkit's, with its output shortened, and an orderly end on a
signal."""

from __future__ import annotations

import asyncio
import signal
import time
from typing import TYPE_CHECKING, Any, cast

from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from tui.pen import Shortener

if TYPE_CHECKING:
    from tui.app import RankscopeApp

ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
"""Signals that end the workbench as ``ctrl+q`` does: tasks stop at their next check, the library is closed, the
terminal is given back. The toolkit leaves them to the system, which does none of that."""


PASTE_SECONDS = 0.03
"""Keys that follow a paste so soon, or one another then, were in it: behind an end-of-paste sequence that the pasted
text brought along. No hand is so quick."""


class QuietDriver(LinuxDriver):
    """Writes what the toolkit writes in fewer bytes, and takes no key out of a paste."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self._shortener = Shortener()
        self._pasted = float("-inf")
        super().__init__(*given, **named)

    def process_message(self, message: Message) -> None:
        if isinstance(message, events.Paste):
            self._pasted = time.monotonic()
        elif isinstance(message, events.Key) and time.monotonic() - self._pasted < PASTE_SECONDS:
            self._pasted = time.monotonic()
            return
        super().process_message(message)

    def start_application_mode(self) -> None:
        again = self._writer_thread is not None
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if again:
            # another program drew meanwhile, with a pen of its own; the toolkit would send only what changes now
            self._shortener = Shortener()
            super().write("\x1b[m")
            self._app.call_later(self._app.refresh)
        loop = asyncio.get_running_loop()
        for number in ENDING:
            loop.add_signal_handler(number, self._end, number)

    def _end(self, number: int) -> None:
        """Leave with the code by which a shell tells of a signal."""
        app = cast("RankscopeApp", self._app)
        app.call_later(app.leave, 128 + number)

    def write(self, data: str) -> None:
        super().write(self._shortener.shorten(data))
