"""Vectors for chunks: from the cache in the document's own transaction, else from the embedder in the background."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.embedding.protocol import embedding_input
from engine.errors import EmbedderError
from engine.model import Progress
from engine.pipeline.pace import Pace
from engine.pipeline.semantics import Semantics, require_unchanged
from engine.store.documents import PreparedDocument
from engine.store.generation import Generation
from engine.store.waiting import Waiting, give, waiting, waiting_count, waiting_of

FIRST_BATCH = 8
LARGEST_BATCH = 512
COMMIT_SECONDS = 0.25
"""A batch grows until it takes about this long: progress is seen, a cancel is soon, and commits cost little."""


def attach_cached(
    connection: sqlite3.Connection,
    generation: Generation,
    semantics: Semantics,
    documents: Sequence[PreparedDocument],
) -> None:
    """Give the chunks of these documents the vectors that the cache has, in the transaction that stores them."""
    fingerprint = generation.meta.get("embedder", "")
    if not fingerprint:
        return
    hashes = sorted(
        {each.embed_hash for document in documents for each in document.chunks if each.embed_hash}
    )
    known = semantics.known(fingerprint, hashes)
    if not known:
        return
    rows = [
        row
        for document in documents
        for row in waiting_of(connection, document.path)
        if row.embed_hash in known
    ]
    if rows:
        units = np.stack([known[row.embed_hash] for row in rows])
        give(connection, generation.folder, fingerprint, rows, units, steps=generation.steps)


def embed_waiting(generation: Generation, semantics: Semantics, *, cancel: CancelToken) -> Iterator[Progress]:
    """Embed every chunk that waits, by row number; each batch is durable before the next begins.

    Raises ``EmbedderError`` where the embedder cannot serve, ``Cancelled``.
    """
    with generation.reading() as connection:
        total = waiting_count(connection)
    if not total:
        return
    pace, size, after = Pace("embed", total), FIRST_BATCH, 0
    yield Progress("embed", 0, total, detail=semantics.embedder.name)
    semantics.embedder.load(cancel=cancel)
    fingerprint = generation.meta.get("embedder", "")
    while True:
        cancel.check()
        with generation.reading() as connection:
            rows = waiting(connection, after=after, limit=size)
        if not rows:
            break
        began = time.monotonic()
        units = _vectors(semantics, fingerprint, rows, cancel)
        with generation.writing() as connection:
            give(connection, generation.folder, fingerprint, rows, units, steps=generation.steps)
        generation.steps("vectors.committed")
        after, size = rows[-1].cid, _next_size(size, time.monotonic() - began)
        if (progress := pace.step(semantics.embedder.name, items=len(rows))) is not None:
            yield progress
    yield pace.last()


def _next_size(size: int, seconds: float) -> int:
    """Double a batch that was quick, halve one that was slow."""
    if seconds < COMMIT_SECONDS:
        return min(size * 2, LARGEST_BATCH)
    return max(1, size // 2) if seconds > 4 * COMMIT_SECONDS else size


def _vectors(
    semantics: Semantics, fingerprint: str, rows: Sequence[Waiting], cancel: CancelToken
) -> NDArray[np.float32]:
    """The vectors of these chunks, from the cache where it has them; what is new goes into it."""
    embedder = semantics.embedder
    known = semantics.known(fingerprint, [row.embed_hash for row in rows])
    unknown = {row.embed_hash: row for row in rows if row.embed_hash not in known}
    if unknown:
        inputs = [embedding_input(row.title, row.heading_path, row.text) for row in unknown.values()]
        fresh = embedder.embed(inputs, cancel=cancel)
        require_unchanged(embedder, fingerprint)
        if fresh.shape != (len(inputs), embedder.dimensions):
            raise EmbedderError(
                f"the embedder {embedder.name} gave {fresh.shape} for {len(inputs)} texts",
                "try another embedder",
            )
        known = {**known, **dict(zip(unknown, fresh, strict=True))}
        semantics.cache.put_many(fingerprint, list(unknown), fresh)
    return np.stack([known[row.embed_hash] for row in rows])
