"""``library.verification``: what is wrong with the index, and making anew what is derived.

Asynchronous as the library is. Verifying asks for no lease and writes nothing; a repair is for its holder.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, closing
from pathlib import Path
from typing import Protocol, TypeVar

from engine.cancel import CancelToken
from engine.errors import EmbedderError
from engine.model import Progress
from engine.pipeline.group import Sink
from engine.pipeline.semantics import Semantics
from engine.settings import Settings
from engine.store.generation import Generation
from engine.store.library_file import LibraryFile
from engine.store.places import Places
from engine.store.steps import Steps
from engine.verify.finding import Finding, Verified
from engine.verify.repair import UNMENDED, Mended, mend_generation, mend_library
from engine.verify.run import Subject, verify

T = TypeVar("T")


class Host(Protocol):
    """What a verification needs of the library that holds it."""

    root: Path
    places: Places
    settings: Settings
    steps: Steps

    @property
    def writable(self) -> bool: ...
    def serving(self) -> Generation: ...
    def semantics(self) -> Semantics: ...
    def require_lease(self) -> None: ...
    def sync(self, *, rebuild: bool, cancel: CancelToken) -> AsyncGenerator[Progress, None]: ...
    def embed(self, *, cancel: CancelToken) -> AsyncGenerator[Progress, None]: ...
    def stream(self, work: Callable[[], Iterator[T]], cancel: CancelToken) -> AsyncGenerator[T, None]: ...


class Verification:
    """Raises ``LibraryError`` where the index cannot be opened at all, ``Cancelled``."""

    def __init__(self, library: Host) -> None:
        self._library = library

    def run(self, *, cancel: CancelToken) -> AsyncGenerator[Progress | Verified, None]:
        """Progress, and at last what was found."""
        library = self._library
        subject = Subject(library.root, library.places, library.settings, writer=not library.writable)
        return library.stream(lambda: verify(subject, cancel=cancel), cancel)

    async def repair(self, *, cancel: CancelToken) -> AsyncGenerator[Progress | Mended | Verified, None]:
        """Verify, mend what is derived, and verify again: progress, what was mended, and at last what is left.

        A part that cannot be mended in place makes the whole generation be built anew, which follows the folder.
        Raises ``BusyError`` where another process writes.
        """
        self._library.require_lease()
        found: Verified | None = None
        async with aclosing(self.run(cancel=cancel)) as steps:
            async for step in steps:
                if isinstance(step, Verified):
                    found = step
                else:
                    yield step
        assert found is not None
        async with aclosing(self._mend(found.findings, cancel)) as mending:
            async for each in mending:
                yield each
        async with aclosing(self.run(cancel=cancel)) as steps:
            async for step in steps:
                yield step

    async def _mend(
        self, findings: Sequence[Finding], cancel: CancelToken
    ) -> AsyncGenerator[Progress | Mended, None]:
        library = self._library
        whole = any(finding.mend == "rebuild" for finding in findings)
        if not whole:
            try:
                async with aclosing(
                    library.stream(lambda: self._in_place(findings, cancel), cancel)
                ) as mended:
                    async for one in mended:
                        yield one
            except UNMENDED:
                whole = True
        if whole:
            async with aclosing(library.sync(rebuild=True, cancel=cancel)) as building:
                async for progress in building:
                    yield progress
            yield Mended("the generation was built anew")
            return
        try:
            async with aclosing(library.embed(cancel=cancel)) as embedding:
                async for progress in embedding:
                    yield progress
        except EmbedderError as error:
            yield Mended(f"what waits for its vector was not embedded: {error}")

    def _in_place(self, findings: Sequence[Finding], cancel: CancelToken) -> Iterator[Mended]:
        library = self._library
        with closing(LibraryFile(library.places.library, steps=library.steps)) as file:
            sink = Sink(file, library.serving(), library.semantics())
            yield from mend_library(sink, library.root, findings, cancel=cancel)
            yield from mend_generation(sink, findings, cancel=cancel)
