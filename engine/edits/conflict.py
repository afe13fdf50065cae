"""Edits that have lost their place: what stood there, what a person made of it, and what the file says now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.edits import actions
from engine.edits.actions import Change, Source
from engine.edits.anchor import Anchors
from engine.edits.desk import Shelf
from engine.edits.pin import Pin
from engine.errors import UsageError

CHOICES = ("mine", "file", "text")
"""How a conflict may be settled: by the edit, by the file, or by a text given anew."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """An edit whose place in the present text is not certain. ``base`` stood where it was made, ``mine`` is what a
    person made of it (empty where that was to leave it out), ``file`` are the lines that stand there now, at
    ``span``; empty where nothing does."""

    pin: Pin
    base: str
    mine: str
    file: str
    span: tuple[int, int]


def conflicts(shelf: Shelf) -> Iterator[Conflict]:
    """Every edit that has no certain place in the text of now, or whose document is not in the index."""
    every = shelf.edits.every_pin()
    for document_id in dict.fromkeys(pin.document_id for pin in every):
        pins = [pin for pin in every if pin.document_id == document_id]
        source = shelf.source_of(document_id)
        if source is None:
            yield from (Conflict(pin, pin.base, _mine(pin), "", (0, 0)) for pin in pins)
            continue
        anchors = _anchors(shelf, source)
        for pin in (one.pin for one in anchors.place(pins) if one.span is None):
            start, end = anchors.nearby(pin)
            yield Conflict(pin, pin.base, _mine(pin), source.text[start:end], (start, end))


def settled(shelf: Shelf, pin: Pin, choice: str, text: str) -> Change:
    """The step that settles a conflict by one of ``CHOICES``. Raises ``UsageError`` where that cannot be."""
    if choice not in CHOICES:
        raise UsageError(f"{choice!r} settles no conflict", f"choose one of {', '.join(CHOICES)}")
    if choice == "file":
        return Change((pin,), ())
    source = shelf.source_of(pin.document_id)
    if source is None:
        raise UsageError(f"{pin.path} is not in the index", "add the file, or take the file's side")
    span = _anchors(shelf, source).nearby(pin)
    return actions.resolved(source, pin, span, text if choice == "text" else None)


def conflict_json(conflict: Conflict) -> dict[str, object]:
    """A conflict as JSON: the pin with its id, and the three texts."""
    return {
        "id": conflict.pin.id,
        "document": conflict.pin.path,
        "base": conflict.base,
        "mine": conflict.mine,
        "file": conflict.file,
        "start": conflict.span[0],
        "end": conflict.span[1],
    }


def _anchors(shelf: Shelf, source: Source) -> Anchors:
    return Anchors(source.revision, source.parser, source.text, shelf.sink.library.text_of)


def _mine(pin: Pin) -> str:
    return pin.effective if pin.state == "enabled" else ""
