"""Bringing a generation up to date with the edits of its library. Blocking; for the holder of the lease.

The library file is written first, so a kill between the two leaves a generation that has steps to catch up with,
and never an edit that is nowhere. Applying a step again changes nothing.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

from engine.cancel import CancelToken
from engine.edits.anchor import anchored
from engine.ingest.parse import Document
from engine.pipeline.attach import attach_cached
from engine.pipeline.group import Sink, settle_segments
from engine.pipeline.prepare import prepare
from engine.store import documents as store
from engine.store.documents import PreparedDocument
from engine.store.edits import EditStore


def applied_edit(connection: sqlite3.Connection) -> int:
    """The last step of the history that a generation holds."""
    return int(connection.execute("SELECT applied_edit FROM state").fetchone()[0])


def mark_applied(connection: sqlite3.Connection, seq: int) -> None:
    """Say that a generation holds every step up to this one."""
    connection.execute("UPDATE state SET applied_edit = max(applied_edit, ?)", (seq,))


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
            prepared = _prepared(sink, edits, document_id, cancel)
            with generation.writing() as connection:
                if prepared is not None:
                    store.put(connection, [prepared])
                    attach_cached(connection, generation, sink.semantics, [prepared])
                if number == len(changed):
                    mark_applied(connection, last)
            generation.steps("edit.applied")
    if changed:
        settle_segments(generation, cancel=CancelToken())
    return len(changed)


def _prepared(sink: Sink, edits: EditStore, document_id: str, cancel: CancelToken) -> PreparedDocument | None:
    """A document of the generation with its edits as they are now; None where it holds no such document."""
    with sink.generation.reading() as connection:
        row = connection.execute(
            "SELECT d.path, d.file, d.revision, d.parser, d.kind, d.language, l.labels"
            " FROM document d JOIN label_set l ON l.id = d.label_set WHERE d.document_id = ?",
            (document_id,),
        ).fetchone()
    if row is None:
        return None
    path, file, revision, parser, kind, language, labels = row
    archived = sink.library.revision(revision, parser)
    if archived is None:
        return None
    document = Document(
        path=path,
        revision=revision,
        text=archived.text,
        title=archived.title,
        kind=kind,
        language=language,
        parser=parser,
        encoding=archived.encoding,
        doubtful=archived.doubtful,
    )
    pins = anchored(edits.pins(document_id), revision, parser, archived.text, sink.library.text_of)
    return prepare(
        document,
        file,
        sink.generation.chunking,
        tuple(json.loads(labels)),
        identity=document_id,
        pins=pins,
        cancel=cancel,
    )
