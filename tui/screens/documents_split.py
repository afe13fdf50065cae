"""Where a chunk is to be split: its text with one cut, which keys move by sentence, row and character.

Dismissed with the place of the cut in the chunk's text, in code points from its start.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical

from engine.text import LineIndex, grapheme_ceiling, grapheme_floor, sentence_ends
from tui.actions import bindings
from tui.messages import Examined, ExamineFailed, Examining
from tui.screens.asking import Asking
from tui.screens.documents_foresight import Foresight
from tui.screens.panel import Overlay
from tui.text import sanitise
from tui.widgets import document_cut, document_effect
from tui.widgets.boundary_rows import Rows
from tui.widgets.document_effect import Tried
from tui.widgets.line import PLAIN, Line, fit
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from engine.catalogue.what_if import Piece
    from engine.edits.intent import Intent
    from engine.model import Chunk
    from tui.screens.documents_work import Shown


PAUSE = 0.4
"""Seconds without a key before the cut is tried where it is."""

_INK = re.compile(r"\S")


def places(text: str) -> tuple[int, ...]:
    """Where a text may be cut by sentence: before the first ink behind a sentence end or a line feed."""
    ends = {*sentence_ends(text, 0, len(text)), *(at + 1 for at, one in enumerate(text) if one == "\n")}
    starts = {found.start() for at in ends if (found := _INK.search(text, at))}
    return tuple(sorted(at for at in starts if text[:at].strip()))


def middle(text: str, cuts: Sequence[int]) -> int:
    """The place nearest the middle; the middle itself where there is none."""
    half = len(text) // 2
    return min(cuts, key=lambda at: abs(at - half), default=grapheme_floor(text, max(1, half)))


class CutPane(Pane):
    """The chunk's text in rows, reversed at the character before which it is cut. The cursor is the cut."""

    SCOPE: ClassVar[str] = "cutting"
    BINDINGS: ClassVar[list[Any]] = bindings("cutting")

    def __init__(self, chunk: Chunk, pieces: Sequence[Piece]) -> None:
        super().__init__(id="cutting")
        self.chunk = chunk
        self.pieces = pieces
        self.text = chunk.text
        self.shown_text = sanitise(chunk.text)
        self.cuts = places(chunk.text)
        self.cursor = middle(chunk.text, self.cuts)
        self.tried = Tried(())

    @property
    def head(self) -> int:
        return 3

    @property
    def count(self) -> int:
        return len(self.text)

    def rows_of(self) -> Rows:
        return Rows(self.shown_text, LineIndex.of(self.text), max(8, self.size.width - 4))

    def lines(self) -> list[Line]:
        rows = self.rows_of()
        width = self.size.width
        made = document_cut.head(self.chunk, self.cursor, self.pieces, width)
        made.append(fit((("  ", PLAIN), *document_effect.brief(self.tried)), width))
        window = rows.window(self.top, self.window)
        return [*made, *(document_cut.row(self.shown_text, *row, self.cursor, width) for row in window)]

    def move_to(self, cursor: int) -> None:
        self.cursor = min(max(1, cursor), max(1, len(self.text) - 1))
        self.follow()
        self.repaint()
        self.post_message(self.Moved(self))

    def move_by(self, rows: int) -> None:
        """The same column of another row, or as near as a character's border allows."""
        laid = self.rows_of()
        here = laid.at(self.cursor)
        there = laid.moved(self.cursor, rows)
        at = min(there[0] + self.cursor - here[0], max(there[0], there[1] - 1))
        self.move_to(grapheme_floor(self.text, at))

    def follow(self) -> None:
        if not self.size.width:
            return
        rows = self.rows_of()
        self.top = rows.at(self.top)[0]
        if rows.distance(self.top, self.cursor, self.window) >= self.window:
            self.top = rows.moved(self.cursor, -(self.window // 2))[0]

    def action_cut_left(self) -> None:
        before = bisect_left(self.cuts, self.cursor) - 1
        self.move_to(self.cuts[before] if before >= 0 else self.cursor)

    def action_cut_right(self) -> None:
        after = bisect_right(self.cuts, self.cursor)
        self.move_to(self.cuts[after] if after < len(self.cuts) else self.cursor)

    def action_cut_back(self) -> None:
        self.move_to(grapheme_floor(self.text, self.cursor - 1))

    def action_cut_forward(self) -> None:
        self.move_to(grapheme_ceiling(self.text, self.cursor + 1))

    def action_cut_make(self) -> None:
        screen = self.screen
        assert isinstance(screen, SplitPage)
        screen.dismiss(self.cursor)


class SplitPage(Overlay[int]):
    """Lies over the document until a place is chosen."""

    SCOPE: ClassVar[str] = "cutting"
    AUTO_FOCUS = "#cutting"

    def __init__(self, shown: Shown, chunk: Chunk) -> None:
        super().__init__()
        pieces = [
            piece for piece in shown.sheet.pieces if piece.start < chunk.end and chunk.start < piece.end
        ]
        self.pane = CutPane(chunk, pieces)
        self._asking = Asking()
        self._foresight = Foresight(self, self._asking, self._draw)

    def compose(self) -> ComposeResult:
        with Vertical(classes="panel"):
            yield self.pane

    def on_mount(self) -> None:
        self.pane.styles.height = max(6, self.app.size.height * 2 // 3)
        self._try(0.0)

    def on_unmount(self) -> None:
        self._asking.cancel_all()

    def on_pane_moved(self, message: Pane.Moved) -> None:
        self._try(PAUSE)

    def _try(self, pause: float) -> None:
        """Ask what the cut would do where it is, once the keys rest."""
        at, chunk = self.pane.cursor, self.pane.chunk

        def wanted() -> Intent:
            from engine.edits import intent

            return intent.split(chunk.chunk_id, [at])

        self._foresight.ask(at, wanted, pause=pause)
        self._draw()

    def _draw(self) -> None:
        self.pane.tried = self._foresight.tried
        self.pane.repaint()

    def on_examining(self, message: Examining) -> None:
        self._foresight.went_on(message)

    def on_examined(self, message: Examined) -> None:
        self._foresight.ended(self._asking.ended(message.token), message)

    def on_examine_failed(self, message: ExamineFailed) -> None:
        self._foresight.failed(self._asking.ended(message.token), message)
