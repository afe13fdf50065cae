"""Reading postings: every segment of some label sets as one space of slots, in one read transaction.

A slot is a chunk's place in the concatenation of the segments; tombstones have slots and hold nothing. What
comes out does not depend on how chunks are spread over segments, but for the slots themselves. Segments never
change, so what was read of one is kept by its digest, across transactions.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.store.postings.codec import Block, ChunkTable, Posting, damaged, decode_dead
from engine.store.postings.segments import counts, read_chunks

CACHE_BYTES = 64 << 20

_ENTRY_BYTES = 200
"""What a cached entry costs beside its arrays: key, objects, array headers."""


class Cache:
    """What was read of immutable segments, the latest used kept, in bounded memory; safe from any thread."""

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self.limit = limit
        self.nbytes = 0
        self._entries: OrderedDict[tuple[bytes, bytes | str], Cached | None] = OrderedDict()
        self._lock = threading.Lock()

    def reader(self, connection: sqlite3.Connection) -> Reader:
        """A reader in this connection's read transaction."""
        return Reader(connection, self)

    def get(self, digest: bytes, key: bytes | str, default: Cached | None) -> Cached | None:
        """What is kept for a term (bytes) or a named part (str) of a segment; ``default`` where nothing
        is."""
        with self._lock:
            if (digest, key) not in self._entries:
                return default
            self._entries.move_to_end((digest, key))
            return self._entries[digest, key]

    def put(self, digest: bytes, key: bytes | str, value: Cached | None) -> None:
        """Keep it, unless it alone would take a quarter of the room."""
        size = _size(value)
        if 4 * size > self.limit:
            return
        with self._lock:
            if (digest, key) in self._entries:
                return
            self._entries[digest, key] = value
            self.nbytes += size
            while self.nbytes > self.limit:
                self.nbytes -= _size(self._entries.popitem(last=False)[1])


Cached = Posting | Block | ChunkTable
_MISSING = Posting(np.empty(0, np.uint32), np.empty(0, np.uint32))


def _size(value: Cached | None) -> int:
    return _ENTRY_BYTES + (value.nbytes if value is not None else 0)


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A segment as a view uses it: ``base`` is its first slot, ``dead (chunks,) bool`` its tombstones, if
    any."""

    number: int
    base: int
    chunks: int
    blocks: int
    digest: bytes
    dead: NDArray[np.bool_] | None


class Reader:
    """Postings as one read transaction sees them."""

    def __init__(self, connection: sqlite3.Connection, cache: Cache | None = None) -> None:
        self.connection = connection
        self.cache = cache or Cache()

    def view(self, label_sets: Sequence[int]) -> View:
        """What a principal sees who sees these label sets.

        Raises ``CorruptIndexError``, here and in every method of the view, where postings are lost or
        damaged.
        """
        with _told():
            return View(self.connection, self.cache, label_sets)


class View:
    """The visible postings. ``chunks`` and the lengths count living chunks; ``size`` is the number of
    slots."""

    def __init__(self, connection: sqlite3.Connection, cache: Cache, label_sets: Sequence[int]) -> None:
        self._connection = connection
        self._cache = cache
        self.segments: list[Segment] = []
        self.size = 0
        live = [0, 0, 0]
        for label_set in sorted(set(label_sets)):
            for row in connection.execute(
                "SELECT segment, chunks, blocks, digest, dead, live, fulltext_length, cjk_length"
                " FROM posting_segment WHERE label_set = ? ORDER BY segment",
                (label_set,),
            ):
                self._add(*row[:6])
                live = [total + value for total, value in zip(live, row[5:], strict=True)]
        self.chunks, self.fulltext_length, self.cjk_length = live
        total = counts(connection, label_sets)
        written = (total.segments, total.chunks, total.fulltext_length, total.cjk_length)
        if (len(self.segments), *live) != written:
            raise damaged("the segments do not add up to what was written")
        self._bases = [segment.base for segment in self.segments]
        self._dead = self._tombstones()

    def _add(self, number: int, chunks: int, blocks: int, digest: bytes, dead: bytes, live: int) -> None:
        mask = decode_dead(dead, chunks) if dead else None
        if chunks - live != (0 if mask is None else int(mask.sum())):
            raise damaged(f"segment {number} counts its removed chunks wrong")
        self.segments.append(Segment(number, self.size, chunks, blocks, digest, mask))
        self.size += chunks

    def lengths(self, channel: Literal["fulltext", "cjk"]) -> NDArray[np.uint32]:
        """``(size,) uint32``: every slot's length in counted tokens of the channel."""
        tables = [getattr(self._table(segment), channel) for segment in self.segments]
        return np.concatenate(tables) if tables else np.empty(0, np.uint32)

    def posting(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Slots of the living chunks that hold the term, rising, and their weighted frequencies."""
        with _told():
            found = [(self._posting(segment, term.encode()), segment.base) for segment in self.segments]
        return self._gathered([(posting, base) for posting, base in found if posting is not None])

    def posting_of_character(self, character: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The same for the virtual term that stands for all cjk terms beginning with a character, frequencies
        summed."""
        start, end = character.encode(), chr(ord(character) + 1).encode()
        found = [
            (block.within(start, end, segment.chunks), segment.base)
            for segment in self.segments
            for block in self._blocks(segment, start, end)
        ]
        slots, frequencies = self._gathered(found)
        distinct, which = np.unique(slots, return_inverse=True)
        summed = np.bincount(which, weights=frequencies, minlength=len(distinct))
        return distinct, summed.astype(np.float64, copy=False)

    def cids(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cids in these slots, in their order."""
        found = np.empty(len(slots), np.int64)
        owner = np.searchsorted(np.array(self._bases), slots, side="right") - 1
        for number in np.unique(owner).tolist():
            segment, mine = self.segments[number], owner == number
            found[mine] = self._table(segment).cids[slots[mine] - segment.base]
        return found

    def slots(self, cids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slots of living chunks, -1 where a cid is not among those visible."""
        found = np.full(len(cids), -1, np.int64)
        for segment in self.segments:
            table = self._table(segment)
            at = np.minimum(np.searchsorted(table.cids, cids), segment.chunks - 1)
            here = table.cids[at] == cids
            if segment.dead is not None:
                here &= ~segment.dead[at]
            found[here] = at[here] + segment.base
        return found

    # --- segments -------------------------------------------------------------------------------------------

    def _gathered(
        self, present: Sequence[tuple[Posting, int]]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Postings with the bases of their segments as slots and frequencies, without what was removed."""
        if not present:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        where = np.concatenate([posting.places for posting, _ in present], dtype=np.int64)
        times = np.concatenate([posting.frequencies for posting, _ in present], dtype=np.float64)
        end = 0
        for posting, base in present:
            start, end = end, end + len(posting.places)
            where[start:end] += base
        if self._dead is None:
            return where, times
        alive = ~self._dead[where]
        return where[alive], times[alive]

    def _posting(self, segment: Segment, term: bytes) -> Posting | None:
        known = self._cache.get(segment.digest, term, _MISSING)
        if known is _MISSING:
            known = self._block(segment, term).posting(term, segment.chunks)
            self._cache.put(segment.digest, term, known)
        assert known is None or isinstance(known, Posting)
        return known

    def _block(self, segment: Segment, term: bytes) -> Block:
        """The block that holds the term, if any does. A segment of one block is kept whole."""
        if segment.blocks == 1:
            known = self._cache.get(segment.digest, "block", None)
            if isinstance(known, Block):
                return known
        row = self._connection.execute(
            "SELECT data FROM posting_block WHERE segment = ? AND first <= ? ORDER BY first DESC LIMIT 1",
            (segment.number, term),
        ).fetchone()
        block = Block(row[0]) if row else None
        if block is None or (block.until and block.until <= term):
            raise damaged(f"segment {segment.number} has lost a block")
        if segment.blocks == 1:
            self._cache.put(segment.digest, "block", block)
        return block

    def _blocks(self, segment: Segment, start: bytes, end: bytes) -> Iterator[Block]:
        """Every block that may hold a term ``start <= term < end``."""
        with _told():
            block = self._block(segment, start)
            yield block
            while block.until and block.until < end:
                block = self._block(segment, block.until)
                yield block

    def _table(self, segment: Segment) -> ChunkTable:
        known = self._cache.get(segment.digest, "chunks", None)
        if not isinstance(known, ChunkTable):
            with _told():
                known = read_chunks(self._connection, segment.number, segment.chunks)
            self._cache.put(segment.digest, "chunks", known)
        return known

    def _tombstones(self) -> NDArray[np.bool_] | None:
        if all(segment.dead is None for segment in self.segments):
            return None
        return np.concatenate(
            [
                segment.dead if segment.dead is not None else np.zeros(segment.chunks, np.bool_)
                for segment in self.segments
            ]
        )


@contextmanager
def _told() -> Iterator[None]:
    """Tables that are missing or unreadable are damage too, never "nothing found"."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise damaged(str(error)) from error
        raise
