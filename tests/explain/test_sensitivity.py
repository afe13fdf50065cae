"""Change points are exact: between them nothing moves, across them something does, and the grid agrees."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.explain.grids import TURNED, allowed, with_value
from engine.explain.lines import next_crossings
from engine.explain.sensitivity import sensitivity
from engine.rank import rank
from engine.settings import Features, Retrieval
from engine.trace import as_asked
from tests.explain.random_recalls import World, worlds
from tests.rank.build import recall

FEATURES = Features()
WEIGHTS = ("fulltext_weight", "cjk_weight", "vector_weight")


def first(world: World, retrieval: Retrieval, count: int) -> tuple[str, ...]:
    """The first chunks that the gate lets through, by a ranking of its own."""
    ranking = rank(as_asked(world.recall, retrieval), retrieval, FEATURES)
    return tuple(ranking.recall.chunks[row].chunk_id for row in ranking.order[ranking.kept][:count].tolist())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), st.sampled_from(WEIGHTS), st.integers(1, 8))
def test_within_a_stretch_every_weight_gives_its_ranking(world: World, name: str, count: int):
    retrieval = with_value(world.retrieval, rerank="off")
    found = sensitivity(world.recall, retrieval, name, FEATURES, ranks=count)
    for stretch in found.stretches:
        assert isinstance(stretch.low, (int, float))
        assert isinstance(stretch.high, (int, float))
        middle = (stretch.low + stretch.high) / 2
        tried = with_value(retrieval, **{name: middle})
        if allowed(tried) and (found.exact or middle == stretch.low):
            assert first(world, tried, count) == stretch.ranks
    for one, other in pairwise(found.stretches):
        assert one.ranks != other.ranks
        assert not found.exact or one.high == other.low


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), st.sampled_from(WEIGHTS))
def test_no_weight_of_the_grid_ranks_otherwise_than_its_stretch(world: World, name: str):
    retrieval = with_value(world.retrieval, rerank="off")
    found = sensitivity(world.recall, retrieval, name, FEATURES, ranks=5)
    for step in range(1, 40):
        value = step / 20
        inside = [s for s in found.stretches if s.low + 1e-9 < value < s.high - 1e-9]  # type: ignore[operator]
        tried = with_value(retrieval, **{name: value})
        if inside and allowed(tried):
            assert first(world, tried, 5) == inside[0].ranks


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), st.sampled_from(WEIGHTS), st.integers(1, 79))
def test_the_next_change_of_the_dial_is_the_end_of_its_stretch(world: World, name: str, steps: int):
    """What the line below the dial says and what the whole range shows are one thing."""
    value = steps * 0.025 + 0.0123
    quiet = {"rerank": "off", "minimum_relevance": 0.0, "required_terms": False, name: value}
    retrieval = with_value(world.retrieval, **quiet)
    found = sensitivity(world.recall, retrieval, name, FEATURES, ranks=retrieval.top_k)
    if not found.exact or found.at_present is None:
        return
    stretch = found.stretches[found.at_present]
    below, above = next_crossings(
        rank(as_asked(world.recall, retrieval), retrieval), name.removesuffix("_weight")
    )
    assert (below[0] if below else 0.0) == pytest.approx(stretch.low, abs=1e-9)
    assert (above[0] if above else 2.0) == pytest.approx(stretch.high, abs=1e-9)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), st.sampled_from([field.name for field in TURNED if field.name != "rrf_k"]))
def test_every_other_setting_is_walked_over_its_grid(world: World, name: str):
    found = sensitivity(world.recall, with_value(world.retrieval, rerank="local"), name, FEATURES, ranks=4)
    for stretch in found.stretches:
        for value in (stretch.low, stretch.high):
            tried = with_value(world.retrieval, **{"rerank": "local", name: value})
            assert first(world, tried, 4) == stretch.ranks


def test_two_chunks_swap_where_their_scores_are_equal():
    """1/(60+1) + w/(60+2) = 1/(60+2) + w/(60+1) at w = 1."""
    found = recall({"fulltext": ["a", "b"], "vector": ["b", "a"]})
    told = sensitivity(found, Retrieval(graph_weight=0.0, cjk_weight=0.0), "vector_weight", FEATURES, ranks=2)
    assert told.exact
    assert [stretch.ranks for stretch in told.stretches] == [("a", "b"), ("b", "a")]
    assert told.stretches[0].high == pytest.approx(1.0, abs=1e-12)
    assert told.at_present == 0


def test_at_weight_0_what_the_channel_alone_found_is_gone():
    found = recall({"fulltext": ["a"], "vector": ["b"]})
    told = sensitivity(found, Retrieval(graph_weight=0.0, cjk_weight=0.0), "vector_weight", FEATURES)
    assert [stretch.ranks for stretch in told.stretches] == [("a",), ("a", "b"), ("b", "a")]
    assert (told.stretches[0].low, told.stretches[0].high) == (0.0, 0.0)


def test_a_minimum_relevance_is_a_line_too():
    """b has w/61 of a maximum of (1 + w)/61: it passes 0.25 from w = 1/3 on."""
    found = recall({"fulltext": ["a"], "vector": ["b"]})
    settings = Retrieval(graph_weight=0.0, cjk_weight=0.0, minimum_relevance=0.25)
    told = sensitivity(found, settings, "vector_weight", FEATURES)
    enters = next(stretch for stretch in told.stretches if stretch.ranks == ("a", "b"))
    assert enters.low == pytest.approx(1 / 3, abs=1e-12)


def test_a_channel_that_did_not_serve_changes_nothing():
    found = recall({"fulltext": ["a", "b"]})
    told = sensitivity(found, Retrieval(), "fulltext_weight", FEATURES)
    assert {stretch.ranks for stretch in told.stretches} <= {("a", "b"), ()}


def test_a_name_that_is_no_setting_of_a_query_is_refused():
    with pytest.raises(SettingsError):
        sensitivity(recall({"fulltext": ["a"]}), Retrieval(), "vektor_weight", FEATURES)
