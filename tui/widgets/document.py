"""What stands around the text of a document: title, banner of a preview, the chunk under the cursor, and the states
of the library, as lines. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.chunking.preview import Cut, Spanned, Standing
from engine.ingest.formats import EVALUATION_SET
from engine.model import Chunk
from engine.settings import Chunking
from tui import cells, text
from tui.widgets import figures, what_if
from tui.widgets.boundary import Note, Spans
from tui.widgets.document_edit import clock
from tui.widgets.line import ATTENTION, EMPTY, MUTED, PLAIN, STRONG, Line, Span, ends, fit, measure
from tui.widgets.matches import joined
from tui.widgets.results import pane_title

if TYPE_CHECKING:
    from engine.catalogue.standing import OnDisk
    from engine.catalogue.what_if import Piece
    from engine.library import Status

CUT_WORDS = {"sentence": "cut sentence", "table": "cut table", "fence": "cut fence"}
NAME = 7
"""Cells of a case's name in the margin."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the window over a document stands: lines in sight, of how many, and how far down in per cent."""

    first: int
    last: int
    lines: int
    percent: int


@dataclass(frozen=True, slots=True)
class About:
    """The chunk under the cursor. ``ordinal`` counts from 1; ``served`` is the chunk that serves there, where the
    cut is a preview."""

    ordinal: int
    count: int
    line_start: int
    line_end: int
    characters: int
    heading: str = ""
    shared: int = 0
    cuts: tuple[str, ...] = ()
    evidence: tuple[tuple[str, Standing], ...] = ()
    served: str = ""
    state: str = ""


def title(path: str, heading: str, place: Place | None, width: int, focused: bool) -> Line:
    """``▸DOCUMENT  retry.md › 重试与隔离``, and at the other end the lines in sight."""
    right = counted(place) if place is not None else ""
    room = width - cells.width(right) - 14
    name = cells.place(text.one_line(path), text.one_line(heading), max(8, room)) if path else ""
    left = (*pane_title("DOCUMENT", focused), (f"  {name}", PLAIN))
    return fit(ends(left, ((right, MUTED),), width - 1), width)


def counted(place: Place) -> str:
    """``L12–30 of 168   14 %``."""
    span = figures.lines(place.first, place.last)
    return f"{span} of {figures.whole(place.lines)}   {place.percent} %"


def banner(tried: Chunking, now: Chunking, width: int) -> Line:
    """What is tried, and what searches still use; in a narrow pane in as few words as there is room for."""
    first, second = what_if.MATTERS[tried.mode]
    size, overlap = (figures.whole(getattr(tried, name)) for name in (first, second))
    mode = f"{tried.mode}, " if tried.mode != now.mode else ""
    preview = f"{mode}{what_if.LABELS[first]} {size}, {what_if.LABELS[second]} {overlap}"
    served = " / ".join(figures.whole(getattr(now, name)) for name in what_if.MATTERS[now.mode])
    served = f"{now.mode} {served}" if mode else served
    forms = (
        f"  PREVIEW of {preview}; searches still use {served}",
        f"  PREVIEW {preview}; now {served}",
        f" PREVIEW {size} / {overlap}, now {served}",
    )
    told = next((form for form in forms if cells.width(form) < width), forms[-1])
    return fit(((cells.cut(told, width - 1), ATTENTION),), width)


def about(chunk: About | None, width: int, rows: int) -> list[Line]:
    """The chunk under the cursor in up to three rows."""
    if chunk is None:
        return [fit(((("  no chunk here: front matter, or blank"), MUTED),), width)]
    span = figures.lines(chunk.line_start, chunk.line_end)
    head: Line = (
        (f"  CHUNK {figures.whole(chunk.ordinal)} of {figures.whole(chunk.count)}", STRONG),
        (f"  {span}", PLAIN),
    )
    size = figures.plural(chunk.characters, "character")
    forms = (f"{size}   {chunk.state}".rstrip(), size, f"{chunk.characters:,}")
    right = next((form for form in forms if measure(head) + cells.width(form) + 2 < width), "")
    made = [fit(ends(head, ((right, PLAIN),), width - 1), width), fit(_holds(chunk), width)]
    tail = chunk.served or (f"heading {text.one_line(chunk.heading)}" if chunk.heading else "")
    made.append(fit(((f"  {tail}", MUTED),) if tail else EMPTY, width))
    return made[:rows]


def _holds(chunk: About) -> Line:
    """The evidence of a chunk, what it shares, what it cuts."""
    made: list[Span] = []
    if chunk.evidence:
        bad = any(standing != "whole" for _, standing in chunk.evidence)
        made.append((f"  evidence {', '.join(_standings(chunk.evidence))}", ATTENTION if bad else PLAIN))
    if chunk.shared:
        made.append((f"  {figures.whole(chunk.shared)} shared with {chunk.ordinal - 1}", PLAIN))
    made.append(
        (
            f"  {', '.join(chunk.cuts)} cut" if chunk.cuts else "  nothing cut",
            ATTENTION if chunk.cuts else PLAIN,
        )
    )
    return tuple(made)


def _standings(evidence: Sequence[tuple[str, Standing]]) -> list[str]:
    return [f"{cells.cut(text.one_line(name), 16)} {standing}" for name, standing in evidence]


# --- what the boundary view marks -------------------------------------------------------------------


def notes(
    pieces: Sequence[tuple[Piece, Standing]],
    cuts: Sequence[Cut],
    chunks: Sequence[Chunk] = (),
    conflicts: Sequence[int] = (),
) -> tuple[Note, ...]:
    """What the margin says: each piece of evidence where it begins, each cut where the chunk's border is, each chunk that
    was edited or is out of use where it begins, and each edit in conflict where its lines are now."""
    made = [
        Note(
            piece.start,
            f"{cells.cut(text.one_line(piece.case_id), NAME)} {_word(standing)}",
            standing != "whole",
        )
        for piece, standing in pieces
    ]
    made += [Note(cut.at, CUT_WORDS[cut.kind], True) for cut in cuts]
    made += [Note(chunk.start, "edited") for chunk in chunks if chunk.edited and chunk.role != "parent"]
    made += [Note(chunk.start, "out of use", True) for chunk in chunks if not chunk.enabled]
    made += [Note(at, "CONFLICT", True) for at in conflicts]
    return tuple(sorted(made))


def state(chunk: object) -> str:
    """Whether a chunk serves, and whether it was edited."""
    if not isinstance(chunk, Chunk):
        return ""
    used = "enabled" if chunk.enabled else "out of use"
    return f"{used}   {'edited' if chunk.edited else 'not edited'}"


def _word(standing: Standing) -> str:
    return standing if standing == "whole" else standing.upper()


def underlined(pieces: Sequence[Piece]) -> Spans:
    """The spans of evidence, those that overlap as one."""
    return joined((piece.start, piece.end) for piece in pieces)


def shared_before(chunks: Sequence[Spanned], number: int) -> int:
    """Characters that a chunk begins with and the one before it ends with."""
    return max(0, chunks[number - 1].end - chunks[number].start) if number > 0 else 0


# --- the library ------------------------------------------------------------------------------------


def states(status: Status | None, disk: OnDisk | None, writer: str, width: int, troubles: int = 0) -> Line:
    """What of the library is ready, in counts, what changed on disk, and who writes it; cut from the end, but for what
    changed. ``troubles`` are counted before it, where nothing else on the screen tells of them."""
    mark = f" ! {figures.whole(troubles)}  " if troubles else ""
    room = width - cells.width(mark)
    if status is None:
        return fit(((mark, ATTENTION), ("  opening the library", MUTED)), width)
    vectors = f"vectors {figures.whole(status.vectors_ready)} of {figures.whole(status.chunks)}"
    if status.vectors_waiting:
        vectors += f", {figures.whole(status.vectors_waiting)} waiting"
    parts: list[Span] = [
        (_parsed(status, disk), PLAIN),
        (f"full text {figures.whole(status.chunks)}", PLAIN),
        (vectors, PLAIN),
        ("graph not built", MUTED),
    ]
    changed = [(part, ATTENTION) for part in _changed(disk)]
    right: list[Span] = [(f"writer: {text.one_line(writer)}", MUTED)] if writer else []
    while parts and _width((*parts, *changed, *right)) > room - 2:
        if right:
            right.clear()
        elif len(changed) > 1:
            changed.pop()
        else:
            parts.pop()
    left = [(f"   {part}" if number else f" {part}", style) for number, (part, style) in enumerate(parts)]
    told = "".join(part for part, _ in changed)
    shown = ends((*left, (f"   {told}" if told else "", ATTENTION)), tuple(right), room - 1)
    return fit(((mark, ATTENTION), *shown), width)


def _width(parts: Sequence[Span]) -> int:
    return sum(cells.width(part) + 3 for part, _ in parts)


def _parsed(status: Status, disk: OnDisk | None) -> str:
    """How many files that could hold a document do; of how many, once the folder was looked at."""
    told = f"parsed {figures.whole(status.documents)}"
    if disk is None:
        return told
    skipped = sum(each.reason != EVALUATION_SET for each in disk.skipped)
    return f"{told} of {figures.whole(status.documents + skipped)}"


def _changed(disk: OnDisk | None) -> tuple[str, ...]:
    """What a sync would find; since when, and the key, follow where there is room."""
    if disk is None or not disk.changed:
        return ()
    since = f" since {clock(disk.since)}" if disk.since is not None else ""
    return f"{figures.whole(disk.changed)} changed on disk", f"{since} (r syncs)"


def tab_line(tabs: Sequence[str], shown: str, right: Sequence[str], width: int, focused: bool) -> Line:
    """``▸DOCUMENTS  document  what if``, and at the other end what the shown pane counts, in the first form that has
    room."""
    made: list[tuple[str, str]] = []
    for tab in tabs:
        made += pane_title(tab.upper(), focused) if tab == shown else ((f" {tab}", MUTED),)
        made.append(("  ", PLAIN))
    room = width - 1 - sum(cells.width(part) for part, _ in made)
    told = next((form for form in right if cells.width(form) <= room), "")
    return fit(ends(tuple(made), ((told, MUTED),), width - 1), width)


def find_told(count: int, place: int, sought: str) -> str:
    """What a search in the document found."""
    name = text.one_line(sought)
    return (
        f"no {name!r} in this document"
        if not count
        else f"{name!r}: {place + 1} of {figures.whole(count)}; n N next"
    )
