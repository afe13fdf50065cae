"""The ``space`` menu: every action of the focused pane, numbered, with its keys."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from tui import cells
from tui.actions import Action, label, labels
from tui.screens.panel import Choices, Panel
from tui.widgets.line import MUTED, PLAIN, STRONG, Line

KEYS, SHORT_KEYS = 16, 11
NARROW = 60
"""Cells below which an action is named by its verb, without its sentence."""

MOVING = ("cursor.", "pane.", "screen.jump", "menu.", "back")
"""Actions that the menu leaves out: who can open it can also do these."""


def listed(actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions in the menu, in its order."""
    return tuple(action for action in actions if not action.id.startswith(MOVING))


def rows(actions: Sequence[Action], width: int) -> list[Line]:
    """One row an action: its number while it has one digit, its keys, what it does."""
    short = width < NARROW
    return [
        (
            (f"{number if number < 10 else '':>2}  ", STRONG),
            (cells.fit(_keys(action, short), SHORT_KEYS if short else KEYS) + " ", PLAIN),
            (action.verb if short else action.help, MUTED if not action.keys else PLAIN),
        )
        for number, action in enumerate(actions, 1)
    ]


def _keys(action: Action, short: bool) -> str:
    return label(action.keys[0]) if short and action.keys else labels(action)


class MenuPanel(Panel[Action]):
    """Dismissed with the action to run."""

    def __init__(self, title: str, actions: Sequence[Action]) -> None:
        self.actions = listed(actions)
        super().__init__(title, lambda width: rows(self.actions, width))

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in "123456789":
            event.stop()
            self._run(int(event.character) - 1)

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self._run(message.index)

    def _run(self, index: int) -> None:
        if index < len(self.actions):
            self.dismiss(self.actions[index])
