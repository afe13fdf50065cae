"""Reading chunks and documents out of a generation, inside the caller's read transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engine.model import Chunk
from engine.store.connect import batches, marks
from engine.store.seal import CHUNK, DOCUMENT, damaged_row, seal

_COLUMNS = ", ".join(
    [*(f'c."{name}"' for name in (*CHUNK, "seal")), *(f"d.{name}" for name in (*DOCUMENT, "seal"))]
)


def by_cid(connection: sqlite3.Connection, cids: Sequence[int]) -> dict[int, Chunk]:
    """The chunks under these row numbers, which the same transaction has found. Raises ``CorruptIndexError`` where
    one is not there, or not as it was written; so does every function here that reads chunks."""
    found: dict[int, Chunk] = {}
    for batch in batches(cids):
        for row in connection.execute(
            f"SELECT c.cid, {_COLUMNS} FROM chunk c JOIN document d USING (did) WHERE c.cid IN ({marks(batch)})",
            batch,
        ):
            found[row[0]] = _chunk(row[1:])
    if len(found) < len(set(cids)):
        raise damaged_row("a chunk that was found")
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


def parents(connection: sqlite3.Connection, chunks: Iterable[Chunk]) -> dict[str, Chunk]:
    """The parents of these chunks by chunk id, each of which there must be."""
    wanted = {chunk.parent for chunk in chunks if chunk.parent}
    found = by_id(connection, wanted)
    if len(found) < len(wanted):
        raise damaged_row("the parent of a chunk")
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
    if len(keys) < len(set(cids)):
        raise damaged_row("a chunk that was found")
    try:
        return [cid for *_, cid in sorted(keys)]
    except TypeError:  # a flipped bit makes a number of a row into nothing, or into bytes
        raise damaged_row("a chunk that was found") from None


def _chunk(row: Sequence[Any]) -> Chunk:
    """A chunk from the values of ``_COLUMNS``."""
    of_chunk, chunk_seal = row[: len(CHUNK)], row[len(CHUNK)]
    of_document, document_seal = row[len(CHUNK) + 1 : -1], row[-1]
    if seal(*of_chunk) != chunk_seal:
        raise damaged_row("a chunk")
    if seal(*of_document) != document_seal:
        raise damaged_row("the record of a document")
    name, role, ordinal, parent, start, end, line_start, line_end, headings, text, edited, enabled, _ = (
        of_chunk
    )
    document_id, path, _, title, revision, *_ = of_document
    return Chunk(
        chunk_id=name,
        document_id=document_id,
        path=path,
        title=title,
        revision=revision,
        ordinal=ordinal,
        role=role,
        heading_path=tuple(json.loads(headings)),
        start=start,
        end=end,
        line_start=line_start,
        line_end=line_end,
        text=text,
        parent=parent,
        edited=bool(edited),
        enabled=bool(enabled),
    )
