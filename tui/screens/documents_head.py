"""What stands over and under the panes of the Documents screen: the line of tabs, and the sentence of the focus.
Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.screens import documents_about
from tui.screens.documents_layout import Arrangement, Pane
from tui.widgets import document, shelf, what_if
from tui.widgets.line import Line

if TYPE_CHECKING:
    from engine.settings.fields import Field
    from tui.screens.documents_panes import BoundaryPane, ShelfPane


def tabs(
    arrangement: Arrangement,
    shown: Pane,
    listed: ShelfPane,
    text: BoundaryPane,
    width: int,
    *,
    previewed: bool,
    focused: bool,
) -> Line:
    """The panes that share a place, and at the other end what the shown one counts."""
    place = text.place
    right: dict[Pane, tuple[str, ...]] = {
        "documents": shelf.counts(listed.shelf),
        "document": (document.counted(place),) if place is not None else (),
        "what-if": ("not applied" if previewed else "as it serves",),
    }
    names = [tab.replace("-", " ") for tab in arrangement.tabs]
    return document.tab_line(names, shown.replace("-", " "), right[shown], width, focused)


def sentence(focus: str, listed: ShelfPane, text: BoundaryPane, dial: Field) -> str:
    """What has the focus, in a sentence."""
    if focus == "what-if":
        return f"{what_if.LABELS.get(dial.name, dial.label)}: {dial.help} {dial.range}"
    if focus == "document" and text.shown is not None:
        return documents_about.sentence(text.shown, text.cursor)
    return shelf.sentence(listed.shelf, listed.cursor)
