"""Windows of one length: where they end, how they overlap, and that they always come to an end."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.chunking.fixed import windows
from engine.chunking.sections import Span
from tests.chunking.texts import CLUSTER, hostile, prose


def cut(text: str, target: int, overlap: int = 0, **how: bool) -> list[Span]:
    return windows(text, 0, len(text), target, overlap, **how)


def hold(text: str, spans: list[Span], target: int, overlap: int) -> None:
    """What must hold of windows over any text whatever the numbers."""
    clusters = {0, *(cluster.end() for cluster in regex.finditer(CLUSTER, text))}
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert {place for span in spans for place in span} <= clusters
    assert (spans[0][0], spans[-1][1]) == (0, len(text)) if text else spans == []
    assert len(spans) <= len(text)
    for (start, end), (following, last) in pairwise(spans):
        assert start < following <= end < last
        assert end - following <= max(overlap, 0)
    for start, end in spans:
        inside = [place for place in clusters if start < place < end]
        assert end - start <= max(target, 1) or not inside


# --- natural boundaries


@pytest.mark.parametrize(
    ("tail", "taken"),
    [
        ("so. G\nh\n\ni J. K\nl m", "so. G\nh\n\n"),
        ("so. G\ni J. K l m", "so. G\n"),
        ("so. G h", "so. "),
        ("so g", "so "),
        ("价格，以及", "价格，"),
    ],
)
def test_a_window_ends_at_a_paragraph_before_a_line_before_a_sentence_before_a_space(tail, taken):
    text = "x" * 75 + tail + "k" * 60
    assert text[75 : cut(text, 75 + len(tail) + 4)[0][1]] == taken


def test_a_boundary_before_the_last_quarter_is_not_taken():
    text = "one. " + "x" * 200
    assert cut(text, 100)[0] == (0, 5)
    text = "One sentence. " + "word " * 40
    assert cut(text, 100)[0] == (0, 99)


def test_ck08_sentence_marks_keep_their_quotes_and_tokens_stay_whole_at_every_limit():
    text = "他说：“好。”然后走了。价格是123.23元！版本v1.2.3发布；见https://a.cn/x.y。値は３．１４です。"
    tokens = [match.span() for match in regex.finditer(r"123\.23|v1\.2\.3|https://a\.cn/x\.y|３．１４", text)]
    for limit in range(8, 41):
        for start, end in cut(text, limit):
            assert text[end - 1 : end + 1] != "。”"
            for low, high in tokens:
                assert not low < end < high or high - low > limit or start > low


@pytest.mark.parametrize(
    ("text", "mark"),
    [("यह एक वाक्य है। " * 40, "।"), ("كيف حالك يا صديقي؟ " * 40, "؟"), ("这是一句话。" * 60, "。")],
)
def test_ck13_windows_end_at_the_sentence_marks_of_the_script(text, mark):
    assert all(text[:end].rstrip().endswith(mark) for _, end in cut(text, 100))


@pytest.mark.parametrize("text", ["ฉันชอบกินข้าว" * 200, "ကောင်းသောနေ့ဖြစ်ပါစေ" * 100])
def test_ck13_scripts_without_spaces_are_cut_between_syllable_parts_that_stand_alone(text):
    spans = cut(text, 100)
    assert all(end - start <= 100 for start, end in spans)
    assert not any(regex.match(r"\p{M}", text[start]) for start, _ in spans)


def test_a_flag_an_emoji_family_and_a_crlf_are_never_cut():
    for unit in ("🇨🇳", "👨‍👩‍👧‍👦", "\r\n", "e\u0301\u0302"):
        text = unit * 60
        for limit in (1, 3, 7, 10, 50):
            for exact in (True, False):
                hold(text, cut(text, limit, 2, seek_boundary=exact), limit, 2)


def test_one_cluster_longer_than_the_window_stays_whole():
    text = "ab" + "c" + "\u0301" * 50 + "de"
    assert cut(text, 4) == [(0, 2), (2, 53), (53, 55)]


def test_exact_windows_ignore_boundaries():
    text = prose(20)
    assert cut(text, 50, seek_boundary=False)[:3] == [(0, 50), (50, 100), (100, 150)]
    assert cut(text, 50, 10, seek_boundary=False)[:3] == [(0, 50), (40, 90), (80, 130)]


# --- overlap


def test_an_overlap_starts_at_a_boundary_where_it_can():
    text = prose(100)
    spans = cut(text, 400, 60)
    for (_, end), (start, _) in pairwise(spans):
        assert 30 <= end - start <= 60
        assert text[start:].startswith("Sentence ")


def test_without_overlap_windows_tile_the_text():
    text = prose(100)
    assert "".join(text[start:end] for start, end in cut(text, 400)) == text


# --- numbers that used to hang


def test_ck01_any_pair_of_size_and_overlap_ends():
    text = "abcdefghij" * 3
    for size, overlap in ((10, 10), (10, 11), (0, 0), (10, -1), (1, 0), (-5, 3)):
        hold(text, cut(text, size, overlap), size, overlap)
    assert len(cut(text, 1)) == 30


@pytest.mark.parametrize(
    "text", ["abc\n" * 50, "\n" * 500, "a. " * 200], ids=["lines", "newlines", "sentences"]
)
def test_ck02_an_overlap_near_the_size_still_moves_on(text):
    for overlap in range(50):
        hold(text, cut(text, 50, overlap), 50, overlap)


def test_ck03_repeated_text_has_places_of_its_own():
    for text in ("ab ab ab ab ab ab", "x\n" * 100):
        hold(text, cut(text, 5, 2), 5, 2)
    for seed in range(1_000):
        choose = random.Random(seed)
        text = "".join(choose.choice("ab \n") for _ in range(choose.randint(0, 60)))
        size = choose.randint(1, 12)
        overlap = choose.randint(0, size - 1)
        hold(text, cut(text, size, overlap), size, overlap)


def test_ck05_an_unbroken_run_is_cut_at_exactly_the_size():
    assert cut("a" * 2000, 1024, 100) == [(0, 1024), (924, 1948), (1848, 2000)]
    text = "x" * 10_000
    hold(text, cut(text, 500, 50), 500, 50)
    text = "see " + "QUJD" * 600 + " end"
    hold(text, cut(text, 500, 50), 500, 50)
    assert "".join(text[start:end] for start, end in cut(text, 500)) == text


def test_ck10_the_last_window_is_not_inside_the_one_before():
    assert cut("abcdefghijklmnopqrstuvwxy", 10, 3) == [(0, 10), (7, 17), (14, 24), (21, 25)]
    assert cut("abcdefghijklmnopqrst", 10, 3) == [(0, 10), (7, 17), (14, 20)]


@settings(max_examples=150, deadline=None)
@given(hostile, st.integers(1, 120), st.integers(0, 130), st.booleans())
def test_windows_hold_over_any_text(text, target, overlap, seek):
    hold(text, cut(text, target, overlap, seek_boundary=seek), target, overlap)
