"""A query's terms over one view: which postings they need, what each adds to a chunk, and who holds what.

A term is a tree (``words``); a bigram is a tree of one. A chunk that holds a whole scores that and not the
parts again; a chunk that does not may score the parts. So that no scattering of parts outranks the identifier
itself, its parts together weigh at most ``PARTS_SHARE`` of what it weighs. A word that a chunk holds as it is
written is not scored again without its diacritics. Terms are joined by OR, and count once however often the
query repeats them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.model import QueryTerm
from engine.recall.bm25 import Collection, Idf, TermPart
from engine.recall.words import Word, first_of_each, unaccented
from engine.store.postings import Reader, View

PARTS_SHARE = 0.5
"""What the parts of an identifier may weigh together, of the identifier's idf."""

_CHECK_COST = 250_000
_TERM_COST = 5_000
"""In postings: what is read between two checks for cancel, about 5 ms, and what looking up a term costs at least."""


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """Where one term counts: in the chunks of ``slots (m,) int64``, which rise, with ``frequencies (m,) float64``.
    ``weight`` is the term's idf, or the share of it that counts below a larger term."""

    word: Word
    document_frequency: int
    weight: float
    slots: NDArray[np.int64]
    frequencies: NDArray[np.float64]

    def parts(self, known: Collection) -> NDArray[np.float64]:
        """``(m,)``: what it adds to the BM25 of each chunk."""
        return known.parts(self.slots, self.frequencies, self.weight)

    def only(self, kept: NDArray[np.bool_]) -> Stream:
        return replace(self, slots=self.slots[kept], frequencies=self.frequencies[kept])


class Asked:
    """One query over one view: its terms, and the postings they need, each read once.

    Every method may raise ``Cancelled``, and ``CorruptIndexError`` where postings are lost or damaged.
    """

    def __init__(self, view: View, words: Sequence[Word], idf: Idf, cancel: CancelToken) -> None:
        self.view = view
        self.words = first_of_each(words)
        self._idf = idf
        self._cancel = cancel
        self._unchecked = 0
        self._postings: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def posting(self, word: Word) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Slots of the chunks that hold a term, rising, and weighted frequencies."""
        known = self._postings.get(word.term)
        if known is None:
            read = self.view.posting_of_character if word.kind == "single" else self.view.posting
            known = self._postings[word.term] = read(word.term)
            self._pace(len(known[0]))
        return known

    def _pace(self, postings: int) -> None:
        """Check for cancel every few milliseconds: each check gives up the processor, so not for every term."""
        self._unchecked += postings + _TERM_COST
        if self._unchecked > _CHECK_COST:
            self._unchecked = 0
            self._cancel.check()

    def idf(self, word: Word) -> float:
        return self._idf(self.view.chunks, len(self.posting(word)[0]))

    def terms(self) -> tuple[QueryTerm, ...]:
        """What the query asks for, each once; a form without diacritics belongs to its word.

        A word is a ``fulltext`` term whichever channel asks for it, so it is equal in both.
        """
        every = (word for tree in self.words for word in tree.walk())
        return tuple(
            QueryTerm(
                "cjk" if word.kind in ("bigram", "single") else "fulltext",
                word.term,
                word.start,
                word.end,
                len(self.posting(word)[0]),
                self.idf(word),
            )
            for word in first_of_each(word for word in every if word.kind != "folded")
        )

    def contributions(self, known: Collection, cid: int) -> tuple[TermPart, ...]:
        """What each term adds to the BM25 of one chunk, in the order of the query; the sum of the parts is it."""
        (slot,) = self.view.slots(np.array([cid], np.int64)).tolist()
        return tuple(
            TermPart(
                stream.word.term,
                stream.word.start,
                stream.word.end,
                float(frequency),
                stream.document_frequency,
                stream.weight,
                float(part),
            )
            for stream in self.streams()
            for here in [stream.only(stream.slots == slot)]
            for frequency, part in zip(here.frequencies, here.parts(known), strict=True)
        )

    def streams(self) -> Iterator[Stream]:
        """Where each term counts, in the order of the query."""
        for tree in self.words:
            yield from self._tree(tree, self.idf(tree))

    def _tree(self, word: Word, weight: float) -> Iterator[Stream]:
        slots, frequencies = self.posting(word)
        yield Stream(word, len(slots), weight, slots, frequencies)
        if word.parts:
            held = np.zeros(self.view.size, dtype=np.bool_)
            held[slots] = True
            for part, share in self._shares(word, weight):
                for stream in self._tree(part, share):
                    yield stream.only(~held[stream.slots])

    def _shares(self, word: Word, weight: float) -> Iterator[tuple[Word, float]]:
        """The parts of a word, each with what it weighs where the word, of this weight, is not held."""
        parts = first_of_each(word.parts)
        idfs = [self.idf(part) for part in parts]
        scale = (
            min(1.0, PARTS_SHARE * weight / sum(idfs)) if word.kind == "whole" else weight / self.idf(word)
        )
        return zip(parts, (value * scale for value in idfs), strict=True)


def holds(
    reader: Reader,
    terms: Sequence[QueryTerm],
    label_sets: Sequence[int],
    cids: NDArray[np.int64],
    *,
    cancel: CancelToken,
) -> NDArray[np.bool_]:
    """``(len(cids), len(terms)) bool``: which chunks hold which term of the query, a word also where it
    stands without its diacritics. For the terms of either channel; raises as a search does."""
    view = reader.view(label_sets)
    slots = view.slots(cids)
    held = np.zeros((len(cids), len(terms)), dtype=np.bool_)
    for column, term in enumerate(terms):
        cancel.check()
        single = term.channel == "cjk" and len(term.term) == 1
        read = view.posting_of_character if single else view.posting
        for form in {term.term, unaccented(term.term)}:
            held[:, column] |= np.isin(slots, read(form)[0])
    return held
