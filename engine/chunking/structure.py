"""Structure mode: units of one section packed up to the target, a unit over the target split inside. Pure.

Whole units come first. Overlap is taken within a section only, never over a heading, at boundaries, and into
the room that the target leaves; a unit that is split inside leaves that room for its later pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.cancel import CancelToken
from engine.chunking.boundary import overlap_start
from engine.chunking.sections import Section
from engine.chunking.split import SMALL, cut_inside, overlap_finders
from engine.text import grapheme_floor


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk to be: its span and the headings in force over it."""

    start: int
    end: int
    path: tuple[str, ...]


def pieces(
    text: str, found: Sequence[Section], target: int, overlap: int, cancel: CancelToken | None = None
) -> Iterator[Piece]:
    """The chunks of a document's sections, in source order; sizes in code points, whatever the numbers.

    Without overlap they tile each section but for blank lines that exceed the target. A chunk's path is the
    one in force at its first line that is no heading. Raises ``Cancelled``.
    """
    for section in with_lone_headings(found, target):
        for run in section.apart():
            yield from packed(text, run, target, overlap, cancel)


def with_lone_headings(found: Sequence[Section], target: int) -> Iterator[Section]:
    """The sections; those that are headings alone go with what follows, up to the target, and take its path.

    Else a heading would end a chunk with nothing under it. At the end of the document nothing follows.
    """
    waiting: Section | None = None
    for section in found:
        if waiting and section.only_headings and section.end - waiting.start > target:
            yield waiting
            waiting = None
        joined = replace(section, units=(*waiting.units, *section.units)) if waiting else section
        waiting = joined if section.only_headings else None
        if waiting is None:
            yield joined
    if waiting:
        yield waiting


def packed(
    text: str, section: Section, target: int, overlap: int, cancel: CancelToken | None = None
) -> Iterator[Piece]:
    """One section's chunks: where they start first, then the overlap into the room that is left."""
    target = max(target, 1)
    overlap = min(max(overlap, 0), target // 2)
    starts = _balanced(section, _starts(text, section, target, overlap, cancel), target)
    previous = section.start
    for core, after in pairwise([*starts, section.end]):
        ink = min(section.unit_at(after - 1).ink, after)
        room = min(overlap, target - (ink - core))
        start = _overlapping(text, section, max(core - room, previous + 1), core, previous)
        end = after if after - start <= target else max(ink, grapheme_floor(text, start + target, start))
        yield Piece(start, end, section.path or _name(section, core, ink))
        previous = start


def _overlapping(text: str, section: Section, earliest: int, core: int, known: int) -> int:
    """Where the chunk that goes on at ``core`` starts, at ``earliest`` or later: at a unit, or inside prose."""
    if earliest >= core:
        return core
    unit = section.unit_at(earliest)
    if unit.start < earliest:
        place = overlap_start(text, known, earliest, min(core, unit.end), overlap_finders(unit, core))
        if place is not None:
            return place
    later = (unit, *section.units_after(earliest, core))
    whole = (each for each in later if each.start >= earliest)
    return next((each.start for each in whole if each.kind != "heading"), core)


def _starts(text: str, section: Section, target: int, overlap: int, cancel: CancelToken | None) -> list[int]:
    """Where chunks start before any overlap. Greedy: a unit that fits into a chunk is not cut, a pin never."""
    starts = [section.start]
    only_headings = True
    for unit in section.units:
        size = unit.start - starts[-1]
        pin = unit.kind == "pin"
        if size and unit.ink - starts[-1] > target and (pin or not only_headings):
            leads_in = unit.ink - unit.start > target and size < target // SMALL
            if pin or not leads_in:
                starts.append(unit.start)
        room = target
        while not pin and unit.ink - starts[-1] > room:
            if cancel is not None:
                cancel.check()
            cut = cut_inside(text, unit, starts[-1], room)
            if cut >= unit.ink:
                break  # one cluster to the end
            starts.append(cut)
            room = target - overlap
        only_headings = only_headings and unit.kind == "heading"
    return starts


def _balanced(section: Section, starts: list[int], target: int) -> list[int]:
    """The same, but a small last chunk takes units of the one before it, if both stay within the target."""
    ink = section.units[-1].ink
    if len(starts) < 2 or ink - starts[-1] >= target // SMALL:
        return starts
    units = section.units_after(starts[-2], starts[-1])
    for before, unit in reversed([*pairwise((section.unit_at(starts[-2]), *units))]):
        if ink - unit.start > target or before.kind == "heading":
            break
        if ink - unit.start >= target // SMALL:
            return [*starts[:-1], unit.start]
    return starts


def _name(section: Section, start: int, end: int) -> tuple[str, ...]:
    """The definition of source code that a chunk lies in, in the place of headings."""
    unit = section.unit_at(start)
    return (unit.name,) if unit.name and end <= unit.end else ()
