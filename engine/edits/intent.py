"""What somebody wants done to chunks. An intent is read against the index as it is, and gives the step to take; it
is then taken, or only tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.edits import actions
from engine.edits.actions import Change, Held, Source
from engine.edits.conflict import settled
from engine.edits.desk import Shelf
from engine.edits.pin import Pin, State
from engine.errors import UsageError
from engine.store.edits import Action


@dataclass(frozen=True, slots=True)
class Planned:
    """A step that could be taken."""

    action: Action
    document_id: str
    change: Change


Intent = Callable[[Shelf], Planned]
"""Raises ``UsageError`` with what cannot be done, and why."""


def set_text(chunk_id: str, text: str) -> Intent:
    """Another text in place of a chunk's."""
    return _of_chunk("text", chunk_id, lambda source, held: actions.with_text(source, held, text))


def split(chunk_id: str, at: Sequence[int]) -> Intent:
    """Cut a chunk at these code points of its text."""
    return _of_chunk("split", chunk_id, lambda source, held: actions.split(source, held, at))


def merge(chunk_ids: Sequence[str]) -> Intent:
    """Neighbouring chunks of one document as one."""

    def planned(shelf: Shelf) -> Planned:
        source, chunks = shelf.neighbours(chunk_ids)
        return Planned("merge", source.document_id, actions.merge(source, chunks))

    return planned


def disable(chunk_id: str) -> Intent:
    """Take a chunk out of use."""
    return _in_state("disable", chunk_id, "disabled")


def enable(chunk_id: str) -> Intent:
    """Let a chunk serve again."""
    return _in_state("enable", chunk_id, "enabled")


def delete(chunk_id: str) -> Intent:
    """Put a chunk into the bin."""
    return _in_state("delete", chunk_id, "deleted")


def restore(chunk_id: str) -> Intent:
    """Take a chunk out of the bin."""
    return _in_state("restore", chunk_id, "enabled")


def recover(pin_id: str) -> Intent:
    """Take what an edit put into the bin out of it, wherever its document stands now."""

    def planned(shelf: Shelf) -> Planned:
        pin = _pin(shelf, pin_id)
        if pin.state != "deleted":
            raise UsageError("it does not lie in the bin any more", "look at the history again")
        back = replace(pin, state="enabled")
        return Planned("restore", pin.document_id, Change((pin,), () if back.idle else (back,)))

    return planned


def resolve(pin_id: str, choice: str, text: str = "") -> Intent:
    """Settle a conflict: ``mine`` puts the edit where its lines are now, ``file`` drops it, ``text`` puts the text given
    there."""

    def planned(shelf: Shelf) -> Planned:
        pin = _pin(shelf, pin_id)
        return Planned("resolve", pin.document_id, settled(shelf, pin, choice, text))

    return planned


def _pin(shelf: Shelf, pin_id: str) -> Pin:
    pin = next((pin for pin in shelf.edits.every_pin() if pin.id == pin_id), None)
    if pin is None:
        raise UsageError("there is no such edit any more", "look at the history again")
    return pin


def _in_state(action: Action, chunk_id: str, state: State) -> Intent:
    return _of_chunk(action, chunk_id, lambda source, held: actions.with_state(source, held, state))


def _of_chunk(action: Action, chunk_id: str, change: Callable[[Source, Held], Change]) -> Intent:
    def planned(shelf: Shelf) -> Planned:
        source, held = shelf.chunk(chunk_id)
        return Planned(action, source.document_id, change(source, held))

    return planned
