"""The Tasks screen: what runs, what lies aside, what is kept for a rollback, and what was done, with its failures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult
from textual.widget import Widget

from tui import tasks_bridge as work
from tui.actions import bindings
from tui.messages import Examined, ExamineFailed
from tui.screens.asking import Asking
from tui.screens.page import Page
from tui.screens.panel import Choices, Panel, text_row
from tui.screens.search_panes import keys_of
from tui.state import View
from tui.text import one_line
from tui.widgets import task_rows
from tui.widgets.line import MUTED, Line, fit
from tui.widgets.pane import Pane
from tui.widgets.task_rows import Row, Work

if TYPE_CHECKING:
    from engine.pipeline.face import Aside, Task

RESUME, COMPARE, TAKE, DROP, BACK, CANCEL, AGAIN = (
    "finish it, and let it serve",
    "see what would change",
    "let serve what is finished, drop the rest",
    "give it up; what serves stays as it is",
    "let the index before the last rebuild serve again",
    "cancel it; what is finished stays, and it resumes later",
    "read the folder again",
)


class TasksPane(Pane):
    """The rows of what the screen shows."""

    SCOPE: ClassVar[str] = "tasks"
    TITLE: ClassVar[str] = "Tasks"
    BINDINGS: ClassVar[list[Any]] = keys_of("tasks")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.work = Work()
        self._rows: tuple[Row, ...] = ()

    @property
    def head(self) -> int:
        return 2

    @property
    def count(self) -> int:
        return len(self._rows)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def show(self, found: Work) -> None:
        """What there is now; the cursor stays with what it stood on, or where it stood."""
        held = self.row
        self.work, self._rows = found, task_rows.rows(found)
        same = next((at for at, row in enumerate(self._rows) if held and _same(row, held)), None)
        self.cursor = min(self.cursor if same is None else same, max(0, self.count - 1))
        self.follow()
        self.repaint()

    def move_to(self, cursor: int) -> None:
        """A blank row is passed over."""
        down = cursor >= self.cursor
        cursor = min(max(cursor, 0), max(0, self.count - 1))
        if self._rows and self._rows[cursor].kind == "blank":
            cursor += 1 if down and cursor + 1 < self.count else -1
        super().move_to(cursor)

    def lines(self) -> list[Line]:
        width = self.size.width
        made = [task_rows.title(self.work, width, self.has_focus), task_rows.header(width)]
        for number in range(self.top, min(self.count, self.top + self.window)):
            made.append(
                task_rows.line(
                    self.work, self._rows[number], width, cursor=number == self.cursor, focused=self.has_focus
                )
            )
        if not self._rows:
            told = (
                "reading the record" if not self.work.settled else "nothing was done yet: r reads the folder"
            )
            made.append(fit(((f"  {told}", MUTED),), width))
        return made


def _same(row: Row, held: Row) -> bool:
    ids = [each.task.id if each.task else None for each in (row, held)]
    return (row.kind, ids[0], row.failure) == (held.kind, ids[1], held.failure)


class TasksScreen(Page):
    """Lists the record anew whenever a task begins or ends."""

    NAME: ClassVar[str] = "Tasks"
    SCOPE: ClassVar[str] = "tasks"
    AUTO_FOCUS = "#tasks"
    BINDINGS: ClassVar[list[Any]] = bindings("tasks")

    def __init__(self) -> None:
        super().__init__()
        self.pane = TasksPane(id="tasks")
        self.pane.work = Work(settled=False)
        self._asking = Asking()
        self._known: object = None

    def body(self) -> ComposeResult:
        yield self.pane

    def main_pane(self) -> Widget | None:
        return self.pane

    def on_unmount(self) -> None:
        self._asking.cancel_all()

    # --- the view ---

    def show(self, view: View) -> None:
        bridge = self.workbench.bridge
        generation = view.status.generation if view.status is not None else ""
        known = (bridge.library is not None, bridge.doing, generation)
        if known != self._known and bridge.library is not None:
            self._known = known
            self._asking.begin("list", lambda: work.listed(bridge, self))
        self.pane.show(replace(self.pane.work, doing=bridge.doing, progress=view.progress))
        self._explain()

    def fit_panes(self) -> None:
        self.pane.repaint()

    def toggle_zoom(self) -> None:
        self.remark("there is one pane here, and it has the whole screen")

    def _explain(self) -> None:
        self.explain(task_rows.sentence(self.pane.work, self.pane.row))

    def on_pane_moved(self, message: Pane.Moved) -> None:
        self._explain()

    def on_examined(self, message: Examined) -> None:
        purpose = self._asking.ended(message.token)
        if purpose == "list":
            tasks, aside, before = cast("tuple[tuple[Task, ...], Aside | None, str]", message.answer)
            self.pane.show(replace(self.pane.work, tasks=tasks, aside=aside, before=before, settled=True))
            self._explain()
        elif purpose == "drop":
            self._again()
            self.remark("the rebuild that lay aside was given up")

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if self._asking.ended(message.token) is not None:
            told = ": ".join(filter(None, (message.problem.sentence, message.problem.remedy)))
            self.remark(one_line(told), attention=True)

    def _again(self) -> None:
        self._asking.begin("list", lambda: work.listed(self.workbench.bridge, self))

    # --- actions ---

    def action_task_open(self) -> None:
        """What can be done with what is under the cursor."""
        row = self.pane.row
        choices = _choices(self.pane.work, row)
        if not choices:
            self.remark("nothing to do with it: r reads the folder again")
            return
        title = "TASK  enter does it, esc leaves"
        self.workbench.push_screen(_DoPanel(title, choices), self.do)

    def do(self, choice: str | None) -> None:
        """Do what was chosen; nothing where nothing was."""
        view, bridge = self.workbench.view, self.workbench.bridge
        match choice:
            case _ if choice == RESUME:
                self._begin(lambda: work.resume(bridge, view.scopes))
            case _ if choice == TAKE:
                self._begin(lambda: work.take_over(bridge, view.scopes))
            case _ if choice == BACK:
                self._begin(lambda: work.roll_back(bridge, view.scopes))
            case _ if choice == COMPARE:
                self.action_task_compare()
            case _ if choice == DROP:
                self._asking.begin("drop", lambda: work.drop(bridge, self))
            case _ if choice == CANCEL:
                self._cancel()
            case _ if choice == AGAIN:
                self._begin(lambda: bridge.sync(view.scopes))

    def _begin(self, start: Any) -> None:
        if not self.workbench.view.writable:
            writer = self.workbench.view.writer or "another process"
            self.remark(f"{writer} writes this library: it alone can do that", attention=True)
        elif self.workbench.bridge.syncing:
            self.remark("a task is running: delete cancels it first", attention=True)
        else:
            start()
            self.show(self.workbench.view)

    def action_task_again(self) -> None:
        """Go on with what lies aside where the cursor stands on it; else read the folder again."""
        row = self.pane.row
        self.do(RESUME if row is not None and row.kind == "aside" else AGAIN)

    def action_task_cancel(self) -> None:
        row = self.pane.row
        if row is not None and row.kind == "aside":
            self.do(DROP)
        elif self.workbench.bridge.syncing:
            self._cancel()
        else:
            self.remark("nothing runs")

    def _cancel(self) -> None:
        self.workbench.bridge.cancel_tasks()
        self.remark("cancelled: r goes on with it")

    def action_task_compare(self) -> None:
        from tui.screens.difference import DifferencePage

        if self.pane.work.aside is None:
            self.remark("nothing lies aside that could be compared")
        else:
            self.workbench.push_screen(DifferencePage())


def _choices(found: Work, row: Row | None) -> tuple[str, ...]:
    if row is None:
        return (AGAIN,)
    if row.kind == "running":
        return (CANCEL,)
    if row.kind == "aside" and found.aside is not None:
        return (RESUME, COMPARE, DROP) if found.aside.whole else (RESUME, COMPARE, TAKE, DROP)
    if row.kind == "before":
        return (BACK,)
    return (AGAIN,) if row.task is not None and row.task.state != "done" else ()


class _DoPanel(Panel[str]):
    """Dismissed with what to do."""

    def __init__(self, title: str, choices: tuple[str, ...]) -> None:
        self.choices = choices
        super().__init__(title, lambda _: [text_row(choice) for choice in choices])

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self.dismiss(self.choices[self.list.cursor])
