"""The Evaluate screen: what the settings make of a whole set of questions, live against A.

It owns cursors and focus; figures come with the view (``tui.evaluation``), and are asked for by the follower that the
application owns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from tui import evaluate_bridge as work
from tui import pinned, state
from tui.actions import bindings
from tui.messages import Examined, ExamineFailed
from tui.screens import evaluate_layout, panels
from tui.screens.asking import Asking
from tui.screens.case_edit import CasePage
from tui.screens.evaluate_layout import Arrangement, Pane
from tui.screens.evaluate_looking import Looking
from tui.screens.evaluate_panels import Choice, ExportPanel, FlipsPanel, PathPanel, SetsPanel, label
from tui.screens.evaluate_panes import CasesPane, MetricsPane, ScalesPane
from tui.screens.page import Page
from tui.screens.search_board import Board
from tui.screens.search_layout import Place
from tui.screens.search_panes import TunePane
from tui.screens.sweep import AxesPanel, SweepPage
from tui.state import Pin, View
from tui.widgets import document, evaluate_cases, evaluate_table, scoreboard, sentences, tune
from tui.widgets.figures import lines
from tui.widgets.painted import Painted, Rule
from tui.widgets.pane import Pane as MovingPane
from tui.widgets.tiles import Tiles

if TYPE_CHECKING:
    from engine.evaluate.case_file import Block, Written
    from engine.evaluate.live_score import Score
    from engine.evaluate.run import Run
    from engine.settings import Field
    from tui.evaluation import Evaluation


class EvaluateScreen(Page):
    """Tune, Metrics and Cases, as many as there is room for."""

    NAME: ClassVar[str] = "Evaluate"
    SCOPE: ClassVar[str] = "evaluate"
    BINDINGS: ClassVar[list[Any]] = bindings("evaluate")

    def __init__(self) -> None:
        super().__init__()
        self.scales = ScalesPane(id="tune")
        self.metrics = MetricsPane(id="metrics")
        self.cases = CasesPane(id="cases")
        self.active: Pane = "cases"
        self.asking = Asking()
        self.looking = Looking(self, self.asking)
        self._wanted = ""
        self._rows = {name: Painted(id=name) for name in ("state", "turning", "tabs")}

    # --- composition ---

    def body(self) -> ComposeResult:
        yield from self._rows.values()
        yield self.scales
        yield Rule(id="rule-left")
        yield self.metrics
        yield self.cases

    def on_mount(self) -> None:
        self._container = self.query_one("#body", Container)
        self._container.styles.inline.set_rule("layout", Tiles(self._places))
        self.set_focus(self.cases)
        self.workbench.evaluating.want_baselines()

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        # nothing here scrolls: a pane that is not shown becomes the active tab instead
        super().set_focus(widget, False, from_app_focus)

    def main_pane(self) -> Widget | None:
        return self.cases

    # --- layout ---

    @property
    def arrangement(self) -> Arrangement:
        return self._arrange(self._container.size.width, self._container.size.height)

    def _arrange(self, width: int, height: int) -> Arrangement:
        zoomed = cast("Pane | None", self.zoomed.id if self.zoomed is not None else None)
        if zoomed not in evaluate_layout.PANES:
            zoomed = None
        return evaluate_layout.arrange(max(1, width), max(1, height), active=self.active, zoomed=zoomed)

    def _places(self, width: int, height: int) -> Mapping[str, Place]:
        return self._arrange(width, height).places

    def fit_panes(self) -> None:
        tabbed = bool(self.arrangement.tabs) and self.zoomed is None
        for pane in (self.scales, self.metrics, self.cases):
            pane.titled = not tabbed
        # a child that asks for a layout is what makes its parent place its children anew
        self._rows["state"].refresh(repaint=False, layout=True)
        self.call_after_refresh(self.draw)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        focused = self.focused
        if isinstance(focused, MovingPane):
            if self.zoomed is not None and self.zoomed is not focused:
                self.zoomed = focused
            self.active = cast("Pane", focused.id)
            self.fit_panes()
        self._explain()

    # --- the view ---

    def show(self, view: View) -> None:
        self.looking.follow(view)
        self.draw()

    @property
    def value(self) -> Evaluation:
        return self.workbench.view.evaluation

    def draw(self) -> None:
        """Draw what is shown; each part sends only the cells that changed."""
        if not self.ready:
            return
        view = self.workbench.view
        self.scales.show(Board(view))
        self.metrics.show(view.evaluation, view.retrieval.top_k)
        self.cases.show(view.evaluation, self.looking.changes)
        self._draw_rows()
        self._explain()
        self.looking.rest(self.cases.row)

    def _draw_rows(self) -> None:
        arrangement, view = self.arrangement, self.workbench.view
        for name, row in self._rows.items():
            if not arrangement.shows(name) or not row.size.width:
                continue
            width = row.size.width
            if name == "state":
                row.paint([evaluate_table.state(view.evaluation, width)])
            elif name == "turning":
                score = scoreboard.brief(view.evaluation, view.retrieval.top_k)
                row.paint([tune.turning(Board(view).tuning(), score, width)])
            else:
                focused = self.focused is not None and self.focused.id == self.active
                row.paint(
                    [document.tab_line(arrangement.tabs, self.active, (self._counted(),), width, focused)]
                )

    def _counted(self) -> str:
        if self.active == "cases":
            return evaluate_cases.flips(self.value, len(self.cases.cases))
        return self.value.against if self.active == "metrics" else ""

    def _explain(self) -> None:
        view, focused = self.workbench.view, self.focused
        if focused is self.scales:
            self.explain(sentences.of_setting(Board(view).tuning()))
        elif focused is self.metrics:
            self.explain(evaluate_table.sentence(view.evaluation, view.retrieval.top_k, self.metrics.cursor))
        elif (row := self.cases.row) is not None:
            self.explain(self.looking.sentence(row, view.evaluation))
        else:
            self.explain(self._empty())

    def _empty(self) -> str:
        told = self.cases.told
        return told[min(self.cases.cursor, len(told) - 1)] if told else "enter on METRICS chooses a set"

    # --- what comes back ---

    def on_examined(self, message: Examined) -> None:
        purpose = self.asking.ended(message.token)
        if purpose == "why":
            self.looking.found(*cast("tuple[str, str]", message.answer))
            self.draw()
        elif purpose == "run":
            score, run = cast("tuple[Score, Run]", message.answer)
            self.workbench.evaluating.against_run((f"A = {self._wanted}", score, run))
        elif purpose == "edit":
            self._edit(cast("Block", message.answer))
        elif purpose == "export":
            self.remark(f"written: {message.answer}")

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if self.asking.ended(message.token) is not None:
            self.remark(message.problem.sentence, attention=True)

    # --- moving ---

    def on_pane_moved(self, message: MovingPane.Moved) -> None:
        self._explain()
        self.looking.rest(self.cases.row)

    def on_tune_pane_chosen(self, message: TunePane.Chosen) -> None:
        self.workbench.make_dial(message.name)

    def action_mark_next(self) -> None:
        self._to_flip(1)

    def action_mark_previous(self) -> None:
        self._to_flip(-1)

    def _to_flip(self, step: int) -> None:
        at = self.cases.next_flip(step)
        if at is None:
            self.remark(f"no case flips against {self.value.against or 'A'}")
        else:
            self.set_focus(self.cases)
            self.cases.move_to(at)

    def back(self) -> bool:
        """From any pane to the cases."""
        if self.zoomed is None and self.focused is not self.cases:
            self.set_focus(self.cases)
            return True
        return False

    # --- actions ---

    def action_turn_left(self) -> None:
        self.workbench.turn(-1)

    def action_turn_right(self) -> None:
        self.workbench.turn(1)

    def action_value_edit(self) -> None:
        self.workbench.type_value(state.field_of(self.workbench.view))

    def action_pin_set(self) -> None:
        view = self.workbench.view
        self.workbench.evaluating.against_run(None)
        if view.trace is None:
            self.workbench.show(
                replace(view, pin=Pin(view.settings, None), note="A is pinned at these settings")
            )
        else:
            self.workbench.show(pinned.toggled(view))

    def action_case_trace(self) -> None:
        """The case's question, asked on the Search screen as the case asks it."""
        row = self.cases.row
        if row is None:
            self.remark("there is no case to open")
            return
        panels.open_trace(self.workbench, self._case(row.case_id))

    def _case(self, case_id: str) -> Any:
        loaded = self.value.loaded
        assert loaded is not None
        assert loaded.live is not None
        return next(judged.case for judged in loaded.live.cases if judged.case.id == case_id)

    def action_case_make(self) -> None:
        """On Search, of the present question and the result under the cursor there."""
        panels.open_search(self.workbench)
        panels.run_id(self.workbench, "case.make")

    def action_case_edit(self) -> None:
        """The case under the cursor, as it is written in its file."""
        row = self.cases.row
        if row is None:
            self.remark("there is no case to edit: c makes one")
            return
        bridge, path = self.workbench.bridge, self.workbench.evaluating.file
        self.asking.begin("edit", lambda: work.block(bridge, self, path, row.case_id))

    def _edit(self, block: Block) -> None:
        def saved(written: Written) -> None:
            told = f"{written.case_id}: {written.path.name} {lines(block.first, block.last)} rewritten"
            self.workbench.evaluating.wrote(written, told)

        self.app.push_screen(CasePage(block, saved))

    def action_set_choose(self) -> None:
        self.app.push_screen(SetsPanel(self.value), self._chosen)

    def _chosen(self, choice: Choice | None) -> None:
        following, folder = self.workbench.evaluating, self.workbench.opening.folder
        if choice is None:
            return
        if choice.kind == "own":
            following.choose(None)
        elif choice.kind == "file":
            self.app.push_screen(PathPanel(folder), lambda path: following.choose(path) if path else None)
        elif choice.kind == "settings":
            following.against_run(None)
        elif choice.record is not None:
            bridge, record = self.workbench.bridge, choice.record
            self._wanted = label(record)
            self.asking.begin("run", lambda: work.kept(bridge, self, record))

    def action_set_run(self) -> None:
        """Run the set and keep the run; where cases do not fit, ask those that do."""
        loaded = self.value.loaded
        if loaded is not None and loaded.live is None and loaded.problems:
            self.workbench.evaluating.without_invalid()
        else:
            self.remark(self.workbench.evaluating.run_now())

    def action_compare_show(self) -> None:
        if not self.value.tested:
            self.remark("the comparison is being worked out")
            return
        self.app.push_screen(FlipsPanel(self.value), self._to_case)

    def _to_case(self, case_id: str | None) -> None:
        at = [place for place, case in enumerate(self.cases.cases) if case.id == case_id]
        if at:
            self.set_focus(self.cases)
            self.cases.move_to(at[0])

    def action_sweep_show(self) -> None:
        """The dial over its range, alone or with another setting: what it does to the figure under the cursor."""
        if not self.value.answerable:
            self.remark("there is nothing to find in this set, so nothing to sweep it by")
            return
        view = self.workbench.view
        by = evaluate_table.rows_of(view.evaluation, view.retrieval.top_k)[self.metrics.cursor]
        by = "context_recall" if by == evaluate_table.REFUSED else by

        def chosen(axes: tuple[Field, ...] | None) -> None:
            if axes:
                self.app.push_screen(SweepPage(axes, by))

        self.app.push_screen(AxesPanel(state.field_of(view), by), chosen)

    def action_run_export(self) -> None:
        """Write what is shown to a file in the folder that the workbench was started in."""
        folder = Path.cwd()

        def chosen(kind: str | None) -> None:
            if kind:
                bridge, value = self.workbench.bridge, self.value
                self.asking.begin("export", lambda: work.export(bridge, self, value, kind, folder))

        self.app.push_screen(ExportPanel(folder), chosen)
