"""Generations beside the one that serves: built aside, held, let serve, dropped, taken over, gone back to. Blocking.

A rebuild never touches what serves: it fills a generation aside in source order, checks it, and moves the
pointer in one step. Cancelled or killed, the generation aside is found again and finished, or dropped, or what it
has finished is taken over into the one that serves.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass

from engine.cancel import CancelToken
from engine.chunking import chunker_fingerprint
from engine.errors import LibraryError, UsageError
from engine.identity import fingerprint
from engine.model import Progress
from engine.pipeline.build import (
    ASIDE,
    Index,
    Work,
    aside_of,
    create,
    embedder_of,
    fill,
    tidy,
    under_record,
)
from engine.pipeline.group import Group, settle_segments
from engine.pipeline.index import Counts, archived_documents, put
from engine.pipeline.pace import Pace
from engine.pipeline.replay import replay
from engine.recall.analysis import analyser_version
from engine.settings import Chunking
from engine.store import documents as store
from engine.store.check import check
from engine.store.generation import Generation, discard, mark_applied
from engine.store.library_file import LibraryFile
from engine.store.places import Places
from engine.store.steps import Steps, no_steps

_WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Aside:
    """The generation that is built aside: how it is cut, and how many of the files that serve it has. ``whole`` says
    that it was finished, checked, and held back."""

    generation: str
    chunking: Chunking
    embedder: str
    files: int
    of: int
    whole: bool


def described(library: LibraryFile, places: Places, serving: Generation | None) -> Aside | None:
    """The generation aside, None where there is none that can be opened."""
    name = aside_of(library)
    if not name or name == library.serving():
        return None
    try:
        generation = Generation(places.generation(name))
    except LibraryError:
        return None
    try:
        finished = _finished(generation)
        return Aside(
            name,
            generation.chunking,
            generation.meta.get("embedder_name", ""),
            len(finished),
            max(len(finished), len(_finished(serving)) if serving else 0),
            bool(generation.meta.get(_WHOLE)),
        )
    finally:
        generation.close()


def opened_beside(library: LibraryFile, places: Places, steps: Steps = no_steps) -> Generation:
    """The generation aside. Raises ``UsageError`` where there is none, ``LibraryError`` where it is damaged."""
    name = aside_of(library)
    if not name or name == library.serving():
        raise UsageError("no rebuild lies aside", "begin one with `rankscope rebuild --hold`")
    return Generation(places.generation(name), steps=steps)


def _opened(index: Index) -> Generation:
    return opened_beside(index.library, index.places, index.steps)


# --- building -----------------------------------------------------------------------------------------------


def rebuild(
    index: Index,
    before: Generation | None,
    chunking: Chunking,
    *,
    embed: bool,
    hold: bool = False,
    cancel: CancelToken,
) -> Work:
    """Build a generation aside and let it serve when it is whole; returns the report.

    ``before`` is the one that serves meanwhile, None where it cannot be read. ``hold`` leaves it aside, whole, to be
    looked at.
    """
    return (yield from _finish(index, before, _aside(index, chunking), embed=embed, hold=hold, cancel=cancel))


def resume(
    index: Index, before: Generation | None, *, embed: bool, hold: bool = False, cancel: CancelToken
) -> Work:
    """Finish what lies aside, whatever the settings say by now, and let it serve.

    Raises ``UsageError`` where nothing lies aside, or was built for another embedder than the one in force.
    """
    generation = _opened(index)
    if generation.meta.get("embedder") != embedder_of(index)[0]:
        theirs = generation.meta.get("embedder_name") or "no embedder"
        generation.close()
        raise UsageError(
            f"what lies aside was built for {theirs}, which is not the embedder of the settings",
            "set it back, or begin anew with `rankscope rebuild`",
        )
    return (yield from _finish(index, before, generation, embed=embed, hold=hold, cancel=cancel))


def _finish(
    index: Index,
    before: Generation | None,
    generation: Generation,
    *,
    embed: bool,
    hold: bool,
    cancel: CancelToken,
) -> Work:
    try:
        report = yield from fill("rebuild", index, generation, before, embed=embed, cancel=cancel)
        yield from _checked(index, generation, cancel)
        if hold:
            generation.remember(**{_WHOLE: "yes"})
            generation.steps("generation.held")
    finally:
        generation.close()
    if not hold:
        _serve(index, generation.id)
    yield Progress("done", report.seen, report.seen)
    return report


def _checked(index: Index, generation: Generation, cancel: CancelToken) -> Generator[Progress, None, None]:
    cancel.check()
    replay(index.sink(generation), cancel=cancel)  # what was edited while it was built
    generation.checkpoint()
    yield Progress("publish", 0, 1)
    check(generation, cancel=cancel)
    generation.steps("generation.checked")


def _serve(index: Index, name: str) -> None:
    index.library.serve(name)
    if aside_of(index.library) == name:
        index.library.remember(ASIDE, "")
    tidy(index.places, index.library, index.steps)


def _aside(index: Index, chunking: Chunking) -> Generation:
    """The generation aside for this recipe: the one that was begun before, or a new one."""
    recipe = fingerprint(
        chunker_fingerprint(chunking), analyser_version(), embedder_of(index)[0], index.scopes
    )
    begun, _, begun_recipe = (index.library.value(ASIDE) or "").partition(" ")
    if begun and begun_recipe == recipe and begun != index.library.serving():
        with suppress(LibraryError):
            return Generation(index.places.generation(begun), steps=index.steps)
    generation = create(index, chunking)
    with generation.writing() as connection:  # it is filled with what the edits are from now on
        mark_applied(connection, index.library.last_edit())
    index.library.remember(ASIDE, f"{generation.id} {recipe}")
    return generation


# --- going back, dropping, taking over ----------------------------------------------------------------------


def roll_back(index: Index, serving: Generation | None, *, embed: bool, cancel: CancelToken) -> Work:
    """Let the generation serve again that served before, brought up to date with the folder and every edit first.

    The one that serves now is then the one before. Raises ``UsageError`` where none is kept.
    """
    name = index.library.previous()
    if not name or name == index.library.serving() or not index.places.generation(name).is_dir():
        raise UsageError("no generation is kept from before", "a rebuild keeps the one it replaces")
    generation = Generation(index.places.generation(name), steps=index.steps)
    try:
        index.semantics.return_to(generation, remember=False)
        if not generation.current:
            raise UsageError(
                "the generation before was analysed by another version", "rebuild with `rankscope rebuild`"
            )
        report = yield from fill("rollback", index, generation, serving, embed=embed, cancel=cancel)
        yield from _checked(index, generation, cancel)
    finally:
        generation.close()
    _serve(index, name)
    yield Progress("done", report.seen, report.seen)
    return report


def drop(index: Index) -> str:
    """Give up what lies aside; the id of it. Raises ``UsageError`` where there is nothing."""
    name = aside_of(index.library)
    if not name or name == index.library.serving():
        raise UsageError("no rebuild lies aside", "there is nothing to drop")
    index.library.remember(ASIDE, "")
    index.steps("aside.dropped")
    with suppress(LibraryError):  # somebody reads it: it goes when the library is tidied
        discard(index.places.generation(name), steps=index.steps)
    return name


def take_over(index: Index, serving: Generation, *, embed: bool, cancel: CancelToken) -> Work:
    """Cut the files that are finished aside in the new way where they serve, each in one transaction, and drop the
    rest of what lies aside. Those files keep that cut until a rebuild.

    Raises ``UsageError`` where nothing lies aside, or it is cut as what serves.
    """
    generation = _opened(index)
    try:
        own, done = generation.chunking, _finished(generation)
    finally:
        generation.close()
    if chunker_fingerprint(own) == chunker_fingerprint(serving.chunking):
        raise UsageError(
            "what lies aside is cut as what serves", "finish it with `rankscope rebuild --resume`, or drop it"
        )
    counts = Counts()
    work = _taking_over(index, serving, own, done, counts, cancel)
    report = yield from under_record("take over", index, serving, work, counts, embed=embed, cancel=cancel)
    drop(index)
    yield Progress("done", len(done), len(done))
    return report


def _taking_over(
    index: Index,
    serving: Generation,
    own: Chunking,
    done: dict[str, store.FileRow],
    counts: Counts,
    cancel: CancelToken,
) -> Generator[Progress, None, None]:
    target = index.target(serving, None)
    with serving.reading() as connection:
        known = store.files(connection)
    chosen = sorted(path for path in done if path in known and known[path].chunking != own)
    pace, group = Pace("index", len(chosen)), Group(target.sink)
    counts.add(seen=len(chosen))
    for path in chosen:
        cancel.check()
        with serving.reading() as connection:
            labels = {each: found.labels for each, found in store.documents_of(connection, path).items()}
        for document in archived_documents(serving, index.library, path):
            identity = target.origins.identity(path, document.path)
            chunks = put(
                target.sink, group, document, path, labels[document.path], identity, own, cancel=cancel
            )
            counts.add(changed=1, chunks=chunks)
        group.file(target.recut(known[path], own))
        group.flush()
        if group.overtaken:
            group.overtaken = False
            replay(target.sink, cancel=cancel)
        counts.taken += 1
        if (progress := pace.step(path)) is not None:
            yield progress
    replay(target.sink, cancel=cancel)
    settle_segments(serving, cancel=cancel, at_rest=True)
    yield pace.last()


def _finished(generation: Generation) -> dict[str, store.FileRow]:
    """The files that a generation has taken in, without those that hold no document."""
    with generation.reading() as connection:
        return {path: row for path, row in store.files(connection).items() if not row.reason}
