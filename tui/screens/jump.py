"""Jump mode: a letter over each pane and each screen; the next key goes there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset

from tui.actions import ascii_twin
from tui.screens.panel import Overlay
from tui.widgets.line import FOCUS, PLAIN, STRONG, Line, fit
from tui.widgets.painted import Painted

LETTERS = "asdfghjklwertyuiopcvbnm"
"""The letters that name targets, home row first; ``q``, ``x`` and ``z`` leave."""


@dataclass(frozen=True, slots=True)
class Target:
    """A place to go: its name, where its letter is drawn (None: only listed), and what goes there (an id)."""

    name: str
    where: Offset | None
    goal: str


class JumpScreen(Overlay[Target]):
    """Dismissed with the target, or with None by any other key."""

    AUTO_FOCUS = ""

    def __init__(self, targets: Sequence[Target]) -> None:
        super().__init__()
        self.targets = dict(zip(LETTERS, targets, strict=False))

    def compose(self) -> ComposeResult:
        for letter, target in self.targets.items():
            if target.where is not None:
                mark = Painted(id=f"jump-{letter}")
                mark.styles.position, mark.styles.offset = "absolute", target.where
                mark.styles.width, mark.styles.height = 3, 1
                yield mark
        line = Painted(id="jump-list")
        line.styles.dock, line.styles.height = "bottom", 1
        yield line

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        for mark in self.query(Painted):
            letter = str(mark.id).removeprefix("jump-")
            mark.paint([listing(self.targets, self.size.width)] if letter == "list" else [_mark(letter)])

    def on_key(self, event: events.Key) -> None:
        event.stop()
        letter = event.character or ""
        self.dismiss(self.targets.get(ascii_twin(letter) or letter))


def listing(targets: dict[str, Target], width: int) -> Line:
    """Every letter with the name of what it goes to, for panes that are not on screen now."""
    pieces: list[tuple[str, str]] = [(" jump to", PLAIN)]
    for letter, target in targets.items():
        pieces += [(f"   {letter} ", f"{STRONG} {FOCUS}"), (target.name, PLAIN)]
    return fit(tuple(pieces), width)


def _mark(letter: str) -> Line:
    return ((f" {letter} ", "reverse focus"),)
