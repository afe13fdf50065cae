"""The rows of ``rankscope sweep``: a curve over one axis, a heat map over two, the best cells of more; then what the
best is worth. Pure; columns align to the cell, and what is not defined is ``–``, never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tui.cells import MISSING, cut, fit, right, width, wrap
from tui.text import one_line

if TYPE_CHECKING:
    from engine.evaluate.sweep import Axis, Cell, Point, Swept

SHADES = " ░▒▓█"
"""From the worst of the cells to the best."""

BAR = 40
LISTED = 20
"""Cells that are named one by one where there are more than two axes; ``--json`` names all."""


def rows(found: Swept, columns: int) -> Iterator[str]:
    """Every row, in at most ``columns`` cells."""
    choosing, held = found.cases
    yield from _prose(
        f"{one_line(found.set)}  {len(found.cells):,} settings by {found.search}, {found.by} over"
        f" {choosing + held:,} cases: {choosing:,} choose, {held:,} judge",
        columns,
    )
    yield ""
    table = _curve(found) if len(found.axes) == 1 else _map(found) if len(found.axes) == 2 else _list(found)
    yield from (cut(row, columns) for row in table)
    yield ""
    yield from _prose(f"* best of the choosing cases, · the settings in force; {_scale(found)}", columns)
    yield from _prose(found.sentence, columns)
    for point, why in found.impossible[:LISTED]:
        yield from _prose(f"not tried: {_point(found.axes, point)}: {one_line(why)}", columns)
    if len(found.impossible) > LISTED:
        yield f"and {len(found.impossible) - LISTED:,} more that do not go together"


def _prose(sentence: str, columns: int) -> Iterator[str]:
    return (sentence[start:end] for start, end in wrap(sentence, columns))


def _curve(found: Swept) -> Iterator[str]:
    """One axis: each value with its figure on both halves, and a bar from the worst to the best."""
    (axis,) = found.axes
    name = max(width(axis.field.name), *(width(axis.shown(cell.point[0])) for cell in found.cells)) + 2
    yield f"  {fit(axis.field.name, name)}{right('chosen', 8)}{right('held', 8)}{right('all', 8)}"
    for cell in sorted(found.cells, key=lambda cell: axis.order(cell.point[0])):
        figures = "".join(
            right(_figure(value), 8) for value in (cell.chosen, cell.held, cell.means.get(found.by))
        )
        yield f"{_mark(found, cell)}{fit(axis.shown(cell.point[0]), name)}{figures}  {_bar(found, cell)}"


def _map(found: Swept) -> Iterator[str]:
    """Two axes: the first down, the second across, each cell with its figure over all cases and a shade."""
    down, across = found.axes
    cells = {cell.point: cell for cell in found.cells}
    rows_, heads = found.tried(0), found.tried(1)
    name = max(width(down.field.name), *(width(down.shown(value)) for value in rows_)) + 2
    room = max(8, *(width(across.shown(value)) + 3 for value in heads))
    yield f"  {fit('', name)}{across.field.name}"
    yield f"  {fit(down.field.name, name)}{''.join(right(across.shown(value), room) for value in heads)}"
    for value in rows_:
        told = "".join(_boxed(found, cells.get((value, other)), room) for other in heads)
        yield f"  {fit(down.shown(value), name)}{told}"


def _boxed(found: Swept, cell: Cell | None, room: int) -> str:
    if cell is None:
        return right(MISSING, room)
    return right(
        f"{_mark(found, cell).strip()}{_shade(found, cell)}{_figure(cell.means.get(found.by))}", room
    )


def _list(found: Swept) -> Iterator[str]:
    """More axes: the best cells of the choosing half, one by one."""
    best = sorted(found.cells, key=lambda cell: (-(cell.chosen or 0.0), cell.distance))
    name = max(width(_point(found.axes, cell.point)) for cell in best[:LISTED]) + 2
    yield f"  {fit('settings', name)}{right('chosen', 8)}{right('held', 8)}{right('all', 8)}"
    for cell in best[:LISTED]:
        figures = "".join(
            right(_figure(value), 8) for value in (cell.chosen, cell.held, cell.means.get(found.by))
        )
        yield f"{_mark(found, cell)}{fit(_point(found.axes, cell.point), name)}{figures}"
    if len(best) > LISTED:
        yield f"  and {len(best) - LISTED:,} more"


def _point(axes: Sequence[Axis], point: Point) -> str:
    return ", ".join(
        f"{axis.field.name} {axis.shown(value)}" for axis, value in zip(axes, point, strict=True)
    )


def _mark(found: Swept, cell: Cell) -> str:
    return "* " if cell.point == found.best.point else "· " if cell.point == found.present.point else "  "


def _figure(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:.3f}".removeprefix("0")


def _range(found: Swept) -> tuple[float, float]:
    values = [value for cell in found.cells if (value := cell.means.get(found.by)) is not None]
    return (min(values), max(values)) if values else (0.0, 0.0)


def _share(found: Swept, cell: Cell) -> float:
    low, high = _range(found)
    value = cell.means.get(found.by)
    return 0.0 if value is None or high <= low else (value - low) / (high - low)


def _bar(found: Swept, cell: Cell) -> str:
    return "█" * round(BAR * _share(found, cell))


def _shade(found: Swept, cell: Cell) -> str:
    return SHADES[round((len(SHADES) - 1) * _share(found, cell))]


def _scale(found: Swept) -> str:
    low, high = _range(found)
    return f"shades and bars from {_figure(low)} to {_figure(high)}, over all cases"
