from __future__ import annotations

from engine.evaluate.baselines.overlap import TermOverlap, terms
from tests.evaluate.baselines.pieces import piece, pieces


def test_chinese_gives_bigrams_and_other_scripts_words_in_lower_case() -> None:
    assert terms("故障恢复") == {"故障", "障恢", "恢复"}
    assert terms("Retry max_retry_count ＡＢＣ") == {"retry", "max_retry_count", "abc"}


def test_a_bigram_never_joins_runs() -> None:
    assert terms("中 文，中abc文") == {"中", "文", "abc"}


def test_a_run_of_one_character_can_be_asked_for() -> None:
    assert TermOverlap(pieces("龙", "虎")).rank("龙", 5) == ["c1"]


def test_a_term_counts_once_in_the_text_and_once_more_in_the_headings() -> None:
    chunks = [
        piece(1, "retry retry retry retry"),
        piece(2, "retry", headings=("About retry",)),
        piece(3, "nothing", title="Retry"),
    ]
    assert TermOverlap(chunks).rank("retry", 5) == ["c2", "c1", "c3"]


def test_equal_scores_keep_the_order_of_the_chunks_and_what_shares_no_term_is_not_listed() -> None:
    assert TermOverlap(pieces("b a", "x", "a b", "a")).rank("a b", 5) == ["c1", "c3", "c4"]


def test_no_more_than_the_depth_is_listed() -> None:
    assert TermOverlap(pieces("a", "a", "a")).rank("a", 2) == ["c1", "c2"]
    assert TermOverlap([]).rank("a", 2) == []
