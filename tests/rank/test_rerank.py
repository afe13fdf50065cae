"""The local rerank as a bill: it sums, it can be told without each line, and off it is not there at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Chunk, QueryTerm, Recall
from engine.rank import pack, rank
from engine.rank.rerank import LINES, POOL
from engine.settings import Features, Retrieval
from tests.rank.build import chunk, ids, own_documents, recall, term

LOCAL = Retrieval(rerank="local", fusion="linear")
DEFAULT = Features()
QUERY = "任务自动重试耗尽后怎么办"


def bigrams(query: str, *, df: int = 2) -> list[QueryTerm]:
    return [
        QueryTerm("cjk", query[at : at + 2], at, at + 2, df, 2.0 + at / 10) for at in range(len(query) - 1)
    ]


def bill(found: Recall, position: int = 0, weights: Features = DEFAULT, **turned: object) -> dict[str, float]:
    result = rank(found, replace(LOCAL, **turned), weights).result(position)  # type: ignore[arg-type]
    return {line.feature: line.part for line in result.features}


# --- the bill -----------------------------------------------------------------------------------------------


def test_the_bill_names_what_is_there_and_sums_to_the_relevance():
    found = recall(
        {"fulltext": ["a"]},
        [chunk("a", text="任务自动重试", path="jobs.md")],
        query=QUERY,
        terms=bigrams(QUERY),
    )
    ranking = rank(found, LOCAL)
    (result,) = ranking.results()
    assert [line.feature for line in result.features] == ["fused", "coverage", "phrase", "heading", "path"]
    assert sum(line.part for line in result.features) == pytest.approx(result.relevance, abs=1e-12)
    assert (ranking.scale.name, ranking.scale.maximum) == ("local", 1.0)


def test_weights_are_shared_by_the_features_that_are_available():
    """Without a vector, a chunk's other features weigh more; it is not as if its cosine were 0."""
    both = own_documents("ab")
    found = recall({"fulltext": ["a", "b"], "vector": [("a", 0.0)]}, both)
    weights = Features(fused=0.5, similarity=0.5, coverage=0, phrase=0, heading=0, path=0)
    parts = {
        r.chunk.chunk_id: {line.feature: line.part for line in r.features}
        for r in rank(found, LOCAL, weights).results()
    }
    assert parts["a"]["similarity"] == 0
    assert "similarity" not in parts["b"]
    fused = rank(found, replace(LOCAL, rerank="off")).relevance
    assert parts["b"]["fused"] == fused[1]
    assert parts["a"]["fused"] == fused[0] / 2


def test_a_muted_vector_channel_gives_no_similarity():
    found = recall({"fulltext": ["a"], "vector": [("a", 0.9)]})
    assert "similarity" in bill(found)
    assert "similarity" not in bill(found, vector_weight=0)


def test_a_conflict_costs_its_weight_and_the_clamp_is_a_line():
    query = "任务会无限重试"
    terms = [term("任务", query, channel="cjk"), term("重试", query, channel="cjk")]
    found = recall(
        {"fulltext": ["a"]}, [chunk("a", text="同一任务最多自动重试三次")], query=query, terms=terms
    )
    lines = bill(found, weights=Features(conflict=1.0))
    assert lines["conflict"] == -1.0
    assert lines["clamp"] > 0
    assert sum(lines.values()) == pytest.approx(0, abs=1e-12)
    assert rank(found, LOCAL, Features(conflict=1.0)).result(0).relevance == 0


def test_each_further_chunk_of_a_document_pays_once():
    chunks = [chunk(name, start=place * 10, ordinal=place + 1) for place, name in enumerate("abc")]
    found = recall({"fulltext": [("a", 9.0), ("b", 8.0), ("c", 7.0)]}, chunks)
    ranking = rank(found, LOCAL)
    assert ids(ranking) == ["a", "b", "c"]
    same = [{line.feature: line.part for line in r.features}.get("same_document") for r in ranking.results()]
    assert same == [None, -0.05, -0.05]


def test_the_same_document_penalty_lets_another_document_past():
    chunks = [chunk("a", ordinal=1), chunk("b", start=10, ordinal=2), chunk("z", path="z.md")]
    found = recall({"fulltext": [("a", 9.0), ("b", 8.9), ("z", 8.8)]}, chunks)
    only_fused = Features(coverage=0, phrase=0, heading=0, path=0, similarity=0)
    ranking = rank(found, LOCAL, only_fused)
    assert ids(ranking) == ["a", "z", "b"]
    b = ranking.result(2)
    assert (b.fused_rank, b.rank) == (2, 3)
    assert next(line.rank_without for line in b.features if line.feature == "same_document") == 2


def test_a_chunk_in_conflict_is_not_the_first_of_its_document():
    query = "任务会无限重试"
    terms = [term("任务", query, channel="cjk"), term("重试", query, channel="cjk")]
    against = chunk("a", text="同一任务最多自动重试三次", ordinal=1)
    agrees = chunk("b", start=50, text="临时任务会重试", ordinal=2)
    found = recall({"fulltext": [("a", 9.0), ("b", 8.5)]}, [against, agrees], query=query, terms=terms)
    ranking = rank(found, LOCAL)
    assert ids(ranking) == ["b", "a"]
    assert "same_document" not in {line.feature for line in ranking.result(0).features}


# --- order --------------------------------------------------------------------------------------------------


def test_off_is_exactly_the_fused_order():
    found = recall(
        {"fulltext": list("edcba"), "cjk": list("abc")}, query="text", terms=[term("text", "text")]
    )
    off = rank(found, Retrieval())
    assert off.bill is None
    assert off.order.tobytes() == off.fused.order.tobytes()
    assert all(result.features == () and result.rank == result.fused_rank for result in off.results())


def test_a_very_similar_wrong_rule_loses_to_the_right_one_by_general_features():
    right = chunk(
        "right",
        text="任务处理器自动重试：同一任务最多自动重试三次，耗尽后消息进入隔离队列，等待修复后受控重放。",
        path="retry.md",
    )
    wrong = chunk(
        "wrong", text="某些临时观察任务可以重复执行，任务不设重试上限，任务、任务、任务。", path="wrong.md"
    )
    found = recall(
        {"fulltext": [("wrong", 9.0), ("right", 8.0)]}, [right, wrong], query=QUERY, terms=bigrams(QUERY)
    )
    assert ids(rank(found, replace(LOCAL, rerank="off"))) == ["wrong", "right"]
    assert ids(rank(found, LOCAL)) == ["right", "wrong"]


def test_what_lies_beyond_the_pool_follows_in_fused_order():
    names = [f"c{place:03}" for place in range(POOL + 20)]
    found = recall({"fulltext": [(name, 500.0 - place) for place, name in enumerate(names)]}, depth=200)
    ranking = rank(found, replace(LOCAL, top_k=20, candidate_multiplier=10))
    assert ids(ranking)[POOL:] == names[POOL:]
    last = ranking.result(len(ranking) - 1)
    assert [line.feature for line in last.features] == ["fused"]
    assert last.features[0].part == last.relevance == pytest.approx(0.3 * last.fused_score, abs=1e-12)
    assert last.features[0].rank_without == last.rank


def test_ties_stand_in_candidate_order():
    found = recall({"fulltext": ["b", "a"], "cjk": ["a", "b"]})
    assert ids(rank(found, replace(LOCAL, fusion="rrf"))) == ["a", "b"]


# --- properties ---------------------------------------------------------------------------------------------

TEXTS = st.text(alphabet="任务重试耗尽不最多限三次 3,。\nretry", min_size=1, max_size=60)


@st.composite
def recalls(draw: st.DrawFn) -> Recall:
    chunks: list[Chunk] = []
    for place in range(draw(st.integers(1, 7))):
        path = draw(st.sampled_from(["a.md", "b/重试.md"]))
        chunks.append(chunk(f"c{place}", place * 100, draw(TEXTS), path=path, ordinal=place + 1))
    names = [c.chunk_id for c in chunks]
    listed = st.lists(st.sampled_from(names), unique=True)
    query = draw(st.sampled_from([QUERY, "任务无限重试三次", "retry 3 times", "？"]))
    lists = {"fulltext": draw(listed), "vector": draw(listed)}
    return recall(lists, chunks, query=query, terms=bigrams(query) if "任" in query else ())  # type: ignore[arg-type]


weights = st.builds(Features, **{name: st.sampled_from([0.0, 0.05, 0.3, 1.0]) for name in LINES[:-1]})


@settings(max_examples=100, deadline=None)
@given(recalls(), weights, st.sampled_from(["rrf", "minmax"]))
def test_every_bill_sums_to_its_relevance_and_ranks_follow(found: Recall, chosen: Features, fusion: str):
    ranking = rank(found, Retrieval(rerank="local", fusion=fusion), chosen)  # type: ignore[arg-type]
    results = list(ranking.results())
    for result in results:
        assert sum(line.part for line in result.features) == pytest.approx(result.relevance, abs=1e-12)
        assert 0 <= result.relevance <= 1
        assert all(np.isfinite([line.value, line.part]).all() for line in result.features)
    assert [r.relevance for r in results] == sorted((r.relevance for r in results), reverse=True)
    assert sorted(ids(ranking)) == sorted(ids(rank(found, Retrieval(fusion=fusion))))  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(recalls(), weights, st.sampled_from(LINES[:-1]))
def test_the_rank_without_a_line_is_that_of_a_run_with_its_weight_at_zero(
    found: Recall, chosen: Features, line: str
):
    with_it = rank(found, LOCAL, chosen)
    without = rank(found, LOCAL, replace(chosen, **{line: 0.0}))
    for result in with_it.results():
        for told in result.features:
            if told.feature == line:
                assert without.position(result.chunk.chunk_id) == told.rank_without - 1


@settings(max_examples=40, deadline=None)
@given(recalls(), weights)
def test_two_runs_are_equal_to_the_byte(found: Recall, chosen: Features):
    one, two = rank(found, LOCAL, chosen), rank(replace(found), LOCAL, chosen)
    assert one.relevance.tobytes() == two.relevance.tobytes()
    assert list(one.results()) == list(two.results())
    assert pack(one, LOCAL) == pack(two, LOCAL)


# --- learned, without scores --------------------------------------------------------------------------------


def test_learned_without_scores_falls_back_to_local_and_says_so():
    found = recall({"fulltext": ["a", "b"]})
    learned = rank(found, Retrieval(rerank="learned"))
    assert [d.code for d in learned.degraded] == ["rerank_failed"]
    assert list(learned.results()) == list(rank(found, Retrieval(rerank="local")).results())


def test_a_threshold_meant_for_learned_scores_is_never_held_against_others():
    """RR-07."""
    found = recall({"fulltext": ["a", "b"]})
    learned = rank(found, Retrieval(rerank="learned", minimum_relevance=1.0, score_margin=1.0))
    assert learned.passed == 2
    assert (learned.gate.tested, learned.unanswerable) == ("", False)
