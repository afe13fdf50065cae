"""The Documents screen: every document, the borders of its chunks, and what another cut would make of them.

It owns the open document, the filter and the dial; settings and states it reads from the view. What takes time is
worked out by the bridge, one piece of work a purpose; only the last answer for each counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from engine.catalogue.evidence import Beside
from engine.catalogue.what_if import WhatIf
from engine.model import Chunk
from engine.settings import Chunking
from tui import documents_bridge as work
from tui.actions import bindings
from tui.field import Field as TextField
from tui.messages import Examined, ExamineFailed, Examining
from tui.screens import documents_about, documents_head, documents_layout, documents_marks, panels
from tui.screens.asking import Asking
from tui.screens.documents_find import Finding
from tui.screens.documents_layout import Arrangement, Pane
from tui.screens.documents_panes import BoundaryPane, ShelfPane, WhatIfPane
from tui.screens.documents_trial import Trying
from tui.screens.documents_work import Shown
from tui.screens.page import Page
from tui.screens.search_copy import Copied, citation
from tui.screens.search_layout import Place
from tui.state import View
from tui.text import query_line
from tui.widgets import document, figures, shelf, what_if
from tui.widgets.boundary_bands import NONE
from tui.widgets.painted import Painted, Rule
from tui.widgets.pane import Pane as MovingPane
from tui.widgets.tiles import Tiles

if TYPE_CHECKING:
    pass


class DocumentsScreen(Page):
    """List, document and what-if, as many as there is room for."""

    NAME: ClassVar[str] = "Documents"
    SCOPE: ClassVar[str] = "documents"
    BINDINGS: ClassVar[list[Any]] = bindings("documents")

    def __init__(self) -> None:
        super().__init__()
        self.shelf = ShelfPane(id="documents")
        self.text = BoundaryPane(id="document")
        self.what_if = WhatIfPane(id="what-if")
        self.finding = Finding(self, self.shelf, self.text, self._filter)
        self.active: Pane = "documents"
        self.beside: Pane = "documents"
        self.entries: tuple[shelf.Entry, ...] = ()
        self.served: Shown | None = None
        self._asking = Asking()
        self.trying = Trying(self, self._asking)
        self._listed_for: object = None
        self._goal: Chunk | None = None

    # --- composition ---

    def body(self) -> ComposeResult:
        for name in ("states", "tabs", "about"):
            yield Painted(id=name)
        yield self.shelf
        yield Rule(id="rule-left")
        yield self.text
        yield Rule(id="rule-right")
        yield self.what_if
        yield self.finding.field

    def on_mount(self) -> None:
        self.query_one("#body", Container).styles.inline.set_rule("layout", Tiles(self._places))
        self.set_focus(self.text if self._goal is not None else self.shelf)

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
        self.call_after_refresh(self._draw)

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

    def show(self, view: View) -> None:
        state = view.status.state if view.status is not None else None
        self.text.terms = view.trace.recall.terms if view.trace is not None else ()
        if state is not None and (state, view.scopes) != self._listed_for:
            self._listed_for = (state, view.scopes)
            self._asking.begin("list", lambda: work.listed(self.workbench.bridge, self, view.scopes))
        if self.trying.turned():
            self._recut()
        self._draw()

    def _draw(self) -> None:
        """Draw what is shown; each part sends only the cells that changed."""
        if not self.ready:
            return
        view, arrangement = self.workbench.view, self.arrangement
        if arrangement.shows("states"):
            states = self.query_one("#states", Painted)
            states.paint([document.states(view.status, 0, view.writer, states.size.width)])
        self.what_if.show(self.trying.trial(self.now))
        for pane in (self.shelf, self.text):
            pane.repaint()
        self._draw_tabs(arrangement)
        self._draw_about(arrangement)
        self._explain()

    def _draw_tabs(self, arrangement: Arrangement) -> None:
        if not arrangement.shows("tabs"):
            return
        tabs = self.query_one("#tabs", Painted)
        shown = self.beside if arrangement.form == "medium" else self.active
        focused = self.focused is not None and self.focused.id == shown
        line = documents_head.tabs(
            arrangement,
            shown,
            self.shelf,
            self.text,
            tabs.size.width,
            previewed=self.previewed,
            focused=focused,
        )
        tabs.paint([line])

    def _draw_about(self, arrangement: Arrangement) -> None:
        if arrangement.shows("about") and self.text.shown is not None:
            line = self.query_one("#about", Painted)
            found = documents_about.about(self.text.shown, self.served, self.text.cursor)
            line.paint(document.about(found, line.size.width, line.size.height))

    def _explain(self) -> None:
        focus = self.focused.id if self.focused is not None else None
        self.explain(documents_head.sentence(focus or "", self.shelf, self.text, self.trying.dial))

    # --- what was worked out ---

    def on_examined(self, message: Examined) -> None:
        purpose, answer = self._asking.ended(message.token), message.answer
        if purpose == "list":
            self._listed(*cast("tuple[tuple[shelf.Entry, ...], Beside]", answer))
        elif purpose == "open":
            self._opened(cast("Shown", answer))
        elif purpose == "recut":
            self.text.show(cast("Shown", answer), preview=True, now=self.now)
        elif purpose == "compare":
            self.trying.ended(cast("WhatIf", answer))
        self._draw()

    def on_examining(self, message: Examining) -> None:
        if self._asking.purpose_of(message.token) == "compare":
            self.trying.went_on(message.progress)
            self._draw()

    def on_examine_failed(self, message: ExamineFailed) -> None:
        purpose = self._asking.ended(message.token)
        if purpose is None:
            return
        told = ": ".join(filter(None, (message.problem.sentence, message.problem.remedy)))
        self.remark(told, attention=True)
        if purpose == "list":
            self._listed_for = None

    def _listed(self, entries: tuple[shelf.Entry, ...], beside: Beside) -> None:
        """Another state of the library: the open document is opened anew, where it stands."""
        self.entries, self.trying.beside = entries, beside
        opened = self.served.sheet.opened.path if self.served is not None else ""
        self.shelf.show(entries, self.shelf.sought, opened)
        self.trying.forget()
        if self._goal is not None:
            self.open(self._goal.path)
        elif opened:
            self.open(opened)
        if self.what_if.has_focus or self.previewed:
            self.trying.compare(0.0)

    def _opened(self, shown: Shown) -> None:
        self.served = shown
        self.text.show(shown, preview=False, now=shown.chunking)
        self.shelf.show(self.entries, self.shelf.sought, shown.sheet.opened.path)
        if self._goal is not None and self._goal.path == shown.sheet.opened.path:
            same = self._goal.revision == shown.sheet.opened.revision
            if same:
                self.text.to_offset(self._goal.start)
            else:
                self.remark("the document has changed since this passage was found", attention=True)
            self._goal = None
        if self.previewed:
            self._recut()

    # --- opening ---

    def look_at(self, chunk: Chunk) -> None:
        """Open a document at a chunk of it."""
        self._goal = chunk
        if self.ready:
            self.set_focus(self.text)
        if self._listed_for is not None:
            self.open(chunk.path)

    def open(self, path: str) -> None:
        """Open a document under the cut that serves, and then under the one that is tried."""
        view, bridge = self.workbench.view, self.workbench.bridge
        self._asking.cancel("recut")
        self._asking.begin("open", lambda: work.opened(bridge, self, path, view.scopes, self.trying.beside))

    def action_document_open(self) -> None:
        entry = self.shelf.entry
        if entry is None or entry.chunks is None:
            self.remark("there is nothing to open here")
            return
        self.open(entry.path)
        self.set_focus(self.text)

    # --- the cut ---

    def _recut(self) -> None:
        """The open document under the cut that is tried; the library, once the keys pause."""
        if self.served is not None and self.previewed:
            self.trying.recut(self.served)
        else:
            self._show_served()
        self.trying.compare()

    def _show_served(self) -> None:
        self._asking.cancel("recut")
        if self.served is not None:
            self.text.show(self.served, preview=False, now=self.now)

    def action_dial_next(self) -> None:
        self.trying.choose(1)
        self._draw()

    def action_dial_previous(self) -> None:
        self.trying.choose(-1)
        self._draw()

    def action_dial_up(self) -> None:
        self.workbench.turn(1, known=self.trying.dial)

    def action_dial_down(self) -> None:
        self.workbench.turn(-1, known=self.trying.dial)

    def action_dial_big_up(self) -> None:
        self.workbench.turn(1, big=True, known=self.trying.dial)

    def action_dial_big_down(self) -> None:
        self.workbench.turn(-1, big=True, known=self.trying.dial)

    def action_dial_reset(self) -> None:
        self.workbench.reset(self.trying.dial)

    action_turn_right = action_dial_up
    action_turn_left = action_dial_down

    def action_value_edit(self) -> None:
        self.workbench.type_value(self.trying.dial)

    # --- moving ---

    def on_pane_moved(self, message: MovingPane.Moved) -> None:
        if message.pane is self.what_if:
            self.trying.dial = what_if.DIALS[self.what_if.cursor]
            self._draw()
            return
        arrangement = self.arrangement
        self._draw_tabs(arrangement)
        if message.pane is self.text:
            self._draw_about(arrangement)
        self._explain()

    def action_chunk_next(self) -> None:
        self.text.action_chunk_next()

    def action_chunk_previous(self) -> None:
        self.text.action_chunk_previous()

    def action_mark_next(self) -> None:
        self._to_mark(1)

    def action_mark_previous(self) -> None:
        self._to_mark(-1)

    def _to_mark(self, step: int) -> None:
        """The next find hit, where something was looked for; else the next evidence or cut."""
        if self.text.shown is None:
            self.remark("no document is open")
            return
        told, offset = documents_marks.next_mark(self.text.shown, self.text.finds, self.text.cursor, step)
        if offset is not None:
            self.text.to_offset(offset)
        self.remark(told)

    def back(self) -> bool:
        """From a preview to the cut that serves, from a filter to the whole list, from any pane to the list."""
        if self.previewed and self.served is not None:
            self.trying.hidden = True
            self._show_served()
            self._draw()
            self.remark("the cut that serves; a turn shows the preview again")
            return True
        if self.focused is self.text and self.text.finds:
            self.text.finds = ()
            self._draw()
            return True
        if self.focused is self.shelf and self.shelf.sought:
            self._filter("")
            return True
        return False

    # --- filtering and finding ---

    def action_documents_find(self) -> None:
        self.finding.begin()

    def on_input_changed(self, message: TextField.Changed) -> None:
        self.finding.changed(message.value)

    def on_input_submitted(self, message: TextField.Submitted) -> None:
        if self.finding.submitted(message.value):
            self.text.move_to(max(0, self.text.cursor - 1))
            self._to_mark(1)
        self._draw()

    def _filter(self, sought: str) -> None:
        self.shelf.show(self.entries, sought, self.served.sheet.opened.path if self.served else "")
        self._draw()

    def take_paste(self, text: str) -> None:
        self.finding.begin()
        self.finding.field.insert_text_at_cursor(query_line(text, self.finding.field.limit)[0])

    # --- copying, and the original ---

    @property
    def chunk(self) -> Chunk | None:
        """The chunk that serves under the cursor."""
        if self.served is None or self.text.shown is None:
            return None
        place = self.served.reading.bands.near(self.text.cursor)
        return cast("Chunk", self.served.chunks[place]) if place != NONE else None

    def action_copy_text(self) -> None:
        if self.chunk is not None:
            self._copy(Copied(self.chunk.text, f"{figures.plural(len(self.chunk.text), 'character')}"))

    def action_copy_id(self) -> None:
        if self.chunk is not None:
            self._copy(Copied(self.chunk.chunk_id, f"the id {self.chunk.chunk_id}"))

    def action_copy_citation(self) -> None:
        if self.chunk is not None:
            self._copy(citation(self.chunk))

    def _copy(self, what: Copied) -> None:
        self.app.copy_to_clipboard(what.text)
        self.remark(f"copied {what.name}")

    def action_source_open(self) -> None:
        """The original file, at the line of the cursor; of a document in the list at its first."""
        shown, entry = self.text.shown, self.shelf.entry
        if self.focused is self.shelf and entry is not None:
            panels.open_original(self.workbench, entry.path, 1)
        elif shown is not None:
            line = shown.sheet.lines.line(self.text.cursor)
            panels.open_original(self.workbench, shown.sheet.opened.path, line)

    def action_library_again(self) -> None:
        self.workbench.action_library_sync()
