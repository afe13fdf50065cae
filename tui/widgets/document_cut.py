"""A chunk's text with a place where it would be cut, as lines. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, FOCUS, MUTED, PLAIN, STRONG, Line, fit

if TYPE_CHECKING:
    from engine.catalogue.what_if import Piece
    from engine.model import Chunk

KEYS = "h l sentence, j k row, < > character, enter cuts, esc leaves"


def head(chunk: Chunk, at: int, pieces: Sequence[Piece], width: int) -> list[Line]:
    """The two sizes, what the cut would do to evidence, and the keys."""
    count = len(chunk.text)
    sizes = f"SPLIT  {figures.whole(at)} | {figures.whole(count - at)} characters"
    cut = [piece.case_id for piece in pieces if piece.start < chunk.start + at < piece.end]
    told: Line = ((f"  splits the evidence of {text.one_line(', '.join(cut))}", ATTENTION),) if cut else ()
    return [
        fit((("▸", FOCUS), (sizes, f"{STRONG} {FOCUS}"), *told), width),
        fit(((f"  {KEYS}", MUTED),), width),
    ]


def row(shown: str, start: int, end: int, at: int, width: int) -> Line:
    """One row: what stays before the cut, then what comes behind it; the character at the cut is reversed."""
    ink = end - 1 if shown[end - 1 : end] == "\n" else end
    style = PLAIN if ink <= at else MUTED
    here = start <= at < max(end, start + 1)
    mark = ("▸ " if here else "  ", FOCUS)
    if not here:
        return fit((mark, (cells.row(shown, start, ink), style)), width)
    before = cells.row(shown, start, at)
    character = cells.expand(shown[at:ink][:1], cells.width(before)) or " "
    column = cells.width(before) + cells.width(character)
    return fit(
        (mark, (before, PLAIN), (character, "reverse"), (cells.expand(shown[at + 1 : ink], column), MUTED)),
        width,
    )
