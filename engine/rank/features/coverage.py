"""Coverage: how much of what the query asks for a candidate holds at all, each term by its rarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.rank.terms import holdings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall


def coverage(recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """``Σ idf of the terms held ÷ Σ idf``, over the channels' own terms; NaN where the query has none."""
    return weighted_share(recall, holdings(recall, rows))


def weighted_share(recall: Recall, held: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The idf-weighted share of the query's terms that each row of ``(rows, terms) bool`` holds."""
    weights = np.array([term.idf for term in recall.terms], dtype=np.float64)
    total = float(weights.sum())
    if total <= 0:
        return np.full(len(held), np.nan)
    share: NDArray[np.float64] = np.where(held, weights, 0.0).sum(axis=1) / total
    return np.minimum(share, 1.0)
