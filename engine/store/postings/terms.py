"""What the index keeps of one chunk: weighted term frequencies and lengths. Pure, so it runs outside any
transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.recall.analysis import TermCounts, count

TITLE_WEIGHT = 4
HEADING_WEIGHT = 2
TEXT_WEIGHT = 1
"""Column weights of BM25: a term in the title stands for four in the text. Lengths are not weighted, as in
FTS5."""


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """One chunk's terms of both channels with weighted frequencies, and its lengths in counted tokens."""

    frequencies: Mapping[str, int]
    fulltext_length: int
    cjk_length: int


def analyse_chunk(title: str, heading_path: Sequence[str], text: str) -> ChunkTerms:
    """The terms of a chunk's title, headings and text. No term runs from one of them into the next."""
    body = count(text)
    frequencies = body.frequencies
    fulltext_length, cjk_length = body.fulltext_length, body.cjk_length
    for above, weight in ((title, TITLE_WEIGHT), ("\n".join(heading_path), HEADING_WEIGHT)):
        counts = _count_above(above)
        fulltext_length += counts.fulltext_length
        cjk_length += counts.cjk_length
        for term, times in counts.frequencies.items():
            frequencies[term] = frequencies.get(term, 0) + weight * times
    return ChunkTerms(frequencies, fulltext_length, cjk_length)


@lru_cache(maxsize=256)
def _count_above(text: str) -> TermCounts:
    """Titles and headings stand above many chunks in a row."""
    return count(text)
