from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate.baselines.tfidf import TfidfCosine, terms
from tests.evaluate.baselines.pieces import pieces

TEXTS = st.lists(st.text(alphabet="中文字词ab1 ，\n", max_size=12), max_size=8)


def naive(texts: list[str], query: str) -> dict[str, float]:
    """The definition, term by term: the scores of the chunks that share a term with the query."""
    rows = [terms(text) for text in texts]
    holding = {term: sum(term in row for row in rows) for row in rows for term in row}

    def vector(row: Mapping[str, int]) -> dict[str, float]:
        return {
            t: n * (math.log((1 + len(rows)) / (1 + holding[t])) + 1) for t, n in row.items() if t in holding
        }

    asked = vector(terms(query))
    scores = {}
    for place, row in enumerate(rows, 1):
        weights = vector(row)
        dot = sum(weight * weights.get(term, 0.0) for term, weight in asked.items())
        if dot > 0:
            scores[f"c{place}"] = dot / math.sqrt(sum(weight**2 for weight in weights.values()))
    return scores


def test_characters_and_bigrams_within_a_run_are_terms() -> None:
    assert terms("中文ABC文") == {"中": 1, "文": 2, "中文": 1, "abc": 1}


def test_no_bigram_is_made_across_a_letter_a_comma_or_a_line_end() -> None:
    for text in ("中 abc 文", "中，文", "中\n文", "中\u3000文"):
        assert "中文" not in terms(text)


@settings(max_examples=80, deadline=None)
@given(texts=TEXTS, query=st.text(alphabet="中文字词ab1 ，", max_size=8))
def test_the_order_is_that_of_the_definition(texts: list[str], query: str) -> None:
    found = TfidfCosine(pieces(*texts)).rank(query, 99)
    scores = naive(texts, query)
    assert sorted(found) == sorted(scores)
    assert all(scores[a] >= scores[b] - 1e-12 for a, b in pairwise(found))


def test_a_short_chunk_that_says_it_beats_a_long_one_that_mentions_it() -> None:
    ranker = TfidfCosine(pieces("缓存 " + "其他内容很多很多" * 3, "缓存", "其他"))
    assert ranker.rank("缓存", 5) == ["c2", "c1"]


def test_equal_scores_keep_the_order_of_the_chunks() -> None:
    assert TfidfCosine(pieces("a", "b", "a", "a")).rank("a", 2) == ["c1", "c3"]


def test_texts_and_queries_without_terms_are_never_listed_and_never_divide_by_zero() -> None:
    assert TfidfCosine(pieces("", "，。", "a")).rank("？", 5) == []
    assert TfidfCosine([]).rank("a", 5) == []
