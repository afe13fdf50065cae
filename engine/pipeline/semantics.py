"""The embedder in force for a library: which one, its cache, and the vector of a question.

``auto`` is resolved once, when the library is made, and recorded; an embedder that is installed later is a
choice of the user, never a surprise. Vectors of another fingerprint than the generation's never take part.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.embedding import Embedder, resolve
from engine.embedding.openai import OpenAIEmbedder
from engine.embedding.protocol import query_hash
from engine.errors import EmbedderError, LibraryError, ModelChangedError
from engine.model import Degradation
from engine.pipeline.query import QueryVector
from engine.settings import Embedding, Retrieval
from engine.store.cache import EmbeddingCache
from engine.store.generation import Generation
from engine.store.library_file import LibraryFile
from engine.store.places import Places
from engine.store.steps import Steps

_RECORD = "embedder"


@dataclass(frozen=True, slots=True)
class _Memory:
    """Small facts kept in the library file, over a connection of their own: any thread may embed."""

    path: Path

    def value(self, key: str) -> str | None:
        with closing(LibraryFile(self.path)) as file:
            return file.value(key)

    def remember(self, key: str, value: str) -> None:
        try:
            with closing(LibraryFile(self.path)) as file:
                file.remember(key, value)
        except LibraryError as error:
            raise EmbedderError(error.problem, error.remedy) from error


class Semantics:
    """Resolves the embedder when it is first needed. Safe to call from any thread."""

    def __init__(self, places: Places, file: LibraryFile, embedding: Embedding, steps: Steps) -> None:
        self._file = file
        self._memory = _Memory(places.library)
        self._embedding = embedding
        self._guard = threading.Lock()
        self._embedder: Embedder | EmbedderError | None = None
        self.cache = EmbeddingCache(places.cache, steps=steps)

    def close(self) -> None:
        self.cache.close()

    @property
    def embedder(self) -> Embedder:
        """The embedder of this library; raises ``EmbedderError`` where it is not installed any more."""
        with self._guard:
            if self._embedder is None:
                try:
                    self._embedder = self._resolved()
                except EmbedderError as error:
                    self._embedder = error
        if isinstance(self._embedder, EmbedderError):
            raise self._embedder
        return self._embedder

    def _resolved(self) -> Embedder:
        if self._embedding.provider != "auto":
            return resolve(self._embedding, memory=self._memory)
        recorded = self._file.value(_RECORD)
        embedder = resolve(self._embedding, recorded=recorded)
        if recorded is None:
            self._file.remember(_RECORD, embedder.name)
        return embedder

    @property
    def name(self) -> str:
        """The embedder's name for a status line, also where it cannot be loaded."""
        try:
            return self.embedder.name
        except EmbedderError:
            return self._embedding.provider

    @property
    def note(self) -> str:
        try:
            return self.embedder.note
        except EmbedderError as error:
            return error.problem

    def load(self) -> str:
        """Load the model now; the reason why it cannot be, or nothing."""
        try:
            self.embedder.load()
        except EmbedderError as error:
            return str(error)
        return ""

    def adopt(self, *, cancel: CancelToken) -> None:
        """Before all is embedded anew: take the model that now answers under an endpoint's name for this
        library's. Where it cannot be asked, the one before stays. Raises ``Cancelled``."""
        with suppress(EmbedderError):
            embedder = self.embedder
            if isinstance(embedder, OpenAIEmbedder):
                embedder.adopt(cancel=cancel)

    def return_to(self, generation: Generation, *, remember: bool) -> None:
        """Let the model that made the vectors of a generation be the library's, where an endpoint has given another one
        since: a rebuild for that one was never finished, or was gone back from."""
        if self._embedding.provider != "openai":
            return
        with suppress(EmbedderError):
            embedder = self.embedder
            if isinstance(embedder, OpenAIEmbedder):
                embedder.return_to(generation.meta.get("embedder", ""), remember=remember)

    def known(self, fingerprint: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors that the cache has under this fingerprint, of the embedder's dimensions; none of another's."""
        try:
            embedder = self.embedder
        except EmbedderError:
            return {}
        if embedder.fingerprint != fingerprint:
            return {}
        return self.cache.get_many(fingerprint, hashes, dimensions=embedder.dimensions or None)

    def incompatible(self, generation: Generation) -> Degradation | None:
        """What to say where a generation's vectors were made by another embedder than the one in force; None
        where the two compare, or where none can be loaded."""
        try:
            embedder = self.embedder
        except EmbedderError:
            return None
        ours = embedder.fingerprint == generation.meta.get("embedder")
        return None if ours else _incompatible(embedder, generation)

    def query_vector(
        self, generation: Generation, query: str, retrieval: Retrieval, *, wait: bool, cancel: CancelToken
    ) -> QueryVector:
        """The question's vector, from the cache where it was asked before; or why the vector channel cannot
        serve."""
        if retrieval.vector_weight == 0:
            return QueryVector("")
        try:
            embedder = self.embedder
        except EmbedderError as error:
            return QueryVector("", None, Degradation("vector", "vector_off", error.problem, error.remedy))
        if (told := self.incompatible(generation)) is not None:
            return QueryVector(embedder.fingerprint, None, told)
        return self._vector(embedder, query, wait, cancel)

    def _vector(self, embedder: Embedder, query: str, wait: bool, cancel: CancelToken) -> QueryVector:
        fingerprint = embedder.fingerprint
        key = query_hash(query)
        cached = self.known(fingerprint, [key]).get(key)
        if cached is not None:
            return QueryVector(fingerprint, cached)
        if not wait and not embedder.loaded:
            told = Degradation(
                "vector",
                "embedder_loading",
                f"the model {embedder.name} is still loading",
                "ask again in a moment",
            )
            return QueryVector(fingerprint, None, told)
        try:
            vector = embedder.embed_query(query, cancel=cancel)
            require_unchanged(embedder, fingerprint)
        except EmbedderError as error:
            changed = isinstance(error, ModelChangedError)
            code = "vector_incompatible" if changed else "query_embedding_failed"
            return QueryVector(fingerprint, None, Degradation("vector", code, error.problem, error.remedy))
        with suppress(LibraryError):  # a full disk costs the next question the time, this one nothing
            self.cache.put_many(fingerprint, [key], vector[None, :])
        return QueryVector(fingerprint, vector)


def described(embedder: Embedder) -> str:
    """The embedder with the model behind it, for a sentence."""
    return f"{embedder.name} ({embedder.model})"


def require_unchanged(embedder: Embedder, fingerprint: str) -> None:
    """Raises ``ModelChangedError`` where a rebuild has given the embedder another identity meanwhile."""
    if embedder.fingerprint != fingerprint:
        raise ModelChangedError(f"{described(embedder)} was adopted meanwhile", "wait for the rebuild")


def _incompatible(embedder: Embedder, generation: Generation) -> Degradation:
    theirs = generation.meta.get("embedder_name", "") or "another embedder"
    return Degradation(
        "vector",
        "vector_incompatible",
        f"the vectors were made by {theirs}, the settings ask for {described(embedder)}; "
        "the two cannot be compared",
        "rebuild with `rankscope index --rebuild`, or set the embedder back",
    )
