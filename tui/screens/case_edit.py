"""One case of the evaluation set, edited as it is written in its file. ``escape`` leads to what would be rewritten; there
``enter`` saves, ``e`` goes back, ``q`` leaves it as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.widget import Widget

from tui import evaluate_bridge as work
from tui.messages import Examined, ExamineFailed
from tui.screens.asking import Asking
from tui.screens.page import Page
from tui.screens.search_panes import keys_of
from tui.text import one_line, spaced
from tui.widgets import figures
from tui.widgets.document_area import Area
from tui.widgets.line import FOCUS, MUTED, PLAIN, STRONG, Line, fit
from tui.widgets.painted import Painted
from tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from engine.evaluate.case_file import Block, Written


class ReviewSheet(Sheet):
    """What would be rewritten, line by line."""

    SCOPE: ClassVar[str] = "review"
    TITLE: ClassVar[str] = "Review"
    BINDINGS: ClassVar[list[Any]] = keys_of("review")


class CasePage(Page):
    """The text of one case, and its review. ``saved`` is told what was written."""

    NAME: ClassVar[str] = "Evaluate"
    SCOPE: ClassVar[str] = "review"
    AUTO_FOCUS = "#edit"

    def __init__(self, block: Block, saved: Callable[[Written], None]) -> None:
        super().__init__()
        self.block = block
        self._saved = saved
        self._asking = Asking()
        self._place = Painted(id="place")
        self.area = Area(id="edit")
        self.review = ReviewSheet(self._top, self._rows, id="review")

    def body(self) -> ComposeResult:
        yield self._place
        yield self.area
        yield self.review

    def on_mount(self) -> None:
        self.area.put(self.block.text)
        self.review.display = False
        self._draw()

    @property
    def changed(self) -> bool:
        return self.area.content != self.block.text

    # --- drawing ---

    @property
    def place(self) -> str:
        """What would be rewritten, in words."""
        block = self.block
        lines = figures.lines(block.first, block.last)
        return f"{one_line(block.path.name)} {lines}"

    def _draw(self) -> None:
        title: Line = ((" CASE  ", STRONG), (one_line(self.block.case_id), PLAIN), (f"  {self.place}", MUTED))
        self._place.paint([fit(title, self._place.size.width)])
        kept = "all other lines of the file, comments too, stay as they are"
        if self.area.display:
            self.explain(f"esc shows what is rewritten; {kept}")
        else:
            self.explain(f"enter saves, e goes back into the text, q leaves it as it was; {kept}")

    def _top(self, width: int, focused: bool) -> list[Line]:
        mark = ("▸" if focused else " ", FOCUS)
        return [fit((mark, ("REWRITES", f"{STRONG} {FOCUS}"), (f"  {self.place}", PLAIN)), width)]

    def _rows(self, width: int) -> list[Line]:
        was, now = self.block.text.split("\n"), self.area.content.rstrip("\n").split("\n")
        made: list[Line] = []
        for sign, lines, others, style in (("−", was, now, MUTED), ("+", now, was, STRONG)):
            made += [
                fit(((f" {sign} {spaced(line)}", style),), width) for line in lines if line not in others
            ]
        return made or [fit(((" nothing is changed", MUTED),), width)]

    def fit_panes(self) -> None:
        self._draw()
        self.review.fill()

    # --- from text to review and back ---

    def on_text_area_changed(self) -> None:
        self._draw()

    def main_pane(self) -> Widget | None:
        """What ``escape`` leads to from the text."""
        if not self.changed:
            self.call_later(self._leave)
            return self.area
        self.review.display, self.area.display = True, False
        return self.review

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if self.focused is self.review:
            self.call_after_refresh(self.review.fill, 0)
        self._draw()

    def action_chunk_edit(self) -> None:
        self.area.display, self.review.display = True, False
        self.set_focus(self.area)

    def action_edit_save(self) -> None:
        if not self._asking.running("save"):
            bridge, block, content = self.workbench.bridge, self.block, self.area.content
            self._asking.begin("save", lambda: work.rewrite(bridge, self, block, content))

    def on_examined(self, message: Examined) -> None:
        if self._asking.ended(message.token) == "save":
            self._leave()
            self._saved(cast("Written", message.answer))

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if self._asking.ended(message.token) is not None:
            self.remark(one_line(message.problem.sentence), attention=True)

    def back(self) -> bool:
        self._leave("the case stays as it was" if self.changed else "")
        return True

    def toggle_zoom(self) -> None:
        self.remark("there is one pane here, and it has the whole screen")

    def _leave(self, told: str = "") -> None:
        if not self.is_current:
            return
        app = self.workbench
        app.pop_screen()
        if told and app.page is not None:
            app.page.remark(told)
