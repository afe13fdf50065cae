"""The fulltext channel: words and identifiers by BM25, joined by OR (see ``asked`` for wholes and parts)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.cancel import CancelToken
from engine.recall import bm25
from engine.recall.analysis import analyse_query
from engine.recall.asked import Asked
from engine.recall.bm25 import Collection, Idf, Standing, TermPart, TextHits, TieOrder
from engine.recall.hopeful import among, hopeful, matched
from engine.store.postings import Reader, View


def search(
    reader: Reader,
    query: str,
    label_sets: Sequence[int],
    *,
    depth: int,
    tie_order: TieOrder,
    cancel: CancelToken,
    idf: Idf = bm25.idf,
) -> TextHits:
    """The ``depth`` best chunks for a query among those of some label sets.

    Raises ``Cancelled`` between terms, ``CorruptIndexError`` where postings are lost or damaged.
    """
    asked = _asked(reader, query, label_sets, idf, cancel)
    known, streams = _collection(asked.view), [*asked.streams()]
    found = matched(streams, asked.view.size)
    slots = hopeful(streams, known, found, depth=depth)
    scored = among(streams, slots, asked.view.size).scored(known)
    cids, scores = bm25.best(asked.view, scored, depth=depth, tie_order=tie_order)
    return TextHits(cids, scores, int(np.count_nonzero(found)), asked.view.chunks, asked.terms())


def rank_of(
    reader: Reader,
    query: str,
    label_sets: Sequence[int],
    cid: int,
    *,
    tie_order: TieOrder,
    cancel: CancelToken,
    idf: Idf = bm25.idf,
) -> Standing:
    """Where one chunk stands among all that match. Raises as ``search`` does."""
    asked = _asked(reader, query, label_sets, idf, cancel)
    streams, size = [*asked.streams()], asked.view.size
    every = among(streams, np.flatnonzero(matched(streams, size)), size)
    return bm25.standing(asked.view, every.scored(_collection(asked.view)), cid, tie_order)


def contributions(
    reader: Reader,
    query: str,
    label_sets: Sequence[int],
    cid: int,
    *,
    cancel: CancelToken,
    idf: Idf = bm25.idf,
) -> tuple[TermPart, ...]:
    """The terms of the query that one chunk scores, in order; their parts add up to its score, to the bit."""
    asked = _asked(reader, query, label_sets, idf, cancel)
    return asked.contributions(_collection(asked.view), cid)


def _asked(reader: Reader, query: str, label_sets: Sequence[int], idf: Idf, cancel: CancelToken) -> Asked:
    return Asked(reader.view(label_sets), analyse_query(query).words, idf, cancel)


def _collection(view: View) -> Collection:
    return bm25.collection(view.chunks, view.lengths("fulltext"), view.fulltext_length)
