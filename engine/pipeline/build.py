"""Whole tasks on the generation that serves: the first one, a sync, embedding, tidying; each under a durable record.
Blocking. What is built beside it is in ``aside``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import Cancelled, EmbedderError, LibraryError, RankscopeError
from engine.model import Progress, SyncReport
from engine.pipeline.attach import embed_waiting
from engine.pipeline.group import Sink, settle_segments
from engine.pipeline.index import Counts, Labels, Target, bring_up_to_date
from engine.pipeline.pages import mend_pages
from engine.pipeline.record import Record
from engine.pipeline.replay import replay
from engine.pipeline.semantics import Semantics, described
from engine.recall.analysis import analyser_version
from engine.settings import Chunking
from engine.store import vectors
from engine.store.generation import Generation, discard, drop_unreferenced
from engine.store.labels import label_sets
from engine.store.library_file import LibraryFile
from engine.store.places import GENERATION_ID, Places, new_generation_id
from engine.store.steps import Steps
from engine.store.tasks import State
from engine.store.waiting import take_back

Work = Generator[Progress, None, SyncReport]
"""A task under way: it yields its progress and returns what it did."""

ASIDE = "aside"
"""Where the library file remembers the generation that is being built, and by which recipe."""


@dataclass(frozen=True, slots=True)
class Index:
    """What a task works on."""

    root: Path
    places: Places
    library: LibraryFile
    semantics: Semantics
    scopes: tuple[tuple[str, tuple[str, ...]], ...]
    steps: Steps
    include: tuple[str, ...] = ()
    reread: bool = False

    def sink(self, generation: Generation) -> Sink:
        return Sink(self.library, generation, self.semantics)

    def target(self, generation: Generation, before: Generation | None) -> Target:
        return Target(
            self.root, self.sink(generation), Labels(self.scopes), before, self.include, reread=self.reread
        )


def begin(index: Index, chunking: Chunking) -> None:
    """Make the first generation, empty, and let it serve: what a sync commits to it can be asked at once."""
    generation = create(index, chunking)
    generation.close()
    index.library.serve(generation.id)


def sync(index: Index, generation: Generation, *, embed: bool, cancel: CancelToken) -> Work:
    """Bring the serving generation up to date, and its vectors where ``embed``; returns the report."""
    report = yield from fill("sync", index, generation, None, embed=embed, cancel=cancel)
    yield Progress("done", report.seen, report.seen)
    return report


def embed(index: Index, generation: Generation, *, cancel: CancelToken) -> Iterator[Progress]:
    """Make the vectors that wait, from the cache or the embedder, under a durable record where any do. Raises
    ``EmbedderError``."""
    if generation.meta.get("embedder") != index.semantics.embedder.fingerprint or not _waiting(generation):
        return
    work = embed_waiting(generation, index.semantics, cancel=cancel)
    yield from _recorded(Record(index.library, "embed", generation.id), work)


def compact_vectors(generation: Generation, *, cancel: CancelToken) -> None:
    """Copy what lives out of page files that are mostly tombstones; what was found damaged waits again."""
    with generation.reading() as connection:
        fingerprints = vectors.wasteful(connection)
    for each in fingerprints:
        with generation.writing() as connection:
            lost = vectors.compact(connection, generation.folder, each, steps=generation.steps, cancel=cancel)
            take_back(connection, lost)
        generation.steps("vectors.committed")


def aside_of(library: LibraryFile) -> str:
    """The generation that is being built, or was when its builder died; empty where there is none."""
    return (library.value(ASIDE) or "").partition(" ")[0]


def tidy(places: Places, library: LibraryFile, steps: Steps) -> None:
    """Remove generations that neither serve, nor served before, nor are being built, and that nobody
    reads."""
    kept = {library.serving(), library.previous(), aside_of(library)}
    for folder in sorted(places.generations.iterdir()):
        if folder.name in kept or not GENERATION_ID.match(folder.name) or folder.is_symlink():
            continue
        with suppress(LibraryError):
            discard(folder, steps=steps)
    if serving := library.serving():
        with suppress(LibraryError):
            drop_unreferenced(places.generation(serving))


def fill(
    kind: str,
    index: Index,
    generation: Generation,
    before: Generation | None,
    *,
    embed: bool,
    cancel: CancelToken,
) -> Work:
    """Bring one generation up to date with the folder and every edit, under a durable record of the task."""
    counts = Counts()

    def work() -> Iterator[Progress]:
        mend_pages(generation, cancel=cancel)
        yield from bring_up_to_date(index.target(generation, before), counts, cancel=cancel)
        replay(index.sink(generation), cancel=cancel)
        settle_segments(generation, cancel=cancel, at_rest=True)
        compact_vectors(generation, cancel=cancel)

    return (yield from under_record(kind, index, generation, work(), counts, embed=embed, cancel=cancel))


def under_record(
    kind: str,
    index: Index,
    generation: Generation,
    work: Iterator[Progress],
    counts: Counts,
    *,
    embed: bool,
    cancel: CancelToken,
) -> Work:
    """Do work on a generation, and then embed, under a durable record of the task; what ``counts`` has by then is the
    report."""
    record, failed = Record(index.library, kind, generation.id), ""

    def whole() -> Iterator[Progress]:
        nonlocal failed
        yield from work
        if embed:
            failed = yield from _embedded(index, generation, cancel)

    yield from _recorded(record, whole(), counts, lambda: failed)
    return replace(
        counts.finished(),
        waiting=_waiting(generation),
        generation=generation.id,
        embedding_failed=failed,
    )


def _recorded(
    record: Record,
    work: Iterator[Progress],
    counts: Counts | None = None,
    told: Callable[[], str] = str,
) -> Iterator[Progress]:
    """Hand on the progress of work, and keep in the record how it went. ``told`` is what to say of it at its end."""
    state: State = "failed"
    detail = ""
    try:
        for progress in work:
            record.reached(progress)
            yield progress
        state, detail = "done", told()
    except (Cancelled, GeneratorExit):
        state = "cancelled"
        raise
    except RankscopeError as error:
        detail = str(error)
        raise
    finally:
        if counts:
            record.end(state, detail, counts.taken, counts.report.seen, counts.failed)
        else:
            record.end(state, detail)


def _waiting(generation: Generation) -> int:
    with generation.reading() as connection:
        return sum(each.waiting for each in label_sets(connection))


def _embedded(index: Index, generation: Generation, cancel: CancelToken) -> Generator[Progress, None, str]:
    """Embed, and go on without where the embedder cannot: the text channels serve, and the chunks wait.
    Returns why, or nothing."""
    told = index.semantics.incompatible(generation)
    if told is not None:
        return f"{told.message}: {told.remedy}"
    try:
        if generation.meta.get("embedder") == index.semantics.embedder.fingerprint:
            yield from embed_waiting(generation, index.semantics, cancel=cancel)
    except EmbedderError as error:
        return str(error)
    return ""


def create(index: Index, chunking: Chunking) -> Generation:
    """A new generation, empty, that serves nobody yet."""
    identity, name = embedder_of(index)
    return Generation.create(
        index.places.generation(new_generation_id()),
        chunking=chunking,
        meta={"analyser": analyser_version(), "embedder": identity, "embedder_name": name},
        steps=index.steps,
    )


def embedder_of(index: Index) -> tuple[str, str]:
    """Fingerprint of the embedder in force, and what it is in words; empty where there is none to be had."""
    try:
        embedder = index.semantics.embedder
    except EmbedderError:
        return "", ""
    return embedder.fingerprint, described(embedder)
