"""The fulltext channel: text is never a syntax, identifiers come first, ties and statistics are exact."""

from __future__ import annotations

import random
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled, CorruptIndexError
from engine.recall import cjk, fulltext
from engine.recall.asked import holds
from tests.recall.shelf import Shelf

LITERALS = [
    "-x", "state-of-the-art", "a:b", "NEAR(", "AND", "OR", "alpha AND", "(alpha", "@nasa", "50%", "don't", "C++", "why?",
    "a,b", "a;b", "[br]", "<x>", "x\\y", "a=b", "#tag", "'q'", "{x}",
]  # fmt: skip


@pytest.mark.parametrize("query", ["|", "*", '"', "(", "^", "", " ", "\0", "\ud800", *LITERALS])
def test_no_query_is_a_syntax_error(query: str) -> None:
    """FT-01"""
    found = Shelf.of(*LITERALS).search(fulltext, query)
    if any(character.isalnum() for character in query):
        assert found[0] == query


@pytest.mark.parametrize("query", ["|", "*", "，", "缓存", "\0"])
def test_a_query_without_words_says_so(query: str) -> None:
    hits = Shelf.of("a | b", "缓存").hits(fulltext, query)
    assert (hits.terms, len(hits.cids), hits.matched, hits.of) == ((), 0, 0, 2)


def test_nothing_typed_acts_as_an_operator() -> None:
    """FT-02: no column filter, no negation, no prefix, no anchor, no proximity."""
    shelf = Shelf.of("x: alpha", "alpha beta", "alphabet")
    assert "alpha beta" in shelf.search(fulltext, "alpha NOT beta")
    assert set(shelf.search(fulltext, "x:alpha")) == {"x: alpha", "alpha beta"}
    assert "alphabet" not in shelf.search(fulltext, "alph*")
    assert shelf.search(fulltext, "alph*") == []
    assert set(shelf.search(fulltext, "^alpha")) == {"x: alpha", "alpha beta"}
    assert "alpha beta" in shelf.search(fulltext, "NEAR(alpha beta)")


@pytest.mark.parametrize("query", ["gen", "itgc", "50"])
def test_latin_glued_to_han_is_found(query: str) -> None:
    """FT-05"""
    assert Shelf.of("步2 重跑gen-itgc后50条", "使用GPT4模型训练").search(fulltext, query) == [
        "步2 重跑gen-itgc后50条"
    ]


@pytest.mark.parametrize("query", ["GPT4", "gpt4", "模型", "GPT4模型", "训练 gpt4", "gpt"])
def test_mixed_names_are_found_by_either_channel(query: str) -> None:
    """FT-05"""
    shelf = Shelf.of("步2 重跑gen-itgc后50条", "使用GPT4模型训练")
    assert {*shelf.search(fulltext, query), *shelf.search(cjk, query)} == {"使用GPT4模型训练"}


@pytest.mark.parametrize("query", ["cloud123", "kg", "fish"])
def test_compatibility_forms_are_found_by_their_plain_form(query: str) -> None:
    """FT-06"""
    assert len(Shelf.of("Ｃｌｏｕｄ１２３ ｶﾞｲﾄﾞ 5㎏ ﬁsh").search(fulltext, query)) == 1


def test_underscores_mean_the_same_to_query_and_index() -> None:
    """FT-07"""
    shelf = Shelf.of("call atomic_write_json(path)", "the pane died, pid 7", "pane_pid=3")
    assert shelf.search(fulltext, "atomic_write_json") == ["call atomic_write_json(path)"]
    assert shelf.search(fulltext, "write json") == ["call atomic_write_json(path)"]
    for query in ("pane_pid", "pane-pid", "pane.pid"):
        assert shelf.search(fulltext, query)[0] == "pane_pid=3"


def test_replaced_and_deleted_text_leaves_no_ghost() -> None:
    """FT-09, FT-18"""
    shelf = Shelf.of("row", "other apple")
    shelf.put("row", "apple pear 缓存")
    shelf.put("row", "banana 队列")
    shelf.drop("other apple")
    assert shelf.search(fulltext, "apple pear") == shelf.search(cjk, "缓存") == []
    assert shelf.search(fulltext, "banana") == shelf.search(cjk, "队列") == ["row"]


def test_a_nul_in_the_query_ends_nothing() -> None:
    """FT-10"""
    shelf = Shelf.of("alpha", "alpha beta")
    assert shelf.bits(fulltext, "alpha\0beta") == shelf.bits(fulltext, "alpha beta")


@pytest.mark.parametrize("channel", [fulltext, cjk])
@pytest.mark.parametrize("table", ["posting_segment", "posting_chunk", "posting_block", "posting_total"])
@pytest.mark.parametrize("harm", ["DROP TABLE {}", "DELETE FROM {}"])
def test_a_lost_table_is_an_error_and_never_no_results(channel: ModuleType, table: str, harm: str) -> None:
    """FT-11"""
    shelf = Shelf.of("alpha 缓存", "beta")
    shelf.connection.execute(harm.format(table))
    with pytest.raises(CorruptIndexError, match=r"damaged.*--rebuild"):
        shelf.search(channel, "alpha 缓存 gamma")


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("v1.1.6", "release v1.1.6 notes", "release v1.16 notes"),
        ("src/app/main.py", "see src/app/main.py", "see src, app, main, py"),
        ("main.py", "see src/app/main.py", "the main of it in py"),
        ("node.js", "node.js runtime", "node runtime, js"),
        ("fix/release-dispatch-repo", "fix/release-dispatch-repo", "fix release dispatch repo"),
        ("max_retry_count", "max_retry_count", "max retry count"),
        ("C++", "C++ code", "C code"),
    ],
)
def test_the_exact_identifier_comes_before_its_scattered_parts(query: str, first: str, last: str) -> None:
    """FT-07, FT-16"""
    shelf = Shelf.of(first, last, *(f"unrelated text {chr(97 + number) * 9}" for number in range(26)))
    assert shelf.search(fulltext, query) == [first, last]


def test_a_word_as_written_is_not_scored_again_without_its_diacritics() -> None:
    shelf = Shelf.of("café", "cafe")
    assert shelf.search(fulltext, "café") == ["café", "cafe"]
    assert set(shelf.search(fulltext, "cafe")) == {"café", "cafe"}
    assert [part.term for part in shelf.contributions(fulltext, "café", 1)] == ["café"]
    assert [part.term for part in shelf.contributions(fulltext, "café", 2)] == ["cafe"]


def test_contributions_add_up_to_the_score_to_the_bit() -> None:
    shelf = Shelf.of("the max_retry_count of a café in node.js", "max count", "retry of node")
    query = "max_retry_count in the café of node.js, retry"
    hits = shelf.hits(fulltext, query)
    for cid, score in zip(hits.cids.tolist(), hits.scores.tolist(), strict=True):
        total = 0.0
        for part in shelf.contributions(fulltext, query, cid):
            total += part.part
        assert total == score


def test_terms_carry_their_place_and_their_rarity() -> None:
    (term,) = Shelf.of("redis", "redis queue", "other").hits(fulltext, "使用Ｒedis").terms
    assert (term.term, term.start, term.end, term.document_frequency) == ("redis", 2, 7, 2)


def test_a_title_outweighs_a_heading_and_a_heading_the_text() -> None:
    shelf = Shelf()
    shelf.put("text", "queue one two")
    shelf.put("heading", "one two", headings=("queue",))
    shelf.put("title", "one two", title="queue")
    assert shelf.search(fulltext, "queue") == ["title", "heading", "text"]


def test_no_term_runs_from_one_heading_into_the_next() -> None:
    shelf = Shelf()
    shelf.put("chunk", "存", title="缓", headings=("资", "金"))
    assert shelf.search(cjk, "缓存") == shelf.search(cjk, "资金") == []


def test_equal_scores_come_in_the_tie_order_and_cut_there() -> None:
    """FT-17: whatever the order of insertion, and at every depth."""
    names = [f"{number:02}" for number in range(12)]
    for seed in range(5):
        shelf = Shelf()
        for name in random.Random(seed).sample(names, len(names)):
            shelf.put(name, "the same words")
        assert shelf.search(fulltext, "same words") == names
        assert [shelf.search(fulltext, "same words", depth=depth) for depth in (1, 3, 11)] == [
            names[:1], names[:3], names[:11],
        ]  # fmt: skip


def test_hash_seeds_change_nothing() -> None:
    """FT-17"""
    program = (
        "from tests.recall.shelf import Shelf\nfrom engine.recall import cjk, fulltext\n"
        "shelf = Shelf.of('the max_retry_count', 'retry 缓存队列', '缓存 count max', 'node.js 队列')\n"
        "query = 'max_retry_count node.js 缓存队列 the'\n"
        "print(shelf.bits(fulltext, query), shelf.bits(cjk, query), shelf.hits(cjk, query).terms)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(told) == 1


def test_hidden_label_sets_move_no_bit() -> None:
    """Adding, changing, merging and deleting what is out of scope leaves scores, counts and terms as they were."""
    alone, beside = Shelf(), Shelf()
    for number, text in enumerate(["alpha beta 缓存", "alpha 缓存队列", "beta gamma"] * 4):
        for shelf in (alone, beside):
            shelf.put(f"{number:02}", text)
        beside.put(f"hidden {number}", "alpha alpha 缓存 secret", label_set=2)
    beside.drop("hidden 3")
    beside.merge()
    for channel in (fulltext, cjk):
        for query in ("alpha secret", "缓存队列 beta"):
            assert alone.bits(channel, query) == beside.bits(channel, query)
            assert alone.hits(channel, query).terms == beside.hits(channel, query).terms
            assert alone.hits(channel, query).of == beside.hits(channel, query).of == 12
    assert len(beside.search(fulltext, "secret", label_sets=(1, 2))) == 11
    assert beside.search(fulltext, "alpha", label_sets=()) == []


def test_a_chunk_that_does_not_match_has_no_rank() -> None:
    shelf = Shelf.of("alpha", "beta")
    stands = shelf.standing(fulltext, "alpha", 2)
    assert (stands.rank, stands.score, stands.of) == (0, 0.0, 1)
    assert shelf.standing(fulltext, "alpha", 999).rank == 0


def test_rank_reaches_below_the_list() -> None:
    shelf = Shelf.of(*("word " * number for number in range(1, 30)))
    order = shelf.search(fulltext, "word")
    assert shelf.search(fulltext, "word", depth=5) == order[:5]
    by_name = {name: cid for cid, name in shelf.names.items()}
    assert shelf.standing(fulltext, "word", by_name[order[20]]).rank == 21


def test_who_holds_what_covers_both_channels() -> None:
    shelf = Shelf.of("cafe 书店", "café", "缓存 node.js")
    terms = (*shelf.hits(fulltext, "café node.js").terms, *shelf.hits(cjk, "书").terms)
    held = holds(
        shelf.cache.reader(shelf.connection), terms, [1], np.array([1, 2, 3, 99]), cancel=CancelToken()
    )
    assert [term.term for term in terms] == ["café", "node.js", "node", "js", "书"]
    assert held.tolist() == [
        [True, False, False, False, True],
        [True, False, False, False, False],
        [False, True, True, True, False],
        [False, False, False, False, False],
    ]


def test_a_word_is_the_same_term_in_both_channels() -> None:
    shelf = Shelf.of("使用Redis缓存", "redis")
    query = "Redis缓存"
    assert set(shelf.hits(fulltext, query).terms) < set(shelf.hits(cjk, query).terms)


@pytest.mark.parametrize("channel", [fulltext, cjk])
def test_a_long_query_can_be_cancelled(channel: ModuleType) -> None:
    shelf = Shelf.of("alpha")
    cancel = CancelToken()
    cancel.cancel()
    query = " ".join(f"word{number} 词{chr(0x4E00 + number)}" for number in range(300))
    with pytest.raises(Cancelled):
        channel.search(
            shelf.cache.reader(shelf.connection),
            query,
            [1],
            depth=9,
            tie_order=shelf.tie_order,
            cancel=cancel,
        )


def test_4_000_characters_of_query_are_served() -> None:
    shelf = Shelf.of("needle 缓存", "hay")
    query = ("x" * 90 + " ") * 40 + "needle " + "".join(chr(0x4E00 + number) for number in range(340))
    assert shelf.search(fulltext, query) == ["needle 缓存"]
