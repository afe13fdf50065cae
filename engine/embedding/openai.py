"""The embedder ``openai``: any endpoint that speaks OpenAI's ``/embeddings``.

Every request carries one of the probe texts beside what it is for: a model that is changed behind its name,
even between two requests, is noticed before any vector of it is used.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.cancel import CancelToken
from engine.embedding.batches import Limits, is_refusal
from engine.embedding.openai_answer import vectors
from engine.embedding.packaged import pieces_of
from engine.embedding.probe import PROBES, Memory, Seen, keep, read, same
from engine.embedding.protocol import (
    Vectors,
    clean,
    embedder_fingerprint,
    is_blank,
    normalised,
    require_vector,
)
from engine.endpoint import Endpoint, completed, identity, post
from engine.errors import EmbedderError, EndpointError, ModelChangedError
from engine.settings import Embedding

ANSWER_LIMIT = 64 << 20
"""Bytes of an answer: 64 vectors of 16,384 dimensions, written out, are 22 MB."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one request may take, how often it is tried where a failure may pass, and the delays between:
    doubled from the first, at random down to half of it, and never above the longest (seconds)."""

    seconds: float = 120.0
    attempts: int = 5
    first_delay: float = 0.5
    longest_delay: float = 60.0

    def delay(self, attempt: int, asked: float | None) -> float | None:
        """Seconds before another attempt; None where there is to be none. ``asked`` is the server's wish."""
        if attempt + 1 >= self.attempts or (asked is not None and asked > self.longest_delay):
            return None
        backoff = min(self.first_delay * 2.0**attempt, self.longest_delay) * random.uniform(0.5, 1.0)
        return max(backoff, asked or 0.0)


FOR_DOCUMENTS = Patience()
FOR_A_QUERY = Patience(seconds=10.0, attempts=2, first_delay=0.2, longest_delay=1.0)
"""The text channels serve a question meanwhile, or instead."""

FOR_LOADING = Patience(seconds=15.0, attempts=3, first_delay=0.5, longest_delay=5.0)


class OpenAIEmbedder:
    """One model behind an endpoint. Safe from any thread; requests of several threads go out beside each other.

    ``memory`` keeps the probes' vectors with the library; without one they are compared within this object's
    life. A text beyond what the endpoint takes is embedded in pieces, and its vector is the direction of their
    mean, weighted by length; ``note`` counts such texts.
    """

    name = "openai"
    semantic = True
    loaded = True

    def __init__(
        self,
        embedding: Embedding,
        *,
        memory: Memory | None = None,
        documents: Patience = FOR_DOCUMENTS,
        query: Patience = FOR_A_QUERY,
        loading: Patience = FOR_LOADING,
    ) -> None:
        """Asks nothing yet. Raises ``EmbedderError`` where the settings name no address or no model."""
        if not embedding.base_url or not embedding.model:
            raise EmbedderError(
                "the provider openai has no address or no model",
                "set embedding.base_url and embedding.model",
            )
        self._settings = embedding
        self._memory = memory
        self._documents, self._query, self._loading = documents, query, loading
        try:
            url = completed(embedding.base_url, leaf="embeddings", version="/v1")
        except EndpointError as error:
            raise EmbedderError(error.problem, "correct embedding.base_url") from None
        self._endpoint = Endpoint(url, embedding.api_key_env, "embedding")
        self._limits = Limits()
        self._learning = threading.Lock()
        self._in_pieces = 0
        self._seen = read(memory, self._identity(0)) if memory is not None else Seen()

    # --- what it is -------------------------------------------------------------------------------------------

    @property
    def model(self) -> str:
        """The model with all that tells it from another of its name."""
        settings = self._settings
        more = [f"{settings.dimensions} dimensions"] if settings.dimensions else []
        more += ["with prefixes"] if settings.document_prefix or settings.query_prefix else []
        more += [f"version {self._seen.current + 1} seen"] if self._seen.current else []
        return ", ".join([f"{settings.model} at {identity(self._endpoint.url)}", *more])

    @property
    def dimensions(self) -> int:
        """As the model gave them, else as they are set; 0 while neither is known."""
        known = self._seen.known
        return known.shape[1] if known is not None else self._settings.dimensions

    @property
    def fingerprint(self) -> str:
        return self._identity(self._seen.current)

    @property
    def note(self) -> str:
        count = self._in_pieces
        pieces = f", {count:,} long {'text' if count == 1 else 'texts'} in pieces" if count else ""
        return f"{self._settings.model}{pieces}"

    def _identity(self, version: int) -> str:
        """The fingerprint of the settings, and of which model it is that has answered under its name."""
        settings = self._settings
        return embedder_fingerprint(
            self.name,
            model=settings.model if not version else f"{settings.model}\0{version}",
            dimensions=settings.dimensions,
            endpoint=identity(self._endpoint.url),
            document_prefix=settings.document_prefix,
            query_prefix=settings.query_prefix,
        )

    # --- the model behind the name ----------------------------------------------------------------------------

    def load(self, *, cancel: CancelToken | None = None) -> None:
        """Ask for the probes, and compare them with those that are kept.

        Raises ``EmbedderError``, of the kind ``ModelChangedError`` where they are those of another model.
        """
        self._compare(self._probed(self._loading, cancel or CancelToken()), slice(None))

    def adopt(self, *, cancel: CancelToken) -> None:
        """Take the model that answers now for the one of this library; its fingerprint is then another, unless
        it is the one that answered before. Raises ``EmbedderError`` and ``Cancelled``."""
        self._remember(self._seen.with_model(self._probed(self._loading, cancel)))

    def return_to(self, fingerprint: str, *, remember: bool) -> None:
        """Take the model of this fingerprint for the one of the library again, where it is one that has answered under
        this name before. ``remember`` keeps that for other processes. Raises ``EmbedderError``."""
        for place in range(len(self._seen.models)):
            if place != self._seen.current and self._identity(place) == fingerprint:
                seen = Seen(self._seen.models, place)
                if remember:
                    self._remember(seen)
                self._seen = seen

    def _probed(self, patience: Patience, cancel: CancelToken) -> Vectors:
        return self._in_batches(PROBES, lambda texts: self._ask(texts, patience, cancel))

    def _remember(self, seen: Seen) -> None:
        if self._memory is not None:
            keep(self._memory, self._identity(0), seen)
        self._seen = seen

    def _compare(self, probes: Vectors, which: slice) -> None:
        known = self._seen.known
        if known is None:
            self._remember(self._seen.with_model(probes))
        elif not same(known[which], probes):
            was, now = known.shape[1], probes.shape[1]
            how = f"of {now} dimensions, no longer {was}" if was != now else "other ones than before"
            raise ModelChangedError(
                f"the model behind {self._settings.model} at {identity(self._endpoint.url)} has changed: it gives"
                f" vectors {how}, which cannot be compared with those of the library",
                "embed anew with `rankscope index --rebuild`, or let the former model serve again",
            )

    # --- embedding --------------------------------------------------------------------------------------------

    def embed(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        """``(n, dimensions) float32``; zeros for a blank text, which is never sent. Raises ``Cancelled`` and
        ``EmbedderError``; then no vector of the call is to be used."""
        return self._embed(texts, self._settings.document_prefix, self._documents, cancel)

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        """``(dimensions,) float32``. Raises ``EmbedderError`` too where the text is blank."""
        return require_vector(
            self._embed([text], self._settings.query_prefix, self._query, cancel)[0], self.name
        )

    def _embed(self, texts: Sequence[str], prefix: str, patience: Patience, cancel: CancelToken) -> Vectors:
        self._ensure_probed(patience, cancel)
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        visible = [place for place, text in enumerate(texts) if not is_blank(text)]
        if visible:
            rows[visible] = self._in_batches(
                [clean(texts[place]) for place in visible],
                lambda batch: self._checked([clean(prefix) + text for text in batch], patience, cancel),
                beside=1,
            )
        return rows

    def _ensure_probed(self, patience: Patience, cancel: CancelToken) -> None:
        """Ask for the probes where nothing is kept to compare with: one thread, and the others wait."""
        while not self._learning.acquire(timeout=0.02):
            cancel.check()
        try:
            if self._seen.known is None:
                self._compare(self._probed(patience, cancel), slice(None))
        finally:
            self._learning.release()

    def _checked(self, texts: Sequence[str], patience: Patience, cancel: CancelToken) -> Vectors:
        """The vectors of one request, made by the model that is known: the request carries a probe."""
        if self._limits.texts == 1:
            self._compare(self._ask(PROBES[:1], patience, cancel), slice(1))
            return self._ask(texts, patience, cancel)
        found = self._ask([*texts, PROBES[0]], patience, cancel)
        self._compare(found[-1:], slice(1))
        return found[:-1]

    def _in_batches(
        self, texts: Sequence[str], ask: Callable[[Sequence[str]], Vectors], *, beside: int = 0
    ) -> Vectors:
        """``(n, dimensions)``: all texts in requests as large as the endpoint takes, long ones in pieces.

        ``beside`` is how many texts ``ask`` adds of its own.
        """
        limits = self._limits
        left = list(self._pieces(enumerate(texts)))
        found: list[tuple[int, int, Vectors]] = []
        while left:
            batch = left[: limits.count([piece for _, piece in left], beside=beside)]
            given = [piece for _, piece in batch]
            try:
                rows = ask(given)
            except EndpointError as error:
                if not is_refusal(error) or not limits.shrink(error, given, beside=beside):
                    raise self._failed(error) from None
                left = list(self._pieces(left))
                continue
            limits.served(given, beside=beside)
            found += [(owner, len(text), row) for (owner, text), row in zip(batch, rows, strict=True)]
            left = left[len(batch) :]
        return self._joined(len(texts), found)

    def _pieces(self, owned: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Each text in pieces that the endpoint takes, none of them blank, with its owner."""
        for owner, text in owned:
            for piece in pieces_of(text, self._limits.longest):
                if not is_blank(piece):
                    yield owner, piece

    def _joined(self, count: int, found: Sequence[tuple[int, int, Vectors]]) -> Vectors:
        """One unit vector a text: its own, or the direction of the weighted mean of its pieces'."""
        sums = np.zeros((count, len(found[0][2])))
        pieces = np.zeros(count, dtype=np.int64)
        for owner, length, row in found:
            sums[owner] += length * row.astype(np.float64)
            pieces[owner] += 1
        self._in_pieces += int((pieces > 1).sum())
        return normalised(sums)

    # --- one request ------------------------------------------------------------------------------------------

    def _ask(self, texts: Sequence[str], patience: Patience, cancel: CancelToken) -> Vectors:
        """Unit vectors of these texts, after as many attempts as patience has. Raises ``EndpointError`` where
        the server gives none, ``EmbedderError`` where they are none, ``Cancelled``."""
        body: dict[str, object] = {"model": self._settings.model, "input": list(texts)}
        if self._settings.dimensions:
            body["dimensions"] = self._settings.dimensions
        attempt = 0
        while True:
            try:
                answer = post(
                    self._endpoint, body, seconds=patience.seconds, limit=ANSWER_LIMIT, cancel=cancel
                )
                break
            except EndpointError as error:
                delay = patience.delay(attempt, error.retry_after) if error.passing else None
                if delay is None or is_refusal(error):
                    raise
            _wait(delay, cancel)
            attempt += 1
        rows = vectors(answer, len(texts))
        asked = self._settings.dimensions
        if asked and rows.shape[1] != asked:
            raise EmbedderError(
                f"embedding.dimensions: asked {asked}, got {rows.shape[1]}",
                f"set embedding.dimensions to {rows.shape[1]}, or to 0",
            )
        return normalised(rows)

    def _failed(self, error: EndpointError) -> EmbedderError:
        if is_refusal(error) and self._settings.dimensions:
            return EmbedderError(
                error.problem, "set embedding.dimensions to 0 if the model takes none, or check the model"
            )
        return EmbedderError(error.problem, error.remedy)


def _wait(seconds: float, cancel: CancelToken) -> None:
    """Sleep so long; raises ``Cancelled`` within 20 ms of a cancel."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        cancel.check()
        time.sleep(min(left, 0.02))
    cancel.check()
