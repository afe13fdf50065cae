"""The list of problems, each with its remedy; ``enter`` does the one that the workbench can do itself."""

from __future__ import annotations

from collections.abc import Sequence

from tui import cells
from tui.screens.panel import Choices, Panel
from tui.state import Problem
from tui.text import one_line
from tui.widgets.line import ATTENTION, MUTED, PLAIN, Line


def rows(problems: Sequence[Problem], width: int) -> list[tuple[Line, int]]:
    """Every row with the number of its problem: what happened, then in the next rows what to do."""
    made: list[tuple[Line, int]] = []
    for number, problem in enumerate(problems):
        place = f"{one_line(problem.place)}: " if problem.place else ""
        made += _wrapped(f"{place}{one_line(problem.sentence)}", "! ", PLAIN, number, width)
        remedy = one_line(problem.remedy) or "nothing to do"
        how = f"{remedy} (enter does it)" if problem.action else remedy
        made += _wrapped(how, "  ", MUTED, number, width)
    return made or [((("there is no problem", PLAIN),), -1)]


def _wrapped(text: str, lead: str, style: str, number: int, width: int) -> list[tuple[Line, int]]:
    return [
        (((lead if not part else "  ", ATTENTION), (text[start:end], style)), number)
        for part, (start, end) in enumerate(cells.wrap(text, max(10, width - 5)))
    ]


class TroublesPanel(Panel[Problem]):
    """Dismissed with the problem whose remedy is to be done."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        self.rows: list[tuple[Line, int]] = []
        super().__init__(f"PROBLEMS  {len(self.problems)}", self._laid_out)

    def _laid_out(self, width: int) -> list[Line]:
        self.rows = rows(self.problems, width)
        return [line for line, _ in self.rows]

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        number = self.rows[message.index][1]
        if number >= 0 and self.problems[number].action:
            self.dismiss(self.problems[number])
