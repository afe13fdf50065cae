"""What a text falls apart into before it is packed: sections under headings, and units in them. Pure.

A unit is a block of Markdown, a paragraph of plain text, an entry of a log, or a top-level definition of
source code. Units and sections tile the body from its first ink on: the blank lines after a unit are its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from engine.cancel import CancelToken
from engine.chunking.boundary import line_ends, paragraph_ends
from engine.ingest.code import definitions
from engine.ingest.front_matter import front_matter
from engine.ingest.markdown import Heading, Outline, outline
from engine.text import LineIndex, grapheme_floor, is_blank

Span = tuple[int, int]

TITLE_LIMIT = 240
"""Code points of one heading in a path; a path stands beside every chunk of its section."""


@dataclass(frozen=True, slots=True)
class Unit:
    """``[start, end)`` with the blank lines that follow; ``ink`` is where its own lines end.

    ``inner`` are places where it falls apart by itself, as ``(depth, offset)``, shallow ones first to be cut.
    ``name`` is that of a definition in source code. A ``pin`` is never cut, packed or overlapped.
    """

    kind: str
    start: int
    ink: int
    end: int
    inner: tuple[tuple[int, int], ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """The units between two headings, the first heading included, and the headings in force over them."""

    path: tuple[str, ...]
    units: tuple[Unit, ...]

    @property
    def start(self) -> int:
        return self.units[0].start

    @property
    def end(self) -> int:
        return self.units[-1].end

    @property
    def only_headings(self) -> bool:
        return all(unit.kind == "heading" for unit in self.units)

    def unit_at(self, offset: int) -> Unit:
        """The unit that holds ``offset``."""
        return self.units[max(bisect_right(self.units, offset, key=lambda unit: unit.start) - 1, 0)]

    def units_after(self, low: int, high: int) -> tuple[Unit, ...]:
        """The units that start in ``(low, high)``."""
        first = bisect_right(self.units, low, key=lambda unit: unit.start)
        return self.units[first : bisect_left(self.units, high, key=lambda unit: unit.start)]

    def apart(self) -> Iterator[Section]:
        """The section in runs: every pin by itself, and the units between pins."""
        for _, units in groupby(self.units, key=lambda unit: unit.start if unit.kind == "pin" else -1):
            yield Section(self.path, tuple(units))

    def clipped(self, start: int, end: int) -> Section:
        """The part of the section in ``[start, end)``, a unit that reaches across an end cut there."""
        touched = (self.unit_at(start), *self.units_after(start, end)) if start < end else ()
        units = (
            replace(unit, start=max(unit.start, start), ink=min(unit.ink, end), end=min(unit.end, end))
            for unit in touched
        )
        return Section(self.path, tuple(unit for unit in units if unit.start < unit.end))


def sections(text: str, kind: str, language: str = "", cancel: CancelToken | None = None) -> list[Section]:
    """The sections of a document of ``kind`` (``markdown``, ``log``, ``code``; anything else is plain text).

    Only Markdown has more than one. Front matter is in none. A text without ink has none. Raises ``Cancelled``.
    """
    match kind:
        case "markdown":
            return _under_headings(text, outline(text, cancel))
        case "code":
            units = _definitions(text, language)
        case "log":
            units = _tiled(text, "entry", _entry_starts(text))
        case _:
            units = _tiled(text, "paragraph", paragraph_ends(text, 0, len(text)))
    return [Section((), tuple(units))] if units else []


def pinned(text: str, found: Sequence[Section], pins: Sequence[Span]) -> list[Section]:
    """The sections with each pin as one unit of kind ``pin``, what it covers cut away around it.

    A pin that reaches into the next section belongs to the one in which it starts.
    """
    waiting = disjoint(pins)
    gathered: list[Section] = []
    covered = 0
    for section in found:
        units: list[Unit] = []
        position = max(section.start, covered)
        while waiting and waiting[0][0] < section.end:
            start, end = waiting.pop(0)
            units += section.clipped(position, start).units
            units.append(Unit("pin", start, end, end))
            position = covered = end
        units += section.clipped(position, section.end).units
        kept = tuple(unit for unit in units if not is_blank(text, unit.start, unit.end))
        if kept:
            gathered.append(Section(section.path, kept))
    return gathered


def disjoint(pins: Iterable[Span]) -> list[Span]:
    """The pins in order, without empty ones and those that overlap one before them."""
    kept: list[Span] = []
    for start, end in sorted(pins):
        if start < end and (not kept or kept[-1][1] <= start):
            kept.append((start, end))
    return kept


def body_start(text: str, kind: str) -> int:
    """Where the body of a document starts: after the front matter."""
    if kind != "markdown":
        return 0
    matter = front_matter(text)
    return matter.end if matter else 0


# --- Markdown -------------------------------------------------------------------------------------------


def _under_headings(text: str, found: Outline) -> list[Section]:
    blocks = [block for block in found.blocks if not is_blank(text, block.start, block.end)]
    ends = [block.start for block in blocks[1:]] + [len(text)]
    units = [
        Unit(block.kind, block.start, block.end, end, block.inner)
        for block, end in zip(blocks, ends, strict=False)
    ]
    paths = {heading.start: path for heading, path in heading_paths(found.headings)}
    gathered: list[tuple[tuple[str, ...], list[Unit]]] = []
    for unit in units:
        if unit.start in paths or not gathered:
            gathered.append((paths.get(unit.start, ()), []))
        gathered[-1][1].append(unit)
    return [Section(path, tuple(under)) for path, under in gathered]


def heading_paths(headings: Sequence[Heading]) -> Iterator[tuple[Heading, tuple[str, ...]]]:
    """Every heading that opens a section, with the headings in force from it on, itself the last.

    A heading is under the nearest one before it of a lower level, so a skipped level leaves no hole. A
    heading without text closes those of its level and has no name in the path.
    """
    stack: list[Heading] = []
    for heading in headings:
        if heading.nested:
            continue
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        yield heading, tuple(_title(above.text) for above in stack if above.text)


def _title(text: str) -> str:
    title = " ".join(text.split())
    if len(title) <= TITLE_LIMIT:
        return title
    return title[: grapheme_floor(title, TITLE_LIMIT - 1)] + "…"


# --- other kinds ----------------------------------------------------------------------------------------

_CONTINUES = re.compile(r"[ \t]|[})\]]|(?:Caused by|Suppressed|\.\.\. \d+ more)\b")
"""How a line of a log begins that goes on with the entry above."""


def _entry_starts(text: str) -> Iterator[int]:
    for start in line_ends(text, 0, len(text)):
        if not _CONTINUES.match(text, start):
            yield start


def _definitions(text: str, language: str) -> list[Unit]:
    found = {definition.start: definition.name for definition in definitions(text, language)}
    return [replace(unit, name=found.get(unit.start, "")) for unit in _tiled(text, "code", sorted(found))]


def _tiled(text: str, kind: str, starts: Iterable[int]) -> list[Unit]:
    """Units that begin at the line of the first ink and at ascending ``starts``; one without ink joins on."""
    lines = LineIndex.of(text)
    places: list[tuple[int, int]] = []
    begun = 0
    for start in [*starts, len(text)]:
        if is_blank(text, begun, start):
            begun = start
            continue
        first, last = lines.line(begun), lines.line(start - 1)
        while is_blank(text, begun, lines.end(first)):
            first += 1
            begun = lines.start(first)
        while is_blank(text, lines.start(last), start):
            last -= 1
        places.append((begun, min(lines.end(last), start)))
        begun = start
    ends = [begin for begin, _ in places[1:]] + [len(text)]
    return [Unit(kind, begin, ink, end) for (begin, ink), end in zip(places, ends, strict=False)]
