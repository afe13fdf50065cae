"""Chunks for the baselines' tests, as short as a sentence."""

from __future__ import annotations

from engine.model import Chunk


def piece(
    ordinal: int, text: str, *, path: str = "a.md", title: str = "", headings: tuple[str, ...] = ()
) -> Chunk:
    """A chunk whose id is ``c`` and its ordinal."""
    return Chunk(
        chunk_id=f"c{ordinal}",
        document_id=path,
        path=path,
        title=title,
        revision="",
        ordinal=ordinal,
        role="standalone",
        heading_path=headings,
        start=0,
        end=len(text),
        line_start=1,
        line_end=1,
        text=text,
    )


def pieces(*texts: str) -> list[Chunk]:
    return [piece(ordinal, text) for ordinal, text in enumerate(texts, 1)]
