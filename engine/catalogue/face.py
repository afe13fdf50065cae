"""``library.catalogue``: the documents of a library one by one, and what another cut would make of them.

Asynchronous as the library is: what blocks runs in the library's threads, under a cancel token.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Protocol, TypeVar

from engine.cancel import CancelToken
from engine.catalogue.evidence import Beside, evidence_beside
from engine.catalogue.opened import Opened, every_document, open_document
from engine.catalogue.standing import Content, OnDisk, contents, on_disk
from engine.catalogue.what_if import Evidence, WhatIf, what_if
from engine.model import Progress
from engine.pipeline.index import Labels
from engine.pipeline.query import principal
from engine.pipeline.semantics import Semantics
from engine.settings import Chunking, Settings
from engine.store.generation import Generation
from engine.store.library_file import LibraryFile
from engine.store.places import Places

T = TypeVar("T")


class Held(Protocol):
    """What the catalogue needs of the library that holds it."""

    root: Path
    places: Places
    settings: Settings

    def semantics(self) -> Semantics: ...
    def serving(self) -> Generation: ...
    async def threaded(self, work: Callable[[], T], cancel: CancelToken) -> T: ...
    def stream(self, work: Callable[[], Iterator[T]], cancel: CancelToken) -> AsyncGenerator[T, None]: ...


class Catalogue:
    """Reads the serving generation as a principal sees it. Raises what ``Library.serving`` raises."""

    def __init__(self, library: Held) -> None:
        self._library = library

    async def documents(self, *, scopes: tuple[str, ...] = ()) -> tuple[Content, ...]:
        """Every document that may be seen, by path, with its states."""

        def work() -> tuple[Content, ...]:
            generation = self._library.serving()
            told = self._library.semantics().incompatible(generation)
            return contents(generation, principal(scopes), incompatible=told is not None)

        return await self._library.threaded(work, CancelToken())

    async def on_disk(self, *, scopes: tuple[str, ...] = (), cancel: CancelToken | None = None) -> OnDisk:
        """What a sync would find: documents whose file changed or is gone, new files, and those
        that hold no document, all of them only where they may be known of.

        Stats every file, and reads those alone whose size, times or inode differ. Raises ``SourceError`` where the
        folder cannot be listed.
        """
        token = cancel or CancelToken()
        library = self._library

        def work() -> OnDisk:
            generation, seen = library.serving(), principal(scopes)
            with closing(LibraryFile(library.places.library)) as file:
                include = file.include()
                since = next((task.ended for task in file.tasks() if task.state == "done"), None)
            labels = Labels(library.settings.scopes)
            return on_disk(
                library.root,
                generation,
                contents(generation, seen),
                labels,
                seen,
                include,
                since,
                cancel=token,
            )

        return await library.threaded(work, token)

    async def evidence(self) -> Beside:
        """The evaluation set that lies beside the documents."""
        library = self._library

        def work() -> Beside:
            return evidence_beside(library.root, library.serving(), library.places.library)

        return await library.threaded(work, CancelToken())

    async def open(
        self, path: str, *, scopes: tuple[str, ...] = (), cancel: CancelToken | None = None
    ) -> Opened:
        """One document with its text and chunks. Raises ``UsageError`` where there is none that may be seen."""
        library = self._library

        def work() -> Opened:
            return open_document(library.serving(), library.places.library, path, principal(scopes))

        return await library.threaded(work, cancel or CancelToken())

    def what_if(
        self, chunking: Chunking, evidence: Evidence, *, scopes: tuple[str, ...] = (), cancel: CancelToken
    ) -> AsyncGenerator[Progress | WhatIf, None]:
        """What the whole library would be under another cut: progress, and at last the comparison."""
        library = self._library

        def work() -> Iterator[Progress | WhatIf]:
            generation, seen = library.serving(), principal(scopes)
            total = len(contents(generation, seen))
            documents = every_document(generation, library.places.library, seen)
            yield from what_if(documents, total, chunking, evidence, cancel=cancel)

        return library.stream(work, cancel)
