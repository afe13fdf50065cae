"""The packed context as a ledger: the groups as the model gets them, then what was left out, why, and its
need. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.model import Chunk, Context, ContextGroup, LeftOut
from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import (
    ATTENTION,
    EMPTY,
    FOCUS,
    MUTED,
    PLAIN,
    STRONG,
    Line,
    Span,
    blank,
    ends,
    fit,
    measure,
)
from tui.widgets.results import pane_title

BAR = 20
WIDE = 90
NUMBER = 12
RANKS = 7
REASONS = {"budget": "budget", "duplicate": "duplicate", "quota": "quota", "gate": "gate", "top_k": "top k"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the ledger: the line, and which group or left-out hit it belongs to, counted through both."""

    line: Line
    entry: int
    head: bool


def title(context: Context, width: int, focused: bool, margin: int = 1) -> Line:
    """Groups, what was left out, and the characters used of the budget, as figures and as a bar."""
    left = (*blank(margin), *pane_title("CONTEXT", focused), ("  " + counts(context), PLAIN))
    return fit(ends(left, used(context, width), width - 1), width)


def counts(context: Context) -> str:
    """``3 groups, 2 left out``."""
    out = f", {len(context.left_out)} left out" if context.left_out else ""
    return figures.plural(len(context.groups), "group") + out


def used(context: Context, width: int) -> Line:
    """``≈ 3,100 tokens  5,214 of 6,000  █████░``; without tokens, then without the bar, as the width gets small."""
    told: Line = ((f"{figures.whole(context.character_count)} of {figures.whole(context.limit)}", PLAIN),)
    if width < 60:
        return told
    if width >= WIDE:
        told = ((f"{figures.tokens(context.text)}  ", MUTED), *told)
    full = min(BAR, round(BAR * context.character_count / max(1, context.limit)))
    if context.character_count and not full:
        full = 1
    return (*told, ("  ", PLAIN), ("█" * full, PLAIN), ("░" * (BAR - full), MUTED))


def rows(
    context: Context,
    chunks: Mapping[str, Chunk],
    width: int,
    height: int,
    *,
    cursor: int = 0,
    focused: bool = False,
    unfolded: frozenset[int] = frozenset(),
    margin: int = 1,
) -> tuple[Entry, ...]:
    """The ledger below its title.

    ``chunks`` holds what was left out, by chunk id. Texts are shortened so that all heads fit into
    ``height`` where that is possible; an unfolded group is shown whole.
    """
    if not context.groups and not context.left_out:
        return ()
    paper = _Paper(width, margin, 2 + max((len(group.evidence_id) for group in context.groups), default=3))
    wrapped = [_wrap(group.text, paper.text) for group in context.groups]
    frame = context.character_count - sum(group.characters for group in context.groups)
    fixed = len(context.groups) + len(context.left_out) + (1 if frame else 0)
    shares = share([len(lines) for lines in wrapped], height - fixed)
    made: list[Entry] = []
    for at, (group, lines) in enumerate(zip(context.groups, wrapped, strict=True)):
        mark = _mark(at, cursor, focused)
        made.append(Entry(_group(group, paper, mark), at, True))
        shown = len(lines) if at in unfolded else shares[at]
        made.extend(Entry(line, at, False) for line in _body(lines, shown, paper))
    if frame and context.groups:
        made.append(Entry(_frame(frame, paper), len(context.groups) - 1, False))
    for at, out in enumerate(context.left_out, len(context.groups)):
        made.append(Entry(_out(out, chunks.get(out.chunk_id), paper, _mark(at, cursor, focused)), at, True))
    return tuple(made)


def share(needs: list[int], room: int) -> list[int]:
    """How many rows each text gets of ``room``: evenly, what one does not need goes to the others, at least
    one each.
    """
    given = [min(1, need) for need in needs]
    left = room - sum(given)
    while left > 0 and any(has < need for has, need in zip(given, needs, strict=True)):
        for at, need in enumerate(needs):
            if given[at] < need and left > 0:
                given[at] += 1
                left -= 1
    return given


@dataclass(frozen=True, slots=True)
class _Paper:
    """The ledger's columns: where ranks, places and texts begin."""

    width: int
    margin: int
    ids: int

    @property
    def indent(self) -> int:
        return self.margin + self.ids

    @property
    def text(self) -> int:
        return max(2, self.width - self.indent - 2)


@lru_cache(maxsize=128)
def _wrap(group: str, width: int) -> list[str]:
    shown = text.sanitise(group).strip("\n")
    return [
        cells.row(shown, start, end) for start, end in cells.wrap(shown, width) if shown[start:end].strip()
    ]


def _body(lines: list[str], shown: int, paper: _Paper) -> list[Line]:
    while 0 < shown < len(lines) and lines[0].startswith("#"):
        # the heading stands in the row above
        lines = lines[1:]
    kept = lines[:shown]
    if kept and shown < len(lines):
        kept[-1] = cells.cut(kept[-1], paper.text - 2, "") + " …"
    return [fit(((" " * paper.indent, PLAIN), (line, MUTED)), paper.width) for line in kept]


def _mark(entry: int, cursor: int, focused: bool) -> Span:
    return ("▸" if focused and entry == cursor else " ", FOCUS)


def _group(group: ContextGroup, paper: _Paper, mark: Span) -> Line:
    notes = [f"{figures.whole(group.shared)} shared, once"] if group.shared else []
    notes += [f"with {group.expansion}"] if group.expansion else []
    notes += ["cut to fit"] if group.truncated else []
    ranks = "+".join(str(citation.rank) for citation in group.citations)
    heading = group.heading_path[-1] if group.heading_path else ""
    where = _Where(group.path, heading, group.line_start, group.line_end)
    name = cells.fit(text.one_line(group.evidence_id), paper.ids - 1)
    return _entry(paper, mark, (name, STRONG), ranks, where, (", ".join(notes), MUTED), group.characters)


def _out(out: LeftOut, chunk: Chunk | None, paper: _Paper, mark: Span) -> Line:
    heading = chunk.heading_path[-1] if chunk and chunk.heading_path else ""
    where = (
        _Where(chunk.path, heading, chunk.line_start, chunk.line_end)
        if chunk
        else _Where(out.chunk_id, "", 0, 0)
    )
    reason = REASONS[out.reason] + (f": {text.one_line(out.detail)}" if out.detail else "")
    name = cells.fit("out", paper.ids - 1)
    return _entry(paper, mark, (name, ATTENTION), str(out.rank), where, (reason, PLAIN), out.characters)


def _frame(characters: int, paper: _Paper) -> Line:
    left: Line = ((" " * paper.indent, PLAIN), ("notice and marks around the groups", MUTED))
    return fit(ends(left, ((figures.whole(characters), MUTED),), paper.width - 1), paper.width)


@dataclass(frozen=True, slots=True)
class _Where:
    path: str
    heading: str
    first: int
    last: int

    def line(self, width: int) -> Line:
        span = figures.lines(self.first, self.last) if self.first else ""
        room = width - (cells.width(span) + 1 if span and width >= 30 else 0)
        shown = cells.place(text.one_line(self.path), text.one_line(self.heading), room)
        return ((shown, PLAIN), (f" {span}" if span and room < width else "", MUTED))


def _entry(
    paper: _Paper, mark: Span, name: Span, ranks: str, where: _Where, note: Span, characters: int
) -> Line:
    """``[1] 1+2  retry.md › 重试与隔离 L12–24     160 shared, once     2,214``."""
    number = cells.right(figures.whole(characters), NUMBER if paper.width >= 60 else 7)
    told: Line = (note,) if note[0] and paper.width >= 60 else EMPTY
    head: Line = (*blank(paper.margin), mark, name, (cells.fit(ranks, RANKS - 1) + " ", PLAIN))
    room = paper.width - 2 - measure(head) - cells.width(number) - (measure(told) + 2 if told else 0)
    if room < 12 and told:
        told, room = EMPTY, room + measure(told) + 2
    return fit(
        ends((*head, *where.line(max(0, room))), (*told, (number, PLAIN)), paper.width - 1), paper.width
    )
