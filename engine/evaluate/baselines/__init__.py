"""Baselines that a report may set beside the pipeline, each true to the document that describes it.

A baseline is built once over the chunks that a principal sees, in the order in which ties break, and ranks
them for any query. Full text alone is no baseline of its own: it is a setting of the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from engine.evaluate.baselines import fts5, overlap, tfidf
from engine.model import Chunk
from engine.settings import Retrieval

__all__ = ["BASELINES", "FULLTEXT_ALONE", "Baseline"]


class Baseline(Protocol):
    """Ranks the chunks it was built over."""

    def rank(self, query: str, depth: int) -> list[str]:
        """The chunk ids that match the query, best first, at most ``depth``. Nothing in a query is syntax."""


BASELINES: Mapping[str, Callable[[Sequence[Chunk]], Baseline]] = {
    "term-overlap": overlap.TermOverlap,
    "fts5-and": fts5.Fts5And,
    "tfidf-cosine": tfidf.TfidfCosine,
}
"""By the name that a report gives them."""

FULLTEXT_ALONE = Retrieval(fulltext_weight=1.0, cjk_weight=0.0, vector_weight=0.0, graph_weight=0.0)
