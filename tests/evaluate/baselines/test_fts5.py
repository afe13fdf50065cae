from __future__ import annotations

import pytest

from engine.evaluate.baselines.fts5 import Fts5And, match_expression
from tests.evaluate.baselines.pieces import piece, pieces


def test_every_term_must_stand_in_one_chunk() -> None:
    table = Fts5And(pieces("release only", "owner only", "the release has an owner"))
    assert table.rank("release owner", 5) == ["c3"]


def test_a_chinese_phrase_is_found_inside_a_sentence_of_either_script() -> None:
    table = Fts5And(pieces("我们在晚上部署，使用Redis。", "部分署名", "deploy"))
    assert table.rank("部署", 5) == ["c1"]
    assert table.rank("使用redis", 5) == ["c1"]


def test_a_chinese_question_is_one_phrase() -> None:
    assert match_expression("怎么部署 Redis 7？") == '"怎 么 部 署" AND "Redis" AND "7"'


def test_the_name_of_the_document_counts_as_text() -> None:
    assert Fts5And([piece(1, "x", path="guides/release.md")]).rank("release", 5) == ["c1"]


@pytest.mark.parametrize(
    "query",
    [
        "a OR b",
        "NOT a",
        "a NEAR(b)",
        '"a',
        "a*",
        "text:a",
        "^a",
        "don't",
        "-a",
        "a\0b",
        "C++",
        "{x y}: a",
        "(",
        '""',
        "*",
    ],
)
def test_operators_of_the_language_are_plain_words_or_nothing(query: str) -> None:
    table = Fts5And(pieces("or a b not near text don t c x y", "a"))
    assert table.rank(query, 5) in ([], ["c1"], ["c1", "c2"], ["c2", "c1"])


def test_or_is_a_word_that_must_stand_there() -> None:
    assert Fts5And(pieces("a", "b", "a or b")).rank("a OR b", 5) == ["c3"]


def test_a_query_without_words_finds_nothing() -> None:
    assert Fts5And(pieces("a")).rank("？！ …", 5) == []


def test_rows_come_by_bm25_and_equal_ones_in_the_order_of_the_chunks() -> None:
    table = Fts5And(pieces("z b c d e f", "z", "z", "x"))
    assert table.rank("z", 5) == ["c2", "c3", "c1"]
    assert table.rank("z", 1) == ["c2"]
