"""What would change if the rebuild that lies aside served: chunks, evidence, the cases of the library's own set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult
from textual.widget import Widget

from tui import tasks, tasks_bridge
from tui.actions import bindings
from tui.messages import Examined, ExamineFailed, Examining
from tui.screens.asking import Asking
from tui.screens.page import Page
from tui.screens.search_panes import keys_of
from tui.state import View
from tui.text import one_line
from tui.widgets import difference, states
from tui.widgets.line import ATTENTION, FOCUS, MUTED, Line, ends, fit
from tui.widgets.pane import Pane
from tui.widgets.results import pane_title

if TYPE_CHECKING:
    from engine.evaluate.difference import Difference


class DifferencePane(Pane):
    """Rows to be read; the cursor moves by row."""

    SCOPE: ClassVar[str] = "difference"
    TITLE: ClassVar[str] = "Difference"
    BINDINGS: ClassVar[list[Any]] = keys_of("difference")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.found: Difference | None = None
        self.told: tuple[str, bool] = ("comparing", False)
        self._rows: tuple[Line, ...] = ()
        self._width = 0

    @property
    def count(self) -> int:
        return len(self._rows)

    def show(self, found: Difference) -> None:
        self.found, self._width = found, 0
        self.repaint()

    def repaint(self) -> None:
        if self.found is not None and self._width != self.size.width > 1:
            self._width = self.size.width
            self._rows = difference.lines(self.found, self._width - 1)
            self.cursor = min(self.cursor, max(0, self.count - 1))
            self.follow()
        super().repaint()

    def lines(self) -> list[Line]:
        width = self.size.width
        name = "" if self.found is None else self.found.generation
        made = [fit(ends(pane_title("DIFFERENCE", self.has_focus), ((name, MUTED),), width - 1), width)]
        if self.found is None:
            told, attention = self.told
            return [*made, *states.lines(((told, ATTENTION if attention else MUTED),), width, 1)]
        for number in range(self.top, min(self.count, self.top + self.window)):
            mark = ("▸" if self.has_focus else "▹") if number == self.cursor else " "
            made.append(fit(((mark, FOCUS), *self._rows[number]), width))
        return made


class DifferencePage(Page):
    """Worked out once, in the background; ``escape`` leaves it, and cancels what still runs."""

    NAME: ClassVar[str] = "Tasks"
    SCOPE: ClassVar[str] = "difference"
    AUTO_FOCUS = "#difference"
    BINDINGS: ClassVar[list[Any]] = bindings("difference")

    def __init__(self) -> None:
        super().__init__()
        self.pane = DifferencePane(id="difference")
        self._asking = Asking()

    def body(self) -> ComposeResult:
        yield self.pane

    def main_pane(self) -> Widget | None:
        return self.pane

    def on_mount(self) -> None:
        super().on_mount()
        view, bridge = self.workbench.view, self.workbench.bridge
        self._asking.begin(
            "difference", lambda: tasks_bridge.difference(bridge, self, view.settings, view.scopes)
        )

    def on_unmount(self) -> None:
        self._asking.cancel_all()

    def show(self, view: View) -> None:
        self.pane.repaint()

    def fit_panes(self) -> None:
        self.pane.repaint()

    def toggle_zoom(self) -> None:
        self.remark("there is one pane here, and it has the whole screen")

    def on_examining(self, message: Examining) -> None:
        if self._asking.purpose_of(message.token) is not None:
            told = tasks.sentence(message.progress).replace("indexing", "comparing")
            self.pane.told = told or "comparing", False
            self.pane.repaint()

    def on_examined(self, message: Examined) -> None:
        if self._asking.ended(message.token) is not None:
            found = cast("Difference", message.answer)
            self.pane.show(found)
            self.explain(difference.sentence(found))

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if self._asking.ended(message.token) is not None:
            told = ": ".join(filter(None, (message.problem.sentence, message.problem.remedy)))
            self.pane.told = one_line(told), True
            self.pane.repaint()

    # --- actions ---

    def action_aside_serve(self) -> None:
        """Let it serve: the Tasks screen shows how that goes."""
        app = self.workbench
        app.pop_screen()
        if not app.view.writable or app.bridge.syncing:
            if app.page is not None:
                app.page.remark(
                    "not now: another task or another process writes this library", attention=True
                )
            return
        tasks_bridge.resume(app.bridge, app.view.scopes)
        app.show(app.view)

    def action_aside_drop(self) -> None:
        app = self.workbench
        app.pop_screen()
        from tui.screens.tasks import DROP, TasksScreen

        if isinstance(app.page, TasksScreen):
            app.page.do(DROP)
