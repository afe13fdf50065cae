"""One verification, from the files of the index to those of the folder. Blocking, and writes nothing.

The generation is looked at in one read transaction, the library file in one that began later: what the generation
refers to was archived before. Memory holds 32 bytes a chunk, one document, one page of vectors.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import LibraryError
from engine.model import Progress
from engine.pipeline.build import aside_of
from engine.pipeline.index import Labels
from engine.pipeline.pace import Pace
from engine.settings import Settings
from engine.store import postings, vectors
from engine.store.check import count_problems
from engine.store.connect import connect, translated
from engine.store.generation import SCHEMA, Generation
from engine.store.library_file import LibraryFile
from engine.store.places import Places
from engine.verify.archive import check_library
from engine.verify.cache import Cached, check_cache, open_cache
from engine.verify.database import integrity, schema_problems
from engine.verify.documents import check_document, scratch
from engine.verify.edits import check_edits, edits_applied
from engine.verify.expected import stored_documents
from engine.verify.finding import Finding, Findings, Mend, Verified
from engine.verify.leftovers import check_leftovers, check_pages
from engine.verify.postings import Signatures, check_postings
from engine.verify.sources import check_sources
from engine.verify.vectors import Scan


@dataclass(frozen=True, slots=True)
class Subject:
    """What is verified. ``writer`` is whether another process writes it just now."""

    root: Path
    places: Places
    settings: Settings
    writer: bool = False


Run = Iterator[Progress | Verified]


def verify(subject: Subject, *, cancel: CancelToken) -> Run:
    """Progress, and at last what was found. Raises ``LibraryError`` where there is no index, ``Cancelled``."""
    if not subject.places.exists():
        raise LibraryError(
            f"{subject.root} has no index yet", f"make one with `rankscope index {subject.root}`"
        )
    run = _Verification(subject, cancel)
    yield Progress("publish", 0, 0, detail="library.sqlite")
    yield from run.steps()
    yield run.verified()


class _Verification:
    """Findings and counts of a verification under way."""

    def __init__(self, subject: Subject, cancel: CancelToken) -> None:
        self._subject = subject
        self._places = subject.places
        self._cancel = cancel
        self._findings = Findings()
        self._documents = self._chunks = self._vectors = self._files = 0

    def verified(self) -> Verified:
        return Verified(self._findings.sorted(), self._documents, self._chunks, self._vectors, self._files)

    def steps(self) -> Iterator[Progress]:
        with self._findings.told("link", "the index", derived=False):
            self._places.refuse_links()
        with open_cache(self._places) as (cached, cache, error):
            if error is not None:
                self._findings.add(
                    Finding("cache_damaged", self._places.cache.name, error.problem, mend="cache")
                )
            if cache is not None:
                with self._findings.told("cache_damaged", self._places.cache.name, "cache"):
                    self._findings.add(*check_cache(cache, self._places, cancel=self._cancel))
            yield from self._library(cached)

    def _library(self, cached: Cached) -> Iterator[Progress]:
        """The library file, and all that it leads to."""
        where = self._places.library.name
        with (
            self._findings.told("library_damaged", where, derived=False),
            closing(connect(self._places.library, synchronous="FULL", create=False)) as connection,
        ):
            self._findings.add(
                *check_library(connection, self._places, writer=self._subject.writer, cancel=self._cancel)
            )
        with (
            self._findings.told("library_damaged", where, derived=False),
            closing(LibraryFile(self._places.library)) as library,
        ):
            yield from self._generations(library, cached)

    def _generations(self, library: LibraryFile, cached: Cached) -> Iterator[Progress]:
        serving, previous, aside = library.serving(), library.previous(), aside_of(library)
        kept = frozenset(each for each in (serving, previous, aside) if each)
        with self._findings.told("leftover", "the index"):
            self._findings.add(*check_leftovers(self._places, kept))
        if serving is None:
            return
        try:
            generation = Generation(self._places.generation(serving))
        except LibraryError as error:
            self._findings.add(Finding("generation_damaged", serving, error.problem, mend="rebuild"))
            return
        with (
            closing(generation),
            self._findings.told("generation_damaged", serving, "rebuild"),
            translated(generation.path),
            generation.reading() as connection,
        ):
            yield from self._generation(connection, generation, library, cached)

    def _generation(
        self, connection: sqlite3.Connection, generation: Generation, library: LibraryFile, cached: Cached
    ) -> Iterator[Progress]:
        """The generation that serves, from its pages to the files that it was made from."""
        problems = [
            *integrity(connection, cancel=self._cancel),
            *schema_problems(connection, SCHEMA, postings.SCHEMA, vectors.SCHEMA),
        ]
        if problems:
            self._add(generation, "generation_damaged", "rebuild", *problems)
            return  # what else is wrong with it follows from that
        if not generation.current:
            self._findings.add(
                Finding(
                    "generation_outdated",
                    generation.id,
                    "it was analysed by another version of the analyser",
                    "warning",
                    mend="rebuild",
                )
            )
        with self._findings.told("counts_differ", generation.id, "counts"):
            self._add(generation, "counts_differ", "counts", *count_problems(connection, cancel=self._cancel))
        broken = postings.verify(connection, cancel=self._cancel)
        self._add(generation, "postings_damaged", "postings", *broken)
        signatures = Signatures()
        yield from self._each_document(connection, generation, library, signatures)
        if generation.current and not broken:
            self._findings.add(*check_postings(connection, signatures, cancel=self._cancel))
        self._findings.add(*check_edits(connection, library))
        yield Progress("publish", self._documents, self._documents, detail="vectors")
        scan = Scan(generation, cached)
        self._findings.add(*scan.findings(connection, cancel=self._cancel))
        self._vectors = scan.scanned
        self._findings.add(*check_pages(connection, generation))
        yield from self._sources(connection, library)

    def _each_document(
        self,
        connection: sqlite3.Connection,
        generation: Generation,
        library: LibraryFile,
        signatures: Signatures,
    ) -> Iterator[Progress]:
        (total,) = connection.execute("SELECT count(*) FROM document").fetchone()
        (self._chunks,) = connection.execute("SELECT count(*) FROM chunk WHERE role <> 'parent'").fetchone()
        pace = Pace("publish", total)
        edited = edits_applied(connection, library)
        with scratch() as memory:
            for document in stored_documents(connection):
                self._cancel.check()
                self._documents += 1
                with self._findings.told("document_differs", document.path, "document", target=document.path):
                    self._findings.add(
                        *check_document(
                            connection,
                            generation,
                            library,
                            edited,
                            document,
                            memory,
                            signatures,
                            cancel=self._cancel,
                        )
                    )
                if (progress := pace.step(document.path)) is not None:
                    yield progress
        yield pace.last()

    def _sources(self, connection: sqlite3.Connection, library: LibraryFile) -> Iterator[Progress]:
        pace = Pace("discover", 0)
        with self._findings.told("include_damaged", "library.sqlite", derived=False):
            for each in check_sources(
                connection,
                self._subject.root,
                library.include(),
                Labels(self._subject.settings.scopes),
                cancel=self._cancel,
            ):
                if isinstance(each, Finding):
                    self._findings.add(each)
                else:
                    self._files += 1
                    if (progress := pace.step(each)) is not None:
                        yield progress

    def _add(self, generation: Generation, code: str, mend: Mend, *problems: str) -> None:
        self._findings.add(*(Finding(code, generation.id, problem, mend=mend) for problem in problems))
