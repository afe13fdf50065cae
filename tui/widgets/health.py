"""Chunk health as lines: causes with their counts, below each its chunks, and what is wrong with each. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from engine.health.model import CAUSES, Case, Cause, Health
from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, FOCUS, MUTED, PLAIN, STRONG, Line, blank, ends, fit
from tui.widgets.results import pane_title

NAMES: Mapping[Cause, str] = {
    "empty": "empty", "tiny": "tiny", "oversized": "oversized", "sentence": "cut sentence",
    "table": "cut table", "fence": "cut fence", "duplicate": "duplicate", "near_duplicate": "near duplicate",
    "hub": "hub", "orphan": "orphan",
}  # fmt: skip

HARM: Mapping[Cause, str] = {
    "empty": "no question finds them: write what they should say, or leave the files out of the library",
    "tiny": "a word in common lifts them, and a model reads nothing in them: m merges one with its neighbour",
    "oversized": "one vector stands for many topics, and a hit fills the context: i splits it",
    "sentence": "what it speaks of and what it says of it are found apart: m merges, a larger size keeps it whole",
    "table": "rows without their header are found and not understood: m merges, a larger size keeps it whole",
    "fence": "a part of a listing runs nowhere and misleads: m merges, a larger size keeps it whole",
    "duplicate": "they take ranks from other texts, and only one enters the context: x takes one out of use",
    "near_duplicate": "they take ranks and room in the context from other texts: x takes one out of use",
    "hub": "they rank for questions that they do not answer: e says what it is about, x takes it out of use",
    "orphan": "only its own words find it: e adds the words that a question would have",
}
"""What each cause does to retrieval, and the key of the Documents screen that mends it."""

NAME, COUNT = 15, 6
NONE = "no cause for concern: "


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list: a cause's head, a part of what is told of it, one of its cases, or a rest that is told."""

    cause: Cause | None
    case: Case | None = None
    told: str = ""

    @property
    def head(self) -> bool:
        """Whether a cause begins here."""
        return self.cause is not None and self.case is None and not self.told


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """What was found, by cause. ``place`` is the cells of the longest place."""

    found: Health
    cases: Mapping[Cause, Sequence[Case]] = field(default_factory=dict)
    place: int = 0


def grouped(found: Health) -> Groups:
    """The cases by cause, in the order of the causes."""
    cases: dict[Cause, list[Case]] = {}
    for case in found.cases:
        cases.setdefault(case.cause, []).append(case)
    return Groups(found, cases, max((cells.width(place(case)) for case in found.cases), default=0))


def place(case: Case) -> str:
    """``retry.md L12``; of a document as a whole its path."""
    path = text.one_line(case.path)
    return f"{path} {_line_of(case)}" if case.chunk_id else path


def _line_of(case: Case) -> str:
    return figures.lines(case.line_start, case.line_start)


def rows(groups: Groups, folded: Collection[Cause], width: int) -> tuple[Row, ...]:
    """Every row at a width: below each cause what it does, then its cases, unless it is folded."""
    made: list[Row] = []
    for cause, cases in groups.cases.items():
        if made:
            made.append(Row(None))
        made.append(Row(cause))
        if cause not in folded:
            made += (Row(cause, told=part) for part in _wrapped(HARM[cause], width - 4))
            made += (Row(cause, case) for case in cases)
    free = [NAMES[cause] for cause in CAUSES if cause not in groups.cases]
    rest = [f"{NONE}{', '.join(free)}"] if free else []
    for told in (*rest, groups.found.measured):
        if made:
            made.append(Row(None))
        made += (Row(None, told=part) for part in _wrapped(told, width - 4))
    return tuple(made)


def _wrapped(told: str, width: int) -> list[str]:
    return [told[start:end] for start, end in cells.wrap(told, max(10, width))]


def line(groups: Groups, row: Row, folded: Collection[Cause], width: int) -> Line:
    """One row in at most ``width`` cells."""
    if row.case is not None:
        return _case(groups, row.case, width)
    if row.told or row.cause is None:
        return ((f"  {row.told}", MUTED),)
    mark = "+" if row.cause in folded else "−"
    count = figures.whole(len(groups.cases[row.cause]))
    return fit(
        (
            (f"{mark} ", MUTED),
            (cells.fit(NAMES[row.cause], NAME), STRONG),
            (cells.right(count, COUNT), ATTENTION),
            (f"  {CAUSES[row.cause]}", PLAIN),
        ),
        width,
    )


def _case(groups: Groups, case: Case, width: int) -> Line:
    room = min(groups.place, max(18, (width - 6) * 2 // 5))
    where = place(case)
    if cells.width(where) > room and case.chunk_id:
        at = _line_of(case)
        where = f"{cells.cut_path(text.one_line(case.path), max(4, room - len(at) - 1))} {at}"
    elif cells.width(where) > room:
        where = cells.cut_path(where, room)
    return fit(
        (*blank(2), (cells.fit(where, room), PLAIN), (f"  {text.one_line(case.sentence)}", MUTED)), width
    )


def title(groups: Groups | None, width: int, focused: bool, state: str, *, behind: bool = False) -> Line:
    """``▸HEALTH``, what was looked at and how much was found, and at the end how it stands."""
    left = pane_title("HEALTH", focused)
    if groups is not None:
        found = groups.found
        looked = f"{figures.plural(found.documents, 'document')}, {figures.plural(found.chunks, 'chunk')}: "
        cases = figures.plural(len(found.cases), "case")
        short = width < 60
        left = (*left, ("  ", PLAIN), ("" if short else looked, MUTED), (cases, PLAIN))
    told = cells.cut(state, max(4, width - 10))
    return fit(ends(left, ((told, FOCUS if behind else MUTED),), width - 1), width)


def sentence(groups: Groups, row: Row | None) -> str:
    """What has the cursor, in words."""
    if row is None or row.cause is None:
        return groups.found.measured
    if row.case is None:
        return f"{NAMES[row.cause]}: {HARM[row.cause]}"
    case = row.case
    if not case.chunk_id:
        return f"{place(case)}: {text.one_line(case.sentence)}; enter opens it"
    told = text.one_line(case.sentence)
    return f"{place(case)}, chunk {figures.whole(case.ordinal)}: {told}; enter shows its borders"
