"""Vary: the dial over its whole range, worked out from stored ranks. The dial is turned here as everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult

from tui.actions import bindings
from tui.screens.examine import PAUSE, Examination
from tui.screens.search_panes import keys_of
from tui.state import Problem, View
from tui.widgets import vary
from tui.widgets.line import ATTENTION, MUTED, Line, fit
from tui.widgets.sheet import Sheet
from tui.widgets.vary_chart import Chart, Varied, value_in

if TYPE_CHECKING:
    from engine.trace import Trace

RANKS = 20
"""Ranks of the present answer that are compared with the chart's: as many as top k can be."""

DOING = "running its values, esc cancels"


class VarySheet(Sheet):
    """The chart, row by row."""

    SCOPE: ClassVar[str] = "vary"
    TITLE: ClassVar[str] = "Vary"
    BINDINGS: ClassVar[list[Any]] = keys_of("vary")


class VaryPage(Examination):
    """A chart of the dial, made anew when anything but the dial's own value changes."""

    AUTO_FOCUS = "#vary"
    BINDINGS: ClassVar[list[Any]] = bindings("examine")

    def __init__(self) -> None:
        super().__init__()
        self.varied: Varied | None = None
        self.chart: Chart | None = None
        self._told: tuple[str, bool] = ("", False)
        self._wanted: object = None

    def body(self) -> ComposeResult:
        self.sheet = VarySheet(self._top, self._lines, id="vary")
        yield self.sheet

    def show(self, view: View) -> None:
        trace = view.trace
        if trace is None:
            return
        fixed = replace(view.retrieval, **{view.dial: None})  # type: ignore[arg-type]
        wanted = (trace.recall.query, trace.recall.scopes, trace.recall.state, view.settings.features, fixed)
        if wanted != self._wanted:
            first, self._wanted = self._wanted is None, wanted
            self.varied = None
            self._ask(0.0 if first else PAUSE)
        self._chart(view)
        self.redraw()

    def _ask(self, pause: float) -> None:
        view, bridge = self.workbench.view, self.workbench.bridge
        trace = view.trace
        assert trace is not None
        self.begin(lambda: bridge.vary(self, trace.recall, view.settings, view.dial), DOING, pause=pause)

    def answered(self, answer: object) -> None:
        self.varied, self._told = cast(Varied, answer), ("", False)
        self._chart(self.workbench.view)
        self.sheet.fill(0)
        self._explain()

    def failed(self, problem: Problem) -> None:
        self._told = (f"{problem.sentence}: {problem.remedy}", True)
        self.redraw()

    def _chart(self, view: View, probe: int | None = None) -> None:
        """What is drawn of the present view; without a probe the present value's stretch is looked at."""
        if self.varied is None or self.varied.sensitivity.field != view.dial:
            self.chart = None
            return
        present, file = (getattr(one.retrieval, view.dial) for one in (view.settings, view.saved))
        chart = Chart(self.varied, present, file, 0, view.retrieval.top_k, _first(view.trace))
        self.chart = replace(chart, probe=chart.here if probe is None else probe)
        self._explain()

    # --- drawing ---

    def redraw(self) -> None:
        self.sheet.fill()

    def _top(self, width: int, focused: bool) -> Sequence[Line]:
        title = vary.title(self.chart, self.workbench.view.dial, width, focused, self.waiting)
        if self.chart is None or not self.chart.stretches:
            return [title]
        inside = width - 1
        rows = (make(self.chart, inside) for make in (vary.scale, vary.marks, vary.cliffs))
        return [title, *(((" ", ""), *row) for row in rows)]

    def _lines(self, width: int) -> Sequence[Line]:
        if self.chart is not None:
            return vary.rows(self.chart, width)
        told, wrong = self._told
        return [fit(((f" {told}", ATTENTION if wrong else MUTED),), width)]

    def _explain(self) -> None:
        self.explain(vary.sentence(self.chart) if self.chart is not None else "")

    # --- actions ---

    def action_mark_next(self) -> None:
        self._probe(1)

    def action_mark_previous(self) -> None:
        self._probe(-1)

    def _probe(self, step: int) -> None:
        """Look at the next stretch in one direction; it stays at the ends of the range."""
        if self.chart is None or not self.chart.stretches:
            return
        probe = min(max(0, self.chart.probe + step), len(self.chart.stretches) - 1)
        self._chart(self.workbench.view, probe)
        self.redraw()

    def action_change_apply(self) -> None:
        if self.chart is not None and self.chart.stretches:
            self.workbench.apply({self.chart.name: value_in(self.chart, self.chart.probe)})

    def action_turn_left(self) -> None:
        self.workbench.turn(-1)

    def action_turn_right(self) -> None:
        self.workbench.turn(1)


def _first(trace: Trace | None) -> tuple[str, ...]:
    """The ids that the gate let through now, by rank, as many as a chart may tell."""
    if trace is None:
        return ()
    rows = trace.ranking.order[trace.ranking.kept][:RANKS].tolist()
    return tuple(trace.recall.chunks[row].chunk_id for row in rows)
