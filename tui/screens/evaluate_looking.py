"""What is looked up of the case under the cursor of the Evaluate screen: what moved it against A, and what would bring
it in where it is lost.

It asks through the page, and draws nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import evaluate_bridge as work
from tui.screens.asking import Asking
from tui.widgets import evaluate_cases

if TYPE_CHECKING:
    from engine.evaluate.live import Live
    from engine.evaluate.run import Variant
    from tui.evaluation import Evaluation
    from tui.screens.page import Page
    from tui.state import View
    from tui.widgets.evaluate_cases import Row

PAUSE = 0.3
"""Seconds on a lost case before what would bring it in is looked for."""

KEPT_OUT = frozenset(("", "context", "refused", "answered"))
"""Where a case ended that no change has to bring in."""


class Looking:
    """``changes`` are the smallest changes by case id, as far as they are known under the settings in force; of a case
    that a boundary cuts, the chunks that share it."""

    def __init__(self, page: Page, asking: Asking) -> None:
        self.changes: dict[str, str] = {}
        self._page = page
        self._asking = asking
        self._of: object = None
        self._wanted: Row | None = None
        self._moved: tuple[object, str] = (None, "")

    def follow(self, view: View) -> None:
        """Other settings, or another set: what was found is no longer true."""
        key = (view.settings.retrieval, view.settings.features, view.evaluation.loaded)
        if key != self._of:
            self._asking.cancel("why")
            self._of, self.changes = key, evaluate_cases.splits(view.evaluation)

    def sentence(self, row: Row, value: Evaluation) -> str:
        """What became of a case, what moved it, and what would bring it in."""
        return evaluate_cases.sentence(row, self.changes.get(row.case_id, ""), self._moved_by(row, value))

    # --- what would bring it in ---

    def rest(self, row: Row | None) -> None:
        """The cursor came to a case; once it rests there, look."""
        self._wanted = row
        if row is not None and self._lost(row):
            self._page.set_timer(PAUSE, lambda: self._look(row))

    def found(self, case_id: str, told: str) -> None:
        self.changes[case_id] = told

    def _lost(self, row: Row) -> bool:
        return row.true and row.after not in KEPT_OUT and row.case_id not in self.changes

    def _look(self, row: Row) -> None:
        """Ask for the smallest change, where the cursor still rests on the case."""
        view = self._page.workbench.view
        loaded, whole = view.evaluation.loaded, view.evaluation.whole
        if self._wanted != row or not self._page.is_current or not self._lost(row):
            return
        if self._asking.running("why") or loaded is None or loaded.live is None or whole is None:
            return
        judged = next(each for each in loaded.live.cases if each.case.id == row.case_id)
        piece = work.lost_piece(judged, whole.outcomes[row.case_id])
        if piece is not None:
            bridge, page = self._page.workbench.bridge, self._page
            self._asking.begin("why", lambda: work.why(bridge, page, judged.case, piece, view))

    # --- what moved it ---

    def _moved_by(self, row: Row, value: Evaluation) -> str:
        """Some milliseconds for the case under the cursor, so it is done where it is told."""
        loaded, a, now = value.loaded, value.a, value.whole
        if not row.true or row.a == row.now or loaded is None or a is None or now is None:
            return ""
        if loaded.live is None:
            return ""
        key = (row.case_id, a, now)
        if self._moved[0] != key:
            self._moved = (key, _parts(loaded.live, row.case_id, a.variant, now.variant))
        return self._moved[1]


def _parts(live: Live, case_id: str, a: Variant, now: Variant) -> str:
    # imported late: it brings numpy, which is there once there is a score
    from engine.evaluate.live_moves import moved

    at = next((place for place, judged in enumerate(live.cases) if judged.case.id == case_id), None)
    recall = None if at is None else live.recalls[at]
    if at is None or recall is None or "learned" in (a.retrieval.rerank, now.retrieval.rerank):
        return ""
    found = moved(live.cases[at], recall, a, now, by_document=live.matrix.by_document)
    return "" if found is None else evaluate_cases.moved_by(found.parts)
