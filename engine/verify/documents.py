"""Documents and chunks against the archive: each is prepared and stored once more, in memory, and the rows compared.

So whatever a document's rows hold is checked: spans and texts against the archived revision and the edits,
headings, lines, hashes, ids, counts. What it should have posted goes to the check of the postings.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from engine.cancel import CancelToken
from engine.errors import CorruptIndexError
from engine.store import documents as store
from engine.store import postings, vectors
from engine.store.connect import statements
from engine.store.documents import PreparedDocument, cut_of
from engine.store.generation import SCHEMA, Generation
from engine.store.library_file import LibraryFile
from engine.store.seal import CHUNK, DOCUMENT, seal
from engine.verify.expected import Edited, Stored, expected, revision_of
from engine.verify.finding import Finding
from engine.verify.postings import Signatures

Row = dict[str, object]
_OWN = ("did", "cid", "label_set", "vector", "seal")
"""Columns that say where a row lies, what has become of its vector, or that follow from others (``_sealed``)."""


@contextmanager
def scratch() -> Iterator[sqlite3.Connection]:
    """An empty generation in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in statements(SCHEMA + postings.SCHEMA + vectors.SCHEMA):
            connection.execute(statement)
        yield connection
    finally:
        connection.close()


def check_document(
    connection: sqlite3.Connection,
    generation: Generation,
    library: LibraryFile,
    edited: Edited,
    document: Stored,
    memory: sqlite3.Connection,
    signatures: Signatures,
    *,
    cancel: CancelToken,
) -> Iterator[Finding]:
    """What is wrong with one document, which ``memory`` has room to store once more.

    Its chunks' signatures are noted only where nothing is: otherwise what is posted of it says nothing new. Raises
    ``Cancelled``, and what rows that are not what they should be make of it.
    """
    for (cid,) in connection.execute("SELECT cid FROM chunk WHERE did = ?", (document.did,)):
        signatures.skip(cid)
    if document.path != document.file and not document.path.startswith(f"{document.file}#"):
        yield Finding("document_differs", document.path, "it lies in no file of its name", mend="rebuild")
        return
    try:
        revision = revision_of(library, document)
    except CorruptIndexError as error:
        yield _archive("archive_damaged", document, error.problem)
        return
    if revision is None:
        yield _archive("archive_lost", document, "its text is no longer archived")
        return
    chunking = cut_of(connection, document.file, generation.chunking)
    prepared = expected(document, revision, chunking, library, edited, cancel=cancel)
    problem = _difference(_stored_anew(memory, prepared), _rows(connection, document.did))
    if not problem and not _sealed(connection, document.did):
        problem = "a checksum is not that of its row"
    if problem:
        yield Finding("document_differs", document.path, problem, mend="document", target=document.path)
        return
    numbers = dict(connection.execute("SELECT chunk_id, cid FROM chunk WHERE did = ?", (document.did,)))
    for chunk in prepared.chunks:
        if chunk.terms is not None:
            signatures.add(numbers[chunk.chunk_id], document.label_set, chunk.terms)


def _archive(code: str, document: Stored, what: str) -> Finding:
    return Finding(code, document.path, what, derived=False, mend="archive", target=document.path)


def _stored_anew(memory: sqlite3.Connection, prepared: PreparedDocument) -> tuple[Row, dict[str, Row]]:
    """The rows that storing the document would make; the memory is empty again afterwards."""
    memory.execute("BEGIN")
    try:
        store.put(memory, [prepared])
        (did,) = memory.execute("SELECT did FROM document").fetchone()
        return _rows(memory, did)
    finally:
        memory.execute("ROLLBACK")


def _rows(connection: sqlite3.Connection, did: int) -> tuple[Row, dict[str, Row]]:
    """The document's row, and its chunks' by id, with whether each has anything to embed."""
    (document,) = _dicts(connection.execute("SELECT * FROM document WHERE did = ?", (did,)))
    chunks = {
        str(row["chunk_id"]): row
        for row in _dicts(
            connection.execute("SELECT *, vector <> 'none' AS embeds FROM chunk WHERE did = ?", (did,))
        )
    }
    return document, chunks


def _dicts(cursor: sqlite3.Cursor) -> list[Row]:
    names = [column[0] for column in cursor.description]
    return [
        {name: value for name, value in zip(names, row, strict=True) if name not in _OWN} for row in cursor
    ]


def _sealed(connection: sqlite3.Connection, did: int) -> bool:
    """Whether a reader will take the document's rows for what was written."""
    columns = ", ".join(DOCUMENT)
    *values, written = connection.execute(
        f"SELECT {columns}, seal FROM document WHERE did = ?", (did,)
    ).fetchone()
    quoted = ", ".join(f'"{name}"' for name in CHUNK)
    chunks = connection.execute(f"SELECT {quoted}, seal FROM chunk WHERE did = ?", (did,))
    return seal(*values) == written and all(seal(*row[:-1]) == row[-1] for row in chunks)


def _difference(should: tuple[Row, dict[str, Row]], found: tuple[Row, dict[str, Row]]) -> str:
    """The first way in which the rows differ, in a few words; empty where they do not."""
    if should[1].keys() != found[1].keys():
        lost, more = len(should[1].keys() - found[1].keys()), len(found[1].keys() - should[1].keys())
        return f"its chunks are not those of its text: {lost} are missing, {more} are too many"
    for name, row in should[1].items():
        if wrong := _fields(row, found[1][name]):
            ordinal = row["ordinal"]
            return f"chunk {ordinal} ({name}) differs from the archived text in {wrong}"
    wrong = _fields(should[0], found[0])
    return f"its record differs from its text in {wrong}" if wrong else ""


def _fields(should: Row, found: Row) -> str:
    return ", ".join(name for name in should if should[name] != found[name])
