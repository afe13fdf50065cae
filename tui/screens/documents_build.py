"""The plan of a build: what would change, in counts, before anything does. ``enter`` starts it; the last row leaves it
aside when it is whole, to be compared first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from engine.settings import Chunking
from tui import cells
from tui.screens.panel import Choices, Panel
from tui.widgets import figures, what_if
from tui.widgets.line import ATTENTION, EMPTY, FOCUS, MUTED, PLAIN, Line

if TYPE_CHECKING:
    from engine.catalogue.what_if import WhatIf

Begin = Literal["serve", "hold"]

NAME, VALUE = 18, 10
HOLD = "enter here builds it and leaves it aside: 6, then d, shows what changes"
"""The last row."""


def rows(now: Chunking, found: WhatIf, embedding: str, width: int) -> list[Line]:
    """What the build does, each figure as it is and as it would be, then what goes on meanwhile."""
    before, after = found.now, found.preview
    made: list[Line] = [
        ((cells.fit("", NAME) + cells.right("now", VALUE) + cells.right("then", VALUE), MUTED),)
    ]
    made += [
        _pair(what_if.LABELS[known.name], what_if.value(now, known), what_if.value(found.chunking, known))
        for known in what_if.DIALS
    ]
    made.append(_pair("chunks", figures.whole(before.chunks), figures.whole(after.chunks)))
    for name in ("sentences", "tables", "fences"):
        made.append(
            _pair(f"cut {name}", figures.whole(getattr(before, name)), figures.whole(getattr(after, name)))
        )
    if before.whole + before.split + before.lost:
        for name in ("whole", "split", "lost"):
            worse = name != "whole" and getattr(after, name) > getattr(before, name)
            values = figures.whole(getattr(before, name)), figures.whole(getattr(after, name))
            made.append(_pair(f"evidence {name}", *values, attention=worse))
    told = (
        f"{figures.plural(found.documents, 'document')} are cut aside; searches go on with the present cut "
        "until the new one is whole and checked, then it takes over. "
        f"Vectors of texts that stay come from the cache, the others are made by {embedding}."
    )
    made.append(EMPTY)
    made += [((told[start:end], PLAIN),) for start, end in cells.wrap(told, max(20, width - 4))]
    return [*made, EMPTY, ((HOLD, FOCUS),)]


def _pair(name: str, before: str, after: str, *, attention: bool = False) -> Line:
    style = ATTENTION if attention else ("strong" if before != after else PLAIN)
    return (
        (cells.fit(name, NAME), PLAIN),
        (cells.right(before, VALUE), MUTED),
        (cells.right(after, VALUE), style),
    )


class PlanPanel(Panel[Begin]):
    """Dismissed with how to begin, None where nobody wants to."""

    def __init__(self, now: Chunking, found: WhatIf, embedding: str) -> None:
        def laid_out(width: int) -> Sequence[Line]:
            return rows(now, found, embedding, width)

        super().__init__("BUILD THE LIBRARY  enter starts, esc leaves, G is for a look first", laid_out)

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self.dismiss("hold" if message.index == self.list.count - 1 else "serve")
