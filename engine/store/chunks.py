"""Reading chunks and documents out of a generation, inside the caller's read transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from engine.model import Chunk
from engine.store.connect import batches, marks

_COLUMNS = (
    "c.chunk_id, d.document_id, d.path, d.title, d.revision, c.ordinal, c.role, c.heading_path,"
    ' c.start, c."end", c.line_start, c.line_end, c.text, c.parent, c.edited, c.enabled'
)


def by_cid(connection: sqlite3.Connection, cids: Sequence[int]) -> dict[int, Chunk]:
    """The chunks under these row numbers."""
    found: dict[int, Chunk] = {}
    for batch in batches(cids):
        for row in connection.execute(
            f"SELECT c.cid, {_COLUMNS} FROM chunk c JOIN document d USING (did) WHERE c.cid IN ({marks(batch)})",
            batch,
        ):
            found[row[0]] = _chunk(row[1:])
    return found


def by_id(connection: sqlite3.Connection, chunk_ids: Iterable[str]) -> dict[str, Chunk]:
    """The chunks under these chunk ids (parents, too)."""
    found: dict[str, Chunk] = {}
    for batch in batches(sorted(set(chunk_ids))):
        for row in connection.execute(
            f"SELECT {_COLUMNS} FROM chunk c JOIN document d USING (did) WHERE c.chunk_id IN ({marks(batch)})",
            batch,
        ):
            found[row[0]] = _chunk(row)
    return found


def of_document(connection: sqlite3.Connection, path: str) -> list[Chunk]:
    """Every chunk of a document, parents too, in source order; none where there is no such document."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM chunk c JOIN document d USING (did) WHERE d.path = ?"
        ' ORDER BY c.start, c."end", c.ordinal, c.chunk_id',
        (path,),
    )
    return [_chunk(row) for row in rows]


def visible_to(connection: sqlite3.Connection, label_sets: Sequence[int]) -> Iterator[Chunk]:
    """Every retrievable chunk under these label sets, in the order in which ties break."""
    for row in connection.execute(
        f"SELECT {_COLUMNS} FROM chunk c JOIN document d USING (did)"
        f" WHERE c.role <> 'parent' AND c.enabled AND d.label_set IN ({marks(label_sets)})"
        " ORDER BY d.path, c.ordinal, c.chunk_id",
        label_sets,
    ):
        yield _chunk(row)


def around(
    connection: sqlite3.Connection, chunks: Iterable[Chunk], reach: int
) -> dict[tuple[str, int], Chunk]:
    """The retrievable chunks of the same document up to ``reach`` ordinals away, by (document id,
    ordinal)."""
    wanted: dict[str, set[int]] = {}
    for chunk in chunks:
        wanted.setdefault(chunk.document_id, set()).update(
            range(chunk.ordinal - reach, chunk.ordinal + reach + 1)
        )
    found: dict[tuple[str, int], Chunk] = {}
    for document_id, ordinals in wanted.items():
        for batch in batches(sorted(ordinals)):
            for row in connection.execute(
                f"SELECT {_COLUMNS} FROM chunk c JOIN document d USING (did)"
                f" WHERE d.document_id = ? AND c.role <> 'parent' AND c.enabled AND c.ordinal IN ({marks(batch)})",
                (document_id, *batch),
            ):
                chunk = _chunk(row)
                found[document_id, chunk.ordinal] = chunk
    return found


def tie_order(connection: sqlite3.Connection, cids: Sequence[int]) -> list[int]:
    """The same row numbers in the order in which ties break everywhere: path, ordinal, chunk id."""
    keys: list[tuple[str, int, str, int]] = []
    for batch in batches(cids):
        keys += connection.execute(
            "SELECT d.path, c.ordinal, c.chunk_id, c.cid FROM chunk c JOIN document d USING (did)"
            f" WHERE c.cid IN ({marks(batch)})",
            batch,
        )
    return [cid for *_, cid in sorted(keys)]


def _chunk(row: Sequence[object]) -> Chunk:
    values = list(row)
    values[7] = tuple(json.loads(str(values[7])))
    values[14], values[15] = bool(values[14]), bool(values[15])
    return Chunk(*values)  # type: ignore[arg-type]
