"""A text field of one row: no blink, no border; a paste becomes one line, and says what did not fit."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.message import Message
from textual.widgets import Input

from tui.text import query_line


class Field(Input):
    """The toolkit's input, quiet. ``limit`` is the most code points it takes."""

    SCOPE: ClassVar[str] = "value"

    class Shortened(Message):
        """A paste was longer than the field takes: so many code points were left out."""

        def __init__(self, field: Field, lost: int) -> None:
            super().__init__()
            self.field = field
            self.lost = lost

    def __init__(self, value: str = "", *, limit: int = 200, **more: Any) -> None:
        super().__init__(value, compact=True, select_on_focus=False, max_length=limit, **more)
        self.cursor_blink = False
        self.limit = limit

    def _on_paste(self, event: events.Paste) -> None:
        """Line ends become spaces, so that nothing after the first is lost, or run as keys."""
        start, end = sorted((self.selection.start, self.selection.end))
        room = self.limit - (len(self.value) - (end - start))
        text, lost = query_line(event.text, max(0, room))
        if text:
            self.replace(text, start, end)
        if lost:
            self.post_message(self.Shortened(self, lost))
        event.prevent_default()
        event.stop()
