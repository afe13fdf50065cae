"""Postings against the texts: every chunk's terms and frequencies, once from its text and once from the segments.

Neither side is held: each chunk has a signature of 8 bytes, the sum modulo 2^64 of a hash of every (term,
frequency), which no order and no spread over segments changes. Two lists of postings that differ have the same
signature with a chance of 2^-64.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.store.postings import ChunkTerms
from engine.store.postings.codec import Block, decode_chunks, decode_dead
from engine.verify.finding import Finding

Signed = NDArray[np.uint64]

_ENTRY = np.dtype(
    [("cid", "<i8"), ("signature", "<u8"), ("label_set", "<i8"), ("fulltext", "<u4"), ("cjk", "<u4")]
)
NAMED = 3
"""Documents that a finding names; the mend is the same for all."""


class Signatures:
    """What should be posted, 32 bytes a chunk."""

    def __init__(self) -> None:
        self._columns = (array("q"), array("Q"), array("q"), array("I"), array("I"))
        self._skipped: set[int] = set()
        """Chunks of which nothing is known, so that whatever is posted of them is no finding."""

    def add(self, cid: int, label_set: int, terms: ChunkTerms) -> None:
        frequencies = np.fromiter(terms.frequencies.values(), np.uint64, len(terms.frequencies))
        signature = int(mixed(hashes([term.encode() for term in terms.frequencies]), frequencies).sum())
        self._skipped.discard(cid)
        row = (cid, signature, label_set, terms.fulltext_length, terms.cjk_length)
        for column, value in zip(self._columns, row, strict=True):
            column.append(value)

    def skip(self, cid: int) -> None:
        """Say nothing of this chunk until it is added."""
        self._skipped.add(cid)

    def sorted(self) -> NDArray[np.void]:
        """``(n,)`` entries by rising cid."""
        entries = np.empty(len(self._columns[0]), dtype=_ENTRY)
        for name, column in zip(_ENTRY.names or (), self._columns, strict=True):
            entries[name] = np.asarray(column)
        return entries[np.argsort(entries["cid"], kind="stable")]

    @property
    def skipped(self) -> frozenset[int]:
        return frozenset(self._skipped)


def hashes(terms: Sequence[bytes]) -> Signed:
    """``(n,) uint64``: 8 bytes of BLAKE2b of each term."""
    return np.frombuffer(b"".join(blake2b(term, digest_size=8).digest() for term in terms), dtype="<u8")


def mixed(terms: Signed, frequencies: Signed) -> Signed:
    """A hash of each (term, frequency): the finaliser of SplitMix64 (Steele, Lea and Flood 2014) over both."""
    z: Signed = terms + frequencies * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def check_postings(
    connection: sqlite3.Connection, signatures: Signatures, *, cancel: CancelToken
) -> Iterator[Finding]:
    """Where what is posted is not what the texts say. The segments must be whole (``postings.verify``).

    Raises ``Cancelled``, ``CorruptIndexError``.
    """
    should, skipped = signatures.sorted(), signatures.skipped
    seen = np.zeros(len(should), dtype=np.int64)
    wrong: set[int] = set()
    for entries in _segments(connection, cancel):
        cids = entries["cid"]
        place = np.minimum(np.searchsorted(should["cid"], cids), max(0, len(should) - 1))
        known = should["cid"][place] == cids if len(should) else np.zeros(len(cids), np.bool_)
        np.add.at(seen, place[known], 1)
        same = known.copy()
        same[known] = should[place[known]] == entries[known]
        wrong |= set(cids[~same].tolist())
    wrong |= set(should["cid"][seen != 1].tolist())
    wrong -= skipped
    if wrong:
        yield Finding(
            "postings_differ", _where(connection, sorted(wrong)), _what(len(wrong)), mend="postings"
        )


def _segments(connection: sqlite3.Connection, cancel: CancelToken) -> Iterator[NDArray[np.void]]:
    """Every segment's living chunks as entries, one segment at a time; its terms pass block by block."""
    rows = connection.execute("SELECT segment, label_set, chunks, dead FROM posting_segment ORDER BY segment")
    for segment, label_set, chunks, dead in rows.fetchall():
        (data,) = connection.execute(
            "SELECT data FROM posting_chunk WHERE segment = ?", (segment,)
        ).fetchone()
        table, alive = decode_chunks(data), ~decode_dead(dead, chunks)
        signature = np.zeros(chunks, dtype=np.uint64)
        for (block,) in connection.execute(
            "SELECT data FROM posting_block WHERE segment = ? ORDER BY first", (segment,)
        ):
            cancel.check()
            run = Block(block).run()
            terms = np.repeat(hashes(run.terms), run.counts) if run.terms else np.empty(0, np.uint64)
            np.add.at(signature, run.places, mixed(terms, run.frequencies.astype(np.uint64)))
        entries = np.empty(chunks, dtype=_ENTRY)
        entries["cid"], entries["signature"], entries["label_set"] = table.cids, signature, label_set
        entries["fulltext"], entries["cjk"] = table.fulltext, table.cjk
        yield entries[alive]


def _what(chunks: int) -> str:
    return f"the postings of {chunks:,} chunks are not those of their texts"


def _where(connection: sqlite3.Connection, cids: Sequence[int]) -> str:
    """The first documents that these chunks belong to."""
    paths: list[str] = []
    for cid in cids:
        row = connection.execute(
            "SELECT d.path FROM chunk c JOIN document d USING (did) WHERE c.cid = ?", (cid,)
        ).fetchone()
        path = row[0] if row else "no document"
        if path not in paths:
            paths.append(path)
        if len(paths) > NAMED:
            return f"{', '.join(paths[:NAMED])} and more"
    return ", ".join(paths)
