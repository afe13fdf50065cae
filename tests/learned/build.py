"""A reranking server that scores by what a test says, in any of the shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.servers import Received, Script


def texts_of(received: Received) -> list[str]:
    return received.body.get("documents") or received.body.get("texts")


def by_text(score: Callable[[str], float] | Mapping[str, float]) -> Script:
    """Scores each text; best first, as servers list them, in the shape that the request is of."""

    def script(received: Received) -> Any:
        of = score if callable(score) else score.__getitem__
        scored = [(of(text), index) for index, text in enumerate(texts_of(received))]
        name = "score" if "texts" in received.body else "relevance_score"
        items = [{"index": index, name: value} for value, index in sorted(scored, reverse=True)]
        if "texts" in received.body:
            return items
        return {"data" if "top_k" in received.body else "results": items}

    return script
