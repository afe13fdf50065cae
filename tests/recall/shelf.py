"""A little index over texts, for tests of the text channels: chunks by name, searched by name."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from types import ModuleType

import numpy as np

from engine.cancel import CancelToken
from engine.recall import bm25
from engine.recall.bm25 import Standing, TermPart, TextHits
from engine.store import postings
from engine.store.connect import statements


class Shelf:
    """Chunks under names, each put as a segment of its own. Ties break by name."""

    def __init__(self, path: str = ":memory:") -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        for statement in statements(postings.SCHEMA):
            self.connection.execute(statement)
        self.cache = postings.Cache()
        self.names: dict[int, str] = {}
        self.contents: dict[int, tuple[str, tuple[str, ...], str]] = {}
        self._next = 1

    @classmethod
    def of(cls, *texts: str) -> Shelf:
        """Texts named by themselves."""
        shelf = cls()
        for text in texts:
            shelf.put(text, text)
        return shelf

    def put(
        self, name: str, text: str, *, title: str = "", headings: Sequence[str] = (), label_set: int = 1
    ) -> int:
        self.drop(name)
        cid, self._next = self._next, self._next + 1
        postings.add(self.connection, label_set, [(cid, postings.analyse_chunk(title, headings, text))])
        self.names[cid] = name
        self.contents[cid] = (title, tuple(headings), text)
        return cid

    def drop(self, name: str) -> None:
        gone = [cid for cid, known in self.names.items() if known == name]
        postings.remove(self.connection, gone)
        for cid in gone:
            del self.names[cid], self.contents[cid]

    def merge(self) -> int:
        merges = 0
        while postings.merge(self.connection, cancel=CancelToken()):
            merges += 1
        return merges

    def tie_order(self, cids: Sequence[int]) -> list[int]:
        return sorted(cids, key=lambda cid: (self.names[cid], cid))

    def hits(
        self,
        channel: ModuleType,
        query: str,
        *,
        label_sets: Sequence[int] = (1,),
        depth: int = 200,
        idf: bm25.Idf = bm25.idf,
    ) -> TextHits:
        found: TextHits = channel.search(
            self.cache.reader(self.connection),
            query,
            label_sets,
            depth=depth,
            tie_order=self.tie_order,
            cancel=CancelToken(),
            idf=idf,
        )
        return found

    def search(self, channel: ModuleType, query: str, **asked: object) -> list[str]:
        """The names of what a query finds, best first."""
        return [self.names[cid] for cid in self.hits(channel, query, **asked).cids.tolist()]  # type: ignore[arg-type]

    def standing(self, channel: ModuleType, query: str, cid: int, **asked: object) -> Standing:
        found: Standing = channel.rank_of(
            self.cache.reader(self.connection),
            query,
            [1],
            cid,
            tie_order=self.tie_order,
            cancel=CancelToken(),
            **asked,
        )
        return found

    def contributions(self, channel: ModuleType, query: str, cid: int) -> tuple[TermPart, ...]:
        found: tuple[TermPart, ...] = channel.contributions(
            self.cache.reader(self.connection), query, [1], cid, cancel=CancelToken()
        )
        return found

    def bits(self, channel: ModuleType, query: str) -> list[tuple[str, bytes]]:
        """Names and the very bits of their scores."""
        found = self.hits(channel, query)
        return [
            (self.names[cid], np.float64(score).tobytes())
            for cid, score in zip(found.cids.tolist(), found.scores, strict=True)
        ]
