"""Why not: one target's way through the stages under the present settings, and what would bring it in.

The verdict follows every turn. ``enter`` on a change sets it, and the verdict then says where the target is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult

from engine.explain.verdict import ChunkTarget
from tui import evaluate_bridge
from tui.actions import bindings
from tui.evaluating import with_values_of
from tui.messages import Examined
from tui.screens import panels
from tui.screens.asking import Asking
from tui.screens.examine import PAUSE, Examination
from tui.screens.search_panes import keys_of
from tui.state import Problem, View
from tui.widgets import why_not
from tui.widgets.line import Line
from tui.widgets.pane import Pane
from tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from engine.explain.verdict import Target, Verdict

DOING = "running settings on the stored ranks, esc cancels"


class VerdictSheet(Sheet):
    """The verdict, row by row."""

    SCOPE: ClassVar[str] = "verdict"
    TITLE: ClassVar[str] = "Why not"
    BINDINGS: ClassVar[list[Any]] = keys_of("verdict")


class WhyNotPage(Examination):
    """A verdict, asked anew whenever what it depends on changes."""

    AUTO_FOCUS = "#verdict"
    BINDINGS: ClassVar[list[Any]] = bindings("examine")

    def __init__(self, target: Target) -> None:
        super().__init__()
        self.target = target
        self.verdict: Verdict | None = None
        self._told: tuple[str, bool] = ("", False)
        self._rows: tuple[why_not.Row, ...] = ()
        self._asked: object = None
        self._asking = Asking()
        self._effects: list[str] = []

    def body(self) -> ComposeResult:
        self.sheet = VerdictSheet(self._top, self._lines, id="verdict")
        yield self.sheet

    # --- asking ---

    def show(self, view: View) -> None:
        state = view.status.state if view.status is not None else None
        wanted = (view.query, view.scopes, view.retrieval, view.settings.features, state)
        if wanted != self._asked and view.query:
            first, self._asked = self._asked is None, wanted
            self._ask(0.0 if first else PAUSE)

    def look_at(self, target: Target) -> None:
        """Ask of another target."""
        self.target, self.verdict, self._told = target, None, ("", False)
        self._effects = []
        self.sheet.fill(0)
        self._ask(0.0)

    def _ask(self, pause: float) -> None:
        view, bridge = self.workbench.view, self.workbench.bridge
        self.begin(
            lambda: bridge.why(self, view.query, self.target, view.settings, view.scopes), DOING, pause=pause
        )

    def answered(self, answer: object) -> None:
        self.verdict, self._told = answer, ("", False)  # type: ignore[assignment]
        self._effects = []
        self.sheet.fill(0)
        if len(self._rows) <= self.sheet.window:
            self._to_change()
        self._explain()
        self._weigh()

    def _weigh(self) -> None:
        """Ask what each change would do to the evaluation set, where one is followed."""
        view, verdict = self.workbench.view, self.verdict
        loaded, changes = view.evaluation.loaded, verdict.changes if verdict is not None else ()
        if changes and view.evaluation.true and loaded is not None and loaded.live is not None:
            live, now, bridge = loaded.live, view.evaluation.whole, self.workbench.bridge
            assert now is not None
            tried = [with_values_of(view.settings, change.settings) for change in changes]
            self._asking.begin("weigh", lambda: evaluate_bridge.effects(bridge, self, live, now, tried))

    def on_examined(self, message: Examined) -> None:
        if self._asking.ended(message.token) == "weigh":
            self._effects = cast("list[str]", message.answer)
            self.sheet.fill()

    def on_unmount(self) -> None:
        self._asking.cancel_all()

    def failed(self, problem: Problem) -> None:
        self.verdict, self._told = None, (f"{problem.sentence}: {problem.remedy}", True)
        self.sheet.fill(0)
        self._explain()

    def back(self) -> bool:
        if self.running and self.verdict is None:
            self._told = ("cancelled: r asks again", False)
        stopped = super().back()
        self.sheet.fill()
        return stopped

    # --- drawing ---

    def redraw(self) -> None:
        self.sheet.fill()

    def _top(self, width: int, focused: bool) -> Sequence[Line]:
        return [why_not.title(self.verdict, self.target, width, focused, self.waiting)]

    def _lines(self, width: int) -> Sequence[Line]:
        if self.verdict is None:
            self._rows = why_not.empty(self._told[0] or self.waiting, width, self._told[1])
        else:
            self._rows = why_not.rows(self.verdict, width, self._effects)
        return [row.line for row in self._rows]

    def on_pane_moved(self, message: Pane.Moved) -> None:
        self._explain()

    def _explain(self) -> None:
        if self.verdict is None:
            self.explain("")
            return
        at = self.sheet.cursor
        self.explain(why_not.sentence(self.verdict, self._rows[at] if at < len(self._rows) else None))

    # --- actions ---

    def _to_change(self) -> None:
        """The cursor on the smallest change, where there is one."""
        first = next((number for number, row in enumerate(self._rows) if row.change is not None), None)
        if first is not None:
            self.sheet.move_to(first)

    def action_change_apply(self) -> None:
        if self.verdict is None or self.sheet.cursor >= len(self._rows):
            return
        change = self._rows[self.sheet.cursor].change
        if change is None:
            self._to_change()
        elif self.running:
            self.remark("the verdict is just being made anew")
        else:
            self.workbench.apply(self.verdict.changes[change].settings)

    def action_why_not_show(self) -> None:
        from tui.screens.why_not_target import TargetPanel

        def chosen(target: Target | None) -> None:
            if target is not None:
                self.look_at(target)

        self.app.push_screen(TargetPanel(self.workbench.view), chosen)

    def action_case_make(self) -> None:
        """Of a text that was looked for, at once; of a chunk, once what answers is marked in it."""
        place = self.verdict.place if self.verdict is not None else None
        if place is None or not place.chunks:
            self.remark("a case needs evidence that stands in the corpus")
        elif isinstance(self.target, ChunkTarget):
            panels.open_mark(self.workbench, place.chunks[0])
        else:
            panels.make_case(self.workbench, place.chunks[0], place.start, place.end, place.text)

    def action_query_again(self) -> None:
        self._ask(0.0)

    def action_copy_text(self) -> None:
        if self.verdict is None:
            self.remark("there is nothing to copy")
            return
        self.app.copy_to_clipboard(why_not.as_text(self.verdict))
        self.remark("copied the verdict")
