"""Vectors against chunks, page files and the cache: whose each slot is, under which labels, and of which input.

Every page is read, its checksum and the length of its vectors are checked, and each slot is compared with the row
and the chunk that should own it: a vector under another's chunk or labels would be a wrong answer, not a missing
one. Where the cache still has a vector of the same input, the two must be one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.cancel import CancelToken
from engine.errors import CorruptIndexError
from engine.store.connect import batches, marks
from engine.store.generation import Generation
from engine.store.vector_pages import PageFile, Rows
from engine.store.vectors import TOMBSTONE, Page, VectorFile, pages, vector_file
from engine.verify.cache import Cached, Vector
from engine.verify.finding import Finding

CLOSE = 1e-6
"""Largest difference of a component: storing makes a vector of unit length once more, in float32."""


@dataclass(frozen=True, slots=True)
class _Owner:
    """What the tables say of a chunk's vector: its slot, the labels and input noted with it, and the chunk's own."""

    slot: int
    label_set: int
    embed_hash: str
    chunk_labels: int | None
    chunk_hash: str | None


class Scan:
    """Checks one generation's vectors; ``scanned`` counts those that were read."""

    def __init__(self, generation: Generation, cached: Cached) -> None:
        self.scanned = 0
        self._generation = generation
        self._cached = cached

    def findings(self, connection: sqlite3.Connection, *, cancel: CancelToken) -> Iterator[Finding]:
        """What is wrong with the vectors of every embedder, and with the chunks that should have one. Raises
        ``Cancelled``."""
        files = connection.execute("SELECT fingerprint FROM vector_file ORDER BY id").fetchall()
        for (fingerprint,) in files:
            try:
                file = vector_file(connection, fingerprint)
                if file is not None:
                    yield from self._file(connection, file, cancel)
            except CorruptIndexError as error:
                yield self._finding("vectors_unreadable", fingerprint, error.problem)
        yield from self._unowned(connection)

    def _file(
        self, connection: sqlite3.Connection, file: VectorFile, cancel: CancelToken
    ) -> Iterator[Finding]:
        living = 0
        damaged: list[int] = []
        wrong: dict[str, int] = {}
        with PageFile(self._generation.folder / file.name, file.dimensions, afresh=True) as source:
            for each in pages(connection, file):
                cancel.check()
                alive = each.slots["label_set"] != TOMBSTONE
                living += int(alive.sum())
                rows = source.page(each.number, len(each.slots), each.checksum)
                if rows is None and alive.any():
                    damaged.append(each.number)
                for problem in self._page(connection, file, each, rows, source.page_rows):
                    wrong[problem] = wrong.get(problem, 0) + 1
                source.drop(each.number)
        self.scanned += living
        where = f"{self._generation.id}/{file.name}"
        if damaged:
            yield Finding(
                "page_damaged",
                where,
                f"{len(damaged):,} of its pages cannot be read as they were written, the first is {damaged[0]}",
                mend="pages",
                target=file.fingerprint,
            )
        for problem, count in wrong.items():
            yield self._finding("vectors_differ", file.fingerprint, f"{count:,} vectors {problem}", where)
        rows_held = connection.execute("SELECT count(*) FROM vector WHERE file = ?", (file.id,)).fetchone()[0]
        if not living == rows_held == file.live:
            yield self._finding(
                "vectors_differ",
                file.fingerprint,
                f"{living:,} slots hold a vector, {rows_held:,} chunks have one, {file.live:,} were counted",
                where,
            )

    def _page(
        self, connection: sqlite3.Connection, file: VectorFile, page: Page, rows: Rows | None, size: int
    ) -> Iterator[str]:
        """What is wrong with single vectors of a page, each in words that follow a number."""
        places = np.flatnonzero(page.slots["label_set"] != TOMBSTONE).tolist()
        owners = _owners(connection, file, page.slots["cid"][places].tolist())
        known = self._cached.rows(
            file.fingerprint, file.dimensions, [owner.embed_hash for owner in owners.values()]
        )
        for place in places:
            slot = page.slots[place]
            owner = owners.get(int(slot["cid"]))
            if owner is None or owner.slot != page.number * size + place:
                yield "belong to no chunk"
            elif owner.chunk_labels is None:
                yield "belong to a chunk that is gone"
            elif not int(slot["label_set"]) == owner.label_set == owner.chunk_labels:
                yield "stand under other labels than their documents"
            elif owner.embed_hash != owner.chunk_hash:
                yield "were made from another text than their chunks hold"
            elif rows is not None and not _alike(rows[place], known.get(owner.embed_hash)):
                yield "are not those that the cache has of the same text"

    def _unowned(self, connection: sqlite3.Connection) -> Iterator[Finding]:
        """Chunks that say they have a vector and have none of the generation's embedder."""
        fingerprint = self._generation.meta.get("embedder", "")
        lacking, states = connection.execute(
            "SELECT count(*) FILTER (WHERE c.vector = 'ready' AND v.cid IS NULL),"
            " count(*) FILTER (WHERE c.vector <> 'ready' AND v.cid IS NOT NULL)"
            " FROM chunk c LEFT JOIN vector v ON v.cid = c.cid"
            " AND v.file = (SELECT id FROM vector_file WHERE fingerprint = ?)",
            (fingerprint,),
        ).fetchone()
        if lacking:
            yield self._finding(
                "vectors_differ", fingerprint, f"{lacking:,} chunks count as embedded and have no vector"
            )
        if states:
            yield self._finding(
                "vectors_differ", fingerprint, f"{states:,} chunks have a vector and do not count as embedded"
            )

    def _finding(self, code: str, fingerprint: str, what: str, where: str = "") -> Finding:
        return Finding(code, where or self._generation.id, what, mend="vectors", target=fingerprint)


def _alike(stored: Rows, cached: Vector | None) -> bool:
    return cached is None or float(np.abs(stored - cached).max()) <= CLOSE


def _owners(connection: sqlite3.Connection, file: VectorFile, cids: Sequence[int]) -> dict[int, _Owner]:
    found: dict[int, _Owner] = {}
    for batch in batches(cids):
        for cid, *row in connection.execute(
            "SELECT v.cid, v.slot, v.label_set, v.embed_hash, d.label_set, c.embed_hash FROM vector v"
            " LEFT JOIN chunk c ON c.cid = v.cid LEFT JOIN document d ON d.did = c.did"
            f" WHERE v.file = ? AND v.cid IN ({marks(batch)})",
            (file.id, *batch),
        ):
            found[cid] = _Owner(*row)
    return found
