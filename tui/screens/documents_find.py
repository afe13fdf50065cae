"""The text field of the Documents screen: it filters the list while one types, or finds a text in the document."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.field import Field
from tui.screens import documents_marks

if TYPE_CHECKING:
    from tui.screens.documents_panes import BoundaryPane, ShelfPane
    from tui.screens.page import Page


class Finding:
    """What is looked for, and where. ``filtered`` is called with every other filter."""

    def __init__(
        self, page: Page, shelf: ShelfPane, text: BoundaryPane, filtered: Callable[[str], None]
    ) -> None:
        self.field = Field(id="find")
        self.field.can_focus = False
        self._page, self._shelf, self._text, self._filtered = page, shelf, text, filtered
        self._inside = False

    def begin(self) -> None:
        """Open the field: for the document where it has the focus, else for the list."""
        self._inside = self._page.focused is self._text and self._text.shown is not None
        self.field.placeholder = "find in the document" if self._inside else "filter by path"
        self.field.value = "" if self._inside else self._shelf.sought
        self.field.cursor_position = len(self.field.value)
        self.field.can_focus = True
        self._page.set_focus(self.field)

    def left(self) -> None:
        """Another widget has the focus: ``tab`` passes the field over again."""
        self.field.can_focus = False

    def changed(self, value: str) -> None:
        """Another text stands in the field."""
        if self._page.focused is self.field and not self._inside:
            self._filtered(value)

    def submitted(self, value: str) -> bool:
        """``enter``: back to the pane; whether the document has hits now."""
        self._page.set_focus(self._text if self._inside else self._shelf)
        if not self._inside or self._text.shown is None:
            return False
        self._text.finds = documents_marks.finds(self._text.shown.sheet.text, value)
        if value and not self._text.finds:
            self._page.remark(f"no {value!r} in this document")
        return bool(self._text.finds)
