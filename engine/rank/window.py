"""Cutting a passage to a size: around what must stay whole, at the safest boundary that is near."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from engine.rank.folded import fold_with_offsets
from engine.text import LINE_END, grapheme_ceiling, grapheme_floor, is_grapheme_boundary, sentence_ends

if TYPE_CHECKING:
    from collections.abc import Mapping

OCCURRENCES = 256
"""How often one term is looked for in one text; a passage that repeats it more needs no more to be found."""


def window(text: str, start: int, end: int, size: int) -> tuple[int, int]:
    """A span of at most ``size`` code points that holds ``[start, end)`` whole.

    The room left over is shared by both sides. Each side is cut at a line's end where there is one in reach,
    else after a sentence, else at a space, else between grapheme clusters. Where ``[start, end)`` is larger
    than ``size``, it is itself cut at its end.
    """
    if end - start > size:
        return start, max(start, _cut_back(text, start, start + size))
    room = size - (end - start)
    low = start - min(start, max(room // 2, room - (len(text) - end)))
    low = _cut_on(text, low, start) if low > 0 else 0
    high = min(len(text), low + size)
    return low, high if high == len(text) else _cut_back(text, end, high)


def _cut_on(text: str, low: int, limit: int) -> int:
    """The first boundary in ``[low, limit]``, of the best kind there is."""
    low = grapheme_ceiling(text, low)
    if low >= limit:
        return limit
    line = LINE_END.search(text, low - 1, limit)
    if line:
        return line.end()
    sentences = (end for end in sentence_ends(text, low, limit) if is_grapheme_boundary(text, end))
    spaces = (place + 1 for place in range(low, limit) if _after_space(text, place + 1))
    return next(sentences, None) or next(spaces, low)


def _cut_back(text: str, limit: int, high: int) -> int:
    """The last boundary in ``[limit, high]``, of the best kind there is."""
    high = grapheme_floor(text, high)
    if high <= limit:
        return limit
    lines = [line.end() for line in LINE_END.finditer(text, limit, high)]
    if lines:
        return lines[-1]
    sentences = [end for end in sentence_ends(text, limit, high) if is_grapheme_boundary(text, end)]
    if sentences:
        return sentences[-1]
    return next((place for place in range(high, limit, -1) if _after_space(text, place)), high)


def _after_space(text: str, place: int) -> bool:
    """Whether a cut there comes after a space that no mark combines with."""
    return text[place - 1].isspace() and is_grapheme_boundary(text, place)


def best_match(text: str, weights: Mapping[str, float], size: int) -> tuple[int, int]:
    """The span of at most ``size`` that holds the weightiest set of terms: the sum of its distinct terms'
    weights.

    The first of equals; ``(0, 0)`` where the text holds none.
    """
    spots = sorted(spot for spot in _spots(text, weights) if spot[1] - spot[0] <= size)
    held: Counter[str] = Counter()
    best, found, total, first = 0.0, (0, 0), 0.0, 0
    for last, (_, end, term) in enumerate(spots):
        total += 0.0 if held[term] else weights[term]
        held[term] += 1
        while end - spots[first][0] > size:
            dropped = spots[first][2]
            held[dropped] -= 1
            total -= 0.0 if held[dropped] else weights[dropped]
            first += 1
        if total > best + 1e-9:
            best, found = total, (first, last)
    within = spots[found[0] : found[1] + 1]
    return (within[0][0], max(end for _, end, _ in within)) if within else (0, 0)


def _spots(text: str, weights: Mapping[str, float]) -> list[tuple[int, int, str]]:
    """Where the terms stand in the text, in its own offsets."""
    folded, offsets = fold_with_offsets(text)
    spots = []
    for term in weights:
        place = folded.find(term) if term else -1
        for _ in range(OCCURRENCES):
            if place < 0:
                break
            end = place + len(term)
            start, last = (place, end - 1) if offsets is None else (offsets[place], offsets[end - 1])
            spots.append((start, last + 1, term))
            place = folded.find(term, end)
    return spots
