"""A sweep as rows: a curve over one setting, a heat map over two, with the cell under the cursor. Pure.

Shades go from the worst of the cells to the best, by their order; ``*`` is the best of the cases that choose, ``·`` the
settings that were swept from.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from tui import cells
from tui.evaluation import short
from tui.text import one_line
from tui.widgets import figures
from tui.widgets.line import FOCUS, MUTED, PLAIN, STRONG, Line, Span, fit
from tui.widgets.tune import label, value_text

if TYPE_CHECKING:
    from engine.evaluate.sweep import Axis, Cell, Swept
    from engine.settings import Field

SHADES = " ░▒▓█"
ROOM = 8
"""Cells of a box: mark, shade, figure, and the blanks between two."""

VALUES = 9
"""Values of an axis that are tried, the present one beside."""

BAR = 24


def values(field: Field, now: object) -> tuple[object, ...]:
    """The values of a setting that a sweep tries: all of its choices, or some evenly over its range; the present one
    is among them."""
    if field.choices:
        return field.choices
    if field.kind == "boolean":
        return (False, True)
    assert field.minimum is not None
    assert field.maximum is not None
    low, high, step = (Decimal(str(each)) for each in (field.minimum, field.maximum, field.step))
    stride = max(1, round((high - low) / step / (VALUES - 1))) * step
    count = int((high - low) / stride) + 1
    kind = int if field.kind == "integer" else float
    found = {kind(low + stride * number) for number in range(count)} | {kind(str(now))}
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A sweep laid out: values down and across (one column where one setting was swept), and the cells by place."""

    swept: Swept
    down: tuple[object, ...]
    across: tuple[object, ...]

    def cell(self, row: int, column: int) -> Cell | None:
        point = (self.down[row], self.across[column]) if len(self.swept.axes) > 1 else (self.down[row],)
        return next((cell for cell in self.swept.cells if cell.point == point), None)

    @property
    def best(self) -> tuple[int, int]:
        """The place of the best cell."""
        point = self.swept.best.point
        return self.down.index(point[0]), self.across.index(point[1]) if len(point) > 1 else 0


def lay_out(swept: Swept) -> Map:
    axes = swept.axes
    return Map(swept, _tried(swept, 0), _tried(swept, 1) if len(axes) > 1 else (None,))


def _tried(swept: Swept, place: int) -> tuple[object, ...]:
    """The values of an axis that were tried, in its order."""
    found = {cell.point[place] for cell in swept.cells}
    return tuple(value for value in swept.axes[place].values if value in found)


# --- rows ---------------------------------------------------------------------------------------------------


def title(swept: Swept, width: int, focused: bool) -> Line:
    """``SWEEP  recall@6 by vector × cjk``, and which cases choose and which judge."""
    named = " × ".join(_label(axis) for axis in swept.axes)
    choosing, held = swept.cases
    return fit(
        (
            ("▸" if focused else " ", FOCUS), ("SWEEP", f"{STRONG} {FOCUS}" if focused else STRONG),
            (f"  {short(swept.by)} by {named}", PLAIN),
            (f"   {choosing:,} cases choose, {held:,} judge", MUTED),
        ),
        width,
    )  # fmt: skip


def heads(laid: Map, width: int, first: int) -> Line:
    """The values across, from column ``first`` on; of one setting the heads of its figures."""
    down = laid.swept.axes[0]
    name = _name_cells(laid)
    if len(laid.swept.axes) == 1:
        head: Line = ((cells.fit(f"  {_label(down)}", name), MUTED), ("  chosen    held     all", MUTED))
        return fit(head, width)
    across = laid.swept.axes[1]
    made: list[Span] = [(cells.fit(f"  {_label(down)}", name), MUTED)]
    for value in laid.across[first : first + columns(laid, width)]:
        made.append((cells.fit(_value(across, value), ROOM, "right"), MUTED))
    return fit((*made, (f"  {_label(across)}", MUTED)), width)


def row(laid: Map, place: int, width: int, first: int, cursor: tuple[int, int], focused: bool) -> Line:
    """One value down, with its boxes."""
    down = laid.swept.axes[0]
    here = place == cursor[0]
    mark: Span = (("▸ " if focused else "▹ ") if here else "  ", FOCUS)
    name = (cells.fit(_value(down, laid.down[place]), _name_cells(laid) - 2), STRONG if here else PLAIN)
    if len(laid.swept.axes) == 1:
        return fit((mark, name, *_curve(laid, place)), width)
    shown = range(first, min(len(laid.across), first + columns(laid, width)))
    return fit((mark, name, *(_box(laid, place, column, cursor) for column in shown)), width)


def columns(laid: Map, width: int) -> int:
    """How many boxes fit beside the names."""
    return max(1, (width - _name_cells(laid)) // ROOM)


def _name_cells(laid: Map) -> int:
    down = laid.swept.axes[0]
    return 4 + max(cells.width(_label(down)), *(cells.width(_value(down, value)) for value in laid.down))


def _box(laid: Map, place: int, column: int, cursor: tuple[int, int]) -> Span:
    cell = laid.cell(place, column)
    if cell is None:
        return cells.fit(figures.MISSING, ROOM, "right"), MUTED
    text = f"{_mark(laid.swept, cell)}{_shade(laid.swept, cell)}{_figure(cell.means.get(laid.swept.by))}"
    style = STRONG if cell.point == laid.swept.best.point else PLAIN
    return cells.fit(text, ROOM, "right"), "reverse" if (place, column) == cursor else style


def _curve(laid: Map, place: int) -> Line:
    cell = laid.cell(place, 0)
    if cell is None:
        return ((figures.MISSING, MUTED),)
    told = "".join(
        cells.fit(_figure(value), ROOM, "right")
        for value in (cell.chosen, cell.held, cell.means.get(laid.swept.by))
    )
    bar = "█" * round(BAR * _share(laid.swept, cell))
    style = STRONG if cell.point == laid.swept.best.point else PLAIN
    return ((told, style), (f" {_mark(laid.swept, cell)} ", FOCUS), (bar, MUTED))


def _mark(swept: Swept, cell: Cell) -> str:
    return "*" if cell.point == swept.best.point else "·" if cell.point == swept.present.point else " "


def _figure(value: float | None) -> str:
    return figures.MISSING if value is None else figures.fraction(value)


def _shade(swept: Swept, cell: Cell) -> str:
    """By the cell's place among all of them: one that is far worse than all others must not make those look alike."""
    value, known = cell.means.get(swept.by), sorted({*_known(swept)})
    if value is None or len(known) < 2:
        return " "
    return SHADES[round((len(SHADES) - 1) * bisect_left(known, value) / (len(known) - 1))]


def _share(swept: Swept, cell: Cell) -> float:
    """Where the cell lies between the worst and the best."""
    value, known = cell.means.get(swept.by), _known(swept)
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    return 0.0 if value is None or high <= low else (value - low) / (high - low)


def _known(swept: Swept) -> list[float]:
    return [value for each in swept.cells if (value := each.means.get(swept.by)) is not None]


def _label(axis: Axis) -> str:
    return (
        label(axis.field.name) if axis.field.section == "retrieval" else axis.field.label or axis.field.name
    )


def _value(axis: Axis, value: object) -> str:
    return value_text(axis.field.name, value) if axis.field.section == "retrieval" else axis.shown(value)


# --- in words -----------------------------------------------------------------------------------------------


def sentence(laid: Map, cursor: tuple[int, int]) -> str:
    """The cell under the cursor in words, and on which cases its figures stand."""
    cell = laid.cell(*cursor)
    if cell is None:
        return "this combination cannot be: its values do not go together"
    told = _settings(laid.swept, cell.point)
    means = ", ".join(f"{short(name)} {_figure(cell.means.get(name))}" for name in _shown(laid.swept))
    return f"{told}: {means}; enter sets it"


def _shown(swept: Swept) -> Sequence[str]:
    return tuple(dict.fromkeys((swept.by, "mrr@10", "context_recall")))


def _settings(swept: Swept, point: Sequence[object]) -> str:
    return ", ".join(
        f"{_label(axis)} {_value(axis, value)}" for axis, value in zip(swept.axes, point, strict=True)
    )


def verdict(swept: Swept, width: int) -> list[Line]:
    """What is to be made of the sweep, in as many rows as it takes."""
    told = one_line(swept.sentence)
    style = STRONG if swept.verdict in ("better", "worse") else PLAIN
    legend = "* best of the choosing cases, · the settings before; figures over all cases"
    return [
        *(fit(((f" {told[start:end]}", style),), width) for start, end in cells.wrap(told, width - 2)),
        fit(((f" {legend}", MUTED),), width),
    ]
