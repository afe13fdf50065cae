"""The history of edits: what was not saved, what lies in the bin, and each step with what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult

from tui import edits_bridge, tasks_bridge
from tui.actions import bindings
from tui.drafts import Draft, Drafts
from tui.messages import Examined, ExamineFailed
from tui.screens import panels
from tui.screens.asking import Asking
from tui.screens.page import Page
from tui.screens.search_panes import keys_of
from tui.text import one_line
from tui.widgets import document_history
from tui.widgets.line import Line
from tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from engine.edits.pin import Pin
    from engine.store.edits import Step


class HistorySheet(Sheet):
    """The steps, row by row."""

    SCOPE: ClassVar[str] = "history"
    TITLE: ClassVar[str] = "History"
    BINDINGS: ClassVar[list[Any]] = keys_of("history")


class HistoryPage(Page):
    """What lies in the bin, then every step of the library's edits, the latest first; ``enter`` takes what is under the
    cursor out, or back, or goes on with it."""

    NAME: ClassVar[str] = "Documents"
    SCOPE: ClassVar[str] = "history"
    AUTO_FOCUS = "#history"
    BINDINGS: ClassVar[list[Any]] = bindings("history")

    def __init__(self) -> None:
        super().__init__()
        self.sheet = HistorySheet(self._top, self._lines, id="history")
        self._steps: Sequence[Step] = ()
        self._binned: Sequence[Pin] = ()
        self._drafts: Sequence[Draft] = ()
        self._before = ""
        self._rows: list[document_history.Row] = []
        self._asking = Asking()

    def body(self) -> ComposeResult:
        yield self.sheet

    def on_mount(self) -> None:
        self._drafts = Drafts(self.workbench.opening.folder).all()
        self.explain(
            "enter goes on with an unsaved edit, takes out what lies in the bin, and takes a step back; q leaves"
        )
        self._ask()

    def on_unmount(self) -> None:
        self._asking.cancel_all()

    def _ask(self) -> None:
        self._asking.begin("history", lambda: edits_bridge.history(self.workbench.bridge, self))

    def _top(self, width: int, focused: bool) -> list[Line]:
        return document_history.title(len(self._steps), len(self._binned), width, focused)

    def _lines(self, width: int) -> list[Line]:
        self._rows = document_history.rows(
            self._steps, self._binned, self._drafts, width, before=bool(self._before)
        )
        return [row.line for row in self._rows]

    def fit_panes(self) -> None:
        self.sheet.fill()

    def on_examined(self, message: Examined) -> None:
        purpose = self._asking.ended(message.token)
        if purpose == "history":
            answer = cast("tuple[Sequence[Step], Sequence[Pin], str]", message.answer)
            self._steps, self._binned, self._before = answer
            self.sheet.fill()
        elif purpose == "undo":
            edits_bridge.done(self.workbench, str(message.answer))
            self._ask()

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if self._asking.ended(message.token) is not None:
            told = ": ".join(filter(None, (message.problem.sentence, message.problem.remedy)))
            self.remark(one_line(told), attention=True)

    def action_step_undo(self) -> None:
        if self.sheet.cursor >= len(self._rows) or self._asking.running("undo"):
            return
        row, bridge = self._rows[self.sheet.cursor], self.workbench.bridge
        if row.draft is not None:
            panels.open_draft(self.workbench, row.draft)
        elif row.before:
            self._roll_back()
        elif row.pin:
            self._asking.begin(
                "undo", lambda: edits_bridge.edit(bridge, self, lambda edits: edits.recover(row.pin))
            )
        elif row.sequence:
            self._asking.begin(
                "undo", lambda: edits_bridge.edit(bridge, self, lambda edits: edits.undo(row.sequence))
            )

    def _roll_back(self) -> None:
        app = self.workbench
        if not app.view.writable or app.bridge.syncing:
            self.remark("not now: another task or another process writes this library", attention=True)
        else:
            tasks_bridge.roll_back(app.bridge, app.view.scopes)
            self.remark("going back to the index before the last rebuild; 6 shows how that goes")

    def toggle_zoom(self) -> None:
        self.remark("there is one pane here, and it has the whole screen")
