"""Edits as lines: every step with what it changed, and a conflict with its three texts. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui import cells, text
from tui.widgets import figures
from tui.widgets.document_edit import clock, difference
from tui.widgets.line import ATTENTION, EMPTY, MUTED, PLAIN, STRONG, Line, ends, fit
from tui.widgets.results import pane_title

if TYPE_CHECKING:
    from engine.edits.face import Conflict
    from engine.edits.pin import Pin
    from engine.store.edits import Step

SHOWN = 8
"""Rows of a difference that are shown of one step."""

SIDE_BY_SIDE = 72
"""Cells from which on the three texts of a conflict stand beside each other."""

CHOICES = (
    ("mine", "the edit, where its lines are now"),
    ("file", "the file's text; the edit is dropped, and u brings it back"),
    ("later", "nothing is decided, nothing is lost"),
)
"""What may be done about a conflict."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the history, and the number of its step."""

    line: Line
    sequence: int


def title(count: int, width: int, focused: bool) -> list[Line]:
    told = ((figures.plural(count, "step"), MUTED),)
    return [fit(ends(pane_title("HISTORY", focused), told, width - 1), width)]


def rows(steps: Sequence[Step], width: int) -> list[Row]:
    """Each step, the latest first: its number, time, what was done where; below it what changed."""
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
    return made or [Row((("nothing was edited yet", MUTED),), 0)]


def _before(step: Step) -> str:
    """What served before a step: where nothing was edited yet, the source's own text."""
    return _joined(step.removed) if step.removed else "\n".join(pin.base for pin in step.added)


def _after(step: Step) -> str:
    """What serves after it: where nothing is edited any more, the source's own text."""
    return _joined(step.added) if step.added else "\n".join(pin.base for pin in step.removed)


def _joined(pins: Sequence[Pin]) -> str:
    """The texts that pins make serve; of those out of use nothing does."""
    return "\n".join(pin.effective for pin in pins if pin.state == "enabled")


def conflict(found: Conflict, width: int) -> list[Line]:
    """The three texts of a conflict: beside each other where there is room, else one below the other."""
    place = f"{text.one_line(found.pin.path)}: what was edited is no longer there as it was"
    head: list[Line] = [((cells.cut(place, width - 1), ATTENTION),), EMPTY]
    sides = (("base", found.base), ("mine", found.mine or "out of use"), ("file", found.file or "nothing"))
    if width < SIDE_BY_SIDE:
        for name, content in sides:
            head.append(((name.upper(), STRONG),))
            head += _laid_out(content, width - 2)
        return head
    column = (width - 4) // 3
    laid = [[((name.upper(), STRONG),), *_laid_out(content, column - 1)] for name, content in sides]
    height = max(map(len, laid))
    for number in range(height):
        line: Line = EMPTY
        for each in laid:
            line = (*line, *fit(each[number] if number < len(each) else EMPTY, column), ("  ", PLAIN))
        head.append(line[:-1])
    return head


def _laid_out(content: str, width: int) -> list[Line]:
    shown = text.sanitise(content)
    return [((cells.row(shown, start, end), PLAIN),) for start, end in cells.wrap(shown, width)]
