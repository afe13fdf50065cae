"""Writing postings: segments of one label set each, written once, whose removed chunks are tombstones.

Every function works in the caller's write transaction and never commits; what it wrote is seen by the next
reader. Counts and lengths are exact integers per label set, so a principal's statistics are sums over what it
may see.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from engine.store.postings.codec import (
    ChunkTable,
    TermRun,
    damaged,
    decode_chunks,
    decode_dead,
    encode_blocks,
    encode_chunks,
    encode_dead,
)
from engine.store.postings.terms import ChunkTerms

SCHEMA = """
CREATE TABLE posting_total(
  label_set INTEGER PRIMARY KEY, segments INTEGER NOT NULL, chunks INTEGER NOT NULL,
  fulltext_length INTEGER NOT NULL, cjk_length INTEGER NOT NULL);
CREATE TABLE posting_segment(
  segment INTEGER PRIMARY KEY AUTOINCREMENT, label_set INTEGER NOT NULL, chunks INTEGER NOT NULL,
  first_cid INTEGER NOT NULL, last_cid INTEGER NOT NULL, blocks INTEGER NOT NULL, digest BLOB NOT NULL,
  live INTEGER NOT NULL, fulltext_length INTEGER NOT NULL, cjk_length INTEGER NOT NULL, dead BLOB NOT NULL);
CREATE INDEX posting_segment_label_set ON posting_segment(label_set);
CREATE TABLE posting_chunk(segment INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE posting_block(
  segment INTEGER NOT NULL, first BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (segment, first)) WITHOUT
  ROWID;
"""
"""``posting_total`` says what the segments of a label set must add up to, so that a lost one is noticed. A
segment's ``digest`` stands for its content wherever it is cached. ``live`` and the lengths leave tombstones
out."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What some label sets hold: segments, living chunks, and their lengths in counted tokens."""

    segments: int
    chunks: int
    fulltext_length: int
    cjk_length: int


def add(connection: sqlite3.Connection, label_set: int, chunks: Sequence[tuple[int, ChunkTerms]]) -> None:
    """Index chunks, given by cid, as one new segment. A cid must not be alive in any segment."""
    if not chunks:
        return
    chunks = sorted(chunks, key=lambda chunk: chunk[0])
    table = ChunkTable(
        np.array([cid for cid, _ in chunks], np.int64),
        np.array([terms.fulltext_length for _, terms in chunks], np.uint32),
        np.array([terms.cjk_length for _, terms in chunks], np.uint32),
    )
    write_segment(connection, label_set, table, [_inverted([terms for _, terms in chunks])])


def remove(connection: sqlite3.Connection, cids: Iterable[int]) -> int:
    """Take chunks out of whatever segments hold them. The number that were there."""
    wanted = np.unique(np.fromiter(cids, np.int64))
    if not len(wanted):
        return 0
    rows = connection.execute(
        "SELECT segment, chunks, dead FROM posting_segment WHERE first_cid <= ? AND last_cid >= ?",
        (int(wanted[-1]), int(wanted[0])),
    ).fetchall()
    removed = 0
    for segment, chunks, dead_blob in rows:
        table = read_chunks(connection, segment, chunks)
        dead = decode_dead(dead_blob, chunks)
        leaving = np.isin(table.cids, wanted, assume_unique=True) & ~dead
        if leaving.any():
            removed += int(leaving.sum())
            _bury(connection, segment, table, leaving, dead | leaving)
    return removed


def counts(connection: sqlite3.Connection, label_sets: Iterable[int]) -> Counts:
    """What these label sets hold, from their totals."""
    rows = [
        row
        for label_set in set(label_sets)
        for row in connection.execute(
            "SELECT segments, chunks, fulltext_length, cjk_length FROM posting_total WHERE label_set = ?",
            (label_set,),
        )
    ]
    return Counts(*(sum(column) for column in zip(*rows, strict=True))) if rows else Counts(0, 0, 0, 0)


# --- for merging and reading --------------------------------------------------------------------------------


def write_segment(
    connection: sqlite3.Connection, label_set: int, table: ChunkTable, runs: Iterable[TermRun]
) -> None:
    """Write a segment from runs in term order, block by block."""
    lengths = (int(table.fulltext.sum(dtype=np.int64)), int(table.cjk.sum(dtype=np.int64)))
    number = len(table.cids)
    segment = connection.execute(
        "INSERT INTO posting_segment(label_set, chunks, first_cid, last_cid, blocks, digest, live,"
        " fulltext_length, cjk_length, dead) VALUES (?, ?, ?, ?, 0, x'', ?, ?, ?, x'')",
        (label_set, number, int(table.cids[0]), int(table.cids[-1]), number, *lengths),
    ).lastrowid
    data = encode_chunks(table)
    digest = blake2b(data, digest_size=16)
    connection.execute("INSERT INTO posting_chunk VALUES (?, ?)", (segment, data))
    blocks = 0
    for first, data in encode_blocks(runs):
        connection.execute(
            "INSERT INTO posting_block(segment, first, data) VALUES (?, ?, ?)", (segment, first, data)
        )
        digest.update(data)
        blocks += 1
    connection.execute(
        "UPDATE posting_segment SET blocks = ?, digest = ? WHERE segment = ?",
        (blocks, digest.digest(), segment),
    )
    _total(connection, label_set, 1, number, *lengths)


def drop_segment(connection: sqlite3.Connection, segment: int) -> None:
    """Forget a segment, and what it adds to its label set."""
    label_set, live, fulltext, cjk = connection.execute(
        "SELECT label_set, live, fulltext_length, cjk_length FROM posting_segment WHERE segment = ?",
        (segment,),
    ).fetchone()
    for table in ("posting_block", "posting_chunk", "posting_segment"):
        connection.execute(f"DELETE FROM {table} WHERE segment = ?", (segment,))
    _total(connection, label_set, -1, -live, -fulltext, -cjk)


def read_chunks(connection: sqlite3.Connection, segment: int, chunks: int) -> ChunkTable:
    """Raises ``CorruptIndexError`` where the segment's chunks are lost or not those that it counts."""
    row = connection.execute("SELECT data FROM posting_chunk WHERE segment = ?", (segment,)).fetchone()
    table = decode_chunks(row[0]) if row else None
    if table is None or len(table.cids) != chunks:
        raise damaged(f"segment {segment} has lost its chunks")
    return table


def _inverted(chunks: Sequence[ChunkTerms]) -> TermRun:
    """The postings of chunks, numbered as they come."""
    terms = list(chain.from_iterable(chunk.frequencies for chunk in chunks))
    vocabulary = sorted(set(terms))  # by code point, which is the order of their UTF-8
    numbers = {term: number for number, term in enumerate(vocabulary)}
    term_numbers = np.fromiter(map(numbers.__getitem__, terms), np.int64, len(terms))
    places = np.repeat(np.arange(len(chunks)), [len(chunk.frequencies) for chunk in chunks])
    times = chain.from_iterable(chunk.frequencies.values() for chunk in chunks)
    frequencies = np.fromiter(times, np.int64, len(terms))
    order = np.argsort(term_numbers, kind="stable")
    return TermRun(
        [term.encode() for term in vocabulary],
        np.bincount(term_numbers, minlength=len(vocabulary)),
        places[order],
        frequencies[order],
    )


def _bury(
    connection: sqlite3.Connection,
    segment: int,
    table: ChunkTable,
    leaving: NDArray[np.bool_],
    dead: NDArray[np.bool_],
) -> None:
    if dead.all():
        drop_segment(connection, segment)
        return
    number = int(leaving.sum())
    lengths = (
        int(table.fulltext[leaving].sum(dtype=np.int64)),
        int(table.cjk[leaving].sum(dtype=np.int64)),
    )
    (label_set,) = connection.execute(
        "UPDATE posting_segment SET dead = ?, live = live - ?, fulltext_length = fulltext_length - ?,"
        " cjk_length = cjk_length - ? WHERE segment = ? RETURNING label_set",
        (encode_dead(dead), number, *lengths, segment),
    ).fetchone()
    _total(connection, label_set, 0, -number, *(-length for length in lengths))


def _total(
    connection: sqlite3.Connection, label_set: int, segments: int, chunks: int, fulltext: int, cjk: int
) -> None:
    connection.execute(
        "INSERT INTO posting_total VALUES (?, ?, ?, ?, ?) ON CONFLICT(label_set) DO UPDATE SET"
        " segments = segments + excluded.segments, chunks = chunks + excluded.chunks,"
        " fulltext_length = fulltext_length + excluded.fulltext_length,"
        " cjk_length = cjk_length + excluded.cjk_length",
        (label_set, segments, chunks, fulltext, cjk),
    )
