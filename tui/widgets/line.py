"""One row of a pane as data: pieces of text, each with the name of a style. Pure; ``rows.py`` draws it.

A style is a few words parted by blanks: a weight (``strong``, ``muted``), an accent (``focus``,
``attention``), ``term`` for a word of the query inside a passage. What they look like is the theme's
business. Text put in a line has been through ``tui.text``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from tui import cells

Span = tuple[str, str]
Line = tuple[Span, ...]

PLAIN = ""
STRONG = "strong"
MUTED = "muted"
FOCUS = "focus"
ATTENTION = "attention"
TERM = "term"

EMPTY: Line = ()
GAP = "   "


def text_of(line: Line) -> str:
    """The characters of a line, without styles."""
    return "".join(text for text, _ in line)


def measure(line: Line) -> int:
    """Cells that a line takes."""
    return sum(cells.width(text) for text, _ in line)


def blank(count: int) -> Line:
    """So many blank cells; none where ``count`` is not positive."""
    return ((" " * count, PLAIN),) if count > 0 else EMPTY


@lru_cache(maxsize=4_096)
def fit(line: Line, width: int) -> Line:
    """The line in exactly ``width`` cells: padded, or cut with ``…`` in the style of what was cut.

    Kept, because a key asks again for most rows of the screen, and for each of them at several stages.
    """
    used = measure(line)
    if used <= width:
        return line + blank(width - used)
    kept: list[Span] = []
    left = width
    for text, style in line:
        size = cells.width(text)
        if size >= left:
            kept.append((cells.fit(text + cells.ELLIPSIS if size == left else text, left), style))
            break
        kept.append((text, style))
        left -= size
    return tuple(kept)


def ends(left: Line, right: Line, width: int) -> Line:
    """``left`` and ``right`` at the two ends of ``width`` cells; ``left`` is cut first."""
    right = fit(right, min(measure(right), width))
    room = width - measure(right)
    if not right or room <= 1:
        return fit(left, room) + right
    return fit(left, room - 1) + blank(1) + right


def cell(
    text: str, width: int, style: str = PLAIN, align: Literal["left", "right"] = "right", lead: int = 1
) -> Span:
    """A column of a table: ``lead`` blanks, then the text in exactly ``width`` cells."""
    return " " * lead + cells.fit(text, width, align), style


def join(parts: list[Line], gap: str = GAP) -> Line:
    """The parts that hold anything, one after the other with ``gap`` between them."""
    joined: list[Span] = []
    for part in parts:
        if part:
            if joined:
                joined.append((gap, PLAIN))
            joined.extend(part)
    return tuple(joined)
