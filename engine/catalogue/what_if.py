"""What another cut would make of a library, before anything is built: counts, sizes, what it parts, and how each
piece of evidence stands, beside the same of the cut that serves. Pure over opened documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from engine.cancel import CancelToken
from engine.catalogue.opened import Opened
from engine.chunking import chunker_fingerprint
from engine.chunking.preview import Cover, Measured, Spanned, Standing, blocks, measured
from engine.evaluate.sets import EvaluationSet
from engine.model import Progress
from engine.pipeline.pace import Pace
from engine.settings import Chunking
from engine.text import LineIndex

BARS = 12
"""Bars of a distribution of sizes."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence in a document: the case that needs it, and its span in code points."""

    case_id: str
    start: int
    end: int


Evidence = Mapping[str, tuple[Piece, ...]]
"""Pieces by the path of their document, in source order."""


@dataclass(frozen=True, slots=True)
class Side:
    """A whole library under one cut. ``sizes`` are those of its retrievable chunks, in code points, rising."""

    sizes: tuple[int, ...] = ()
    sentences: int = 0
    tables: int = 0
    fences: int = 0
    whole: int = 0
    split: int = 0
    lost: int = 0

    @property
    def chunks(self) -> int:
        return len(self.sizes)

    @property
    def smallest(self) -> int:
        return self.sizes[0] if self.sizes else 0

    @property
    def median(self) -> int:
        return round(median(self.sizes)) if self.sizes else 0

    @property
    def largest(self) -> int:
        return self.sizes[-1] if self.sizes else 0

    def bars(self, largest: int) -> tuple[int, ...]:
        """How many chunks fall into each of ``BARS`` equal parts of ``0`` to ``largest``."""
        counts = [0] * BARS
        for size in self.sizes:
            counts[min(BARS - 1, size * BARS // max(1, largest + 1))] += 1
        return tuple(counts)


@dataclass(frozen=True, slots=True)
class Moved:
    """A piece of evidence that stands otherwise under the other cut."""

    piece: Piece
    path: str
    line_start: int
    line_end: int
    before: Standing
    after: Standing


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A library under the cut that serves, and under another one."""

    chunking: Chunking
    documents: int
    now: Side
    preview: Side
    moved: tuple[Moved, ...] = ()


def evidence_of(evaluation: EvaluationSet) -> Evidence:
    """The located pieces of a set that are spans, by document. What stands for a whole document no cut parts."""
    found: dict[str, list[Piece]] = {}
    for case in evaluation.cases:
        for piece in case.evidence:
            if piece.start is not None and piece.end is not None:
                found.setdefault(piece.file, []).append(Piece(case.id, piece.start, piece.end))
    return {
        path: tuple(sorted(pieces, key=lambda one: (one.start, one.end))) for path, pieces in found.items()
    }


def what_if(
    documents: Iterable[Opened], total: int, chunking: Chunking, evidence: Evidence, *, cancel: CancelToken
) -> Iterator[Progress | WhatIf]:
    """Cut every document anew; progress, and at last the comparison. Raises ``Cancelled``."""
    pace = Pace("index", total)
    now, preview = Gathered(), Gathered()
    changed: list[Moved] = []
    count = 0
    for document in documents:
        cancel.check()
        count += 1
        units = blocks(document.text, document.kind, document.language, cancel)
        held, anew = document.live(document.chunks), document.live(document.cut(chunking, cancel=cancel))
        pieces = evidence.get(document.path, ())
        before = now.add(document, measured(document.text, units, held), held, pieces)
        after = preview.add(document, measured(document.text, units, anew), anew, pieces)
        changed += moved(document, pieces, before, after)
        if (progress := pace.step(document.path)) is not None:
            yield progress
    yield pace.last()
    yield WhatIf(chunking, count, now.side(), preview.side(), tuple(changed))


def same_cut(one: Chunking, other: Chunking) -> bool:
    """Whether two chunkings cut alike: only parameters that matter in their mode count."""
    return chunker_fingerprint(one) == chunker_fingerprint(other)


class Gathered:
    """What has been counted of one side so far."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._side = Side()

    def add(
        self, document: Opened, found: Measured, spans: Sequence[Spanned], pieces: Sequence[Piece]
    ) -> list[Standing]:
        cover = Cover(spans)
        standings = [cover.standing(document.text, piece.start, piece.end) for piece in pieces]
        self._sizes += found.sizes
        side = self._side
        self._side = replace(
            side,
            sentences=side.sentences + found.count("sentence"),
            tables=side.tables + found.count("table"),
            fences=side.fences + found.count("fence"),
            whole=side.whole + standings.count("whole"),
            split=side.split + standings.count("split"),
            lost=side.lost + standings.count("lost"),
        )
        return standings

    def side(self) -> Side:
        return replace(self._side, sizes=tuple(sorted(self._sizes)))


def moved(
    document: Opened, pieces: Sequence[Piece], before: Sequence[Standing], after: Sequence[Standing]
) -> Iterator[Moved]:
    """The pieces of a document that stand otherwise after than before."""
    changed = [(piece, was, now) for piece, was, now in zip(pieces, before, after, strict=True) if was != now]
    if not changed:
        return
    lines = LineIndex.of(document.text)
    for piece, was, now in changed:
        yield Moved(
            piece,
            document.path,
            lines.line(piece.start),
            lines.line(max(piece.start, piece.end - 1)),
            was,
            now,
        )
