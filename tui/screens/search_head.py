"""What stands around the panes of the Search screen, part by part: channels, pipeline, or both in one row; the
dial in one row; the tabs; the evaluation set; on small screens the result in brief. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.model import Result
from tui.screens.search_board import Board
from tui.screens.search_layout import Arrangement
from tui.screens.search_panes import laid_out
from tui.widgets import detail, head, scoreboard, tune
from tui.widgets.line import Line
from tui.widgets.tabs import tab_line

PARTS = ("channels", "pipeline", "summary", "turning", "tabs", "score")


def lines(
    part: str,
    board: Board,
    arrangement: Arrangement,
    foresight: tuple[str, ...],
    result: Result | None,
    focus: str | None,
) -> Sequence[Line]:
    """The rows of one part that is shown. ``foresight`` is where the dial next changes a rank, ``result`` is
    under the cursor of the list, ``focus`` the id of what has the focus.
    """
    width = arrangement.places[part].width
    evaluation, top_k = board.view.evaluation, board.view.retrieval.top_k
    if part == "score":
        return scoreboard.block(evaluation, top_k, width, arrangement.places[part].height)
    if part == "turning":
        score = scoreboard.brief(evaluation, top_k)
        return [tune.turning(board.tuning(), score or tune.foreseen(foresight), width)]
    if part == "tabs":
        return [_tabs(board, arrangement, result, focus, width)]
    trace, counts = board.trace, board.pipeline()
    if trace is None or counts is None:
        return []
    note = "of the query before" if board.behind else ""
    if part == "channels":
        return [head.channels(trace.channels, trace.degraded, width, note=note)]
    if part == "pipeline":
        return [head.pipeline(counts, width)]
    return [head.summary(trace.channels, bool(board.view.troubles), counts, width, note=note)]


def _tabs(
    board: Board, arrangement: Arrangement, result: Result | None, focus: str | None, width: int
) -> Line:
    shown = next((tab for tab in arrangement.tabs if arrangement.shows(tab)), arrangement.tabs[0])
    margin = 1 if arrangement.form == "medium" else 0
    return tab_line(board, arrangement.tabs, shown, result, width, focus == shown, margin)


def brief(board: Board, arrangement: Arrangement, result: Result | None) -> Sequence[Line]:
    """The result under the cursor, in the rows below the list."""
    trace, place = board.trace, arrangement.places["brief"]
    if result is None or trace is None:
        return []
    passage = laid_out(result.chunk, trace.recall.terms, place.width - 2)
    narrow, fusion = arrangement.form == "narrow", trace.retrieval.fusion
    return detail.brief(result, passage, place.width, place.height, narrow, fusion)
