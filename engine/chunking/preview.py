"""What a cut does to a document, before or after it is made: sizes, sentences, tables and fences that it parts,
and whether a piece of evidence stays whole. Pure, and the same for a cut that serves and one that is only tried.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, Protocol

from engine.cancel import CancelToken
from engine.chunking.sections import Unit, sections
from engine.text import is_blank, sentence_ends

Standing = Literal["whole", "split", "lost"]
"""Of a span under a cut: in one chunk, in several but in none of them whole, or partly in no chunk at all."""

CutKind = Literal["sentence", "table", "fence"]

WINDOWS = (100, 400, 2_000)
"""Code points on either side of a cut in which the ends of its sentence are looked for, nearest first."""

_NESTED: dict[tuple[str, ...], CutKind] = {("```", "~~~"): "fence", ("|",): "table"}
"""How a block begins that stands inside a list or a quotation."""

_NO_PROSE = frozenset(("code", "entry", "html", "pin", "definition"))


class Spanned(Protocol):
    """A chunk as a chunker gives it, or as it is stored."""

    @property
    def role(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Cut:
    """Something that no chunk holds whole: ``[start, end)``, and the first chunk border inside it, ``at``."""

    kind: CutKind
    at: int
    start: int
    end: int


class Cover:
    """What the retrievable chunks of one document hold. Finding a home takes a logarithm of their number."""

    def __init__(self, spans: Iterable[Spanned]) -> None:
        held = sorted((span.start, span.end) for span in spans if span.role != "parent")
        self.starts = [start for start, _ in held]
        self.ends = [end for _, end in held]
        self._reach = [*accumulate(self.ends, max)]

    def whole(self, start: int, end: int) -> bool:
        """Whether one chunk holds all of ``[start, end)``."""
        before = bisect_right(self.starts, start)
        return before > 0 and self._reach[before - 1] >= end

    def standing(self, text: str, start: int, end: int) -> Standing:
        """How a span stands under the cut. Blanks around it and between chunks do not count."""
        start, end = inked(text, start, end)
        if self.whole(start, end):
            return "whole"
        place = start
        for number in range(max(0, bisect_right(self._reach, start)), len(self.starts)):
            if self.starts[number] >= end:
                break
            if not is_blank(text, place, max(place, self.starts[number])):
                return "lost"
            place = max(place, self.ends[number])
        return "split" if is_blank(text, place, max(place, end)) and place > start else "lost"


def inked(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the blanks at its ends; as it is where it holds nothing else."""
    part = text[start:end]
    bare = part.strip()
    if not bare:
        return start, end
    begin = start + len(part) - len(part.lstrip())
    return begin, begin + len(bare)


def blocks(text: str, kind: str, language: str = "", cancel: CancelToken | None = None) -> list[Unit]:
    """The blocks of a document of ``kind``, in order: what a cut can part. Raises ``Cancelled``."""
    return [unit for section in sections(text, kind, language, cancel) for unit in section.units]


def cuts(text: str, units: Sequence[Unit], spans: Sequence[Spanned]) -> list[Cut]:
    """Every sentence, table and fence of the blocks that no chunk of these holds whole, in source order."""
    cover = Cover(spans)
    starts = [unit.start for unit in units]
    found: dict[tuple[int, int], Cut] = {}
    for at in sorted({*cover.starts, *cover.ends}):
        place = bisect_left(starts, at) - 1
        if place < 0 or at >= units[place].ink:
            continue
        part = _part(text, units[place], at)
        if part is None:
            continue
        kind, (start, end) = part
        if start < at < end and not cover.whole(start, end):
            found.setdefault((start, end), Cut(kind, at, start, end))
    return [found[span] for span in sorted(found)]


def _part(text: str, unit: Unit, at: int) -> tuple[CutKind, tuple[int, int]] | None:
    """What of a block a border at ``at`` would part."""
    if unit.kind == "table":
        return "table", inked(text, unit.start, unit.ink)
    if unit.kind == "fence":
        return "fence", inked(text, unit.start, unit.ink)
    if unit.kind in _NO_PROSE:
        return None
    start, end = inked(text, *_sentence(text, unit, at))
    kind: CutKind = "sentence"
    for marks, nested in _NESTED.items():
        if text.startswith(marks, start):
            kind = nested
    return kind, (start, end)


def _sentence(text: str, unit: Unit, at: int) -> tuple[int, int]:
    """The sentence around a place: between two sentence ends, or places where its block falls apart by itself."""
    after = bisect_left(unit.inner, at, key=lambda place: place[1])
    following = unit.inner[after][1] if after < len(unit.inner) else unit.ink
    if following == at:
        return at, at
    low = max(unit.start, unit.inner[after - 1][1] if after else 0)
    begin = max(low, at - WINDOWS[-1])
    for window in WINDOWS:
        if ends := [*sentence_ends(text, max(low, at - window), at)]:
            begin = ends[-1]
            break
    high = min(unit.ink, at + WINDOWS[-1], following)
    return begin, next(sentence_ends(text, at, high), high)


@dataclass(frozen=True, slots=True)
class Measured:
    """One document under one cut: the sizes of its retrievable chunks in code points, in source order, and what
    is cut."""

    sizes: tuple[int, ...]
    cuts: tuple[Cut, ...]

    def count(self, kind: CutKind) -> int:
        return sum(cut.kind == kind for cut in self.cuts)


def measured(text: str, units: Sequence[Unit], spans: Sequence[Spanned]) -> Measured:
    """Sizes and cuts of a document under a cut of it."""
    return Measured(tuple(_sizes(spans)), tuple(cuts(text, units, spans)))


def _sizes(spans: Iterable[Spanned]) -> Iterator[int]:
    return (span.end - span.start for span in spans if span.role != "parent")
