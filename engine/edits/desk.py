"""Where an edit is made: the serving generation, the archive and the history, opened for one piece of work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from engine.cancel import CancelToken
from engine.edits.actions import Held, Source
from engine.errors import UsageError
from engine.pipeline.group import Sink
from engine.pipeline.semantics import Semantics
from engine.store.edits import EditStore
from engine.store.generation import Generation
from engine.store.places import Places
from engine.store.steps import Steps

T = TypeVar("T")


class Desk(Protocol):
    """What editing needs of the library."""

    places: Places
    steps: Steps

    def serving(self) -> Generation: ...
    def semantics(self) -> Semantics: ...
    def require_lease(self) -> None: ...
    async def threaded(self, work: Callable[[], T], cancel: CancelToken) -> T: ...


@dataclass(frozen=True, slots=True)
class Shelf:
    """What is open while one piece of work is done."""

    sink: Sink
    edits: EditStore

    def document_at(self, path: str) -> str | None:
        """The id of the document at a path, None where there is none."""
        return self._one("SELECT document_id FROM document WHERE path = ?", path)

    def path_of(self, document_id: str) -> str | None:
        """Where a document lies now, None where the index does not hold it."""
        return self._one("SELECT path FROM document WHERE document_id = ?", document_id)

    def _one(self, query: str, given: str) -> str | None:
        with self.sink.generation.reading() as connection:
            row = connection.execute(query, (given,)).fetchone()
        return None if row is None else str(row[0])

    def source_of(self, document_id: str) -> Source | None:
        """The revision of a document that serves; None where the index holds no such document."""
        with self.sink.generation.reading() as connection:
            row = connection.execute(
                "SELECT path, revision, parser FROM document WHERE document_id = ?", (document_id,)
            ).fetchone()
        text = None if row is None else self.sink.library.text_of(row[1], row[2])
        return None if text is None else Source(document_id, row[0], row[1], row[2], text)

    def chunk(self, chunk_id: str) -> tuple[Source, Held]:
        """A retrievable chunk, or one out of use, and the revision it was cut from. Raises ``UsageError``."""
        (found,) = self._chunks([chunk_id])
        return found[1], found[2]

    def neighbours(self, chunk_ids: Sequence[str]) -> tuple[Source, list[Held]]:
        """Chunks that follow one another in one document, in source order. Raises ``UsageError``."""
        found = sorted(self._chunks(list(dict.fromkeys(chunk_ids))), key=lambda each: each[0])
        ordinals = [ordinal for ordinal, _, _ in found]
        if len({source.document_id for _, source, _ in found}) > 1:
            raise UsageError("the chunks are of different documents", "merge within one document")
        if ordinals != list(range(ordinals[0], ordinals[0] + len(ordinals))):
            raise UsageError("the chunks do not follow one another", "merge neighbours")
        return found[0][1], [held for _, _, held in found]

    def _chunks(self, chunk_ids: Sequence[str]) -> list[tuple[int, Source, Held]]:
        rows = []
        with self.sink.generation.reading() as connection:
            for chunk_id in chunk_ids:
                row = connection.execute(
                    'SELECT d.document_id, c.ordinal, c.start, c."end", c.pin, c.role'
                    " FROM chunk c JOIN document d USING (did) WHERE c.chunk_id = ?",
                    (chunk_id,),
                ).fetchone()
                if row is None:
                    raise UsageError("there is no such chunk any more", "look at the document again")
                if row[5] == "parent":
                    raise UsageError("a parent is made of its chunks", "edit those")
                rows.append(row)
        found: list[tuple[int, Source, Held]] = []
        for document_id, ordinal, start, end, pin_id, _ in rows:
            source = self.source_of(document_id)
            if source is None:
                raise UsageError("the text of the document is not archived", "index it anew")
            pin = next((pin for pin in self.edits.pins(document_id) if pin.id == pin_id), None)
            found.append((ordinal, source, Held(start, end, pin)))
        return found
