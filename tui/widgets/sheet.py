"""A pane that fills a page: a title, and rows that the cursor walks. What they hold is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.widgets.line import FOCUS, Line, fit
from tui.widgets.pane import Pane

Top = Callable[[int, bool], Sequence[Line]]
"""From width and focus to the rows that do not move."""


class Sheet(Pane):
    """Rows in full width behind one cell for the cursor's mark. ``fill`` gives them anew."""

    def __init__(self, top: Top, make: Callable[[int], Sequence[Line]], *, id: str) -> None:
        super().__init__(id=id)
        self._top, self._make = top, make
        self._rows: Sequence[Line] = ()
        self._made_for = 0
        self._tops = 1

    @property
    def head(self) -> int:
        return self._tops

    @property
    def count(self) -> int:
        return len(self._rows)

    def fill(self, cursor: int | None = None) -> None:
        """Make the rows anew; the cursor stays where it was, unless another place is given."""
        width = self.size.width
        if not width:
            return
        self._rows, self._made_for = self._make(width - 1), width
        self._tops = len(self._top(width, self.has_focus))
        self.cursor = min(max(0, self.cursor if cursor is None else cursor), max(0, self.count - 1))
        self.follow()
        self.repaint()

    def lines(self) -> list[Line]:
        width = self.size.width
        made = [fit(line, width) for line in self._top(width, self.has_focus)]
        for number in range(self.top, min(self.count, self.top + self.window)):
            mark = (("▸" if self.has_focus else "▹") if number == self.cursor else " ", FOCUS)
            made.append(fit((mark, *self._rows[number]), width))
        return made

    def on_resize(self) -> None:
        if self.size.width != self._made_for:
            self.fill()
        super().on_resize()
