"""A pane with the focus: a cursor, a window over its rows, and the keys that move both. What rows look like
is given.
"""

from __future__ import annotations

from textual.message import Message

from tui.widgets.line import Line
from tui.widgets.painted import Painted


class Pane(Painted, can_focus=True):
    """Rows below ``head`` fixed ones. ``count`` is how many the cursor can stand on; a subclass draws
    ``lines``.

    At an edge the window moves by a third of itself, so that one key in many redraws the list and not every
    one.
    """

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self.top = 0
        self.titled = True
        self.margin = 1

    @property
    def head(self) -> int:
        """Rows that do not move: the title, where it is shown."""
        return 1 if self.titled else 0

    @property
    def count(self) -> int:
        """Rows that the cursor can stand on."""
        raise NotImplementedError

    @property
    def window(self) -> int:
        """Rows of the list that are seen at once."""
        return max(1, self.size.height - self.head)

    def lines(self) -> list[Line]:
        """What the pane shows now, at its present size."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Draw what changed; nothing before the pane has a size."""
        if self.size.width and self.size.height:
            self.paint(self.lines())

    def row_of(self, cursor: int) -> int:
        """The row of the list on which a cursor stands, where other rows lie between."""
        return cursor

    @property
    def rows(self) -> int:
        """Rows of the list in all."""
        return self.count

    def move_to(self, cursor: int) -> None:
        """Put the cursor on a row, or as near as there is one, and say so if it moved."""
        cursor = min(max(cursor, 0), max(0, self.count - 1))
        moved = cursor != self.cursor
        self.cursor = cursor
        self.follow()
        self.repaint()
        if moved:
            self.post_message(self.Moved(self))

    def follow(self) -> None:
        """Move the window so that the cursor's row is in it; one that is not shown has no rows, and stays."""
        if not self.size.height:
            return
        row, window = self.row_of(self.cursor), self.window
        step = max(1, window // 3)
        if row < self.top:
            self.top = row if self.top - row > step else self.top - step
        elif row >= self.top + window:
            over = row - (self.top + window - 1)
            self.top += over if over > step else step
        self.top = min(max(0, self.top), max(0, self.rows - window))

    def on_resize(self) -> None:
        self.follow()
        self.repaint()

    def watch_has_focus(self, focused: bool) -> None:
        super().watch_has_focus(focused)
        self.repaint()

    def move_by(self, rows: int) -> None:
        """Move the cursor by so many rows, as far as there are any."""
        self.move_to(self.cursor + rows)

    def move_to_end(self) -> None:
        """Put the cursor on the last row."""
        self.move_to(self.count - 1)

    # --- keys ---

    def action_cursor_down(self) -> None:
        self.move_by(1)

    def action_cursor_up(self) -> None:
        self.move_by(-1)

    def action_cursor_first(self) -> None:
        self.move_to(0)

    def action_cursor_last(self) -> None:
        self.move_to_end()

    def action_cursor_half_down(self) -> None:
        self.move_by(max(1, self.window // 2))

    def action_cursor_half_up(self) -> None:
        self.move_by(-max(1, self.window // 2))

    def action_cursor_page_down(self) -> None:
        self.move_by(self.window)

    def action_cursor_page_up(self) -> None:
        self.move_by(-self.window)
