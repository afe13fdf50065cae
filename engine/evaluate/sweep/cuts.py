"""A library under another chunking, to be asked beside the generation that serves: built aside, kept for the next
sweep, and never served.

It holds the documents of the generation that serves, as it has them, with every edit; nothing is read from the folder.
Blocking; for the holder of the writer's lease.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

from engine.cancel import CancelToken
from engine.chunking import chunker_fingerprint
from engine.errors import EmbedderError, LibraryError
from engine.identity import fingerprint
from engine.model import OWNER, Progress
from engine.pipeline.attach import attach_cached, embed_waiting
from engine.pipeline.build import Index
from engine.pipeline.group import settle_segments
from engine.pipeline.index import archived_documents, prepared_with_edits
from engine.pipeline.pace import Pace
from engine.pipeline.query import index_state
from engine.recall.analysis import analyser_version
from engine.settings import Chunking
from engine.store import documents as store
from engine.store.documents import PreparedDocument
from engine.store.generation import VERSION, Generation, discard
from engine.store.labels import label_sets, visible
from engine.store.waiting import waiting_count

KEPT = 12
"""Cuts that are kept for the next sweep, the last ones used."""

TOGETHER = 64
"""Documents of one commit."""

_WHOLE = "whole"


def cut_of(
    index: Index, serving: Generation, chunking: Chunking, *, cancel: CancelToken
) -> Generator[Progress, None, Generation]:
    """The library under a chunking: the one that was built before, or a new one, finished where it was cut short.

    Raises ``Cancelled``, ``LibraryError`` (``DiskFullError`` where there is no room).
    """
    folder = _folder(index, serving, chunking)
    generation = _opened(index, serving, chunking, folder)
    try:
        if not generation.meta.get(_WHOLE):
            yield from _filled(index, serving, generation, chunking, cancel)
            generation.remember(**{_WHOLE: "yes"})
        yield from _embedded(index, serving, generation, cancel)
    except BaseException:
        generation.close()
        raise
    with suppress(OSError):
        folder.touch()
    return generation


def _folder(index: Index, serving: Generation, chunking: Chunking) -> Path:
    """Named by all that the cut depends on."""
    with serving.reading() as connection:
        state = index_state(serving, visible(label_sets(connection), (OWNER,)))
    name = fingerprint(
        VERSION, chunker_fingerprint(chunking), analyser_version(), serving.meta.get("embedder", ""),
        state.corpus_version, index.library.last_edit(),
    )  # fmt: skip
    return index.places.sweeps / f"g{name[:12]}"


def _opened(index: Index, serving: Generation, chunking: Chunking, folder: Path) -> Generation:
    if folder.is_dir():
        with suppress(LibraryError):
            return Generation(folder, steps=index.steps)
        shutil.rmtree(folder, ignore_errors=True)
    _make_room(index.places.sweeps)
    meta = {name: serving.meta.get(name, "") for name in ("analyser", "embedder", "embedder_name")}
    return Generation.create(folder, chunking=chunking, meta=meta, steps=index.steps)


def _make_room(folder: Path) -> None:
    """Let go of the cuts that were used longest ago; one that somebody reads stays."""
    if not folder.is_dir():
        return
    kept = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in kept[KEPT - 1 :]:
        with suppress(LibraryError):
            discard(old)


def _filled(
    index: Index, serving: Generation, generation: Generation, chunking: Chunking, cancel: CancelToken
) -> Generator[Progress, None, None]:
    with serving.reading() as connection:
        rows = connection.execute(
            "SELECT d.path, d.file, d.document_id, l.labels FROM document d JOIN label_set l ON l.id = d.label_set"
            " ORDER BY d.file, d.path"
        ).fetchall()
    with generation.reading() as connection:
        done = {path for (path,) in connection.execute("SELECT path FROM document")}
    known = {path: (identity, tuple(json.loads(labels))) for path, _, identity, labels in rows}
    pace, group = Pace("index", len(rows)), list[PreparedDocument]()
    for file in dict.fromkeys(file for _, file, _, _ in rows):
        for document in archived_documents(serving, index.library, file):
            cancel.check()
            if document.path not in done and document.path in known:
                identity, labels = known[document.path]
                group.append(
                    prepared_with_edits(
                        index.library, document, file, labels, identity, chunking, cancel=cancel
                    )
                )
            if len(group) >= TOGETHER:
                _commit(index, generation, group)
            if (progress := pace.step(document.path)) is not None:
                yield progress
    _commit(index, generation, group)
    settle_segments(generation, cancel=cancel, at_rest=True)
    yield pace.last()


def _commit(index: Index, generation: Generation, group: list[PreparedDocument]) -> None:
    with generation.writing() as connection:
        store.put(connection, group)
        attach_cached(connection, generation, index.semantics, group)
    generation.steps("documents.committed")
    settle_segments(generation, cancel=CancelToken())
    group.clear()


def _embedded(
    index: Index, serving: Generation, generation: Generation, cancel: CancelToken
) -> Generator[Progress, None, None]:
    """Its vectors, where those of what serves are all there: else the two would not be asked alike."""
    with serving.reading() as connection:
        waits = waiting_count(connection)
    if not waits and index.semantics.incompatible(generation) is None:
        with suppress(EmbedderError):
            yield from embed_waiting(generation, index.semantics, cancel=cancel)
