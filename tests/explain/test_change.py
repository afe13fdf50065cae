"""The smallest change is the smallest, works, and is missing exactly where nothing on the grids works."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from hypothesis import HealthCheck, given, settings

from engine.cancel import CancelToken
from engine.explain.change import smallest_changes
from engine.explain.grids import TURNED, allowed, grid, with_value
from engine.explain.layers import layer_of
from engine.model import Recall
from engine.settings import Features, Retrieval, turned
from engine.trace import as_asked, settle
from tests.explain.random_recalls import World, is_in, naive_layer, worlds

FEATURES = Features()
MODEST = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def ran(world: World, retrieval: Retrieval) -> bool:
    """Whether the target is in under these settings, by a whole run."""
    narrow = narrowed(world.recall, replace(Retrieval(), **{n: getattr(retrieval, n) for n in WEIGHTS}))
    return is_in(settle(narrow, retrieval).context, world.place)


WEIGHTS = ("fulltext_weight", "cjk_weight", "vector_weight", "graph_weight")


@lru_cache(maxsize=64)
def narrowed(recall: Recall, weights: Retrieval) -> Recall:
    return as_asked(recall, weights)


def grid_by_hand(name: str, retrieval: Retrieval, *, big: bool = False) -> dict[object, Fraction]:
    """Every value that pressing a key can reach, with its distance."""
    return reached(name, getattr(retrieval, name), big)


@lru_cache(maxsize=1_024)
def reached(name: str, present: object, big: bool) -> dict[object, Fraction]:
    field = next(field for field in TURNED if field.name == name)
    values = {turned(field, present, turns, big=big) for turns in range(-210, 210)} - {present, "learned"}
    listed = (False, True) if field.kind == "boolean" else field.choices
    if listed:
        return {v: Fraction(abs(listed.index(v) - listed.index(present)), len(listed) - 1) for v in values}
    return {v: abs(Fraction(str(v)) - Fraction(str(present))) / Fraction(str(field.span)) for v in values}


def test_a_grid_is_what_keys_reach_nearest_first():
    for retrieval in (Retrieval(), Retrieval(vector_weight=0.83, rrf_k=7, fusion="linear", top_k=50)):
        for field in TURNED:
            for big in (False, True):
                points = grid(field, getattr(retrieval, field.name), big=big)
                assert {p.value: p.size for p in points} == grid_by_hand(field.name, retrieval, big=big)
                assert [p.size for p in points] == sorted(p.size for p in points)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds())
def test_the_layer_is_the_one_that_running_each_stage_again_names(world: World):
    narrow = as_asked(world.recall, world.retrieval)
    trace = settle(narrow, world.retrieval)
    assert layer_of(trace, world.place) == naive_layer(narrow, world.retrieval, world.place)


@MODEST
@given(worlds())
def test_every_change_works_and_no_nearer_point_does(world: World):
    changes = smallest_changes(world.recall, world.retrieval, [world.place], FEATURES, cancel=CancelToken())
    if not allowed(world.retrieval) or ran(world, world.retrieval):
        assert changes == ()
        return
    working: dict[str, Fraction] = {}
    for field in TURNED:
        by_hand = grid_by_hand(field.name, world.retrieval)
        for value in sorted(by_hand, key=lambda value: by_hand[value]):
            tried = with_value(world.retrieval, **{field.name: value})
            if allowed(tried) and ran(world, tried):
                working[field.name] = by_hand[value]
                break
    singles = {next(iter(c.settings)): c for c in changes if len(c.settings) == 1}
    assert {name: float(size) for name, size in working.items()} == {n: c.size for n, c in singles.items()}
    assert [change.size for change in changes] == sorted(change.size for change in changes)
    for change in changes:
        assert ran(world, with_value(world.retrieval, **change.settings))
        assert change.was == {name: getattr(world.retrieval, name) for name in change.settings}
        assert change.verified


@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(worlds())
def test_there_is_no_change_exactly_where_no_single_and_no_pair_works(world: World):
    if not allowed(world.retrieval):
        return
    changes = smallest_changes(world.recall, world.retrieval, [world.place], FEATURES, cancel=CancelToken())
    if ran(world, world.retrieval) or (changes and len(changes[0].settings) == 1):
        return
    best: Fraction | None = None
    for one, other in combinations(TURNED, 2):
        first, second = (grid_by_hand(f.name, world.retrieval, big=True) for f in (one, other))
        for a, near in first.items():
            for b, far in second.items():
                tried = replace(with_value(world.retrieval, **{one.name: a, other.name: b}))
                if (best is None or near + far < best) and allowed(tried) and ran(world, tried):
                    best = near + far
    assert (best is None) == (changes == ())
    if best is not None:
        assert changes[0].size == float(best)
