"""What a context adds around its hits with the room that is left: parents in place of children, then
neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.rank.blocks import Block, Hit, block_of, cut, is_exact, join, place, room, total
from engine.rank.window import window

if TYPE_CHECKING:
    from engine.model import Chunk

Blocks = tuple[Block, ...]


def with_parents(blocks: Blocks, hits: Sequence[Hit], parents: Mapping[str, Chunk], limit: int) -> Blocks:
    """Each parent once, by its best child's rank, where it fits; one too large is cut around its hits.

    A parent never costs a hit its place or any of its text.
    """
    for parent_id in dict.fromkeys(hit.chunk.parent for hit in hits if hit.chunk.parent in parents):
        parent = parents[str(parent_id)]
        children = [hit for hit in hits if hit.chunk.parent == parent_id]
        blocks = _with_parent(blocks, children, parent, limit)
    return blocks


def _with_parent(blocks: Blocks, children: Sequence[Hit], parent: Chunk, limit: int) -> Blocks:
    """The blocks with one parent in place of its children, whole or in part; as they were where neither
    works.
    """
    spans = [_span_in(hit.chunk, parent) for hit in children]
    known = [span for span in spans if span is not None]
    block = block_of(parent, tuple(children), "parent")
    apart = _without(blocks, children, block)
    if len(known) < len(spans) or apart is None:
        return blocks
    grown = place(apart, block)
    if total(grown) <= limit:
        return grown
    size = room(apart, block, limit)
    start, end = min(low for low, _ in known), max(high for _, high in known)
    if size <= end - start:
        return blocks
    return place(apart, cut(block, *window(block.text, start, end, size)))


def _span_in(child: Chunk, parent: Chunk) -> tuple[int, int] | None:
    """Where the child's text stands in the parent's: by position, or, in an edited parent, where it
    occurs once.
    """
    if is_exact(child) and is_exact(parent):
        low, high = child.start - parent.start, child.end - parent.start
        return (low, high) if parent.text[max(low, 0) : high] == child.text else None
    low = parent.text.find(child.text)
    once = low >= 0 and parent.text.find(child.text, low + 1) < 0
    return (low, low + len(child.text)) if once else None


def _without(blocks: Blocks, children: Sequence[Hit], parent: Block) -> Blocks | None:
    """The blocks that are not the children's own; None where a child shares a passage that the parent
    cannot join.
    """
    own = [block for block in blocks if any(hit in children for hit in block.hits)]
    others = tuple(block for block in blocks if block not in own)
    for block in own:
        if all(hit in children for hit in block.hits):
            continue
        if join(block, parent) is None:
            return None
        others = (*others, block)
    return others


def with_neighbours(
    blocks: Blocks, hits: Sequence[Hit], around: Mapping[tuple[str, int], Chunk], count: int, limit: int
) -> Blocks:
    """Up to ``count`` retrievable chunks before and after each hit, by rank, nearest first, whole or not at
    all.

    A side ends at the first that does not fit, is of another revision, or is edited: an edited text is no
    continuation of its source.
    """
    for hit in hits:
        open_sides = {-1, 1}
        for distance in range(1, count + 1):
            for side in (-1, 1):
                if side not in open_sides:
                    continue
                neighbour = around.get((hit.chunk.document_id, hit.chunk.ordinal + side * distance))
                grown = _with_neighbour(blocks, hit, neighbour, limit) if neighbour else None
                if grown is None:
                    open_sides.discard(side)
                else:
                    blocks = grown
    return blocks


def _with_neighbour(blocks: Blocks, hit: Hit, neighbour: Chunk, limit: int) -> Blocks | None:
    """The blocks with the neighbour joined to the hit's passage, or None where it cannot be."""
    home = next(block for block in blocks if hit in block.hits)
    if home.truncated:
        return None
    joined = join(home, block_of(neighbour))
    if joined is None:
        return None
    if joined.text == home.text:
        return blocks
    joined = replace(joined, expansion=home.expansion or "neighbours")
    grown = place(tuple(block for block in blocks if block is not home), joined)
    return grown if total(grown) <= limit else None
