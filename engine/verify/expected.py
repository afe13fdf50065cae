"""What a document of a generation should be: prepared once more from its archived text, as indexing prepares it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from engine.cancel import CancelToken
from engine.edits.anchor import anchored
from engine.edits.pin import Pin
from engine.ingest.formats import Kind, format_of
from engine.ingest.parse import Document
from engine.model import Revision
from engine.pipeline.prepare import prepare
from engine.settings import Chunking
from engine.store.documents import PreparedDocument
from engine.store.library_file import LibraryFile


@dataclass(frozen=True, slots=True)
class Stored:
    """A document's row: what finds its archived text, and the labels it serves under."""

    did: int
    document_id: str
    path: str
    file: str
    revision: str
    parser: str
    label_set: int
    labels: tuple[str, ...]


Edited = Callable[[str], Sequence[Pin]]
"""The edits of a document, by its id, the earliest first."""

_SELECT = (
    "SELECT d.did, d.document_id, d.path, d.file, d.revision, d.parser, d.label_set, l.labels"
    " FROM document d LEFT JOIN label_set l ON l.id = d.label_set"
)


def stored_documents(connection: sqlite3.Connection) -> Iterator[Stored]:
    """Every document of a generation, by row number."""
    return map(_stored, connection.execute(f"{_SELECT} ORDER BY d.did"))


def stored_document(connection: sqlite3.Connection, path: str) -> Stored | None:
    row = connection.execute(f"{_SELECT} WHERE d.path = ?", (path,)).fetchone()
    return _stored(row) if row else None


def _stored(row: Sequence[Any]) -> Stored:
    columns, labels = row[:-1], row[-1]
    try:
        found = tuple(str(each) for each in json.loads(labels or "[]"))
    except (ValueError, TypeError):
        found = ("?",)  # no document carries it, so the difference shows
    return Stored(*columns, found)  # type: ignore[call-arg]


def revision_of(library: LibraryFile, document: Stored) -> Revision | None:
    """Its archived revision, None where it is not kept. Raises ``CorruptIndexError`` where it is damaged."""
    return library.revision(document.revision, document.parser)


def expected(
    document: Stored,
    revision: Revision,
    chunking: Chunking,
    library: LibraryFile,
    edited: Edited,
    *,
    cancel: CancelToken,
) -> PreparedDocument:
    """The document as indexing would store it now, with those of its edits that have a place. Raises ``Cancelled``."""
    kind, language = _format(document.file)
    pins = anchored(
        edited(document.document_id), revision.revision, revision.parser, revision.text, library.text_of
    )
    return prepare(
        Document(
            path=document.path,
            revision=revision.revision,
            text=revision.text,
            title=revision.title,
            kind=kind,
            language=language,
            parser=revision.parser,
            encoding=revision.encoding,
            doubtful=revision.doubtful,
        ),
        document.file,
        chunking,
        document.labels,
        identity=document.document_id,
        pins=pins,
        cancel=cancel,
    )


def _format(file: str) -> tuple[Kind, str]:
    """Kind and language by the file's name; a document of a corpus is text."""
    form = format_of(PurePosixPath(file).name)
    return ("text", "") if form.kind == "jsonl" else (form.kind, form.language)
