"""Which chunks may be among the best, without scoring every chunk that holds a common term.

MaxScore in two steps (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995). The rare
terms are scored everywhere. What the common ones could add at most is known from their weight; a chunk that
even so stays below the last of the best is passed over. Those that are left are scored by all terms, in the
order of the query, so that no bit of a score depends on what was passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.recall.asked import Stream
from engine.recall.bm25 import K1, Collection, Scored

COMMON_SHARE = 1 / 64
"""What the common terms together may add, of what all terms may. The more of them, the fewer postings are scored;
the more they may add, the fewer chunks can be passed over: the last of the best often scores a sixteenth of it."""

_ROUNDING = 1 + 1e-9
"""A bound is a sum of other summands than the score it bounds."""


@dataclass(frozen=True, slots=True, eq=False)
class Among:
    """A query over some chunks of a view: ``slots (m,) int64`` rising, and ``streams`` that name them by their row."""

    slots: NDArray[np.int64]
    streams: tuple[Stream, ...]

    def only(self, kept: NDArray[np.bool_]) -> Among:
        """The same over those chunks alone that are kept."""
        rows = among(self.streams, np.flatnonzero(kept), len(self.slots))
        return Among(self.slots[kept], rows.streams)

    def scored(self, known: Collection) -> Scored:
        """The BM25 of each."""
        scores = np.zeros(len(self.slots))
        norms = Collection(known.chunks, known.norms[self.slots])
        for stream in self.streams:
            scores[stream.slots] += stream.parts(norms)
        return Scored(self.slots, scores)


def matched(streams: Sequence[Stream], size: int) -> NDArray[np.bool_]:
    """``(size,)``: the slots of a view that hold any term."""
    found = np.zeros(size, dtype=np.bool_)
    for stream in streams:
        found[stream.slots] = True
    return found


def hopeful(
    streams: Sequence[Stream], known: Collection, found: NDArray[np.bool_], *, depth: int, boost: float = 1.0
) -> NDArray[np.int64]:
    """The slots of those ``found`` that may be among the ``depth`` best, where a final score lies between the BM25 and
    ``boost`` times it."""
    if np.count_nonzero(found) <= depth:
        return np.flatnonzero(found)
    rare, more = _parted(streams)
    partial = np.zeros(len(found))
    for stream in rare:
        partial[stream.slots] += stream.parts(known)
    least = (_last_of_best(partial[partial > 0], depth) / (boost * _ROUNDING)) - more
    return np.flatnonzero(partial >= least if least > 0 else found)


def still_hopeful(scored: Scored, *, depth: int, boost: float) -> NDArray[np.bool_]:
    """Which of these may be among the ``depth`` best, now that the BM25 of each is known."""
    return scored.scores * (boost * _ROUNDING) >= _last_of_best(scored.scores, depth)


def _last_of_best(scores: NDArray[np.float64], depth: int) -> float:
    """The score of the last of the ``depth`` best; 0 where there are fewer."""
    return (
        float(np.partition(scores, len(scores) - depth)[len(scores) - depth]) if len(scores) >= depth else 0.0
    )


def among(streams: Sequence[Stream], slots: NDArray[np.int64], size: int) -> Among:
    """The streams over these slots, which rise, of a view's ``size``."""
    row_of = np.full(size, -1, dtype=np.int32)
    row_of[slots] = np.arange(len(slots), dtype=np.int32)
    return Among(slots, tuple(_narrowed(stream, row_of) for stream in streams))


def _narrowed(stream: Stream, row_of: NDArray[np.int32]) -> Stream:
    rows = row_of[stream.slots]
    here = np.flatnonzero(rows >= 0)
    narrow, frequencies = rows[here].astype(np.int64), stream.frequencies[here]
    return Stream(stream.word, stream.document_frequency, stream.weight, narrow, frequencies)


def _parted(streams: Sequence[Stream]) -> tuple[list[Stream], float]:
    """The rare terms, in the order of the query, and what all the others can add to a chunk at most."""
    bounds = [stream.weight * (K1 + 1) for stream in streams]
    room = COMMON_SHARE * sum(bounds)
    common: set[int] = set()
    more = 0.0
    for place in sorted(range(len(streams)), key=lambda place: -len(streams[place].slots)):
        if more + bounds[place] > room:
            break
        common.add(place)
        more += bounds[place]
    return [stream for place, stream in enumerate(streams) if place not in common], more
