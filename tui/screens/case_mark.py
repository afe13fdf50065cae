"""Marking the evidence of a case in a passage: sentences, moved and extended by keys, over whatever page is open.

Dismissed with the marked span of the chunk's text, in code points from its start.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical

from engine.model import Chunk, QueryTerm
from engine.text import sentence_ends
from tui import cells, text
from tui.actions import bindings
from tui.screens.panel import Overlay
from tui.widgets import figures, matches
from tui.widgets.line import FOCUS, MUTED, PLAIN, STRONG, TERM, Line, Span, fit
from tui.widgets.pane import Pane

KEYS = "← → sentence, < > one more before, behind, enter makes the case, esc leaves"
_INK = re.compile(r"\S")


def sentences(passage: str) -> tuple[tuple[int, int], ...]:
    """The sentences of a text as half-open spans without blanks at their ends; a line ends one, too."""
    ends = {*sentence_ends(passage, 0, len(passage)), len(passage)}
    ends |= {at + 1 for at, one in enumerate(passage) if one == "\n"}
    found, start = [], 0
    for end in sorted(ends):
        piece = passage[start:end]
        ink = _INK.search(piece)
        if ink is not None:
            found.append((start + ink.start(), start + len(piece.rstrip())))
        start = end
    return tuple(found)


class MarkPane(Pane):
    """The passage with the marked sentences reversed. The cursor is the first of them."""

    SCOPE: ClassVar[str] = "marking"
    BINDINGS: ClassVar[list[Any]] = bindings("marking")

    def __init__(self, chunk: Chunk, terms: Sequence[QueryTerm], query: str) -> None:
        super().__init__(id="marking")
        self.chunk = chunk
        self.asked = query
        self.shown_text = text.sanitise(chunk.text)
        self.spans = sentences(chunk.text)
        self.terms = matches.marks(chunk.text, terms)
        held = [self._terms_in(start, end) for start, end in self.spans]
        self.cursor = self.last = held.index(max(held)) if held else 0

    def _terms_in(self, start: int, end: int) -> int:
        """How many words of the question a sentence holds; a heading asks rather than answers."""
        if self.chunk.text[start] == "#":
            return -1
        return sum(low < end and start < high for low, high in self.terms)

    @property
    def head(self) -> int:
        return 2

    @property
    def count(self) -> int:
        return len(self.spans)

    @property
    def marked(self) -> tuple[int, int] | None:
        """The marked span; None in a passage without ink."""
        return (self.spans[self.cursor][0], self.spans[self.last][1]) if self.spans else None

    # --- drawing ---

    def _laid(self) -> list[tuple[int, int]]:
        return cells.wrap(self.shown_text, max(8, self.size.width - 4))

    @property
    def rows(self) -> int:
        return len(self._laid())

    def row_of(self, cursor: int) -> int:
        starts = [start for start, _ in self._laid()]
        at = self.spans[cursor][0] if self.spans else 0
        return max(0, bisect_right(starts, at) - 1)

    def lines(self) -> list[Line]:
        width, marked = self.size.width, self.marked or (0, 0)
        count = figures.plural(marked[1] - marked[0], "character")
        title = f"CASE  {count} of {text.one_line(self.chunk.path)}"
        asked = f"  answers “{text.one_line(self.asked)}”"
        made = [
            fit((("▸", FOCUS), (title, f"{STRONG} {FOCUS}"), (asked, PLAIN)), width),
            fit(((f"  {KEYS}", MUTED),), width),
        ]
        rows = self._laid()[self.top : self.top + self.window]
        return [*made, *(fit((("  ", PLAIN), *self._row(start, end, marked)), width) for start, end in rows)]

    def _row(self, start: int, end: int, marked: tuple[int, int]) -> Line:
        borders = {start, end, *marked, *(at for span in self.terms for at in span)}
        inside = sorted(at for at in borders if start <= at <= end)
        spans: list[Span] = []
        column = 0
        for low, high in pairwise(inside):
            piece = cells.expand(self.shown_text[low:high].rstrip("\n"), column)
            column += cells.width(piece)
            held = any(first <= low < last for first, last in self.terms)
            chosen = marked[0] <= low < marked[1]
            style = " ".join(filter(None, ("reverse" if chosen else MUTED, TERM if held else "")))
            spans.append((piece, style if not (held and not chosen) else TERM))
        return tuple(spans)

    # --- keys ---

    def move_to(self, cursor: int) -> None:
        """Mark one sentence alone."""
        self._mark(cursor, cursor)

    def _mark(self, first: int, last: int) -> None:
        end = max(0, self.count - 1)
        self.cursor, self.last = min(max(0, first), end), min(max(0, last), end)
        self.follow()
        self.repaint()

    def action_span_left(self) -> None:
        self.move_to(self.cursor - 1)

    def action_span_right(self) -> None:
        self.move_to(self.last + 1)

    def action_span_back(self) -> None:
        self._mark(self.cursor - 1, self.last)

    def action_span_on(self) -> None:
        self._mark(self.cursor, self.last + 1)

    def action_case_mark(self) -> None:
        screen = self.screen
        assert isinstance(screen, MarkPanel)
        screen.dismiss(self.marked)


class MarkPanel(Overlay[tuple[int, int]]):
    """Lies over the page until the evidence is marked."""

    SCOPE: ClassVar[str] = "marking"
    AUTO_FOCUS = "#marking"

    def __init__(self, chunk: Chunk, terms: Sequence[QueryTerm], query: str) -> None:
        super().__init__()
        self.pane = MarkPane(chunk, terms, query)

    def compose(self) -> ComposeResult:
        with Vertical(classes="panel"):
            yield self.pane

    def on_mount(self) -> None:
        self.pane.styles.height = max(6, self.app.size.height * 2 // 3)
