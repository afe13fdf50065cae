"""The detail pane: the passage of the result under the cursor or, in its place, the token lens on it.

The lens is worked out by the bridge for one chunk at a time, once the cursor rests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from engine.cancel import CancelToken
from engine.model import Result
from tui.messages import Examined, ExamineFailed
from tui.screens.search_board import Board
from tui.screens.search_panes import PassagePane
from tui.widgets import detail, lens
from tui.widgets.line import ATTENTION, EMPTY, MUTED, Line, blank, fit

if TYPE_CHECKING:
    from engine.explain.lens import Lens
    from engine.trace import Trace
    from tui.app import RankscopeApp

PAUSE = 0.12
"""Seconds that the cursor rests before the lens is looked up."""


class DetailPane(PassagePane):
    """``lensed`` says that the lens is shown. Its cursor is then the first row of the lens in sight."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.lensed = False
        self.lens: Lens | None = None
        self._told = ""
        self._wanted: tuple[Trace | None, str] = (None, "")
        self._token: CancelToken | None = None

    def toggle_lens(self) -> None:
        """The lens, or the passage again."""
        self.lensed = not self.lensed
        self._forget()
        self.cursor = 0
        if self.lensed:
            self._want(0.0)
        elif self.passage is not None:
            self.cursor = self.passage.best(self.window)
        self.follow()
        self.repaint()

    def show_result(self, board: Board, result: Result | None) -> None:
        another = (result and result.chunk.chunk_id) != (self.result and self.result.chunk.chunk_id)
        super().show_result(board, result)
        if self.lensed and result is not None and self._wanted != (board.trace, result.chunk.chunk_id):
            if another:
                self.cursor = self.top = 0
            self._want(PAUSE)

    @property
    def count(self) -> int:
        if not self.lensed:
            return super().count
        return max(1, len(self._body()) - self.window + 1)

    def lines(self) -> list[Line]:
        if not self.lensed:
            return super().lines()
        width, chunk = self.size.width, self.result.chunk if self.result else None
        made = [lens.title(width, self.has_focus, self.margin)] if self.titled else []
        if chunk is None:
            return made
        made.append(detail.passage_place(chunk, width, self.margin))
        return [*made, *self._body()[self.cursor : self.cursor + self.window]]

    def _body(self) -> tuple[Line, ...]:
        width = self.size.width
        if self.lens is not None:
            return lens.rows(self.lens, width, self.margin)
        style = ATTENTION if self._told and self._token is None else MUTED
        told = (*blank(self.margin + 1), (self._told, style))
        return (fit(told if self._told else EMPTY, width),)

    # --- asking ---

    def _want(self, pause: float) -> None:
        """Look up the chunk under the cursor, unless another is wanted meanwhile."""
        trace, result = self.board.trace, self.result
        if trace is None or result is None:
            return
        self._stop()
        wanted = self._wanted = (trace, result.chunk.chunk_id)
        self.set_timer(pause or 0.001, lambda: self._ask(wanted))

    def _ask(self, wanted: tuple[Trace | None, str]) -> None:
        trace, chunk_id = wanted
        if wanted != self._wanted or not self.lensed or trace is None:
            return
        bridge = cast("RankscopeApp", self.app).bridge
        token = self._token = bridge.lens(self, trace.recall.query, chunk_id, trace.recall.scopes)
        self.set_timer(0.1, lambda: self._wait(token))

    def _wait(self, token: CancelToken) -> None:
        if token is self._token and self.lens is None:
            self._told = "looking up its terms"
            self.repaint()

    def on_examined(self, message: Examined) -> None:
        if message.token is self._token:
            self._token, self._told = None, ""
            self.lens = cast("Lens", message.answer)
            self.follow()
            self.repaint()
            self.post_message(self.Moved(self))

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if message.token is self._token:
            self._token, self.lens = None, None
            self._told = f"{message.problem.sentence}: {message.problem.remedy}"
            self.follow()
            self.repaint()

    def _forget(self) -> None:
        self._stop()
        self.lens, self._told, self._wanted = None, "", (None, "")

    def _stop(self) -> None:
        if self._token is not None:
            self._token.cancel()
            self._token = None

    def on_unmount(self) -> None:
        self._stop()
