"""TF-IDF cosine over single Chinese characters and bigrams: a lexical vector without a model.

Every Han character is a term, and so is every pair of neighbours within one run (a pair across a space, a line
end or a Latin letter would be a word that nobody wrote); Latin letters and digits make lower-case terms. A
term weighs its count times ``ln((1 + N) / (1 + n)) + 1``; score is the cosine of query and chunk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.evaluate.baselines.overlap import HAN
from engine.model import Chunk

_RUN = re.compile(f"([{HAN}]+)|[A-Za-z0-9]+")


def terms(text: str) -> Counter[str]:
    """The terms of a text and how often each stands there."""
    found: Counter[str] = Counter()
    for run in _RUN.finditer(text):
        if run[1]:
            found.update(run[1])
            found.update(first + second for first, second in zip(run[1], run[1][1:], strict=False))
        else:
            found[run[0].lower()] += 1
    return found


class TfidfCosine:
    """Built over chunks in the order in which ties break."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._ids = [chunk.chunk_id for chunk in chunks]
        places: dict[str, list[int]] = {}
        counts: dict[str, list[int]] = {}
        for place, chunk in enumerate(chunks):
            for term, count in terms(chunk.text).items():
                places.setdefault(term, []).append(place)
                counts.setdefault(term, []).append(count)
        self._postings: dict[str, tuple[NDArray[np.intp], NDArray[np.float64]]] = {}
        squares = np.zeros(len(chunks))
        for term, where in places.items():
            rows = np.array(where, dtype=np.intp)
            weights = np.array(counts[term]) * _idf(len(chunks), len(where))
            self._postings[term] = (rows, weights)
            squares[rows] += weights**2
        self._norms = np.sqrt(np.where(squares > 0, squares, 1.0))

    def rank(self, query: str, depth: int) -> list[str]:
        """By cosine, then in the order of the chunks; a chunk that shares no term is not listed.

        The query's own norm divides every score alike and is left out; so are terms that no chunk holds.
        """
        scores = np.zeros(len(self._ids))
        for term, count in sorted(terms(query).items()):
            if term in self._postings:
                rows, weights = self._postings[term]
                scores[rows] += count * _idf(len(self._ids), len(rows)) * weights
        scores /= self._norms
        best = np.lexsort((np.arange(len(scores)), -scores))[:depth]
        return [self._ids[place] for place in best.tolist() if scores[place] > 0]


def _idf(chunks: int, holding: int) -> float:
    """Smoothed as scikit-learn has it: as if one more chunk held every term."""
    return float(np.log((1 + chunks) / (1 + holding)) + 1)
