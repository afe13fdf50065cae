"""The one function that cuts a document into chunks: the preview and the rebuild both call it. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from engine.cancel import CancelToken
from engine.chunking.fixed import windows
from engine.chunking.parent_child import families
from engine.chunking.sections import Span, body_start, disjoint, pinned, sections
from engine.chunking.structure import Piece, pieces
from engine.identity import fingerprint
from engine.model import ChunkSpan, Role
from engine.settings import Chunking
from engine.text import LineIndex, is_blank

CHUNKER_VERSION = 1
"""Raised whenever the same text and settings give other chunks: it is part of every chunk's id."""

_MATTERS: dict[str, tuple[str, ...]] = {
    "fixed": ("target_characters", "overlap_characters", "seek_boundary", "within_heading"),
    "structure": ("target_characters", "overlap_characters"),
    "parent-child": ("parent_characters", "child_characters"),
}


def chunker_fingerprint(chunking: Chunking) -> str:
    """Stands for the mode, the parameters that matter in it, and the chunker's version."""
    values = {name: getattr(chunking, name) for name in _MATTERS[chunking.mode]}
    return fingerprint("chunker", CHUNKER_VERSION, chunking.mode, values)


def chunk(
    text: str,
    kind: str,
    chunking: Chunking,
    *,
    language: str = "",
    pins: Sequence[Span] = (),
    cancel: CancelToken | None = None,
) -> list[ChunkSpan]:
    """The chunks of a document of ``kind``, in source order, a parent before its children.

    Terminates on any text and any numbers. Every character of the body that is not blank lies in a
    retrievable chunk (``standalone``, ``child``); no chunk is blank; starts strictly increase among
    retrievable chunks and among parents; a chunk exceeds its target only where a single grapheme cluster
    does.
    """
    match chunking.mode:
        case "fixed":
            placed = _alone(_fixed(text, kind, chunking, pins, cancel))
        case "structure":
            target, overlap = chunking.target_characters, chunking.overlap_characters
            found = pinned(text, sections(text, kind, language, cancel), pins)
            placed = _alone(pieces(text, found, target, overlap, cancel))
        case "parent-child":
            targets = chunking.parent_characters, chunking.child_characters
            found = pinned(text, sections(text, kind, language, cancel), pins)
            placed = _related(text, families(text, found, *targets, cancel))
    return [*_numbered(text, placed, cancel)]


Placed = tuple[Role, Piece]


def _fixed(
    text: str, kind: str, chunking: Chunking, pins: Sequence[Span], cancel: CancelToken | None
) -> Iterator[Piece]:
    """Fixed windows between forced boundaries, each with the headings in force at its start."""
    found = sections(text, kind, cancel=cancel) if kind == "markdown" else []
    edges = [section.start for section in found] if chunking.within_heading else []
    target, overlap = chunking.target_characters, chunking.overlap_characters
    spans: list[Span] = []
    position = body_start(text, kind)
    for pin in (*disjoint(pins), (len(text), len(text))):
        inside = edges[bisect_right(edges, position) : bisect_left(edges, pin[0])]
        for start, end in pairwise([position, *inside, max(position, pin[0])]):
            spans += windows(
                text, start, end, target, overlap, seek_boundary=chunking.seek_boundary, cancel=cancel
            )
        spans.append(pin)
        position = pin[1]
    for start, end in spans:
        above = bisect_right(found, start, key=lambda section: section.start)
        yield Piece(start, end, found[above - 1].path if above else ())


def _alone(found: Iterable[Piece]) -> Iterator[Placed]:
    for piece in found:
        yield "standalone", piece


def _related(text: str, found: Iterable[tuple[Piece, Sequence[Piece]]]) -> Iterator[Placed]:
    for parent, children in found:
        if not is_blank(text, parent.start, parent.end):
            yield "parent", parent
            for child in children:
                yield "child", child


def _numbered(text: str, placed: Iterable[Placed], cancel: CancelToken | None) -> Iterator[ChunkSpan]:
    """The chunks that hold ink, with lines and ordinals."""
    lines = LineIndex.of(text)
    parents = retrievable = 0
    for role, piece in placed:
        if cancel is not None:
            cancel.check()
        if is_blank(text, piece.start, piece.end):
            continue
        if role == "parent":
            parents += 1
        else:
            retrievable += 1
        yield ChunkSpan(
            ordinal=parents if role == "parent" else retrievable,
            role=role,
            start=piece.start,
            end=piece.end,
            line_start=lines.line(piece.start),
            line_end=lines.line(piece.end - 1),
            heading_path=piece.path,
            parent=parents if role == "child" else None,
        )
