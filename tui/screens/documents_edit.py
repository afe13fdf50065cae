"""The text of one chunk, edited in place: first the text, then what it would change, then it is saved or kept.

``escape`` in the text leads to the review; there ``enter`` saves, ``e`` goes back into the text, ``q`` leaves and
keeps the draft. A draft is on disk from the first pause on. What the edit would do to the library's own set is tried
while the review is looked at, and waits for nobody: it is cancelled by leaving it, and by saving.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from engine.model import EDIT_LIMIT
from tui import edits_bridge
from tui.drafts import Draft, Drafts
from tui.messages import Examined, ExamineFailed, Examining
from tui.problems import with_unsaved
from tui.screens.asking import Asking
from tui.screens.documents_foresight import Foresight
from tui.screens.page import Page
from tui.screens.search_panes import keys_of
from tui.text import one_line
from tui.widgets import document_edit, document_effect, figures
from tui.widgets.document_area import Area
from tui.widgets.line import Line
from tui.widgets.painted import Painted
from tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from engine.edits.intent import Intent
    from engine.model import Chunk

REST = 0.4
"""Seconds without a key after which the draft is kept."""


class ReviewSheet(Sheet):
    """What the edit changes, row by row."""

    SCOPE: ClassVar[str] = "review"
    TITLE: ClassVar[str] = "Review"
    BINDINGS: ClassVar[list[Any]] = keys_of("review")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is edited: ``base`` is the text that serves there, ``begin`` what the editor begins with. ``id`` names its
    draft, ``wanted`` makes the edit of a text; ``wrong`` says why a text cannot be saved as it is, if it cannot.
    ``lines`` are the first and the last of its file, where they are known."""

    id: str
    path: str
    lines: tuple[int, int] | None
    base: str
    begin: str
    wanted: Callable[[str], Intent]
    wrong: Callable[[str], str] = lambda _: ""


def of_chunk(chunk: Chunk) -> Subject:
    """A chunk's own text."""

    def wanted(text: str) -> Intent:
        from engine.edits import intent

        return intent.set_text(chunk.chunk_id, text)

    span = (chunk.line_start, chunk.line_end)
    return Subject(chunk.chunk_id, chunk.path, span, chunk.text, chunk.text, wanted)


class EditPage(Page):
    """One text, and its review; one of the two is shown, the one that has the focus. ``saved`` is told, in a sentence,
    what the library made of it."""

    NAME: ClassVar[str] = "Documents"
    SCOPE: ClassVar[str] = "review"
    AUTO_FOCUS = "#edit"

    def __init__(self, subject: Subject, drafts: Drafts, saved: Callable[[str], None]) -> None:
        super().__init__()
        self.subject = subject
        self._saved = saved
        self.area = Area(id="edit")
        self._place = Painted(id="place")
        self.review = ReviewSheet(self._top, self._rows, id="review")
        self._drafts = drafts
        self._asking = Asking()
        self._foresight = Foresight(self, self._asking, self.review.fill)
        self._rest: Timer | None = None
        self._kept = False

    def body(self) -> ComposeResult:
        yield self._place
        yield self.area
        yield self.review

    def on_mount(self) -> None:
        draft = self._drafts.of(self.subject.id)
        self.area.put(self.subject.begin if draft is None else draft.text)
        self.review.display = False
        if draft is not None:
            self.remark(f"the draft of {document_edit.clock(draft.at)} goes on; esc shows what it changes")
        self._draw()

    def on_unmount(self) -> None:
        self._asking.cancel_all()
        self._keep()

    @property
    def changed(self) -> bool:
        return self.area.content != self.subject.begin

    # --- the draft ---

    def on_text_area_changed(self) -> None:
        self._kept = False
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST, self._keep)
        self._draw()

    def _keep(self) -> None:
        """The draft as it stands on disk; none where the text is as it was."""
        if self._kept:
            return
        self._kept = True
        if not self.changed:
            self._drafts.drop(self.subject.id)
            return
        subject, line = self.subject, self.subject.lines[0] if self.subject.lines else 1
        try:
            self._drafts.keep(
                Draft(subject.id, subject.path, line, subject.base, self.area.content, time.time())
            )
        except OSError as error:
            self.remark(
                f"the draft is not kept: {error.strerror or error}; enter saves the edit", attention=True
            )

    # --- what is shown ---

    def _draw(self) -> None:
        subject = self.subject
        self._place.paint(
            [document_edit.title(subject.path, subject.lines, self.area.content, self._place.size.width)]
        )
        if self.area.display:
            count = len(self.area.content)
            over = f"; {figures.whole(count - EDIT_LIMIT)} too many" if count > EDIT_LIMIT else ""
            self.explain(f"{document_edit.AFTER_SYNC}{over}; esc reviews and saves")
        else:
            self.explain(
                f"enter saves, e goes back into the text, q keeps the draft; {document_edit.AFTER_SYNC}"
            )

    def _top(self, width: int, focused: bool) -> list[Line]:
        return document_edit.review_title(width, focused)

    def _rows(self, width: int) -> list[Line]:
        return document_edit.review(
            self.subject.base, self.area.content, document_effect.rows(self._foresight.tried, width), width
        )

    def on_examining(self, message: Examining) -> None:
        self._foresight.went_on(message)

    def fit_panes(self) -> None:
        self._draw()

    # --- from text to review and back ---

    def main_pane(self) -> Widget | None:
        """What ``escape`` leads to from the text."""
        if not self.changed:
            self.call_later(self._leave)
            return self.area
        self.review.display, self.area.display = True, False
        return self.review

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if self.focused is self.review:
            self._keep()
            content = self.area.content
            self._foresight.ask(
                content, lambda: self.subject.wanted(content), wrong=self.subject.wrong(content)
            )
            self.call_after_refresh(self.review.fill, 0)
        self._draw()

    def action_chunk_edit(self) -> None:
        self._foresight.stop()
        self.area.display, self.review.display = True, False
        self.set_focus(self.area)

    def action_edit_save(self) -> None:
        """Save it, if nothing is being saved yet."""
        if self._asking.running("save"):
            return
        if wrong := self.subject.wrong(self.area.content):
            self.remark(wrong, attention=True)
            return
        self._foresight.stop()
        bridge, wanted = self.workbench.bridge, self.subject.wanted(self.area.content)
        self._asking.begin("save", lambda: edits_bridge.edit(bridge, self, lambda edits: edits.take(wanted)))

    def on_examined(self, message: Examined) -> None:
        purpose = self._asking.ended(message.token)
        self._foresight.ended(purpose, message)
        if purpose == "save":
            self._drafts.drop(self.subject.id)
            self._kept = True
            self._leave()
            self._saved(str(message.answer))

    def on_examine_failed(self, message: ExamineFailed) -> None:
        purpose = self._asking.ended(message.token)
        self._foresight.failed(purpose, message)
        if purpose == "save":
            told = ": ".join(filter(None, (message.problem.sentence, message.problem.remedy)))
            self.remark(one_line(told), attention=True)

    def back(self) -> bool:
        """Leave, and keep the draft."""
        self._keep()
        self._leave("the draft is kept: e on its chunk goes on with it" if self.changed else "")
        return True

    def toggle_zoom(self) -> None:
        self.remark("there is one pane here, and it has the whole screen")

    def _leave(self, told: str = "") -> None:
        if not self.is_current:
            return
        self._keep()
        app = self.workbench
        app.pop_screen()
        app.show(with_unsaved(app.view, self._drafts.all()))
        if told and app.page is not None:
            app.page.remark(told)
