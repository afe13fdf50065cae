"""One analyser: what the index counts, what a query asks for and what the token lens shows are the same terms."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.recall.analysis import analyse, analyse_query, analyser_version, count

FRAGMENTS = [
    "使用",
    "Redis",
    "缓存",
    "の",
    "서버",
    "C++",
    "node.js",
    "café",
    "v1.2",
    "\0",
    "\ud83d",
    "ﬁ",
    "㎏",
    "ｶﾞ",
    "_",
    "(",
    " ",
    ".",
    "e\u0301",
    "\u200b",
    "ー",
]
texts = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3)), max_size=25).map("".join)


@settings(max_examples=150)
@given(texts)
def test_the_index_counts_what_analyse_shows(text: str) -> None:
    tokens, counts = analyse(text), count(text)
    assert counts.frequencies == Counter(token.term for token in tokens)
    assert counts.fulltext_length == sum(token.counted for token in tokens if token.channel == "fulltext")
    assert counts.cjk_length == sum(token.counted for token in tokens if token.channel == "cjk")


@settings(max_examples=150)
@given(texts)
def test_a_query_asks_for_what_analyse_shows(text: str) -> None:
    asked = analyse_query(text)
    terms = Counter((word.term, word.start, word.end) for tree in asked.words for word in tree.walk())
    terms += Counter((gram.term, gram.start, gram.end) for run in asked.runs for gram in run)
    shown = analyse(text)
    assert terms == Counter((token.term, token.start, token.end) for token in shown if token.kind != "last")


@settings(max_examples=100)
@given(texts)
def test_terms_can_be_stored_and_their_spaces_never_meet(text: str) -> None:
    spaces: dict[str, set[str]] = {"fulltext": set(), "cjk": set()}
    for token in analyse(text):
        assert 0 <= token.start < token.end <= len(text)
        token.term.encode()
        assert token.term
        assert not set("\n\0") & set(token.term)
        spaces[token.channel].add(token.term)
    assert not spaces["fulltext"] & spaces["cjk"]


def shown(text: str, channel: str, *kinds: str) -> list[tuple[str, str]]:
    return [
        (token.term, text[token.start : token.end])
        for token in analyse(text)
        if token.channel == channel and (not kinds or token.kind in kinds)
    ]


def test_a_border_of_script_is_a_border_of_terms() -> None:
    assert shown("使用Redis缓存", "fulltext") == [("redis", "Redis")]
    assert shown("使用Redis缓存", "cjk", "bigram") == [("使用", "使用"), ("缓存", "缓存")]


def test_bigrams_overlap_and_a_lone_character_is_a_term() -> None:
    assert [term for term, _ in shown("资金决算", "cjk", "bigram")] == ["资金", "金决", "决算"]
    assert shown("第2条规定", "cjk", "single") == [("第", "第")]


def test_each_character_begins_a_bigram_or_is_a_term() -> None:
    assert [token.term for token in analyse("一本书")] == ["一本", "本书", "书"]
    assert [token.counted for token in analyse("一本书")] == [True, True, False]


def test_spans_are_of_the_original_whatever_normalising_did() -> None:
    """FT-06: full-width, half-width, squared and ligature forms change length, the highlight must not move."""
    text = "Ｃｌｏｕｄ１２３ ｶﾞｲﾄﾞ 5㎏ ﬁsh"
    found = {token.term: text[token.start : token.end] for token in analyse(text)}
    assert found["cloud123"] == "Ｃｌｏｕｄ１２３"
    assert found["ガイ"] + "|" + found["イド"] == "ｶﾞｲ|ｲﾄﾞ"
    assert found["kg"] == "㎏"
    assert found["fish"] == "ﬁsh"


@pytest.mark.parametrize("text", ["alpha\0beta", "alpha\ud83dbeta"])
def test_nul_and_lone_surrogates_merely_part_words(text: str) -> None:
    """FT-10, CK-12: nothing is cut off there, and nothing raises."""
    assert [token.term for token in analyse(text)] == ["alpha", "beta"]


def test_the_version_is_stable_within_a_process_and_short() -> None:
    assert analyser_version() == analyser_version()
    assert len(analyser_version()) == 16
