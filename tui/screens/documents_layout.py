"""Where each part of the Documents screen stands, for every size: pure arithmetic over cells, no widget.

``wide`` (from 140 columns) shows list, document and what-if side by side; ``medium`` (from 120) the document beside
one of the other two; below that one pane at a time. The chunk under the cursor is told below the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tui.screens.search_layout import MEDIUM, NORMAL, WIDE, Form, Place

Pane = Literal["documents", "document", "what-if"]
PANES: tuple[Pane, ...] = ("documents", "document", "what-if")

LIST_WIDTH = 33
WHAT_IF_WIDTH = 31
ABOUT_ROWS = 3


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The places of the parts that are shown, by name, and the panes that share one place as tabs."""

    form: Form
    places: Mapping[str, Place]
    tabs: tuple[Pane, ...] = ()

    def shows(self, part: str) -> bool:
        return part in self.places


def form_of(width: int) -> Form:
    """Which form a body of this width takes."""
    if width < NORMAL:
        return "narrow"
    if width < MEDIUM:
        return "normal"
    return "medium" if width < WIDE else "wide"


def tabs_of(form: Form) -> tuple[Pane, ...]:
    """The panes that share one place, in the order in which the tab line names them."""
    if form == "wide":
        return ()
    return ("documents", "what-if") if form == "medium" else PANES


def arrange(
    width: int,
    height: int,
    *,
    active: Pane = "documents",
    beside: Pane = "documents",
    zoomed: Pane | None = None,
) -> Arrangement:
    """Place everything in a body of ``width`` by ``height`` cells.

    ``active`` is the pane shown where all share a place, ``beside`` the one that stands beside the document where
    two do. ``zoomed`` alone fills the body.
    """
    form = form_of(width)
    if zoomed is not None:
        return Arrangement(form, _column(zoomed, 0, 0, width, height))
    places = {"states": Place(0, 0, width, 1)}
    top = 2 if height >= 18 else 1
    rows = max(1, height - top)
    if form == "wide":
        right = WHAT_IF_WIDTH + (width - WIDE) // 6
        middle = width - LIST_WIDTH - right - 2
        places |= _column("documents", 0, top, LIST_WIDTH, rows)
        places["rule-left"] = Place(LIST_WIDTH, top, 1, rows)
        places |= _column("document", LIST_WIDTH + 1, top, middle, rows)
        places["rule-right"] = Place(LIST_WIDTH + 1 + middle, top, 1, rows)
        places |= _column("what-if", width - right, top, right, rows)
        return Arrangement(form, places)
    tabs = tabs_of(form)
    if form == "medium":
        places["tabs"] = Place(0, top, LIST_WIDTH, 1)
        places |= _column(beside, 0, top + 1, LIST_WIDTH, rows - 1)
        places["rule-left"] = Place(LIST_WIDTH, top, 1, rows)
        places |= _column("document", LIST_WIDTH + 1, top, width - LIST_WIDTH - 1, rows)
        return Arrangement(form, places, tabs)
    places["tabs"] = Place(0, 1, width, 1)
    places |= _column(active, 0, 2, width, max(1, height - 2))
    return Arrangement(form, places, tabs)


def _column(pane: Pane, x: int, y: int, width: int, rows: int) -> dict[str, Place]:
    """A pane; below the document as much about its chunk as leaves the text most of the rows."""
    below = 0 if pane != "document" else ABOUT_ROWS if rows >= 16 else 1 if rows >= 8 else 0
    places: dict[str, Place] = {pane: Place(x, y, width, rows - below)}
    if below:
        places["about"] = Place(x, y + rows - below, width, below)
    return places
