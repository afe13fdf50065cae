"""Writing documents into a generation: put, remove, and the stamps of their files. Inside the caller's
transaction.

A document's text, chunks, postings and counts change together or not at all.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.identity import MODULUS, corpus_term, sha256_text
from engine.ingest.formats import Kind
from engine.model import ChunkSpan, FileStamp
from engine.store import postings, vectors
from engine.store.connect import marks
from engine.store.labels import label_set_id, tally
from engine.store.postings import ChunkTerms
from engine.store.seal import Value, seal


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """A chunk ready to be stored. ``parent`` is its parent's chunk id; ``embed_hash`` is empty where it has
    no text to embed; ``terms`` is None for a parent and for what is not ``enabled``, which are never recalled.
    ``pin`` is the id of the edit that made it, if one did."""

    chunk_id: str
    span: ChunkSpan
    text: str
    parent: str | None
    embed_hash: str
    terms: ChunkTerms | None
    edited: bool = False
    enabled: bool = True
    pin: str = ""


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document ready to be stored: everything slow has been done, outside any transaction. ``conflicts`` counts
    the edits that have no place in its text."""

    document_id: str
    path: str
    file: str
    title: str
    revision: str
    kind: Kind
    language: str
    parser: str
    encoding: str
    doubtful: bool
    labels: tuple[str, ...]
    chunker: str
    characters: int
    lines: int
    chunks: tuple[PreparedChunk, ...]
    conflicts: int = 0

    def corpus_term(self) -> int:
        """This document's share of the corpus version (DESIGN, words)."""
        effective = "\n".join(
            f"{chunk.chunk_id} {sha256_text(chunk.text)}{'' if chunk.enabled else ' off'}"
            for chunk in self.chunks
        )
        return corpus_term(
            self.path, self.revision, self.parser, self.chunker, effective, *sorted(self.labels)
        )


@dataclass(frozen=True, slots=True)
class FileRow:
    """What is known of a file since it was last read. ``reason`` says why it was skipped, and is empty
    otherwise.

    ``recipe`` stands for all that its documents depend on beside its bytes: parsers, chunker, labels.
    """

    path: str
    stamp: FileStamp
    sha256: str
    reason: str
    recipe: str


@dataclass(frozen=True, slots=True)
class Known:
    """What a stored document was made from; the same again needs no work within one generation."""

    revision: str
    parser: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """What a stored document is, beside its text."""

    path: str
    revision: str
    parser: str
    kind: Kind
    language: str


def records_of(connection: sqlite3.Connection, file: str) -> list[Record]:
    """The documents of one file, by path."""
    rows = connection.execute(
        "SELECT path, revision, parser, kind, language FROM document WHERE file = ? ORDER BY path", (file,)
    )
    return [Record(*row) for row in rows]


def files(connection: sqlite3.Connection) -> dict[str, FileRow]:
    """Every file that the generation has seen, by path."""
    rows = connection.execute("SELECT path, size, mtime_ns, inode, sha256, reason, recipe FROM file")
    return {row[0]: FileRow(row[0], FileStamp(*row[1:4]), *row[4:]) for row in rows}


def files_of(connection: sqlite3.Connection, document_ids: Sequence[str]) -> dict[str, FileRow]:
    """The file that each of these documents came from, by document id."""
    rows = connection.execute(
        "SELECT d.document_id, f.path, f.size, f.mtime_ns, f.inode, f.sha256, f.reason, f.recipe"
        f" FROM document d JOIN file f ON f.path = d.file WHERE d.document_id IN ({marks(document_ids)})",
        document_ids,
    )
    return {row[0]: FileRow(row[1], FileStamp(*row[2:5]), *row[5:]) for row in rows}


def conflicts_of(connection: sqlite3.Connection, document_ids: Sequence[str]) -> dict[str, int]:
    """How many edits have lost their place, by path, of those of these documents that have such edits."""
    return dict(
        connection.execute(
            f"SELECT path, conflicts FROM document WHERE conflicts > 0 AND document_id IN ({marks(document_ids)})"
            " ORDER BY path",
            document_ids,
        )
    )


def put_file(connection: sqlite3.Connection, row: FileRow) -> None:
    """Note that a file has been taken in, or skipped, as it was at this stamp."""
    stamp = row.stamp
    connection.execute(
        "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)",
        (row.path, stamp.size, stamp.mtime_ns, stamp.inode, row.sha256, row.reason, row.recipe),
    )


def forget_file(connection: sqlite3.Connection, path: str) -> None:
    connection.execute("DELETE FROM file WHERE path = ?", (path,))


def documents_of(connection: sqlite3.Connection, file: str) -> dict[str, Known]:
    """The documents of one file, by path."""
    rows = connection.execute(
        "SELECT d.path, d.revision, d.parser, l.labels FROM document d JOIN label_set l ON l.id = d.label_set"
        " WHERE d.file = ?",
        (file,),
    )
    return {
        path: Known(revision, parser, tuple(json.loads(labels))) for path, revision, parser, labels in rows
    }


def found_at(connection: sqlite3.Connection, path: str) -> tuple[str, str, frozenset[str]] | None:
    """Id, revision and labels of the document at a path, None where there is none."""
    row = connection.execute(
        "SELECT d.document_id, d.revision, l.labels FROM document d JOIN label_set l ON l.id = d.label_set"
        " WHERE d.path = ?",
        (path,),
    ).fetchone()
    return None if row is None else (row[0], row[1], frozenset(json.loads(row[2])))


def put(connection: sqlite3.Connection, documents: Sequence[PreparedDocument]) -> None:
    """Store these documents, each in place of what stood under its path. Their vectors wait until
    attached."""
    remove(connection, [document.path for document in documents])
    indexed: dict[int, list[tuple[int, ChunkTerms]]] = {}
    for document in documents:
        labels = label_set_id(connection, document.labels)
        did = _insert_document(connection, document, labels)
        for chunk in document.chunks:
            cid = _insert_chunk(connection, did, chunk)
            if chunk.terms is not None:
                indexed.setdefault(labels, []).append((cid, chunk.terms))
        retrievable = [chunk for chunk in document.chunks if chunk.terms is not None]
        tally(
            connection,
            labels,
            documents=1,
            chunks=len(retrievable),
            waiting=sum(bool(chunk.embed_hash) for chunk in retrievable),
            corpus=document.corpus_term(),
        )
    for labels, chunks in indexed.items():
        postings.add(connection, labels, chunks)


def remove(connection: sqlite3.Connection, paths: Iterable[str]) -> int:
    """Take documents out, with all that was derived from them. The number that were there."""
    removed = 0
    cids: list[int] = []
    for path in paths:
        row = connection.execute(
            "SELECT did, label_set, chunks, corpus_term FROM document WHERE path = ?", (path,)
        ).fetchone()
        if row is None:
            continue
        did, labels, chunks, term = row
        states: Mapping[str, int] = dict(
            connection.execute("SELECT vector, count(*) FROM chunk WHERE did = ? GROUP BY vector", (did,))
        )
        lost = sum(
            corpus_term(chunk_id, embed_hash)
            for chunk_id, embed_hash in connection.execute(
                "SELECT chunk_id, embed_hash FROM chunk WHERE did = ? AND vector = 'ready'", (did,)
            )
        )
        cids += (
            cid
            for (cid,) in connection.execute(
                "SELECT cid FROM chunk WHERE did = ? AND role <> 'parent'", (did,)
            )
        )
        tally(
            connection,
            labels,
            documents=-1,
            chunks=-chunks,
            waiting=-states.get("waiting", 0),
            ready=-states.get("ready", 0),
            refused=-states.get("refused", 0),
            corpus=MODULUS - int(term, 16),
            vectors=MODULUS - lost % MODULUS,
        )
        connection.execute("DELETE FROM chunk WHERE did = ?", (did,))
        connection.execute("DELETE FROM document WHERE did = ?", (did,))
        removed += 1
    if cids:
        postings.remove(connection, cids)
        vectors.remove(connection, cids)
    return removed


def _insert_document(connection: sqlite3.Connection, document: PreparedDocument, labels: int) -> int:
    cursor = connection.execute(
        "INSERT INTO document(document_id, path, file, title, revision, kind, language, parser, encoding, doubtful,"
        " label_set, characters, lines, chunks, conflicts, corpus_term, seal)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            document.document_id,
            document.path,
            document.file,
            document.title,
            document.revision,
            document.kind,
            document.language,
            document.parser,
            document.encoding,
            document.doubtful,
            labels,
            document.characters,
            document.lines,
            sum(chunk.terms is not None for chunk in document.chunks),
            document.conflicts,
            f"{document.corpus_term():x}",
            seal(
                document.document_id,
                document.path,
                document.file,
                document.title,
                document.revision,
                document.parser,
                labels,
            ),
        ),
    )
    return int(cursor.lastrowid or 0)


def _sealed(chunk: PreparedChunk) -> tuple[Value, ...]:
    """What of a chunk its seal stands for, in the order of ``seal.CHUNK``."""
    span = chunk.span
    return (
        chunk.chunk_id,
        span.role,
        span.ordinal,
        chunk.parent,
        span.start,
        span.end,
        span.line_start,
        span.line_end,
        json.dumps(span.heading_path, ensure_ascii=False),
        chunk.text,
        int(chunk.edited),
        int(chunk.enabled),
        chunk.pin,
    )


def _insert_chunk(connection: sqlite3.Connection, did: int, chunk: PreparedChunk) -> int:
    cursor = connection.execute(
        'INSERT INTO chunk(did, chunk_id, role, ordinal, parent, start, "end", line_start, line_end, heading_path, text,'
        " edited, enabled, pin, text_hash, embed_hash, vector, seal)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            did,
            *(sealed := _sealed(chunk)),
            sha256_text(chunk.text),
            chunk.embed_hash,
            "waiting" if chunk.embed_hash and chunk.terms is not None else "none",
            seal(*sealed),
        ),
    )
    return int(cursor.lastrowid or 0)
