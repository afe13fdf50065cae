"""A conflict of an edit as lines: what may be done, and the three texts, beside each other or one at a time. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

from tui import cells, text
from tui.widgets.line import ATTENTION, EMPTY, FOCUS, MUTED, PLAIN, STRONG, Line, fit

if TYPE_CHECKING:
    from engine.edits.face import Conflict

Choice = Literal["mine", "file", "both", "later"]
Side = Literal["base", "mine", "file"]

SIDE_BY_SIDE = 72
"""Cells from which on the three texts stand beside each other."""

CHOICES: tuple[tuple[Choice, str], ...] = (
    ("mine", "the edit, where its lines are now"),
    ("file", "the file's text; the edit is dropped, and u brings it back"),
    ("both", "both texts into the editor"),
    ("later", "nothing is decided, nothing is lost"),
)
"""What may be done about a conflict, in the order of its keys, 1 to 4."""

SIDES: tuple[Side, ...] = ("base", "mine", "file")

FIRST, BETWEEN, LAST = "<<<<<<< mine", "=======", ">>>>>>> file"
"""What stands around two texts in one editor."""


def rows(found: Conflict, side: Side, width: int) -> list[Line]:
    """The choices with their digits, then the texts; where only one has room, that of ``side``. A line that the
    text before the edit did not have is strong."""
    made: list[Line] = [
        ((f"{number} ", FOCUS), (f"{name:<6}", STRONG), (meaning, MUTED))
        for number, (name, meaning) in enumerate(CHOICES, 1)
    ]
    place = f"{text.one_line(found.pin.path)}: what was edited is no longer there as it was"
    made += [EMPTY, *(((place[start:end], ATTENTION),) for start, end in cells.wrap(place, width - 1)), EMPTY]
    known = set(found.base.splitlines())
    if width < SIDE_BY_SIDE:
        return [*made, _tabs(side), *_laid_out(_content(found, side), known, width - 2)]
    column = (width - 4) // 3
    laid = [
        [((name.upper(), STRONG),), *_laid_out(_content(found, name), known, column - 1)] for name in SIDES
    ]
    for number in range(max(map(len, laid))):
        line: Line = EMPTY
        for each in laid:
            line = (*line, *fit(each[number] if number < len(each) else EMPTY, column), ("  ", PLAIN))
        made.append(line[:-1])
    return made


def _content(found: Conflict, side: Side) -> str:
    if side == "base":
        return found.base
    return (found.mine or "out of use") if side == "mine" else (found.file or "nothing")


def _tabs(side: Side) -> Line:
    made: list[tuple[str, str]] = []
    for name in SIDES:
        here = name == side
        made += [(name.upper() if here else name, STRONG if here else MUTED), ("   ", PLAIN)]
    return (*made, ("h l", MUTED))


def _laid_out(content: str, known: Collection[str], width: int) -> list[Line]:
    made: list[Line] = []
    for raw in content.splitlines() or [""]:
        shown, style = text.sanitise(raw), PLAIN if raw in known else STRONG
        made += [((cells.row(shown, start, end), style),) for start, end in cells.wrap(shown, max(8, width))]
    return made


def both(found: Conflict) -> str:
    """Both texts, each between lines that say whose it is."""
    return "\n".join((FIRST, found.mine.strip("\r\n"), BETWEEN, found.file.strip("\r\n"), LAST))


def undecided(content: str) -> str:
    """Why a text that began as ``both`` cannot be saved yet; nothing where it can."""
    left = [line for line in content.splitlines() if line.rstrip() in (FIRST, LAST)]
    return f"take out the lines that part the two texts: {left[0]!r} is still there" if left else ""
