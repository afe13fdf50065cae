"""A sweep as an SVG: a curve over one axis, a heat map over two; of more axes the two that matter most. Pure; the same
cells give the same bytes, and nothing in it is loaded from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from engine.evaluate.sweep.outcome import Cell, Swept

WIDTH, LEFT, TOP, BOTTOM = 720, 150, 64, 56
ROW, CURVE = 34, 260
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1a1a1a}.m{fill:#666}.b{font-weight:700}"
    ".l{stroke:#1f6f8b;stroke-width:2;fill:none}.d{stroke:#1f6f8b;stroke-width:2;fill:none;stroke-dasharray:5 4}"
    ".a{stroke:#999;stroke-width:1}.p{fill:#1f6f8b}"
    "@media(prefers-color-scheme:dark){text{fill:#e6e6e6}.m{fill:#a0a0a0}.l,.d{stroke:#6fc3df}.p{fill:#6fc3df}}"
)


def chart(found: Swept) -> str:
    """One SVG document with axes and a title."""
    body = "".join(_curve(found) if len(found.axes) == 1 else _map(found))
    height = TOP + BOTTOM + (CURVE if len(found.axes) == 1 else ROW * len(found.tried(0)))
    title = escape(f"{found.by} of {found.set}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        f' role="img" aria-label="{title}"><style>{STYLE}</style>'
        f'<text x="{LEFT}" y="22" class="b">{title}</text>{body}</svg>\n'
    )


def _text(x: float, y: float, told: str, anchor: str = "start", style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(told)}</text>'


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high - low > 1e-9 else (low - 0.05, high + 0.05)


def _curve(found: Swept) -> Iterator[str]:
    """The figure over the values of the axis: on the cases that choose, and dashed on the others."""
    (axis,) = found.axes
    cells = {cell.point[0]: cell for cell in found.cells}
    values = found.tried(0)
    figures = [value for cell in found.cells for value in (cell.chosen, cell.held) if value is not None]
    low, high = _range(figures)
    step = (WIDTH - LEFT - 30) / max(1, len(values) - 1)

    def at(place: int, value: float) -> tuple[float, float]:
        return LEFT + step * place, TOP + CURVE * (1 - (value - low) / (high - low))

    yield f'<line class="a" x1="{LEFT}" y1="{TOP}" x2="{LEFT}" y2="{TOP + CURVE}"/>'
    yield f'<line class="a" x1="{LEFT}" y1="{TOP + CURVE}" x2="{WIDTH - 30}" y2="{TOP + CURVE}"/>'
    for tick in (low, (low + high) / 2, high):
        yield _text(LEFT - 8, at(0, tick)[1] + 4, f"{tick:.3f}", "end", "m")
    every = max(1, len(values) // 10)
    for place, value in enumerate(values):
        if place % every == 0:
            x = at(place, low)[0]
            yield _text(x, TOP + CURVE + 20, axis.shown(value), "middle", "m")
    middle = (LEFT + WIDTH - 30) / 2
    yield _text(middle, TOP + CURVE + 44, axis.field.key, "middle")
    for name, kind in (("chosen", "l"), ("held", "d")):
        points = [
            at(place, figure)
            for place, value in enumerate(values)
            if (figure := getattr(cells[value], name)) is not None
        ]
        if points:
            yield f'<polyline class="{kind}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
    for place, value in enumerate(values):
        best = cells[value].chosen if value == found.best.point[0] else None
        if best is not None:
            x, y = at(place, best)
            yield f'<circle class="p" cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
    yield _text(
        LEFT, 44, "line: the cases that choose; dashed: the cases that judge; dot: the best", style="m"
    )


def _map(found: Swept) -> Iterator[str]:
    """The figure over all cases by the first two axes, of further axes the best cell."""
    down, across = found.axes[:2]
    best: dict[tuple[object, object], Cell] = {}
    for cell in found.cells:
        key = cell.point[0], cell.point[1]
        if key not in best or (cell.chosen or 0.0) > (best[key].chosen or 0.0):
            best[key] = cell
    rows, columns = found.tried(0), found.tried(1)
    figures = [figure for each in best.values() if (figure := each.means.get(found.by)) is not None]
    low, high = _range(figures)
    room = (WIDTH - LEFT - 30) / len(columns)
    yield f'<text class="m" x="{LEFT}" y="44">{escape(across.field.key)}</text>'
    for place, value in enumerate(columns):
        x = LEFT + room * (place + 0.5)
        yield f'<text class="m" x="{x:.1f}" y="{TOP - 4}" text-anchor="middle">{escape(across.shown(value))}</text>'
    yield f'<text class="m" x="{LEFT - 8}" y="{TOP - 4}" text-anchor="end">{escape(down.field.name)}</text>'
    for line, value in enumerate(rows):
        y = TOP + ROW * line
        yield f'<text class="m" x="{LEFT - 8}" y="{y + 22}" text-anchor="end">{escape(down.shown(value))}</text>'
        for place, other in enumerate(columns):
            yield from _box(found, best.get((value, other)), LEFT + room * place, y, room, low, high)
    foot = TOP + ROW * len(rows) + 26
    scale = f"over all cases, {low:.3f} to {high:.3f}"
    yield _text(
        LEFT, foot, f"{scale}; bold: best of the choosing cases, ring: the settings in force", style="m"
    )


def _box(
    found: Swept, cell: Cell | None, x: float, y: float, room: float, low: float, high: float
) -> Iterator[str]:
    value = None if cell is None else cell.means.get(found.by)
    if cell is None or value is None:
        yield f'<text class="m" x="{x + room / 2:.1f}" y="{y + 22}" text-anchor="middle">–</text>'
        return
    share = (value - low) / (high - low)
    red, green, blue = (round(a + (b - a) * share) for a, b in ((232, 31), (240, 111), (244, 139)))
    ring = ' stroke="#c77700" stroke-width="3"' if cell.point == found.present.point else ""
    yield (
        f'<rect x="{x + 2:.1f}" y="{y + 2}" width="{room - 4:.1f}" height="{ROW - 4}" rx="3"'
        f' fill="rgb({red},{green},{blue})"{ring}/>'
    )
    ink = "#fff" if share > 0.55 else "#1a1a1a"
    bold = ' class="b"' if cell.point == found.best.point else ""
    yield f'<text{bold} x="{x + room / 2:.1f}" y="{y + 22}" text-anchor="middle" style="fill:{ink}">{value:.3f}</text>'
