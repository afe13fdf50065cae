"""The learned rerank: a model behind an HTTP endpoint scores the candidates of a recall.

It waits for a server, so it happens once, after recall; what the scores do to the order is pure, and lies in
``engine/rank/learned.py``.
"""

from __future__ import annotations

from engine.learned.reranker import Reranker

__all__ = ["Reranker"]
