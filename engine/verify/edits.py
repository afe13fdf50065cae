"""Edits: the pins against the history that led to them, their texts, and whether the generation holds every step."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing

from engine.edits.pin import Pin
from engine.store.edits import EditStore
from engine.store.generation import applied_edit
from engine.store.library_file import LibraryFile
from engine.verify.expected import Edited
from engine.verify.finding import Finding

WHERE = "library.sqlite"


def check_edits(connection: sqlite3.Connection, library: LibraryFile) -> Iterator[Finding]:
    """``connection`` reads the generation. Raises ``CorruptIndexError`` where a step of the history is damaged."""
    with closing(EditStore(library.path)) as edits:
        steps, pins, last = edits.steps(), edits.every_pin(), edits.last()
    if replayed((step.removed, step.added) for step in reversed(steps)) != {pin.id: pin for pin in pins}:
        yield Finding(
            "edits_differ", WHERE, "the edits are not those that their history leads to", mend="edits"
        )
    for pin in pins:
        text = library.text_of(pin.revision, pin.parser)
        if text is None or text[pin.start : pin.end] != pin.base:
            yield Finding(
                "edit_unanchored",
                pin.path,
                f"the text that an edit at {pin.start:,} was made in is no longer archived",
                derived=False,
                remedy="the edit itself is kept, and stands wherever its text occurs once",
            )
    applied = applied_edit(connection)
    if applied < last:
        yield Finding(
            "edit_waiting",
            WHERE,
            f"{last - applied:,} steps of the history wait to be applied",
            "note",
            mend="replay",
        )
    elif applied > last:
        yield Finding(
            "edits_lost",
            WHERE,
            f"the generation holds {applied:,} steps of the history, and {last:,} are kept",
            derived=False,
        )


def edits_applied(connection: sqlite3.Connection, library: LibraryFile) -> Edited:
    """The edits that the generation holds: of a document with later steps, those that the earlier ones led to."""
    applied = applied_edit(connection)
    with closing(EditStore(library.path)) as edits:
        late = set(edits.changed_after(applied))
        earlier = {
            document: tuple(
                replayed(
                    (step.removed, step.added)
                    for step in reversed(edits.steps(document))
                    if step.seq <= applied
                ).values()
            )
            for document in late
        }
    return lambda document: earlier[document] if document in late else library.pins(document)


def replayed(steps: Iterable[tuple[tuple[Pin, ...], tuple[Pin, ...]]]) -> dict[str, Pin]:
    """The pins that (removed, added) of every step, the first first, leave behind."""
    left: dict[str, Pin] = {}
    for removed, added in steps:
        for pin in removed:
            left.pop(pin.id, None)
        left.update((pin.id, pin) for pin in added)
    return left
