"""Embedders: one protocol, the built-in ``hash``, the packaged model ``use`` and endpoints (``openai``), chosen by
the settings.

Importing this loads no model and asks no server. ``fake`` ships a scripted embedder for tests.
"""

from __future__ import annotations

from engine.embedding.builtin import HashEmbedder
from engine.embedding.openai import OpenAIEmbedder
from engine.embedding.packaged import REMEDY, PackagedEmbedder, is_installed
from engine.embedding.probe import Memory
from engine.embedding.protocol import (
    Embedder,
    embed_hash,
    embedder_fingerprint,
    embedding_input,
    normalised,
    query_hash,
)
from engine.errors import EmbedderError
from engine.settings import Embedding

__all__ = [
    "Embedder",
    "available",
    "embed_hash",
    "embedder_fingerprint",
    "embedding_input",
    "normalised",
    "query_hash",
    "resolve",
]


def available() -> tuple[str, ...]:
    """The providers that can serve here without any server, best first."""
    return ("use", "hash") if is_installed() else ("hash",)


def resolve(embedding: Embedding, *, recorded: str | None = None, memory: Memory | None = None) -> Embedder:
    """The embedder that the settings name. Loads nothing and asks nobody yet. ``memory`` is where an endpoint's
    model is remembered by.

    ``auto`` is the one ``recorded`` when the library was made, and before that the best that is installed;
    its ``name`` is what to record. Raises ``EmbedderError`` where the provider cannot serve here.
    """
    name: str = embedding.provider
    if name == "auto":
        name = recorded or available()[0]
    if name == "hash":
        return HashEmbedder()
    if name == "use":
        return _packaged()
    if name == "openai":
        return OpenAIEmbedder(embedding, memory=memory)
    choices = " or ".join(f"`{each}`" for each in ("auto", *available()))
    raise EmbedderError(f"no embedder serves the provider `{name}`", f"set embedding.provider to {choices}")


def _packaged() -> PackagedEmbedder:
    if not is_installed():
        raise EmbedderError("the packaged embedding model is not installed", REMEDY)
    return PackagedEmbedder()
