"""A setting over its whole range as data: its stretches, where a value stands in a strip of cells, and which letter
a chunk has. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import TYPE_CHECKING

from engine.model import Chunk
from tui.widgets.tune import DECLARED

if TYPE_CHECKING:
    from engine.explain.sensitivity import Sensitivity, Stretch

MANY = "·"
"""What stands for a chunk when the letters are used up."""

CLOSE = 1e-9
"""Values of a weight nearer than this are one: on a change point itself a tie decides, not its stretch."""

DECIMALS = 6
"""Of a weight that is set between two grid points, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Varied:
    """A setting over its range, with the chunks that take part. ``held``: not ranks, but places in the context."""

    sensitivity: Sensitivity
    chunks: Mapping[str, Chunk]
    held: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """What is drawn: the stretches, the present value and the file's, and the stretch that is probed.

    ``now`` are the ids that stand there at the present value: where two stretches meet just there, a tie
    decided between them.
    """

    varied: Varied
    present: object
    file: object
    probe: int
    top_k: int
    now: tuple[str, ...] = ()

    @property
    def stretches(self) -> Sequence[Stretch]:
        return self.varied.sensitivity.stretches

    @property
    def name(self) -> str:
        return self.varied.sensitivity.field

    @property
    def here(self) -> int:
        """The stretch of the present value; the nearest where it lies between two grid points."""
        place = stretch_of(self, self.present)
        if not self.varied.sensitivity.exact:
            return place
        number = float(self.present)  # type: ignore[arg-type]
        for near in (place - 1, place, place + 1):
            if 0 <= near < len(self.stretches):
                low, high = _ends(self.stretches[near])
                ranks = self.stretches[near].ranks
                if low - CLOSE <= number <= high + CLOSE and ranks == self.now[: len(ranks)]:
                    return near
        return place


# --- where a value stands --------------------------------------------------------------------------


def values(name: str) -> tuple[object, ...]:
    """Every value of a choice; none for a number."""
    known = DECLARED[name]
    return (False, True) if known.kind == "boolean" else known.choices


def stretch_of(chart: Chart, value: object) -> int:
    """The stretch that holds a value; between two runs of grid points, the nearer."""
    stretches = chart.stretches
    if not stretches:
        return 0
    if values(chart.name):
        listed = values(chart.name)
        at = listed.index(value) if value in listed else 0
        found = [
            place
            for place, one in enumerate(stretches)
            if listed.index(one.low) <= at <= listed.index(one.high)
        ]
        return found[0] if found else 0
    number = float(value)  # type: ignore[arg-type]

    def away(place: int) -> float:
        low, high = _ends(stretches[place])
        return max(low - number, number - high, 0.0)

    return min(range(len(stretches)), key=away)


def _ends(stretch: Stretch) -> tuple[float, float]:
    return float(stretch.low), float(stretch.high)  # type: ignore[arg-type]


def column(chart: Chart, value: object, width: int) -> int:
    """The cell of a value in a strip of ``width`` cells."""
    listed = values(chart.name)
    if listed:
        at = listed.index(value) if value in listed else 0
        return min(width - 1, (2 * at + 1) * width // (2 * len(listed)))
    low, high = limits(chart)
    share = (float(value) - low) / (high - low)  # type: ignore[arg-type]
    return min(width - 1, max(0, math.floor(share * width)))


def limits(chart: Chart) -> tuple[float, float]:
    """The ends of a number's range."""
    known = DECLARED[chart.name]
    return float(known.minimum or 0.0), float(known.maximum or 1.0)


def cells_of(chart: Chart, width: int) -> list[int]:
    """The stretch that each cell stands for: that of its middle, at both ends and at the present value's of the
    very value.
    """
    listed = values(chart.name)
    if listed:
        return [stretch_of(chart, listed[at * len(listed) // width]) for at in range(width)]
    low, high = limits(chart)
    found, place = [], 0
    borders = [border(chart.stretches, at) for at in range(len(chart.stretches) - 1)]
    for at in range(width):
        middle = low + (at + 0.5) / width * (high - low)
        while place < len(borders) and borders[place] <= middle:
            place += 1
        found.append(place)
    found[0], found[-1] = 0, max(0, len(chart.stretches) - 1)
    found[column(chart, chart.present, width)] = chart.here
    return found


def border(stretches: Sequence[Stretch], at: int) -> float:
    """Where a stretch ends and the next begins; between two grid points, the middle."""
    return (_ends(stretches[at])[1] + _ends(stretches[at + 1])[0]) / 2


def value_in(chart: Chart, place: int) -> object:
    """The value to set for a stretch: the grid point in it that is nearest the present one, else the shortest
    decimal.
    """
    stretch, known = chart.stretches[place], DECLARED[chart.name]
    if values(chart.name):
        return stretch.low
    low, high = _ends(stretch)
    present = float(chart.present)  # type: ignore[arg-type]
    if place == chart.here:
        return chart.present
    if not chart.varied.sensitivity.exact or low == high:
        return stretch.low if present < low else stretch.high
    steps = (float(known.step), *(10.0**-places for places in range(1, DECIMALS + 1)))
    for step in steps:
        points = range(math.floor(low / step), math.ceil(high / step) + 1)
        inside = [round(at * step, DECIMALS) for at in _few(points, present / step)]
        inside = [value for value in inside if low + CLOSE < value < high - CLOSE]
        if inside:
            return min(inside, key=lambda value: abs(value - present))
    return (low + high) / 2


def _few(points: range, near: float) -> list[int]:
    """The first and last of the points, which hold the nearest to whatever lies outside."""
    return [*points[:3], *points[-3:]] if len(points) > 6 else list(points)


# --- letters --------------------------------------------------------------------------------------


def letters(chart: Chart) -> dict[str, str]:
    """A letter for each chunk: by rank where the chart was asked for, then as they appear; turns keep them."""
    order: dict[str, None] = {}
    if chart.stretches:
        began = chart.stretches[stretch_of(chart, chart.varied.sensitivity.present)]
        order.update(dict.fromkeys(began.ranks))
    for stretch in chart.stretches:
        order.update(dict.fromkeys(stretch.ranks))
    return {name: ascii_letters[at] if at < len(ascii_letters) else MANY for at, name in enumerate(order)}
