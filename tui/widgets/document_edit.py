"""A chunk that is edited, as lines: which one, how long, and what the edit changes. Pure."""

from __future__ import annotations

import time
from collections.abc import Sequence
from difflib import SequenceMatcher

from engine.model import EDIT_LIMIT
from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, EMPTY, MUTED, PLAIN, STRONG, Line, ends, fit
from tui.widgets.results import pane_title

AFTER_SYNC = "a sync keeps the edit wherever the source's text is the same, else shows both texts"
CONTEXT = 2
"""Unchanged lines that are shown around a change."""


def clock(at: float) -> str:
    """A time of day, for something that was kept: ``14:02``."""
    return time.strftime("%H:%M", time.localtime(at))


def title(path: str, lines: tuple[int, int] | None, content: str, width: int) -> Line:
    """``EDIT retry.md L12–18``, and how many characters of those a chunk may have."""
    count = len(content)
    size = f"{figures.whole(count)} of {figures.whole(EDIT_LIMIT)}"
    span = figures.lines(*lines) if lines is not None else ""
    room = width - cells.width(size) - cells.width(span) - 12
    name = cells.cut_path(text.one_line(path), max(8, room))
    left: Line = ((" EDIT", STRONG), (f"  {name} {span}", PLAIN))
    return fit(ends(left, ((size, ATTENTION if count > EDIT_LIMIT else MUTED),), width - 1), width)


def review_title(width: int, focused: bool) -> list[Line]:
    return [fit(pane_title("REVIEW", focused), width)]


def review(before: str, after: str, effect: Sequence[Line], width: int) -> list[Line]:
    """The sizes, what the edit does to questions, then the lines that differ with a few around them."""
    more = len(after) - len(before)
    change = (
        "as long as before" if not more else f"{figures.whole(abs(more))} {'more' if more > 0 else 'fewer'}"
    )
    size = f"{figures.whole(len(before))} → {figures.whole(len(after))} characters, {change}"
    made: list[Line] = [((size, ATTENTION if len(after) > EDIT_LIMIT else PLAIN),), EMPTY]
    return [*made, *effect, EMPTY, *difference(before, after, width)]


def difference(before: str, after: str, width: int) -> list[Line]:
    """Two texts line by line: ``−`` what goes, ``+`` what comes, and a few lines around each change."""
    old, new = (text.sanitise(one).split("\n") for one in (before, after))
    made: list[Line] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT):
        if made:
            made.append((("⋮", MUTED),))
        for tag, first, last, begin, end in group:
            if tag == "equal":
                made += _lines(old[first:last], "  ", MUTED, width)
                continue
            made += _lines(old[first:last], "− ", PLAIN, width)
            made += _lines(new[begin:end], "+ ", STRONG, width)
    return made or [(("no line differs", MUTED),)]


def _lines(lines: list[str], sign: str, style: str, width: int) -> list[Line]:
    made: list[Line] = []
    for line in lines:
        for number, (start, end) in enumerate(cells.wrap(line, max(8, width - 3))):
            made.append(((sign if not number else "  ", STRONG), (cells.row(line, start, end), style)))
    return made
