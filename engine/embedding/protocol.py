"""What an embedder is, and the exact text that it is given. Knows no embedder and no store."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.errors import EmbedderError
from engine.identity import fingerprint, sha256_text

Vectors = NDArray[np.float32]

HEADING_LIMIT = 1_000
"""Code points of title and headings, each, that go before a text: they must not drown what stands below."""

INPUT_LIMIT = 32_000
"""Code points of one text that are embedded: more than any settings allow a chunk, so only a freak is cut."""

_BLANK = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_UNCLEAN = re.compile("[\0\ud800-\udfff]")


class Embedder(Protocol):
    """Turns texts into unit vectors. The same text gives the same vector, whatever else is in the call.

    ``name`` is the provider's kind as in the settings, ``model`` what serves behind it. ``semantic`` is false
    where only spelling is compared; ``note`` says so in a few words for a status line. ``dimensions`` is 0 while
    only a server knows them. Calls may come from any thread.
    """

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def semantic(self) -> bool: ...
    @property
    def note(self) -> str: ...
    @property
    def loaded(self) -> bool:
        """Whether the next call serves at once."""
        ...

    def load(self, *, cancel: CancelToken | None = None) -> None:
        """Do now what the first call would wait for. Raises ``EmbedderError`` where it cannot be done."""
        ...

    def embed(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        """``(n, dimensions) float32``, L2-normalised; a row of zeros where a text has nothing to embed.

        Raises ``Cancelled`` and ``EmbedderError``.
        """
        ...

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        """``(dimensions,) float32``, L2-normalised. Raises ``EmbedderError`` where there is nothing."""
        ...


def embedding_input(title: str, heading_path: Sequence[str], text: str) -> str:
    """The exact text that is embedded for a chunk: its title, the headings above it, a blank line, its text.

    A title that the headings repeat stands once. Lone surrogates become U+FFFD and NUL a space. Empty where
    the text has no visible character: such a chunk has no vector, whatever stands above it.
    """
    body = clean(text[:INPUT_LIMIT])
    if is_blank(body):
        return ""
    headings = " › ".join(heading for heading in map(_heading, heading_path) if heading)
    first = "" if heading_path and _heading(heading_path[0]) == _heading(title) else _heading(title)
    above = "\n".join(line[:HEADING_LIMIT] for line in (first, headings) if line)
    return f"{above}\n\n{body}" if above else body


def embed_hash(given: str) -> str:
    """Hex SHA-256 of the exact input: the cache's key, and the proof that a vector belongs to its chunk."""
    return sha256_text(given)


def query_hash(query: str) -> str:
    """The cache's key for a query. Never that of a document's text: models may treat the two apart."""
    return sha256_text(f"query\0{clean(query)}")


def clean(text: str) -> str:
    """The text with lone surrogates and NUL replaced, so that every embedder and every encoder takes it."""
    return _UNCLEAN.sub(lambda found: " " if found[0] == "\0" else "\ufffd", text)


def is_blank(text: str) -> bool:
    """Whether nothing in the text can be seen: only spaces, line ends, control and format characters."""
    return all(unicodedata.category(character) in _BLANK for character in text)


def embedder_fingerprint(
    kind: str,
    *,
    model: str,
    dimensions: int,
    endpoint: str = "",
    document_prefix: str = "",
    query_prefix: str = "",
) -> str:
    """16 hex characters for all that two vectors must share to be compared. Every vector is L2-normalised."""
    return fingerprint("embedder", kind, endpoint, model, dimensions, "l2", document_prefix, query_prefix)


def normalised(rows: NDArray[np.floating]) -> Vectors:
    """Each row over its length, in float64, as float32; a row that is zero or not finite becomes zeros."""
    wide = rows.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    usable = np.isfinite(lengths) & (lengths > 0)
    return np.where(usable, wide / np.where(usable, lengths, 1.0), 0.0).astype(np.float32)


def require_vector(row: Vectors, name: str) -> Vectors:
    """The row, or ``EmbedderError`` where it is no usable query vector."""
    if not np.isfinite(row).all() or not row.any():
        raise EmbedderError(f"the embedder {name} found nothing to embed in the question", "add a word to it")
    return row


def _heading(text: str) -> str:
    return " ".join(clean(text[: HEADING_LIMIT + 1]).split())
