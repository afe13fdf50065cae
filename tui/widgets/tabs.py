"""The line that names the panes which share one place: the one that is shown in capitals. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.model import Result
from tui import cells, text
from tui.widgets import context, figures
from tui.widgets.line import EMPTY, FOCUS, MUTED, STRONG, Line, blank, ends, fit, join, measure
from tui.widgets.results import pane_title

if TYPE_CHECKING:
    from tui.screens.search_board import Board


def tab_line(
    board: Board,
    tabs: Sequence[str],
    shown: str,
    result: Result | None,
    width: int,
    focused: bool,
    margin: int,
) -> Line:
    """``▸RESULTS   context   why   passage   tune``, and at the other end what the shown pane counts."""
    parts: list[Line] = [
        pane_title(tab.upper(), focused) if tab == shown else ((f" {tab}", MUTED),) for tab in tabs
    ]
    line = join(parts, "  ")
    if measure(line) + margin > width - 1:
        line = join(parts, "")
    right = _counted(board, shown, result, max(0, width - margin - measure(line) - 3))
    return fit(ends((*blank(margin), *line), right, width - 1), width)


def _counted(board: Board, shown: str, result: Result | None, room: int) -> Line:
    """What stands at the right end; shortened, then left out, where there is no room."""
    trace = board.trace
    if trace is None:
        return EMPTY
    forms: list[Line] = []
    if shown == "results":
        top_k = min(board.view.retrieval.top_k, board.found)
        forms = [((f"{top_k} of {figures.whole(board.found)}", MUTED),)]
    elif shown == "context":
        used = context.used(trace.context, 80)
        forms = [
            ((f"{context.counts(trace.context)}   ", MUTED), *used),
            used,
            context.used(trace.context, 0),
        ]
    elif shown in ("why", "passage") and result is not None:
        span = figures.lines(result.chunk.line_start, result.chunk.line_end)
        rank = (f"{result.rank}  ", f"{STRONG} {FOCUS}")
        path = text.one_line(result.chunk.path)
        forms = [
            (rank, (f"{path} {span}, {figures.whole(len(result.chunk.text))} chars", MUTED)),
            (rank, (f"{cells.cut_path(path, max(8, room - 14))} {span}", MUTED)),
            (rank, (span, MUTED)),
        ]
    elif shown == "tune":
        count = board.tuning().count
        forms = [((f"* {count} differ{'s' if count == 1 else ''}", MUTED),)] if count else []
    return next((form for form in forms if measure(form) <= room), EMPTY)
