"""What came out of a sweep: a cell for each point, and how the best stands against the settings in force. Pure; the
same cells give the same bytes, for there is no time and no machine in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import fsum
from typing import Any

from engine.evaluate.statistics import Paired, paired
from engine.evaluate.sweep.axes import Axis, Point

EQUAL = 1e-12

CaseValues = Mapping[str, float]
"""The figures of one case by name; none where it has nothing to find."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One point. ``chosen`` and ``held`` are the means of what is maximised over the cases that choose and over the
    others, None where there is no such case; ``means`` are every figure over all cases, ``values`` that of what is
    maximised case by case, in the order of the set."""

    point: Point
    chosen: float | None
    held: float | None
    means: Mapping[str, float]
    values: tuple[float | None, ...] = ()
    distance: tuple[int, float] = (0, 0.0)


@dataclass(frozen=True, slots=True)
class Swept:
    """All cells in the order of the grid. ``present`` is the cell of the settings in force, ``best`` that which the
    choosing half prefers: among equals the nearest to the settings. ``test`` compares the two on the other half, None
    where that has no case. ``impossible`` are the points whose values do not go together, and why.
    """

    set: str
    by: str
    search: str
    axes: tuple[Axis, ...]
    cells: tuple[Cell, ...]
    present: Cell
    best: Cell
    test: Paired | None
    cases: tuple[int, int]
    impossible: tuple[tuple[Point, str], ...] = field(default=())

    def tried(self, place: int) -> list[object]:
        """The values of an axis that were tried, in its order."""
        axis = self.axes[place]
        return sorted({cell.point[place] for cell in self.cells}, key=axis.order)

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, ``noise``, or ``same`` where the best are the settings in force."""
        if self.best.point == self.present.point:
            return "same"
        return self.test.verdict() if self.test else "noise"

    @property
    def sentence(self) -> str:
        """What is to be made of it."""
        if self.verdict == "same":
            return f"{self.by}: nothing tried is better than the settings in force, on the cases that choose"
        told = ", ".join(
            f"{axis.field.name} {axis.shown(value)}"
            for axis, value, now in zip(self.axes, self.best.point, self.present.point, strict=True)
            if value != now
        )
        if self.test is None:
            return (
                f"{self.by}: best at {told}, chosen and judged by the same cases: no case is left to judge it"
            )
        test = self.test
        size = f"{test.difference:+.3f} ({test.low:+.3f} to {test.high:+.3f}), p {test.p:.3f}"
        held = f"on the {test.questions:,} cases that did not choose it {size}"
        if self.verdict != "noise":
            return f"{self.by}: {told} is {self.verdict} than the settings in force, {held}"
        more = f"; about {test.more:,} more cases would tell" if test.more else ""
        return f"{self.by}: best at {told}, but {held} is within noise{more}"

    def to_json(self) -> dict[str, Any]:
        def point(of: Point) -> dict[str, object]:
            return {axis.field.key: value for axis, value in zip(self.axes, of, strict=True)}

        def cell(of: Cell) -> dict[str, Any]:
            return {
                "settings": point(of.point),
                "choosing": of.chosen,
                "held_out": of.held,
                "metrics": dict(of.means),
            }

        return {
            "set": self.set,
            "by": self.by,
            "search": self.search,
            "axes": {axis.field.key: list(axis.values) for axis in self.axes},
            "cases": {"choosing": self.cases[0], "held_out": self.cases[1]},
            "present": cell(self.present),
            "best": cell(self.best),
            "test": asdict(self.test) if self.test else None,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "cells": [cell(each) for each in self.cells],
            "impossible": [{"settings": point(where), "why": why} for where, why in self.impossible],
        }


def cell(
    point: Point, cases: Sequence[CaseValues], by: str, choosing: Sequence[bool], distance: tuple[int, float]
) -> Cell:
    """The cell of a point from the figures of its cases."""
    values = tuple(each.get(by) for each in cases)
    names = dict.fromkeys(name for each in cases for name in each)
    return Cell(
        point=point,
        chosen=_mean(value for value, first in zip(values, choosing, strict=True) if first),
        held=_mean(value for value, first in zip(values, choosing, strict=True) if not first),
        means={name: mean for name in names if (mean := _mean(each.get(name) for each in cases)) is not None},
        values=values,
        distance=distance,
    )


def best_of(cells: Sequence[Cell]) -> Cell:
    """The cell that the choosing cases prefer; among equals the nearest to the settings, then the first."""
    scored = [each for each in cells if each.chosen is not None]
    top = max((each.chosen for each in scored if each.chosen is not None), default=0.0)
    equal = [each for each in scored if each.chosen is not None and each.chosen >= top - EQUAL]
    return min(equal, key=lambda each: each.distance) if equal else cells[0]


def judged(best: Cell, present: Cell, choosing: Sequence[bool]) -> Paired | None:
    """The best against the settings in force, over the cases that did not choose it."""
    pairs = [
        (before, after)
        for before, after, first in zip(present.values, best.values, choosing, strict=True)
        if not first and before is not None and after is not None
    ]
    return paired([one for one, _ in pairs], [other for _, other in pairs]) if pairs else None


def _mean(values: Any) -> float | None:
    found = [value for value in values if value is not None]
    return fsum(found) / len(found) if found else None
