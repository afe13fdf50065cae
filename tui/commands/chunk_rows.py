"""The rows of ``rankscope chunks``: the source with its lines, and every boundary and overlap to be
seen. Pure.

A row is a line of the source, or the piece of one up to the next boundary. The gutter holds the line's
number, and an edge: ``▌`` in odd chunks, ``┆`` in even ones, ``░`` where two chunks share the text,
nothing outside of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.model import ChunkSpan
from engine.settings import Chunking
from engine.text import LineIndex
from tui.cells import row
from tui.commands.output import counted

EDGES = ("┆", "▌")
SHARED = "░"


def title(path: str, chunking: Chunking, chunks: Sequence[ChunkSpan]) -> str:
    """``retry.md  structure, 1,600 overlap 160: 9 chunks, 311 to 1,598 characters, 480 shared``."""
    pieces = retrievable(chunks)
    if chunking.mode == "parent-child":
        sizes = f"{chunking.parent_characters:,} with children of {chunking.child_characters:,}"
    else:
        sizes = f"{chunking.target_characters:,} overlap {chunking.overlap_characters:,}"
    parents = sum(span.role == "parent" for span in chunks)
    held = (
        f"{counted(parents, 'parent')}, {counted(len(pieces), 'chunk')}"
        if parents
        else counted(len(pieces), "chunk")
    )
    if not pieces:
        return f"{path}  {chunking.mode}, {sizes}: no retrievable content"
    lengths = [span.end - span.start for span in pieces]
    shared = sum(overlap(pieces, number) for number in range(len(pieces)))
    spread = f"{min(lengths):,} to {max(lengths):,} characters"
    return f"{path}  {chunking.mode}, {sizes}: {held}, {spread}, {shared:,} shared"


def retrievable(chunks: Sequence[ChunkSpan]) -> list[ChunkSpan]:
    """Standalone chunks and children, in source order."""
    return sorted(
        (span for span in chunks if span.role != "parent"), key=lambda span: (span.start, span.ordinal)
    )


def overlap(pieces: Sequence[ChunkSpan], number: int) -> int:
    """Characters that a chunk shares with the one before it."""
    return max(0, pieces[number - 1].end - pieces[number].start) if number else 0


def rows(text: str, chunks: Sequence[ChunkSpan]) -> Iterator[str]:
    """Every row, a heading row before each parent and each chunk."""
    pieces = retrievable(chunks)
    parents = sorted((span for span in chunks if span.role == "parent"), key=lambda span: span.start)
    lines = LineIndex.of(text)
    number_width = len(f"{lines.count:,}")
    begun = ended = above = 0
    for start, end in _pieces(text, lines, pieces, parents):
        while above < len(parents) and parents[above].start <= start:
            yield _heading(parents[above], f"parent {parents[above].ordinal}", 0, "═", number_width)
            above += 1
        while begun < len(pieces) and pieces[begun].start <= start:
            yield _heading(
                pieces[begun], str(pieces[begun].ordinal), overlap(pieces, begun), "─", number_width
            )
            begun += 1
        while ended < begun and pieces[ended].end <= start:
            ended += 1
        line = lines.line(start)
        number = f"{line:,}" if lines.start(line) == start else ""
        shown = row(text[start:end].rstrip("\r\n"))
        yield f"{number:>{number_width}} {_edge(pieces, ended, begun)} {shown}".rstrip()


def _pieces(
    text: str, lines: LineIndex, pieces: Sequence[ChunkSpan], parents: Sequence[ChunkSpan]
) -> Iterator[tuple[int, int]]:
    """The text's pieces between any two borders: of lines, of chunks, of parents."""
    inside = (place for span in (*pieces, *parents) for place in (span.start, span.end) if place < len(text))
    borders = [*sorted({*lines.starts, *inside}), len(text)]
    return pairwise(borders)


def _edge(pieces: Sequence[ChunkSpan], ended: int, begun: int) -> str:
    if begun - ended > 1:
        return SHARED
    return EDGES[pieces[ended].ordinal % 2] if begun > ended else " "


def _heading(span: ChunkSpan, name: str, shared: int, rule: str, indent: int) -> str:
    parts = [name, f"L{span.line_start:,}–{span.line_end:,}", f"{span.end - span.start:,} characters"]
    if shared:
        parts.append(f"shares {shared:,} with the one before")
    if span.heading_path:
        parts.append(" › ".join(span.heading_path))
    return f"{'':>{indent}} {rule * 2} {'  '.join(parts)}"
