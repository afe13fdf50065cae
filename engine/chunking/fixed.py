"""Fixed mode: windows of one length that end, where they can, at a natural boundary.

The boundary is looked for in the last quarter of the window: a paragraph's end, then a line's, then a
sentence's, then a space or CJK comma. The next window starts up to ``overlap`` code points before the cut,
itself at a boundary where that stretch has one.
"""

from __future__ import annotations

from engine.cancel import CancelToken
from engine.chunking.boundary import PROSE, exact_cut, hard_cut, last_boundary, overlap_start
from engine.chunking.sections import Span
from engine.text import grapheme_ceiling


def windows(
    text: str,
    start: int,
    end: int,
    target: int,
    overlap: int = 0,
    *,
    seek_boundary: bool = True,
    cancel: CancelToken | None = None,
) -> list[Span]:
    """Windows over ``text[start:end]``, in code points; ends at every cut, so that spans tile but for
    overlap.

    ``start`` and ``end`` must be cluster boundaries. Starts and ends strictly increase whatever the numbers
    (a target below 1 counts as 1, an overlap below 0 as 0); a window exceeds ``target`` only where a single
    cluster does. ``seek_boundary=False`` cuts at exactly ``target`` wherever that cuts no cluster.
    Raises ``Cancelled``.
    """
    target, overlap = max(target, 1), max(overlap, 0)
    spans: list[Span] = []
    position = covered = start
    while position < end:
        if cancel is not None:
            cancel.check()
        if end - position <= target:
            spans.append((position, end))
            break
        cut = _cut(text, position, covered, target, seek_boundary)
        if cut - position > target and position < covered:
            position = covered  # the overlap left no room for the next cluster
            continue
        cut = min(cut, end)
        spans.append((position, cut))
        if cut == end:
            break
        position, covered = _overlapping(text, position, cut, overlap, seek_boundary), cut
    return spans


def _cut(text: str, start: int, covered: int, target: int, seek_boundary: bool) -> int:
    """Where the window from ``start`` ends, beyond ``covered``."""
    high = start + target
    if not seek_boundary:
        return exact_cut(text, start, covered, high)
    low = max(covered, high - target // 4)
    for finder in PROSE:
        place = last_boundary(text, start, finder(text, low, high))
        if place is not None:
            return place
    return hard_cut(text, start, covered, high)


def _overlapping(text: str, start: int, cut: int, overlap: int, seek_boundary: bool) -> int:
    """Where the window after ``cut`` starts: at most ``overlap`` before it, and after ``start``."""
    if overlap == 0:
        return cut
    earliest = grapheme_ceiling(text, max(cut - overlap, start + 1), start)
    if earliest >= cut or not seek_boundary:
        return min(earliest, cut)
    place = overlap_start(text, start, earliest, cut, PROSE)
    return earliest if place is None else place
