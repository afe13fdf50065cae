"""The history of edits, each step with what it changed; and the conflicts, settled one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult

from tui import edits_bridge
from tui.actions import bindings
from tui.messages import Examined, ExamineFailed
from tui.screens.asking import Asking
from tui.screens.page import Page
from tui.screens.panel import Choices, Panel
from tui.screens.search_panes import keys_of
from tui.text import one_line
from tui.widgets import document_history
from tui.widgets.line import MUTED, STRONG, Line
from tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from engine.edits.face import Conflict
    from engine.store.edits import Step


class HistorySheet(Sheet):
    """The steps, row by row."""

    SCOPE: ClassVar[str] = "history"
    TITLE: ClassVar[str] = "History"
    BINDINGS: ClassVar[list[Any]] = keys_of("history")


class HistoryPage(Page):
    """Every step of the library's edits, the latest first; ``enter`` takes the one under the cursor back."""

    NAME: ClassVar[str] = "Documents"
    SCOPE: ClassVar[str] = "history"
    AUTO_FOCUS = "#history"
    BINDINGS: ClassVar[list[Any]] = bindings("history")

    def __init__(self) -> None:
        super().__init__()
        self.sheet = HistorySheet(self._top, self._lines, id="history")
        self._steps: Sequence[Step] = ()
        self._rows: list[document_history.Row] = []
        self._asking = Asking()

    def body(self) -> ComposeResult:
        yield self.sheet

    def on_mount(self) -> None:
        self.explain(
            "enter takes the step under the cursor back, a step that undid another among them; q leaves"
        )
        self._ask()

    def on_unmount(self) -> None:
        self._asking.cancel_all()

    def _ask(self) -> None:
        self._asking.begin("history", lambda: edits_bridge.history(self.workbench.bridge, self))

    def _top(self, width: int, focused: bool) -> list[Line]:
        return document_history.title(len(self._steps), width, focused)

    def _lines(self, width: int) -> list[Line]:
        self._rows = document_history.rows(self._steps, width)
        return [row.line for row in self._rows]

    def fit_panes(self) -> None:
        self.sheet.fill()

    def on_examined(self, message: Examined) -> None:
        purpose = self._asking.ended(message.token)
        if purpose == "history":
            self._steps = cast("Sequence[Step]", message.answer)
            self.sheet.fill()
        elif purpose == "undo":
            edits_bridge.done(self.workbench, str(message.answer))
            self._ask()

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if self._asking.ended(message.token) is not None:
            told = ": ".join(filter(None, (message.problem.sentence, message.problem.remedy)))
            self.remark(one_line(told), attention=True)

    def action_step_undo(self) -> None:
        cursor = self.sheet.cursor
        sequence = self._rows[cursor].sequence if cursor < len(self._rows) else 0
        if sequence and not self._asking.running("undo"):
            bridge = self.workbench.bridge
            self._asking.begin(
                "undo", lambda: edits_bridge.edit(bridge, self, lambda edits: edits.undo(sequence))
            )

    def toggle_zoom(self) -> None:
        self.remark("there is one pane here, and it has the whole screen")


class ConflictPanel(Panel[str]):
    """One conflict with its three texts, and what may be done. Dismissed with the choice."""

    def __init__(self, found: Conflict, number: int, count: int) -> None:
        self._texts = 0
        choices: list[Line] = [
            ((f"{name:<6}", STRONG), (meaning, MUTED)) for name, meaning in document_history.CHOICES
        ]

        def laid_out(width: int) -> list[Line]:
            texts = document_history.conflict(found, width - 2)
            self._texts = len(texts) + 1
            return [*texts, (), *choices]

        super().__init__(f"CONFLICT {number} of {count}  enter chooses, esc leaves", laid_out)

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        chosen = message.index - self._texts
        if chosen >= 0:
            self.dismiss(document_history.CHOICES[chosen][0])
