"""The foot of the dial. What it foresees is worked out between keys: a slice at a time, and only for the
last turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from textual.message import Message

from tui.screens.search_board import Board
from tui.state import View
from tui.widgets import tune
from tui.widgets.painted import Painted

if TYPE_CHECKING:
    from engine.model import Recall
    from engine.settings import Retrieval
    from engine.trace import Trace

PAUSE = 0.15
"""Seconds without a turn before the foresight begins."""

SLICE = 0.004
"""Seconds of it at a time; a key waits no longer than one slice and one step."""


class DialFoot(Painted):
    """The dial's name and range, and where it next changes a rank."""

    class Foreseen(Message):
        """The lines are known."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.told: tuple[str, ...] = ()
        self._board = Board(View())
        self._settle: Callable[[Recall, Retrieval], Trace] | None = None
        self._for: tuple[object, str] = (None, "")
        self._walk: Iterator[tuple[str, ...]] | None = None
        self._turn = 0

    def show(self, board: Board, settle: Callable[[Recall, Retrieval], Trace]) -> None:
        """Draw the dial of a board, and begin to look ahead once the keys pause."""
        self._board, self._settle = board, settle
        wanted = (board.trace, board.tuning().dial)
        if wanted != self._for:
            self._for, self.told, self._walk = wanted, (), None
            self._turn += 1
            turn = self._turn
            if board.trace is not None:
                self.set_timer(PAUSE, lambda: self._begin(turn))
        self.repaint()

    def repaint(self) -> None:
        if self.size.width:
            self.paint(tune.foot(self._board.tuning(), self.told, self.size.width))

    def on_resize(self) -> None:
        self.repaint()

    def _begin(self, turn: int) -> None:
        if turn != self._turn or self._board.trace is None or self._settle is None:
            return
        # imported late: it needs numpy, which comes with the first result
        from tui.screens.search_foresight import foresee

        self._walk = foresee(self._board.trace, self._board.tuning().dial, self._settle)
        self._go_on(turn)

    def _go_on(self, turn: int) -> None:
        """One slice; the rest is put behind whatever keys wait."""
        if turn != self._turn or self._walk is None:
            return
        until = time.monotonic() + SLICE
        for told in self._walk:
            if told:
                self.told, self._walk = told, None
                self.repaint()
                self.post_message(self.Foreseen())
                return
            if time.monotonic() > until:
                break
        self.set_timer(0.001, lambda: self._go_on(turn))
