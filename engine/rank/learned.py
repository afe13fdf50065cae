"""What the scores of a reranking model do to the fused order. Pure: the scores are data of the recall.

Candidates with a score stand first, by raw score, ties in candidate order; those without follow in fused
order with a relevance of 0, which is not a score of 0 and is marked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.model import Contribution, Degradation
from engine.rank.rerank import POOL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import LearnedScores
    from engine.rank.fuse import Fused

SCORED, UNSCORED = "learned", "unscored"
"""The one line of a candidate's bill: with the raw score, or that there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class LearnedOrder:
    """The order ``(m,) intp`` that a model gives, and by candidate ``relevance`` ``(n,) float64``.

    ``unscored`` counts those among the first ``POOL`` fused that have no score.
    """

    scores: LearnedScores
    order: NDArray[np.intp]
    relevance: NDArray[np.float64]
    fused_order: NDArray[np.intp]
    unscored: int

    def contributions(self, candidate: int) -> tuple[Contribution, ...]:
        """The line of one candidate: its raw score, the relevance that makes, and where it stood without."""
        rank = int(np.flatnonzero(self.fused_order == candidate)[0]) + 1
        raw, relevance = float(self.scores.raw[candidate]), float(self.relevance[candidate])
        if np.isnan(raw):
            return (Contribution(UNSCORED, 0.0, 0.0, rank),)
        return (Contribution(SCORED, raw, relevance, rank),)


def by_learned(fused: Fused, scores: LearnedScores) -> LearnedOrder:
    """Order what was fused by the model's scores."""
    order = fused.order
    has = ~np.isnan(scores.raw[order])
    scored = np.sort(order[has])
    best_first = scored[np.argsort(-scores.raw[scored], kind="stable")]
    relevance = np.where(np.isnan(scores.relevance), 0.0, scores.relevance)
    return LearnedOrder(
        scores,
        np.concatenate((best_first, order[~has])),
        relevance,
        order,
        int((~has[:POOL]).sum()),
    )


def partial(learned: LearnedOrder) -> tuple[Degradation, ...]:
    """Nothing, where the whole pool has scores."""
    if not learned.unscored:
        return ()
    of = min(POOL, len(learned.order))
    return (
        Degradation(
            "rerank",
            "rerank_partial",
            f"{learned.unscored} of the first {of} have no score of {learned.scores.model}; "
            "they follow in fused order, with a relevance of 0",
            "run the query again, or let the endpoint list all that it is sent",
        ),
    )
