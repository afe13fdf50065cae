"""Lines, blanks, grapheme clusters and sentence ends are places in the text as it is."""

from __future__ import annotations

from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text import (
    _FREE,
    LineIndex,
    grapheme_ceiling,
    grapheme_floor,
    is_blank,
    is_grapheme_boundary,
    sentence_ends,
)

PIECES = st.sampled_from(
    [
        "ᄒ",
        "ᅡ",
        "\u200d",
        "字",
        "。\ufe01",
        "\u0600",
        "a",
        "b ",
        "e\u0301",
        "\r\n",
        "\r",
        "\n",
        "👨‍👩‍👧‍👦",
        "👍🏽",
        "🇨🇳",
        "🇯🇵",
        "क्षि",
        "한",
    ]
)


CLUSTER = r"\X(?:(?<![\r\n])\p{M}+)?"

# --- lines


def test_only_lf_crlf_and_cr_end_a_line():
    text = "a\u2028b\nc\x0bd\x0ce\x85f\x1cg\r\nh\ri"
    lines = LineIndex.of(text)
    assert [text[lines.start(n) : lines.end(n)] for n in range(1, lines.count + 1)] == [
        "a\u2028b\n", "c\x0bd\x0ce\x85f\x1cg\r\n", "h\r", "i",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "count"), [("", 1), ("a", 1), ("a\n", 1), ("\n", 1), ("a\n\n", 2), ("a\r\nb", 2)]
)
def test_a_final_newline_opens_no_line(text, count):
    assert LineIndex.of(text).count == count


@given(st.lists(PIECES).map("".join))
def test_lines_are_those_that_reading_character_by_character_finds(text):
    lines, line = LineIndex.of(text), 1
    for offset, character in enumerate(text):
        assert lines.line(offset) == line
        assert lines.start(line) <= offset < lines.end(line)
        line += character == "\n" or (character == "\r" and text[offset + 1 : offset + 2] != "\n")


# --- blanks


@pytest.mark.parametrize(
    "text", ["", " \t\r\n", "\u3000\xa0\u2003", "\u200b\u200d\ufeff\u2060", "\u2028\x85\x0c", "\u2800\u3164"]
)
def test_text_without_ink_is_blank(text):
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", "\u200b。", " 字 ", "\x00", "\ud800", "🇨"])
def test_text_with_ink_is_not_blank(text):
    assert not is_blank(text)


def test_blankness_is_asked_of_a_span():
    assert is_blank("a   b", 1, 4)
    assert not is_blank("a   b", 1, 5)


# --- grapheme clusters


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=12).map("".join), st.data())
def test_floor_and_ceiling_are_the_boundaries_that_uax29_gives(text, data):
    boundaries = [0, *(cluster.end() for cluster in regex.finditer(CLUSTER, text))]
    known = data.draw(st.sampled_from(boundaries))
    for offset in range(known, len(text) + 1):
        assert grapheme_floor(text, offset, known) == max(b for b in boundaries if b <= offset)
        assert grapheme_ceiling(text, offset, known) == min(b for b in boundaries if b >= offset)
        assert is_grapheme_boundary(text, offset, known) == (offset in boundaries)


@pytest.mark.parametrize("neighbour", ["a", "字", "é", "가", "ก"])
def test_characters_taken_for_free_never_join_one_another(neighbour):
    free = [chr(code) for code in range(0x30000) if _FREE.match(chr(code)) and chr(code) not in "\r\n"]
    text = neighbour + neighbour.join(free) + neighbour
    assert [cluster for cluster in regex.findall(r"\X", text) if len(cluster) > 1] == []


def test_a_spacing_mark_that_the_standard_leaves_apart_stays_with_its_syllable():
    syllable = "\u1015\u102b"
    assert regex.findall(r"\X", syllable) == ["\u1015", "\u102b"]
    assert not is_grapheme_boundary(syllable * 3, 3)
    assert is_grapheme_boundary(syllable * 3, 4)
    assert is_grapheme_boundary("a\n\u102b", 2)


def test_a_run_of_flags_is_cut_between_flags_and_read_only_from_the_known_boundary():
    flags = "🇨🇳" * 50_000
    assert grapheme_floor(flags, 99_001, known=99_000) == 99_000
    assert grapheme_ceiling(flags, 99_001, known=99_000) == 99_002


# --- sentences


def sentences(text: str) -> list[str]:
    cuts = [0, *sentence_ends(text, 0, len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(cuts) if a < b]


def test_sentence_marks_keep_their_quotes_and_are_not_seen_inside_numbers_versions_and_addresses():
    text = "他说：“好。”然后走了。价格是123.23元！版本v1.2.3发布；见https://a.cn/x.y。値は３．１４です。"
    assert sentences(text) == [
        "他说：“好。”",
        "然后走了。",
        "价格是123.23元！",
        "版本v1.2.3发布；",
        "见https://a.cn/x.y。",
        "値は３．１４です。",
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? Four", ["One.", " Two!", " Three?", " Four"]),
        ('He said "no." Then left.', ['He said "no."', " Then left."]),
        ("**Note.** It works.", ["**Note.**", " It works."]),
        (
            "See e.g. the page of Mr. Smith and J. Doe vs. Bob.",
            ["See e.g. the page of Mr. Smith and J. Doe vs. Bob."],
        ),
        ("1. First item. Second", ["1. First item.", " Second"]),
        (
            "node.js and v1.2.3 at 10.0.0.1 cost 3.50. Next",
            ["node.js and v1.2.3 at 10.0.0.1 cost 3.50.", " Next"],
        ),
        ("wait... what? Yes", ["wait... what?", " Yes"]),
        ("यह एक है। यह दो है॥", ["यह एक है।", " यह दो है॥"]),
        ("كيف حالك؟ أنا بخير۔ نعم", ["كيف حالك؟", " أنا بخير۔", " نعم"]),
        ("ကောင်းတယ်။ နောက်", ["ကောင်းတယ်။", " နောက်"]),
        ("第一句.第二句.", ["第一句.", "第二句."]),
        ("真的吗?!好", ["真的吗?!", "好"]),
        ("（完。）下一句", ["（完。）", "下一句"]),
        (
            "See no. 5 and fig. 2. The answer is no. Right",
            ["See no. 5 and fig. 2.", " The answer is no.", " Right"],
        ),
    ],
)
def test_sentences_in_any_script(text, parts):
    assert sentences(text) == parts


def test_a_mark_at_the_edge_of_the_window_is_seen_with_its_closing_quote():
    assert list(sentence_ends("他说“好。”走", 0, 5)) == []
    assert list(sentence_ends("他说“好。”走", 0, 6)) == [6]


@given(st.text(alphabet="a1.。！ \n”)．", max_size=40))
def test_sentence_ends_strictly_increase_and_follow_a_mark(text):
    ends = list(sentence_ends(text, 0, len(text)))
    assert ends == sorted(set(ends))
    assert all(set(text[:end].rstrip("”)")[-1:]) & set(".。！．") for end in ends)
