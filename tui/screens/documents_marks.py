"""The places in a document that ``n`` and ``N`` go to: find hits, else evidence, cuts, edits and conflicts. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import islice

from tui import text
from tui.screens.documents_work import Shown
from tui.widgets import figures
from tui.widgets.boundary import Spans

MOST = 10_000
"""Hits of one search in a document; more tell nothing."""


def finds(shown: str, sought: str) -> Spans:
    """Where a text holds another one; case does not count, nor does what cannot be typed in one line."""
    if not sought.strip():
        return ()
    pattern = re.compile(re.escape(sought), re.IGNORECASE)
    return tuple(match.span() for match in islice(pattern.finditer(shown), MOST))


def next_mark(shown: Shown, hits: Spans, offset: int, step: int) -> tuple[str, int | None]:
    """What is said, and where the next mark in a direction is, around the end; None where there is none."""
    if hits:
        places = [start for start, _ in hits]
        number = _next(places, offset, step)
        return f"find hit {figures.whole(number + 1)} of {figures.whole(len(places))}", places[number]
    notes = shown.reading.notes
    if not notes:
        return "no evidence, cut or edit in this document: / finds a text", None
    places = sorted({note.start for note in notes})
    number = _next(places, offset, step)
    told = ", ".join(text.one_line(note.text) for note in notes if note.start == places[number])
    return f"{told}: mark {figures.whole(number + 1)} of {figures.whole(len(places))}", places[number]


def _next(places: list[int], offset: int, step: int) -> int:
    if step > 0:
        return bisect_right(places, offset) % len(places)
    return (bisect_left(places, offset) - 1) % len(places)
