"""The layer where a target that is in the index was lost, read off a trace. Pure.

A target with several homes is lost where the one that came furthest was lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from engine.rank.pipeline import top_units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.explain.verdict import Layer, Place
    from engine.model import Context, ContextGroup
    from engine.rank.ranking import Ranking
    from engine.trace import Trace

_PROGRESS: dict[Layer, int] = {
    "not_recalled": 0, "gate": 1, "fusion": 2, "rerank": 2, "duplicate": 3, "quota": 3, "budget": 4, "context": 5,
}  # fmt: skip
"""How far a chunk came that was lost in a layer."""


@dataclass(frozen=True, slots=True)
class Fate:
    """Where one chunk was lost, and its rank from 1 in the final order, 0 where fusion did not keep it."""

    chunk_id: str
    layer: Layer
    rank: int

    @property
    def progress(self) -> tuple[int, int]:
        """Larger is further."""
        return _PROGRESS[self.layer], -self.rank


def layer_of(trace: Trace, place: Place) -> Layer:
    """Where a place was lost. ``context`` is tested first: what is whole there is in, however it was cut."""
    if holder(trace.context, place) is not None:
        return "context"
    if place.split:
        return "split"
    if place.disabled:
        return "disabled"
    if not place.homes:
        return "not_in_corpus"
    layer = furthest(trace, place.homes).layer
    # A hit that is cited and yet not whole was cut to fit.
    return "budget" if layer == "context" else layer


def furthest(trace: Trace, chunk_ids: Iterable[str]) -> Fate:
    """The fate of the chunk that came furthest; the first of equals."""
    return max((fate(trace, chunk_id) for chunk_id in chunk_ids), key=lambda each: each.progress)


def fate(trace: Trace, chunk_id: str) -> Fate:
    """Where one chunk was lost as a hit of its own: the first stage, in their order, that did not let it
    pass."""
    ranking = trace.ranking
    position = positions(ranking).get(chunk_id)
    if position is None:
        return Fate(chunk_id, "not_recalled", 0)
    rank = position + 1
    if not ranking.kept[position]:
        return Fate(chunk_id, "gate", rank)
    if not in_top(ranking, position):
        return Fate(chunk_id, "rerank" if fused_would_serve(ranking, position) else "fusion", rank)
    for left in trace.context.left_out:
        if left.chunk_id == chunk_id:
            assert left.reason in ("budget", "duplicate", "quota")
            return Fate(chunk_id, left.reason, rank)
    return Fate(chunk_id, "context", rank)


def holder(context: Context, place: Place) -> ContextGroup | None:
    """The passage of a context that holds all of a place, in its own words."""
    return next((group for group in context.groups if _holds(group, place)), None)


def _holds(group: ContextGroup, place: Place) -> bool:
    if (group.path, group.revision) != (place.path, place.revision):
        return False
    low, high = place.start - group.start, place.end - group.start
    if low >= 0 and place.end <= group.end and group.text[low:high] == place.text:
        return True
    # An edited chunk stands for its span in other words, so its text is looked for.
    edited = {citation.chunk_id for citation in group.citations if citation.edited}
    return bool(edited.intersection(place.homes)) and place.text in group.text


@lru_cache(maxsize=8)
def positions(ranking: Ranking) -> dict[str, int]:
    """Every ranked chunk id with its position from 0."""
    return {ranking.recall.chunks[row].chunk_id: place for place, row in enumerate(ranking.order.tolist())}


def in_top(ranking: Ranking, position: int) -> bool:
    """Whether a position is among the gated top k."""
    return bool((ranking.top == position).any())


def fused_would_serve(ranking: Ranking, position: int) -> bool:
    """Whether the fused order, over what the gate let through, would have a position's chunk in its top k."""
    if ranking.retrieval.rerank == "off":
        return False
    return int(ranking.order[position]) in _fused_top(ranking)


@lru_cache(maxsize=8)
def _fused_top(ranking: Ranking) -> frozenset[int]:
    """Candidates of the top k if nothing had been reranked."""
    passed = np.zeros(len(ranking.recall.chunks), dtype=np.bool_)
    passed[ranking.order[ranking.kept]] = True
    order: NDArray[np.intp] = ranking.fused.order
    top = top_units(ranking.recall, order, np.flatnonzero(passed[order]), ranking.retrieval.top_k)
    return frozenset(order[top].tolist())
