"""Fusion: its formulas, what takes part, ties, and the view that may cut a list."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import CHANNELS, Recall
from engine.rank import rank
from engine.rank.fuse import fuse, scaled
from engine.settings import Retrieval
from tests.rank.build import ids, own_documents, recall, without
from tests.rank.reference import fused_order, fused_scores

DEFAULT = Retrieval()


def score(recalled: Recall, retrieval: Retrieval = DEFAULT) -> dict[str, float]:
    fused = fuse(recalled, retrieval)
    return {recalled.chunks[row].chunk_id: float(fused.score[row]) for row in fused.order.tolist()}


# --- formulas -----------------------------------------------------------------------------------------------


def test_an_id_twice_in_one_list_counts_once():
    """RF-01."""
    scores = score(recall({"fulltext": ["a", "a", "b"], "vector": ["b"]}))
    assert scores["a"] == 1 / 61
    assert scores["b"] == pytest.approx(1 / 62 + 1 / 61, abs=1e-15)
    assert list(scores) == ["b", "a"]


def test_agreement_of_two_channels_beats_a_single_first():
    """RF-04."""
    found = recall({"fulltext": ["x", "y", "both"], "vector": ["z", "w", "both"]})
    scores = score(found)
    assert scores["both"] == 2 / 63
    assert next(iter(scores)) == "both"
    hits = rank(found, Retrieval()).result(0).channels
    assert {name: hit.rank for name, hit in hits.items()} == {"fulltext": 3, "vector": 3}


@pytest.mark.parametrize(
    ("scores", "shares"),
    [
        ([5.0], [1.0]),
        ([3.0, 3.0, 3.0], [1.0, 1.0, 1.0]),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        ([4.0, 3.0, 2.0], [1.0, 0.5, 0.0]),
        ([], []),
    ],
)
def test_min_max_of_lone_constant_and_empty_lists(scores: list[float], shares: list[float]):
    """RF-06: a lone or constant list counts, no signal adds nothing."""
    column = np.full((len(scores), 4), np.nan)
    column[:, 0] = scores
    listed = ~np.isnan(column)
    assert scaled(column, listed, theoretical=False)[:, 0].tolist() == shares


@pytest.mark.parametrize("bad", [float("inf"), float("-inf"), float("nan")])
def test_a_score_that_is_not_finite_is_refused(bad: float):
    """RF-06."""
    with pytest.raises(ValueError, match="not finite"):
        fuse(recall({"fulltext": [("a", bad), ("b", 1.0)]}), Retrieval(fusion="minmax"))


def test_linear_measures_from_the_theoretical_minimum():
    found = recall({"fulltext": [("a", 8.0), ("b", 4.0)], "vector": [("b", 0.5), ("a", -0.25)]})
    scores = score(found, Retrieval(fusion="linear"))
    assert scores == {"a": 1 + 0.75 / 1.5, "b": 0.5 + 1}


def test_linear_does_not_depend_on_how_deep_the_recall_went():
    short = recall({"fulltext": [("a", 8.0), ("b", 4.0)]})
    deep = recall({"fulltext": [("a", 8.0), ("b", 4.0), ("c", 1.0)]})
    linear = Retrieval(fusion="linear")
    assert score(short, linear)["b"] == score(deep, linear)["b"]


def test_minmax_measures_over_the_whole_frozen_list_not_only_the_view():
    listed = [(f"c{place:02}", 30.0 - place) for place in range(21)]
    scores = score(recall({"fulltext": listed}), Retrieval(fusion="minmax", top_k=1, candidate_multiplier=2))
    assert scores == {"c00": 1.0, "c01": 0.95}


# --- what takes part ----------------------------------------------------------------------------------------


def test_what_only_a_muted_channel_found_is_absent():
    """RF-02."""
    found = recall({"fulltext": ["a"], "vector": ["b"]})
    assert list(score(found, Retrieval(fulltext_weight=0))) == ["b"]
    assert list(score(found, Retrieval(vector_weight=0))) == ["a"]


def test_a_channel_that_did_not_serve_lowers_no_relevance():
    found = recall({"fulltext": ["a"], "vector": []})
    assert rank(without(found, "vector"), Retrieval()).result(0).relevance == 1.0
    assert rank(found, Retrieval()).result(0).relevance == 0.5


def test_minimum_similarity_cuts_the_tail_of_the_vector_list_only():
    found = recall({"fulltext": ["c", "a"], "vector": [("a", 0.9), ("b", 0.5), ("c", 0.2)]})
    ranking = rank(found, Retrieval(minimum_vector_similarity=0.5))
    by_id = {result.chunk.chunk_id: result for result in ranking.results()}
    assert by_id["b"].channels["vector"].in_view
    assert not by_id["c"].channels["vector"].in_view
    assert by_id["c"].channels["vector"].part == 0
    assert by_id["c"].channels["fulltext"].part == 1 / 61


def test_a_rank_beyond_the_view_is_shown_and_adds_nothing():
    listed = [f"c{place:02}" for place in range(30)]
    found = recall({"fulltext": listed, "vector": list(reversed(listed))})
    ranking = rank(found, Retrieval(top_k=2, candidate_multiplier=2))
    first = ranking.result(0)
    assert first.chunk.chunk_id == "c00"
    assert (first.channels["vector"].rank, first.channels["vector"].in_view) == (30, False)
    assert first.channels["vector"].part == 0
    assert len(ranking) == 8


def test_the_view_is_no_deeper_than_what_was_frozen():
    assert fuse(recall({"fulltext": ["a"]}, depth=5), Retrieval(top_k=20)).view == 5


def test_nothing_recalled_is_an_empty_ranking():
    ranking = rank(recall({"fulltext": [], "vector": []}, chunks=()), Retrieval())
    assert len(ranking) == 0
    assert list(ranking.results()) == []
    assert ranking.degraded == ()


# --- order --------------------------------------------------------------------------------------------------


def test_ties_stand_in_candidate_order():
    found = recall({"fulltext": ["b", "a"], "vector": ["a", "b"]})
    assert list(score(found)) == ["a", "b"]


def test_the_same_parts_in_other_channels_tie_exactly():
    """(1/61 + 1/67) + 1/62 and (1/62 + 1/61) + 1/67 differ in the last bit when added as they come."""
    lists = {
        "fulltext": ["a", "b"],
        "cjk": ["b", "x0", "x1", "x2", "x3", "x4", "a"],
        "vector": ["x5", "a", "x6", "x7", "x8", "x9", "b"],
    }
    scores = score(recall(lists))  # type: ignore[arg-type]
    assert scores["a"] == scores["b"]
    assert list(scores)[:2] == ["a", "b"]


# --- properties ---------------------------------------------------------------------------------------------


@st.composite
def recalls(draw: st.DrawFn) -> Recall:
    names = [f"c{place:02}" for place in range(draw(st.integers(1, 14)))]
    lists = {}
    for channel in CHANNELS:
        listed = draw(st.lists(st.sampled_from(names), unique=True))
        low = -1 if channel == "vector" else 0
        scores = sorted(
            draw(st.lists(st.floats(low, 30), min_size=len(listed), max_size=len(listed))), reverse=True
        )
        lists[channel] = list(zip(listed, scores, strict=True))
    found = recall(lists, own_documents(names))
    return without(found, draw(st.sampled_from(CHANNELS))) if draw(st.booleans()) else found


@st.composite
def retrievals(draw: st.DrawFn) -> Retrieval:
    weight = st.sampled_from([0.0, 0.05, 0.8, 1.0, 2.0])
    return Retrieval(
        top_k=draw(st.integers(1, 4)),
        candidate_multiplier=draw(st.integers(2, 4)),
        fusion=draw(st.sampled_from(["rrf", "minmax", "linear"])),
        rrf_k=draw(st.sampled_from([1, 60, 1000])),
        minimum_vector_similarity=draw(st.sampled_from([0.0, 0.3])),
        fulltext_weight=draw(weight),
        cjk_weight=draw(weight),
        vector_weight=draw(weight),
        graph_weight=draw(weight),
    )


@settings(max_examples=150, deadline=None)
@given(recalls(), retrievals())
def test_fusion_equals_the_dictionary_implementation(found: Recall, retrieval: Retrieval):
    scores = score(found, retrieval)
    expected = fused_scores(found, retrieval)
    assert scores == pytest.approx(expected, abs=1e-12)
    for better, worse in zip(list(scores), list(scores)[1:], strict=False):
        assert scores[better] >= scores[worse]
    apart = {round(value, 9) for value in expected.values()}
    if len(apart) == len(expected):
        assert list(scores) == fused_order(found, expected)


@settings(max_examples=100, deadline=None)
@given(recalls(), retrievals())
def test_parts_reproduce_the_score_and_relevance_stays_in_range(found: Recall, retrieval: Retrieval):
    for result in rank(found, retrieval).results():
        parts = [hit.part for hit in result.channels.values()]
        assert sum(parts) == pytest.approx(result.fused_score, abs=1e-12)
        assert 0 <= result.relevance <= 1
        assert all(np.isfinite(part) for part in parts)


@settings(max_examples=100, deadline=None)
@given(recalls(), retrievals())
def test_depth_limited_is_said_exactly_when_whole_lists_give_another_top_k(
    found: Recall, retrieval: Retrieval
):
    now = fused_order(found, fused_scores(found, retrieval))[: retrieval.top_k]
    then = fused_order(found, fused_scores(found, retrieval, view=1_000))[: retrieval.top_k]
    told = [d for d in rank(found, retrieval).degraded if d.code == "depth_limited"]
    whole = fused_scores(found, retrieval, view=1_000)
    if len({round(value, 9) for value in whole.values()}) == len(whole):
        assert bool(told) == (set(now) != set(then))
    for degradation in told:
        assert "candidate_multiplier" in degradation.remedy


def test_the_remedy_of_a_cut_view_works():
    deep = [*[f"a{place}" for place in range(9)], "both"]
    found = recall({"fulltext": deep, "vector": [*[f"b{place}" for place in range(9)], "both"]})
    narrow = Retrieval(top_k=2, candidate_multiplier=2)
    assert "both" not in ids(rank(found, narrow))
    told = [d for d in rank(found, narrow).degraded if d.code == "depth_limited"]
    assert [d.channel for d in told] == ["fulltext", "vector"]
    assert told[0].message == "fusion read the first 4 of its 10; read whole, 1 of the top 2 would be others"
    wide = rank(found, replace(narrow, candidate_multiplier=5))
    assert ids(wide)[0] == "both"
    assert wide.degraded == ()
