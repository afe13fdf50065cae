"""Figures of a report as inline SVG, with axes and units: bars with their intervals, and ranks before and after. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log2
from typing import NamedTuple

WIDTH, LEFT, RIGHT, ROW, TOP = 720, 210, 70, 26, 30

Rank = int | None


class Bar(NamedTuple):
    """A figure from 0 to 1, with the 95 % interval of its mean where there is one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


class Move(NamedTuple):
    """The rank of one query under two configurations, None where nothing relevant was found."""

    name: str
    before: Rank
    after: Rank


def bars(title: str, rows: Sequence[Bar], *, unit: str) -> str:
    """Horizontal bars from 0 to 1; ``unit`` says what the axis counts."""
    height = TOP + ROW * len(rows) + 44
    room = WIDTH - LEFT - RIGHT
    parts = [_head(title, height), _text(LEFT, 16, title)]
    parts += [
        _axis(LEFT + room * share, TOP, TOP + ROW * len(rows), f"{share:.2f}")
        for share in (0, 0.25, 0.5, 0.75, 1)
    ]
    for number, row in enumerate(rows):
        y = TOP + ROW * number
        parts.append(_text(LEFT - 8, y + 17, _short(row.name), "end"))
        parts.append(
            f'<rect class="v" x="{LEFT}" y="{y + 5}" width="{room * row.value:.1f}" height="{ROW - 10}" rx="2"/>'
        )
        if row.low is not None and row.high is not None:
            first, last, middle = LEFT + room * row.low, LEFT + room * row.high, y + ROW / 2
            line = f"M{first:.1f} {middle}H{last:.1f}M{first:.1f} {middle - 4}v8M{last:.1f} {middle - 4}v8"
            parts.append(f'<path class="i" d="{line}"/>')
        parts.append(_text(LEFT + room * max(row.value, row.high or 0) + 8, y + 17, f"{row.value:.3f}"))
    parts.append(_text(LEFT + room / 2, height - 6, unit, "middle", "t"))
    return "".join(parts) + "</svg>"


def moves(title: str, rows: Sequence[Move], *, names: tuple[str, str]) -> str:
    """Each query's first relevant rank under two configurations, on an axis that doubles at each step; what was not
    found stands beyond its end."""
    found = [rank for row in rows for rank in (row.before, row.after) if rank]
    deepest = max(2, *found) if found else 2
    steps = 1
    while 2**steps < deepest:
        steps += 1
    room = WIDTH - LEFT - RIGHT
    height = TOP + ROW * len(rows) + 64

    def at(rank: Rank) -> float:
        return LEFT + (room * log2(rank) / steps if rank else room + 34)

    parts = [_head(title, height), _text(LEFT, 16, title)]
    foot = TOP + ROW * len(rows)
    parts += [_axis(at(2**step), TOP, foot, str(2**step)) for step in range(steps + 1)]
    parts.append(_text(at(None), foot + 16, "none", "middle", "t"))
    for number, row in enumerate(rows):
        y = TOP + ROW * (number + 0.5)
        before, after = at(row.before), at(row.after)
        worse = after > before
        parts.append(_text(LEFT - 14, y + 4, _short(row.name), "end"))
        parts.append(f'<path class="{"z" if worse else "o"}" d="M{before:.1f} {y:.1f}H{after:.1f}"/>')
        parts.append(
            f'<circle class="{"z" if worse else "o"}" cx="{before:.1f}" cy="{y:.1f}" r="5" style="fill:var(--back)"/>'
        )
        parts.append(f'<circle class="{"x" if worse else "v"}" cx="{after:.1f}" cy="{y:.1f}" r="4.5"/>')
    parts.append(
        _text(LEFT + room / 2, foot + 38, "rank of the first relevant chunk, 1 is best", "middle", "t")
    )
    parts.append(_text(LEFT, foot + 58, f"ring: {names[0]}   dot: {names[1]}", style="t"))
    return "".join(parts) + "</svg>"


def _head(title: str, height: float) -> str:
    size = f'width="{WIDTH}" height="{height:.0f}"'
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" {size} role="img" aria-label="{escape(title)}">'


def _axis(x: float, top: float, foot: float, told: str) -> str:
    return f'<path class="l" d="M{x:.1f} {top}V{foot}"/>' + _text(x, foot + 16, told, "middle", "t")


def _text(x: float, y: float, told: str, anchor: str = "start", style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    shown = "".join(character if character.isprintable() else "\ufffd" for character in told)
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(shown)}</text>'


def _short(name: str) -> str:
    return name if len(name) <= 28 else f"{name[:27]}…"
