"""The rows of a long text at a width, laid out where they are looked at and nowhere else. Pure.

A place is an offset, never a row number: how many rows lie above is nobody's business, so that opening, jumping
to the end and resizing cost what a screen costs, whatever the length of the text or of its lines. A line longer
than ``STRETCH`` is laid out in stretches, each by itself.
"""

from __future__ import annotations

from bisect import bisect_right

from engine.text import LineIndex
from tui import cells

STRETCH = 4_096
"""Code points of a line that are laid out together. The row at the end of a stretch may be short: one in fifty."""

MARKS = 64
"""Marks of no width that may follow a stretch's border and are kept with their base; more are no text."""

REMEMBERED = 512
"""Stretches whose rows are remembered: some screens' worth."""


class Rows:
    """The rows of ``text``, which went through the sanitiser, in ``width`` cells: half-open offsets that tile it.

    A line feed belongs to the row that it ends. A row takes ``width`` cells, one more where a blank hangs over.
    """

    def __init__(self, text: str, lines: LineIndex, width: int) -> None:
        self.text = text
        self.lines = lines
        self.width = max(cells.TAB, width)
        self._known: dict[int, tuple[int, ...]] = {}

    def at(self, offset: int) -> tuple[int, int]:
        """The row that holds an offset; the last one for the end of the text and beyond."""
        offset = min(max(0, offset), max(0, len(self.text) - 1))
        begins, end = self._stretch(offset)
        place = bisect_right(begins, offset) - 1
        return begins[place], begins[place + 1] if place + 1 < len(begins) else end

    def moved(self, offset: int, rows: int) -> tuple[int, int]:
        """The row so many below that of ``offset``, above where negative; the first or last where there are fewer."""
        row = self.at(offset)
        for _ in range(abs(rows)):
            beyond = row[1] >= len(self.text) if rows > 0 else row[0] == 0
            if beyond:
                break
            row = self.at(row[1] if rows > 0 else row[0] - 1)
        return row

    def window(self, offset: int, count: int) -> list[tuple[int, int]]:
        """``count`` rows from that of ``offset`` on, fewer where the text ends."""
        found = [self.at(offset)]
        while len(found) < count and found[-1][1] < len(self.text):
            found.append(self.at(found[-1][1]))
        return found

    def distance(self, first: int, second: int, most: int) -> int:
        """How many rows below the row of ``first`` that of ``second`` is; ``most`` where it is further, or above."""
        row, goal = self.at(first), self.at(second)
        if goal[0] < row[0]:
            return most
        for count in range(most):
            if row[0] >= goal[0]:
                return count
            row = self.at(row[1])
        return most

    def _stretch(self, offset: int) -> tuple[tuple[int, ...], int]:
        """Where the rows of the stretch that holds an offset begin, and where it ends."""
        line = self.lines.line(offset)
        begin, end = self.lines.start(line), self.lines.end(line)
        number = (offset - begin) // STRETCH
        start = self._border(begin, number, end)
        if start > offset or start >= end - 1:  # the line feed alone is no stretch
            number -= 1
            start = self._border(begin, number, end)
        stop = self._border(begin, number + 1, end)
        stop = end if stop >= end - 1 else stop
        if start not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            ink = stop - 1 if self.text[stop - 1 : stop] == "\n" else stop
            self._known[start] = tuple(cells.tile(self.text, start, max(start, ink), self.width))
        return self._known[start], stop

    def _border(self, begin: int, number: int, end: int) -> int:
        """Where a stretch of the line ``[begin, end)`` begins: at the first place that parts no mark from its base."""
        offset = begin + number * STRETCH
        if number <= 0 or offset >= end:
            return min(max(begin, offset), end)
        for place in range(offset, min(offset + MARKS, end)):
            if cells.width(self.text[place]) or self.text[place] in "\t\n":
                return place
        return offset
