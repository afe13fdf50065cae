"""The Documents screen: every document, the borders of its chunks, and what another cut would make of them.

It owns the open document, the filter and the dial; settings and states it reads from the view. What takes time is
worked out by the bridge, one piece of work a purpose; only the last answer for each counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

from engine.catalogue.standing import OnDisk
from engine.catalogue.what_if import WhatIf
from engine.model import Chunk
from tui import documents_bridge as work
from tui.actions import bindings
from tui.drafts import Draft
from tui.field import Field as TextField
from tui.messages import Examined, ExamineFailed, Examining
from tui.problems import with_conflicts
from tui.screens import documents_marks, panels
from tui.screens.documents_build import Begin, PlanPanel
from tui.screens.documents_keys import ChunkKeys
from tui.screens.documents_work import Listed, Shown
from tui.state import View
from tui.text import one_line
from tui.widgets import what_if
from tui.widgets.pane import Pane as MovingPane

if TYPE_CHECKING:
    from tui.app import RankscopeApp


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a document is to be opened: at a chunk. Where it is no longer cut like that, at ``start``, if the
    revision is the same."""

    path: str
    chunk_id: str = ""
    revision: str = ""
    start: int = 0


class DocumentsScreen(ChunkKeys):
    """What the keys do, and what is worked out for them."""

    NAME: ClassVar[str] = "Documents"
    SCOPE: ClassVar[str] = "documents"
    BINDINGS: ClassVar[list[Any]] = bindings("documents")

    def __init__(self) -> None:
        super().__init__()
        self._goal: Goal | None = None
        self._planning = False
        self._settling = False
        self._resumed: Draft | None = None
        self.returns: Callable[[RankscopeApp], None] | None = None

    def on_mount(self) -> None:
        self.set_focus(self.text if self._goal is not None else self.shelf)

    # --- the view ---

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self.listing.look()

    def show(self, view: View) -> None:
        if self.listing.another(view):
            self._forget()
        self.listing.follow(view)
        if self.listing.begun and not self.listing.known:
            self.shelf.told = "listing the documents"
        self.text.terms = view.trace.recall.terms if view.trace is not None else ()
        if self.trying.turned():
            self._recut()
        self.draw()

    def _forget(self) -> None:
        """Another principal asks: nothing of what the former one saw stays."""
        self.asking.cancel_all()
        self.trying.forget()
        self.returns = self.served = None
        self.text.told = "enter on a document opens it"
        self.text.show(None, preview=False, now=self.now)
        self._list("")

    def _list(self, opened: str) -> None:
        """The list, as far as it is known."""
        self.shelf.show(self.listing.entries, self.shelf.sought, opened)

    @property
    def opened(self) -> str:
        """The path of the document that is open."""
        return self.served.sheet.opened.path if self.served is not None else ""

    # --- what was worked out ---

    def on_examined(self, message: Examined) -> None:
        purpose, answer = self.asking.ended(message.token), message.answer
        if purpose == "list":
            self._listed(cast("Listed", answer))
        elif purpose == "disk":
            self.listing.saw(cast("OnDisk", answer))
            self._list(self.opened)
        elif purpose == "open":
            self._opened(cast("Shown", answer))
        elif purpose == "recut":
            self.text.show(cast("Shown", answer), preview=True, now=self.now)
        elif purpose == "compare":
            self.trying.ended(cast("WhatIf", answer))
            if self._planning:
                self._plan()
        elif purpose == "edit":
            self.listing.again()  # an edit may change nothing that serves, and still settle a conflict
            self.editing.ended(str(answer))
        self.draw()

    def on_examining(self, message: Examining) -> None:
        if self.asking.purpose_of(message.token) == "compare":
            self.trying.went_on(message.progress)
            self.draw()

    def on_examine_failed(self, message: ExamineFailed) -> None:
        purpose = self.asking.ended(message.token)
        if purpose is None:
            return
        told = ": ".join(filter(None, (message.problem.sentence, message.problem.remedy)))
        self.remark(told, attention=True)
        if purpose == "list":
            self.listing.again()
        elif purpose == "edit":
            self.editing.failed()

    def _listed(self, found: Listed) -> None:
        """Another state of the library: the open document is opened anew, where it stands."""
        before, self.trying.beside = len(self.listing.conflicts), found.beside
        self.listing.take(found.contents, found.conflicts)
        if len(found.conflicts) != before:
            self.workbench.show(with_conflicts(self.workbench.view, len(found.conflicts)))
        if self._settling:
            self._settling = False
            self.call_later(self.editing.settle, found.conflicts)
        opened = self.opened
        changed = self.listing.changed() or len(found.conflicts) != before
        self._list(opened)
        if not changed:
            return
        self.listing.look()
        self.trying.forget()
        waiting = self._goal or self._resumed
        if waiting is not None:
            self.open(waiting.path)
        elif opened:
            self.open(opened)
        if self.what_if.has_focus or self.previewed:
            self.trying.compare(0.0)

    def _opened(self, shown: Shown) -> None:
        self.served = shown
        self.text.show(shown, preview=False, now=shown.chunking)
        self._list(shown.sheet.opened.path)
        if self._goal is not None and self._goal.path == shown.sheet.opened.path:
            self._reach(self._goal, shown)
            self._goal = None
        if self.previewed:
            self._recut()
        if self._resumed is not None:
            self._resume(self._resumed, shown)

    # --- opening ---

    def look_at(self, goal: Goal) -> None:
        """Open a document at a chunk of it."""
        self._goal = goal
        if self.ready:
            self.set_focus(self.text)
        if self.listing.begun:
            self.open(goal.path)

    def _reach(self, goal: Goal, shown: Shown) -> None:
        """The cursor on the chunk, which may stand elsewhere by now, or be gone."""
        opened = shown.sheet.opened
        self.shelf.to_path(goal.path)
        held = next((chunk for chunk in opened.chunks if chunk.chunk_id == goal.chunk_id), None)
        if held is not None:
            self.text.to_offset(held.start)
        elif goal.revision == opened.revision:
            self.text.to_offset(goal.start)
        elif goal.chunk_id:
            self.remark("the document has changed since this passage was found", attention=True)

    def resume(self, draft: Draft) -> None:
        """Open the document of a draft, and go on with it."""
        self._resumed = draft
        if self.served is not None and self.served.sheet.opened.path == draft.path:
            self._resume(draft, self.served)
        elif self.listing.begun:
            self.open(draft.path)

    def _resume(self, draft: Draft, shown: Shown) -> None:
        self._resumed = None
        if self.editing.settle_draft(draft, self.listing.conflicts):
            return
        held = [chunk for chunk in shown.chunks if getattr(chunk, "chunk_id", "") == draft.chunk_id]
        if not held:
            self.app.copy_to_clipboard(draft.text)
            self.remark(
                "the chunk of this draft is no longer cut like that: its text is copied", attention=True
            )
            return
        self.text.to_offset(held[0].start)
        self.editing.text(cast("Chunk", held[0]))

    def open(self, path: str) -> None:
        """Open a document under the cut that serves, and then under the one that is tried."""
        view, bridge = self.workbench.view, self.workbench.bridge
        self.asking.cancel("recut")
        if self.served is None or self.served.sheet.opened.path != path:
            self.text.told = f"opening {one_line(path)}"
            self.text.show(None, preview=False, now=self.now)
        beside, conflicts = self.trying.beside, self.listing.conflicts
        self.asking.begin("open", lambda: work.opened(bridge, self, path, view.scopes, beside, conflicts))

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
        self.asking.cancel("recut")
        if self.served is not None:
            self.text.show(self.served, preview=False, now=self.now)

    def action_library_build(self) -> None:
        """The plan, once it is counted."""
        if not self.workbench.view.writable:
            self.remark(
                f"{self.workbench.view.writer or 'another process'} writes this library, and alone builds it"
            )
        elif self.workbench.bridge.syncing:
            self.remark("the library is being indexed: B when that has ended, or esc esc cancels it")
        elif self.trying.fresh:
            self._plan()
        else:
            self._planning = True
            self.trying.compare(0.0)
            self.remark("counting what the build would do")

    def _plan(self) -> None:
        self._planning = False
        found, view = self.trying.found, self.workbench.view
        if found is None or not self.is_current:
            return

        def decided(begin: Begin | None) -> None:
            if begin is not None:
                work.build(self.workbench.bridge, found.chunking, view.scopes, hold=begin == "hold")

        embedding = view.status.embedder if view.status is not None else "the embedder"
        self.app.push_screen(PlanPanel(self.now, found, embedding), decided)

    def action_dial_next(self) -> None:
        self.trying.choose(1)
        self.draw()

    def action_dial_previous(self) -> None:
        self.trying.choose(-1)
        self.draw()

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
            self.draw()
            return
        self.draw_cursor()

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
            self.draw()
            self.remark("the cut that serves; a turn shows the preview again")
            return True
        if self.focused is self.text and self.text.finds:
            self.text.finds = ()
            self.draw()
            return True
        if self.focused is self.shelf and self.shelf.sought:
            self.filter("")
            return True
        if self.returns is not None and self.zoomed is None:
            returns, self.returns = self.returns, None
            returns(self.workbench)
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
        self.draw()

    # --- edits as a whole, and the original ---

    def undo(self) -> bool:
        return self.editing.undo()

    def action_edits_history(self) -> None:
        self.editing.history()

    def action_conflicts_show(self) -> None:
        self.settle()

    def settle(self) -> None:
        """Settle the conflicts, once they are listed."""
        self._settling = not self.listing.known
        if not self._settling:
            self.editing.settle(self.listing.conflicts)

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
