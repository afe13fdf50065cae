"""Panels over a page: a list at the foot of the screen, with a cursor. Menu, help, problems and palette are
such."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from tui.actions import bindings
from tui.widgets.line import FOCUS, PLAIN, STRONG, Line, fit
from tui.widgets.pane import Pane

Answer = TypeVar("Answer")
LayOut = Callable[[int], Sequence[Line]]
"""Rows for a width of so many cells."""


class Choices(Pane):
    """Rows to choose from, under a title. ``fixed`` rows cannot be chosen: the cursor only scrolls them."""

    SCOPE: ClassVar[str] = "overlay"
    BINDINGS: ClassVar[list[Any]] = bindings("overlay")

    class Chosen(Message):
        """``enter`` on a row, by its number from 0."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, title: str, rows: Sequence[Line], *, id: str = "choices") -> None:
        super().__init__(id=id)
        self.title_text = title
        self.choices = list(rows)

    @property
    def count(self) -> int:
        return len(self.choices)

    def replace(self, rows: Sequence[Line], cursor: int = 0) -> None:
        """Other rows; the cursor goes to the first, or to the one given."""
        self.choices = list(rows)
        self.cursor = self.top = 0
        self.move_to(cursor)

    def lines(self) -> list[Line]:
        width = self.size.width
        made = [fit((("▸", FOCUS), (self.title_text, f"{STRONG} {FOCUS}")), width)]
        for number in range(self.top, min(self.count, self.top + self.window)):
            mark = ("▸ " if number == self.cursor else "  ", FOCUS)
            made.append(fit((mark, *self.choices[number]), width))
        return made

    def action_choose(self) -> None:
        if self.choices:
            self.post_message(self.Chosen(self.cursor))


class Overlay(ModalScreen[Answer]):
    """Lies over a page until it is dismissed, once: of keys that come together only the first answers."""

    BINDINGS: ClassVar[list[Any]] = bindings("panel")

    _answered = False

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        if self._answered or not self.is_current:
            return AwaitComplete()
        self._answered = True
        return super().dismiss(result)

    def action_back(self) -> None:
        self.dismiss(None)


class Panel(Overlay[Answer]):
    """A titled list over the page, as high as it needs to be. Dismissed with an answer, or with None.

    Rows are laid out for the width that there is, and anew when it changes.
    """

    SCOPE: ClassVar[str] = "panel"
    AUTO_FOCUS = "#choices"

    def __init__(self, title: str, lay_out: LayOut) -> None:
        super().__init__()
        self.lay_out = lay_out
        self.width = 0
        self.list = Choices(title, ())

    def compose(self) -> ComposeResult:
        with Vertical(classes="panel"):
            yield from self.around()
            yield self.list

    def around(self) -> ComposeResult:
        """What stands above the list."""
        yield from ()

    def on_mount(self) -> None:
        self.fit()

    def on_resize(self, event: events.Resize) -> None:
        self.fit()

    def fit(self) -> None:
        """Lay the rows out for the present size; the cursor stays where it was in the list."""
        width = self.app.size.width
        if width != self.width:
            before, at = max(1, self.list.count), self.list.cursor
            self.width = width
            rows = self.lay_out(width)
            self.list.replace(rows, at if len(rows) == before else at * len(rows) // before)
        self.fit_height()

    def fit_height(self) -> None:
        """As many rows as there are choices, at most two thirds of the screen."""
        most = max(4, self.app.size.height * 2 // 3)
        self.list.styles.height = min(self.list.count + 1, most)


def text_row(text: str, style: str = PLAIN) -> Line:
    """One row of plain text."""
    return ((text, style),)
