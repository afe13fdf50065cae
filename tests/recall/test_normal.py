"""Normalised text keeps the way back to the original, and no text makes it slow."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.recall.normal import CLUSTER_MARKS, mapped, normal

hostile = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "ﬁ㎏ｶﾞﾄﾟ\u1100\u1161\u11a8각e\u0301\u0300\u0315\u00ad\u200d\ufe0f\ufeff\u202e\0\ud83d\ude00½…İ"
        ),
    ),
    max_size=40,
)


@settings(max_examples=300)
@given(hostile)
def test_mapped_text_is_the_normal_text(text: str) -> None:
    assert mapped(text).text == normal(text)


@settings(max_examples=300)
@given(hostile)
def test_places_rise_and_lie_in_the_original(text: str) -> None:
    known = mapped(text)
    assert len(known.text) == len(known.starts) == len(known.ends)
    assert list(known.starts) == sorted(known.starts)
    assert all(0 <= a < b <= len(text) for a, b in zip(known.starts, known.ends, strict=True))


def test_no_character_joins_a_cluster_that_was_closed() -> None:
    """Exhaustive: whatever follows a letter, a kana or a jamo, mapping by cluster gives the NFKC of the whole."""
    for base in "eカ가ᄀ":
        for code in (*range(0x80, 0xD800), *range(0xE000, 0x1E000)):
            text = base + chr(code)
            if not unicodedata.is_normalized("NFKC", text):
                assert mapped(text).text == normal(text), hex(code)


def test_a_length_that_changes_keeps_the_span_of_the_original() -> None:
    text = "5㎏ ﬁsh ｶﾞ"
    known = mapped(text)
    assert known.text == "5kg fish ガ"
    assert [text[slice(*known.span(at, at + 1))] for at in range(len(known.text))] == [
        "5", "㎏", "㎏", " ", "ﬁ", "ﬁ", "s", "h", " ", "ｶﾞ",
    ]  # fmt: skip


def test_invisible_characters_are_dropped_but_the_word_boundary_stays() -> None:
    assert normal("co\u00adop\u200d\ufeffera\ufe0ftion\u202e") == "cooperation"
    assert normal("one\u200btwo") == "one\u200btwo"


def test_a_run_of_marks_is_cut_before_it_is_sorted() -> None:
    """NFKC orders a run of marks in quadratic time, and a hostile file may be nothing else."""
    assert len(normal("a" + "\u0315\u0300" * 200_000)) <= CLUSTER_MARKS + 1
