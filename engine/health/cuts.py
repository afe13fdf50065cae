"""Sizes, and what a cut parts, one document at a time. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from engine.cancel import CancelToken
from engine.catalogue.opened import Opened
from engine.chunking.preview import CutKind, blocks, cuts
from engine.health.model import Case, case_of
from engine.model import Chunk
from engine.settings import Chunking

TINY = 24
"""Code points of ink below which a chunk says hardly anything: one short sentence."""

OVERSIZED = 1.5
"""Times the target."""

_PARTED: dict[CutKind, str] = {
    "sentence": "the sentence at line {line} is cut here: {quoted}",
    "table": "the table that begins at line {line} is cut here",
    "fence": "the fenced block that begins at line {line} is cut here",
}
QUOTED = 40


def examine(document: Opened, *, cancel: CancelToken) -> Iterator[Case]:
    """What is wrong with the chunks of one document by themselves. Raises ``Cancelled``."""
    retrievable = [chunk for chunk in document.chunks if chunk.role != "parent" and chunk.enabled]
    if not retrievable:
        yield Case("empty", document.path, "", 0, 1, "it holds no retrievable content")
        return
    target = _target(document.chunking)
    for chunk in retrievable:
        cancel.check()
        ink = sum(not character.isspace() for character in chunk.text)
        if ink < TINY and len(retrievable) > 1:
            yield case_of("tiny", chunk, f"{ink} characters of ink, of a target of {target:,}")
        if len(chunk.text) > OVERSIZED * target:
            times = len(chunk.text) / target
            yield case_of("oversized", chunk, f"{len(chunk.text):,} characters, {times:.1f} times the target")
    yield from _parted(document, retrievable, cancel)


def _parted(document: Opened, chunks: list[Chunk], cancel: CancelToken) -> Iterator[Case]:
    """Every sentence, table and fence that no chunk holds whole, told at the chunk that holds its beginning.

    What was edited is as somebody wants it.
    """
    ordered = sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))
    starts = [chunk.start for chunk in ordered]
    units = blocks(document.text, document.kind, document.language, cancel)
    for cut in cuts(document.text, units, document.chunks):
        chunk = ordered[max(0, bisect_right(starts, cut.start) - 1)]
        if chunk.edited:
            continue
        line = chunk.line_start + document.text.count("\n", chunk.start, max(chunk.start, cut.start))
        text = " ".join(document.text[max(0, cut.at - QUOTED // 2) : cut.at].split())
        after = " ".join(document.text[cut.at : cut.at + QUOTED // 2].split())
        sentence = _PARTED[cut.kind].format(line=line, quoted=f"…{text} | {after}…")
        yield case_of(cut.kind, chunk, sentence)


def _target(chunking: Chunking) -> int:
    return chunking.child_characters if chunking.mode == "parent-child" else chunking.target_characters
