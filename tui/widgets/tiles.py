"""A layout that puts each child where a function says, by its id; a child without a place is not shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement

if TYPE_CHECKING:
    from textual.widget import Widget

Places = Callable[[int, int], Mapping[str, tuple[int, int, int, int]]]
"""From width and height to (x, y, width, height) by id."""


class Tiles(Layout):
    """Asks ``places`` at every arrangement, so that a pane that is not shown keeps its state and its focus."""

    name = "tiles"

    def __init__(self, places: Places) -> None:
        super().__init__()
        self._places = places

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        parent.pre_layout(self)
        places = self._places(size.width, size.height)
        return [
            WidgetPlacement(Region(*places[child.id]), NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if child.id is not None and child.id in places
        ]
