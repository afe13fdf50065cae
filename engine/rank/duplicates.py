"""What a context need not hold twice: the rule that leaves a hit out, and the likeness that is only
reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from engine.rank.blocks import Hit, is_exact
from engine.rank.folded import spaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Chunk

SHINGLE = 5
"""Code points of a shingle: two or three Chinese words, one English one."""

NEAR = 0.8
"""Share of shingles above which two passages of different documents are reported as near-duplicates."""


class Admitted:
    """The hits let in so far, by what a lower one could repeat of them. Filled and dropped within one
    pack.
    """

    def __init__(self) -> None:
        self.hits: list[Hit] = []
        self._by_text: dict[str, Hit] = {}
        self._by_document: dict[str, list[Hit]] = {}

    def add(self, hit: Hit) -> None:
        self.hits.append(hit)
        self._by_text.setdefault(spaced(hit.chunk.text), hit)
        self._by_document.setdefault(hit.chunk.document_id, []).append(hit)

    def of_document(self, document_id: str) -> int:
        """How many of one document are in."""
        return len(self._by_document.get(document_id, ()))

    def duplicated_by(self, chunk: Chunk, overlap: float) -> tuple[Hit, float | None] | None:
        """The hit that the chunk duplicates: with None where their texts are equal after NFKC and folding of
        white space, in whatever document; else with the share of the shorter span that both hold, where that
        is above ``overlap`` in one revision.
        """
        twin = self._by_text.get(spaced(chunk.text))
        if twin is not None:
            return twin, None
        for hit in self._by_document.get(chunk.document_id, ()):
            share = _shared_span(chunk, hit.chunk)
            if share > overlap:
                return hit, share
        return None


def _shared_span(a: Chunk, b: Chunk) -> float:
    """``|a ∩ b| ÷ min(|a|, |b|)`` over code points; 0 across documents and revisions, and for an edited
    text.
    """
    if (a.document_id, a.revision) != (b.document_id, b.revision) or not (is_exact(a) and is_exact(b)):
        return 0.0
    shorter = min(a.end - a.start, b.end - b.start)
    return max(0, min(a.end, b.end) - max(a.start, b.start)) / shorter if shorter else 0.0


def near_duplicates(hits: Sequence[Hit]) -> tuple[tuple[str, str], ...]:
    """Pairs of chunk ids, the higher first, of different documents that share more than ``NEAR`` of their
    shingles.

    Resemblance after Broder (1997): |A ∩ B| ÷ |A ∪ B| over the sets of 5-character shingles.
    """
    sized = sorted((len(hit.chunk.text), hit.rank, hit.chunk) for hit in hits)
    pairs = []
    for place, (length, rank, chunk) in enumerate(sized):
        for longer, other_rank, other in sized[place + 1 :]:
            if length <= NEAR * longer / 2:
                break
            if (
                chunk.document_id != other.document_id
                and resemblance(*sorted((chunk.text, other.text))) > NEAR
            ):
                pairs.append(sorted(((rank, chunk.chunk_id), (other_rank, other.chunk_id))))
    return tuple((higher[1], lower[1]) for higher, lower in sorted(pairs))


@lru_cache(maxsize=2_048)
def resemblance(a: str, b: str) -> float:
    """Shared shingles of two texts ÷ all of theirs; 0 where it is certain to be below ``NEAR``."""
    left, right = shingles(a), shingles(b)
    smaller, larger = sorted((len(left), len(right)))
    if smaller <= NEAR * larger:
        return 0.0
    shared = len(np.intersect1d(left, right, assume_unique=True))
    return shared / (len(left) + len(right) - shared)


@lru_cache(maxsize=256)
def shingles(text: str) -> NDArray[np.uint64]:
    """Sorted hashes of the folded text's shingles: polynomials modulo 2^64, the same in every process."""
    codes = np.frombuffer(spaced(text).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    if len(codes) < SHINGLE:
        codes = np.pad(codes, (0, SHINGLE - len(codes)))
    hashes = np.zeros(len(codes) - SHINGLE + 1, dtype=np.uint64)
    for place in range(SHINGLE):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + codes[place : place + len(hashes)]
    return np.unique(hashes)
