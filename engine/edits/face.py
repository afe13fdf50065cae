"""``library.edits``: what a person does to chunks, each step durable before it is told, and each to be taken back.

Asynchronous as the library is. Only the holder of the writer's lease edits; the others read the history.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from engine.cancel import CancelToken
from engine.edits import exchange, intent
from engine.edits.actions import Change
from engine.edits.conflict import Conflict as Conflict
from engine.edits.conflict import conflicts
from engine.edits.desk import Desk, Shelf
from engine.edits.intent import Intent
from engine.edits.pin import Pin
from engine.errors import UsageError
from engine.pipeline.group import Sink
from engine.pipeline.replay import replay
from engine.store.edits import Action, EditStore, Step
from engine.store.library_file import LibraryFile

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done:
    """A step that was taken, and in how many documents it is applied."""

    step: Step
    sentence: str
    documents: int


class Edits:
    """Every method raises ``UsageError`` with what cannot be done, ``BusyError`` where another process writes,
    and ``LibraryError`` where the index cannot."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._turn = threading.Lock()

    # --- chunks ---

    async def set_text(self, chunk_id: str, text: str) -> Done:
        """Another text in place of a chunk's. The channels serve it at once; its vector waits."""
        return await self.take(intent.set_text(chunk_id, text))

    async def split(self, chunk_id: str, at: Sequence[int]) -> Done:
        """Cut a chunk at these code points of its text."""
        return await self.take(intent.split(chunk_id, at))

    async def merge(self, chunk_ids: Sequence[str]) -> Done:
        """Neighbouring chunks of one document as one."""
        return await self.take(intent.merge(chunk_ids))

    async def disable(self, chunk_id: str) -> Done:
        """Take a chunk out of use."""
        return await self.take(intent.disable(chunk_id))

    async def enable(self, chunk_id: str) -> Done:
        """Let a chunk serve again."""
        return await self.take(intent.enable(chunk_id))

    async def delete(self, chunk_id: str) -> Done:
        """Put a chunk into the bin."""
        return await self.take(intent.delete(chunk_id))

    async def restore(self, chunk_id: str) -> Done:
        """Take a chunk out of the bin."""
        return await self.take(intent.restore(chunk_id))

    async def recover(self, pin_id: str) -> Done:
        """Take what an edit put into the bin out of it, by the edit's own id."""
        return await self.take(intent.recover(pin_id))

    async def take(self, wanted: Intent) -> Done:
        """Do what is wanted of a chunk."""

        def work(shelf: Shelf) -> Done:
            planned = wanted(shelf)
            return self._take(shelf, planned.action, planned.document_id, planned.change)

        return await self._writing(work)

    # --- the history ---

    async def undo(self, sequence: int | None = None) -> Done:
        """Take a step back: the last that still stands, or the one named, an undo among them."""

        def work(shelf: Shelf) -> Done:
            step = _to_undo(shelf.edits.steps(), sequence)
            present = {pin.id: pin for pin in shelf.edits.pins(step.document_id)}
            made = {pin.id: pin for pin in step.added}
            held = {pin.id: present.get(pin.id) for pin in (*step.added, *step.removed)}
            if any(pin != made.get(each) for each, pin in held.items()):
                raise UsageError(
                    f"step {step.seq} cannot be undone: what it made was changed since",
                    "undo the later steps first",
                )
            change = Change(step.added, step.removed)
            return self._take(shelf, "undo", step.document_id, change, undoes=step)

        return await self._writing(work)

    async def history(self, path: str | None = None) -> list[Step]:
        """Every step, the latest first; of one document where a path is given, by whatever name it went."""

        def work(shelf: Shelf) -> list[Step]:
            steps = shelf.edits.steps()
            if path is None:
                return steps
            document_id = shelf.document_at(path)
            return [step for step in steps if step.path == path or step.document_id == document_id]

        return await self._reading(work)

    async def pins(self) -> tuple[Pin, ...]:
        """Every edit in force, by document, the earliest first."""
        return await self._reading(lambda shelf: shelf.edits.every_pin())

    async def bin(self) -> list[Pin]:
        """What was deleted and not restored."""
        return await self._reading(
            lambda shelf: [pin for pin in shelf.edits.every_pin() if pin.state == "deleted"]
        )

    # --- conflicts ---

    async def conflicts(self) -> list[Conflict]:
        """The edits that have no certain place in the text of now, or whose document is not in the index."""
        return await self._reading(lambda shelf: list(conflicts(shelf)))

    async def resolve(self, pin_id: str, choice: str, text: str = "") -> Done:
        """Settle a conflict: ``mine`` puts the edit where its lines are now, ``file`` drops it, ``text`` puts the
        text given there."""
        return await self.take(intent.resolve(pin_id, choice, text))

    # --- out and in ---

    async def export(self) -> str:
        """Every edit as TOML."""
        return await self._reading(lambda shelf: exchange.exported(shelf.edits.every_pin()))

    async def import_(self, text: str) -> list[Done]:
        """Take in what ``export`` wrote, a step a document; an edit of the same place is replaced. What is here
        already changes nothing, and what has no place now becomes a conflict: nothing of it is lost."""

        def work(shelf: Shelf) -> list[Done]:
            given = exchange.imported(text)
            present = {pin.id: pin for pin in shelf.edits.every_pin()}
            done: list[Done] = []
            for document_id in dict.fromkeys(pin.document_id for pin in given):
                fresh = [
                    pin for pin in given if pin.document_id == document_id and present.get(pin.id) != pin
                ]
                removed = tuple(present[pin.id] for pin in fresh if pin.id in present)
                if fresh:
                    done.append(self._take(shelf, "import", document_id, Change(removed, tuple(fresh))))
            return done

        return await self._writing(work)

    # --- how it is done ---

    def _take(
        self, shelf: Shelf, action: Action, document_id: str, change: Change, undoes: Step | None = None
    ) -> Done:
        """Make a step durable, then let the serving generation follow. An edit of the same place goes: it had lost
        its own to another one."""
        coming = {pin.id for pin in change.added} - {pin.id for pin in change.removed}
        displaced = [pin for pin in shelf.edits.pins(document_id) if pin.id in coming]
        step = shelf.edits.append(
            action,
            document_id,
            (*change.removed, *displaced),
            change.added,
            undoes=undoes.seq if undoes else None,
        )
        documents = replay(shelf.sink, cancel=CancelToken())
        return Done(step, _told(step, undoes, shelf.path_of(document_id) or step.path), documents)

    async def _writing(self, work: Callable[[Shelf], T]) -> T:
        def working() -> T:
            self._desk.require_lease()
            with self._turn, self._shelf() as shelf:
                replay(shelf.sink, cancel=CancelToken())
                return work(shelf)

        return await self._desk.threaded(working, CancelToken())

    async def _reading(self, work: Callable[[Shelf], T]) -> T:
        def working() -> T:
            with self._shelf() as shelf:
                return work(shelf)

        return await self._desk.threaded(working, CancelToken())

    @contextmanager
    def _shelf(self) -> Iterator[Shelf]:
        desk = self._desk
        with (
            closing(LibraryFile(desk.places.library, steps=desk.steps)) as library,
            closing(EditStore(desk.places.library, steps=desk.steps)) as edits,
        ):
            yield Shelf(Sink(library, desk.serving(), desk.semantics()), edits)


def _to_undo(steps: Sequence[Step], sequence: int | None) -> Step:
    undone = {step.undoes for step in steps}
    for step in steps:
        if sequence is None and step.action != "undo" and step.seq not in undone:
            return step
        if step.seq == sequence:
            if step.seq in undone and step.action != "undo":
                raise UsageError(f"step {sequence} was undone already", "look at the history")
            return step
    told = "there is nothing to undo" if sequence is None else f"there is no step {sequence}"
    raise UsageError(told, "look at the history")


_TOLD = {
    "text": "text changed",
    "split": "split",
    "merge": "merged",
    "disable": "out of use",
    "enable": "in use again",
    "delete": "moved to the bin",
    "restore": "taken out of the bin",
    "resolve": "conflict settled",
    "import": "edits taken in",
    "undo": "undone",
}


def _told(step: Step, undoes: Step | None, path: str) -> str:
    what = f"{_TOLD[undoes.action]}, undone" if undoes is not None else _TOLD[step.action]
    return f"{path}: {what} (step {step.seq})"


def step_json(step: Step) -> dict[str, object]:
    """A step as JSON: the pins that went and those that came, whole."""
    return {
        "step": step.seq,
        "at": step.at,
        "action": step.action,
        "document": step.path,
        "removed": [pin.to_json() for pin in step.removed],
        "added": [pin.to_json() for pin in step.added],
        "undoes": step.undoes,
    }


def done_json(done: Done) -> dict[str, object]:
    """What was done as JSON."""
    return {"step": done.step.seq, "sentence": done.sentence, "documents": done.documents}
