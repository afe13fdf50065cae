"""Checking postings against themselves: every checksum, every block, every count."""

from __future__ import annotations

import sqlite3
from hashlib import blake2b

import numpy as np

from engine.cancel import CancelToken
from engine.errors import CorruptIndexError
from engine.store.postings.codec import Block, decode_chunks, decode_dead


def verify(connection: sqlite3.Connection, *, cancel: CancelToken) -> tuple[str, ...]:
    """What is wrong with the postings, a sentence each; empty where all is well."""
    problems: list[str] = []
    for segment, *stored in connection.execute(
        "SELECT segment, chunks, blocks, digest, live, fulltext_length, cjk_length, dead FROM posting_segment"
        " ORDER BY segment"
    ).fetchall():
        try:
            problem = _problem(connection, segment, *stored, cancel=cancel)
        except CorruptIndexError as error:
            problem = error.problem
        if problem:
            problems.append(f"segment {segment}: {problem}")
    problems += (
        f"label set {label_set}: its segments do not add up to its totals"
        for (label_set,) in connection.execute(_DIFFERING)
    )
    return tuple(problems)


_DIFFERING = """ WITH summed AS ( SELECT label_set, count(*), sum(live), sum(fulltext_length), sum(cjk_length)
FROM posting_segment GROUP BY label_set) SELECT label_set FROM (SELECT * FROM summed EXCEPT SELECT * FROM
posting_total) UNION SELECT label_set FROM (SELECT * FROM posting_total WHERE segments > 0 EXCEPT SELECT *
FROM summed)
"""


def _problem(
    connection: sqlite3.Connection,
    segment: int,
    chunks: int,
    blocks: int,
    digest: bytes,
    live: int,
    fulltext: int,
    cjk: int,
    dead_blob: bytes,
    *,
    cancel: CancelToken,
) -> str:
    row = connection.execute("SELECT data FROM posting_chunk WHERE segment = ?", (segment,)).fetchone()
    if row is None:
        return "its chunks are lost"
    table, alive = decode_chunks(row[0]), ~decode_dead(dead_blob, chunks)
    if len(table.cids) != chunks:
        return "it holds another number of chunks than it counts"
    lengths = [int(values[alive].sum(dtype=np.int64)) for values in (table.fulltext, table.cjk)]
    if [int(alive.sum()), *lengths] != [live, fulltext, cjk]:
        return "its counts differ from its chunks"
    content, seen, until = blake2b(row[0], digest_size=16), 0, b""
    for first, data in connection.execute(
        "SELECT first, data FROM posting_block WHERE segment = ? ORDER BY first", (segment,)
    ):
        cancel.check()
        if first != until:
            return "a block is lost"
        content.update(data)
        seen, until = seen + 1, Block(data).until
    if until or seen != blocks or content.digest() != digest:
        return "its blocks differ from those that were written"
    return ""
