"""The nearest other cut that would keep a span whole in one chunk: previewed with the chunker itself. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.chunking import chunk, chunker_fingerprint
from engine.errors import SettingsError
from engine.explain.grids import Point, grid
from engine.explain.verdict import Remedy
from engine.settings import Settings, check_settings, fields_of, shown

if TYPE_CHECKING:
    from engine.cancel import CancelToken
    from engine.model import ChunkSpan
    from engine.settings import Chunking

CHARACTERS = 20_000_000
"""Code points that are cut at most for one preview, a few seconds' work."""


def recut(
    text: str,
    kind: str,
    chunking: Chunking,
    start: int,
    end: int,
    *,
    language: str = "",
    cancel: CancelToken,
) -> Remedy | None:
    """The nearest chunking in which ``[start, end)`` lies whole in one retrievable chunk; None where no value
    of a single setting will do. Raises ``Cancelled``."""

    def cut(under: Chunking) -> list[ChunkSpan]:
        spans = chunk(text, kind, under, language=language, cancel=cancel)
        return [span for span in spans if span.role != "parent"]

    before = len(cut(chunking))
    tried = {chunker_fingerprint(chunking)}
    left = CHARACTERS
    for point, under in _points(chunking):
        name = chunker_fingerprint(under)
        if name in tried or left < 0:
            continue
        tried.add(name)
        left -= len(text)
        spans = cut(under)
        home = next((span for span in spans if span.start <= start and end <= span.end), None)
        if home is not None:
            return _told(chunking, point, before, spans, home)
    return None


def _points(chunking: Chunking) -> Iterator[tuple[Point, Chunking]]:
    """Every allowed chunking that differs in one value, nearest first, ties in the order of the settings."""
    points = [
        point
        for field in fields_of("chunking")
        if not field.hidden
        for point in grid(field, getattr(chunking, field.name))
    ]
    for point in sorted(points, key=lambda point: point.size):
        changed: dict[str, Any] = {point.field.name: point.value}
        under = replace(chunking, **changed)
        try:
            check_settings(Settings(chunking=under))
        except SettingsError:
            continue
        yield point, under


def _told(chunking: Chunking, point: Point, before: int, spans: list[ChunkSpan], home: ChunkSpan) -> Remedy:
    field = point.field
    was, now = shown(field, getattr(chunking, field.name)), shown(field, point.value)
    sentence = (
        f"{field.name} {was} → {now} would keep it whole, in L{home.line_start}–{home.line_end}, and cut the "
        f"document into {len(spans):,} chunks, now {before:,}; a rebuild applies it"
    )
    return Remedy("recut", sentence, {field.name: point.value})
