"""The Search screen: a question, the settings that rank its answer, and why each result stands where it
does.

It owns cursors, tabs and focus; everything else it reads from the view. Panes draw (``search_panes.py``), a
board says what a view means (``search_board.py``), a layout says where panes stand (``search_layout.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from tui import pinned, state
from tui.actions import bindings
from tui.field import Field
from tui.screens import panels, search_head, search_layout
from tui.screens.page import Page
from tui.screens.search_board import Board, next_board
from tui.screens.search_copy import Copied, chunk_of, citation, copied, identity
from tui.screens.search_detail import DetailPane
from tui.screens.search_dial import DialFoot
from tui.screens.search_layout import Arrangement, Pane, Place
from tui.screens.search_panes import (
    BoardPane,
    ContextPane,
    ResultPart,
    ResultsPane,
    TunePane,
    WhyPane,
)
from tui.screens.search_sentence import sentence
from tui.state import View
from tui.widgets import figures, head
from tui.widgets.painted import Painted, Rule
from tui.widgets.pane import Pane as MovingPane
from tui.widgets.question import QuestionField, QuestionLine
from tui.widgets.tiles import Tiles

WAIT_SHOWN = 0.1
"""Seconds after which a wait shows what it waits for."""


class SearchScreen(Page):
    """Question, channels, pipeline; Tune, Results, Context, Why and Passage, as many as there is room for."""

    NAME: ClassVar[str] = "Search"
    SCOPE: ClassVar[str] = "search"
    BINDINGS: ClassVar[list[Any]] = bindings("search")

    def __init__(self) -> None:
        super().__init__()
        self.board = Board(View())
        self.arrangement_shown = search_layout.arrange(search_layout.WIDE, 40)
        self.active: Pane = "results"
        self.waiting = ""
        self._asked = 0
        self._lost = 0

    # --- composition ---

    def body(self) -> ComposeResult:
        yield QuestionLine(id="query")
        for name in ("channels", "pipeline", "summary", "turning", "tabs", "brief", "score"):
            yield Painted(id=name)
        yield TunePane(id="tune")
        yield DialFoot(id="dial")
        yield Rule(id="rule-left")
        yield ResultsPane(id="results")
        yield ContextPane(id="context")
        yield Rule(id="rule-right")
        yield WhyPane(id="why")
        yield DetailPane(id="passage")

    def on_mount(self) -> None:
        # the property of the same name takes only the toolkit's own layouts
        self.query_one("#body", Container).styles.inline.set_rule("layout", Tiles(self._places))
        question = self.workbench.opening.question or self.workbench.view.query
        self.set_focus(self.results if question else self.question.field)

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        # nothing here scrolls: a pane that is not shown becomes the active tab instead
        super().set_focus(widget, False, from_app_focus)

    @property
    def question(self) -> QuestionLine:
        return self.query_one("#query", QuestionLine)

    @property
    def results(self) -> ResultsPane:
        return self.query_one("#results", ResultsPane)

    @property
    def passage(self) -> DetailPane:
        return self.query_one("#passage", DetailPane)

    @property
    def ledger(self) -> ContextPane:
        return self.query_one("#context", ContextPane)

    def pane(self, name: Pane) -> BoardPane:
        return self.query_one(f"#{name}", BoardPane)

    def main_pane(self) -> Widget | None:
        return self.results

    # --- layout ---

    @property
    def arrangement(self) -> Arrangement:
        """Where everything stands now."""
        size = self.query_one("#body", Container).size
        return self._arrange(size.width, size.height)

    def _arrange(self, width: int, height: int) -> Arrangement:
        zoomed = cast("Pane | None", self.zoomed.id if self.zoomed is not None else None)
        if zoomed not in search_layout.PANES:
            zoomed = None
        size = max(1, width), max(1, height)
        return search_layout.arrange(*size, active=self.active, zoomed=zoomed, why=self.board.why_rows)

    def _places(self, width: int, height: int) -> Mapping[str, Place]:
        return self._arrange(width, height).places

    def fit_panes(self) -> None:
        """Give every pane its form, and place them."""
        arrangement = self.arrangement_shown = self.arrangement
        tabbed = arrangement.tabs and self.zoomed is None
        for at, name in enumerate(search_layout.order_of(arrangement.form)):
            pane = self.pane(name)
            pane.order = at
            pane.form = arrangement.form
            pane.titled = not (tabbed and name in arrangement.tabs)
            pane.margin = 1 if arrangement.form in ("wide", "medium") or not tabbed else 0
        # a child that asks for a layout is what makes its parent place its children anew
        self.question.refresh(repaint=False, layout=True)
        self.call_after_refresh(self._draw)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        focused = self.focused
        if isinstance(focused, BoardPane):
            if self.zoomed is not None and self.zoomed is not focused:
                self.zoomed = focused
            self.active = cast("Pane", focused.id)
            if not self.arrangement_shown.shows(self.active):
                self.fit_panes()
        self._draw_question()
        self._explain()
        if isinstance(focused, QuestionField):
            self._say_cut(self._lost)
            self._lost = 0

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        self._draw_question()

    # --- the view ---

    def show(self, view: View) -> None:
        before = self.board
        self.board = next_board(before, view)
        if view.running and not before.view.running:
            self._asked += 1
            asked = self._asked
            self.set_timer(WAIT_SHOWN, lambda: self._wait(asked))
        elif not view.running:
            self.waiting = ""
        if view.query != before.view.query and self.question.field.value != view.query:
            self.question.field.put(view.query)
        if self.board.why_rows != before.why_rows:
            self.fit_panes()
        self._draw(answered=not self.board.answers_like(before))
        if view.error is not None and view.error is not before.view.error:
            self.remark(f"{view.error.sentence}: {view.error.remedy}", attention=True)

    def _wait(self, asked: int) -> None:
        """A query has run for a while: say what is waited for."""
        if asked == self._asked and self.board.view.running:
            self.waiting = "asking"
            self._draw_question()

    def _draw(self, *, answered: bool = True) -> None:
        """Draw everything that is shown; each part sends only the cells that changed.

        Unless it is ``answered``, the answer is the one that is drawn already: a setting waits for its ranks, or
        a task went on.
        """
        arrangement = self.arrangement
        self._draw_question()
        self._draw_head(arrangement)
        self.pane("tune").show(self.board)
        self.query_one("#dial", DialFoot).show(self.board, self.workbench.settle)
        for pane in (self.results, self.ledger):
            if answered:
                pane.show(self.board)
            else:
                pane.board = self.board
        if answered:
            self._draw_result(arrangement)
        self._explain()

    def _draw_question(self) -> None:
        view, trace = self.board.view, self.board.trace
        elapsed = trace.milliseconds if trace is not None else None
        self.question.show(head.query_end(view.scopes, elapsed, self.size.width, waiting=self.waiting))

    def _draw_head(self, arrangement: Arrangement) -> None:
        told = self.query_one("#dial", DialFoot).told
        focus = self.focused.id if self.focused is not None else None
        for part in search_head.PARTS:
            if arrangement.shows(part):
                lines = search_head.lines(part, self.board, arrangement, told, self.results.result, focus)
                self.query_one(f"#{part}", Painted).paint(lines)

    def _draw_result(self, arrangement: Arrangement) -> None:
        """The parts that follow the cursor of the list."""
        result = self.results.result
        for pane in self.query(ResultPart):
            pane.show_result(self.board, result)
        if arrangement.shows("brief"):
            self.query_one("#brief", Painted).paint(search_head.brief(self.board, arrangement, result))

    # --- the sentence ---

    def _explain(self) -> None:
        """Say what has the focus."""
        self.explain(self._sentence())

    def _sentence(self) -> str:
        focus = self.focused.id if self.focused is not None else None
        scores = self.arrangement_shown.form == "medium"
        lens = self.passage.lens if self.passage.lensed else None
        return sentence(
            self.board, focus or "", self.results.result, self.ledger.cursor, scores=scores, lens=lens
        )

    # --- what panes say ---

    def on_pane_moved(self, message: MovingPane.Moved) -> None:
        if message.pane is self.results:
            self._draw_result(self.arrangement)
            if self.arrangement.shows("tabs"):
                self._draw_head(self.arrangement)
        self._explain()

    def on_tune_pane_chosen(self, message: TunePane.Chosen) -> None:
        self.workbench.make_dial(message.name)

    def on_dial_foot_foreseen(self, message: DialFoot.Foreseen) -> None:
        if self.arrangement.shows("turning"):
            self._draw_head(self.arrangement)

    def on_question_field_asked(self, message: QuestionField.Asked) -> None:
        self.workbench.ask(message.question)
        if message.question.strip():
            self.set_focus(self.results)

    def on_question_field_recalled(self, message: QuestionField.Recalled) -> None:
        field, history = self.question.field, self.workbench.history
        field.put(history.previous(field.value) if message.back else history.next(field.value))

    def on_field_shortened(self, message: Field.Shortened) -> None:
        self._say_cut(message.lost)

    def take_paste(self, text: str) -> None:
        self.set_focus(self.question.field)
        self._lost = self.question.field.put(text)
        self._say_cut(self._lost)

    def _say_cut(self, lost: int) -> None:
        if not lost:
            return
        over = figures.plural(lost, "character")
        self.remark(f"the pasted text was cut: {over} more than a query may have", attention=True)

    def back(self) -> bool:
        """From the lens to the passage, from any other pane back to the results."""
        if self.passage.lensed and self.focused is self.passage:
            self.passage.toggle_lens()
            return True
        if self.zoomed is None and isinstance(self.focused, BoardPane) and self.focused is not self.results:
            self.set_focus(self.results)
            return True
        return False

    # --- actions ---

    def action_query_edit(self) -> None:
        """The question stands selected: typing begins another one, an arrow goes on with it."""
        self.set_focus(self.question.field)
        self.question.field.action_select_all()

    def action_query_again(self) -> None:
        self.workbench.ask_again()

    def action_library_sync(self) -> None:
        self.workbench.action_library_sync()

    def action_scope_pick(self) -> None:
        panels.open_scopes(self.workbench)

    def action_turn_left(self) -> None:
        self.workbench.turn(-1)

    def action_turn_right(self) -> None:
        self.workbench.turn(1)

    def action_value_edit(self) -> None:
        self.workbench.type_value(state.field_of(self.workbench.view))

    def action_result_open(self) -> None:
        """The passage of a result; in the context a group whole, or the result that was left out."""
        if self.focused is not self.ledger:
            self.set_focus(self.passage)
            return
        trace = self.board.trace
        if trace is None:
            return
        out = self.ledger.cursor - len(trace.context.groups)
        if out < 0:
            self.ledger.fold(self.ledger.cursor)
        else:
            self.results.move_to(trace.context.left_out[out].rank - 1)
            self.set_focus(self.passage)

    def action_place_show(self) -> None:
        panels.open_place(self.workbench, self.results.result)

    def action_source_open(self) -> None:
        panels.open_source(self.workbench, self.results.result)

    def action_why_show(self) -> None:
        self.set_focus(self.pane("why"))

    def action_lens_show(self) -> None:
        """The lens in place of the passage; where the passage is not in sight, it gets the focus first."""
        self.passage.toggle_lens()
        if self.passage.lensed and not self.arrangement_shown.shows("passage"):
            self.set_focus(self.passage)

    def action_why_not_show(self) -> None:
        """Of the result under the cursor at once; from elsewhere, of a chunk or a text that is asked for."""
        panels.open_why_not(self.workbench, self._target())

    def _target(self) -> str | None:
        """The chunk that the focused pane is about."""
        trace, result = self.board.trace, self.results.result
        if trace is None or result is None or self.focused is self.pane("tune"):
            return None
        entry = self.ledger.cursor if self.focused is self.ledger else None
        return chunk_of(trace.context, result, entry)

    def action_case_make(self) -> None:
        """Mark in the passage of the result what answers the question."""
        result = self.results.result
        panels.open_mark(self.workbench, None if result is None else result.chunk)

    def action_vary_show(self) -> None:
        panels.open_vary(self.workbench)

    def action_compare_show(self) -> None:
        panels.open_compare(self.workbench)

    def action_pin_set(self) -> None:
        self.workbench.show(pinned.toggled(self.workbench.view))

    def action_mark_next(self) -> None:
        self._to_moved(1)

    def action_mark_previous(self) -> None:
        self._to_moved(-1)

    def _to_moved(self, step: int) -> None:
        """The next result, in one direction and around the end, that another setting moved."""
        position = self.board.next_moved(self.results.cursor, step)
        if position is None:
            self.remark(f"no result moved against {self.board.against}")
        else:
            self.results.move_to(position)

    # --- copying ---

    def action_copy_text(self) -> None:
        trace, result = self.board.trace, self.results.result
        entry = self.ledger.cursor if self.focused is self.ledger else None
        self._copy(copied(trace.context, result, entry) if trace is not None and result is not None else None)

    def action_copy_id(self) -> None:
        self._copy(identity(self.results.result))

    def action_copy_citation(self) -> None:
        result = self.results.result
        self._copy(None if result is None else citation(result.chunk))

    def _copy(self, what: Copied | None) -> None:
        if what is None:
            self.remark("there is nothing to copy")
            return
        self.app.copy_to_clipboard(what.text)
        self.remark(f"copied {what.name}")
