"""Where pins stand in another revision of their document. Pure: the pin, the text it was made in, the text now.

The answer depends on no earlier answer, so it does not matter which revisions lay between, in what order edits and
syncs came, or where a process was killed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher

from engine.edits.pin import AROUND, Pin
from engine.text import LineIndex

Span = tuple[int, int]
Sources = Callable[[str, str], str | None]
"""The text of an archived revision, by revision and parser; None where it is no longer kept."""

DIFF_LINES = 20_000
"""Lines of both texts above which no line diff is made: it takes their product in time at worst."""


@dataclass(frozen=True, slots=True)
class Anchored:
    """A pin at ``span`` of the present text; ``span`` is None where its place is not certain: a conflict."""

    pin: Pin
    span: Span | None


def anchored(pins: Sequence[Pin], revision: str, parser: str, text: str, sources: Sources) -> list[Anchored]:
    """Every pin, in the order given (the earliest first), with its place in this revision's ``text``.

    Where two would overlap the later one keeps its place, and the other is a conflict.
    """
    found: list[Anchored] = []
    taken: list[Span] = []
    for pin in reversed(pins):
        span = _anchor(pin, revision, parser, text, sources)
        if span is not None and any(span[0] < end and start < span[1] for start, end in taken):
            span = None
        if span is not None:
            taken.append(span)
        found.append(Anchored(pin, span))
    return found[::-1]


def _anchor(pin: Pin, revision: str, parser: str, text: str, sources: Sources) -> Span | None:
    """Its own place in its own revision; the only occurrence of its text; else the occurrence to which its lines
    have moved, if what stands around it is the same too."""
    if (pin.revision, pin.parser) == (revision, parser) and text[pin.start : pin.end] == pin.base:
        return pin.start, pin.end
    places = occurrences(text, pin.base, 2)
    if len(places) < 2:
        return (places[0], places[0] + len(pin.base)) if places else None
    source = sources(pin.revision, pin.parser)
    if source is None or source[pin.start : pin.end] != pin.base:
        return None
    place = moved(source, text, pin.start)
    if place is None or not text.startswith(pin.base, place):
        return None
    end = place + len(pin.base)
    around = text[max(0, place - AROUND) : place], text[end : end + AROUND]
    return (place, end) if around == (pin.before, pin.after) else None


def occurrences(text: str, part: str, most: int) -> list[int]:
    """Where ``part`` stands in ``text``, overlapping or not; the first ``most`` places."""
    places: list[int] = []
    at = text.find(part)
    while at >= 0 and len(places) < most:
        places.append(at)
        at = text.find(part, at + 1)
    return places


def moved(source: str, text: str, place: int) -> int | None:
    """Where the character at ``place`` of ``source`` stands in ``text``, if the line diff keeps its line."""
    old, new = _lines(source), _lines(text)
    if len(old) + len(new) > DIFF_LINES:
        return None
    starts = LineIndex.of(source).starts
    line = bisect_right(starts, place) - 1
    for same in _matches(old, new):
        if same.a <= line < same.a + same.size:
            return LineIndex.of(text).starts[same.b + line - same.a] + place - starts[line]
    return None


def nearby(source: str, text: str, span: Span) -> Span:
    """The lines of ``text`` that stand where ``source[span]`` stood, by the line diff; empty where none does.

    For a person to look at: what has become of a place that no rule finds again.
    """
    old, new = LineIndex.of(source).starts, LineIndex.of(text).starts
    first, last = bisect_right(old, span[0]) - 1, bisect_right(old, span[1] - 1) - 1
    low, high = 0, len(new)
    if len(old) + len(new) <= DIFF_LINES:
        for same in _matches(_lines(source), _lines(text)):
            if same.a + same.size <= first:
                low = same.b + same.size
            elif same.a <= first:
                low = same.b + first - same.a
            if same.a > last:
                high = min(high, same.b)
            elif same.a <= last < same.a + same.size:
                high = min(high, same.b + last - same.a + 1)
    bounds = [*new, len(text)]
    return (bounds[low], bounds[max(low, high)])


def _matches(old: Sequence[str], new: Sequence[str]) -> list[Match]:
    return SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()


def _lines(text: str) -> list[str]:
    return [*_pieces(text, LineIndex.of(text).starts)]


def _pieces(text: str, starts: Sequence[int]) -> Iterator[str]:
    for place, start in enumerate(starts):
        yield text[start : starts[place + 1] if place + 1 < len(starts) else len(text)]
