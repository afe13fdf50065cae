"""Which sentence stands above the keys: about what has the focus, or about what is going on. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.model import Result
from tui import tasks
from tui.screens.search_board import Board
from tui.widgets import bill, sentences
from tui.widgets.lens import sentence as of_lens

if TYPE_CHECKING:
    from engine.explain.lens import Lens


def sentence(
    board: Board, focus: str, result: Result | None, entry: int, *, scores: bool, lens: Lens | None = None
) -> str:
    """The sentence of the part named ``focus``.

    ``result`` is under the cursor of the list, ``entry`` under that of the context. ``scores`` adds raw scores,
    where they stand nowhere else; ``lens`` is what the detail pane shows in place of the passage.
    """
    trace, indexing = board.trace, tasks.sentence(board.view.progress)
    if focus == "question" or trace is None:
        if indexing:
            return f"{indexing} · you can already ask"
        return "enter asks, ↑ ↓ earlier questions" if focus == "question" else "/ asks a question"
    if focus == "tune":
        return sentences.of_setting(board.tuning())
    if focus == "context" and trace.context.groups:
        return sentences.of_entry(trace.context, entry)
    if result is None:
        return indexing
    if focus == "passage" and lens is not None:
        return of_lens(lens)
    if focus == "why":
        told = (bill.sentence(result), sentences.of_sum(result, trace.retrieval))
        return "; ".join(part for part in told if part)
    was = board.rank_before(result.rank - 1)
    against = board.against if board.turned else ""
    return sentences.of_result(result, board.found, was, trace.context, against=against, scores=scores)
