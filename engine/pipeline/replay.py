"""Bringing a generation up to date with the edits of its library. Blocking; for the holder of the lease.

The library file is written first, so a kill between the two leaves a generation that has steps to catch up with,
and never an edit that is nowhere. Applying a step again changes nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from engine.cancel import CancelToken
from engine.edits.anchor import anchored
from engine.edits.pin import Pin
from engine.ingest.formats import Kind
from engine.ingest.parse import Document
from engine.pipeline.attach import attach_cached
from engine.pipeline.group import Sink, settle_segments
from engine.pipeline.prepare import prepare
from engine.settings import Chunking
from engine.store.amend import Stored, amend, stored_chunks
from engine.store.documents import PreparedDocument, cut_of
from engine.store.edits import EditStore
from engine.store.generation import applied_edit, mark_applied


def replay(sink: Sink, *, cancel: CancelToken) -> int:
    """Apply the steps that the generation does not hold yet, document by document; how many documents changed.

    Raises ``Cancelled`` between documents: what is left is applied the next time.
    """
    generation = sink.generation
    with closing(EditStore(sink.library.path)) as edits:
        last = edits.last()
        with generation.reading() as connection:
            changed = edits.changed_after(applied_edit(connection))
        for number, document_id in enumerate(changed, 1):
            cancel.check()
            while not _applied(sink, edits, document_id, last if number == len(changed) else 0, cancel):
                pass
            generation.steps("edit.applied")
    if changed:
        settle_segments(generation, cancel=CancelToken())
    return len(changed)


def _applied(sink: Sink, edits: EditStore, document_id: str, upto: int, cancel: CancelToken) -> bool:
    """Whether a document got its edits in one transaction; not where a sync or another edit has changed it while
    it was prepared, which takes too long to keep others from writing."""
    chunking = sink.generation.chunking
    with sink.generation.reading() as connection:
        held, pins = _held(connection, document_id, chunking), edits.pins(document_id)
    prepared = None if held is None else _prepared(sink, held, pins, cancel)
    with sink.generation.writing() as connection:
        if (_held(connection, document_id, chunking), edits.pins(document_id)) != (held, pins):
            return False
        if held is not None and prepared is not None:
            _put(connection, sink, prepared, held)
        mark_applied(connection, upto)
    return True


def hold(sink: Sink, document_id: str, pins: Sequence[Pin], *, cancel: CancelToken) -> None:
    """Let a generation that nobody else writes hold a document with these edits and no others, whatever its library
    says: to try them."""
    with sink.generation.reading() as connection:
        held = _held(connection, document_id, sink.generation.chunking)
    prepared = None if held is None else _prepared(sink, held, pins, cancel)
    if held is not None and prepared is not None:
        with sink.generation.writing() as connection:
            _put(connection, sink, prepared, held)


def _put(connection: sqlite3.Connection, sink: Sink, prepared: PreparedDocument, held: _Held) -> None:
    amend(connection, prepared, held.chunks)
    attach_cached(connection, sink.generation, sink.semantics, [prepared])


@dataclass(frozen=True, slots=True)
class _Held:
    """A stored document: its chunks, and what it was made from."""

    chunks: Stored
    document_id: str
    path: str
    file: str
    title: str
    revision: str
    parser: str
    kind: Kind
    language: str
    labels: str
    chunking: Chunking


def _held(connection: sqlite3.Connection, document_id: str, chunking: Chunking) -> _Held | None:
    row = connection.execute(
        "SELECT d.document_id, d.path, d.file, d.title, d.revision, d.parser, d.kind, d.language, l.labels"
        " FROM document d JOIN label_set l ON l.id = d.label_set WHERE d.document_id = ?",
        (document_id,),
    ).fetchone()
    if row is None:
        return None
    return _Held(stored_chunks(connection, document_id), *(*row, cut_of(connection, row[2], chunking)))


def _prepared(sink: Sink, held: _Held, pins: Sequence[Pin], cancel: CancelToken) -> PreparedDocument | None:
    """A document of the generation with these edits; None where its text is not archived any more."""
    archived = sink.library.revision(held.revision, held.parser)
    if archived is None:
        return None
    document = Document(
        path=held.path,
        revision=held.revision,
        text=archived.text,
        title=held.title,
        kind=held.kind,
        language=held.language,
        parser=held.parser,
        encoding=archived.encoding,
        doubtful=archived.doubtful,
    )
    return prepare(
        document,
        held.file,
        held.chunking,
        tuple(json.loads(held.labels)),
        identity=held.document_id,
        stored=held.chunks,
        pins=anchored(pins, held.revision, held.parser, archived.text, sink.library.text_of),
        cancel=cancel,
    )
