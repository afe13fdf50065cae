"""Writing documents into a generation: put, remove, and the stamps of their files. Inside the caller's
transaction.

A document's text, chunks, postings and counts change together or not at all.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from engine.identity import MODULUS, corpus_term, sha256_text
from engine.ingest.formats import Kind
from engine.model import ChunkSpan, FileStamp, Source
from engine.settings import Chunking
from engine.store import postings, vectors
from engine.store.connect import batches, marks
from engine.store.labels import label_set_id, tally
from engine.store.postings import ChunkTerms
from engine.store.seal import Value, seal


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """A chunk ready to be stored. ``parent`` is its parent's chunk id; ``embed_hash`` is empty where it has
    no text to embed; ``terms`` is None for a parent and for what is not ``enabled``, which are never recalled.
    ``pin`` is the id of the edit that made it, if one did. ``stored`` says that its document holds it already, so
    that nothing was analysed anew."""

    chunk_id: str
    span: ChunkSpan
    text: str
    parent: str | None
    embed_hash: str
    terms: ChunkTerms | None
    edited: bool = False
    enabled: bool = True
    pin: str = ""
    stored: bool = False

    @property
    def retrievable(self) -> bool:
        """Whether the channels recall it."""
        return self.enabled and self.span.role != "parent"


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
        if self.conflicts:  # which a query tells
            effective += f"\nconflicts {self.conflicts}"
        return corpus_term(
            self.path, self.revision, self.parser, self.chunker, effective, *sorted(self.labels)
        )


@dataclass(frozen=True, slots=True)
class FileRow:
    """What is known of a file since it was last read. ``reason`` says why it was skipped, and is empty
    otherwise.

    ``recipe`` stands for all that its documents depend on beside its bytes: parsers, chunker, labels. ``chunking``
    is how it was cut, None for the way of its generation.
    """

    path: str
    stamp: FileStamp
    sha256: str
    reason: str
    recipe: str
    chunking: Chunking | None = None


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
    rows = connection.execute(
        "SELECT path, size, mtime_ns, inode, changed_ns, sha256, reason, recipe, chunking FROM file"
    )
    return {
        row[0]: FileRow(row[0], FileStamp(*row[1:5]), row[5], row[6], row[7], _cut(row[8])) for row in rows
    }


def sources_of(connection: sqlite3.Connection, document_ids: Sequence[str]) -> dict[str, Source]:
    """The file that each of these documents came from, by document id."""
    rows = connection.execute(
        "SELECT d.document_id, f.path, f.size, f.mtime_ns, f.inode, f.changed_ns, f.sha256, d.path, d.conflicts"
        f" FROM document d JOIN file f ON f.path = d.file WHERE d.document_id IN ({marks(document_ids)})"
        " ORDER BY d.path",
        document_ids,
    )
    return {row[0]: Source(row[1], FileStamp(*row[2:6]), *row[6:]) for row in rows}


def cuts(connection: sqlite3.Connection) -> dict[str, Chunking]:
    """How the files are cut that are not cut the way of their generation: those that were taken over into it."""
    rows = connection.execute("SELECT path, chunking FROM file WHERE chunking <> ''")
    return {path: cut for path, kept in rows if (cut := _cut(kept)) is not None}


def cut_of(connection: sqlite3.Connection, file: str, otherwise: Chunking) -> Chunking:
    """How a file is cut: its own way, or that of its generation."""
    row = connection.execute("SELECT chunking FROM file WHERE path = ?", (file,)).fetchone()
    return (_cut(row[0]) if row else None) or otherwise


def _cut(kept: str) -> Chunking | None:
    try:
        return Chunking(**json.loads(kept)) if kept else None
    except (TypeError, ValueError):
        return None  # as a file that was cut in no known way, it is read and cut again


def put_file(connection: sqlite3.Connection, row: FileRow) -> None:
    """Note that a file has been taken in, or skipped, as it was at this stamp."""
    stamp = row.stamp
    cut = json.dumps(asdict(row.chunking), sort_keys=True) if row.chunking else ""
    connection.execute(
        "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.path, stamp.size, stamp.mtime_ns, stamp.inode, stamp.changed_ns,
            row.sha256, row.reason, row.recipe, cut,
        ),
    )  # fmt: skip


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
            cid = insert_chunk(connection, did, chunk)
            if chunk.terms is not None:
                indexed.setdefault(labels, []).append((cid, chunk.terms))
        retrievable = [chunk for chunk in document.chunks if chunk.retrievable]
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
    recalled: list[int] = []
    for path in paths:
        row = connection.execute(
            "SELECT did, label_set, corpus_term FROM document WHERE path = ?", (path,)
        ).fetchone()
        if row is None:
            continue
        did, labels, term = row
        cids = [cid for (cid,) in connection.execute("SELECT cid FROM chunk WHERE did = ?", (did,))]
        recalled += remove_rows(connection, labels, cids)
        connection.execute("DELETE FROM document WHERE did = ?", (did,))
        tally(connection, labels, documents=-1, corpus=MODULUS - int(term, 16))
        removed += 1
    remove_from_channels(connection, recalled)
    return removed


def remove_from_channels(connection: sqlite3.Connection, cids: Sequence[int]) -> None:
    """Take chunks out of the postings and the vectors; all at once, for every segment is looked at."""
    if cids:
        postings.remove(connection, cids)
        vectors.remove(connection, cids)


def remove_rows(connection: sqlite3.Connection, labels: int, cids: Sequence[int]) -> list[int]:
    """Take rows of chunks out, and out of what is counted; those that channels recalled."""
    states: Counter[str] = Counter()
    lost = 0
    recalled: list[int] = []
    for batch in batches(cids):
        for cid, chunk_id, embed_hash, vector, live in connection.execute(
            "SELECT cid, chunk_id, embed_hash, vector, enabled AND role <> 'parent' FROM chunk"
            f" WHERE cid IN ({marks(batch)})",
            batch,
        ):
            states[vector] += 1
            lost += corpus_term(chunk_id, embed_hash) if vector == "ready" else 0
            recalled += [cid] if live else []
    tally(
        connection,
        labels,
        chunks=-len(recalled),
        waiting=-states["waiting"],
        ready=-states["ready"],
        refused=-states["refused"],
        vectors=MODULUS - lost % MODULUS,
    )
    connection.executemany("DELETE FROM chunk WHERE cid = ?", ((cid,) for cid in cids))
    return recalled


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
            sum(chunk.retrievable for chunk in document.chunks),
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


def columns(chunk: PreparedChunk) -> tuple[Value, ...]:
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


def insert_chunk(connection: sqlite3.Connection, did: int, chunk: PreparedChunk) -> int:
    """Store the row of a chunk, whose vector waits; its row number."""
    cursor = connection.execute(
        'INSERT INTO chunk(did, chunk_id, role, ordinal, parent, start, "end", line_start, line_end, heading_path, text,'
        " edited, enabled, pin, text_hash, embed_hash, vector, seal)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            did,
            *(values := columns(chunk)),
            sha256_text(chunk.text),
            chunk.embed_hash,
            "waiting" if chunk.embed_hash and chunk.retrievable else "none",
            seal(*values),
        ),
    )
    return int(cursor.lastrowid or 0)
