"""The panes of the Evaluate screen: the settings, the table of figures, and the cases. Each knows its cursor and window
alone; what it draws is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from tui import cells
from tui.evaluation import NO_EVALUATION, Evaluation
from tui.screens.search_panes import TunePane, keys_of
from tui.widgets import evaluate_cases, evaluate_table
from tui.widgets.evaluate_cases import Row
from tui.widgets.line import MUTED, PLAIN, Line, fit
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from engine.evaluate.sets import Case


class ScalesPane(TunePane):
    """The settings, as they stand on Search."""

    SCOPE: ClassVar[str] = "scales"
    BINDINGS: ClassVar[list[Any]] = keys_of("scales")


class MetricsPane(Pane):
    """The figures of the set. Its cursor is the figure that is explained."""

    SCOPE: ClassVar[str] = "metrics"
    TITLE: ClassVar[str] = "Metrics"
    BINDINGS: ClassVar[list[Any]] = keys_of("metrics")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.value: Evaluation = NO_EVALUATION
        self.top_k = 6

    @property
    def count(self) -> int:
        return len(evaluate_table.rows_of(self.value, self.top_k))

    def show(self, value: Evaluation, top_k: int) -> None:
        self.value, self.top_k = value, top_k
        self.repaint()

    def lines(self) -> list[Line]:
        width, margin = self.size.width, 1 if self.titled else 0
        made = [evaluate_table.title(self.value, width, self.has_focus, margin)] if self.titled else []
        if not self.titled:
            made.append(fit(((f" {evaluate_table.described(self.value)}", MUTED),), width))
        table = evaluate_table.lines(
            self.value, self.top_k, width, cursor=self.cursor, focused=self.has_focus, margin=margin
        )
        return [*made, table[0], *table[1 + self.top :]][: self.size.height]

    @property
    def window(self) -> int:
        return max(1, self.size.height - 2)


class CasesPane(Pane):
    """Every case, flips first: ``cut`` of them, above a dashed line. Where something does not fit the documents, that
    is listed instead."""

    SCOPE: ClassVar[str] = "cases"
    TITLE: ClassVar[str] = "Cases"
    BINDINGS: ClassVar[list[Any]] = keys_of("cases")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.value: Evaluation = NO_EVALUATION
        self.cases: tuple[Case, ...] = ()
        self.cut = 0
        self._ids = 3
        self.changes: Mapping[str, str] = {}

    @property
    def head(self) -> int:
        return 2 if self.titled else 1

    @property
    def told(self) -> tuple[str, ...]:
        """Why nothing was asked, where nothing was."""
        loaded = self.value.loaded
        return loaded.problems if loaded is not None and loaded.live is None else ()

    @property
    def count(self) -> int:
        return len(self.cases) or len(self.told)

    @property
    def rows(self) -> int:
        return self.count + (1 if 0 < self.cut < self.count else 0)

    def row_of(self, cursor: int) -> int:
        return cursor + 1 if 0 < self.cut <= cursor else cursor

    @property
    def row(self) -> Row | None:
        """The case under the cursor."""
        return self._row(self.cursor) if self.cursor < len(self.cases) else None

    @property
    def listed(self) -> tuple[Row, ...]:
        """Every case as it is shown."""
        return tuple(map(self._row, range(len(self.cases))))

    def _row(self, place: int) -> Row:
        return evaluate_cases.row_of(self.value, self.cases[place])

    def show(self, value: Evaluation, changes: Mapping[str, str]) -> None:
        """Draw the cases anew; the cursor stays with its case. They keep their order until flips are true."""
        held = self.cases[self.cursor].id if 0 < self.cursor < len(self.cases) else ""
        another = value.loaded is not self.value.loaded
        self.value, self.changes = value, changes
        if another or value.true:
            self.cases = evaluate_cases.ordered(value)
            self.cut = len(value.flips)
        if another:
            self._ids = evaluate_cases.id_cells(self.cases)
        if held:
            places = (place for place, case in enumerate(self.cases) if case.id == held)
            self.cursor = next(places, self.cursor)
        self.cursor = min(self.cursor, max(0, self.count - 1))
        self.follow()
        self.repaint()

    def next_flip(self, step: int) -> int | None:
        """The next flipped case from the cursor on, around the end; None where no case flipped."""
        if not self.cut:
            return None
        if step > 0:
            return self.cursor + 1 if self.cursor + 1 < self.cut else 0
        return self.cursor - 1 if 0 < self.cursor <= self.cut else self.cut - 1

    def lines(self) -> list[Line]:
        width, margin = self.size.width, 1 if self.titled else 0
        made: list[Line] = []
        if self.titled:
            made.append(evaluate_cases.title(self.value, len(self.cases), width, self.has_focus, margin))
        if not self.cases:
            rows = evaluate_cases.problems(self.told, width, margin)
            return [*made, *(rows[self.top :] or [fit((("  no case yet", MUTED),), width)])]
        columns = evaluate_cases.choose(self._ids, width, margin)
        made.append(evaluate_cases.head(columns, width))
        made += [
            self._line(columns, row, width) for row in range(self.top, min(self.rows, self.top + self.window))
        ]
        return made

    def _line(self, columns: evaluate_cases.Columns, row: int, width: int) -> Line:
        cut = self.cut if 0 < self.cut < self.count else -1
        if row == cut:
            left = " " * (columns.margin + 1)
            rest = width - cells.width(left) - 13
            return fit(((left, PLAIN), ("╌╌ no flip " + "╌" * max(0, rest), MUTED)), width)
        place = row if cut < 0 or row < cut else row - 1
        here = place == self.cursor
        mark = ("▸" if self.has_focus else "▹") if here else " "
        case = self._row(place)
        return evaluate_cases.line(
            case,
            columns,
            width,
            mark=mark,
            focused=here and self.has_focus,
            change=self.changes.get(case.case_id, ""),
        )
