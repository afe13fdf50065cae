"""The shapes in which reranking endpoints are asked and answer. Pure: plain data in, plain data out.

Sources: the API references of Cohere (rerank v1 and v2), Jina (reranker), Voyage (rerank) and Hugging Face's
text-embeddings-inference (TEI, ``/rerank``). Many servers answer in the shape of another than they are asked
in, so the kind decides the request alone, and each answer is read in whichever shape it has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.endpoint import completed
from engine.errors import EndpointError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.settings.values import RerankEndpoint, RerankKind


@dataclass(frozen=True, slots=True)
class Shape:
    """How one kind is asked. ``version`` is its path where the base address has none, ``count`` the field
    that asks for so many scores, ``batch`` how many texts one request may hold."""

    version: str
    texts: str
    count: str = ""
    batch: int = 100
    fixed: Mapping[str, object] = field(default_factory=dict)


SHAPES: dict[RerankKind, Shape] = {
    "cohere": Shape("/v2", "documents", "top_n"),
    "cohere-v1": Shape("/v1", "documents", "top_n", fixed={"return_documents": False}),
    "jina": Shape("/v1", "documents", "top_n", fixed={"return_documents": False}),
    "voyage": Shape("/v1", "documents", "top_k", fixed={"return_documents": False, "truncation": True}),
    # TEI's own default refuses more than 32 texts a request (--max-client-batch-size).
    "tei": Shape("", "texts", batch=32, fixed={"raw_scores": False, "return_text": False, "truncate": True}),
}


def address(endpoint: RerankEndpoint) -> str:
    """The full address of the endpoint, up to and with ``/rerank``."""
    return completed(endpoint.base_url, leaf="rerank", version=SHAPES[endpoint.kind].version)


def request(endpoint: RerankEndpoint, query: str, texts: Sequence[str]) -> dict[str, object]:
    """The body that asks for a score of each text."""
    shape = SHAPES[endpoint.kind]
    body: dict[str, object] = {"query": query, shape.texts: list(texts), **shape.fixed}
    if endpoint.model:
        body["model"] = endpoint.model
    if shape.count:
        body[shape.count] = len(texts)
    return body


def scores(answer: object, count: int) -> NDArray[np.float64]:
    """``(count,) float64``: the raw score of each text that was sent, NaN for those that are not listed.

    A server may list fewer than it was sent (its own ``top_n``). Whatever text it echoes is not read. Raises
    ``EndpointError`` for no list, an empty one, an index that is missing, repeated or out of range, and a
    score that is no finite number.
    """
    items = _items(answer)
    if count and not items:
        raise _unusable(f"no score for {count} texts")
    found = np.full(count, np.nan)
    for item in items:
        index, score = _listed(item)
        if not 0 <= index < count:
            raise _unusable(f"a score of text {index}, where {count} were sent (from 0)")
        if not math.isnan(found[index]):
            raise _unusable(f"two scores of text {index}")
        found[index] = score
    return found


def rescaled(raw: NDArray[np.float64], scale: str) -> tuple[str, NDArray[np.float64]]:
    """The scale that the scores have, and ``(n,) float64`` from 0 to 1 by it; NaN stays NaN.

    All kinds document scores from 0 to 1 (``unit``), but servers that speak their shapes for any model give
    log-odds, too: ``auto`` takes them for such where one lies outside. Raises ``EndpointError`` where a
    scale that was set cannot be that of the scores.
    """
    given = raw[~np.isnan(raw)]
    low, high = (float(given.min()), float(given.max())) if len(given) else (0.0, 0.0)
    if scale == "auto":
        scale = "unit" if low >= -SLACK and high <= 1 + SLACK else "logit"
    least = {"unit": 0.0, "cosine": -1.0}.get(scale, -math.inf)
    most = math.inf if scale == "logit" else 1.0
    if low < least - SLACK or high > most + SLACK:
        outside = low if low < least - SLACK else high
        raise _unusable(
            f"a score of {outside:g}, which lies outside the scale {scale}",
            "set rerank_endpoint.score_scale to auto",
        )
    if scale == "logit":
        return scale, 1.0 / (1.0 + np.exp(-np.clip(raw, -700.0, 700.0)))
    return scale, np.clip((raw + 1.0) / 2.0 if scale == "cosine" else raw, 0.0, 1.0)


SLACK = 1e-6
"""What rounding may add to a score at the end of its scale."""


def _items(answer: object) -> list[Any]:
    """The list of scored texts: the answer itself, its ``results`` or its ``data``."""
    found = answer
    if isinstance(answer, dict):
        found = answer.get("results", answer.get("data"))
    if not isinstance(found, list):
        raise _unusable("no list of scores")
    return found


def _listed(item: object) -> tuple[int, float]:
    index = item.get("index") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(index, int) or isinstance(index, bool):
        raise _unusable("a score without the index of its text")
    score = item.get("relevance_score", item.get("score"))
    try:
        value = math.nan if isinstance(score, bool) or not isinstance(score, (int, float)) else float(score)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise _unusable(f"no finite score of text {index}")
    return index, value


def _unusable(
    what: str, remedy: str = "check that rerank_endpoint.kind is what the server speaks"
) -> EndpointError:
    return EndpointError(f"the rerank endpoint answered with {what}", remedy)
