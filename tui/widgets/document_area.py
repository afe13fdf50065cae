"""The field in which a chunk's text is edited: the toolkit's text area, quiet, and safe for any text.

What may not reach a terminal is veiled in it (``tui.veil``) and drawn as its stand-in; ``content`` is the text
itself, with its own line ends.
"""

from __future__ import annotations

from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.widgets import TextArea

from tui.actions import bindings
from tui.text import sanitise
from tui.veil import unveil, veil, veilable


class Area(TextArea):
    """A text of many lines. ``tab`` types a tab; a paste is typed, whatever it holds."""

    SCOPE: ClassVar[str] = "edit"
    BINDINGS: ClassVar[list[Any]] = bindings("edit")

    def __init__(self, *, id: str) -> None:
        super().__init__(
            id=id, compact=True, soft_wrap=True, max_checkpoints=500, highlight_cursor_line=False
        )
        self.cursor_blink = False

    @property
    def content(self) -> str:
        """The text as it is."""
        return unveil(self.text)

    def put(self, content: str) -> None:
        """Begin with a text; nothing before it can be undone."""
        self.load_text(veil(content))
        self.move_cursor((0, 0))

    def get_line(self, line_index: int) -> Text:
        return Text(_row(unveil(self.document.get_line(line_index))), end="", no_wrap=True)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "tab":
            event.stop()
            event.prevent_default()
            self.replace("\t", *self.selection)
            return
        await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        self.replace(veil(text) if veilable(text) else sanitise(text), *self.selection)
        event.stop()
        event.prevent_default()


def _row(line: str) -> str:
    """A line as it may be drawn, of the same length. The return of a CRLF is a blank, and one by itself its picture:
    either would end the row in the middle."""
    ended = line.endswith("\r")
    shown = sanitise((line[:-1] if ended else line).replace("\r", "\u240d"))
    return f"{shown} " if ended else shown
