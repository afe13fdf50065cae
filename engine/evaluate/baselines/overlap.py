"""Unique-term overlap with a heading bonus: what can be counted by hand.

Chinese runs give overlapping bigrams (a run of one character gives that character), other scripts their words
in lower case. Every distinct term of the query counts 1 where the text holds it, and 1 more where the title or
the headings do. No rarity, no length, no repetition: a low bar whose every point can be explained.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from engine.model import Chunk

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_CJK = f"{HAN}\u3041-\u3096\u30a1-\u30fa\u30fc\uac00-\ud7a3"
_RUN = re.compile(rf"([{_CJK}]+)|[^\W{_CJK}]+")


def terms(text: str) -> set[str]:
    """The distinct terms of a text."""
    found: set[str] = set()
    for run in _RUN.finditer(unicodedata.normalize("NFKC", text).lower()):
        if run[1] and len(run[1]) > 1:
            found.update(first + second for first, second in zip(run[1], run[1][1:], strict=False))
        else:
            found.add(run[0])
    return found


class TermOverlap:
    """Built over chunks in the order in which ties break."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._ids = [chunk.chunk_id for chunk in chunks]
        self._texts = _postings([terms(chunk.text) for chunk in chunks])
        self._headings = _postings([terms("\n".join((chunk.title, *chunk.heading_path))) for chunk in chunks])

    def rank(self, query: str, depth: int) -> list[str]:
        """By score, then in the order of the chunks; a chunk without any term of the query is not listed."""
        scores: Counter[int] = Counter()
        for term in terms(query):
            scores.update(self._texts.get(term, ()))
            scores.update(self._headings.get(term, ()))
        best = sorted(scores, key=lambda place: (-scores[place], place))
        return [self._ids[place] for place in best[:depth]]


def _postings(rows: Sequence[set[str]]) -> dict[str, list[int]]:
    """Term → the places of the rows that hold it."""
    found: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        for term in row:
            found.setdefault(term, []).append(place)
    return found
