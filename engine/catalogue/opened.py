"""One document as it serves, to be looked into: its text, its chunks, and what another cut needs to know of it.

Blocking; reads one state of the generation.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engine.cancel import CancelToken
from engine.chunking import chunk
from engine.errors import CorruptIndexError, UsageError
from engine.model import Chunk, ChunkSpan, Revision
from engine.settings import Chunking
from engine.store import chunks as chunk_store
from engine.store import spans
from engine.store.documents import cut_of
from engine.store.generation import Generation
from engine.store.labels import label_sets, visible
from engine.store.library_file import reading_archive
from engine.store.spans import Indexed

Archive = Callable[[str, str], Revision | None]
Cutting = TypeVar("Cutting", Chunk, ChunkSpan)


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A document of the serving generation. ``text`` is that of its revision; ``chunks`` are all of them, parents
    too, in source order, cut by ``chunking``. ``pins`` are spans that every cut leaves whole, because they were
    edited.
    """

    document_id: str
    path: str
    file: str
    title: str
    revision: str
    kind: str
    language: str
    text: str
    chunking: Chunking
    chunks: tuple[Chunk, ...]
    pins: tuple[tuple[int, int], ...] = ()

    def live(self, spans: Iterable[Cutting]) -> list[Cutting]:
        """Those that are recalled: neither out of use nor in the bin."""
        off = {(chunk.start, chunk.end) for chunk in self.chunks if not chunk.enabled}
        return [span for span in spans if (span.start, span.end) not in off or span.role == "parent"]

    def cut(self, chunking: Chunking, *, cancel: CancelToken) -> list[ChunkSpan]:
        """Its chunks under another cut, by the function that rebuilds. Pure. Raises ``Cancelled``."""
        return chunk(self.text, self.kind, chunking, language=self.language, pins=self.pins, cancel=cancel)


def open_document(generation: Generation, archive: Path, path: str, scopes: Sequence[str]) -> Opened:
    """The document at a path, as a principal sees it; ``archive`` is the library file.

    Raises ``UsageError`` where the library holds no such document that may be seen, ``CorruptIndexError``.
    """
    with generation.reading() as connection, reading_archive(archive) as archived:
        sets = [each.id for each in visible(label_sets(connection), scopes)]
        found = spans.document(connection, path, sets)
        if found is None:
            raise UsageError(f"the library holds no document {path}", "choose one from the list")
        return _opened(generation, found, connection, archived)


def every_document(generation: Generation, archive: Path, scopes: Sequence[str]) -> Iterator[Opened]:
    """Every document that a principal sees, by path, in one state of the generation."""
    with generation.reading() as connection, reading_archive(archive) as archived:
        sets = [each.id for each in visible(label_sets(connection), scopes)]
        for found in spans.documents(connection, sets):
            yield _opened(generation, found, connection, archived)


def _opened(
    generation: Generation, found: Indexed, connection: sqlite3.Connection, archived: Archive
) -> Opened:
    revision = archived(found.revision, found.parser)
    if revision is None:
        raise CorruptIndexError(
            f"the text of {found.path} is no longer archived",
            "index it anew with `rankscope index PATH --rebuild`",
        )
    pinned = connection.execute(
        "SELECT start, \"end\" FROM chunk WHERE did = ? AND pin <> '' ORDER BY start", (found.did,)
    )
    return Opened(
        document_id=found.document_id,
        path=found.path,
        file=found.file,
        title=revision.title,
        revision=found.revision,
        kind=found.kind,
        language=found.language,
        text=revision.text,
        chunking=cut_of(connection, found.file, generation.chunking),
        chunks=tuple(chunk_store.of_document(connection, found.path)),
        pins=tuple((start, end) for start, end in pinned),
    )
