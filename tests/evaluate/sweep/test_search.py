"""Which points a search tries: a property against looking at every one of them."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.evaluate.sweep.axes import Axis, Point, axis_of
from engine.evaluate.sweep.search import Descent, Grid, Random, Search

AXES = (axis_of("top_k=2,4,6,8"), axis_of("vector_weight=0,0.5,1"), axis_of("fusion=rrf,minmax"))
START: Point = (6, 1.0, "rrf")


def tried(search: Search, scores: dict[Point, float | None], axes: tuple[Axis, ...] = AXES) -> list[Point]:
    trial = search.trial(axes, START)
    found: list[Point] = []
    points = next(trial)
    while True:
        found += points
        try:
            points = trial.send([scores.get(point) for point in points])
        except StopIteration:
            return found


def every() -> list[Point]:
    return list(product(*(axis.values for axis in AXES)))


def test_a_grid_tries_every_point() -> None:
    assert tried(Grid(), {}) == every()


@given(st.integers(1, 30), st.integers(0, 5))
def test_random_points_are_of_the_grid_once_each_and_repeatable(count: int, seed: int) -> None:
    found = tried(Random(count, seed), {})
    assert found == tried(Random(count, seed), {})
    assert len(found) == len(set(found)) == min(count, len(every()))
    assert set(found) <= set(every())


def test_no_points_are_refused() -> None:
    with pytest.raises(UsageError, match="0 points"):
        tried(Random(0), {})


@given(st.lists(st.one_of(st.none(), st.sampled_from([0.1, 0.2, 0.3])), min_size=24, max_size=24))
def test_a_descent_ends_where_no_single_change_is_better(values: list[float | None]) -> None:
    scores = dict(zip(every(), values, strict=True))
    found = tried(Descent(rounds=24), scores)
    assert found[0] == START
    best, top = START, scores[START]
    for point in found:
        value = scores[point]
        if value is not None and (top is None or value > top):
            best, top = point, value
    for place, axis in enumerate(AXES):
        for value in axis.values:
            near = scores[(*best[:place], value, *best[place + 1 :])]
            assert near is None or (top is not None and near <= top)


def test_where_nothing_is_better_a_descent_looks_along_each_axis_once() -> None:
    scores: dict[Point, float | None] = dict.fromkeys(every(), 0.5)
    assert len(tried(Descent(), scores)) == 1 + 3 + 2 + 1
