"""Edits as lines: what was not saved, what lies in the bin, and every step with what it changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui import cells, text
from tui.widgets import figures
from tui.widgets.document_edit import clock, difference
from tui.widgets.line import EMPTY, MUTED, PLAIN, STRONG, Line, ends, fit
from tui.widgets.results import pane_title

if TYPE_CHECKING:
    from engine.edits.pin import Pin
    from engine.store.edits import Step
    from tui.drafts import Draft

SHOWN = 8
"""Rows of a difference that are shown of one step."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the history: of the step with that number, of an edit in the bin by its id, of an unsaved edit, or of the
    index before the last rebuild; of nothing where there is none."""

    line: Line
    sequence: int = 0
    pin: str = ""
    draft: Draft | None = None
    before: bool = False


def title(count: int, binned: int, width: int, focused: bool) -> list[Line]:
    told = f"{figures.plural(count, 'step')}, {figures.whole(binned)} in the bin"
    return [fit(ends(pane_title("HISTORY", focused), ((told, MUTED),), width - 1), width)]


def rows(
    steps: Sequence[Step],
    binned: Sequence[Pin],
    drafts: Sequence[Draft],
    width: int,
    *,
    before: bool = False,
) -> list[Row]:
    """What was not saved, what lies in the bin, then each step, the latest first; ``before`` says that a rollback can be
    made."""
    above = [*_unsaved(drafts, width), *(_rebuilt() if before else ()), *_bin(steps, binned, width)]
    made = _steps(steps, width)
    if above and made:
        above.append(Row((("STEPS", STRONG), ("  enter takes one back", MUTED))))
    return [*above, *made] or [Row((("nothing was edited yet", MUTED),))]


def _unsaved(drafts: Sequence[Draft], width: int) -> list[Row]:
    """Each text that was begun and not saved, the latest first."""
    if not drafts:
        return []
    made = [Row((("NOT SAVED", STRONG), ("  enter goes on with it", MUTED)))]
    for draft in drafts:
        where = f" L{draft.line}"
        place = cells.cut_path(text.one_line(draft.path), max(8, width - 14 - len(where)))
        head: Line = ((f"      {clock(draft.at)}  ", MUTED), (place + where, PLAIN))
        begin = cells.cut(text.one_line(draft.text.strip()), max(8, width - 7))
        made += [Row(head, draft=draft), Row(((f"      {begin}", MUTED),), draft=draft)]
    return [*made, Row(EMPTY)]


def _rebuilt() -> list[Row]:
    told = "  enter lets the index before it serve again, with every edit made since"
    return [Row((("THE LAST REBUILD", STRONG), (told, MUTED)), before=True), Row(EMPTY)]


def _bin(steps: Sequence[Step], binned: Sequence[Pin], width: int) -> list[Row]:
    """Each text in the bin, the one that came last first, with when it did."""
    if not binned:
        return []
    came = {pin.id: step for step in reversed(steps) for pin in step.added if pin.state == "deleted"}
    order = sorted(binned, key=lambda pin: -came[pin.id].seq if pin.id in came else 0)
    made = [Row((("IN THE BIN", STRONG), ("  enter takes it out", MUTED)))]
    for pin in order:
        step = came.get(pin.id)
        at = f"{step.seq:>4}  {clock(step.at)}" if step is not None else " " * 11
        size = figures.plural(len(pin.effective), "character")
        room = max(8, width - 15 - cells.width(size))
        place = cells.cut_path(text.one_line(pin.path), room)
        made.append(Row(((f"{at}  ", MUTED), (place, PLAIN), (f"  {size}", MUTED)), pin=pin.id))
        begin = cells.cut(text.one_line(pin.effective.strip()), max(8, width - 7))
        made.append(Row(((f"      {begin}", MUTED),), pin=pin.id))
    return [*made, Row(EMPTY)]


def _steps(steps: Sequence[Step], width: int) -> list[Row]:
    """Each step: its number, time, what was done where; below it what changed."""
    undone = {step.undoes for step in steps}
    made: list[Row] = []
    for step in steps:
        state = "  undone" if step.seq in undone else ""
        what = f"undo of {step.undoes}" if step.undoes is not None else step.action
        head: Line = ((f"{step.seq:>4}  {clock(step.at)}  ", MUTED), (f"{what:<9}", STRONG), (state, MUTED))
        room = max(8, width - sum(cells.width(part) for part, _ in head) - 2)
        place = cells.cut_path(text.one_line(step.path), room)
        made.append(Row((*head, (f"  {place}", PLAIN)), step.seq))
        old, new = _before(step), _after(step)
        changed = difference(old, new, width - 8) if old != new else []
        made += [Row(((" " * 6, PLAIN), *line), step.seq) for line in changed[:SHOWN]]
        if len(changed) > SHOWN:
            more = figures.plural(len(changed) - SHOWN, "row")
            made.append(Row(((f"      and {more} more", MUTED),), step.seq))
    return made


def _before(step: Step) -> str:
    """What served before a step: where nothing was edited yet, the source's own text."""
    return _joined(step.removed) if step.removed else "\n".join(pin.base for pin in step.added)


def _after(step: Step) -> str:
    """What serves after it: where nothing is edited any more, the source's own text."""
    return _joined(step.added) if step.added else "\n".join(pin.base for pin in step.removed)


def _joined(pins: Sequence[Pin]) -> str:
    """The texts that pins make serve; of those out of use nothing does."""
    return "\n".join(pin.effective for pin in pins if pin.state == "enabled")
