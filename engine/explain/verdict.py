"""The verdict on one target: where it was lost, its way through the stages, what would bring it in. Frozen data.

Imports the words alone, so that a face may hold a verdict without numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.model import Channel, Chunk

Layer = Literal[
    "context", "not_in_corpus", "source_changed", "parse_failed", "split", "disabled", "out_of_scope",
    "not_recalled", "fusion", "rerank", "gate", "duplicate", "quota", "budget",
]  # fmt: skip
"""Where a target was lost; ``context`` says that it was not. What stands beyond top k was lost in ``rerank``
where the fused order would have let it in, else in ``fusion``; what no channel listed within the depth that
fusion reads is ``not_recalled``."""

RemedyKind = Literal["sync", "recut", "enable", "embed", "look", "scope"]


# --- what is asked for --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChunkTarget:
    """A chunk by its id, as a result or a trace names it."""

    chunk_id: str


@dataclass(frozen=True, slots=True)
class TextTarget:
    """A text that should have been found: looked for as it is, then without white space and width, then by
    likeness. Any of the places where it stands will do."""

    text: str


@dataclass(frozen=True, slots=True)
class SpanTarget:
    """``[start, end)`` of a document, in code points: the evidence of a case."""

    path: str
    start: int
    end: int


Target = ChunkTarget | TextTarget | SpanTarget


@dataclass(frozen=True, slots=True)
class Place:
    """Where a target stands in the index: a span of one revision.

    ``chunks`` are the retrievable chunks that touch the span, in source order; ``homes`` the ids of those of
    which any one, as a hit, would bring all of it: none where a boundary cuts it. ``text`` is what the context
    must hold. ``likeness`` is below 1 where the text was found by likeness.
    """

    document_id: str
    path: str
    revision: str
    start: int
    end: int
    text: str
    chunks: tuple[Chunk, ...]
    homes: tuple[str, ...]
    likeness: float = 1.0

    @property
    def split(self) -> bool:
        """Whether a chunk boundary cuts it."""
        return bool(self.chunks) and not self.homes

    @property
    def disabled(self) -> bool:
        """Whether an edit keeps it out: every home of it is out of use, or says something else now."""
        own = [chunk for chunk in self.chunks if chunk.chunk_id in self.homes]
        return bool(own) and not any(chunk.enabled and not self._replaced(chunk) for chunk in own)

    @property
    def replaced(self) -> bool:
        """Whether it is kept out by another text, and not by being out of use."""
        own = [chunk for chunk in self.chunks if chunk.chunk_id in self.homes and chunk.enabled]
        return self.disabled and any(self._replaced(chunk) for chunk in own)

    def _replaced(self, chunk: Chunk) -> bool:
        return chunk.edited and self.text not in chunk.text


# --- what is said of it -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """The true rank of the target's chunk in one channel, however deep, among ``of`` that the channel could
    list; None where it has none. ``because`` says why not, or what keeps a rank from counting.
    """

    channel: Channel
    rank: int | None
    score: float | None
    of: int
    because: str = ""


@dataclass(frozen=True, slots=True)
class StageRow:
    """One row of the way through the stages. ``kept`` is None for a stage that was not asked or not reached.

    ``rank`` of ``of`` and ``score`` are those that the stage gave (for ``pack`` the score is the code points
    that the target needs); None where there is none.
    """

    stage: str
    rank: int | None = None
    of: int | None = None
    score: float | None = None
    kept: bool | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Values that bring the whole target in, each run before it is shown.

    ``settings`` are the new values by field name, ``was`` the present ones. ``low`` and ``high`` are the ends
    of the unbroken run of grid points, around the value, at which the target is in (equal for a pair, and for
    a choice). ``size`` is ``|change| ÷ range``, summed over a pair. ``group`` is the passage that holds it
    then (``[4]``); ``enters`` and ``leaves`` are the other chunks that enter and leave the context.
    """

    settings: Mapping[str, object]
    was: Mapping[str, object]
    low: object
    high: object
    size: float
    group: str
    enters: tuple[Chunk, ...] = ()
    leaves: tuple[Chunk, ...] = ()
    sentence: str = ""
    verified: bool = True

    def to_json(self) -> dict[str, object]:
        return {
            "settings": dict(self.settings),
            "sentence": self.sentence,
            "verified": self.verified,
            "was": dict(self.was),
            "interval": [self.low, self.high],
            "size": self.size,
            "group": self.group,
            "enters": [chunk.chunk_id for chunk in self.enters],
            "leaves": [chunk.chunk_id for chunk in self.leaves],
        }


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to do where no setting of a query brings the target in. ``settings`` are those of the chunking,
    for a re-cut that was previewed."""

    kind: RemedyKind
    sentence: str
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that is known of one target under one query.

    ``place`` is the one that came furthest of those where the target stands, None where it is not in the
    index, or not for whoever asks. ``changes`` are the smallest of each setting, best first; ``change`` is the
    smallest of all, or the cheapest pair where no single setting will do.
    """

    query: str
    target: Target
    place: Place | None
    layer: Layer
    sentence: str
    standings: tuple[Standing, ...] = ()
    stages: tuple[StageRow, ...] = ()
    changes: tuple[Change, ...] = ()
    remedy: Remedy | None = None

    @property
    def change(self) -> Change | None:
        return self.changes[0] if self.changes else None

    def to_json(self) -> dict[str, object]:
        """The document of ``why --json``; its keys stand in this order."""
        return {
            "query": self.query,
            "target": self._target(),
            "layer": self.layer,
            "sentence": self.sentence,
            "ranks": {
                each.channel: {"rank": each.rank, "score": each.score, "of": each.of}
                for each in self.standings
            },
            "stages": [
                {
                    "stage": row.stage,
                    "rank": row.rank,
                    "kept": row.kept,
                    "reason": row.because,
                    "of": row.of,
                    "score": row.score,
                }
                for row in self.stages
            ],
            "change": self.change.to_json() if self.change else None,
            "changes": [change.to_json() for change in self.changes],
            "remedy": self._remedy(),
        }

    def _target(self) -> dict[str, object]:
        asked: dict[str, object] = {}
        match self.target:
            case ChunkTarget(chunk_id):
                asked["chunk_id"] = chunk_id
            case TextTarget(text):
                asked["text"] = text
        place, span = self.place, self.target if isinstance(self.target, SpanTarget) else None
        return {
            **asked,
            "document": place.path if place else span.path if span else None,
            "start": place.start if place else span.start if span else None,
            "end": place.end if place else span.end if span else None,
            "chunk_ids": [chunk.chunk_id for chunk in place.chunks] if place else [],
            "likeness": place.likeness if place else None,
        }

    def _remedy(self) -> dict[str, object] | None:
        if self.remedy is None:
            return None
        return {
            "kind": self.remedy.kind,
            "sentence": self.remedy.sentence,
            "settings": dict(self.remedy.settings),
        }
