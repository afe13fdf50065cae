"""What a document's chunks hold once its pins are applied. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.edits.anchor import Anchored
from engine.edits.pin import Pin
from engine.model import ChunkSpan

LEFT_OUT = "[…]"
"""Stands in a parent for what is disabled or deleted below it."""


@dataclass(frozen=True, slots=True)
class Effective:
    """A chunk's text as it serves. ``pin`` is the one that made the chunk, if any; ``retrievable`` is false for
    what is disabled or deleted."""

    text: str
    edited: bool = False
    retrievable: bool = True
    pin: Pin | None = None


class Applied:
    """The pins of one text that have a place in it; asked chunk by chunk."""

    def __init__(self, text: str, anchors: Sequence[Anchored]) -> None:
        self._text = text
        self._placed = sorted(((one.span, one.pin) for one in anchors if one.span is not None), key=_span)
        self._by_span = dict(self._placed)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """What every chunker leaves whole, in order."""
        return [span for span, _ in self._placed]

    def of(self, span: ChunkSpan) -> Effective:
        """The effective text of a chunk that was cut with ``spans`` as its boundaries."""
        if span.role == "parent":
            return self._parent(span)
        pin = self._by_span.get((span.start, span.end))
        if pin is None:
            return Effective(self._text[span.start : span.end])
        return Effective(pin.effective, pin.text is not None, pin.state == "enabled", pin)

    def _parent(self, parent: ChunkSpan) -> Effective:
        """Its own text, with what is edited below it in place of what stood there."""
        parts: list[str] = []
        at, edited = parent.start, False
        for (start, end), pin in self._placed:
            changed = pin.text is not None or pin.state != "enabled"
            if changed and parent.start <= start and end <= parent.end:
                parts += [self._text[at:start], pin.effective if pin.state == "enabled" else LEFT_OUT]
                at, edited = end, True
        return Effective("".join([*parts, self._text[at : parent.end]]), edited)


def _span(placed: tuple[tuple[int, int], Pin]) -> tuple[int, int]:
    return placed[0]
