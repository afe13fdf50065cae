"""The widget that draws lines, and sends to the terminal only the cells that changed.

A whole-widget refresh is what makes a screen slow over SSH: one row of a list costs 5 KB with it and 0.4 KB
without.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tui import cells
from tui.widgets.line import EMPTY, MUTED, Line, fit

if TYPE_CHECKING:
    from tui.app import RankscopeApp

DRAWN_ON_BLANKS = frozenset(("term", "reverse", "underline"))
"""Styles that can be seen on a blank."""

Cell = tuple[str, str, int]
"""One cell: the character, its style, and 1 for the second cell of a wide one."""


class Painted(Widget):
    """Draws the lines last given to ``paint``, one a row."""

    DEFAULT_CSS = "Painted { width: 1fr; height: 1fr; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.painted: tuple[Line, ...] = ()
        self._given: Sequence[Line] = ()
        self._strips: dict[int, Strip] = {}

    def paint(self, lines: Sequence[Line]) -> None:
        """Show these lines from the top; what differs from what is shown is drawn again, and nothing else."""
        width, height = self.size
        self._given = lines
        new = tuple(fit(line, width) for line in lines[:height])
        old = self.painted
        self.painted = new
        changed: list[Region] = []
        for y in range(max(len(old), len(new))):
            before = old[y] if y < len(old) else EMPTY
            after = new[y] if y < len(new) else EMPTY
            if before != after:
                self._strips.pop(y, None)
                start, end = changed_cells(before, after, width)
                if start < end:
                    changed.append(Region(start, y, end - start, 1))
        if changed:
            self.refresh(*changed)

    def on_resize(self) -> None:
        self.paint(self._given)

    def render_line(self, y: int) -> Strip:
        strip, width = self._strips.get(y), self.size.width
        if strip is None or strip.cell_length != width:
            line = self.painted[y] if y < len(self.painted) else EMPTY
            strip = self._strips[y] = self._strip(fit(line, width), width)
        return strip

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def _strip(self, line: Line, width: int) -> Strip:
        style = cast("RankscopeApp", self.app).look.style
        return Strip([Segment(text, style(words)) for text, words in coalesced(line)], width)


class Rule(Painted):
    """The muted line between two panes."""

    def on_resize(self) -> None:
        self.paint([(("│", MUTED),)] * self.size.height)


def coalesced(line: Line) -> Line:
    """The same cells in as few pieces as can be: every piece costs some 40 bytes of colour on the wire.

    Blanks take the style beside them, since nobody sees it, unless that one draws on blanks too.
    """
    pieces: list[tuple[str, str]] = []
    for text, words in line:
        if not text:
            continue
        if pieces:
            last, style = pieces[-1]
            seen = style if text.isspace() and not _seen_on_blanks(style, words) else words
            if last.isspace() and not _seen_on_blanks(style, seen):
                style = seen
            if seen == style:
                pieces[-1] = (last + text, style)
                continue
        pieces.append((text, words))
    return tuple(pieces)


def _seen_on_blanks(style: str, other: str) -> bool:
    return not DRAWN_ON_BLANKS.isdisjoint((*style.split(), *other.split()))


def changed_cells(before: Line, after: Line, width: int) -> tuple[int, int]:
    """The first and the end of the cells in which two lines differ; equal where they do not."""
    old, new = _cells(fit(before, width)), _cells(fit(after, width))
    start = 0
    while start < width and old[start] == new[start]:
        start += 1
    end = width
    while end > start and old[end - 1] == new[end - 1]:
        end -= 1
    return start, end


def _cells(line: Line) -> list[Cell]:
    found: list[Cell] = []
    for text, style in line:
        if text.isascii():
            found.extend([(character, style, 0) for character in text])
            continue
        for character in text:
            size = _size(character)
            if size:
                found.extend((character, style, half) for half in range(size))
            elif found:
                found[-1] = (found[-1][0] + character, *found[-1][1:])
    return found


@lru_cache(maxsize=16_384)
def _size(character: str) -> int:
    return cells.width(character)
