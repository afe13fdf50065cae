"""The terms of a query and of one chunk side by side: how rare each is, what met, and what it adds to the score.

All of it is read off the channels' own analyser and postings, so nothing here can disagree with a rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.cancel import CancelToken
from engine.errors import BusyError, UsageError
from engine.explain.change import covering
from engine.explain.find import Shelf
from engine.explain.standing import Ranked, standings
from engine.explain.verdict import Standing
from engine.explain.why import ATTEMPTS, Sources, same_corpus, shelved
from engine.model import Channel, Chunk, QueryTerm, Recall
from engine.pipeline.query import Question
from engine.recall import cjk, fulltext
from engine.recall.analysis import analyse
from engine.recall.asked import holds
from engine.recall.bm25 import TermPart, idf
from engine.store import spans

CHUNK_TERMS = 100
"""The chunk's rarest terms that are told."""


@dataclass(frozen=True, slots=True)
class AskedTerm:
    """A term at ``[start, end)`` of the query in one channel. ``frequency`` is how often the chunk holds it,
    each field by its weight, and ``part`` what it adds to the channel's BM25: both 0 where it did not meet, or
    where a larger term that holds it was scored in its stead."""

    channel: Channel
    term: str
    start: int
    end: int
    document_frequency: int
    idf: float
    met: bool
    frequency: float = 0.0
    part: float = 0.0


@dataclass(frozen=True, slots=True)
class HeldTerm:
    """A term of the chunk's text: how often it stands there, how rare it is, and whether the query asks for
    it."""

    channel: Channel
    term: str
    frequency: int
    document_frequency: int
    idf: float
    asked: bool


@dataclass(frozen=True, slots=True)
class Lens:
    """``asked`` are the query's terms by channel, ``held`` the chunk's rarest. ``bm25`` is by text channel the
    sum of the parts; the channel ``cjk`` raises it for coverage and streak, so its score may be higher.
    ``standings`` hold the ranks and scores, the cosine among them."""

    query: str
    chunk: Chunk
    asked: tuple[AskedTerm, ...]
    held: tuple[HeldTerm, ...]
    bm25: dict[str, float]
    standings: tuple[Standing, ...]


def lens(sources: Sources, question: Question, chunk_id: str, *, cancel: CancelToken) -> Lens:
    """The lens on one chunk that the question's principal may see. Raises ``UsageError`` where there is none,
    ``Cancelled``, ``LibraryError``."""
    wide = replace(question, retrieval=covering(question.retrieval))
    for _ in range(ATTEMPTS):
        found = sources.recalled(wide)
        with shelved(sources, question.scopes) as (shelf, state):
            if same_corpus(state, found.state):
                ranked = Ranked(found, shelf, sources.generation.folder, question.vector)
                return _lens(ranked, chunk_id, cancel)
    raise BusyError("the index changes while it is asked", "ask again when the sync has ended")


def _lens(ranked: Ranked, chunk_id: str, cancel: CancelToken) -> Lens:
    shelf, found = ranked.shelf, ranked.recall
    known = spans.document_of_chunk(shelf.connection, chunk_id, shelf.label_sets)
    row = spans.row_of_chunk(shelf.connection, chunk_id)
    if known is None or row is None or known[1].role == "parent":
        raise UsageError(f"there is no chunk {chunk_id[:40]} to look into", "choose one of the results")
    _, chunk = known
    asked = tuple(_asked(shelf, found, row[0], cancel))
    return Lens(
        query=found.query,
        chunk=chunk,
        asked=asked,
        held=_held(shelf, chunk, {term.term for term in asked}, cancel),
        bm25={
            name: sum(term.part for term in asked if term.channel == name)
            for name in ("fulltext", "cjk")
            if found.channel(name).used
        },
        standings=standings(ranked, chunk_id, cancel=cancel),
    )


def _asked(shelf: Shelf, found: Recall, cid: int, cancel: CancelToken) -> Iterator[AskedTerm]:
    """Channel by channel, in the order of the query; ``cjk`` asks for words too."""
    met = holds(
        shelf.postings, found.terms, shelf.label_sets, np.array([cid], dtype=np.int64), cancel=cancel
    )[0]
    held = {term: bool(each) for term, each in zip(found.terms, met, strict=True)}
    words = [term for term in found.terms if term.channel == "fulltext"]
    if found.channel("fulltext").used:
        parts = fulltext.contributions(shelf.postings, found.query, shelf.label_sets, cid, cancel=cancel)
        yield from _of_channel("fulltext", words, held, {part.term: part for part in parts})
    if found.channel("cjk").used:
        parts = cjk.contributions(shelf.postings, found.query, shelf.label_sets, cid, cancel=cancel)
        grams = [term for term in found.terms if term.channel == "cjk"]
        yield from _of_channel("cjk", [*grams, *words], held, {part.term: part for part in parts})


def _of_channel(
    channel: Channel,
    terms: Sequence[QueryTerm],
    held: dict[QueryTerm, bool],
    parts: dict[str, TermPart],
) -> Iterator[AskedTerm]:
    for term in sorted(terms, key=lambda term: (term.start, -term.end)):
        part = parts.pop(term.term, None)
        yield AskedTerm(
            channel, term.term, term.start, term.end, term.document_frequency, term.idf, held[term],
            part.frequency if part else 0.0, part.part if part else 0.0,
        )  # fmt: skip
    for part in parts.values():  # a word met without its diacritics
        yield AskedTerm(
            channel, part.term, part.start, part.end, part.document_frequency, part.weight, True,
            part.frequency, part.part,
        )  # fmt: skip


def _held(shelf: Shelf, chunk: Chunk, asked: set[str], cancel: CancelToken) -> tuple[HeldTerm, ...]:
    """The chunk's counted terms, those that the query asks for first, then the rarest."""
    view = shelf.postings.view(shelf.label_sets)
    counts: Counter[tuple[Channel, str]] = Counter(
        (token.channel, token.term) for token in analyse(chunk.text) if token.counted
    )
    found = []
    for (channel, term), frequency in counts.items():
        cancel.check()
        single = channel == "cjk" and len(term) == 1
        slots, _ = view.posting_of_character(term) if single else view.posting(term)
        rarity = idf(view.chunks, len(slots))
        found.append(HeldTerm(channel, term, frequency, len(slots), rarity, term in asked))
    found.sort(key=lambda held: (not held.asked, -held.idf, held.term))
    return tuple(found[:CHUNK_TERMS])
