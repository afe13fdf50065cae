"""Fusion as a reader of the formulas would write it, with dictionaries: what the fast one is held against."""

from __future__ import annotations

from engine.model import CHANNELS, Recall
from engine.settings import Retrieval


def fused_scores(recall: Recall, retrieval: Retrieval, view: int | None = None) -> dict[str, float]:
    """The score of every chunk that is in the view of a channel that served."""
    depth = retrieval.top_k * retrieval.candidate_multiplier if view is None else view
    scores: dict[str, float] = {}
    for column, name in enumerate(CHANNELS):
        weight = getattr(retrieval, f"{name}_weight")
        if weight == 0 or not recall.channel(name).used:
            continue
        listed = {
            chunk.chunk_id: (int(recall.ranks[row, column]), float(recall.scores[row, column]))
            for row, chunk in enumerate(recall.chunks)
            if recall.ranks[row, column]
        }
        for chunk_id, (rank, score) in listed.items():
            if rank > depth or (name == "vector" and score < retrieval.minimum_vector_similarity > 0):
                continue
            share = _share(retrieval, name, rank, score, [s for _, s in listed.values()])
            scores[chunk_id] = scores.get(chunk_id, 0.0) + weight * share
    return scores


def _share(retrieval: Retrieval, name: str, rank: int, score: float, all_scores: list[float]) -> float:
    if retrieval.fusion == "rrf":
        return 1 / (retrieval.rrf_k + rank)
    highest = max(all_scores)
    if retrieval.fusion == "linear":
        floor = -1.0 if name == "vector" else 0.0
        return (score - floor) / (highest - floor) if highest > floor else 0.0
    lowest = min(all_scores)
    if highest == lowest:
        return 0.0 if score == 0 else 1.0
    return (score - lowest) / (highest - lowest)


def fused_order(recall: Recall, scores: dict[str, float]) -> list[str]:
    """Best first, ties in candidate order."""
    place = {chunk.chunk_id: row for row, chunk in enumerate(recall.chunks)}
    return sorted(scores, key=lambda chunk_id: (-scores[chunk_id], place[chunk_id]))
