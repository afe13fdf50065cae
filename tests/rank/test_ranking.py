"""A ranking as it is read: results made when asked for, counts for the screen, one unit a parent."""

from __future__ import annotations

import pytest

from engine.rank import rank
from engine.settings import Retrieval
from tests.rank.build import chunk, recall


def test_results_are_made_by_rank_and_only_as_far_as_asked():
    ranking = rank(recall({"fulltext": ["a", "b", "c"]}), Retrieval())
    assert [result.chunk.chunk_id for result in ranking.results(2)] == ["a", "b"]
    assert [result.rank for result in ranking.results()] == [1, 2, 3]
    assert ranking.result(2).fused_rank == 3
    with pytest.raises(IndexError):
        ranking.result(3)


def test_every_channel_that_found_it_is_told_with_raw_score_weight_and_part():
    found = recall({"fulltext": [("a", 7.25)], "vector": [("a", 0.5)], "cjk": []})
    hits = rank(found, Retrieval(vector_weight=1.5)).result(0).channels
    assert list(hits) == ["fulltext", "vector"]
    assert (hits["fulltext"].rank, hits["fulltext"].score) == (1, 7.25)
    assert (hits["vector"].weight, hits["vector"].part) == (1.5, 1.5 / 61)


def test_a_muted_channel_still_tells_its_rank():
    found = recall({"fulltext": ["a"], "vector": ["a"]})
    hit = rank(found, Retrieval(vector_weight=0)).result(0).channels["vector"]
    assert (hit.rank, hit.weight, hit.part, hit.in_view) == (1, 0.0, 0.0, False)


def test_counts_for_the_screen():
    ranking = rank(recall({"fulltext": [f"c{place}" for place in range(9)]}), Retrieval(top_k=2))
    assert (ranking.found, ranking.passed, len(ranking.top), ranking.view) == (8, 8, 2, 8)


def test_positions_by_id():
    ranking = rank(recall({"fulltext": ["b", "a"]}), Retrieval())
    assert (ranking.position("a"), ranking.position("z")) == (1, None)


def test_top_k_counts_a_parent_once():
    chunks = [chunk(name, text=name, parent="P", role="child") for name in "abc"]
    chunks.append(chunk("d", text="d", path="z.md"))
    parent = chunk("P", text="abc", role="parent")
    found = recall({"fulltext": list("abcd")}, chunks, parents=[parent])
    assert rank(found, Retrieval(top_k=1)).top.tolist() == [0, 1, 2]
    assert rank(found, Retrieval(top_k=2)).top.tolist() == [0, 1, 2, 3]


def test_the_same_recall_and_settings_rank_the_same():
    found = recall({"fulltext": ["a", "b"], "vector": ["b", "a"]})
    one, two = (rank(found, Retrieval()) for _ in range(2))
    assert list(one.results()) == list(two.results())
