"""Merging segments, so that a query meets few of them: tiers by size, as a log-structured merge tree has
them.

Four segments of one tier and label set become one of the next, so a chunk is rewritten once a tier. A
segment with a quarter of tombstones is rewritten alone. At rest, when a task has ended, all segments of a
label set become one as soon as those beside the largest hold a quarter of it: a question looks up every term
in every segment, and so after a first build in one. Merges stream: terms pass in windows of about a block of
each segment, and only the chunks' numbers are held whole.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.store.postings.codec import Block, ChunkTable, TermRun, damaged, decode_dead, joined
from engine.store.postings.segments import drop_segment, read_chunks, write_segment

FANOUT = 4
"""Segments of a tier that are merged, and how much larger the next tier's are. A power of two."""

WINDOW_BYTES = 32_768
"""What a merge reads of a segment at once."""

DEAD_SHARE = 0.25
"""A segment whose tombstones exceed this share of its chunks is rewritten."""

REST_SHARE = 0.25
"""At rest, what lies beside the largest segment of a label set stays below this share of it. Then each chunk
is rewritten at most a few times while a library grows: every such merge follows a growth by a quarter."""


def merge(connection: sqlite3.Connection, *, cancel: CancelToken, at_rest: bool = False) -> bool:
    """Do one merge that is due, in the caller's write transaction. False where none is.

    Raises ``Cancelled`` between windows; the caller then rolls back, and nothing has changed.
    """
    due = _due(connection, at_rest)
    if due is None:
        return False
    label_set, segments = due
    tables, renumbered = _renumbered(connection, segments)
    runs = _merged([_Source(connection, segment) for segment in segments], renumbered, cancel)
    write_segment(connection, label_set, tables, runs)
    for segment in segments:
        drop_segment(connection, segment)
    return True


def _due(connection: sqlite3.Connection, at_rest: bool) -> tuple[int, list[int]] | None:
    """The label set and segments of the merge that is due, the smallest tier first."""
    if at_rest and (scattered := _scattered(connection)) is not None:
        return scattered
    tiers: dict[tuple[int, int], list[int]] = {}
    crumbling: list[tuple[int, list[int]]] = []
    for segment, label_set, chunks, live in connection.execute(
        "SELECT segment, label_set, chunks, live FROM posting_segment ORDER BY segment"
    ):
        tiers.setdefault((_tier(live), label_set), []).append(segment)
        if chunks - live > DEAD_SHARE * chunks:
            crumbling.append((label_set, [segment]))
    full = sorted(key for key, segments in tiers.items() if len(segments) >= FANOUT)
    if full:
        return full[0][1], tiers[full[0]][:FANOUT]
    return crumbling[0] if crumbling else None


def _scattered(connection: sqlite3.Connection) -> tuple[int, list[int]] | None:
    """A label set whose chunks do not lie together, and all its segments."""
    segments: dict[int, list[tuple[int, int]]] = {}
    for segment, label_set, live in connection.execute(
        "SELECT segment, label_set, live FROM posting_segment"
    ):
        segments.setdefault(label_set, []).append((live, segment))
    for label_set, found in segments.items():
        (largest, _), *others = sorted(found, reverse=True)
        if others and sum(live for live, _ in others) >= REST_SHARE * largest:
            return label_set, sorted(segment for _, segment in found)
    return None


def _tier(live: int) -> int:
    """The power of ``FANOUT`` below a number of chunks."""
    return (max(live, 1).bit_length() - 1) // (FANOUT.bit_length() - 1)


def _renumbered(
    connection: sqlite3.Connection, segments: Sequence[int]
) -> tuple[ChunkTable, list[NDArray[np.int64]]]:
    """The living chunks of the segments in order of cid, and for each segment old number → new, -1 where
    gone."""
    tables: list[ChunkTable] = []
    alive: list[NDArray[np.bool_]] = []
    for segment in segments:
        chunks, dead = connection.execute(
            "SELECT chunks, dead FROM posting_segment WHERE segment = ?", (segment,)
        ).fetchone()
        tables.append(read_chunks(connection, segment, chunks))
        alive.append(~decode_dead(dead, chunks))
    living = np.concatenate(alive)
    cids = np.concatenate([table.cids for table in tables])
    kept = np.flatnonzero(living)
    kept = kept[np.argsort(cids[kept], kind="stable")]
    numbers = np.full(len(cids), -1, dtype=np.int64)
    numbers[kept] = np.arange(len(kept))
    table = ChunkTable(
        cids[kept],
        np.concatenate([table.fulltext for table in tables])[kept],
        np.concatenate([table.cjk for table in tables])[kept],
    )
    return table, np.split(numbers, np.cumsum([len(table.cids) for table in tables])[:-1])


class _Source:
    """One segment's terms in order, some blocks at a time, from which windows are taken."""

    def __init__(self, connection: sqlite3.Connection, segment: int) -> None:
        self._connection = connection
        self._segment = segment
        self._run: TermRun | None = None
        self.until: bytes | None = b""
        """Terms below it are at hand; None where all that are left are."""

    def fill(self) -> bool:
        """Have some terms at hand, reading blocks where need be. False at the end of the segment."""
        while self._run is None or not self._run.terms:
            if self.until is None:
                return False
            self._run, room = None, WINDOW_BYTES
            while self.until is not None and room > 0:
                block = self._block(self.until)
                run, self.until, room = block.run(), block.until or None, room - block.nbytes
                self._run = run if self._run is None else joined(self._run, run)
        return True

    def _block(self, first: bytes) -> Block:
        row = self._connection.execute(
            "SELECT data FROM posting_block WHERE segment = ? AND first = ?", (self._segment, first)
        ).fetchone()
        if row is None:
            raise damaged(f"segment {self._segment} has lost a block")
        return Block(row[0])

    def take(self, limit: bytes | None) -> TermRun:
        """The terms at hand below the limit."""
        assert self._run is not None
        run = self._run
        cut = len(run.terms) if limit is None else bisect_left(run.terms, limit)
        self._run = run.part(cut, len(run.terms))
        return run.part(0, cut)


def _merged(
    sources: Sequence[_Source], numbers: Sequence[NDArray[np.int64]], cancel: CancelToken
) -> Iterator[TermRun]:
    """Windows of terms of all sources, in order, up to the nearest end of a block at hand."""
    while True:
        cancel.check()
        filled = [(source, new) for source, new in zip(sources, numbers, strict=True) if source.fill()]
        if not filled:
            return
        limit = min((source.until for source, _ in filled if source.until is not None), default=None)
        yield _window([(source.take(limit), new) for source, new in filled])


def _window(parts: Sequence[tuple[TermRun, NDArray[np.int64]]]) -> TermRun:
    """The postings of all parts under the union of their terms, renumbered, those of chunks that are gone
    left out."""
    vocabulary = sorted(set().union(*(run.terms for run, _ in parts)))
    numbers = {term: number for number, term in enumerate(vocabulary)}
    terms, places, frequencies = [], [], []
    for run, new in parts:
        known = np.fromiter(map(numbers.__getitem__, run.terms), np.int64, len(run.terms))
        place = new[run.places]
        alive = place >= 0
        terms.append(np.repeat(known, run.counts)[alive])
        places.append(place[alive])
        frequencies.append(run.frequencies[alive])
    term, place = np.concatenate(terms), np.concatenate(places)
    order = np.lexsort((place, term))
    held = np.bincount(term, minlength=len(vocabulary))
    return TermRun(
        [vocabulary[number] for number in np.flatnonzero(held).tolist()],
        held[held > 0],
        place[order],
        np.concatenate(frequencies)[order],
    )
