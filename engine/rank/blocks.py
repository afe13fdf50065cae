"""Blocks: the contiguous passages of a context while it is packed. Immutable; text is shared once or not at
all.

Two blocks are one passage only where both are exact slices of one revision and touch. An edited text is
nobody's slice, so it stays alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from engine.model import Citation
from engine.rank.render import NOTICE_CHARACTERS, frame_characters, label, number_characters
from engine.text import LINE_END

if TYPE_CHECKING:
    from engine.model import Chunk


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk of the gated top k with its rank from 1."""

    rank: int
    chunk: Chunk


@dataclass(frozen=True)
class Block:
    """A passage: ``text`` is ``revision[start:end]`` where ``exact``, else an effective text that stands for
    the span.

    ``heading_path`` is the one in force where the text starts.
    """

    document_id: str
    revision: str
    path: str
    title: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    line_start: int
    line_end: int
    text: str
    exact: bool
    hits: tuple[Hit, ...] = ()
    expansion: str = ""
    truncated: bool = False

    @cached_property
    def label(self) -> str:
        return _label(self.path, self.heading_path, self.line_start, self.line_end)

    @cached_property
    def characters(self) -> int:
        """Code points it costs, the digits of its number apart."""
        return frame_characters(self.label) + len(self.text)

    @property
    def overhead(self) -> int:
        """Code points that a part of it costs beside its own text at most: its lines may have more digits."""
        longer = len(str(self.line_end)) - len(str(self.line_start))
        return frame_characters(self.label) + longer

    @property
    def rank(self) -> int:
        return min(hit.rank for hit in self.hits)

    @property
    def shared(self) -> int:
        """Code points that its hits share and it holds once."""
        spans = sorted((hit.chunk.start, hit.chunk.end) for hit in self.hits) if len(self.hits) > 1 else []
        shared, reached = 0, -1
        for start, end in spans:
            shared += max(0, min(reached, end) - start)
            reached = max(reached, end)
        return shared

    @property
    def citations(self) -> tuple[Citation, ...]:
        return tuple(_citation(hit) for hit in self.hits)


def _citation(hit: Hit) -> Citation:
    chunk = hit.chunk
    return Citation(
        chunk.chunk_id, hit.rank, chunk.start, chunk.end, chunk.line_start, chunk.line_end, chunk.edited
    )


_label = lru_cache(maxsize=1_024)(label)


def is_exact(chunk: Chunk) -> bool:
    """Whether the chunk's text is the source's own."""
    return not chunk.edited and len(chunk.text) == chunk.end - chunk.start


def block_of(chunk: Chunk, hits: tuple[Hit, ...] = (), expansion: str = "") -> Block:
    return Block(
        chunk.document_id, chunk.revision, chunk.path, chunk.title, chunk.heading_path,
        chunk.start, chunk.end, chunk.line_start, chunk.line_end, chunk.text, is_exact(chunk),
        hits, expansion,
    )  # fmt: skip


def cut(block: Block, low: int, high: int) -> Block:
    """The block's text between two offsets in it; the span and lines follow where the text is the
    source's own.
    """
    if (low, high) == (0, len(block.text)):
        return block
    text = block.text[low:high]
    if not block.exact:
        return replace(block, text=text, truncated=True)
    line_start = block.line_start + _line_ends(block.text, low)
    return replace(
        block,
        text=text,
        start=block.start + low,
        end=block.start + high,
        line_start=line_start,
        line_end=line_start + _line_ends(text, len(text) - 1),
        truncated=True,
    )


def _line_ends(text: str, end: int) -> int:
    """Line ends in ``[0, end)``; a CRLF counts once, where its LF is."""
    return sum(1 for found in LINE_END.finditer(text) if found.end() <= end)


def join(a: Block, b: Block) -> Block | None:
    """Both as one passage, or None where they are not slices of one revision that touch or overlap.

    Where only line ends lie between (as many code points as lines), they are known, and the passage holds
    them.
    """
    if (a.document_id, a.revision) != (b.document_id, b.revision) or not (a.exact and b.exact):
        return None
    first, second = (a, b) if (a.start, -a.end) <= (b.start, -b.end) else (b, a)
    bridge = _between(first, second)
    if bridge is None:
        return None
    shared = first.end - second.start
    if (
        shared > 0
        and first.text[second.start - first.start : second.end - first.start] != second.text[:shared]
    ):
        return None
    grows = second.end > first.end
    return replace(
        first,
        end=max(first.end, second.end),
        line_end=max(first.line_end, second.line_end),
        text=first.text + bridge + second.text[max(shared, 0) :] if grows else first.text,
        hits=tuple(sorted({*a.hits, *b.hits}, key=lambda hit: hit.rank)),
        expansion=a.expansion or b.expansion,
        truncated=a.truncated or b.truncated,
    )


def _between(first: Block, second: Block) -> str | None:
    """What lies between two passages of one revision: nothing, line ends that the line numbers prove, or
    unknown.
    """
    gap = second.start - first.end
    if gap <= 0:
        return ""
    open_line = first.text[-1:] not in ("\n", "\r")
    if gap != second.line_start - first.line_end - (not open_line):
        return None
    return None if "\r" in first.text or "\r" in second.text else "\n" * gap


def place(blocks: Sequence[Block], block: Block) -> tuple[Block, ...]:
    """The blocks with one more, joined to all that it touches. They touch no other, so once through is
    enough.
    """
    apart: list[Block] = []
    for other in blocks:
        joined = join(other, block) if other.document_id == block.document_id else None
        if joined is None:
            apart.append(other)
        else:
            block = joined
    return (*apart, block)


def total(blocks: Iterable[Block]) -> int:
    """Code points of the context that these blocks make, notice and numbers included."""
    sizes = [block.characters for block in blocks]
    return NOTICE_CHARACTERS + sum(sizes) + number_characters(len(sizes)) if sizes else 0


def room(blocks: Sequence[Block], block: Block, limit: int) -> int:
    """How much text of ``block``, cut anywhere, still fits beside the blocks; below 1 where none does."""
    numbers = number_characters(len(blocks) + 1) - number_characters(len(blocks))
    used = total(blocks) or NOTICE_CHARACTERS
    return limit - used - numbers - block.overhead
