"""Mending parts of a generation from what it was derived from. Inside the caller's write transaction, so that the
old state serves until all of it is mended."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from engine.cancel import CancelToken
from engine.ingest.parse import documents as parsed
from engine.ingest.read import Unreadable, read
from engine.model import Revision
from engine.pipeline.attach import attach_cached
from engine.pipeline.group import Sink
from engine.store import documents as store
from engine.store import postings, vectors
from engine.store.check import counted
from engine.store.documents import PreparedDocument, cut_of
from engine.store.library_file import Archived
from engine.store.postings import ChunkTerms
from engine.store.waiting import take_back
from engine.verify.expected import Stored, expected, revision_of, stored_document, stored_documents

POSTED_AT_ONCE = 2_000
"""Chunks of one segment, when all are posted anew."""


def take_in(connection: sqlite3.Connection, sink: Sink, paths: Iterable[str], *, cancel: CancelToken) -> int:
    """Store these documents anew from their archived texts; how many. Their cached vectors come with them.

    Raises ``Cancelled``, ``CorruptIndexError``.
    """
    count = 0
    for path in paths:
        cancel.check()
        document = stored_document(connection, path)
        prepared = document and _prepared(sink, document, cancel)
        if prepared:
            store.put(connection, [prepared])
            attach_cached(connection, sink.generation, sink.semantics, [prepared])
            count += 1
    return count


def drop_postings(connection: sqlite3.Connection) -> None:
    """Forget every segment, whole or not."""
    for table in ("posting_block", "posting_chunk", "posting_segment", "posting_total"):
        connection.execute(f"DELETE FROM {table}")


def post_all(
    connection: sqlite3.Connection, sink: Sink, besides: Collection[str], *, cancel: CancelToken
) -> int:
    """Post every chunk again but those of the documents ``besides``, which were taken in anew; how many chunks."""
    count = 0
    held: dict[int, list[tuple[int, ChunkTerms]]] = {}
    for document in [*stored_documents(connection)]:
        cancel.check()
        prepared = None if document.path in besides else _prepared(sink, document, cancel)
        if prepared is None:
            continue
        numbers = dict(connection.execute("SELECT chunk_id, cid FROM chunk WHERE did = ?", (document.did,)))
        chunks = held.setdefault(document.label_set, [])
        chunks += (
            (numbers[chunk.chunk_id], chunk.terms) for chunk in prepared.chunks if chunk.terms is not None
        )
        if len(chunks) >= POSTED_AT_ONCE:
            count += _post(connection, document.label_set, chunks)
    return count + sum(_post(connection, label_set, chunks) for label_set, chunks in held.items())


def _post(connection: sqlite3.Connection, label_set: int, chunks: list[tuple[int, ChunkTerms]]) -> int:
    postings.add(connection, label_set, chunks)
    count = len(chunks)
    chunks.clear()
    return count


def _prepared(sink: Sink, document: Stored, cancel: CancelToken) -> PreparedDocument | None:
    """The document as it should be; None where its text is not archived: then it stays as it is."""
    revision = revision_of(sink.library, document)
    if revision is None:
        return None
    with sink.generation.reading() as connection:
        chunking = cut_of(connection, document.file, sink.generation.chunking)
    return expected(document, revision, chunking, sink.library, sink.library.pins, cancel=cancel)


def forget_vectors(connection: sqlite3.Connection, fingerprint: str) -> int:
    """Let every chunk wait that an embedder made a vector of; how many wait then. The file is left to ``tidy``."""
    found = connection.execute("SELECT id FROM vector_file WHERE fingerprint = ?", (fingerprint,)).fetchall()
    for (file,) in found:
        for table in ("vector", "vector_page"):
            connection.execute(f"DELETE FROM {table} WHERE file = ?", (file,))
        connection.execute("DELETE FROM vector_file WHERE id = ?", (file,))
    return connection.execute(
        "UPDATE chunk SET vector = 'waiting' WHERE vector IN ('ready', 'refused')"
    ).rowcount


def drop_damaged_pages(
    connection: sqlite3.Connection, folder: Path, fingerprint: str, *, cancel: CancelToken
) -> int:
    """Copy what can be read of a page file into a new one; how many chunks wait again. Raises ``Cancelled``."""
    lost = vectors.compact(connection, folder, fingerprint, cancel=cancel)
    take_back(connection, lost)
    return len(lost)


def count_anew(connection: sqlite3.Connection) -> None:
    """Set what every label set counts and sums up to what stands under it."""
    for (number,) in connection.execute("SELECT id FROM label_set").fetchall():
        found = counted(connection, number)
        connection.execute(
            "UPDATE label_set SET documents = ?, chunks = ?, waiting = ?, ready = ?, refused = ?, corpus_sum = ?,"
            " vector_sum = ? WHERE id = ?",
            (
                found.documents,
                found.chunks,
                found.waiting,
                found.ready,
                found.refused,
                f"{found.corpus_sum:x}",
                f"{found.vector_sum:x}",
                number,
            ),
        )


def revisions_on_disk(root: Path, documents: Iterable[Stored], *, cancel: CancelToken) -> Iterator[Archived]:
    """The revisions of these documents, of which the archive is damaged, that the folder still has to the byte."""
    for document in documents:
        try:
            raw = read(root, document.file, cancel=cancel).raw
        except Unreadable:
            continue
        for item in parsed(document.file, raw):
            same = (document.path, document.revision, document.parser)
            if (
                getattr(item, "path", ""),
                getattr(item, "revision", ""),
                getattr(item, "parser", ""),
            ) == same:
                yield Archived(
                    document.document_id,
                    document.path,
                    Revision(item.revision, item.text, item.encoding, item.doubtful, item.parser, item.title),  # type: ignore[union-attr]
                )
