"""A page over Search that works one thing out about its answer: why not, the whole range of the dial, the
differences from A.

It follows the view like every page, so settings are turned here too. What it asks for is worked out by the
bridge under a token; only the answer to the last token counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.widget import Widget

from engine.cancel import CancelToken
from tui import pinned
from tui.actions import bindings
from tui.messages import Examined, ExamineFailed
from tui.screens.page import Page
from tui.state import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

WAIT_SHOWN = 0.1
"""Seconds after which a wait is shown."""

PAUSE = 0.15
"""Seconds without a turn before what depends on the settings is asked for again."""


class Examination(Page):
    """``ask`` starts the work and returns its token; ``answered`` and ``failed`` take what it came to."""

    NAME: ClassVar[str] = "Search"
    SCOPE: ClassVar[str] = "examine"
    BINDINGS: ClassVar[list[Any]] = bindings("examine")

    def __init__(self) -> None:
        super().__init__()
        self.waiting = ""
        self._token: CancelToken | None = None
        self._turn = 0

    # --- what a page gives ---

    def answered(self, answer: object) -> None:
        """The last thing asked for is worked out."""

    def failed(self, problem: Problem) -> None:
        """It could not be."""

    def redraw(self) -> None:
        """``waiting`` changed."""

    # --- what it has ---

    @property
    def running(self) -> bool:
        """Whether something is being worked out."""
        return self._token is not None

    def begin(self, work: Callable[[], CancelToken], doing: str, *, pause: float = 0.0) -> None:
        """Start ``work``, in place of any that runs, once no other was wanted for ``pause`` seconds."""
        self.cancel()
        self._turn += 1
        turn = self._turn

        def start() -> None:
            if turn == self._turn and self.is_attached:
                self._token = work()
                self.set_timer(WAIT_SHOWN, lambda: self._wait(turn, doing))

        if pause:
            self.set_timer(pause, start)
        else:
            start()

    def cancel(self) -> None:
        """Stop what runs at its next check, and forget what waits to begin."""
        self._turn += 1
        self._end()

    def _end(self) -> None:
        if self._token is not None:
            self._token.cancel()
            self._token = None
        if self.waiting:
            self.waiting = ""
            self.redraw()

    def _wait(self, turn: int, doing: str) -> None:
        if turn == self._turn and self.running:
            self.waiting = doing
            self.redraw()

    def on_examined(self, message: Examined) -> None:
        if message.token is self._token:
            self._end()
            self.answered(message.answer)

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if message.token is self._token:
            self._end()
            self.failed(message.problem)

    def back(self) -> bool:
        """First what runs is cancelled, then the page is left."""
        if self.running:
            self.cancel()
            self.remark("cancelled: r asks again, esc goes back")
            return True
        return False

    def toggle_zoom(self) -> None:
        self.remark("there is one pane here, and it has the whole screen")

    def main_pane(self) -> Widget | None:
        return next(iter(self.panes()), None)

    def on_unmount(self) -> None:
        self.cancel()

    def action_pin_set(self) -> None:
        self.workbench.show(pinned.toggled(self.workbench.view))
