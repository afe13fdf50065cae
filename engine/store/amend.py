"""Changing some chunks of a stored document: the others keep their rows, postings and vectors. Inside the caller's
transaction.

An edit concerns one chunk or a few, and a document may have thousands.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from engine.identity import MODULUS
from engine.store import postings
from engine.store.documents import (
    PreparedChunk,
    PreparedDocument,
    columns,
    insert_chunk,
    remove_from_channels,
    remove_rows,
)
from engine.store.labels import tally
from engine.store.seal import CHUNK, Value, seal

_PLACE = (CHUNK.index("ordinal"), CHUNK.index("parent"))
"""The columns that may change while a chunk stays what it is."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as a document holds it: its row number, its columns in the order of ``seal.CHUNK``, and the hash of
    what was embedded of it."""

    cid: int
    columns: tuple[Value, ...]
    embed_hash: str

    def is_still(self, chunk: PreparedChunk) -> bool:
        """Whether it is what was prepared now, its number in the document apart."""
        return _settled(self.columns) == _settled(columns(chunk))


Stored = Mapping[str, StoredChunk]
"""The chunks of one document by their ids."""


def stored_chunks(connection: sqlite3.Connection, document_id: str) -> dict[str, StoredChunk]:
    """The chunks that a document holds."""
    named = ", ".join(f'c."{name}"' for name in CHUNK)
    rows = connection.execute(
        f"SELECT c.cid, c.embed_hash, {named} FROM chunk c JOIN document d USING (did) WHERE d.document_id = ?",
        (document_id,),
    )
    return {
        values[0]: StoredChunk(cid, values, embed_hash)
        for cid, embed_hash, *rest in rows
        if (values := tuple(rest))
    }


def amend(connection: sqlite3.Connection, document: PreparedDocument, stored: Stored) -> None:
    """Store a document that was prepared beside ``stored``, which its row still holds, with the same revision and
    labels. The vectors of what is new wait until attached."""
    did, labels, term = connection.execute(
        "SELECT did, label_set, corpus_term FROM document WHERE document_id = ?", (document.document_id,)
    ).fetchone()
    kept = {chunk.chunk_id: chunk for chunk in document.chunks if chunk.stored}
    gone = [held.cid for name, held in stored.items() if name not in kept]
    remove_from_channels(connection, remove_rows(connection, labels, gone))
    _renumber(connection, kept, stored)
    fresh = [chunk for chunk in document.chunks if not chunk.stored]
    indexed = [(insert_chunk(connection, did, chunk), chunk.terms) for chunk in fresh]
    postings.add(connection, labels, [(cid, terms) for cid, terms in indexed if terms is not None])
    corpus = document.corpus_term()
    connection.execute(
        "UPDATE document SET chunks = ?, conflicts = ?, corpus_term = ? WHERE did = ?",
        (sum(chunk.retrievable for chunk in document.chunks), document.conflicts, f"{corpus:x}", did),
    )
    tally(
        connection,
        labels,
        chunks=sum(chunk.retrievable for chunk in fresh),
        waiting=sum(chunk.retrievable and bool(chunk.embed_hash) for chunk in fresh),
        corpus=corpus + MODULUS - int(term, 16),
    )


def _renumber(connection: sqlite3.Connection, kept: Mapping[str, PreparedChunk], stored: Stored) -> None:
    """Give the chunks behind a split or a merge their new numbers, and a child the parent that it lies in now."""
    changed = [
        (chunk, stored[name]) for name, chunk in kept.items() if columns(chunk) != stored[name].columns
    ]
    connection.executemany(
        "UPDATE chunk SET ordinal = ?, parent = ?, seal = ? WHERE cid = ?",
        [(chunk.span.ordinal, chunk.parent, seal(*columns(chunk)), held.cid) for chunk, held in changed],
    )


def _settled(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(value for place, value in enumerate(values) if place not in _PLACE)
