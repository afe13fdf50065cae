"""The features of the local rerank, one a module: pure functions of a recall and some of its candidates.

Each gives ``(len(rows),) float64``, 0 to 1, NaN where it is not available to that candidate, which is not 0.
None knows a document's id, the weights, or another candidate.
"""

from engine.rank.features.conflict import conflict
from engine.rank.features.coverage import coverage
from engine.rank.features.headings import heading, path
from engine.rank.features.named import numbers
from engine.rank.features.phrase import phrase
from engine.rank.features.similarity import similarity

__all__ = ["conflict", "coverage", "heading", "numbers", "path", "phrase", "similarity"]
