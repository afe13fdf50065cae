"""Where each part of the Evaluate screen stands, for every size: pure arithmetic over cells, no widget.

From 120 columns the settings stand beside figures and cases; below that one pane at a time, under the dial's row and
the tabs. ``zoomed`` alone fills the body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tui.screens.search_layout import MEDIUM, NORMAL, TUNE_ROWS, TUNE_WIDTH, Form, Place

Pane = Literal["tune", "metrics", "cases"]
PANES: tuple[Pane, ...] = ("tune", "metrics", "cases")
TABS: tuple[Pane, ...] = ("cases", "metrics", "tune")

METRICS_ROWS = 7
"""Title, head, and five figures."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The places of the parts that are shown, by name, and the panes that share one place as tabs."""

    form: Form
    places: Mapping[str, Place]
    tabs: tuple[Pane, ...] = ()

    def shows(self, part: str) -> bool:
        return part in self.places


def arrange(width: int, height: int, *, active: Pane = "cases", zoomed: Pane | None = None) -> Arrangement:
    """Place everything in a body of ``width`` by ``height`` cells; ``active`` is shown where all share a place."""
    form: Form = "narrow" if width < NORMAL else "normal" if width < MEDIUM or height < 18 else "wide"
    if zoomed is not None:
        return Arrangement(form, {zoomed: Place(0, 0, width, height)})
    places = {"state": Place(0, 0, width, 1)}
    if form != "wide":
        places["turning"] = Place(0, 1, width, 1)
        places["tabs"] = Place(0, 2, width, 1)
        places[active] = Place(0, 3, width, max(1, height - 3))
        return Arrangement(form, places, TABS)
    rows, left = height - 2, TUNE_WIDTH + 1
    places["tune"] = Place(0, 2, TUNE_WIDTH, min(TUNE_ROWS, rows))
    places["rule-left"] = Place(TUNE_WIDTH, 2, 1, rows)
    places["metrics"] = Place(left, 2, width - left, METRICS_ROWS)
    below = 2 + METRICS_ROWS + 1
    places["cases"] = Place(left, below, width - left, max(1, height - below))
    return Arrangement(form, places)
