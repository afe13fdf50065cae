"""What runs again on every key that turns a setting: fuse, rerank, gate, cut at top k. Pure, microseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.model import Degradation
from engine.rank.fuse import Fused, depth_limits, fuse
from engine.rank.gate import filtered_by_gate, gate
from engine.rank.ranking import Ranking, Scale
from engine.rank.rerank import rerank
from engine.settings import Features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall
    from engine.settings import Retrieval

DEFAULT_FEATURES = Features()

RERANK_FAILED = Degradation(
    "rerank",
    "rerank_failed",
    "no endpoint gave scores: the local features ranked instead, and no threshold was applied",
    "set the rerank endpoint, or rerank to local",
)


def rank(recall: Recall, retrieval: Retrieval, features: Features = DEFAULT_FEATURES) -> Ranking:
    """Rank a recall under one setting; the same arguments give the same bytes.

    ``features`` are the weights of the local rerank. With ``rerank`` off the order is exactly the fused one.
    A learned rerank without scores leaves its place to the local one, said as ``rerank_failed``; thresholds,
    which were meant for its scale, then apply to nothing.
    """
    fused = fuse(recall, retrieval)
    fused_rank = np.zeros(len(recall.chunks), dtype=np.int32)
    fused_rank[fused.order] = np.arange(1, len(fused.order) + 1, dtype=np.int32)
    scale, order, relevance, bill = (
        Scale(retrieval.fusion, fused.maximum),
        fused.order,
        fused_relevance(fused),
        None,
    )
    if retrieval.rerank != "off":
        bill = rerank(recall, fused, relevance, features)
        scale, order, relevance = Scale("local", 1.0), bill.order, bill.relevance
    failed = retrieval.rerank == "learned"
    report, kept = gate(recall, retrieval, order, relevance, scale, thresholds=not failed)
    return Ranking(
        recall=recall,
        retrieval=retrieval,
        fused=fused,
        order=order,
        relevance=relevance,
        fused_rank=fused_rank,
        scale=scale,
        gate=report,
        kept=kept,
        top=top_units(recall, order, np.flatnonzero(kept), retrieval.top_k),
        bill=bill,
        degraded=(
            *depth_limits(recall, retrieval, fused),
            *((RERANK_FAILED,) if failed else ()),
            *filtered_by_gate(report, len(order)),
        ),
    )


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
