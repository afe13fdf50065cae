"""The terminal driver of the workbench: the toolkit's, with its output shortened."""

from __future__ import annotations

from typing import Any

from textual.drivers.linux_driver import LinuxDriver

from tui.pen import Shortener


class QuietDriver(LinuxDriver):
    """Writes what the toolkit writes in fewer bytes."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self._shortener = Shortener()
        super().__init__(*given, **named)

    def write(self, data: str) -> None:
        super().write(self._shortener.shorten(data))
