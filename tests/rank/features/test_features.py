"""Each feature alone: its range, what it sees, and where it is not available."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Chunk, QueryTerm, Recall
from engine.rank import features
from engine.rank.features.phrase import longest_run, query_atoms
from engine.rank.folded import BREAK
from tests.rank.build import chunk, recall, term


def of(query: str, *chunks: Chunk, terms: list[QueryTerm] = [], **fields: Any) -> Recall:  # noqa: B006
    return recall({"fulltext": [c.chunk_id for c in chunks]}, chunks, query=query, terms=terms, **fields)


def values(feature: Any, found: Recall) -> list[float]:
    return [round(value, 6) for value in feature(found, np.arange(len(found.chunks))).tolist()]


# --- coverage -----------------------------------------------------------------------------------------------


def test_coverage_weighs_terms_by_rarity():
    query = "the retry"
    found = of(
        query, chunk("a", text="the"), chunk("b", text="Retry"), chunk("c", text="retry the"),
        terms=[term("the", query, idf=1), term("retry", query, idf=3)],
    )  # fmt: skip
    assert values(features.coverage, found) == [0.25, 0.75, 1.0]


def test_coverage_serves_chinese_bigrams_and_counts_headings():
    query = "重试耗尽"
    terms = [term(bigram, query, channel="cjk", idf=1) for bigram in ("重试", "试耗", "耗尽")]
    found = of(
        query, chunk("a", text="自动重试"), chunk("b", text="次数", heading_path=("重试耗尽",)), terms=terms
    )
    assert values(features.coverage, found) == [pytest.approx(1 / 3, abs=1e-6), 1.0]


def test_coverage_believes_the_recall():
    found = of("retry", chunk("a", text="x"), terms=[term("retry", "retry")], holds=np.array([[True]]))
    assert values(features.coverage, found) == [1.0]


def test_without_terms_there_is_no_coverage():
    assert np.isnan(values(features.coverage, of("？", chunk("a")))).all()


# --- phrase -------------------------------------------------------------------------------------------------


def test_phrase_is_the_longest_run_of_whole_words():
    query = "dead letter queue size?"
    found = of(
        query,
        chunk("a", text="The Dead  Letter\nqueue."),
        chunk("b", text="dead letters"),
        chunk("c", text="size"),
    )
    assert values(features.phrase, found) == [0.75, 0.0, 0.0]


def test_phrase_serves_chinese_by_character_and_mixed_text():
    query = "使用Redis缓存任务"
    found = of(query, chunk("a", text="我们使用 redis 缓存读模型"), chunk("b", text="任务缓存"))
    assert values(features.phrase, found) == [pytest.approx(5 / 7, abs=1e-6), pytest.approx(2 / 7, abs=1e-6)]


def test_a_query_of_one_word_is_its_own_phrase():
    assert values(
        features.phrase, of("Redis?", chunk("a", text="use redis"), chunk("b", text="redistribute"))
    ) == [1, 0]


def test_no_run_crosses_from_a_heading_into_the_text():
    assert values(features.phrase, of("dead letter", chunk("a", text="letter", title="dead"))) == [0.0]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=9), st.lists(st.sampled_from("abc"), max_size=20)
)
def test_the_longest_run_is_that_of_the_dynamic_programme(query: list[str], text: list[str]):
    needle = f"{BREAK}{BREAK.join(query)}{BREAK}"
    places = [2 * place for place in range(len(query) + 1)]
    best = max(
        (size for size in range(len(query) + 1) for at in range(len(query) - size + 1)
         for start in range(len(text) - size + 1) if query[at : at + size] == text[start : start + size]),
        default=0,
    )  # fmt: skip
    assert longest_run(needle, places, f"{BREAK}{BREAK.join(text)}{BREAK}") == best


def test_a_long_query_is_looked_for_by_its_first_atoms():
    assert len(query_atoms("很" * 4_000)) == 256
    assert query_atoms("？？") == []


# --- headings and path --------------------------------------------------------------------------------------


def test_heading_and_path_look_only_there():
    query = "retry policy"
    terms = [term("retry", query, idf=1), term("policy", query, idf=1)]
    found = of(
        query,
        chunk("a", text="x", heading_path=("Retry",), path="docs/policy.md"),
        chunk("b", text="retry policy", path="other.md", title="Policy: retry"),
        terms=terms,
    )
    assert values(features.heading, found) == [0.5, 1.0]
    assert values(features.path, found) == [0.5, 0.0]


# --- similarity ---------------------------------------------------------------------------------------------


def test_a_missing_vector_is_not_a_similarity_of_zero():
    chunks = [chunk(name, path=name) for name in "abc"]
    found = recall({"vector": [("a", 0.75), ("b", -0.5)], "fulltext": ["c"]}, chunks)
    assert values(features.similarity, found)[:2] == [0.75, 0.0]
    assert np.isnan(values(features.similarity, found)[2])


def test_the_measured_cosine_counts_for_what_no_list_holds():
    found = of("x", chunk("a", path="a"), chunk("b", path="b"), similarities=np.array([0.25, np.nan]))
    assert values(features.similarity, found)[0] == 0.25


# --- numbers ------------------------------------------------------------------------------------------------


def test_numbers_must_be_held_to_the_digit_and_the_unit():
    chunks = [
        chunk(f"c{place}", text=text)
        for place, text in enumerate(["最多 3 times", "第三次失败", "三天", "E1234 三次"])
    ]
    assert values(features.numbers, of("重试三次报 E1234", *chunks)) == [0.5, 0.0, 0.0, 1.0]


def test_without_numbers_or_names_in_the_query_the_feature_is_not_available():
    assert np.isnan(values(features.numbers, of("怎么办", chunk("a", text="三次")))).all()


# --- conflict -----------------------------------------------------------------------------------------------


def test_conflict_needs_a_side_and_rare_terms():
    query = "任务会无限重试"
    terms = [term("任务", query, channel="cjk"), term("重试", query, channel="cjk")]
    against = chunk("a", text="同一任务最多自动重试三次。")
    assert values(features.conflict, of(query, against, terms=terms)) == [1.0]
    assert values(features.conflict, of(query + "吗", against, terms=terms)) == [0.0]
    common = [term("任务", query, channel="cjk", df=90), term("重试", query, channel="cjk", df=90)]
    assert values(features.conflict, of(query, against, terms=common)) == [0.0]
