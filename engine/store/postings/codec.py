"""The bytes of a segment: its chunks, and its postings in blocks of consecutive terms. Pure; knows no
database.

Every blob begins with a CRC-32 of the rest. A block also names the first term of the block after it, so that
a lost row is noticed by the query that would have needed it. A term's postings are its first chunk and the
gaps to each next one. Integers are little-endian, each array as narrow as its maximum. Terms are UTF-8, in
byte order, which is code point order; none holds a line feed.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.errors import CorruptIndexError

BLOCK_BYTES = 3_400
"""What a block aims at: a lookup reads one block, and one that fits a page of SQLite is read in one go. A single term
may need more."""

_UNSIGNED = {width: np.dtype(f"<u{width}") for width in (1, 2, 4)}
_CHUNKS = struct.Struct("<IIqBBB")
_BLOCK = struct.Struct("<IIIIHBBBB")


def damaged(what: str) -> CorruptIndexError:
    """The one error for postings that are not what was written."""
    return CorruptIndexError(
        f"the full-text postings are damaged ({what})", "rebuild with `rankscope index PATH --rebuild`"
    )


@dataclass(frozen=True, slots=True, eq=False)
class ChunkTable:
    """The chunks of a segment by local number: ``cids (n,) int64`` rising, and their lengths ``(n,) uint32``
    in counted tokens of each channel."""

    cids: NDArray[np.int64]
    fulltext: NDArray[np.uint32]
    cjk: NDArray[np.uint32]

    @property
    def nbytes(self) -> int:
        return self.cids.nbytes + self.fulltext.nbytes + self.cjk.nbytes


@dataclass(frozen=True, slots=True, eq=False)
class Posting:
    """The chunks that hold one term: ``places (n,) uint32`` rising local numbers, ``frequencies (n,)``
    weighted."""

    places: NDArray[np.uint32]
    frequencies: NDArray[np.uint32]

    @property
    def nbytes(self) -> int:
        return self.places.nbytes + self.frequencies.nbytes


@dataclass(frozen=True, slots=True, eq=False)
class TermRun:
    """Consecutive terms with their postings, one after the other: ``counts (len(terms),)`` says how many each
    has; ``places`` and ``frequencies`` are as long as all of them."""

    terms: list[bytes]
    counts: NDArray[np.int64]
    places: NDArray[np.int64]
    frequencies: NDArray[np.int64]

    def part(self, start: int, end: int) -> TermRun:
        """The terms ``[start, end)``."""
        first, last = int(self.counts[:start].sum()), int(self.counts[:end].sum())
        return TermRun(
            self.terms[start:end],
            self.counts[start:end],
            self.places[first:last],
            self.frequencies[first:last],
        )


# --- chunks -------------------------------------------------------------------------------------------------


def encode_chunks(table: ChunkTable) -> bytes:
    gaps, fulltext, cjk = (
        _narrow(values) for values in (np.diff(table.cids, prepend=table.cids[:1]), table.fulltext, table.cjk)
    )
    head = _CHUNKS.pack(
        0, len(table.cids), int(table.cids[0]), gaps.itemsize, fulltext.itemsize, cjk.itemsize
    )
    return _sealed(head + gaps.tobytes() + fulltext.tobytes() + cjk.tobytes())


def decode_chunks(data: bytes) -> ChunkTable:
    """Raises ``CorruptIndexError``."""
    _check_seal(data, _CHUNKS.size)
    _, n, first, *widths = _CHUNKS.unpack_from(data)
    gaps, fulltext, cjk = _arrays(data, _CHUNKS.size, zip((n, n, n), widths, strict=True))
    cids = np.cumsum(gaps, dtype=np.int64) + first
    return ChunkTable(cids, fulltext.astype(np.uint32), cjk.astype(np.uint32))


def encode_dead(dead: NDArray[np.bool_]) -> bytes:
    """Which chunks of a segment are gone; empty where none is. Deflated, for few are (and it brings its own
    checksum)."""
    return zlib.compress(np.packbits(dead).tobytes(), 1) if dead.any() else b""


def decode_dead(data: bytes, chunks: int) -> NDArray[np.bool_]:
    """``(chunks,) bool``. Raises ``CorruptIndexError``."""
    if not data:
        return np.zeros(chunks, dtype=np.bool_)
    try:
        inflater = zlib.decompressobj()
        bits = inflater.decompress(data, chunks // 8 + 1)
    except zlib.error as error:
        raise damaged("the list of removed chunks cannot be read") from error
    if len(bits) != (chunks + 7) // 8 or not inflater.eof:
        raise damaged("the list of removed chunks has another size than its segment")
    return np.unpackbits(np.frombuffer(bits, np.uint8), count=chunks).astype(np.bool_)


# --- blocks -------------------------------------------------------------------------------------------------


class Block:
    """One block as it is stored; terms are found in it without decoding the others.

    ``until`` is the first term of the next block, empty in the last one.
    """

    __slots__ = ("_counts", "_firsts", "_frequencies", "_gaps", "_terms", "nbytes", "until")

    def __init__(self, data: bytes) -> None:
        """Raises ``CorruptIndexError`` where the bytes are not those that were written."""
        _check_seal(data, _BLOCK.size)
        _, terms, postings, term_bytes, until_bytes, *widths = _BLOCK.unpack_from(data)
        begin = _BLOCK.size + until_bytes
        self.until = data[_BLOCK.size : begin]
        self._terms = data[begin : begin + term_bytes]
        if postings < terms:
            raise damaged("a block holds fewer postings than terms")
        sizes = zip((terms, terms, postings - terms, postings), widths, strict=True)
        arrays = _arrays(data, begin + term_bytes, sizes)
        self._counts, self._firsts, self._gaps, self._frequencies = arrays
        self.nbytes = len(data)

    def posting(self, term: bytes, chunks: int) -> Posting | None:
        """The postings of a term in a segment of so many chunks; None where no chunk holds it."""
        position = self._terms.find(b"\n" + term + b"\n")
        if position < 0:
            return None
        row = self._terms.count(b"\n", 0, position)
        start = int(self._counts[:row].sum(dtype=np.int64))
        number = int(self._counts[row])
        if not number or len(self._gaps) < start - row + number - 1:
            raise damaged("a block counts its postings wrong")
        places = np.empty(number, np.int64)
        places[0], places[1:] = self._firsts[row], self._gaps[start - row : start - row + number - 1]
        np.cumsum(places, out=places)
        if places[-1] >= chunks:
            raise damaged("a posting names a chunk that its segment does not hold")
        return Posting(places.astype(np.uint32), self._frequencies[start : start + number].copy())

    def within(self, start: bytes, end: bytes, chunks: int) -> Posting:
        """The postings of the terms ``start <= term < end`` one after the other: a chunk stands once for each."""
        run = self.run()
        found = run.part(bisect_left(run.terms, start), bisect_left(run.terms, end))
        if len(found.places) and int(found.places.max()) >= chunks:
            raise damaged("a posting names a chunk that its segment does not hold")
        return Posting(found.places.astype(np.uint32), found.frequencies.astype(np.uint32))

    def run(self) -> TermRun:
        """Everything in it."""
        counts = self._counts.astype(np.int64)
        if counts.sum() != len(self._frequencies) or not counts.all():
            raise damaged("a block counts its postings wrong")
        starts = np.cumsum(counts) - counts
        steps = np.insert(self._gaps.astype(np.int64), starts - np.arange(len(starts)), 0)
        totals = np.cumsum(steps)
        places = totals + np.repeat(self._firsts - totals[starts], counts)
        return TermRun(self._all_terms(), counts, places, self._frequencies.astype(np.int64))

    def _all_terms(self) -> list[bytes]:
        return self._terms[1:-1].split(b"\n") if self._terms else []


def encode_blocks(runs: Iterable[TermRun]) -> Iterator[tuple[bytes, bytes]]:
    """Blocks ``(first, data)`` of runs that follow each other in term order, in memory of about one run.

    ``first`` is empty for the first block, so that a search for the block of any term finds one.
    """
    first = b""
    held: TermRun | None = None
    for run in runs:
        if not run.terms:
            continue
        pieces = _cut(run if held is None else joined(held, run))
        for piece, after in pairwise(pieces):
            yield first, _encode_block(piece, after.terms[0])
            first = after.terms[0]
        held = pieces[-1]
    empty = TermRun([], *(np.empty(0, np.int64) for _ in range(3)))
    yield first, _encode_block(held or empty, b"")


def _encode_block(run: TermRun, until: bytes) -> bytes:
    starts = np.cumsum(run.counts) - run.counts
    gaps = np.delete(np.diff(run.places, prepend=0), starts)
    arrays = [_narrow(values) for values in (run.counts, run.places[starts], gaps, run.frequencies)]
    terms = b"\n" + b"\n".join(run.terms) + b"\n" if run.terms else b""
    head = _BLOCK.pack(
        0, len(run.terms), len(run.places), len(terms), len(until), *(array.itemsize for array in arrays)
    )
    return _sealed(b"".join((head, until, terms, *(array.tobytes() for array in arrays))))


def _cut(run: TermRun) -> list[TermRun]:
    """Pieces of about ``BLOCK_BYTES``, each of at least one term. A common term has one to itself, where its gaps
    are narrow."""
    sizes = np.fromiter(map(len, run.terms), np.int64, len(run.terms)) + 4 + 3 * run.counts
    number = np.cumsum(sizes) // BLOCK_BYTES
    large = sizes > BLOCK_BYTES
    cuts = [0, *(np.flatnonzero(np.diff(number) | large[:-1]) + 1).tolist(), len(run.terms)]
    return [run.part(start, end) for start, end in pairwise(cuts)]


def joined(left: TermRun, right: TermRun) -> TermRun:
    """Two runs that follow each other as one."""
    return TermRun(
        left.terms + right.terms,
        np.concatenate([left.counts, right.counts]),
        np.concatenate([left.places, right.places]),
        np.concatenate([left.frequencies, right.frequencies]),
    )


# --- bytes --------------------------------------------------------------------------------------------------


def _narrow(values: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
    """The same integers, none negative, as unsigned of 1, 2 or 4 bytes."""
    top = int(values.max()) if len(values) else 0
    return values.astype(_UNSIGNED[1 if top < 1 << 8 else 2 if top < 1 << 16 else 4])


def _arrays(data: bytes, offset: int, layout: Iterable[tuple[int, int]]) -> list[NDArray[np.unsignedinteger]]:
    """Arrays of so many integers of so many bytes, one after the other to the very end of the data."""
    arrays: list[NDArray[np.unsignedinteger]] = []
    for count, width in layout:
        if width not in _UNSIGNED or offset + count * width > len(data):
            raise damaged("an array does not fit")
        arrays.append(np.frombuffer(data, _UNSIGNED[width], count, offset))
        offset += count * width
    if offset != len(data):
        raise damaged("bytes are left over")
    return arrays


def _sealed(data: bytes) -> bytes:
    return zlib.crc32(memoryview(data)[4:]).to_bytes(4, "little") + data[4:]


def _check_seal(data: bytes, head: int) -> None:
    if not isinstance(data, bytes) or len(data) < head:
        raise damaged("a blob is cut short")
    if zlib.crc32(memoryview(data)[4:]) != int.from_bytes(data[:4], "little"):
        raise damaged("a checksum does not match")
