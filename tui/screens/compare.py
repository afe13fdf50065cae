"""The differences from A, the pinned state or the file's settings; they follow every turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult

from tui.actions import bindings
from tui.screens.examine import Examination
from tui.screens.search_panes import keys_of
from tui.state import View
from tui.widgets import compare
from tui.widgets.line import MUTED, Line, fit
from tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from engine.explain.compare import Comparison
    from engine.trace import Trace

APART = "A asks a channel that this answer did not ask: p pins a state to compare with, or 0 brings the weight back"


class CompareSheet(Sheet):
    """The comparison, row by row."""

    SCOPE: ClassVar[str] = "compare"
    TITLE: ClassVar[str] = "Compare"
    BINDINGS: ClassVar[list[Any]] = keys_of("compare")


class ComparePage(Examination):
    """Compares two traces that the view holds: a few milliseconds, so it is done where it is shown."""

    AUTO_FOCUS = "#compare"
    BINDINGS: ClassVar[list[Any]] = bindings("examine")

    def __init__(self) -> None:
        super().__init__()
        self.found: Comparison | None = None
        self._pair: tuple[Trace | None, Trace | None] = (None, None)
        self._rows: tuple[compare.Row, ...] = ()

    def body(self) -> ComposeResult:
        self.sheet = CompareSheet(self._top, self._lines, id="compare")
        yield self.sheet

    @property
    def against(self) -> str:
        return "A" if self.workbench.view.pin is not None else "file"

    def show(self, view: View) -> None:
        pair = (view.reference, view.trace)
        if pair != self._pair and view.reference is not None and view.trace is not None:
            # imported late: it brings numpy, which comes with the first result
            from engine.explain.compare import compare as compared

            self._pair = pair
            self.found = compared(view.reference, view.trace)
        self.sheet.fill()
        self._explain()

    # --- drawing ---

    def redraw(self) -> None:
        self.sheet.fill()

    def _top(self, width: int, focused: bool) -> Sequence[Line]:
        return [compare.title(self.against, self.found, width, focused)]

    def _lines(self, width: int) -> Sequence[Line]:
        a, b = self._pair
        if self.found is None or a is None or b is None:
            return [fit(((" nothing to compare yet", MUTED),), width)]
        self._rows = compare.rows(self.found, a, b, width)
        return [row.line for row in self._rows]

    def _explain(self) -> None:
        view = self.workbench.view
        if view.pin is None and view.trace is view.reference and view.retrieval != view.saved.retrieval:
            self.explain(APART)
        elif view.trace is view.reference:
            self.explain("this is A itself: turn a setting, or ask again, and see what it does")
        else:
            self.explain("n N go to the next, the previous difference; p pins the present state as A")

    # --- actions ---

    def action_mark_next(self) -> None:
        self._to_mark(1)

    def action_mark_previous(self) -> None:
        self._to_mark(-1)

    def _to_mark(self, step: int) -> None:
        at = self.sheet.cursor
        marks = [number for number, row in enumerate(self._rows) if row.mark and (number - at) * step > 0]
        if marks:
            self.sheet.move_to(min(marks) if step > 0 else max(marks))

    def action_copy_text(self) -> None:
        a, b = self._pair
        if self.found is None or a is None or b is None:
            self.remark("there is nothing to copy")
            return
        self.app.copy_to_clipboard(compare.as_text(self.against, self.found, a, b))
        self.remark("copied the comparison")
