"""Chunk health: the chunks that are likely to serve badly, grouped by cause, each a key away from its borders.

The examination runs in the background and goes on while another screen is looked at; ``escape`` cancels it. What was
found stays, marked once the library has changed; another principal sees nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult
from textual.widget import Widget

from tui import documents_bridge as work
from tui.actions import bindings
from tui.messages import Examined, ExamineFailed, Examining
from tui.screens import panels
from tui.screens.asking import Asking
from tui.screens.page import Page
from tui.screens.search_panes import keys_of
from tui.state import View
from tui.text import one_line
from tui.widgets import figures, health, states
from tui.widgets.line import ATTENTION, FOCUS, MUTED, Line, fit
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from engine.health.model import Cause, Health
    from engine.model import Progress

WAITING = "examining"
STAGES = ("copies", "near copies", "neighbours")
"""What follows the documents, as the examination names it."""

STALE = "changed since: r"


class HealthPane(Pane):
    """Causes and their chunks. Only the rows in sight are drawn: a library may have tens of thousands."""

    SCOPE: ClassVar[str] = "health"
    TITLE: ClassVar[str] = "Health"
    BINDINGS: ClassVar[list[Any]] = keys_of("health")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.groups: health.Groups | None = None
        self.folded: set[Cause] = set()
        self.state = ""
        self.behind = False
        self.told: tuple[str, bool] = ("", False)
        self._rows: tuple[health.Row, ...] = ()
        self._made_for: tuple[object, int] = (None, 0)

    @property
    def count(self) -> int:
        return len(self._rows)

    @property
    def row(self) -> health.Row | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def show(self, groups: health.Groups | None) -> None:
        """What was found anew; the cursor stays with its chunk, or with its cause."""
        held = self.row
        self.groups = groups
        self._lay_out()
        self._hold(held)
        self.follow()
        self.repaint()

    def _lay_out(self) -> None:
        groups, width = self.groups, self.size.width - 1
        self._rows = () if groups is None or width < 1 else health.rows(groups, self.folded, width)
        self._made_for = groups, self.size.width

    def _hold(self, held: health.Row | None) -> None:
        if held is None:
            return
        same = next((number for number, row in enumerate(self._rows) if row == held), None)
        if same is None and held.cause is not None:
            same = self._head_of(held.cause)
        self.cursor = min(self.cursor if same is None else same, max(0, self.count - 1))

    def _head_of(self, cause: Cause) -> int | None:
        return next(
            (number for number, row in enumerate(self._rows) if row.head and row.cause == cause), None
        )

    def fold(self, *, to: bool | None = None) -> None:
        """Fold the cause under the cursor or unfold it; the cursor goes to its head when it is folded."""
        cause = self.row.cause if self.row is not None else None
        if cause is None:
            return
        folds = cause not in self.folded if to is None else to
        if folds:
            self.folded.add(cause)
        else:
            self.folded.discard(cause)
        held = health.Row(cause) if folds else self.row
        self._lay_out()
        self._hold(held)
        self.follow()
        self.repaint()
        self.post_message(self.Moved(self))

    def to_cause(self, step: int) -> bool:
        """Put the cursor on the next cause in one direction; whether there is one."""
        heads = [number for number, row in enumerate(self._rows) if row.head]
        beyond = [number for number in heads if (number - self.cursor) * step > 0]
        if beyond:
            self.move_to(min(beyond, key=lambda number: abs(number - self.cursor)))
        return bool(beyond)

    def lines(self) -> list[Line]:
        width = self.size.width
        title = health.title(self.groups, width, self.has_focus, self.state, behind=self.behind)
        if self.groups is None:
            told, attention = self.told
            return [title, *states.lines(((told, ATTENTION if attention else MUTED),), width, 1)]
        made = [title]
        for number in range(self.top, min(self.count, self.top + self.window)):
            mark = (("▸" if self.has_focus else "▹") if number == self.cursor else " ", FOCUS)
            row = health.line(self.groups, self._rows[number], self.folded, width - 1)
            made.append(fit((mark, *row), width))
        return made

    def on_resize(self) -> None:
        if self._made_for != (self.groups, self.size.width):
            held = self.row
            self._lay_out()
            self._hold(held)
        super().on_resize()


class HealthPage(Page):
    """What was found of the library that serves, and the way to each chunk of it."""

    NAME: ClassVar[str] = "Documents"
    SCOPE: ClassVar[str] = "health"
    AUTO_FOCUS = "#health"
    BINDINGS: ClassVar[list[Any]] = bindings("health")

    def __init__(self) -> None:
        super().__init__()
        self.pane = HealthPane(id="health")
        self._asking = Asking()
        self._asked: object = None
        self._found_in: object = None

    def body(self) -> ComposeResult:
        yield self.pane

    def main_pane(self) -> Widget | None:
        return self.pane

    def on_unmount(self) -> None:
        self._asking.cancel_all()

    # --- the view ---

    def show(self, view: View) -> None:
        if view.status is None:
            if self._asked is not None and view.scopes != self._asked:
                self._asking.cancel_all()
                self._asked = None
                self.pane.show(None)
            self._say(WAITING)
        elif self._asked != view.scopes:
            self._ask()
        self._draw()

    def _ask(self) -> None:
        """Examine the library as it is now; what was found before stays as long, for the same principal."""
        view, bridge = self.workbench.view, self.workbench.bridge
        if self._asked != view.scopes:
            self.pane.show(None)
        self._asked = view.scopes
        self._asking.begin("health", lambda: work.health(bridge, self, view.scopes))
        self._say(WAITING)

    @property
    def _serving(self) -> object:
        """What the findings hold for: the texts and vectors that serve."""
        status = self.workbench.view.status
        return None if status is None else (status.state, status.generation)

    def _say(self, told: str, *, attention: bool = False) -> None:
        self.pane.state = told if self._asking.running("health") else ""
        self.pane.told = told, attention
        self.pane.repaint()

    def _draw(self) -> None:
        if self.pane.groups is not None and not self._asking.running("health"):
            self.pane.behind = self._serving != self._found_in
            self.pane.state = STALE if self.pane.behind else ""
        self.pane.repaint()
        self._explain()

    def _explain(self) -> None:
        groups = self.pane.groups
        self.explain("" if groups is None else health.sentence(groups, self.pane.row))

    def fit_panes(self) -> None:
        self._draw()

    def on_pane_moved(self, message: Pane.Moved) -> None:
        self._explain()

    # --- what was worked out ---

    def on_examining(self, message: Examining) -> None:
        if self._asking.purpose_of(message.token) == "health":
            self._say(_going_on(message.progress))

    def on_examined(self, message: Examined) -> None:
        if self._asking.ended(message.token) == "health":
            self._found_in = self._serving
            self.pane.behind, self.pane.state = False, ""
            self.pane.show(health.grouped(cast("Health", message.answer)))
            self._explain()

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if self._asking.ended(message.token) is not None:
            told = one_line(": ".join(filter(None, (message.problem.sentence, message.problem.remedy))))
            self._say(told, attention=True)
            self.remark(told, attention=True)

    def back(self) -> bool:
        """First the examination is cancelled, then the page is left."""
        if not self._asking.running("health"):
            return False
        self._asking.cancel("health")
        self._say("cancelled: r examines again")
        self._draw()
        self.remark("cancelled: r examines again, esc leaves")
        return True

    def toggle_zoom(self) -> None:
        self.remark("there is one pane here, and it has the whole screen")

    # --- actions ---

    def action_case_open(self) -> None:
        """The chunk with its borders; a cause is folded, or unfolded."""
        row = self.pane.row
        if row is None or row.cause is None:
            return
        if row.case is None:
            self.pane.fold()
        else:
            panels.open_case(self.workbench, row.case)

    def action_cause_fold(self) -> None:
        self.pane.fold(to=True)

    def action_cause_unfold(self) -> None:
        self.pane.fold(to=False)

    def action_mark_next(self) -> None:
        if not self.pane.to_cause(1):
            self.remark("that is the last cause")

    def action_mark_previous(self) -> None:
        if not self.pane.to_cause(-1):
            self.remark("that is the first cause")

    def action_health_again(self) -> None:
        if self._asking.running("health"):
            self.remark("it is being examined: esc cancels")
        else:
            self._ask()

    def action_source_open(self) -> None:
        row = self.pane.row
        if row is not None and row.case is not None:
            panels.open_original(self.workbench, row.case.path, row.case.line_start)


def _going_on(progress: Progress) -> str:
    """How far an examination is: first the documents, then what follows them."""
    what = progress.detail if progress.detail in STAGES else "documents"
    if what == "neighbours":
        return "looking for neighbours, esc cancels"
    left = "" if progress.seconds_left is None else f", {figures.clock(progress.seconds_left)} left"
    return f"{what} {figures.whole(progress.done)} of {figures.whole(progress.total)}{left}"
