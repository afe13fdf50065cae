"""Hubs and orphans: how often each chunk is among the ten nearest of others (the k-occurrence N_k of Radovanović,
Nanopoulos and Ivanović 2010), by the vectors of the embedder that serves.

Up to ``EXACT`` chunks every one asks for its nearest; beyond, an evenly spread ``SAMPLE`` does, from which hubs are
seen and orphans cannot be. Pages stream by; memory holds a block of askers and their ten nearest.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.store.generation import Generation
from engine.store.vector_pages import PageFile
from engine.store.vectors import VectorFile, pages, vector_file

NEAREST = 10
EXACT = 20_000
SAMPLE = 2_000
BLOCK = 512
"""Askers at a time: 2 MB of vectors of 1,024 dimensions."""

HUB_DEVIATIONS = 4.0
HUB_SHARE = 3.0
"""A hub is among the nearest this many standard deviations, and this many times, more often than the average."""

ORPHAN_SHARE = 0.05
"""An orphan is in no one's list, and its own nearest is among this share of the farthest: in many dimensions a
third of all points are in no one's list, and most of them lie where they should."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """By chunk row number ``cids (n,)``: ``occurrences (n,)`` in the lists of ``asked`` chunks, and the cosine of the
    nearest other ``(n,)``, NaN of those that did not ask."""

    cids: Numbers
    occurrences: Numbers
    nearest: NDArray[np.float32]
    asked: int

    @property
    def exact(self) -> bool:
        return self.asked == len(self.cids)

    def hubs(self) -> dict[int, int]:
        """How often each hub is among the nearest, by row number."""
        if self.asked < 2 * NEAREST:
            return {}
        mean, deviation = float(self.occurrences.mean()), float(self.occurrences.std())
        least = max(HUB_SHARE * mean, mean + HUB_DEVIATIONS * deviation, NEAREST)
        return {
            int(self.cids[place]): int(self.occurrences[place])
            for place in np.flatnonzero(self.occurrences > least).tolist()
        }

    def orphans(self) -> dict[int, float]:
        """The cosine of the nearest other to each orphan, by row number; none where only a sample asked."""
        if not self.exact or self.asked < 2 * NEAREST:
            return {}
        far = float(np.quantile(self.nearest, ORPHAN_SHARE))
        alone = np.flatnonzero((self.occurrences == 0) & (self.nearest < far))
        return {int(self.cids[place]): float(self.nearest[place]) for place in alone.tolist()}


def neighbours(
    connection: sqlite3.Connection, generation: Generation, visible: Numbers, *, cancel: CancelToken
) -> Neighbours | None:
    """The neighbourhoods of the chunks ``visible`` (rising row numbers) that have a vector of the generation's
    embedder; None where there are fewer than two. Raises ``Cancelled``, ``CorruptIndexError``."""
    file = vector_file(connection, generation.meta.get("embedder", ""))
    if file is None:
        return None
    cids = np.sort(
        np.concatenate(
            [np.empty(0, np.int64), *(each for each, _ in _pages(connection, generation, file, visible))]
        )
    )
    if len(cids) < 2:
        return None
    askers = cids if len(cids) <= EXACT else cids[np.linspace(0, len(cids) - 1, SAMPLE).astype(np.int64)]
    occurrences = np.zeros(len(cids), dtype=np.int64)
    nearest = np.full(len(cids), np.nan, dtype=np.float32)
    for start in range(0, len(askers), BLOCK):
        block = askers[start : start + BLOCK]
        asking = _rows_of(connection, generation, file, visible, block)
        best, scores = _nearest(connection, generation, file, visible, block, asking, cancel)
        np.add.at(occurrences, np.searchsorted(cids, best[best >= 0]), 1)
        nearest[np.searchsorted(cids, block)] = scores[:, 0]
    return Neighbours(cids, occurrences, nearest, len(askers))


def _nearest(
    connection: sqlite3.Connection,
    generation: Generation,
    file: VectorFile,
    visible: Numbers,
    block: Numbers,
    asking: NDArray[np.float32],
    cancel: CancelToken,
) -> tuple[Numbers, NDArray[np.float32]]:
    """The ten nearest of each asker but itself: row numbers and cosines ``(askers, ten)``, nearest first."""
    count = len(block)
    best = np.full((count, NEAREST), -1, dtype=np.int64)
    scores = np.full((count, NEAREST), -np.inf, dtype=np.float32)
    for cids, rows in _pages(connection, generation, file, visible):
        cancel.check()
        found = asking @ rows.T
        found[block[:, None] == cids[None, :]] = -np.inf
        joined = np.concatenate([scores, found], axis=1)
        names = np.concatenate([best, np.broadcast_to(cids, (count, len(cids)))], axis=1)
        order = np.argsort(-joined, axis=1, kind="stable")[:, :NEAREST]
        best, scores = np.take_along_axis(names, order, 1), np.take_along_axis(joined, order, 1)
    best[~np.isfinite(scores)] = -1
    return best, scores


def _rows_of(
    connection: sqlite3.Connection, generation: Generation, file: VectorFile, visible: Numbers, block: Numbers
) -> NDArray[np.float32]:
    """The vectors of these chunks, in their order (rising)."""
    found = np.zeros((len(block), file.dimensions), dtype=np.float32)
    for cids, rows in _pages(connection, generation, file, visible):
        here = np.isin(cids, block)
        found[np.searchsorted(block, cids[here])] = rows[here]
    return found


def _pages(
    connection: sqlite3.Connection, generation: Generation, file: VectorFile, visible: Numbers
) -> Iterator[tuple[Numbers, NDArray[np.float32]]]:
    """Row numbers and vectors of every sound page, of what is visible."""
    with PageFile(generation.folder / file.name, file.dimensions) as source:
        for each in pages(connection, file):
            rows = source.page(each.number, len(each.slots), each.checksum)
            if rows is None:
                continue
            seen = (each.slots["label_set"] >= 0) & np.isin(each.slots["cid"], visible)
            yield each.slots["cid"][seen].astype(np.int64), rows[seen]
