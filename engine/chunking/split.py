"""Where a unit that exceeds a chunk is cut inside: a table at rows, a list at items, a fence at lines.
Pure.
"""

from __future__ import annotations

from bisect import bisect_right

from engine.chunking.boundary import (
    Finder,
    gaps,
    hard_cut,
    last_boundary,
    line_ends,
    paragraph_ends,
    sentences,
)
from engine.chunking.sections import Unit

SMALL = 4
"""A piece below ``limit ÷ SMALL`` is small; no cut leaves one behind where another place will do."""

Tiers = tuple[tuple[Finder, float], ...]
"""Finders, best first, each with the share of the window in which it is not asked: a sentence that ends
in the first quarter is no reason to leave three quarters empty, the end of a row is.
"""

_PROSE: Tiers = ((sentences, 0.25), (line_ends, 0.25), (gaps, 0.5))
_LINES: Tiers = ((paragraph_ends, 0.5), (line_ends, 0.0), (sentences, 0.5), (gaps, 0.5))
_ROWS: Tiers = ((line_ends, 0.0), (sentences, 0.5), (gaps, 0.5))
_TIERS: dict[str, Tiers] = {
    "fence": _LINES,
    "code": _LINES,
    "html": _LINES,
    "entry": _LINES,
    "table": _ROWS,
    "definition": _ROWS,
}


def cut_inside(text: str, unit: Unit, start: int, limit: int) -> int:
    """Where the chunk from ``start`` ends inside ``unit``, at most ``limit`` code points on.

    The text between ``start`` and the unit's own start (a heading, a line that leads in) is not cut from it
    where both fit. The unit must reach beyond the limit.
    """
    tail = limit // SMALL
    high = start + max(1, min(limit, unit.ink - start - tail))
    low = unit.start if start < unit.start < high else start
    place = _inner_cut(unit, start, low, high)
    if place is not None:
        return place
    for finder, share in _TIERS.get(unit.kind, _PROSE):
        sought = max(low, start + int(share * (high - start)))
        place = last_boundary(text, start, finder(text, sought, high))
        if place is not None:
            return place
    return hard_cut(text, start, low, high)


def overlap_finders(unit: Unit, cut: int) -> tuple[Finder, ...]:
    """The boundaries in ``unit`` at which a chunk may start that repeats its end up to ``cut``, best first.

    A block that is not prose is repeated whole or not at all, unless the cut itself splits it; a heading
    never.
    """
    split = unit.start < cut < unit.end
    if unit.kind in _TIERS or unit.kind == "heading":
        return (line_ends,) if split else ()
    return (paragraph_ends, sentences, line_ends, gaps) if split else (paragraph_ends, sentences, line_ends)


def _inner_cut(unit: Unit, start: int, low: int, high: int) -> int | None:
    """The last of the unit's own places in the window, of the shallowest depth that leaves no sliver."""
    first = bisect_right(unit.inner, low, key=lambda place: place[1])
    last = bisect_right(unit.inner, high, key=lambda place: place[1])
    if unit.kind != "table":
        first = max(first, bisect_right(unit.inner, start + (high - start) // 8, key=lambda place: place[1]))
    return max(unit.inner[first:last], key=lambda place: (-place[0], place[1]), default=(0, None))[1]
