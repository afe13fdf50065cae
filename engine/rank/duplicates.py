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


def duplicate_of(chunk: Chunk, kept: Sequence[Hit], overlap: float) -> tuple[Hit, float | None] | None:
    """The first higher hit that the chunk duplicates, and the share of the shorter span that both hold.

    It does where both are slices of one revision and share more than ``overlap`` of the shorter one's span,
    or where their texts are equal after NFKC and folding of white space, in whatever document.
    """
    for hit in kept:
        if spaced(chunk.text) == spaced(hit.chunk.text):
            return hit, None
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
    return tuple(
        (a.chunk.chunk_id, b.chunk.chunk_id)
        for place, a in enumerate(hits)
        for b in hits[place + 1 :]
        if a.chunk.document_id != b.chunk.document_id
        and min(len(a.chunk.text), len(b.chunk.text)) > NEAR * max(len(a.chunk.text), len(b.chunk.text)) / 2
        and _resemblance(a.chunk.text, b.chunk.text) > NEAR
    )


@lru_cache(maxsize=512)
def _resemblance(a: str, b: str) -> float:
    left, right = _shingles(a), _shingles(b)
    smaller, larger = sorted((len(left), len(right)))
    if smaller <= NEAR * larger:
        return 0.0
    shared = len(np.intersect1d(left, right, assume_unique=True))
    return shared / (len(left) + len(right) - shared)


@lru_cache(maxsize=256)
def _shingles(text: str) -> NDArray[np.uint64]:
    """Sorted hashes of the folded text's shingles: polynomials modulo 2^64, the same in every process."""
    codes = np.frombuffer(spaced(text).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    if len(codes) < SHINGLE:
        codes = np.pad(codes, (0, SHINGLE - len(codes)))
    hashes = np.zeros(len(codes) - SHINGLE + 1, dtype=np.uint64)
    for place in range(SHINGLE):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + codes[place : place + len(hashes)]
    return np.unique(hashes)
