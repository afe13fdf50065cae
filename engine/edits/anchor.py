"""Where pins stand in another revision of their document. Pure: the pin, the text it was made in, the text now.

The answer depends on no earlier answer, so it does not matter which revisions lay between, in what order edits and
syncs came, or where a process was killed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.edits.lines import LineMap
from engine.edits.pin import AROUND, Pin

Span = tuple[int, int]
Sources = Callable[[str, str], str | None]
"""The text of an archived revision, by revision and parser; None where it is no longer kept."""


@dataclass(frozen=True, slots=True)
class Anchored:
    """A pin at ``span`` of the present text; ``span`` is None where its place is not certain: a conflict."""

    pin: Pin
    span: Span | None


class Anchors:
    """One revision of a document, in which pins are looked up. The texts that they were made in are compared with
    it when that is first needed, once each."""

    def __init__(self, revision: str, parser: str, text: str, sources: Sources) -> None:
        self._now = (revision, parser)
        self._text = text
        self._sources = sources
        self._maps: dict[tuple[str, str], tuple[str, LineMap] | None] = {}

    def place(self, pins: Sequence[Pin]) -> list[Anchored]:
        """Every pin, in the order given (the earliest first), with its place in the text.

        Where two would overlap the later one keeps its place, and the other is a conflict.
        """
        found: list[Anchored] = []
        taken: list[Span] = []
        for pin in reversed(pins):
            span = self._find(pin)
            if span is not None:
                at = bisect_right(taken, span)
                overlaps = (at and taken[at - 1][1] > span[0]) or (at < len(taken) and taken[at][0] < span[1])
                if overlaps:
                    span = None
                else:
                    taken.insert(at, span)
            found.append(Anchored(pin, span))
        return found[::-1]

    def nearby(self, pin: Pin) -> Span:
        """The lines that stand now where a pin was made; empty where none does, or where the text that it was made
        in is not kept any more."""
        made_in = self._made_in(pin)
        return (0, 0) if made_in is None else made_in[1].nearby(pin.start, pin.end)

    def _find(self, pin: Pin) -> Span | None:
        """Its own place in its own revision; the only occurrence of its text; else the occurrence to which its
        lines have moved, if what stands around it is the same too."""
        text = self._text
        if (pin.revision, pin.parser) == self._now and text[pin.start : pin.end] == pin.base:
            return pin.start, pin.end
        places = occurrences(text, pin.base, 2)
        if len(places) < 2:
            return (places[0], places[0] + len(pin.base)) if places else None
        made_in = self._made_in(pin)
        if made_in is None or made_in[0][pin.start : pin.end] != pin.base:
            return None
        start = made_in[1].moved(pin.start)
        if start is None or not text.startswith(pin.base, start):
            return None
        end = start + len(pin.base)
        around = text[max(0, start - AROUND) : start], text[end : end + AROUND]
        return (start, end) if around == (pin.before, pin.after) else None

    def _made_in(self, pin: Pin) -> tuple[str, LineMap] | None:
        key = (pin.revision, pin.parser)
        if key not in self._maps:
            source = self._sources(*key)
            self._maps[key] = None if source is None else (source, LineMap.of(source, self._text))
        return self._maps[key]


def anchored(pins: Sequence[Pin], revision: str, parser: str, text: str, sources: Sources) -> list[Anchored]:
    """Every pin, the earliest first, with its place in this revision's ``text``."""
    return Anchors(revision, parser, text, sources).place(pins)


def occurrences(text: str, part: str, most: int) -> list[int]:
    """Where ``part`` stands in ``text``, overlapping or not; the first ``most`` places."""
    places: list[int] = []
    at = text.find(part)
    while at >= 0 and len(places) < most:
        places.append(at)
        at = text.find(part, at + 1)
    return places
