"""What runs again on every key that turns a setting: fuse, rerank, gate, cut at top k. Pure, microseconds."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.model import Degradation
from engine.rank.fuse import depth_limits, fuse
from engine.rank.gate import filtered_by_gate, gate
from engine.rank.learned import by_learned, partial
from engine.rank.ranking import Ranking, Scale
from engine.rank.rerank import PENALTIES, rerank
from engine.settings import Features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall
    from engine.rank.fuse import Fused
    from engine.rank.learned import LearnedOrder
    from engine.rank.rerank import Bill
    from engine.settings import Retrieval

DEFAULT_FEATURES = Features()

NO_SCORES = Degradation(
    "rerank", "rerank_failed", "no endpoint gave scores", "set the rerank endpoint, or rerank to local"
)


@dataclass(frozen=True, slots=True, eq=False)
class Reranked:
    """What the rerank of the settings, or what had to stand in for it, makes of the fused order."""

    scale: Scale
    order: NDArray[np.intp]
    relevance: NDArray[np.float64]
    bill: Bill | LearnedOrder | None = None
    degraded: tuple[Degradation, ...] = ()


def rank(recall: Recall, retrieval: Retrieval, features: Features = DEFAULT_FEATURES) -> Ranking:
    """Rank a recall under one setting; the same arguments give the same bytes.

    ``features`` are the weights of the local rerank. With ``rerank`` off the order is exactly the fused one.
    A learned rerank without scores leaves its place to the local one, and that, where its weights are all 0,
    to fusion, each said as ``rerank_failed``; thresholds, which were meant for its scale, then apply to
    nothing.
    """
    fused = fuse(recall, retrieval)
    after = reranked(recall, retrieval, fused, features)
    ranking = gated(recall, retrieval, fused, after)
    return replace(
        ranking,
        degraded=(
            *depth_limits(recall, retrieval, fused),
            *after.degraded,
            *filtered_by_gate(ranking.gate, len(after.order)),
        ),
    )


def gated(recall: Recall, retrieval: Retrieval, fused: Fused, after: Reranked) -> Ranking:
    """The gate and the cut at top k over one order; says nothing of what degraded."""
    fused_rank = np.zeros(len(recall.chunks), dtype=np.int32)
    fused_rank[fused.order] = np.arange(1, len(fused.order) + 1, dtype=np.int32)
    served = retrieval.rerank != "learned" or after.scale.name == "learned"
    report, kept = gate(recall, retrieval, after.order, after.relevance, after.scale, thresholds=served)
    return Ranking(
        recall=recall,
        retrieval=retrieval,
        fused=fused,
        order=after.order,
        relevance=after.relevance,
        fused_rank=fused_rank,
        scale=after.scale,
        gate=report,
        kept=kept,
        top=top_units(recall, after.order, np.flatnonzero(kept), retrieval.top_k),
        bill=after.bill,
    )


def reranked(recall: Recall, retrieval: Retrieval, fused: Fused, features: Features) -> Reranked:
    """The order of the rerank that the settings ask for, or of what stands in for it."""
    share = fused_relevance(fused)
    as_fused = Reranked(Scale(retrieval.fusion, fused.maximum), fused.order, share)
    if retrieval.rerank == "off":
        return as_fused
    if retrieval.rerank == "local":
        return _local(recall, fused, share, features)
    scores = recall.learned
    if scores is not None and scores.failed is None:
        learned = by_learned(fused, scores)
        return Reranked(Scale("learned", 1.0), learned.order, learned.relevance, learned, partial(learned))
    why = scores.failed if scores is not None and scores.failed is not None else NO_SCORES
    if any(getattr(features, each.name) for each in fields(features) if each.name not in PENALTIES):
        told = _instead(why, "the local features ranked")
        return replace(_local(recall, fused, share, features), degraded=(told,))
    nothing = replace(why, message="the local features could not rank either: their weights are all 0")
    return replace(
        as_fused,
        degraded=(_instead(why, "the fused order serves"), _instead(nothing, "the fused order serves")),
    )


def _local(recall: Recall, fused: Fused, share: NDArray[np.float64], features: Features) -> Reranked:
    bill = rerank(recall, fused, share, features)
    return Reranked(Scale("local", 1.0), bill.order, bill.relevance, bill)


def _instead(why: Degradation, what: str) -> Degradation:
    return replace(why, message=f"{why.message}: {what} instead, and no threshold was applied")


def fused_relevance(fused: Fused) -> NDArray[np.float64]:
    """``(n,) float64`` in 0 to 1: the fused score over the most that the channels that served could give."""
    return np.minimum(fused.score / fused.maximum, 1.0) if fused.maximum else np.zeros_like(fused.score)


def top_units(
    recall: Recall, order: NDArray[np.intp], passed: NDArray[np.intp], top_k: int
) -> NDArray[np.intp]:
    """The longest run of the first positions that holds at most ``top_k`` units of context.

    A parent that the recall carries is one unit, however many of its children were found: they are collapsed
    before the cut, so that one passage cannot fill every place.
    """
    units: set[str] = set()
    for count, position in enumerate(passed.tolist()):
        chunk = recall.chunks[order[position]]
        units.add(chunk.parent if chunk.parent in recall.parents else chunk.chunk_id)
        if len(units) > top_k:
            return passed[:count]
    return passed
