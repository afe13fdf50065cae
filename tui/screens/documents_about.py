"""The chunk under the cursor of a document: what of the evidence it holds, what it shares, what its borders cut.
Pure."""

from __future__ import annotations

from collections.abc import Iterator

from engine.chunking.preview import Standing
from tui import text
from tui.screens.documents_work import Shown
from tui.widgets import figures
from tui.widgets.boundary_bands import NONE
from tui.widgets.document import CUT_WORDS, About, shared_before, state
from tui.widgets.document_edit import AFTER_SYNC


def about(shown: Shown, served: Shown | None, offset: int) -> About | None:
    """The chunk at an offset; None where there is none near. ``served`` is the same document as it serves."""
    bands = shown.reading.bands
    number = bands.near(offset)
    if number == NONE:
        return None
    chunk, lines = bands.chunks[number], shown.sheet.lines
    path = getattr(chunk, "heading_path", ())
    return About(
        ordinal=number + 1,
        count=len(bands.chunks),
        line_start=lines.line(chunk.start),
        line_end=lines.line(max(chunk.start, chunk.end - 1)),
        characters=len(getattr(chunk, "text", "")) or chunk.end - chunk.start,
        heading=path[-1] if path else "",
        shared=shared_before(bands.chunks, number),
        cuts=tuple(_cuts(shown, chunk.start, chunk.end)),
        evidence=tuple(_evidence(shown, chunk.start, chunk.end)),
        state=state(chunk),
        served=_served(served, offset) if served is not None and served is not shown else "",
    )


def sentence(shown: Shown, offset: int) -> str:
    """The chunk at an offset, in a sentence: where it begins, and what its borders do."""
    found = about(shown, None, offset)
    if found is None:
        return "no chunk lies here: front matter, or blank; h l go to the chunks"
    bands = shown.reading.bands
    chunk, lines = bands.chunks[found.ordinal - 1], shown.sheet.lines
    inside = chunk.start > lines.start(found.line_start)
    where = (
        "in the middle of "
        if inside and shown.sheet.text[lines.start(found.line_start) : chunk.start].strip()
        else "at "
    )
    told = [f"chunk {figures.whole(found.ordinal)} starts {where}L{found.line_start}"]
    edited, enabled = getattr(chunk, "edited", False), getattr(chunk, "enabled", True)
    if edited or not enabled:
        told.append(f"{'edited' if enabled else 'out of use'}: {AFTER_SYNC}")
    broken = [
        f"{text.one_line(name)} is {standing}" for name, standing in found.evidence if standing != "whole"
    ]
    told += broken[:2]
    told += [f"it cuts {', '.join(dict.fromkeys(found.cuts))}"] if found.cuts else []
    if found.evidence and not broken:
        count = len(found.evidence)
        told.append(f"its evidence ({figures.plural(count, 'span')}) is whole")
    return "; ".join(told)


def _cuts(shown: Shown, start: int, end: int) -> Iterator[str]:
    """What is cut at the borders of a chunk."""
    for cut in shown.measured.cuts:
        if cut.start < end and start < cut.end:
            yield CUT_WORDS[cut.kind].replace("cut ", "a ")


def _evidence(shown: Shown, start: int, end: int) -> Iterator[tuple[str, Standing]]:
    for piece, standing in zip(shown.sheet.pieces, shown.standings, strict=True):
        if piece.start < end and start < piece.end:
            yield piece.case_id, standing


def _served(served: Shown, offset: int) -> str:
    bands = served.reading.bands
    number = bands.near(offset)
    if number == NONE:
        return ""
    chunk, lines = bands.chunks[number], served.sheet.lines
    span = figures.lines(lines.line(chunk.start), lines.line(max(chunk.start, chunk.end - 1)))
    count = figures.plural(chunk.end - chunk.start, "character")
    return f"served cut here: chunk {figures.whole(number + 1)}, {span}, {count}; edits are made there"
