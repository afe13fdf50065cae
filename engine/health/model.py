"""What an examination of a library's chunks finds. Pure data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from engine.model import Chunk

Cause = Literal[
    "empty", "tiny", "oversized", "sentence", "table", "fence", "duplicate", "near_duplicate", "hub", "orphan"
]

CAUSES: dict[Cause, str] = {
    "empty": "documents without any retrievable content",
    "tiny": "chunks too small to be understood by themselves",
    "oversized": "chunks far larger than the target, because nothing in them may be cut",
    "sentence": "chunks that begin or end within a sentence that no chunk holds whole",
    "table": "chunks that hold a part of a table",
    "fence": "chunks that hold a part of a fenced block",
    "duplicate": "chunks with the same text as another",
    "near_duplicate": "chunks that resemble one of another document",
    "hub": "chunks among the nearest of very many others, which crowd out what a question means",
    "orphan": "chunks among the nearest of no other, which hardly any question finds by meaning",
}
"""Every cause in the order in which they are told, with what it means."""


@dataclass(frozen=True, slots=True)
class Case:
    """One chunk with something wrong, or a document where ``chunk_id`` is empty. ``sentence`` says what."""

    cause: Cause
    path: str
    chunk_id: str
    ordinal: int
    line_start: int
    sentence: str

    def to_json(self) -> dict[str, object]:
        return {
            "chunk_id": self.chunk_id,
            "document": self.path,
            "ordinal": self.ordinal,
            "line_start": self.line_start,
            "sentence": self.sentence,
        }


def case_of(cause: Cause, chunk: Chunk, sentence: str) -> Case:
    return Case(cause, chunk.path, chunk.chunk_id, chunk.ordinal, chunk.line_start, sentence)


@dataclass(frozen=True, slots=True)
class Health:
    """Every case by cause, in the order of ``CAUSES`` and then of the documents. ``measured`` says how neighbours
    were, or why they could not be."""

    documents: int
    chunks: int
    cases: tuple[Case, ...]
    measured: str

    def of(self, cause: Cause) -> tuple[Case, ...]:
        return tuple(case for case in self.cases if case.cause == cause)


def in_order(cases: Iterable[Case]) -> tuple[Case, ...]:
    order = list(CAUSES)
    return tuple(sorted(cases, key=lambda case: (order.index(case.cause), case.path, case.ordinal)))
