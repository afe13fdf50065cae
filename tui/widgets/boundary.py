"""A document with the borders of its chunks as lines: gutter, text, margin. Pure.

The gutter says which line a row begins, which chunk, and by its edge whose text it is: ``▌`` of an odd chunk,
``┆`` of an even one, ``█`` of the current one; ``░`` is text that two chunks share. A chunk that begins inside a
row is reversed at its first character. No sign is a colour alone.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.text import LineIndex
from tui import cells
from tui.widgets.boundary_bands import NONE, Band, Bands
from tui.widgets.line import ATTENTION, FOCUS, MUTED, PLAIN, STRONG, TERM, Line, Span, fit

ODD, EVEN, CURRENT, SHARED = "▌", "┆", "█", "░"
PARENT, PARENT_STARTS = "│", "╌"
REVERSE, UNDERLINE = "reverse", "underline"
COMPACT = 60
"""Cells below which the gutter is narrow and the margin is left out."""

MARGIN = 13
Spans = tuple[tuple[int, int], ...]


class Note(NamedTuple):
    """What the margin says of a place: evidence by its case, or what is cut there."""

    start: int
    text: str
    attention: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A document under a cut, ready to be drawn. ``text`` went through the sanitiser, and keeps its length.

    ``evidence``, ``hits`` (words of the query) and ``finds`` are spans in order that do not overlap; ``notes`` are
    in order of their places.
    """

    text: str
    lines: LineIndex
    bands: Bands
    evidence: Spans = ()
    hits: Spans = ()
    finds: Spans = ()
    notes: tuple[Note, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Gutter:
    """What stands before and behind the text in ``width`` cells."""

    width: int
    line: int
    ordinal: int
    compact: bool
    margin: int

    @property
    def before(self) -> int:
        """Cells before the text."""
        return 1 + self.line + self.ordinal + (2 if self.compact else 4)

    @property
    def text(self) -> int:
        """Cells of a row of text; one more is left free, for a blank that hangs over."""
        return max(cells.TAB, self.width - self.before - 1 - self.margin)


def gutter(width: int, lines: int, chunks: int) -> Gutter:
    """The gutter of a document with so many lines and chunks."""
    compact = width < COMPACT
    line = max(3 if compact else 4, len(str(lines)))
    ordinal = 1 + max(2 if compact else 3, len(str(chunks)))
    return Gutter(width, line, ordinal, compact, 0 if compact else MARGIN)


def row(
    reading: Reading,
    start: int,
    end: int,
    form: Gutter,
    *,
    current: int,
    cursor: bool = False,
    focused: bool = False,
) -> Line:
    """One row ``[start, end)`` of the text; ``current`` is the chunk that the cursor is in."""
    ink = end - 1 if reading.text[end - 1 : end] == "\n" else end
    bands = reading.bands.within(start, max(start, ink))
    made = (
        *_gutter(reading, start, end, form, bands, current, cursor, focused),
        *_text(reading, start, ink, bands, current),
    )
    if not form.margin:
        return fit(made, form.width)
    return (*fit(made, form.width - form.margin), _note(reading, start, end, form.margin))


def _gutter(
    reading: Reading,
    start: int,
    end: int,
    form: Gutter,
    bands: Sequence[Band],
    current: int,
    cursor: bool,
    focused: bool,
) -> Iterator[Span]:
    line = reading.lines.line(start)
    number = str(line) if reading.lines.start(line) == start else ""
    begun = reading.bands.starting(start, end)
    ordinal = str(begun[0] + 1) if begun else ""
    here = current != NONE and _inside(reading.bands, current, start, end)
    yield ("▸" if focused else "▹") if cursor else " ", FOCUS
    yield cells.right(number, form.line), f"{STRONG} {FOCUS}" if cursor and focused else MUTED
    yield cells.right(ordinal, form.ordinal), STRONG if here else PLAIN
    if not form.compact:
        yield _parent(reading.bands, start, end), MUTED
    yield (CURRENT, FOCUS) if here else (_edge(bands), PLAIN)
    yield SHARED if any(band.shared for band in bands) else " ", FOCUS if here else PLAIN
    if not form.compact:
        yield " ", PLAIN


def _inside(bands: Bands, chunk: int, start: int, end: int) -> bool:
    span = bands.chunks[chunk]
    return span.start < end and start < span.end


def _edge(bands: Sequence[Band]) -> str:
    chunk = next((band.chunk for band in bands if band.chunk != NONE), NONE)
    return " " if chunk == NONE else (EVEN if chunk % 2 else ODD)


def _parent(bands: Bands, start: int, end: int) -> str:
    parent = bands.parent(max(start, end - 1)) or bands.parent(start)
    if parent is None:
        return " "
    return PARENT_STARTS if start <= parent.start < end else PARENT


# --- text -------------------------------------------------------------------------------------------


def _text(reading: Reading, start: int, end: int, bands: Sequence[Band], current: int) -> Iterator[Span]:
    """The row in pieces of one style each; tabs become blanks."""
    held = (
        (0, 0)
        if current == NONE
        else (reading.bands.chunks[current].start, reading.bands.chunks[current].end)
    )
    begun = [reading.bands.chunks[chunk].start for chunk in reading.bands.starting(start + 1, end)]
    firsts = [(at, _mark_end(reading.text, at, end)) for at in begun]
    layers = [
        (touching(reading.evidence, start, end), UNDERLINE),
        (touching(reading.hits, start, end), STRONG),
        (touching(reading.finds, start, end), TERM),
        (firsts, REVERSE),
    ]
    borders = {start, end, *(band.start for band in bands), *held}
    borders.update(place for spans, _ in layers for span in spans for place in span)
    places = sorted(place for place in borders if start <= place <= end)
    column = 0
    for first, last in itertools.pairwise(places):
        words = [word for spans, word in layers if any(one <= first < other for one, other in spans)]
        if current != NONE and not held[0] <= first < held[1] and not {STRONG, TERM} & set(words):
            words.append(MUTED)
        piece = cells.expand(reading.text[first:last], column)
        column += cells.width(piece)
        yield piece, " ".join(words)


def _mark_end(text: str, at: int, end: int) -> int:
    """Where the character at a place ends, its marks with it."""
    place = at + 1
    while place < end and not cells.width(text[place]) and text[place] != "\t":
        place += 1
    return place


def touching(spans: Spans, start: int, end: int) -> Spans:
    """Of spans in order that do not overlap, those that share a character with ``[start, end)``."""
    first = bisect_right(spans, start, key=lambda span: span[1])
    return spans[first : bisect_left(spans, end, key=lambda span: span[0])]


# --- margin -----------------------------------------------------------------------------------------


def noted(notes: Sequence[Note], start: int, end: int) -> Sequence[Note]:
    """The notes on ``[start, end)``, in order."""
    first = bisect_left(notes, start, key=lambda note: note.start)
    return notes[first : bisect_left(notes, end, key=lambda note: note.start)]


def _note(reading: Reading, start: int, end: int, width: int) -> Span:
    notes = noted(reading.notes, start, end)
    if not notes:
        return " " * width, PLAIN
    told = min(notes, key=lambda note: not note.attention)
    more = f" +{len(notes) - 1}" if len(notes) > 1 else ""
    text = cells.fit(f" {cells.cut(told.text, width - 1 - len(more))}{more}", width)
    return text, ATTENTION if told.attention else MUTED
