"""What an edit that is not made yet would do to the library's own set. A screen says which edit, and is told by
``changed`` when more is known of it; it passes on the messages of the work that it asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from engine.catalogue.evidence import SET
from tui import edits_bridge
from tui.messages import Examined, ExamineFailed, Examining
from tui.screens.asking import Asking
from tui.text import one_line
from tui.widgets import document_effect, figures
from tui.widgets.document_effect import Tried

if TYPE_CHECKING:
    from typing import Any

    from engine.edits.intent import Intent
    from engine.evaluate.effect import Effect
    from tui.app import RankscopeApp

TRYING = "trying the edit on a copy"
PURPOSE = "effect"


class Foresight:
    """One edit at a time: ``tried`` is what is known of it. Asked for the same again, it asks nobody."""

    def __init__(self, screen: Screen[Any], asking: Asking, changed: Callable[[], None]) -> None:
        self.tried = Tried(())
        self._screen = screen
        self._asking = asking
        self._changed = changed
        self._key: object = None
        self._turn = 0

    def ask(self, key: object, wanted: Callable[[], Intent], *, pause: float = 0.0, wrong: str = "") -> None:
        """Try an edit, known by its ``key``, in place of any other, once no other was wanted for ``pause`` seconds.
        There is nothing to try without a set, and where it is ``wrong``."""
        if key == self._key:
            return
        self.stop()
        self._key = key
        app = cast("RankscopeApp", self._screen.app)
        names = document_effect.metrics(app.view.retrieval)
        if wrong or not Path(app.opening.folder, SET).is_file():
            self.tried = Tried(names, wrong=wrong)
            return
        self.tried = Tried(names, waiting=TRYING)
        turn = self._turn

        def start() -> None:
            if turn == self._turn and self._screen.is_attached:
                view = app.view
                self._asking.begin(
                    PURPOSE,
                    lambda: edits_bridge.effect(
                        app.bridge, self._screen, wanted(), view.settings, view.scopes
                    ),
                )

        if pause:
            self._screen.set_timer(pause, start)
        else:
            start()

    def stop(self) -> None:
        """Try no more; what was not found is asked anew."""
        self._turn += 1
        if self._asking.running(PURPOSE) or self.tried.waiting:
            self._asking.cancel(PURPOSE)
            self._key = None

    # --- what comes of it: whether it is of this purpose ---

    def went_on(self, message: Examining) -> None:
        if self._asking.purpose_of(message.token) == PURPOSE:
            step = message.progress
            told = f"{TRYING}: {figures.whole(step.done)} of {figures.whole(step.total)}"
            self._is(replace(self.tried, waiting=told))

    def ended(self, purpose: str | None, message: Examined) -> None:
        if purpose == PURPOSE:
            self._is(replace(self.tried, waiting="", found=cast("Effect | None", message.answer)))

    def failed(self, purpose: str | None, message: ExamineFailed) -> None:
        if purpose == PURPOSE:
            self._key = None  # the library may only have been busy: the next time it is tried again
            told = one_line(": ".join(filter(None, (message.problem.sentence, message.problem.remedy))))
            self._is(replace(self.tried, waiting="", wrong=told))

    def _is(self, tried: Tried) -> None:
        self.tried = tried
        self._changed()
