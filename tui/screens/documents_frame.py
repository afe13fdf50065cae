"""The frame of the Documents screen: its panes, where they stand at each size, and what they draw. What keys do and
what is worked out is the screen's business (``documents.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from engine.settings import Chunking
from tui.field import Field as TextField
from tui.screens import documents_about, documents_head, documents_layout
from tui.screens.asking import Asking
from tui.screens.documents_find import Finding
from tui.screens.documents_layout import Arrangement, Pane
from tui.screens.documents_listing import Listing
from tui.screens.documents_panes import BoundaryPane, ShelfPane, WhatIfPane
from tui.screens.documents_trial import Trying
from tui.screens.documents_work import Shown
from tui.screens.page import Page
from tui.screens.search_layout import Place
from tui.text import query_line
from tui.widgets import document
from tui.widgets.painted import Painted, Rule
from tui.widgets.pane import Pane as MovingPane
from tui.widgets.tiles import Tiles


class DocumentsFrame(Page):
    """List, document and what-if, as many as there is room for. ``asking`` is what is being worked out."""

    def __init__(self) -> None:
        super().__init__()
        self.shelf = ShelfPane(id="documents")
        self.text = BoundaryPane(id="document")
        self.what_if = WhatIfPane(id="what-if")
        self.finding = Finding(self, self.shelf, self.text, self.filter)
        # held, and not looked up: a page is still told of a size or a focus while its parts are taken down
        self._states, self._tabs, self._about = (Painted(id=name) for name in ("states", "tabs", "about"))
        self.active: Pane = "documents"
        self.beside: Pane = "documents"
        self.served: Shown | None = None
        self.asking = Asking()
        self.trying = Trying(self, self.asking)
        self.listing = Listing(self, self.asking)

    # --- composition ---

    def body(self) -> ComposeResult:
        yield from (self._states, self._tabs, self._about)
        yield self.shelf
        yield Rule(id="rule-left")
        yield self.text
        yield Rule(id="rule-right")
        yield self.what_if
        yield self.finding.field

    def on_mount(self) -> None:
        self.query_one("#body", Container).styles.inline.set_rule("layout", Tiles(self._places))

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        # nothing here scrolls: a pane that is not shown becomes the active tab instead
        super().set_focus(widget, False, from_app_focus)

    def main_pane(self) -> Widget | None:
        return self.shelf if self.active == "documents" else self.text

    # --- layout ---

    def _arrange(self, width: int, height: int) -> Arrangement:
        zoomed = cast("Pane | None", self.zoomed.id if self.zoomed is not None else None)
        if zoomed not in documents_layout.PANES:
            zoomed = None
        size = max(1, width), max(1, height)
        return documents_layout.arrange(*size, active=self.active, beside=self.beside, zoomed=zoomed)

    def _places(self, width: int, height: int) -> Mapping[str, Place]:
        places = dict(self._arrange(width, height).places)
        if isinstance(self.focused, TextField):
            places["find"] = Place(0, 0, width, 1)
            places.pop("states", None)
        return places

    @property
    def arrangement(self) -> Arrangement:
        size = self.query_one("#body", Container).size
        return self._arrange(size.width, size.height)

    def fit_panes(self) -> None:
        arrangement = self.arrangement
        for pane in (self.shelf, self.text, self.what_if):
            pane.titled = not (self.zoomed is None and pane.id in arrangement.tabs)
        # a child that asks for a layout is what makes its parent place its children anew
        self.finding.field.refresh(repaint=False, layout=True)
        self.call_after_refresh(self.draw)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        focused = self.focused
        if focused is not self.finding.field:
            self.finding.left()
        if isinstance(focused, MovingPane):
            if self.zoomed is not None and self.zoomed is not focused:
                self.zoomed = focused
            self.active = cast("Pane", focused.id)
            if focused is not self.text:
                self.beside = self.active
        if focused is self.what_if and self.trying.found is None:
            self.trying.compare(0.0)
        self.fit_panes()
        self._explain()

    # --- the view ---

    @property
    def now(self) -> Chunking:
        """The cut that serves."""
        status = self.workbench.view.status
        if self.served is not None:
            return self.served.chunking
        return status.chunking if status is not None else self.workbench.view.settings.chunking

    @property
    def previewed(self) -> bool:
        """Whether the document stands under the cut that is tried."""
        return self.trying.applies(self.now)

    def draw(self) -> None:
        """Draw what is shown; each part sends only the cells that changed."""
        if not self.ready:
            return
        view, arrangement = self.workbench.view, self.arrangement
        if arrangement.shows("states"):
            width = arrangement.places["states"].width
            troubles = 0 if self._problems_row.display else len(view.troubles)
            self._states.paint(
                [document.states(view.status, self.listing.disk, view.writer, width, troubles)]
            )
        self.what_if.show(self.trying.trial(self.now))
        for pane in (self.shelf, self.text):
            pane.repaint()
        self.draw_cursor()

    def filter(self, sought: str) -> None:
        """Show the documents whose path holds what is sought."""
        self.shelf.show(self.listing.entries, sought, self.served.sheet.opened.path if self.served else "")
        self.draw()

    def draw_cursor(self) -> None:
        """Draw what follows the cursors of the panes."""
        arrangement = self.arrangement
        self._draw_tabs(arrangement)
        self._draw_about(arrangement)
        self._explain()

    def _draw_tabs(self, arrangement: Arrangement) -> None:
        if not arrangement.shows("tabs"):
            return
        shown = self.beside if arrangement.form == "medium" else self.active
        focused = self.focused is not None and self.focused.id == shown
        line = documents_head.tabs(
            arrangement,
            shown,
            self.shelf,
            self.text,
            arrangement.places["tabs"].width,
            previewed=self.previewed,
            focused=focused,
        )
        self._tabs.paint([line])

    def _draw_about(self, arrangement: Arrangement) -> None:
        if arrangement.shows("about") and self.text.shown is not None:
            # the place that it has been given, and not the size that it still has: a pane may just have been shown
            place = arrangement.places["about"]
            found = documents_about.about(self.text.shown, self.served, self.text.cursor)
            self._about.paint(document.about(found, place.width, place.height))

    def _explain(self) -> None:
        focus = self.focused.id if self.focused is not None else None
        self.explain(documents_head.sentence(focus or "", self.shelf, self.text, self.trying.dial))

    def action_chunk_next(self) -> None:
        self.text.action_chunk_next()

    def action_chunk_previous(self) -> None:
        self.text.action_chunk_previous()

    def take_paste(self, text: str) -> None:
        self.finding.begin()
        self.finding.field.insert_text_at_cursor(query_line(text, self.finding.field.limit)[0])
