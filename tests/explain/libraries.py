"""Small libraries on disk for verdicts: written, indexed with the built-in embedder, and asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.cancel import CancelToken
from engine.library import Library
from engine.settings import Chunking, Embedding, Settings


def settings(**fields: object) -> Settings:
    return Settings(embedding=Embedding(provider="hash"), **fields)  # type: ignore[arg-type]


def write(root: Path, documents: Mapping[str, str | bytes]) -> Path:
    for path, text in documents.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return root


async def indexed(root: Path, under: Settings | None = None) -> Library:
    library = await Library.open(root, settings=under or settings())
    async for _ in library.sync(cancel=CancelToken()):
        pass
    return library


WINDOWS = Chunking(mode="fixed", target_characters=400, overlap_characters=0, seek_boundary=False)
"""Windows that end wherever they end."""
