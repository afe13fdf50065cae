"""One conflict of an edit: its three texts, and a digit for each way to settle it. Which edit that makes is
``documents_editing``'s business."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import events

from tui.actions import bindings
from tui.screens.panel import Choices, Panel
from tui.widgets import document_conflict
from tui.widgets.document_conflict import CHOICES, SIDES, Choice, Side
from tui.widgets.line import Line

if TYPE_CHECKING:
    from engine.edits.face import Conflict


class Texts(Choices):
    """The choices, and below them the texts, which the cursor only scrolls."""

    SCOPE: ClassVar[str] = "conflict"
    BINDINGS: ClassVar[list[Any]] = bindings("conflict")

    def __init__(self, title: str, panel: ConflictPanel) -> None:
        super().__init__(title, ())
        self._panel = panel

    def action_side_next(self) -> None:
        self._panel.turn(1)

    def action_side_previous(self) -> None:
        self._panel.turn(-1)


class ConflictPanel(Panel[Choice]):
    """Dismissed with the choice. Nearly as high as the screen: texts of a page are compared here."""

    def __init__(self, found: Conflict, number: int, count: int) -> None:
        self.side: Side = "mine"
        title = f"CONFLICT {number} of {count}  a digit, or enter; esc leaves"
        super().__init__(title, self._laid_out)
        self.list = Texts(title, self)
        self._found = found

    def _laid_out(self, width: int) -> list[Line]:
        return document_conflict.rows(self._found, self.side, width - 2)

    def turn(self, step: int) -> None:
        """Another of the three texts, where only one has room."""
        self.side = SIDES[(SIDES.index(self.side) + step) % len(SIDES)]
        self.list.replace(self._laid_out(self.width), self.list.cursor)
        self.fit_height()

    def fit_height(self) -> None:
        self.list.styles.height = min(self.list.count + 1, max(4, self.app.size.height - 2))

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in "1234":
            event.stop()
            self.dismiss(CHOICES[int(event.character) - 1][0])

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        if message.index < len(CHOICES):
            self.dismiss(CHOICES[message.index][0])
