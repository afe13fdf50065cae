"""What goes into one commit: archived first, then stored together with the stamps of their files.

A commit takes what 256 documents or a quarter of a second brought, for its syncs cost about 2 ms. Who replaces a
document flushes before and after it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from engine.cancel import CancelToken
from engine.model import Revision
from engine.pipeline.attach import attach_cached
from engine.pipeline.semantics import Semantics
from engine.store import documents as store
from engine.store.documents import FileRow, PreparedDocument
from engine.store.generation import Generation, mark_unapplied
from engine.store.library_file import Archived, LibraryFile
from engine.store.postings import merge

DOCUMENTS = 256
SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Sink:
    """Where documents go: the archive of the user's file, the generation, and the cache its vectors may come
    from."""

    library: LibraryFile
    generation: Generation
    semantics: Semantics


class Group:
    """Collects documents, gone documents and file stamps; ``flush`` makes them durable.

    ``overtaken`` says that something was edited while its documents were prepared: ``replay`` brings them up to it.
    """

    def __init__(self, sink: Sink) -> None:
        self.overtaken = False
        self._sink = sink
        self._edits: int | None = None
        self._began = time.monotonic()
        self._documents: list[PreparedDocument] = []
        self._archived: list[Archived] = []
        self._gone: list[str] = []
        self._files: list[FileRow] = []

    def put(self, document: PreparedDocument, revision: Revision, edits: int) -> None:
        """Take in a document, in place of what stands under its path. It holds the steps of the history of edits
        up to ``edits``."""
        self._edits = edits if self._edits is None else min(self._edits, edits)
        self._documents.append(document)
        self._archived.append(Archived(document.document_id, document.path, revision))
        if len(self._documents) >= DOCUMENTS:
            self.flush()

    def drop(self, documents: Iterable[str]) -> None:
        """These documents go, before any that is put."""
        self._gone += documents

    def file(self, row: FileRow, gone: Iterable[str] = ()) -> None:
        """All of a file has been taken in, or it was refused; ``gone`` are the documents it does not hold any
        more."""
        self._files.append(row)
        self._gone += gone
        if time.monotonic() - self._began >= SECONDS:
            self.flush()

    def flush(self) -> None:
        """Commit what was collected."""
        if self._documents or self._gone or self._files:
            self._commit()
        self._documents, self._archived, self._gone, self._files, self._edits = [], [], [], [], None
        self._began = time.monotonic()

    def _commit(self) -> None:
        generation = self._sink.generation
        if self._archived:
            self._sink.library.archive(self._archived)
        with generation.writing() as connection:
            store.remove(connection, self._gone)
            store.put(connection, self._documents)
            attach_cached(connection, generation, self._sink.semantics, self._documents)
            for row in self._files:
                store.put_file(connection, row)
            if self._edits is not None and self._edits < self._sink.library.last_edit():
                mark_unapplied(connection, self._edits)
                self.overtaken = True
        generation.steps("documents.committed")
        settle_segments(generation, cancel=CancelToken())


def settle_segments(generation: Generation, *, cancel: CancelToken, at_rest: bool = False) -> None:
    """Merge the segments that are due, each merge in a transaction of its own; more are at rest."""
    merged = True
    while merged:
        with generation.writing() as connection:
            merged = merge(connection, cancel=cancel, at_rest=at_rest)
        if merged:
            generation.steps("segments.merged")
