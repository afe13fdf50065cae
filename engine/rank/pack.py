"""Packing: the gated top k becomes the text a model gets, within the budget, with an account of what stayed
out.

Hits first, each in its own text, by rank, while they fit; then parents in place of their children; then
neighbours. What comes later never evicts what came before, and a larger budget never loses a hit. Pure;
imports no store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.model import Context, ContextGroup, Degradation, LeftOut, LeftOutReason
from engine.rank.blocks import Block, Hit, block_of, cut, place, room, total
from engine.rank.duplicates import Admitted, near_duplicates
from engine.rank.expand import with_neighbours, with_parents
from engine.rank.render import context_text, number_characters
from engine.rank.terms import rarity
from engine.rank.window import best_match, window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.model import Recall
    from engine.rank.ranking import Ranking
    from engine.settings import Retrieval


def pack(ranking: Ranking, retrieval: Retrieval) -> Context:
    """The context of a ranking; ``character_count`` is the length of ``text`` and never above the budget."""
    limit = retrieval.context_max_characters
    hits, refused = _admit(_hits(ranking), retrieval)
    blocks, taken, over = _reserve(hits, limit, ranking.recall)
    kept = hits[:taken]
    blocks = with_parents(blocks, kept, ranking.recall.parents, limit)
    blocks = with_neighbours(blocks, kept, ranking.recall.around, retrieval.adjacent_chunk_count, limit)
    blocks = tuple(sorted(blocks, key=lambda block: block.rank))
    text, sizes = context_text([block.label for block in blocks], [block.text for block in blocks])
    return Context(
        text=text,
        character_count=len(text),
        limit=limit,
        truncated=bool(over) or any(block.truncated for block in blocks),
        groups=tuple(map(_group, range(1, len(blocks) + 1), blocks, sizes)),
        left_out=tuple(sorted((*refused, *over), key=lambda left: left.rank)),
        near_duplicates=near_duplicates(kept),
    )


def _hits(ranking: Ranking) -> tuple[Hit, ...]:
    return tuple(Hit(position + 1, ranking.chunk(position)) for position in ranking.top.tolist())


# --- who may enter ------------------------------------------------------------------------------------------


def _admit(hits: Sequence[Hit], retrieval: Retrieval) -> tuple[tuple[Hit, ...], tuple[LeftOut, ...]]:
    """Duplicates and what is beyond the quota go first, whatever the budget, so that no budget changes
    their reason.
    """
    admitted = Admitted()
    refused: list[LeftOut] = []
    quota = retrieval.document_quota
    for hit in hits:
        twin = admitted.duplicated_by(hit.chunk, retrieval.duplicate_overlap)
        taken = admitted.of_document(hit.chunk.document_id)
        if twin:
            higher, share = twin
            said = "same text as" if share is None else f"{100 * share:.0f} % shared with"
            refused.append(_left_out(hit, "duplicate", f"{said} {higher.rank}"))
        elif quota and taken >= quota:
            refused.append(_left_out(hit, "quota", f"{taken} of its document are in"))
        else:
            admitted.add(hit)
    return tuple(admitted.hits), tuple(refused)


def _left_out(hit: Hit, reason: LeftOutReason, detail: str, need: int | None = None) -> LeftOut:
    """``need`` is by default what the hit would cost as a passage of its own."""
    alone = block_of(hit.chunk).characters + number_characters(1)
    return LeftOut(hit.chunk.chunk_id, hit.rank, reason, alone if need is None else need, detail)


# --- what fits ----------------------------------------------------------------------------------------------


def _reserve(
    hits: Sequence[Hit], limit: int, recall: Recall
) -> tuple[tuple[Block, ...], int, tuple[LeftOut, ...]]:
    """The hits' own text by rank, as long as all of it fits: the blocks, how many hits they hold, what is
    over.

    The first that does not fit closes the context to all below it, though a smaller one might still fit: so a
    larger budget only ever adds. Only the very first hit is cut to fit.
    """
    blocks: tuple[Block, ...] = ()
    taken = 0
    for hit in hits:
        grown = place(blocks, block_of(hit.chunk, (hit,)))
        if total(grown) > limit:
            break
        blocks, taken = grown, taken + 1
    if hits and not taken:
        first = _cut_to_fit(hits[0], limit, recall)
        blocks, taken = ((first,), 1) if first else ((), 0)
    return blocks, taken, _over(blocks, hits[taken:], limit)


def _cut_to_fit(hit: Hit, limit: int, recall: Recall) -> Block | None:
    """The first hit cut around its best match, or None where the budget holds nothing but marks."""
    block = block_of(hit.chunk, (hit,))
    size = room((), block, limit)
    if size <= 0:
        return None
    weights = rarity(recall.terms)
    low, high = window(block.text, *best_match(block.text, weights, size), size)
    return cut(block, low, high) if high > low else None


def _over(blocks: tuple[Block, ...], hits: Sequence[Hit], limit: int) -> tuple[LeftOut, ...]:
    """What the budget left out; the need is what each would add to the hits that are in."""
    used = total(blocks)
    out = []
    for hit in hits:
        need = max(0, total(place(blocks, block_of(hit.chunk, (hit,)))) - used)
        detail = (
            f"{limit - used} left"
            if need > limit - used or hit is hits[0]
            else f"waits behind {hits[0].rank}"
        )
        out.append(_left_out(hit, "budget", detail, need))
    return tuple(out)


# --- what is said of it -------------------------------------------------------------------------------------


def _group(number: int, block: Block, characters: int) -> ContextGroup:
    return ContextGroup(
        evidence_id=f"[{number}]",
        path=block.path,
        title=block.title,
        heading_path=block.heading_path,
        revision=block.revision,
        start=block.start,
        end=block.end,
        line_start=block.line_start,
        line_end=block.line_end,
        citations=block.citations,
        text=block.text,
        characters=characters,
        shared=block.shared,
        expansion=block.expansion,
        truncated=block.truncated,
    )


def filtered_by_budget(context: Context) -> tuple[Degradation, ...]:
    """What the budget did to this context, and the setting that did it; nothing where every hit is whole."""
    over = [left for left in context.left_out if left.reason == "budget"]
    cut_short = [group.evidence_id for group in context.groups if group.truncated and not group.expansion]
    if not over and not cut_short:
        return ()
    parts = []
    if over:
        ranks = ", ".join(str(left.rank) for left in over)
        parts.append(f"left out {len(over)} of the top results ({ranks})")
    if cut_short:
        parts.append(f"cut {cut_short[0]} to fit")
    message = f"a budget of {context.limit:,} characters {' and '.join(parts)}"
    return (
        Degradation(
            "pack", "filtered_by_budget", message, f"raise context_max_characters, now {context.limit:,}"
        ),
    )
