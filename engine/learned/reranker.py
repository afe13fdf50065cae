"""Fetches the scores of a recall's first candidates from the endpoint, once for each query and text, and puts
them into the recall. One attempt: where it fails the recall says so, and ranking goes on without.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.embedding.protocol import clean, embedding_input
from engine.endpoint import Endpoint, post
from engine.errors import EndpointError
from engine.identity import sha256_text
from engine.learned.shapes import SHAPES, address, request, rescaled, scores
from engine.model import Degradation, LearnedScores
from engine.rank.fuse import fuse
from engine.rank.rerank import POOL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.cancel import CancelToken
    from engine.model import Chunk, Recall
    from engine.settings import Retrieval
    from engine.settings.values import RerankEndpoint

TEXT_LIMIT = 8_000
"""Code points of one candidate that are sent."""

ANSWER_LIMIT = 16 << 20
"""Bytes of an answer: a hundred texts echoed in full with every character escaped are 5 MB."""

KEPT = 20_000
"""Scores kept, some 5 MB: two hundred queries' worth."""

_Key = tuple[str, str]


class Reranker:
    """The endpoint of one library's settings, and the scores it gave. Safe to call from any thread."""

    def __init__(self, endpoint: RerankEndpoint, *, kept: int = KEPT) -> None:
        self._endpoint = endpoint
        self._kept = kept
        self._known: OrderedDict[_Key, float] = OrderedDict()
        self._guard = threading.Lock()

    def scored(self, recall: Recall, retrieval: Retrieval, *, cancel: CancelToken) -> Recall:
        """The recall with the scores of the first ``POOL`` candidates that these settings fuse.

        Only what was never scored for this query is sent. An endpoint that does not serve is a recall whose
        ``learned`` says why. Raises ``Cancelled``.
        """
        began = time.perf_counter()
        pool = fuse(recall, retrieval).order[:POOL]
        raw = np.full(len(recall.chunks), np.nan)
        try:
            raw[pool] = self._scores(recall.query, [sent(recall.chunks[row]) for row in pool], cancel)
            scale, relevance = rescaled(raw, self._endpoint.score_scale)
            learned = LearnedScores(self.model, scale, raw, relevance)
        except EndpointError as error:
            nothing = np.full(len(recall.chunks), np.nan)
            told = Degradation("rerank", "rerank_failed", error.problem, error.remedy)
            learned = LearnedScores(self.model, "", nothing, nothing, failed=told)
        took = (time.perf_counter() - began) * 1000
        return replace(
            recall,
            learned=replace(learned, milliseconds=took),
            milliseconds=recall.milliseconds + took,
        )

    @property
    def model(self) -> str:
        """The model for a status line; many servers have one, and no name for it."""
        return self._endpoint.model or "the rerank endpoint"

    def _scores(self, query: str, texts: Sequence[str], cancel: CancelToken) -> NDArray[np.float64]:
        """``(n,) float64``: the raw score of each text, NaN where it has none; equal texts are sent once."""
        asked = sha256_text(query)
        keys = [(asked, sha256_text(text)) if text else None for text in texts]
        with self._guard:
            known = {key: self._known[key] for key in keys if key and key in self._known}
        unknown = {
            key: text for key, text in zip(keys, texts, strict=True) if key is not None and key not in known
        }
        if unknown:
            fetched = self._fetched(query, list(unknown.values()), cancel)
            known.update(zip(unknown, fetched.tolist(), strict=True))
        self._keep(known)
        return np.array([known.get(key, np.nan) if key else np.nan for key in keys], dtype=np.float64)

    def _keep(self, known: dict[_Key, float]) -> None:
        """Remember these as the most recently used. A text that the endpoint did not list stays unlisted."""
        with self._guard:
            for key, score in known.items():
                self._known[key] = score
                self._known.move_to_end(key)
            while len(self._known) > self._kept:
                self._known.popitem(last=False)

    def _fetched(self, query: str, texts: Sequence[str], cancel: CancelToken) -> NDArray[np.float64]:
        """Ask for these texts, in as many requests as the protocol needs, within the one timeout."""
        settings = self._endpoint
        if not settings.base_url:
            raise EndpointError(
                "no rerank endpoint is set", "set rerank_endpoint.base_url, or rerank to local"
            )
        endpoint = Endpoint(address(settings), settings.api_key_env, "rerank_endpoint")
        until, batch = time.monotonic() + settings.timeout, SHAPES[settings.kind].batch
        found = []
        for start in range(0, len(texts), batch):
            part = texts[start : start + batch]
            answer = post(
                endpoint,
                request(settings, clean(query), part),
                seconds=max(until - time.monotonic(), 0.001),
                limit=ANSWER_LIMIT,
                cancel=cancel,
            )
            found.append(scores(answer, len(part)))
        return np.concatenate(found)


def sent(chunk: Chunk) -> str:
    """The text that stands for a chunk: its title and headings, a blank line, its text, cut at the limit.

    Always our own; empty for a chunk with no visible character, which is not sent.
    """
    return embedding_input(chunk.title, chunk.heading_path, chunk.text)[:TEXT_LIMIT]
