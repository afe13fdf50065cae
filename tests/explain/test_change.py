"""The smallest change is the smallest, works, and is missing exactly where nothing on the grids works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.explain import Place
from engine.explain.change import smallest_changes
from engine.explain.grids import TURNED, allowed, grid, with_value
from engine.explain.layers import layer_of
from engine.model import Recall
from engine.settings import Features, Retrieval, turned
from engine.trace import as_asked, settle
from tests.explain.random_recalls import World, is_in, naive_layer, of_chunk, worlds
from tests.rank.build import chunk, recall

FEATURES = Features()


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


def the_layer_is_that_of_running_each_stage_again(world: World) -> None:
    narrow = as_asked(world.recall, world.retrieval)
    trace = settle(narrow, world.retrieval)
    assert layer_of(trace, world.place) == naive_layer(narrow, world.retrieval, world.place)


def every_change_works_and_no_nearer_point_does(world: World) -> None:
    changes = smallest_changes(world.recall, world.retrieval, [world.place], FEATURES, cancel=CancelToken())
    if not allowed(world.retrieval) or ran(world, world.retrieval):
        assert changes == ()
        return
    working: dict[str, float] = {}
    for field in TURNED:
        by_hand = grid_by_hand(field.name, world.retrieval)
        for value in sorted(by_hand, key=lambda value: by_hand[value]):
            tried = with_value(world.retrieval, **{field.name: value})
            if allowed(tried) and ran(world, tried):
                working[field.name] = float(by_hand[value])
                break
    singles = {next(iter(change.settings)): change for change in changes if len(change.settings) == 1}
    assert working == {name: change.size for name, change in singles.items()}
    assert [change.size for change in changes] == sorted(change.size for change in changes)
    for change in changes:
        assert ran(world, with_value(world.retrieval, **change.settings))
        assert change.was == {name: getattr(world.retrieval, name) for name in change.settings}
    for name, change in singles.items():
        for end in (change.low, change.high):
            assert ran(world, with_value(world.retrieval, **{name: end}))


def there_is_no_change_exactly_where_no_single_and_no_pair_works(world: World) -> None:
    if not allowed(world.retrieval) or ran(world, world.retrieval):
        return
    changes = smallest_changes(world.recall, world.retrieval, [world.place], FEATURES, cancel=CancelToken())
    if changes and len(changes[0].settings) == 1:
        return
    best: Fraction | None = None
    for one, other in combinations(TURNED, 2):
        first, second = (grid_by_hand(field.name, world.retrieval, big=True) for field in (one, other))
        for a, near in first.items():
            for b, far in second.items():
                tried = with_value(world.retrieval, **{one.name: a, other.name: b})
                if (best is None or near + far < best) and allowed(tried) and ran(world, tried):
                    best = near + far
    assert (best is None) == (changes == ())
    if best is not None:
        assert changes[0].size == float(best)


CHECKS = {
    the_layer_is_that_of_running_each_stage_again: (40, 1_000),
    every_change_works_and_no_nearer_point_does: (3, 100),
    there_is_no_change_exactly_where_no_single_and_no_pair_works: (0, 60),
}
"""What must hold of every world, with how many are drawn in every run, and under stress."""


def drawn(check: Callable[[World], None], worlds_drawn: int) -> None:
    profile = settings(max_examples=worlds_drawn, deadline=None, suppress_health_check=list(HealthCheck))
    profile(given(worlds())(check))()


@pytest.mark.parametrize(
    "check", [check for check, (few, _) in CHECKS.items() if few], ids=lambda check: check.__name__
)
def test_in_a_random_library(check: Callable[[World], None]):
    drawn(check, CHECKS[check][0])


@pytest.mark.stress
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_in_many_random_libraries(check: Callable[[World], None]):
    drawn(check, CHECKS[check][1])


def test_ties_go_to_the_setting_that_stands_first():
    """fulltext_weight and vector_weight, one step each, both lift b above a."""
    found = recall({"fulltext": ["a", "b"], "vector": ["b", "a"]})
    retrieval = Retrieval(top_k=1, candidate_multiplier=2, graph_weight=0.0, cjk_weight=0.0, rrf_k=1)
    changes = smallest_changes(found, retrieval, [own_place(found, "b")], FEATURES, cancel=CancelToken())
    assert [next(iter(change.settings)) for change in changes[:3]] == [
        "fulltext_weight",
        "vector_weight",
        "top_k",
    ]
    assert (changes[0].settings, changes[0].low, changes[0].high) == ({"fulltext_weight": 0.95}, 0.0, 0.95)
    assert changes[0].sentence == "fulltext_weight 1.00 → 0.95: in as [1]; a.md L1–1 leaves"


def test_an_interval_ends_where_the_target_falls_out_again():
    """The present value is between two runs of values; only the unbroken one around the change is told."""
    found = recall({"fulltext": ["a", "b"], "vector": ["b", "a"]})
    retrieval = Retrieval(top_k=1, candidate_multiplier=2, graph_weight=0.0, cjk_weight=0.0, rrf_k=1)
    change = next(
        each
        for each in smallest_changes(
            found, retrieval, [own_place(found, "b")], FEATURES, cancel=CancelToken()
        )
        if "vector_weight" in each.settings
    )
    assert (change.low, change.settings["vector_weight"], change.high) == (1.05, 1.05, 2.0)


def test_where_no_single_setting_will_do_the_cheapest_pair_does():
    """b stands second and is too long to stand beside a: top k must let it in, and the budget too."""
    pages = [chunk(name, path=f"{name}.md", text=f"{name} " * 800) for name in "abc"]
    found = recall({"fulltext": ["a", "b", "c"]}, pages)
    alone = {"cjk_weight": 0.0, "vector_weight": 0.0, "graph_weight": 0.0}
    retrieval = Retrieval(top_k=1, context_max_characters=2_000, candidate_multiplier=10, **alone)
    changes = smallest_changes(found, retrieval, [own_place(found, "b")], FEATURES, cancel=CancelToken())
    assert [change.settings for change in changes] == [{"top_k": 6, "context_max_characters": 6_000}]
    assert changes[0].size == float(Fraction(5, 19) + Fraction(4_000, 46_000))
    assert changes[0].sentence.startswith("top_k 1 → 6 and context_max_characters 2,000 → 6,000: in as [2]")


def test_what_nothing_on_the_grids_brings_in_has_no_change():
    """Thirty documents in one order, whatever is turned: the 28th stays beyond the largest top k."""
    listed = [(f"{place:02}", 1 - place / 100) for place in range(30)]
    found = recall({"fulltext": listed, "cjk": listed, "vector": listed})
    quiet = Retrieval(graph_weight=0.0)
    for name, layers in (("27", 0), ("18", 1)):
        place = own_place(found, name)
        changes = smallest_changes(found, quiet, [place], FEATURES, cancel=CancelToken())
        assert len(changes) == layers, [change.sentence for change in changes]


def test_nothing_is_run_for_a_target_that_is_near_no_candidate():
    found = recall({"fulltext": ["a"]})
    token = CancelToken()
    far = replace(own_place(found, "a"), chunks=(), homes=("elsewhere",), document_id="elsewhere")
    quiet = Retrieval(graph_weight=0.0, cjk_weight=0.0, vector_weight=0.0)
    assert smallest_changes(found, quiet, [far], FEATURES, cancel=token) == ()
    assert token.checks == 0


def test_a_search_for_changes_can_be_cancelled():
    found = recall({"fulltext": ["a", "b"]})
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        smallest_changes(found, Retrieval(top_k=1), [own_place(found, "b")], FEATURES, cancel=token)


def own_place(found: Recall, chunk_id: str) -> Place:
    return of_chunk(next(chunk for chunk in found.chunks if chunk.chunk_id == chunk_id))
