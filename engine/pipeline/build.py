"""Whole tasks on a library's generations: the first one, a sync, embedding, a rebuild aside, tidying.
Blocking.

A rebuild never touches what serves: it fills a generation aside in source order, checks it, and moves the
pointer in one step. Cancelled or killed, the generation aside is found again by its recipe and finished.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.chunking import chunker_fingerprint
from engine.errors import Cancelled, EmbedderError, LibraryError, RankscopeError
from engine.identity import fingerprint
from engine.model import Progress, SyncReport
from engine.pipeline.attach import embed_waiting
from engine.pipeline.group import Sink, settle_segments
from engine.pipeline.index import Counts, Labels, Target, bring_up_to_date
from engine.pipeline.pages import mend_pages
from engine.pipeline.replay import replay
from engine.pipeline.semantics import Semantics, described
from engine.recall.analysis import analyser_version
from engine.settings import Chunking
from engine.store import vectors
from engine.store.check import check
from engine.store.generation import Generation, discard, drop_unreferenced, mark_applied
from engine.store.labels import label_sets
from engine.store.library_file import LibraryFile
from engine.store.places import GENERATION_ID, Places, new_generation_id
from engine.store.steps import Steps
from engine.store.waiting import take_back

Work = Generator[Progress, None, SyncReport]
"""A task under way: it yields its progress and returns what it did."""

_ASIDE = "aside"
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
    generation = _create(index, chunking)
    generation.close()
    index.library.serve(generation.id)


def sync(index: Index, generation: Generation, *, embed: bool, cancel: CancelToken) -> Work:
    """Bring the serving generation up to date, and its vectors where ``embed``; returns the report."""
    report = yield from _fill("sync", index, generation, None, embed=embed, cancel=cancel)
    yield Progress("done", report.seen, report.seen)
    return report


def rebuild(
    index: Index, before: Generation | None, chunking: Chunking, *, embed: bool, cancel: CancelToken
) -> Work:
    """Build a generation aside and let it serve when it is whole; returns the report.

    ``before`` is the one that serves meanwhile, None where it cannot be read.
    """
    generation = _aside(index, chunking)
    try:
        report = yield from _fill("rebuild", index, generation, before, embed=embed, cancel=cancel)
        cancel.check()
        replay(index.sink(generation), cancel=cancel)  # what was edited while it was built
        generation.checkpoint()
        yield Progress("publish", 0, 1)
        check(generation, cancel=cancel)
        generation.steps("generation.checked")
    finally:
        generation.close()
    index.library.serve(generation.id)
    index.library.remember(_ASIDE, "")
    tidy(index.places, index.library, index.steps)
    yield Progress("done", report.seen, report.seen)
    return report


def embed(index: Index, generation: Generation, *, cancel: CancelToken) -> Iterator[Progress]:
    """Make the vectors that wait, from the cache or the embedder. Raises ``EmbedderError``."""
    if generation.meta.get("embedder") != index.semantics.embedder.fingerprint:
        return
    yield from embed_waiting(generation, index.semantics, cancel=cancel)


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
    return (library.value(_ASIDE) or "").partition(" ")[0]


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


def _fill(
    kind: str,
    index: Index,
    generation: Generation,
    before: Generation | None,
    *,
    embed: bool,
    cancel: CancelToken,
) -> Work:
    """Sync and embed one generation under a durable record of the task."""
    task = index.library.begin_task(kind, generation.id)
    counts = Counts()
    state, detail, failed = "failed", "", ""
    try:
        mend_pages(generation, cancel=cancel)
        yield from bring_up_to_date(index.target(generation, before), counts, cancel=cancel)
        replay(index.sink(generation), cancel=cancel)
        settle_segments(generation, cancel=cancel, at_rest=True)
        compact_vectors(generation, cancel=cancel)
        if embed:
            failed = yield from _embedded(index, generation, cancel)
        state = "done"
    except (Cancelled, GeneratorExit):
        state = "cancelled"
        raise
    except RankscopeError as error:
        detail = str(error)
        raise
    finally:
        index.library.end_task(task, state, done=counts.report.seen, detail=detail)
    with generation.reading() as connection:
        waiting = sum(each.waiting for each in label_sets(connection))
    return replace(counts.finished(), waiting=waiting, generation=generation.id, embedding_failed=failed)


def _embedded(index: Index, generation: Generation, cancel: CancelToken) -> Generator[Progress, None, str]:
    """Embed, and go on without where the embedder cannot: the text channels serve, and the chunks wait.
    Returns why, or nothing."""
    told = index.semantics.incompatible(generation)
    if told is not None:
        return f"{told.message}: {told.remedy}"
    try:
        yield from embed(index, generation, cancel=cancel)
    except EmbedderError as error:
        return str(error)
    return ""


def _aside(index: Index, chunking: Chunking) -> Generation:
    """The generation aside for this recipe: the one that was begun before, or a new one."""
    recipe = fingerprint(chunker_fingerprint(chunking), analyser_version(), _embedder(index)[0], index.scopes)
    begun, _, begun_recipe = (index.library.value(_ASIDE) or "").partition(" ")
    if begun and begun_recipe == recipe and begun != index.library.serving():
        with suppress(LibraryError):
            return Generation(index.places.generation(begun), steps=index.steps)
    generation = _create(index, chunking)
    with generation.writing() as connection:  # it is filled with what the edits are from now on
        mark_applied(connection, index.library.last_edit())
    index.library.remember(_ASIDE, f"{generation.id} {recipe}")
    return generation


def _create(index: Index, chunking: Chunking) -> Generation:
    identity, name = _embedder(index)
    return Generation.create(
        index.places.generation(new_generation_id()),
        chunking=chunking,
        meta={"analyser": analyser_version(), "embedder": identity, "embedder_name": name},
        steps=index.steps,
    )


def _embedder(index: Index) -> tuple[str, str]:
    """Fingerprint of the embedder in force, and what it is in words; empty where there is none to be had."""
    try:
        embedder = index.semantics.embedder
    except EmbedderError:
        return "", ""
    return embedder.fingerprint, described(embedder)
