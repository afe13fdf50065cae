"""Cells: how wide text is in a terminal, and how to cut, pad, align and wrap it. Pure; widths are those rich
draws with.

How to use it: give every function text that went through ``tui.text`` (there a row can no longer hold a
sequence whose width terminals dispute). ``cut`` shortens, ``fit`` makes exactly so many cells, ``place``
writes ``path › heading``,
``wrap`` lays text out in rows of offsets, ``row`` draws one of them. No function halves a wide character.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from rich.cells import cell_len, get_character_cell_size, split_graphemes

ELLIPSIS = "…"
MISSING = "–"
MINUS = "−"
TAB = 4

CLOSING = frozenset(
    "、。，．：；！？）］｝〉》」』】〕〗〙〛”’…‥·ー々〻％‰℃°,.:;!?)]}%｡､｣ヽヾゝゞぁぃぅぇぉっゃゅょァィゥェォッャュョ"
)
"""Characters that do not begin a row."""

OPENING = frozenset("（［｛〈《「『【〔〖〘〚“‘([{｢＄￥￡$¥£")
"""Characters that do not end a row."""


def width(text: str) -> int:
    """Cells that the text takes, as rich 15 measures it (a tab or a control takes none)."""
    # a key measures some thousand short texts, nearly all of them plain
    return len(text) if text.isascii() and text.isprintable() else cell_len(text)


def cut(text: str, cells: int, ellipsis: str = ELLIPSIS) -> str:
    """The text in at most ``cells``, ending in ``ellipsis`` where something was cut off."""
    if cell_len(text) <= cells:
        return text
    return _head(text, cells - cell_len(ellipsis)) + ellipsis if cells >= cell_len(ellipsis) else ""


def cut_start(text: str, cells: int, ellipsis: str = ELLIPSIS) -> str:
    """The end of the text in at most ``cells``, beginning with ``ellipsis`` where something was cut off."""
    if cell_len(text) <= cells:
        return text
    return ellipsis + _tail(text, cells - cell_len(ellipsis)) if cells >= cell_len(ellipsis) else ""


def fit(text: str, cells: int, align: Literal["left", "right"] = "left", ellipsis: str = ELLIPSIS) -> str:
    """The text in exactly ``cells``: cut where it is longer, padded with spaces where it is shorter."""
    shown = cut(text, cells, ellipsis)
    blank = " " * max(0, cells - cell_len(shown))
    return blank + shown if align == "right" else shown + blank


def right(text: str, cells: int) -> str:
    """The text in exactly ``cells``, at their right end: for a column of numbers."""
    return fit(text, cells, "right")


def spread(left: str, end: str, cells: int) -> str:
    """``left`` and ``end`` at the two ends of ``cells``; ``left`` is cut first, with one blank between
    them."""
    end = cut(end, cells)
    if not end:
        return fit(left, cells)
    return fit(left, cells - cell_len(end) - 1) + (" " if cell_len(end) < cells else "") + end


def cut_path(path: str, cells: int, ellipsis: str = ELLIPSIS) -> str:
    """A path in at most ``cells``: it loses its folders first, from the left, and only then cuts into the
    file name."""
    while cell_len(path) > cells and "/" in path.rstrip("/"):
        path = path.split("/", 1)[1]
    return cut(path, cells, ellipsis)


def place(path: str, heading: str, cells: int, separator: str = " › ", ellipsis: str = ELLIPSIS) -> str:
    """``path › heading`` in at most ``cells``: folders go first, then the heading is cut, then it goes.

    The heading is kept while a character of it fits; the file name is cut only where it alone is too long.
    """
    short = path
    while heading and cell_len(short + separator + heading) > cells and "/" in short:
        short = short.split("/", 1)[1]
    left = cells - cell_len(short + separator)
    if heading and left >= min(cell_len(heading), 2 + cell_len(ellipsis)):
        return short + separator + cut(heading, left, ellipsis)
    return cut_path(path, cells, ellipsis)


def wrap(text: str, cells: int, rows: int | None = None) -> list[tuple[int, int]]:
    """The rows of ``text`` in ``cells``: half-open offsets into it, at most ``rows`` of them.

    A row ends at a line feed, else where it is full: after a blank, between wide characters, never before
    closing punctuation, after an opening bracket or before a mark of no width; a longer word is broken
    anywhere. Line feeds and blanks at the border of two rows belong to no row; every other character belongs
    to exactly one. At least two cells are used, so that a wide character always fits.
    """
    found: list[tuple[int, int]] = []
    for start, end in _lines(text):
        for span in _line_rows(text, start, end, max(2, cells)):
            if rows is not None and len(found) >= rows:
                return found
            found.append(span)
    return found


def tile(text: str, start: int, end: int, cells: int) -> Iterator[int]:
    """Where each row of ``text[start:end]``, one line or a part of one, begins; the rows tile it.

    They break where those of ``wrap`` do, but lose nothing: blanks end a row or begin one, and one blank that has
    no room any more hangs over the end, so a row takes ``cells`` and that blank at most.
    """
    while True:
        yield start
        full = _reach(text, start, end, cells)
        stop = full + 1 if text[full : full + 1] == " " else full
        if stop >= end:
            return
        if stop == full and text[full] != "\t":
            stop = next((at for at in range(full, start, -1) if _may_break(text, at)), 0) or _forced(
                text, start, full
            )
        start = stop


def row(text: str, start: int = 0, end: int | None = None) -> str:
    """One row as drawn: its tabs become the blanks up to the next multiple of four cells."""
    part = text[start:end]
    return part if "\t" not in part else "".join(piece for piece in _expanded(part))


def expand(text: str, column: int = 0) -> str:
    """A piece of a row that begins at cell ``column``, with its tabs as blanks: for rows drawn in several
    styles."""
    return text if "\t" not in text else "".join(_expanded(text, column))


def _expanded(text: str, column: int = 0) -> Iterator[str]:
    for character in text:
        piece = " " * (TAB - column % TAB) if character == "\t" else character
        column += len(piece) if character == "\t" else _size(character)
        yield piece


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1
    if start < len(text) or not text:
        yield start, len(text)


def _line_rows(text: str, start: int, end: int, cells: int) -> Iterator[tuple[int, int]]:
    """The rows of one line. Each step finds how far a row can reach, then goes back to where it may break."""
    while True:
        full = _reach(text, start, end, cells)
        if full == end:
            yield start, _without_blanks(text, start, end) if start < end else end
            return
        stop = full
        if text[full] not in " \t":
            stop = next((at for at in range(full, start, -1) if _may_break(text, at)), 0) or _forced(
                text, start, full
            )
        yield start, _without_blanks(text, start, stop)
        start = stop
        while start < end and text[start] == " ":
            start += 1
        if start == end:
            return


def _without_blanks(text: str, start: int, end: int) -> int:
    """``end`` without the blanks before it, unless the row is nothing but blanks (then it is kept as it
    is)."""
    stop = end
    while stop > start and text[stop - 1] == " ":
        stop -= 1
    return stop if stop > start else end


def _reach(text: str, start: int, end: int, cells: int) -> int:
    """The first offset that no longer fits into ``cells``, or ``end``; marks of no width stay with their
    base."""
    used = 0
    for at in range(start, end):
        character = text[at]
        used += TAB - used % TAB if character == "\t" else _size(character)
        if used > cells and (at > start or character != "\t"):
            return at
    return end


def _may_break(text: str, at: int) -> bool:
    """Whether a row may end before ``text[at]``."""
    before, after = text[at - 1], text[at]
    if after in CLOSING or before in OPENING or _size(after) == 0:
        return False
    return before in " \t-/" or _size(before) == 2 or _size(after) == 2


def _forced(text: str, start: int, full: int) -> int:
    """Where a row without a good place is broken: at most a few characters back, so that no closing mark
    leads."""
    for at in range(full, max(start, full - 4), -1):
        if text[at] not in CLOSING and text[at - 1] not in OPENING and _size(text[at]) > 0:
            return at
    return full


def _head(text: str, cells: int) -> str:
    spans, _ = split_graphemes(text[: max(0, cells) * 8 + 64] if text.isascii() else text)
    used = stop = 0
    for _, end, size in spans:
        if used + size > cells:
            break
        used, stop = used + size, end
    return text[:stop]


def _tail(text: str, cells: int) -> str:
    spans, _ = split_graphemes(text)
    used, begin = 0, len(text)
    for start, _, size in reversed(spans):
        if used + size > cells:
            break
        used, begin = used + size, start
    return text[begin:]


@lru_cache(maxsize=16_384)
def _size(character: str) -> int:
    return get_character_cell_size(character)
