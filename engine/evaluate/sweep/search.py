"""Which points of a sweep are tried, and in which order: all, some drawn at random, or along one axis after the other.

A search is a generator: it yields the points to be tried next, and is sent how good each of them was on the cases
that choose, None where a point cannot be. Pure and repeatable.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import prod

from engine.errors import UsageError
from engine.evaluate.sweep.axes import Axis, Point, points_of

Scores = Sequence[float | None]
Trial = Generator[list[Point], Scores, None]

EQUAL = 1e-12
"""Means nearer than this are the same: they may differ by their rounding."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Every combination."""

    name = "grid"

    def trial(self, axes: Sequence[Axis], start: Point) -> Trial:
        yield points_of(axes)


@dataclass(frozen=True, slots=True)
class Random:
    """So many combinations, each once, drawn by a seed; all of them where there are no more."""

    points: int
    seed: int = 0
    name = "random"

    def trial(self, axes: Sequence[Axis], start: Point) -> Trial:
        if self.points < 1:
            raise UsageError(f"{self.points} points are none", "draw at least one")
        count = prod(len(axis.values) for axis in axes)
        if count <= self.points:
            yield points_of(axes)
            return
        chosen = sorted(random.Random(self.seed).sample(range(count), self.points))
        yield [_point(axes, number) for number in chosen]


@dataclass(frozen=True, slots=True)
class Descent:
    """One axis after the other, the others held at the best so far, until a round changes nothing.

    A value that is only as good as the present one changes nothing.
    """

    rounds: int = 5
    name = "descent"

    def trial(self, axes: Sequence[Axis], start: Point) -> Trial:
        best, score = start, (yield [start])[0]
        for _ in range(self.rounds):
            before = best
            for place, axis in enumerate(axes):
                points = [
                    (*best[:place], value, *best[place + 1 :])
                    for value in axis.values
                    if value != best[place]
                ]
                found = yield points
                for point, value in zip(points, found, strict=True):
                    if value is not None and (score is None or value > score + EQUAL):
                        best, score = point, value
            if best == before:
                return


Search = Grid | Random | Descent


def _point(axes: Sequence[Axis], number: int) -> Point:
    """The n-th combination, the last axis turning fastest."""
    values: list[object] = []
    for axis in reversed(axes):
        number, place = divmod(number, len(axis.values))
        values.append(axis.values[place])
    return tuple(reversed(values))
