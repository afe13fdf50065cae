"""The dials of the cut, and what another cut would make of the library beside the one that serves, as lines.
Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.settings import Chunking
from engine.settings.fields import Field, fields_of, shown
from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, EMPTY, FOCUS, MUTED, PLAIN, STRONG, Line, Span, blank, ends, fit
from tui.widgets.results import pane_title

if TYPE_CHECKING:
    from engine.catalogue.what_if import Moved, Side, WhatIf

DIALS: tuple[Field, ...] = tuple(known for known in fields_of("chunking") if not known.hidden)
"""The settings of the cut, in the order of the schema."""

LABELS = {
    "mode": "mode", "target_characters": "size", "overlap_characters": "overlap", "parent_characters": "parent",
    "child_characters": "child",
}  # fmt: skip
MATTERS = {
    "fixed": ("target_characters", "overlap_characters"),
    "structure": ("target_characters", "overlap_characters"),
    "parent-child": ("parent_characters", "child_characters"),
}
NAME, VALUE = 11, 9
ASIDE = "B builds it aside; until it is whole and switched, nothing changes."
BLOCKS = " ▁▂▃▄▅▆▇█"
TOLD = 6
"""Pieces of evidence that are listed; the rest is a count."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A cut that is tried, beside the one that serves. ``found`` is None until the whole library was cut;
    ``progress`` says how far that is, ``cases`` how many the evidence is of, ``wrong`` why there is none.
    """

    now: Chunking
    tried: Chunking
    dial: str
    applies: bool = False
    found: WhatIf | None = None
    progress: str = ""
    cases: int = 0
    wrong: str = ""


def title(trial: Trial, width: int, focused: bool) -> Line:
    told = "not applied" if trial.applies else "as it serves"
    return fit(ends(pane_title("WHAT IF", focused), ((told, MUTED),), width - 1), width)


def rows(trial: Trial, width: int, focused: bool) -> tuple[Line, ...]:
    """Dials, counts, evidence and sizes; each value of the preview beside that of now."""
    found = trial.found
    made = [_heads("", width), *(_dial(trial, known, width, focused) for known in DIALS), EMPTY]
    documents = figures.plural(found.documents, "document") if found is not None else trial.progress
    made.append(_section("LIBRARY", documents, width))
    made += _counts(found, width)
    made.append(EMPTY)
    made += _evidence(trial, width)
    made.append(EMPTY)
    made += _sizes(found, width)
    if trial.applies:
        made += [EMPTY, *(_told(ASIDE[start:end], width) for start, end in cells.wrap(ASIDE, width - 3))]
    return tuple(fit(line, width) for line in made)


def dial_row(name: str) -> int:
    """The row of a dial among ``rows``."""
    return 1 + [known.name for known in DIALS].index(name)


def matters(chunking: Chunking, name: str) -> bool:
    """Whether a setting has an effect in the mode of a cut."""
    return name == "mode" or name in MATTERS[chunking.mode]


def value(chunking: Chunking, known: Field) -> str:
    """A setting of a cut as the screen writes it; ``–`` where its mode does not use it."""
    if not matters(chunking, known.name):
        return figures.MISSING
    return text.one_line(shown(known, getattr(chunking, known.name)))


def _heads(name: str, width: int) -> Line:
    columns = cells.right("preview", VALUE) + cells.right("now", VALUE)
    return (*blank(3), (cells.fit(name, NAME - 2) + columns, MUTED))


def _dial(trial: Trial, known: Field, width: int, focused: bool) -> Line:
    here = known.name == trial.dial
    changed = getattr(trial.tried, known.name) != getattr(trial.now, known.name)
    style = STRONG if here else PLAIN if matters(trial.tried, known.name) else MUTED
    tried, now = value(trial.tried, known), value(trial.now, known)
    mark = ("▸" if focused else "▹") if here else " "
    lead: Line = ((mark, FOCUS), (" ", PLAIN), ("*" if changed else " ", STRONG))
    name = LABELS.get(known.name, known.label)
    if known.name == "mode":  # two names do not fit beside each other
        both = f"{tried} (now {now})" if changed else tried
        room = NAME - 2 + 2 * VALUE
        return (
            *lead,
            (cells.fit(name, 5), style),
            (cells.right(both, room - 5), STRONG if changed else style),
        )
    bold = STRONG if changed else style
    columns: Line = ((cells.right(tried, VALUE), bold), (cells.right(now, VALUE), MUTED))
    return (*lead, (cells.fit(name, NAME - 2), style), *columns)


def _section(name: str, told: str, width: int) -> Line:
    return ends(((f"  {name}", STRONG),), ((told, MUTED),), min(width - 1, 1 + NAME + 2 * VALUE))


def _pair(name: str, tried: str, now: str, *, attention: bool = False) -> Line:
    changed = STRONG if tried != now else PLAIN
    style = ATTENTION if attention else changed
    return (
        *blank(3),
        (cells.fit(name, NAME - 2), PLAIN),
        (cells.right(tried, VALUE), style),
        (cells.right(now, VALUE), MUTED),
    )


def _counts(found: WhatIf | None, width: int) -> list[Line]:
    if found is None:
        return [_pair(name, "", "") for name, _ in COUNTS]
    return [
        _pair(name, figures.whole(getattr(found.preview, field)), figures.whole(getattr(found.now, field)))
        for name, field in COUNTS
    ]


COUNTS = (
    ("chunks", "chunks"), ("median", "median"), ("smallest", "smallest"), ("largest", "largest"),
    ("cut sent.", "sentences"), ("cut table", "tables"), ("cut fence", "fences"),
)  # fmt: skip


def _evidence(trial: Trial, width: int) -> list[Line]:
    found = trial.found
    if trial.wrong:
        return [_section("EVIDENCE", "", width), _told(trial.wrong, width)]
    if not trial.cases:
        return [_section("EVIDENCE", "no set", width), _told("evaluation.toml beside the documents", width)]
    if found is None:
        return [
            _section("EVIDENCE", "", width),
            *(_pair(name, "", "") for name in ("whole", "split", "lost")),
        ]
    spans = found.now.whole + found.now.split + found.now.lost
    made = [_section("EVIDENCE", figures.plural(spans, "span"), width)]
    for name in ("whole", "split", "lost"):
        tried, now = getattr(found.preview, name), getattr(found.now, name)
        made.append(
            _pair(name, figures.whole(tried), figures.whole(now), attention=name != "whole" and tried > now)
        )
    return [*made, *moved_rows(found.moved, width)]


def moved_rows(moved: Sequence[Moved], width: int) -> list[Line]:
    """The pieces that stand otherwise, those that are worse first."""
    made: list[Line] = []
    for heading, chosen in (("newly split or lost", _worse(moved)), ("newly whole", _better(moved))):
        if chosen:
            made.append(((f"  {heading}", PLAIN),))
            made += [_piece(one, width) for one in chosen[:TOLD]]
            if len(chosen) > TOLD:
                made.append(((f"   and {figures.whole(len(chosen) - TOLD)} more", MUTED),))
    return made


def _worse(moved: Sequence[Moved]) -> list[Moved]:
    return [one for one in moved if one.after != "whole"]


def _better(moved: Sequence[Moved]) -> list[Moved]:
    return [one for one in moved if one.after == "whole"]


def _piece(one: Moved, width: int) -> Line:
    case = cells.cut(text.one_line(one.piece.case_id), 12)
    place = figures.lines(one.line_start, one.line_end)
    lost = " LOST" if one.after == "lost" else ""
    room = width - 5 - cells.width(case) - len(place) - len(lost)
    path = cells.cut_path(text.one_line(one.path), max(4, room))
    return ((f"   {case} {path} {place}", PLAIN), (lost, ATTENTION))


def _sizes(found: WhatIf | None, width: int) -> list[Line]:
    if found is None:
        return [_section("SIZES", "", width), EMPTY, EMPTY]
    largest = max(found.preview.largest, found.now.largest)
    told = f"0 to {figures.whole(largest)}"
    return [
        _section("SIZES", told, width),
        _bars("preview", found.preview, largest),
        _bars("now", found.now, largest),
    ]


def _bars(name: str, side: Side, largest: int) -> Line:
    counts = side.bars(largest)
    most = max(counts) or 1
    drawn = "".join(BLOCKS[-(-count * (len(BLOCKS) - 1) // most)] for count in counts)
    bars: Span = (drawn, PLAIN)
    return (*blank(3), (cells.fit(name, NAME - 2), PLAIN), bars)


def _told(words: str, width: int) -> Line:
    return ((f"  {cells.cut(text.one_line(words), width - 3)}", MUTED),)
