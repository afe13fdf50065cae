"""The list of documents as lines: folders, chunk counts, four state glyphs, and in words what is out of the
ordinary. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, EMPTY, FOCUS, MUTED, PLAIN, STRONG, Line, blank, ends, fit, measure
from tui.widgets.results import pane_title

State = Literal["ready", "waiting", "running", "failed", "off", "mismatch"]

GLYPHS: dict[State, str] = {
    "ready": "✓", "waiting": "◦", "running": "~", "failed": "✗", "off": "-", "mismatch": "!",
}  # fmt: skip
FACETS = "ptvg"
"""Parsing, full text, vectors, graph."""

LEGEND = (("✓ ready  ◦ waiting  ~ running", MUTED), ("✗ failed  - off  ! mismatch", MUTED))
CHUNKS = 5
NOTE = 8
"""Cells that words are given beside a long name: ``conflict``, ``edit 12``."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A document of the list, or a file that is none (``chunks`` None): one that was skipped, or one that is ``new``
    since the last sync.

    ``states`` are those of parsing, full text, vectors and graph. ``note`` says what is out of the ordinary, the
    weightiest first: a conflict, a change on disk, an edit, what waits, why it was skipped.
    """

    path: str
    chunks: int | None
    states: tuple[State, State, State, State]
    note: str = ""
    attention: bool = False
    new: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Shelf:
    """Entries with the rows that they are shown in: a folder's name, or an entry by its place. ``places`` gives
    the row of each entry, ``name`` and ``note`` the cells of the longest name, and of the longest words on a
    document."""

    entries: tuple[Entry, ...]
    rows: tuple[int | str, ...]
    places: tuple[int, ...]
    documents: int
    name: int
    note: int


NEW, SKIPPED = "new on disk", "skipped"


def shelf(entries: Sequence[Entry], sought: str = "") -> Shelf:
    """The entries whose path holds what is sought (case does not count), below their folders; last the files that are no
    documents: those that are new, then those that were skipped."""
    needle = sought.casefold().strip()
    held = tuple(entry for entry in entries if needle in entry.path.casefold())
    kept = sorted(
        held, key=lambda entry: (entry.chunks is None, not entry.new, _folder(entry.path), entry.path)
    )
    rows: list[int | str] = []
    places: list[int] = []
    above: str | None = None
    for number, entry in enumerate(kept):
        folder = _folder(entry.path) if entry.chunks is not None else NEW if entry.new else SKIPPED
        if folder != above:
            if folder:
                rows.append(folder)
            above = folder
        places.append(len(rows))
        rows.append(number)
    documents = sum(entry.chunks is not None for entry in entries)
    name = max((cells.width(text.one_line(_name(entry))) for entry in kept), default=0)
    note = max(
        (cells.width(text.one_line(entry.note)) for entry in kept if entry.chunks is not None), default=0
    )
    return Shelf(tuple(kept), tuple(rows), tuple(places), documents, name, note)


def _folder(path: str) -> str:
    folder, slash, _ = path.rpartition("/")
    return folder + slash


def _name(entry: Entry) -> str:
    return entry.path if entry.chunks is None else entry.path.rpartition("/")[2]


def title(found: Shelf, width: int, focused: bool, sought: str = "") -> Line:
    """``▸DOCUMENTS``, what the list is filtered by, and how many it shows of how many."""
    shown = sum(entry.chunks is not None for entry in found.entries)
    left = (*pane_title("DOCUMENTS", focused), (f"  / {text.one_line(sought)}" if sought else "", FOCUS))
    return fit(ends(left, ((counted(found, shown), MUTED),), width - 1), width)


def counted(found: Shelf, shown: int | None = None) -> str:
    """``24 of 24``."""
    if shown is None:
        shown = sum(entry.chunks is not None for entry in found.entries)
    return f"{figures.whole(shown)} of {figures.whole(found.documents)}"


def counts(found: Shelf) -> tuple[str, ...]:
    """The same, and shorter, for where that has no room."""
    shown = sum(entry.chunks is not None for entry in found.entries)
    return counted(found, shown), figures.whole(shown)


def header(found: Shelf, width: int) -> Line:
    """The titles of the columns."""
    name_cells(found, width)
    return fit(
        (
            *blank(1),
            (cells.fit("name", name_cells(found, width) + 1), MUTED),
            (cells.right("chunks", CHUNKS + 1), MUTED),
            (f" {FACETS}", MUTED),
        ),
        width,
    )


def name_cells(found: Shelf, width: int) -> int:
    """Cells of the names: as many as the longest needs, and no more than leave room for counts, states and what
    is out of the ordinary."""
    room = width - 2 - CHUNKS - 1 - 1 - len(FACETS)
    words = min(found.note, NOTE) + 1 if found.note else 0
    return max(8, min(found.name, room - words))


def row(found: Shelf, number: int | str, width: int, *, cursor: bool, focused: bool, opened: bool) -> Line:
    """A folder's name, or one document: its cursor, name, chunks, states, and words."""
    if isinstance(number, str):
        return fit(((f" {cells.cut_start(text.one_line(number), width - 2)}", MUTED),), width)
    entry = found.entries[number]
    mark = ("▸" if focused else "▹") if cursor else " "
    style = f"{STRONG} {FOCUS}" if cursor and focused else (STRONG if opened else PLAIN)
    count = figures.MISSING if entry.chunks is None else figures.whole(entry.chunks)
    name = cells.cut_path(text.one_line(_name(entry)), name_cells(found, width))
    return fit(
        (
            (mark, FOCUS),
            (" ", PLAIN),
            (cells.fit(name, name_cells(found, width)), style),
            (cells.right(count, CHUNKS + 1), PLAIN),
            (" ", PLAIN),
            *_glyphs(entry.states),
            (f" {text.one_line(entry.note)}" if entry.note else "", ATTENTION if entry.attention else MUTED),
        ),
        width,
    )


def with_legend(lines: list[Line], width: int, height: int) -> list[Line]:
    """The lines, and at the foot of the pane what the glyphs mean, where both have room."""
    free = height - len(lines) - len(LEGEND) - 1
    if free < 0 or width < max(measure((part,)) for part in LEGEND) + 2:
        return lines
    blanks = [EMPTY] * (free + 1)
    return [*lines, *blanks, *(fit(((" ", PLAIN), part), width) for part in LEGEND)]


def _glyphs(states: Sequence[State]) -> Line:
    return tuple(
        (
            GLYPHS[state],
            ATTENTION if state in ("failed", "mismatch") else PLAIN if state == "ready" else MUTED,
        )
        for state in states
    )


def sentence(found: Shelf, number: int) -> str:
    """A document in words."""
    if not 0 <= number < len(found.entries):
        return "no document: / filters by name, r reads the folder again"
    entry = found.entries[number]
    path = text.one_line(entry.path)
    if entry.new:
        return f"{path} is new on disk: r reads the folder again"
    if entry.chunks is None:
        return f"{path} was skipped: {text.one_line(entry.note)}"
    note = text.one_line(entry.note)
    told = f"{figures.plural(entry.chunks, 'chunk')}{', ' if note else ''}{note}" if entry.chunks else note
    words = tuple(zip(("parsing", "full text", "vectors", "graph"), entry.states, strict=True))
    ready = ", ".join(word for word, state in words if state == "ready")
    others = "".join(f", {word} {state}" for word, state in words if state != "ready")
    return f"{path}: {told or 'no retrievable content'}; {ready} ready{others}; enter opens it"
