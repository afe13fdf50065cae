"""Documents and spans as they are indexed, for whoever asks why something was not found. Inside the caller's
read transaction; only what these label sets hold is ever read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.model import Chunk
from engine.store import chunks
from engine.store.connect import batches, marks


@dataclass(frozen=True, slots=True)
class Indexed:
    """A document of the index: ``file`` holds it, and ``revision`` and ``parser`` find its archived text."""

    did: int
    document_id: str
    path: str
    file: str
    revision: str
    parser: str
    kind: str
    language: str
    characters: int


_COLUMNS = "d.did, d.document_id, d.path, d.file, d.revision, d.parser, d.kind, d.language, d.characters"


def document(connection: sqlite3.Connection, path: str, label_sets: Sequence[int]) -> Indexed | None:
    """The document at a path, where it may be seen."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM document d WHERE d.path = ? AND d.label_set IN ({marks(label_sets)})",
        (path, *label_sets),
    ).fetchone()
    return Indexed(*row) if row else None


def document_of_chunk(
    connection: sqlite3.Connection, chunk_id: str, label_sets: Sequence[int]
) -> tuple[Indexed, Chunk] | None:
    """A chunk of any role with its document, where it may be seen."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM chunk c JOIN document d USING (did)"
        f" WHERE c.chunk_id = ? AND d.label_set IN ({marks(label_sets)})",
        (chunk_id, *label_sets),
    ).fetchone()
    return (Indexed(*row), chunks.by_id(connection, [chunk_id])[chunk_id]) if row else None


def documents(connection: sqlite3.Connection, label_sets: Sequence[int]) -> Iterator[Indexed]:
    """Every document that may be seen, by path."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM document d WHERE d.label_set IN ({marks(label_sets)}) ORDER BY d.path",
        tuple(label_sets),
    )
    return (Indexed(*row) for row in rows)


def edited(connection: sqlite3.Connection, label_sets: Sequence[int]) -> Iterator[Indexed]:
    """Every document that may be seen and that an edit keeps a text of its source out of, by path."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM document d WHERE d.label_set IN ({marks(label_sets)}) AND EXISTS"
        " (SELECT 1 FROM chunk c WHERE c.did = d.did AND (c.edited OR NOT c.enabled)) ORDER BY d.path",
        tuple(label_sets),
    )
    return (Indexed(*row) for row in rows)


def documents_of_chunks(connection: sqlite3.Connection, cids: Sequence[int]) -> dict[int, int]:
    """The did of each chunk, by row number."""
    found: dict[int, int] = {}
    for batch in batches(cids):
        found.update(connection.execute(f"SELECT cid, did FROM chunk WHERE cid IN ({marks(batch)})", batch))
    return found


def hidden_files(connection: sqlite3.Connection, label_sets: Sequence[int]) -> frozenset[str]:
    """Files that hold a document which these label sets do not show, and the paths of those documents."""
    rows = connection.execute(
        f"SELECT file, path FROM document WHERE label_set NOT IN ({marks(label_sets)})", tuple(label_sets)
    )
    return frozenset(name for row in rows for name in row)


def by_did(connection: sqlite3.Connection, dids: Sequence[int]) -> dict[int, Indexed]:
    found: dict[int, Indexed] = {}
    for batch in batches(dids):
        rows = connection.execute(f"SELECT {_COLUMNS} FROM document d WHERE d.did IN ({marks(batch)})", batch)
        found.update((row[0], Indexed(*row)) for row in rows)
    return found


def touching(connection: sqlite3.Connection, did: int, start: int, end: int) -> tuple[Chunk, ...]:
    """The retrievable chunks of a document that share a character with ``[start, end)``, in source order."""
    rows = connection.execute(
        "SELECT chunk_id FROM chunk WHERE did = ? AND role <> 'parent' AND start < ? AND \"end\" > ?"
        " ORDER BY ordinal",
        (did, end, start),
    )
    names = [name for (name,) in rows]
    found = chunks.by_id(connection, names)
    return tuple(found[name] for name in names)


def row_of_chunk(connection: sqlite3.Connection, chunk_id: str) -> tuple[int, str] | None:
    """A chunk's row number, and the state of its vector."""
    row = connection.execute("SELECT cid, vector FROM chunk WHERE chunk_id = ?", (chunk_id,)).fetchone()
    return (int(row[0]), str(row[1])) if row else None
