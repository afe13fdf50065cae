"""What the Documents screen does to the chunk under the cursor. Every edit is the library's own; here is who may,
what is asked first, and what is said.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import SourceError
from engine.model import EDIT_LIMIT, Chunk
from tui import editor, edits_bridge
from tui.drafts import Draft, Drafts
from tui.messages import Examined, ExamineFailed, Examining
from tui.screens.asking import Asking
from tui.screens.documents_foresight import Foresight
from tui.screens.documents_work import Shown
from tui.screens.panel import Choices, Panel
from tui.text import one_line
from tui.veil import veilable
from tui.widgets import document_effect, figures
from tui.widgets.document import shared_before
from tui.widgets.line import MUTED, PLAIN, Line

if TYPE_CHECKING:
    from engine.edits.face import Conflict
    from engine.edits.intent import Intent
    from tui.edits_bridge import Edit
    from tui.screens.page import Page
    from tui.widgets.document_conflict import Choice

PREVIEWED = "a preview is not edited: esc shows the cut that serves, e edits there"


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two chunks that follow each other, and how many characters both hold."""

    first: Chunk
    second: Chunk
    shared: int

    @property
    def characters(self) -> int:
        """Characters of the two as one; what they share counts once."""
        return len(self.first.text) + len(self.second.text) - self.shared


def neighbours(shown: Shown, number: int, step: int) -> Neighbours | None:
    """A chunk with the next one, or with the one before; None at an end of the document, or across parents."""
    first = number if step > 0 else number - 1
    chunks = shown.chunks
    if not 0 <= first < len(chunks) - 1:
        return None
    one, other = chunks[first], chunks[first + 1]
    if not isinstance(one, Chunk) or not isinstance(other, Chunk) or one.parent != other.parent:
        return None
    return Neighbours(one, other, shared_before(chunks, first + 1))


class MergePanel(Panel[bool]):
    """Dismissed with whether to merge."""

    def __init__(self, both: Neighbours) -> None:
        super().__init__("MERGE  enter merges, esc leaves", self._laid_out)
        self._both = both
        self._asking = Asking()
        self._foresight = Foresight(self, self._asking, self._redraw)

    def on_mount(self) -> None:
        self._foresight.ask("", self._wanted)
        super().on_mount()

    def on_unmount(self) -> None:
        self._asking.cancel_all()

    def _wanted(self) -> Intent:
        from engine.edits import intent

        return intent.merge((self._both.first.chunk_id, self._both.second.chunk_id))

    def _laid_out(self, width: int) -> list[Line]:
        return [*merge_rows(self._both), (), *document_effect.rows(self._foresight.tried, width - 3)]

    def _redraw(self) -> None:
        self.list.replace(self._laid_out(self.width), self.list.cursor)
        self.fit_height()

    def on_examining(self, message: Examining) -> None:
        self._foresight.went_on(message)

    def on_examined(self, message: Examined) -> None:
        self._foresight.ended(self._asking.ended(message.token), message)

    def on_examine_failed(self, message: ExamineFailed) -> None:
        self._foresight.failed(self._asking.ended(message.token), message)

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self.dismiss(True)


def merge_rows(both: Neighbours) -> list[Line]:
    """The two chunks, and the one that they become."""
    made: list[Line] = [
        ((f"chunk {figures.whole(one.ordinal)}  {figures.lines(one.line_start, one.line_end)}", PLAIN),
         (f"  {figures.plural(len(one.text), 'character')}", MUTED))
        for one in (both.first, both.second)
    ]  # fmt: skip
    shared = f", {figures.whole(both.shared)} shared, once" if both.shared else ""
    return [*made, ((f"together {figures.plural(both.characters, 'character')}{shared}", PLAIN),)]


def conflict_draft(found: Conflict) -> str:
    """The name of the draft in which a conflict is settled."""
    return f"conflict-{found.pin.id}"


class Editing:
    """Edits of the chunk under the cursor, begun by keys of a page that answers ``Examined`` for ``edit``."""

    def __init__(self, page: Page, asking: Asking) -> None:
        self._page = page
        self._asking = asking
        self._turns: list[int] = []
        self._undoing = False
        self._after: Callable[[], None] = lambda: None

    @property
    def drafts(self) -> Drafts:
        return Drafts(self._page.workbench.opening.folder)

    def done(self, told: str) -> None:
        """An edit was made: it is the next to be taken back, until a setting is turned."""
        self._turns.append(len(self._page.workbench.view.changes))
        edits_bridge.done(self._page.workbench, told)

    def ended(self, told: str) -> None:
        """The edit that ``run`` began was made."""
        if self._undoing:
            self._undoing = False
            edits_bridge.done(self._page.workbench, told)
        else:
            self.done(told)
        self._after()

    def failed(self) -> None:
        """The edit that ``run`` began could not be made: nothing is done after it."""
        self._undoing, self._after = False, lambda: None

    def may(self, chunk: Chunk | None, *, previewed: bool) -> bool:
        """Whether a chunk can be edited now; if not, that is said."""
        view = self._page.workbench.view
        if not view.writable:
            self._say(f"{view.writer or 'another process'} writes this library, and alone edits it")
        elif previewed:
            self._say(PREVIEWED)
        elif chunk is None:
            self._say("there is no chunk here to edit")
        else:
            return True
        return False

    def run(self, make: Edit, after: Callable[[], None] = lambda: None) -> None:
        """One edit at a time; the next one is heard when it has ended. ``after`` is done when it was made."""
        if self._asking.running("edit"):
            self._say("an edit is being made")
            return
        self._after = after
        bridge = self._page.workbench.bridge
        self._asking.begin("edit", lambda: edits_bridge.edit(bridge, self._page, make))

    def text(self, chunk: Chunk) -> None:
        """Edit the text in place."""
        from tui.screens.documents_edit import EditPage, of_chunk

        if not veilable(chunk.text):
            self._say("the chunk holds characters of private planes: E edits it outside")
        elif len(chunk.text) > EDIT_LIMIT:
            self._say(f"the chunk has more than {EDIT_LIMIT:,} characters: i splits it first")
        else:
            self._page.app.push_screen(EditPage(of_chunk(chunk), self.drafts, self.done))

    def outside(self, chunk: Chunk) -> None:
        """Edit the text in the reader's own editor; what comes back is a draft, reviewed before it is saved."""
        app = self._page.workbench
        with tempfile.TemporaryDirectory(prefix="rankscope-") as folder:
            file = Path(folder, "chunk.md")
            file.write_bytes(chunk.text.encode("utf-8", "surrogatepass"))
            try:
                editor.run(app, editor.command(os.environ, str(file), 1))
                text = file.read_bytes().decode("utf-8", "surrogatepass")
            except (SourceError, OSError, UnicodeDecodeError) as error:
                self._say(one_line(str(error)))
                return
        if text == chunk.text or text == f"{chunk.text}\n":  # editors end a file with a line feed
            self._say("the text is as it was")
            return
        if text.endswith("\n") and not chunk.text.endswith("\n"):
            text = text[:-1]
        draft = Draft(chunk.chunk_id, chunk.path, chunk.line_start, chunk.text, text, editor.now())
        try:
            self.drafts.keep(draft)
        except OSError as error:
            self._say(f"the draft cannot be kept: {error.strerror or error}")
            return
        self.text(chunk)

    def switch(self, chunk: Chunk) -> None:
        """Out of use, or back."""
        name = chunk.chunk_id
        self.run(lambda edits: edits.disable(name) if chunk.enabled else edits.enable(name))

    def bin(self, chunk: Chunk) -> None:
        """Into the bin; what is out of use comes back from wherever it is."""
        name = chunk.chunk_id
        self.run(lambda edits: edits.delete(name) if chunk.enabled else edits.restore(name))

    def merge(self, shown: Shown, number: int, step: int) -> None:
        """Merge with a neighbour, once its size was seen."""
        both = neighbours(shown, number, step)
        if both is None:
            self._say(f"there is no chunk {'after' if step > 0 else 'before'} this one to merge with")
        elif both.characters > EDIT_LIMIT:
            self._say(f"together they have {both.characters:,} characters, and {EDIT_LIMIT:,} is the most")
        else:
            names = (both.first.chunk_id, both.second.chunk_id)

            def decided(merges: bool | None) -> None:
                if merges:
                    self.run(lambda edits: edits.merge(names))

            self._page.app.push_screen(MergePanel(both), decided)

    def undo(self) -> bool:
        """Take the last edit back, unless a setting was turned after it; whether that was done."""
        if len(self._page.workbench.view.changes) > (self._turns[-1] if self._turns else 0):
            return False
        del self._turns[-1:]
        self._undoing = True
        self.run(lambda edits: edits.undo())
        return True

    def split(self, shown: Shown, chunk: Chunk) -> None:
        """Choose where, then split."""
        from tui.screens.documents_split import SplitPage

        self._page.app.push_screen(SplitPage(shown, chunk), lambda at: self._cut(chunk, at))

    def _cut(self, chunk: Chunk, at: int | None) -> None:
        if at is not None:
            self.run(lambda edits: edits.split(chunk.chunk_id, [at]))

    def history(self) -> None:
        """Every step, to be looked at and undone."""
        from tui.screens.documents_history import HistoryPage

        self._page.app.push_screen(HistoryPage())

    def settle(self, conflicts: Sequence[Conflict], number: int = 1) -> None:
        """Let conflicts be settled one after the other, as far as somebody wants to; the next is shown when the edit that
        settles one was made."""
        from tui.screens.documents_conflict import ConflictPanel

        if number > len(conflicts):
            self._say("no edit is in conflict" if not conflicts else "that was the last conflict")
            return
        found = conflicts[number - 1]

        def go_on() -> None:
            if number < len(conflicts):
                self.settle(conflicts, number + 1)

        def decided(choice: Choice | None) -> None:
            if choice == "both":
                self._both(found, go_on)
            elif choice == "later":
                self.settle(conflicts, number + 1)
            elif choice is not None:
                self.run(lambda edits: edits.resolve(found.pin.id, choice), go_on)

        self._page.app.push_screen(ConflictPanel(found, number, len(conflicts)), decided)

    def settle_draft(self, draft: Draft, conflicts: Sequence[Conflict]) -> bool:
        """Go on with a text that was begun to settle a conflict; whether it is such a one, and the conflict stands."""
        found = next((each for each in conflicts if conflict_draft(each) == draft.chunk_id), None)
        if found is not None:
            self._both(found, lambda: None)
        return found is not None

    def _both(self, found: Conflict, go_on: Callable[[], None]) -> None:
        """Both texts in the editor; what is made of them settles the conflict."""
        from tui.screens.documents_edit import EditPage, Subject
        from tui.widgets import document_conflict

        def wanted(text: str) -> Intent:
            from engine.edits import intent

            return intent.resolve(found.pin.id, "text", text)

        text = document_conflict.both(found)
        if not veilable(text):
            self._say("a text holds characters of private planes: take mine or file, and edit that outside")
            return

        def saved(told: str) -> None:
            self.done(told)
            go_on()

        subject = Subject(
            conflict_draft(found),
            found.pin.path,
            None,
            found.file,
            text,
            wanted,
            document_conflict.undecided,
        )
        self._page.app.push_screen(EditPage(subject, self.drafts, saved))

    def _say(self, told: str) -> None:
        self._page.remark(told)
