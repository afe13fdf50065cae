"""The panes of the Documents screen: the list, the document with its borders, and the dials of the cut. Each draws
what it is given, and knows its cursor and window alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from engine.model import QueryTerm
from engine.settings import Chunking
from tui.screens.documents_work import Shown
from tui.screens.search_panes import keys_of
from tui.widgets import boundary, document, matches, shelf, states, what_if
from tui.widgets.boundary import Gutter, Reading, Spans
from tui.widgets.boundary_bands import NONE
from tui.widgets.boundary_rows import Rows
from tui.widgets.document import Place
from tui.widgets.line import EMPTY, MUTED, Line, fit
from tui.widgets.pane import Pane
from tui.widgets.results import pane_title


class OrderedPane(Pane):
    """A pane with a place in the order of ``tab``, also while another one is shown in its place."""

    ORDER: ClassVar[int] = 0

    @property
    def _focus_sort_key(self) -> tuple[int, int]:
        return self.ORDER, 0


class ShelfPane(OrderedPane):
    """Every document below its folder. The cursor stands on documents only."""

    SCOPE: ClassVar[str] = "shelf"
    TITLE: ClassVar[str] = "Documents"
    ORDER: ClassVar[int] = 1
    BINDINGS: ClassVar[list[Any]] = keys_of("shelf")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.shelf = shelf.shelf(())
        self.sought = ""
        self.opened = ""
        self.told = "opening the library"

    @property
    def head(self) -> int:
        return 2 if self.titled else 1

    @property
    def count(self) -> int:
        return len(self.shelf.entries)

    @property
    def rows(self) -> int:
        return len(self.shelf.rows)

    def row_of(self, cursor: int) -> int:
        # the first document comes with the name of its folder
        return self.shelf.places[cursor] if 0 < cursor < len(self.shelf.places) else 0

    @property
    def entry(self) -> shelf.Entry | None:
        """The document under the cursor."""
        return self.shelf.entries[self.cursor] if 0 <= self.cursor < self.count else None

    def show(self, entries: Sequence[shelf.Entry], sought: str, opened: str) -> None:
        """Other entries, or another filter; the cursor stays with its document, as far as it is shown."""
        held = self.entry.path if self.entry is not None else opened
        self.shelf, self.sought, self.opened = shelf.shelf(entries, sought), sought, opened
        self.told = "no document" if not entries else f"no document has {sought!r} in its path: esc shows all"
        self.to_path(held)

    def to_path(self, path: str) -> None:
        """Put the cursor on a document, where the list shows it."""
        places = (number for number, entry in enumerate(self.shelf.entries) if entry.path == path)
        self.cursor = next(places, min(self.cursor, max(0, self.count - 1)))
        self.follow()
        self.repaint()

    def lines(self) -> list[Line]:
        width = self.size.width
        made = [shelf.title(self.shelf, width, self.has_focus, self.sought)] if self.titled else []
        if not self.count:
            return [*made, *states.lines(((self.told, MUTED),), width, 1)]
        made.append(shelf.header(self.shelf, width))
        for place in range(self.top, min(self.rows, self.top + self.window)):
            number = self.shelf.rows[place]
            here = number == self.cursor
            opened = isinstance(number, int) and self.shelf.entries[number].path == self.opened
            made.append(
                shelf.row(self.shelf, number, width, cursor=here, focused=self.has_focus, opened=opened)
            )
        return shelf.with_legend(made, width, self.size.height)


class BoundaryPane(OrderedPane):
    """A document under a cut. Cursor and window are offsets into its text: rows have no number, and a chunk may
    begin inside one."""

    SCOPE: ClassVar[str] = "document"
    TITLE: ClassVar[str] = "Document"
    ORDER: ClassVar[int] = 2
    BINDINGS: ClassVar[list[Any]] = keys_of("document")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.shown: Shown | None = None
        self.now = Chunking()
        self.preview = False
        self.terms: tuple[QueryTerm, ...] = ()
        self.finds: Spans = ()
        self.told = "enter on a document opens it"
        self._rows: Rows | None = None

    # --- what it shows ---

    @property
    def head(self) -> int:
        return (1 if self.titled else 0) + (1 if self.preview else 0)

    @property
    def reading(self) -> Reading | None:
        return None if self.shown is None else self.shown.reading

    @property
    def chunk(self) -> int:
        """The chunk under the cursor, by its place; ``NONE`` where there is none near."""
        return NONE if self.reading is None else self.reading.bands.near(self.cursor)

    def show(self, shown: Shown | None, *, preview: bool, now: Chunking) -> None:
        """Another document, or the same under another cut; then the cursor stays where it is."""
        before = self.shown
        self.shown, self.preview, self.now = shown, preview, now
        if shown is None or before is None or before.sheet is not shown.sheet:
            self._rows = None
            same = (
                shown is not None
                and before is not None
                and before.sheet.opened.path == shown.sheet.opened.path
            )
            if not same:
                self.cursor = self.top = 0
                self.finds = ()
        self.follow()
        self.repaint()

    def form(self) -> Gutter:
        """The gutter at the present width."""
        reading = self.reading
        lines = 0 if reading is None else reading.lines.count
        return boundary.gutter(self.size.width, lines, 0 if reading is None else len(reading.bands.chunks))

    def rows_of(self) -> Rows | None:
        """The rows of the text at the present width."""
        reading = self.reading
        if reading is None or not self.size.width:
            return None
        width = self.form().text
        if self._rows is None or self._rows.text is not reading.text or self._rows.width != width:
            self._rows = Rows(reading.text, reading.lines, width)
        return self._rows

    @property
    def place(self) -> Place | None:
        """Which lines are in sight."""
        rows, reading = self.rows_of(), self.reading
        if rows is None or reading is None:
            return None
        seen = rows.window(self.top, self.window)
        percent = round(100 * seen[-1][1] / max(1, len(reading.text)))
        first, last = reading.lines.line(seen[0][0]), reading.lines.line(max(seen[0][0], seen[-1][1] - 1))
        return Place(first, last, reading.lines.count, percent)

    def lines(self) -> list[Line]:
        width, rows, shown = self.size.width, self.rows_of(), self.shown
        if rows is None or shown is None:
            title = [fit(pane_title("DOCUMENT", self.has_focus), width)] if self.titled else []
            return [*title, *states.lines(((self.told, MUTED),), width, 1)]
        made = [self.title(width)] if self.titled else []
        if self.preview:
            made.append(document.banner(shown.chunking, self.now, width))
        window = rows.window(self.top, self.window)
        cursor = rows.at(self.cursor)
        reading = replace(shown.reading, hits=self._hits(window), finds=self.finds)
        form, current = self.form(), self.chunk
        for row in window:
            here = row == cursor
            made.append(
                boundary.row(
                    reading, *row, form, current=current, cursor=here, focused=here and self.has_focus
                )
            )
        return made

    def title(self, width: int) -> Line:
        shown = self.shown
        if shown is None:
            return EMPTY
        return document.title(shown.sheet.opened.path, self.heading, self.place, width, self.has_focus)

    @property
    def heading(self) -> str:
        """The nearest heading above the chunk under the cursor."""
        if self.reading is None or self.chunk == NONE:
            return ""
        path = getattr(self.reading.bands.chunks[self.chunk], "heading_path", ())
        return path[-1] if path else ""

    def _hits(self, window: Sequence[tuple[int, int]]) -> Spans:
        """The words of the query in sight, found chunk by chunk, as the index found them."""
        if not self.terms or self.shown is None or not window:
            return ()
        found: list[tuple[int, int]] = []
        chunks, text = self.shown.chunks, self.shown.sheet.opened.text
        bands = self.shown.reading.bands.within(window[0][0], window[-1][1])
        for number in {band.chunk for band in bands if band.chunk != NONE}:
            start, end = chunks[number].start, chunks[number].end
            found += (
                (start + one, start + other) for one, other in matches.marks(text[start:end], self.terms)
            )
        return matches.joined(found)

    # --- moving: by offsets ---

    @property
    def count(self) -> int:
        return 0 if self.reading is None else len(self.reading.text)

    def move_to(self, cursor: int) -> None:
        rows = self.rows_of()
        if rows is None:
            self.cursor = max(0, cursor)
            return
        place = min(max(0, cursor), max(0, self.count - 1))
        moved = place != self.cursor
        self.cursor = place
        self.follow()
        self.repaint()
        if moved:
            self.post_message(self.Moved(self))

    def move_by(self, rows: int) -> None:
        laid = self.rows_of()
        if laid is not None:
            self.move_to(laid.moved(self.cursor, rows)[0])

    def follow(self) -> None:
        rows = self.rows_of()
        if rows is None:
            return
        self.cursor = min(max(0, self.cursor), max(0, self.count - 1))
        self.top = rows.at(self.top)[0]
        below = rows.distance(self.top, self.cursor, self.window)
        if below < self.window:
            return
        step = max(1, self.window // 3)
        lead = step - 1 if self.cursor < self.top else self.window - step
        self.top = rows.moved(self.cursor, -lead)[0]

    def to_chunk(self, number: int) -> None:
        """Put the cursor on the first row of a chunk, by its place."""
        chunks = () if self.shown is None else self.shown.chunks
        if chunks:
            self.to_offset(chunks[min(max(0, number), len(chunks) - 1)].start)

    def to_offset(self, offset: int) -> None:
        """Put the cursor on the row of an offset; where that is out of sight, a third of the way down."""
        rows = self.rows_of()
        if rows is not None and rows.distance(self.top, offset, self.window) >= self.window:
            self.top = rows.moved(offset, -(self.window // 3))[0]
        self.move_to(offset)

    def action_chunk_next(self) -> None:
        self.to_chunk(self.chunk + 1)

    def action_chunk_previous(self) -> None:
        """The beginning of this chunk, and from there the one before."""
        chunks = () if self.shown is None else self.shown.chunks
        rows = self.rows_of()
        if rows is None or not chunks:
            return
        at_start = rows.at(chunks[self.chunk].start) == rows.at(self.cursor)
        self.to_chunk(self.chunk - 1 if at_start else self.chunk)


class WhatIfPane(OrderedPane):
    """The dials of the cut, and what it would do. Its cursor is the dial."""

    SCOPE: ClassVar[str] = "what-if"
    TITLE: ClassVar[str] = "What if"
    ORDER: ClassVar[int] = 3
    BINDINGS: ClassVar[list[Any]] = keys_of("what-if")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.trial = what_if.Trial(Chunking(), Chunking(), what_if.DIALS[1].name)

    @property
    def count(self) -> int:
        return len(what_if.DIALS)

    @property
    def rows(self) -> int:
        return len(self._body())

    def row_of(self, cursor: int) -> int:
        return what_if.dial_row(what_if.DIALS[cursor].name)

    def show(self, trial: what_if.Trial) -> None:
        """Another trial; the cursor is its dial."""
        self.trial = trial
        self.cursor = [known.name for known in what_if.DIALS].index(trial.dial)
        self.follow()
        self.repaint()

    def lines(self) -> list[Line]:
        width = self.size.width
        made = [what_if.title(self.trial, width, self.has_focus)] if self.titled else []
        return [*made, *self._body()[self.top : self.top + self.window]]

    def follow(self) -> None:
        if self.size.height:
            self.top = min(self.top, max(0, self.rows - self.window))

    def _body(self) -> tuple[Line, ...]:
        return what_if.rows(self.trial, self.size.width, self.has_focus) if self.size.width else ()

    # --- keys: rows beyond the dials are only scrolled to ---

    def action_cursor_half_down(self) -> None:
        self._scroll(self.window // 2)

    def action_cursor_half_up(self) -> None:
        self._scroll(-(self.window // 2))

    def action_cursor_page_down(self) -> None:
        self._scroll(self.window)

    def action_cursor_page_up(self) -> None:
        self._scroll(-self.window)

    def _scroll(self, rows: int) -> None:
        self.top = min(max(0, self.top + rows), max(0, self.rows - self.window))
        self.repaint()
