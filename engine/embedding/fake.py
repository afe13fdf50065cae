"""An embedder for tests: small, instant, scripted. It ships beside the protocol; every part uses it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from engine.cancel import CancelToken
from engine.embedding.protocol import Vectors, embedder_fingerprint, normalised, require_vector
from engine.errors import EmbedderError


class FakeEmbedder:
    """A text's vector counts its words, hashed into a few components; ``vectors`` scripts some texts.

    ``given`` lists every text of every call, in order. ``failing`` is raised by every call while it is set,
    and ``before`` runs at the start of each one: a test may wait there, or cancel.
    """

    semantic = False
    note = "a fake for tests"

    def __init__(
        self,
        dimensions: int = 16,
        *,
        model: str = "fake",
        vectors: Mapping[str, Sequence[float]] | None = None,
        before: Callable[[], None] | None = None,
    ) -> None:
        self.name = "fake"
        self.model = model
        self.dimensions = dimensions
        self.fingerprint = embedder_fingerprint("fake", model=model, dimensions=dimensions)
        self.vectors = dict(vectors or {})
        self.before = before
        self.failing: EmbedderError | None = None
        self.given: list[str] = []
        self.loaded = False

    def load(self, *, cancel: CancelToken | None = None) -> None:
        self.loaded = True

    def embed(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        """``(n, dimensions) float32``; a text without a word is a row of zeros, a scripted one as it says."""
        self.load()
        if self.before is not None:
            self.before()
        cancel.check()
        if self.failing is not None:
            raise self.failing
        self.given.extend(texts)
        return np.array([self._row(text) for text in texts], dtype=np.float32).reshape(-1, self.dimensions)

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        return require_vector(self.embed([text], cancel=cancel)[0], self.name)

    def _row(self, text: str) -> Vectors:
        if text in self.vectors:
            return np.array(self.vectors[text], dtype=np.float32)
        row: Vectors = np.zeros((1, self.dimensions), dtype=np.float32)
        for word in text.casefold().split():
            row[0, zlib.crc32(word.encode("utf-8", "replace")) % self.dimensions] += 1
        return normalised(row).reshape(-1)
