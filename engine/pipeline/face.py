"""``library.upkeep``: syncs, rebuilds, and the generations beside the one that serves.

Asynchronous as the library is: what blocks runs in the library's threads, under a cancel token.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Protocol, TypeVar

from engine.cancel import CancelToken
from engine.errors import LibraryError
from engine.model import Progress, SyncReport
from engine.pipeline import aside, build
from engine.pipeline.aside import Aside as Aside
from engine.pipeline.build import Index
from engine.pipeline.replay import replay
from engine.pipeline.semantics import Semantics
from engine.settings import Settings
from engine.store.generation import Generation
from engine.store.library_file import LibraryFile
from engine.store.places import Places
from engine.store.tasks import Task as Task

T = TypeVar("T")
Work = Callable[[Index, Generation | None], Generator[Progress, None, SyncReport]]


class Kept(Protocol):
    """What upkeep needs of the library that it keeps."""

    places: Places
    settings: Settings
    report: SyncReport

    @property
    def writable(self) -> bool: ...
    def index(self) -> Index: ...
    def semantics(self) -> Semantics: ...
    def served(self) -> Generation | LibraryError: ...
    def serve_anew(self) -> Generation: ...
    async def threaded(self, work: Callable[[], T], cancel: CancelToken) -> T: ...
    def stream(self, work: Callable[[], Iterator[T]], cancel: CancelToken) -> AsyncGenerator[T, None]: ...


class Upkeep:
    """Each task raises ``BusyError`` where another process writes, ``SourceError`` where the folder cannot be listed
    or has become empty, ``Cancelled``. Streams end when the task has; ``library.report`` then tells what it did."""

    def __init__(self, library: Kept) -> None:
        self._library = library

    def sync(
        self, *, embed: bool = True, reread: bool = False, cancel: CancelToken
    ) -> AsyncGenerator[Progress, None]:
        """Bring the generation that serves up to date with the folder. ``reread`` trusts no file's size, times and
        inode.

        One that cannot be read, or was analysed by another version, is built anew.
        """

        def syncing(index: Index) -> Iterator[Progress]:
            found = self._library.served()
            if isinstance(found, Generation) and found.current:
                work = build.sync(replace(index, reread=reread), found, embed=embed, cancel=cancel)
                self._library.report = yield from work
            else:
                yield from self._switching(index, self._rebuild(embed, False, cancel), cancel)

        return self._stream(syncing, cancel)

    def rebuild(
        self, *, embed: bool = True, hold: bool = False, cancel: CancelToken
    ) -> AsyncGenerator[Progress, None]:
        """Build a generation aside, with the chunking and embedder of the settings, and switch to it when it is
        whole; until then, and where it fails, the one before serves. ``hold`` leaves it aside, to be compared first.
        """

        def rebuilding(index: Index) -> Iterator[Progress]:
            self._library.semantics().adopt(cancel=cancel)
            yield from self._switching(index, self._rebuild(embed, hold, cancel), cancel)

        return self._stream(rebuilding, cancel)

    def resume(
        self, *, embed: bool = True, hold: bool = False, cancel: CancelToken
    ) -> AsyncGenerator[Progress, None]:
        """Finish what lies aside, as it was begun, and let it serve. Raises ``UsageError`` where nothing does."""

        def work(index: Index, before: Generation | None) -> Generator[Progress, None, SyncReport]:
            self._library.semantics().adopt(cancel=cancel)
            return aside.resume(index, before, embed=embed, hold=hold, cancel=cancel)

        return self._stream(lambda index: self._switching(index, work, cancel), cancel)

    def roll_back(self, *, embed: bool = True, cancel: CancelToken) -> AsyncGenerator[Progress, None]:
        """Let the generation serve again that served before, with every edit made since. Raises ``UsageError`` where
        none is kept."""

        def work(index: Index, before: Generation | None) -> Generator[Progress, None, SyncReport]:
            return aside.roll_back(index, before, embed=embed, cancel=cancel)

        return self._stream(lambda index: self._switching(index, work, cancel), cancel)

    def take_over(self, *, embed: bool = True, cancel: CancelToken) -> AsyncGenerator[Progress, None]:
        """Let the files that are finished aside serve in their new cut, and drop the rest. Raises ``UsageError`` where
        there is nothing to take over."""

        def taking(index: Index) -> Iterator[Progress]:
            found = self._library.served()
            if isinstance(found, LibraryError):
                raise found
            work = aside.take_over(index, found, embed=embed, cancel=cancel)
            self._library.report = yield from work

        return self._stream(taking, cancel)

    async def drop(self) -> str:
        """Give up what lies aside; the id of it. Raises ``UsageError`` where nothing does."""
        return await self._library.threaded(lambda: aside.drop(self._library.index()), CancelToken())

    async def aside(self) -> Aside | None:
        """What lies aside, None where nothing does."""

        def work() -> Aside | None:
            found = self._library.served()
            with closing(LibraryFile(self._library.places.library)) as file:
                return aside.described(
                    file, self._library.places, found if isinstance(found, Generation) else None
                )

        return await self._library.threaded(work, CancelToken())

    async def before(self) -> str:
        """The id of the generation that a rollback would let serve; empty where none is kept."""

        def work() -> str:
            with closing(LibraryFile(self._library.places.library)) as file:
                name = file.previous() or ""
                kept = name and name != file.serving() and self._library.places.generation(name).is_dir()
                return name if kept else ""

        return await self._library.threaded(work, CancelToken())

    async def tasks(self, limit: int = 100) -> tuple[Task, ...]:
        """The last tasks, the latest first."""

        def work() -> tuple[Task, ...]:
            with closing(LibraryFile(self._library.places.library)) as file:
                return file.tasks(limit)

        return await self._library.threaded(work, CancelToken())

    # --- how they run ---

    def _stream(
        self, task: Callable[[Index], Iterator[Progress]], cancel: CancelToken
    ) -> AsyncGenerator[Progress, None]:
        index = self._library.index()
        return self._library.stream(lambda: task(index), cancel)

    def _rebuild(self, embed: bool, hold: bool, cancel: CancelToken) -> Work:
        chunking = self._library.settings.chunking

        def work(index: Index, before: Generation | None) -> Generator[Progress, None, SyncReport]:
            return aside.rebuild(index, before, chunking, embed=embed, hold=hold, cancel=cancel)

        return work

    def _switching(self, index: Index, work: Work, cancel: CancelToken) -> Iterator[Progress]:
        """Work that may let another generation serve: what was edited meanwhile is applied to it."""
        found = self._library.served()
        before = found if isinstance(found, Generation) else None
        try:
            self._library.report = yield from work(index, before)
        finally:
            if before is not None and index.library.serving() == before.id:
                self._library.semantics().return_to(before, remember=True)
        if before is not None and index.library.serving() == before.id:
            return
        serving = self._library.serve_anew()
        self._library.semantics().return_to(serving, remember=True)
        replay(index.sink(serving), cancel=cancel)
        if before is not None:
            before.close()
