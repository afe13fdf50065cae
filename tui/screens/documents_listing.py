"""What the Documents screen knows of the library: its documents, the folder beside them, the edits in conflict.

It asks through the page, of another state of the library and of another principal anew, and draws nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.catalogue.standing import Content, OnDisk
from tui import documents_bridge as work
from tui.screens import documents_work
from tui.screens.asking import Asking
from tui.widgets.shelf import Entry

if TYPE_CHECKING:
    from engine.edits.face import Conflict
    from tui.screens.page import Page
    from tui.state import View


class Listing:
    """What is known. ``disk`` is None until the folder was looked at; ``entries`` is what the list shows."""

    def __init__(self, page: Page, asking: Asking) -> None:
        self.entries: tuple[Entry, ...] = ()
        self.disk: OnDisk | None = None
        self.conflicts: Sequence[Conflict] = ()
        self._contents: Sequence[Content] | None = None
        self._page = page
        self._asking = asking
        self._asked_for: object = None
        self._scopes: tuple[str, ...] | None = None
        self._problems: object = None
        self._corpus: object = None

    @property
    def begun(self) -> bool:
        """Whether the documents are known, or asked for."""
        return self._asked_for is not None

    @property
    def known(self) -> bool:
        """Whether the documents of now are known."""
        return self.begun and not self._asking.running("list")

    def take(self, contents: Sequence[Content], conflicts: Sequence[Conflict]) -> None:
        """The documents are known."""
        self._contents, self.conflicts = contents, conflicts
        self.entries = documents_work.entries(contents, self.disk or OnDisk())

    def saw(self, disk: OnDisk) -> None:
        """The folder was looked at; nothing of it is listed before the documents are, so that the cursor begins on
        one."""
        self.disk = disk
        if self._contents is not None:
            self.entries = documents_work.entries(self._contents, disk)

    def another(self, view: View) -> bool:
        """Whether another principal asks than before; then nothing is known any more."""
        before, self._scopes = self._scopes, view.scopes
        if before is None or before == view.scopes:
            return False
        self.entries, self.disk, self.conflicts, self._contents = (), None, (), None
        self._asked_for = self._corpus = None
        return True

    def follow(self, view: View) -> None:
        """Ask for the documents where the state of the library is another one, and look at the folder where a task has
        ended."""
        if view.status is None:
            return
        if (wanted := (view.status.state, view.scopes)) != self._asked_for:
            self._asked_for = wanted
            bridge = self._page.workbench.bridge
            self._asking.begin("list", lambda: work.listed(bridge, self._page, view.scopes))
        if view.problems is not self._problems:  # every task that ends says anew what is wrong
            self._problems = view.problems
            self.look()

    def again(self) -> None:
        """Ask for the documents anew, although the state of the library may be the same."""
        self._asked_for = None

    def look(self) -> None:
        """Compare the folder with what is indexed of it."""
        view, bridge = self._page.workbench.view, self._page.workbench.bridge
        if view.status is not None:
            self._asking.begin("disk", lambda: work.on_disk(bridge, self._page, view.scopes))

    def changed(self) -> bool:
        """Whether the documents are others than when this was last asked; if not, only vectors were made."""
        status = self._page.workbench.view.status
        corpus = (status.state.corpus_version, status.generation) if status is not None else None
        before, self._corpus = self._corpus, corpus
        return corpus != before
