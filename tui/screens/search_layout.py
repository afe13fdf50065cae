"""Where each part of the Search screen stands, for every size: pure arithmetic over cells, no widget.

Four forms. ``wide`` (from 140 columns) shows every pane; ``medium`` (from 120) keeps Tune and Results and
puts the rest in tabs below; ``normal`` (from 80) and ``narrow`` show one pane at a time over tabs, with the
result under the cursor in brief. When rows are few they go in this order: blank lines, pipeline, passage;
never query, channels, dial.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Form = Literal["wide", "medium", "normal", "narrow"]
Pane = Literal["tune", "results", "context", "why", "passage"]

PANES: tuple[Pane, ...] = ("tune", "results", "context", "why", "passage")
"""In the order in which they are read where all are shown."""

TUNE_WIDTH = 23
TUNE_ROWS = 22
DIAL_ROWS = 4
SCORE_ROWS, FEW_SCORE_ROWS = 6, 3
WHY_ROWS = 9
PASSAGE_ROWS = 8
WHY_WIDTH = 37
WIDE, MEDIUM, NORMAL = 140, 120, 80


class Place(NamedTuple):
    """A rectangle in cells, relative to the screen's body."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The places of the parts that are shown, by name, and the panes that share one place as tabs."""

    form: Form
    places: dict[str, Place]
    tabs: tuple[Pane, ...] = ()

    def shows(self, part: str) -> bool:
        return part in self.places


def form_of(width: int, height: int) -> Form:
    """Which form a body of this size takes; a wide but low one has no room for panes below each other."""
    if width < NORMAL:
        return "narrow"
    if width < MEDIUM or height < 18:
        return "normal"
    if width < WIDE or height < 24:
        return "medium"
    return "wide"


def tabs_of(form: Form) -> tuple[Pane, ...]:
    """The panes that share one place, in the order in which the tab line names them."""
    if form == "wide":
        return ()
    if form == "medium":
        return ("context", "why", "passage")
    return ("results", "context", "why", "passage", "tune")


def order_of(form: Form) -> tuple[Pane, ...]:
    """The panes in the order of ``tab``: as they are read, on small screens as the tab line names them."""
    return tabs_of(form) if form in ("normal", "narrow") else PANES


def arrange(
    width: int,
    height: int,
    *,
    active: Pane = "results",
    zoomed: Pane | None = None,
    why: int = WHY_ROWS,
) -> Arrangement:
    """Place everything in a body of ``width`` by ``height`` cells.

    ``active`` is the pane shown where panes share a place. ``zoomed`` alone fills the body. ``why`` is how many
    rows Why would have; it gets them as far as the passage keeps ``PASSAGE_ROWS``.
    """
    form = form_of(width, height)
    if zoomed is not None:
        return Arrangement(form, {zoomed: Place(0, 0, width, height)})
    if form == "wide":
        return _wide(width, height, why)
    if form == "medium":
        return _medium(width, height, active)
    return _tabbed(width, height, active, form)


def _head(width: int, height: int) -> tuple[dict[str, Place], int]:
    """Query, channels, pipeline and a blank line, and the row below them."""
    places = {"query": Place(0, 0, width, 1), "channels": Place(0, 1, width, 1)}
    if height < 20:
        return places, 2
    places["pipeline"] = Place(0, 2, width, 1)
    return places, 4 if height >= 24 else 3


def _tune(places: dict[str, Place], top: int, height: int) -> None:
    """The left column: the settings, and below them the evaluation set and the foot of the dial, while there is room
    for all settings beside them."""
    rows = min(TUNE_ROWS, height)
    if height >= 16:
        rows = min(TUNE_ROWS, height - DIAL_ROWS - 1)
        below = top + rows + 1
        left = height - TUNE_ROWS - DIAL_ROWS - 3
        score = SCORE_ROWS if left >= SCORE_ROWS else FEW_SCORE_ROWS if left >= FEW_SCORE_ROWS else 0
        if score:
            places["score"] = Place(0, below, TUNE_WIDTH, score)
            below += score + 1
        places["dial"] = Place(0, below, TUNE_WIDTH, DIAL_ROWS)
    places["tune"] = Place(0, top, TUNE_WIDTH, rows)
    places["rule-left"] = Place(TUNE_WIDTH, top, 1, height)


def _wide(width: int, height: int, why: int) -> Arrangement:
    places, top = _head(width, height)
    rows = height - top
    _tune(places, top, rows)
    right = WHY_WIDTH + (width - WIDE) // 2
    left = TUNE_WIDTH + 1
    middle = width - left - 1 - right
    below = max(7, round(rows * 0.4))
    above = rows - below - 1
    places["results"] = Place(left, top, middle, above)
    places["context"] = Place(left, top + above + 1, middle, below)
    places["rule-right"] = Place(left + middle, top, 1, rows)
    why = max(min(why, rows - PASSAGE_ROWS - 1), min(WHY_ROWS, rows - 3))
    places["why"] = Place(width - right, top, right, why)
    places["passage"] = Place(width - right, top + why + 1, right, rows - why - 1)
    return Arrangement("wide", places)


def _medium(width: int, height: int, active: Pane) -> Arrangement:
    places, top = _head(width, height)
    rows = height - top
    _tune(places, top, rows)
    left = TUNE_WIDTH + 1
    below = max(5, round(rows * 0.36))
    gap = 1 if height >= 24 else 0
    above = rows - below - 1 - gap
    tabs = tabs_of("medium")
    shown = active if active in tabs else tabs[0]
    places["results"] = Place(left, top, width - left, above)
    places["tabs"] = Place(left, top + above + gap, width - left, 1)
    places[shown] = Place(left, top + above + gap + 1, width - left, below)
    return Arrangement("medium", places, tabs)


def _tabbed(width: int, height: int, active: Pane, form: Form) -> Arrangement:
    places = {
        "query": Place(0, 0, width, 1),
        "summary": Place(0, 1, width, 1),
        "turning": Place(0, 2, width, 1),
        "tabs": Place(0, 3, width, 1),
    }
    rows = max(1, height - 4)
    if active != "results":
        places[active] = Place(0, 4, width, rows)
        return Arrangement(form, places, tabs_of(form))
    brief = _brief_rows(rows, form)
    gap = 1 if rows >= 12 and brief else 0
    places["results"] = Place(0, 4, width, rows - brief - gap)
    if brief:
        places["brief"] = Place(0, height - brief, width, brief)
    return Arrangement(form, places, tabs_of(form))


def _brief_rows(rows: int, form: Form) -> int:
    """Rows for the result under the cursor: its numbers, then as much of its passage as leaves the list
    most.
    """
    if rows >= 16:
        return max(4, rows // 4)
    if form == "normal" and rows >= 10:
        return 4
    if rows >= 8:
        return 2
    return 1 if rows >= 5 else 0
