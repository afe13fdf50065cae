"""Whose documents are searched: a list of the labels that the library knows, each on or off."""

from __future__ import annotations

from collections.abc import Sequence

from engine.model import OWNER, PUBLIC
from tui.screens.panel import Choices, Panel
from tui.text import one_line
from tui.widgets.line import FOCUS, MUTED, PLAIN, Line


class ScopePanel(Panel[tuple[str, ...]]):
    """Dismissed with the scopes beside ``public``, which everybody has."""

    def __init__(self, known: Sequence[str], chosen: Sequence[str]) -> None:
        self.names = [OWNER, *sorted({*known, *chosen} - {OWNER, PUBLIC})]
        self.chosen = set(chosen)
        super().__init__("SCOPE  enter switches, esc searches with it", lambda _: self._rows())

    def _rows(self) -> list[Line]:
        fixed: Line = (("✓ ", MUTED), (PUBLIC, MUTED), ("  what everybody may see, always", MUTED))
        return [fixed, *(self._row(name) for name in self.names)]

    def _row(self, name: str) -> Line:
        on = name in self.chosen
        shown = "everything  the owner at the keyboard" if name == OWNER else one_line(name)
        return (("✓ " if on else "  ", FOCUS), (shown, PLAIN))

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        if message.index:
            self.chosen ^= {self.names[message.index - 1]}
            self.list.choices = self._rows()
            self.list.repaint()

    def action_back(self) -> None:
        self.dismiss((OWNER,) if OWNER in self.chosen else tuple(sorted(self.chosen)))
