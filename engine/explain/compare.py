"""Two traces side by side: what moved, what entered and left the context and by which stage, and both contexts
as a diff. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import Indel

from engine.explain.layers import fate

if TYPE_CHECKING:
    from engine.explain.verdict import Layer
    from engine.model import Chunk, Context
    from engine.trace import Trace


CELLS = 1 << 28
"""Lines of one context times lines of the other beyond which no diff is made: its bits would take 32 MiB."""


@dataclass(frozen=True, slots=True)
class Move:
    """A chunk that either trace ranks, with its rank from 1 in each, None where that one does not rank it."""

    chunk: Chunk
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Crossing:
    """A chunk that one context holds and the other does not. ``stage`` lost it in the trace without it."""

    chunk: Chunk
    stage: Layer


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of either context: of both (``" "``), of the first alone (``"-"``), of the second alone (``"+"``)."""

    sign: Literal[" ", "-", "+"]
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What lies between two traces. ``moves`` are in the order of the second, what it lost last."""

    moves: tuple[Move, ...]
    entries: tuple[Crossing, ...]
    exits: tuple[Crossing, ...]
    diff: tuple[DiffLine, ...]


def compare(a: Trace, b: Trace) -> Comparison:
    """What changed from ``a`` to ``b``: of one recall under two settings, or of two queries or states."""
    before, after = _ranks(a), _ranks(b)
    names = {**after, **before}
    order = sorted(names, key=lambda name: (after.get(name, (len(after) + 1,))[0], before.get(name, (0,))[0]))
    moves = tuple(
        Move(
            names[name][1],
            before[name][0] if name in before else None,
            after[name][0] if name in after else None,
        )
        for name in order
        if name not in before or name not in after or before[name][0] != after[name][0]
    )
    held, now = packed(a.context), packed(b.context)
    chunks = {chunk.chunk_id: chunk for trace in (a, b) for chunk in trace.recall.chunks}
    return Comparison(
        moves=moves,
        entries=tuple(Crossing(chunks[name], fate(a, name).layer) for name in now if name not in held),
        exits=tuple(Crossing(chunks[name], fate(b, name).layer) for name in held if name not in now),
        diff=tuple(_diff(_lines(a.context), _lines(b.context))),
    )


def packed(context: Context) -> tuple[str, ...]:
    """The ids of the hits in a context, in its order."""
    return tuple(citation.chunk_id for group in context.groups for citation in group.citations)


def _ranks(trace: Trace) -> dict[str, tuple[int, Chunk]]:
    ranking = trace.ranking
    chunks = (ranking.chunk(position) for position in range(len(ranking)))
    return {chunk.chunk_id: (rank, chunk) for rank, chunk in enumerate(chunks, 1)}


def _lines(context: Context) -> list[str]:
    """The passages by lines, each passage under where it stands; without numbers and marks, which differ
    whenever anything does."""
    lines = []
    for group in context.groups:
        lines.append(f"{group.path} L{group.line_start}–{group.line_end}")
        lines += group.text.split("\n")
    return lines


def _diff(before: list[str], after: list[str]) -> Iterator[DiffLine]:
    """The fewest lines out and in. Where even that would take too much memory, everything out and in."""
    if len(before) * len(after) > CELLS:
        yield from (DiffLine("-", line) for line in before)
        yield from (DiffLine("+", line) for line in after)
        return
    for block in Indel.opcodes(before, after):
        if block.tag == "insert":
            yield from (DiffLine("+", line) for line in after[block.dest_start : block.dest_end])
            continue
        sign: Literal[" ", "-"] = " " if block.tag == "equal" else "-"
        yield from (DiffLine(sign, line) for line in before[block.src_start : block.src_end])
