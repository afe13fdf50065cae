"""Which chunk each character of a document lies in: bands, from where one chunk takes over to the next. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from engine.chunking.preview import Spanned

NONE = -1
"""The chunk of a character that lies in none: front matter, blanks between chunks, what was deleted."""


@dataclass(frozen=True, slots=True)
class Band:
    """A run of characters from ``start`` on. ``chunk`` is the last chunk that begins before them and holds them,
    by its place among the retrievable ones; ``shared`` says that the one before holds them, too.
    """

    start: int
    chunk: int
    shared: bool


class Bands:
    """The bands of a cut, in order; they tile the text. ``chunks`` are the retrievable spans in source order."""

    def __init__(self, spans: Sequence[Spanned], length: int) -> None:
        self.chunks: tuple[Spanned, ...] = tuple(span for span in spans if span.role != "parent")
        self.parents: tuple[Spanned, ...] = tuple(span for span in spans if span.role == "parent")
        self.bands = _banded(self.chunks, length)
        self.length = length
        self._starts = [band.start for band in self.bands]
        self._chunk_starts = [chunk.start for chunk in self.chunks]
        self._parent_starts = [parent.start for parent in self.parents]

    def at(self, offset: int) -> Band:
        """The band that holds an offset."""
        return self.bands[max(0, bisect_right(self._starts, offset) - 1)]

    def within(self, start: int, end: int) -> list[Band]:
        """The bands that share a character with ``[start, end)``, at least one."""
        first = max(0, bisect_right(self._starts, start) - 1)
        return list(self.bands[first : max(first + 1, bisect_right(self._starts, max(start, end - 1)))])

    def near(self, offset: int) -> int:
        """The chunk that holds an offset; where none does the one before it, else the first. ``NONE`` of none."""
        held = self.at(offset).chunk
        if held != NONE or not self.chunks:
            return held
        return max(0, bisect_right(self._chunk_starts, offset) - 1)

    def starting(self, start: int, end: int) -> range:
        """The chunks that begin in ``[start, end)``."""
        return range(
            bisect_right(self._chunk_starts, start - 1), bisect_right(self._chunk_starts, max(start, end) - 1)
        )

    def parent(self, offset: int) -> Spanned | None:
        """The parent that holds an offset."""
        place = bisect_right(self._parent_starts, offset) - 1
        return self.parents[place] if place >= 0 and self.parents[place].end > offset else None


def _banded(chunks: Sequence[Spanned], length: int) -> tuple[Band, ...]:
    borders = sorted({0, *(chunk.start for chunk in chunks), *(chunk.end for chunk in chunks)})
    found: list[Band] = []
    begun = 0
    open_: list[int] = []
    for border in borders:
        while begun < len(chunks) and chunks[begun].start <= border:
            open_.append(begun)
            begun += 1
        open_ = [number for number in open_ if chunks[number].end > border]
        if border < length or not found:
            band = Band(border, open_[-1] if open_ else NONE, len(open_) > 1)
            if not found or (found[-1].chunk, found[-1].shared) != (band.chunk, band.shared):
                found.append(band)
    return tuple(found)
