"""What a model's scores do to an order, and what stands in where there are none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Degradation, LearnedScores, Recall
from engine.rank.pipeline import rank
from engine.settings import Features, Retrieval
from tests.rank.build import ids, recall

LEARNED = Retrieval(rerank="learned")
NO_FEATURES = Features(fused=0, coverage=0, phrase=0, heading=0, path=0, similarity=0, numbers=0)
FAILED = Degradation("rerank", "rerank_failed", "the server did not answer (timeout)", "look at it")


def with_scores(found: Recall, raw: dict[str, float], failed: Degradation | None = None) -> Recall:
    values = np.array([raw.get(each.chunk_id, np.nan) for each in found.chunks])
    return replace(found, learned=LearnedScores("m", "unit", values, values, failed))


def codes(ranking) -> list[str]:
    return [each.code for each in ranking.degraded]


def test_the_order_is_that_of_the_scores():
    found = with_scores(recall({"fulltext": "abc"}), {"a": 0.1, "b": 0.9, "c": 0.5})
    ranking = rank(found, LEARNED)
    assert ids(ranking) == ["b", "c", "a"]
    assert ranking.relevance.tolist() == [0.1, 0.9, 0.5]
    assert (ranking.scale.name, codes(ranking)) == ("learned", [])
    assert [result.fused_rank for result in ranking.results()] == [2, 3, 1]


def test_the_bill_is_one_line_with_the_raw_score():
    found = with_scores(recall({"fulltext": "ab"}), {"a": 0.25, "b": 0.9})
    (line,) = rank(found, LEARNED).result(1).features
    assert (line.feature, line.value, line.part, line.rank_without) == ("learned", 0.25, 0.25, 1)


def test_equal_scores_stand_in_candidate_order():
    found = with_scores(recall({"fulltext": "cba"}), {"a": 0.5, "b": 0.5, "c": 0.5})
    assert ids(rank(found, LEARNED)) == ["a", "b", "c"]


def test_those_without_a_score_follow_in_fused_order_and_are_marked():
    """RR-05."""
    names = [f"{number:02}" for number in range(20)]
    listed = {name: 0.5 + place / 100 for place, name in enumerate(names[10:])}
    ranking = rank(with_scores(recall({"fulltext": names}), listed), LEARNED)
    assert ids(ranking) == [*reversed(names[10:]), *names[:10]]
    assert codes(ranking) == ["rerank_partial"]
    assert "10 of the first 20" in ranking.degraded[0].message
    assert [line.feature for line in ranking.result(12).features] == ["unscored"]
    assert ranking.result(12).relevance == 0


def test_what_lies_beyond_the_pool_has_no_score_and_needs_no_word():
    names = [f"{number:03}" for number in range(150)]
    retrieval = replace(LEARNED, top_k=20, candidate_multiplier=10)
    ranking = rank(with_scores(recall({"fulltext": names}), dict.fromkeys(names[:100], 0.5)), retrieval)
    assert codes(ranking) == []
    assert ids(ranking)[100:] == names[100:]


def test_a_turned_setting_ranks_the_same_scores_again():
    found = with_scores(recall({"fulltext": "ab", "cjk": "c"}), {"a": 0.1, "b": 0.9, "c": 0.5})
    assert ids(rank(found, replace(LEARNED, cjk_weight=0))) == ["b", "a"]
    assert ids(rank(found, replace(LEARNED, rerank="off", cjk_weight=0))) == ["a", "b"]


def test_a_threshold_is_held_against_the_model_s_relevance():
    found = with_scores(recall({"fulltext": "abc"}), {"a": 0.1, "b": 0.9})
    ranking = rank(found, replace(LEARNED, minimum_relevance=0.2))
    assert ranking.passed == 1
    assert ranking.gate.tested == "learned"


def test_where_the_server_failed_the_local_rerank_serves_and_no_threshold_drops_anything():
    """RR-07."""
    found = with_scores(recall({"fulltext": "abc"}), {}, FAILED)
    ranking = rank(found, replace(LEARNED, minimum_relevance=0.2, score_margin=0.5))
    assert list(ranking.results()) == list(rank(found, Retrieval(rerank="local")).results())
    assert (ranking.passed, ranking.unanswerable, ranking.scale.name) == (3, False, "local")
    (told,) = ranking.degraded
    assert told.code == "rerank_failed"
    assert "(timeout): the local features ranked instead" in told.message
    assert told.remedy == "look at it"


def test_where_the_local_rerank_has_no_weight_the_fused_order_serves_with_both_told():
    found = with_scores(recall({"fulltext": "cba"}), {}, FAILED)
    ranking = rank(found, replace(LEARNED, minimum_relevance=1.0), NO_FEATURES)
    assert ids(ranking) == ["c", "b", "a"]
    assert (ranking.passed, ranking.scale.name) == (3, "rrf")
    assert codes(ranking) == ["rerank_failed", "rerank_failed"]


def test_another_rerank_takes_no_notice_of_the_scores():
    plain = recall({"fulltext": "abc"})
    found = with_scores(plain, {"a": 0.1, "b": 0.9}, FAILED)
    for rerank in ("off", "local"):
        assert list(rank(found, Retrieval(rerank=rerank)).results()) == list(
            rank(plain, Retrieval(rerank=rerank)).results()
        )


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=30), st.randoms())
def test_nothing_is_lost_and_the_bill_sums(values: list[float | None], random):
    names = [f"{place:02}" for place in range(len(values))]
    listed = random.sample(names, len(names))
    raw = {name: value for name, value in zip(names, values, strict=True) if value is not None}
    retrieval = replace(LEARNED, top_k=20)
    ranking = rank(with_scores(recall({"fulltext": listed}), raw), retrieval)
    assert sorted(ids(ranking)) == names
    found = ids(ranking)
    assert found[: len(raw)] == sorted(raw, key=lambda name: (-raw[name], name))
    assert found[len(raw) :] == [name for name in listed if name not in raw]
    for result in ranking.results():
        assert sum(line.part for line in result.features) == pytest.approx(result.relevance, abs=1e-12)
