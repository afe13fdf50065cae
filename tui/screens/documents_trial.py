"""The cut that is tried on the Documents screen: its dial, the document under it, and the whole library under it.

The cut is that of the settings, so a turn is undone, reset and saved like any other; this owns what was worked out
for it. It asks through the page, and draws nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.catalogue.evidence import Beside
from engine.catalogue.what_if import WhatIf, same_cut
from engine.model import Progress
from engine.settings import Chunking
from tui import documents_bridge as work
from tui.screens.asking import Asking
from tui.widgets import figures, what_if

if TYPE_CHECKING:
    from engine.settings.fields import Field
    from tui.screens.documents_work import Shown
    from tui.screens.page import Page

PAUSE = 0.3
"""Seconds without a turn before the whole library is cut under what is tried."""


class Trying:
    """What is tried. ``hidden`` shows the cut that serves although another one is set."""

    def __init__(self, page: Page, asking: Asking) -> None:
        self._page = page
        self._asking = asking
        self.dial: Field = what_if.DIALS[1]
        self.hidden = False
        self.found: WhatIf | None = None
        self.progress = ""
        self.beside = Beside()
        self._last: Chunking | None = None
        self._turn = 0

    @property
    def tried(self) -> Chunking:
        """The cut of the settings."""
        return self._page.workbench.view.settings.chunking

    def applies(self, now: Chunking) -> bool:
        """Whether the document stands under another cut than the one that serves."""
        return not self.hidden and not same_cut(self.tried, now)

    @property
    def fresh(self) -> bool:
        """Whether what was found is of the cut that is tried."""
        return self.found is not None and same_cut(self.found.chunking, self.tried)

    def turned(self) -> bool:
        """Whether the settings have another cut than when this was last asked; then it is shown again."""
        before, self._last = self._last, self.tried
        if before is None or before == self.tried:
            return False
        self.hidden = False
        return True

    def trial(self, now: Chunking) -> what_if.Trial:
        """What the pane draws."""
        return what_if.Trial(
            now, self.tried, self.dial.name, self.applies(now), self.found, self.progress,
            self.beside.cases, self.beside.wrong,
        )  # fmt: skip

    def choose(self, steps: int) -> None:
        """The next or the previous setting of the cut as the dial; it wraps around."""
        names = [known.name for known in what_if.DIALS]
        self.dial = what_if.DIALS[(names.index(self.dial.name) + steps) % len(names)]

    def recut(self, served: Shown) -> None:
        """Ask for the open document under the cut that is tried."""
        sheet, tried = served.sheet, self.tried
        self._asking.begin("recut", lambda: work.recut(self._page.workbench.bridge, self._page, sheet, tried))

    def compare(self, pause: float = PAUSE) -> None:
        """Ask for the whole library under the cut that is tried, in place of what is being worked out, once no other
        was wanted for ``pause`` seconds."""
        self._asking.cancel("compare")
        self._turn += 1
        turn, tried, scopes = self._turn, self.tried, self._page.workbench.view.scopes

        def start() -> None:
            if turn == self._turn and self._page.is_attached:
                bridge = self._page.workbench.bridge
                self._asking.begin(
                    "compare", lambda: work.compared(bridge, self._page, tried, scopes, self.beside)
                )

        if self.found is None:
            self.progress = "counting"
        if pause:
            self._page.set_timer(pause, start)
        else:
            start()

    def went_on(self, progress: Progress) -> None:
        """The comparison has cut so many documents."""
        self.progress = f"{figures.whole(progress.done)} of {figures.whole(progress.total)}"

    def ended(self, found: WhatIf) -> None:
        self.found, self.progress = found, ""

    def forget(self) -> None:
        """The library has changed: what was found is of another state."""
        self.found = None
