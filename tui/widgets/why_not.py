"""A verdict as rows: the target, where it was lost, its way through the stages, the smallest changes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.explain.verdict import Change, SpanTarget, StageRow, TextTarget, Verdict
from engine.model import CHANNELS, Chunk
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
    blank,
    cell,
    ends,
    fit,
    measure,
)
from tui.widgets.results import pane_title
from tui.widgets.tune import DECLARED, label, value_text

if TYPE_CHECKING:
    from engine.explain.verdict import Target

STAGE, RANK, OF, SCORE, KEPT = 11, 6, 7, 8, 6
ROOMY, NARROW = 90, 60
"""Cells from which a change takes one row, and below which a stage's reason stands below its numbers."""

CONDITION, TURN = 24, 17
LEAD = 1
QUOTED = 24
"""Cells of the title that the text gets at least, where there is room beside the place."""

SCORELESS = ("gate", "top k")
"""Stages whose score stands in another row already."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row, and which change it tells, counted from 0."""

    line: Line
    change: int | None = None


def title(verdict: Verdict | None, target: Target, width: int, focused: bool, note: str = "") -> Line:
    """``▸WHY NOT  queue.md › 死信 L8–15 #5   “死信队列中的任务…”``; ``note`` says what is waited for."""
    head: Line = (*pane_title("WHY NOT", focused), ("  ", PLAIN))
    quoted = quote(verdict, target)
    beside = cells.width(note) if note else min(QUOTED, cells.width(quoted) + 2) if width >= NARROW else 0
    named = place(verdict, target, max(10, width - measure(head) - 4 - beside))
    left: Line = (*head, (named, STRONG))
    if note:
        return fit(ends(left, ((note, FOCUS),), width - 1), width)
    room = width - measure(left) - 4
    told = f"“{cells.cut(quoted, room - 2)}”" if quoted and room >= 8 else ""
    return fit(ends(left, ((told, MUTED),), width - 1), width)


def place(verdict: Verdict | None, target: Target, room: int) -> str:
    """``queue.md › 死信 L8–15 #5`` in at most ``room`` cells, folders going first; for a text that stands nowhere,
    nothing but its kind.
    """
    found = verdict.place if verdict is not None else None
    if found is None:
        match target:
            case SpanTarget(path, start, end):
                return cells.cut_path(f"{text.one_line(path)} {start:,}–{end:,}", room)
            case TextTarget():
                return "a text"
            case _:
                return "a chunk"
    if not found.chunks:
        return cells.cut_path(text.one_line(found.path), room)
    first, last = found.chunks[0], found.chunks[-1]
    heading = text.one_line(first.heading_path[-1]) if first.heading_path else ""
    number = f"#{first.ordinal}" if first is last else f"#{first.ordinal}–{last.ordinal}"
    span = f" {figures.lines(first.line_start, last.line_end)} {number}"
    return cells.place(text.one_line(found.path), heading, max(8, room - cells.width(span))) + span


def quote(verdict: Verdict | None, target: Target) -> str:
    """The text that is asked for, in one row: as it was pasted, else as it stands in its document."""
    if isinstance(target, TextTarget):
        return " ".join(text.spaced(target.text).split())
    found = verdict.place if verdict is not None else None
    return " ".join(text.spaced(found.text).split()) if found is not None else ""


def rows(verdict: Verdict, width: int, effects: Sequence[str] = ()) -> tuple[Row, ...]:
    """Everything below the title. Sentences are wrapped; only a path too long for its row is cut. ``effects`` say what
    each change would do to the evaluation set, as far as that is known.
    """
    made = [Row(line) for line in _sentence(verdict, width)]
    if verdict.stages:
        made += [Row(line) for line in _stages(verdict.stages, width)]
    if verdict.changes:
        title = ((" SMALLEST CHANGE", STRONG), ("  each was run before it is shown", MUTED))
        made.append(Row(fit(title, width)))
        for number, change in enumerate(verdict.changes):
            effect = effects[number] if number < len(effects) else ""
            made += [Row(line, number) for line in _change(number, change, width, effect)]
    if verdict.remedy is not None:
        made += [Row(line) for line in _remedy(verdict, width)]
    return tuple(made)


def _sentence(verdict: Verdict, width: int) -> Iterator[Line]:
    inside = verdict.layer == "context"
    return _wrapped(verdict.sentence, width, STRONG if inside else f"{STRONG} {ATTENTION}")


def _remedy(verdict: Verdict, width: int) -> Iterator[Line]:
    assert verdict.remedy is not None
    none = "" if verdict.changes or verdict.layer == "context" else "  no setting of a query brings it in"
    yield fit(((" REMEDY", STRONG), (none, MUTED)), width)
    yield from _wrapped(verdict.remedy.sentence, width, PLAIN)


def _wrapped(told: str, width: int, style: str, lead: int = LEAD) -> Iterator[Line]:
    shown = text.spaced(told)
    for start, end in cells.wrap(shown, max(2, width - lead - 1)):
        yield fit((*blank(lead), (shown[start:end], style)), width)


# --- stages ---------------------------------------------------------------------------------------


def _stages(stages: Sequence[StageRow], width: int) -> Iterator[Line]:
    below = width < NARROW
    titles = [("rank", MUTED), ("of", MUTED), ("score", MUTED), ("kept", MUTED)]
    yield fit((*_numbers("stage", titles, MUTED), ("" if below else " because", MUTED)), width)
    for row in stages:
        yield from _stage(row, width, below)


def _stage(row: StageRow, width: int, below: bool) -> Iterator[Line]:
    idle = row.kept is None
    style = MUTED if idle else ATTENTION if row.kept is False else PLAIN
    kept = figures.MISSING if row.kept is None else "yes" if row.kept else "no"
    numbers = _numbers(
        row.stage,
        [(_count(row.rank), style), (_count(row.of), MUTED), (_score(row), style), (kept, style)],
        style,
    )
    room = width - (LEAD + 2 if below else measure(numbers) + 1) - 1
    shown = text.spaced(row.because)
    parts = [shown[start:end] for start, end in cells.wrap(shown, max(2, room))] if shown else []
    reason = MUTED if idle else PLAIN
    if below:
        yield fit(numbers, width)
        yield from (fit((*blank(LEAD + 2), (part, reason)), width) for part in parts)
        return
    yield fit((*numbers, (f" {parts[0]}" if parts else "", reason)), width)
    yield from (fit((*blank(measure(numbers) + 1), (part, reason)), width) for part in parts[1:])


def _numbers(name: str, columns: Sequence[tuple[str, str]], style: str) -> Line:
    spans = [
        cell(value, size - 1, shade)
        for (value, shade), size in zip(columns, (RANK, OF, SCORE, KEPT), strict=True)
    ]
    return (*blank(LEAD), (cells.fit(name, STAGE - 1), style), *spans)


def _count(number: int | None) -> str:
    return figures.MISSING if number is None else figures.whole(number)


def _score(row: StageRow) -> str:
    if row.score is None:
        return figures.MISSING
    if row.stage in SCORELESS:
        return ""
    if row.stage in CHANNELS:
        return figures.score(row.stage, row.score)
    if row.stage == "pack":
        return figures.whole(row.score)
    return figures.fraction(row.score, 4 if row.stage == "fused" else 3)


# --- changes --------------------------------------------------------------------------------------


def _change(number: int, change: Change, width: int, effect: str = "") -> Iterator[Line]:
    """``1  budget ≥ 6,500   6,000 → 6,500   in as [4]; nothing leaves``, in two rows where there is less room; at the
    end what it does to the set.
    """
    told = condition(change)
    turn = " and ".join(
        f"{value_text(name, change.was[name])} → {value_text(name, value)}"
        for name, value in change.settings.items()
    )
    head: Line = ((f"{number + 1:>2}  ", STRONG), (cells.fit(told, max(CONDITION, cells.width(told))), PLAIN))
    head = (*head, ("  ", PLAIN), (cells.fit(turn, max(TURN, cells.width(turn))), PLAIN))
    after = ((consequence(change), PLAIN),)
    if width >= ROOMY and measure(head) + 2 + measure(after) < width:
        told_whole: Line = (*blank(LEAD), *head, ("  ", PLAIN), *after)
        beside = measure(told_whole) + 2 + cells.width(effect) < width
        yield fit(ends(told_whole, ((effect, PLAIN),), width - 1) if effect and beside else told_whole, width)
        if effect and not beside:
            yield from _wrapped(effect, width, PLAIN, LEAD + 4)
        return
    first = ((f"{number + 1:>2}  ", STRONG), (told, PLAIN), ("  ", PLAIN), (turn, PLAIN))
    if measure(first) + LEAD < width:
        yield fit((*blank(LEAD), *first), width)
    else:
        yield fit((*blank(LEAD), *first[:2]), width)
        yield from _wrapped(turn, width, PLAIN, LEAD + 4)
    yield from _wrapped(consequence(change), width, MUTED, LEAD + 4)
    if effect:
        yield from _wrapped(effect, width, PLAIN, LEAD + 4)


def condition(change: Change) -> str:
    """``budget ≥ 6,500``, ``full text ≤ 0.55``, ``vector 0.40–0.55``, ``rerank local``, ``budget 8,000, top k 10``."""
    if len(change.settings) > 1:
        return ", ".join(
            f"{label(name)} {value_text(name, value)}" for name, value in change.settings.items()
        )
    ((name, value),) = change.settings.items()
    known = DECLARED[name]
    if known.choices or known.kind == "boolean":
        return f"{label(name)} {value_text(name, value)}"
    low, high = value_text(name, change.low), value_text(name, change.high)
    if change.high == known.maximum:
        return f"{label(name)} ≥ {low}"
    if change.low == known.minimum:
        return f"{label(name)} ≤ {high}"
    return f"{label(name)} {low}" if low == high else f"{label(name)} {low}–{high}"


def consequence(change: Change) -> str:
    """``in as [4]; nothing leaves``; ``in as [3]; faq.md L3–9 leaves``."""
    told = [f"in as {text.one_line(change.group)}"]
    told += [f"{_named(change.enters)} too"] if change.enters else []
    if change.leaves:
        told.append(f"{_named(change.leaves)} {'leaves' if len(change.leaves) == 1 else 'leave'}")
    else:
        told.append("nothing leaves")
    return "; ".join(told)


def _named(chunks: Sequence[Chunk]) -> str:
    first = chunks[0]
    named = f"{text.one_line(first.path)} {figures.lines(first.line_start, first.line_end)}"
    return named if len(chunks) == 1 else f"{named} and {len(chunks) - 1} more"


def sentence(verdict: Verdict, row: Row | None) -> str:
    """What ``enter`` does on a row."""
    if row is None or row.change is None:
        if verdict.changes:
            return "enter goes to the smallest change; W asks of another target"
        return "W asks of another target, esc goes back"
    change = verdict.changes[row.change]
    told = " and ".join(f"{label(name)} {value_text(name, value)}" for name, value in change.settings.items())
    return f"enter sets {told}: {consequence(change)}; u undoes it"


def as_text(verdict: Verdict, width: int = 100) -> str:
    """The whole verdict as plain text, to be copied."""
    lines = [title(verdict, verdict.target, width, False), *(row.line for row in rows(verdict, width))]
    return "\n".join("".join(part for part, _ in line).rstrip() for line in lines) + "\n"


def empty(told: str, width: int, attention: bool = False) -> tuple[Row, ...]:
    """What stands there while there is no verdict."""
    if not told:
        return (Row(fit(EMPTY, width)),)
    return tuple(Row(line) for line in _wrapped(told, width, ATTENTION if attention else MUTED))
