"""What lies between state A and the present one, as rows: settings, context, ranks, and both contexts as a diff.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.model import Chunk
from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, MUTED, PLAIN, STRONG, Line, blank, cell, ends, fit, measure
from tui.widgets.results import pane_title
from tui.widgets.tune import DECLARED, DIALS, label, value_text

if TYPE_CHECKING:
    from engine.explain.compare import Comparison, Crossing, DiffLine, Move
    from engine.trace import Trace

LAYERS = {
    "not_in_corpus": "not in the index", "not_recalled": "not recalled", "fusion": "lost in fusion",
    "rerank": "lost in the rerank", "gate": "lost at the gate", "duplicate": "left out as a duplicate",
    "quota": "left out by the quota", "budget": "left out by the budget", "context": "only a part was in",
}  # fmt: skip
"""What lost a chunk, in the state that is without it."""

KEPT = 2
"""Lines that stay of what is the same beside a difference."""

RANKS = 3
"""Times top k: moves below are only counted."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row, and whether ``n`` stops there."""

    line: Line
    mark: bool = False


def title(a: str, found: Comparison | None, width: int, focused: bool) -> Line:
    """``▸COMPARE  A → now   12 moved, 2 entered, 1 left``."""
    left: Line = (*pane_title("COMPARE", focused), (f"  {a} → now", PLAIN))
    if found is None:
        return fit(left, width)
    told = f"{len(found.moves)} moved, {len(found.entries)} entered, {len(found.exits)} left"
    return fit(ends(left, ((told, MUTED),), width - 1), width)


def rows(found: Comparison, a: Trace, b: Trace, width: int) -> tuple[Row, ...]:
    """Everything below the title."""
    made = list(_settings(a, b, width))
    made += _context(found, width)
    made += _moves(found.moves, RANKS * b.retrieval.top_k, width)
    made += _diff(found.diff, width)
    return tuple(made)


def turned(a: Trace, b: Trace) -> tuple[str, ...]:
    """The settings that differ, each with both values, in the order of the screen."""
    return tuple(
        f"{label(name)} {value_text(name, before)} → {value_text(name, after)}"
        for name in DIALS
        if name in DECLARED
        and (before := getattr(a.retrieval, name)) != (after := getattr(b.retrieval, name))
    )


def _settings(a: Trace, b: Trace, width: int) -> Iterator[Row]:
    told = list(turned(a, b))
    if a.recall.state != b.recall.state:
        told.append(
            f"the index {text.one_line(a.recall.state.short)} → {text.one_line(b.recall.state.short)}"
        )
    yield Row(fit(((" SETTINGS", STRONG),), width), mark=True)
    yield from _said(", ".join(told) or "the same, and the same index", width, PLAIN if told else MUTED)


def _said(told: str, width: int, style: str) -> Iterator[Row]:
    for start, end in cells.wrap(told, max(2, width - 3)):
        yield Row(fit((*blank(2), (told[start:end], style)), width))


# --- context --------------------------------------------------------------------------------------


def _context(found: Comparison, width: int) -> Iterator[Row]:
    yield Row(fit(((" CONTEXT", STRONG),), width), mark=True)
    if not found.entries and not found.exits:
        yield from _said("it holds the same chunks", width, MUTED)
    for crossing in found.entries:
        yield _crossing("+ in", crossing, f"in A {LAYERS.get(crossing.stage, crossing.stage)}", PLAIN, width)
    for crossing in found.exits:
        yield _crossing(
            "− out", crossing, f"now {LAYERS.get(crossing.stage, crossing.stage)}", ATTENTION, width
        )


def _crossing(sign: str, crossing: Crossing, why: str, style: str, width: int) -> Row:
    head: Line = (*blank(2), (cells.fit(sign, 7), style))
    if width < 60:
        return Row(
            fit((*head, (why, MUTED), ("  ", PLAIN), *_place(crossing.chunk, width)), width), mark=True
        )
    right: Line = ((why, MUTED),)
    room = width - measure(head) - measure(right) - 4
    return Row(fit(ends((*head, *_place(crossing.chunk, room)), right, width - 1), width), mark=True)


def _place(chunk: Chunk, room: int) -> Line:
    span = figures.lines(chunk.line_start, chunk.line_end)
    above = text.one_line(chunk.heading_path[-1]) if chunk.heading_path else ""
    shown = cells.place(text.one_line(chunk.path), above, max(6, room - cells.width(span) - 1))
    return ((shown, PLAIN), (f" {span}", MUTED))


# --- ranks ----------------------------------------------------------------------------------------


def _moves(moves: Sequence[Move], depth: int, width: int) -> Iterator[Row]:
    told = [move for move in moves if min(move.before or depth + 1, move.after or depth + 1) <= depth]
    yield Row(fit(((" RANKS", STRONG),), width), mark=True)
    if not moves:
        yield from _said("no chunk has another rank", width, MUTED)
        return
    columns = [cell("A", 5, MUTED), cell("now", 5, MUTED), cell("", 5)]
    yield Row(fit((*blank(1), *columns, ("  document › heading", MUTED)), width))
    for move in told:
        change = figures.move(move.before, move.after) if move.after else "out"
        numbers = [
            cell(str(move.before) if move.before else figures.MISSING, 5, PLAIN),
            cell(str(move.after) if move.after else figures.MISSING, 5, STRONG),
            cell(change, 5, PLAIN),
        ]
        head: Line = (*blank(1), *numbers, ("  ", PLAIN))
        yield Row(fit((*head, *_place(move.chunk, width - measure(head) - 1)), width))
    if len(told) < len(moves):
        yield from _said(
            f"and {figures.plural(len(moves) - len(told), 'move')} below rank {depth}", width, MUTED
        )


# --- diff -----------------------------------------------------------------------------------------


def _diff(lines: Sequence[DiffLine], width: int) -> Iterator[Row]:
    yield Row(fit(((" BOTH CONTEXTS", STRONG), ("  − A, + now", MUTED)), width), mark=True)
    if all(line.sign == " " for line in lines):
        yield from _said("the same text", width, MUTED)
        return
    shown = _near(lines)
    before, skipped = " ", 0
    for line, near in zip(lines, shown, strict=True):
        if not near:
            skipped += 1
            continue
        if skipped:
            yield from _skipped(skipped, width)
        skipped = 0
        yield from _line(line, width, mark=line.sign != " " and before == " ")
        before = line.sign
    if skipped:
        yield from _skipped(skipped, width)


def _near(lines: Sequence[DiffLine]) -> list[bool]:
    """Which lines differ, or stand within ``KEPT`` of one that does; a single line is never left out."""
    near = [False] * len(lines)
    for at, line in enumerate(lines):
        if line.sign != " ":
            first, last = max(0, at - KEPT), min(len(lines), at + KEPT + 1)
            near[first:last] = [True] * (last - first)
    for at in range(1, len(lines) - 1):
        near[at] = near[at] or (near[at - 1] and near[at + 1])
    return near


def _skipped(count: int, width: int) -> Iterator[Row]:
    yield Row(fit((*blank(4), (f"… {figures.plural(count, 'same line')}", MUTED)), width))


def _line(line: DiffLine, width: int, *, mark: bool) -> Iterator[Row]:
    sign, style = {"+": ("+", STRONG), "-": ("−", ATTENTION)}.get(line.sign, (" ", MUTED))
    shown = text.sanitise(line.text).replace("\n", " ")
    for number, (start, end) in enumerate(cells.wrap(shown, max(2, width - 6)) or [(0, 0)]):
        row = cells.row(shown, start, end)
        yield Row(fit((*blank(2), (f"{sign} ", style), (row, style)), width), mark=mark and not number)


def as_text(a: str, found: Comparison, before: Trace, after: Trace, width: int = 100) -> str:
    """The whole comparison as plain text, to be copied."""
    made = [title(a, found, width, False), *(row.line for row in rows(found, before, after, width))]
    return "\n".join("".join(part for part, _ in line).rstrip() for line in made) + "\n"
