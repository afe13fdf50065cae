"""BM25 over slots of a view, and the order of what it found: what both text channels share.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf of
Lucene, which is never negative. Every chunk's score is a sum in the order of the query's terms, so its bits
do not depend on where the chunk is stored, and chunks with equal counts have equal scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.model import QueryTerm
from engine.store.postings import View

K1 = 1.2
B = 0.75

TieOrder = Callable[[Sequence[int]], Sequence[int]]
"""Puts cids in the order in which ties break: path, ordinal, chunk id."""

Idf = Callable[[int, int], float]
"""Rarity of a term, from the number of chunks and the number of those that hold it; above 0."""


def idf(chunks: int, holding: int) -> float:
    """``ln(1 + (N − n + 0.5) / (n + 0.5))``."""
    return math.log(1 + (chunks - holding + 0.5) / (holding + 0.5))


@dataclass(frozen=True, slots=True, eq=False)
class TextHits:
    """What a text channel found: ``cids (m,) int64`` best first, ``scores (m,) float64``, above 0.

    ``matched`` counts every chunk found, however deep, ``of`` those visible. ``terms`` is empty where the
    query holds nothing that the channel could look for.
    """

    cids: NDArray[np.int64]
    scores: NDArray[np.float64]
    matched: int
    of: int
    terms: tuple[QueryTerm, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one chunk stands in a channel: ``rank`` from 1 and ``score``, both 0 where it does not match;
    ``of`` chunks that match."""

    rank: int
    score: float
    of: int


@dataclass(frozen=True, slots=True)
class TermPart:
    """What one term of the query, at ``[start, end)`` of it, adds to a chunk's BM25. ``weight`` is its idf,
    or the part of it that counts where a larger term was looked for."""

    term: str
    start: int
    end: int
    frequency: float
    document_frequency: int
    weight: float
    part: float


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """What BM25 knows of the visible chunks beside a term: ``chunks`` living ones, and ``norms (size,)
    float64``, each slot's ``k1 · (1 − b + b · length / average length)``."""

    chunks: int
    norms: NDArray[np.float64]

    def parts(
        self, slots: NDArray[np.int64], frequencies: NDArray[np.float64], weight: float
    ) -> NDArray[np.float64]:
        """What a term of this weight adds to the chunks in these slots."""
        return weight * (frequencies * (K1 + 1)) / (frequencies + self.norms[slots])


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Every chunk that matched: ``slots (m,) int64`` rising, ``scores (m,) float64``."""

    slots: NDArray[np.int64]
    scores: NDArray[np.float64]


def collection(chunks: int, lengths: NDArray[np.uint32], total: int) -> Collection:
    """The statistics of what is visible: ``lengths`` of all slots, ``total`` that of the living chunks."""
    average = total / chunks if total else 1.0
    return Collection(chunks, K1 * (1 - B + B * (lengths / average)))


def best(
    view: View, scored: Scored, *, depth: int, tie_order: TieOrder
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The ``depth`` best cids and their scores. ``tie_order`` is asked once, only where equal scores meet."""
    slots, scores = scored.slots, scored.scores
    if len(scores) > depth:
        reaches = scores >= np.partition(scores, len(scores) - depth)[len(scores) - depth]
        slots, scores = slots[reaches], scores[reaches]
    cids = view.cids(slots)
    order = np.lexsort((_place_among_equals(cids, scores, tie_order), -scores))[:depth]
    return cids[order], scores[order]


def standing(view: View, scored: Scored, cid: int, tie_order: TieOrder) -> Standing:
    """The rank of one chunk among all that matched, however deep."""
    at = np.flatnonzero(scored.slots == view.slots(np.array([cid], np.int64))[0])
    if not len(at):
        return Standing(0, 0.0, len(scored.slots))
    score = scored.scores[at[0]]
    rank = 1 + int(np.count_nonzero(scored.scores > score))
    equals = scored.slots[scored.scores == score]
    if len(equals) > 1:
        rank += list(tie_order(view.cids(equals).tolist())).index(cid)
    return Standing(rank, float(score), len(scored.slots))


def _place_among_equals(
    cids: NDArray[np.int64], scores: NDArray[np.float64], tie_order: TieOrder
) -> NDArray[np.int64]:
    """Each chunk's place in ``tie_order`` among those with an equal in the list; 0 for the others."""
    places = np.zeros(len(cids), np.int64)
    _, which, times = np.unique(scores, return_inverse=True, return_counts=True)
    tied = np.flatnonzero(times[which] > 1)
    if len(tied):
        ordered = {cid: place for place, cid in enumerate(tie_order(cids[tied].tolist()))}
        places[tied] = [ordered[cid] for cid in cids[tied].tolist()]
    return places
