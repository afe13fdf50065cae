"""What somebody wants done to chunks. An intent is read against the index as it is, and gives the step to take; it
is then taken, or only tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.edits import actions
from engine.edits.actions import Change, Held, Source
from engine.edits.desk import Shelf
from engine.edits.pin import State
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


def _in_state(action: Action, chunk_id: str, state: State) -> Intent:
    return _of_chunk(action, chunk_id, lambda source, held: actions.with_state(source, held, state))


def _of_chunk(action: Action, chunk_id: str, change: Callable[[Source, Held], Change]) -> Intent:
    def planned(shelf: Shelf) -> Planned:
        source, held = shelf.chunk(chunk_id)
        return Planned(action, source.document_id, change(source, held))

    return planned
