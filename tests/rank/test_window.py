"""Cutting to a size: what must stay is whole, and no cut falls where it would break a character or a line
end.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rank.window import best_match, window
from engine.text import is_grapheme_boundary

FAMILY = "👨‍👩‍👧"


def test_a_window_is_cut_at_line_ends_where_there_are_any():
    text = "first line\nsecond line\nthird line\nfourth line\n"
    low, high = window(text, 23, 28, 30)
    assert text[low:high] == "second line\nthird line\n"


def test_else_after_a_sentence_else_at_a_space():
    text = "第一句。第二句。第三句。"
    assert text[slice(*window(text, 5, 6, 7))] == "第二句。"
    text = "one two three four five"
    assert text[slice(*window(text, 8, 13, 16))] == "two three four "


def test_no_cut_falls_inside_a_cluster_or_a_crlf():
    text = FAMILY * 10
    low, high = window(text, 20, 25, 12)
    assert (low, high) == (20, 30)
    assert window("aaaa\r\nbbbb", 0, 2, 5) == (0, 4)


def test_room_that_one_side_does_not_need_goes_to_the_other():
    text = "x" * 100
    assert window(text, 0, 10, 50) == (0, 50)
    assert window(text, 90, 100, 50) == (50, 100)


def test_what_must_stay_is_itself_cut_only_where_it_is_larger():
    assert window("x" * 100, 10, 90, 50) == (10, 60)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=f"ab 。.\r\n\u0301{FAMILY}🇨🇳", max_size=60), st.data())
def test_a_window_holds_its_span_and_its_size(text: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    size = data.draw(st.integers(end - start, 80))
    low, high = window(text, start, end, size)
    assert 0 <= low <= start <= end <= high <= len(text)
    assert high - low <= size
    assert low == start or is_grapheme_boundary(text, low)
    assert high == end or is_grapheme_boundary(text, high)


# --- the best match -----------------------------------------------------------------------------------------


def test_the_best_match_holds_the_weightiest_terms_each_once():
    text = "retry retry retry retry ... the dead letter queue of a retry"
    start, end = best_match(text, {"retry": 1.0, "dead": 2.0, "letter": 2.0}, 30)
    assert "dead letter" in text[start:end]


def test_it_is_found_in_full_width_and_other_case():
    text = "前言。ＲＥＤＩＳ Straße 缓存。"
    assert text[slice(*best_match(text, {"redis": 1.0}, 50))] == "ＲＥＤＩＳ"
    assert text[slice(*best_match(text, {"strasse": 1.0}, 50))] == "Straße"


def test_a_text_without_terms_has_no_best_match():
    assert best_match("text", {"absent": 1.0, "": 9.0}, 10) == (0, 0)
    assert best_match("text", {"text": 1.0}, 3) == (0, 0)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab cＡß", max_size=30), st.integers(1, 12))
def test_the_best_match_is_no_lighter_than_any_other(text: str, size: int):
    weights = {"a": 1.0, "b": 2.0, "ss": 3.0}
    start, end = best_match(text, weights, size)
    assert end - start <= size

    def weight(piece: str) -> float:
        return sum(w for term, w in weights.items() if term in piece.casefold().replace("ａ", "a"))

    windows = [text[at : at + size] for at in range(len(text) + 1)]
    assert weight(text[start:end]) == max(map(weight, windows))
