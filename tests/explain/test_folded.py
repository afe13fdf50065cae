"""A text is found whatever a terminal, a width or a case made of it, at its own place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.explain.folded import bare, spans_of

TEXTS = st.text(alphabet="aB 　\n\tＡﬁé任务。1①", max_size=40)


def test_white_space_width_and_case_do_not_matter():
    assert [*spans_of("任务 Failed", "x 任\n务ＦＡＩＬＥＤ y")] == [(2, 11)]


def test_no_place_overlaps_the_one_before():
    assert [*spans_of("aa", "aaaaa")] == [(0, 2), (2, 4)]


def test_blank_is_nowhere():
    assert [*spans_of(" \n", "a b")] == []


@given(TEXTS, TEXTS, TEXTS)
def test_a_part_of_a_text_is_found_in_it(before: str, needle: str, after: str):
    found = [*spans_of(needle, before + needle + after)]
    if bare(needle):
        assert found
    whole = before + needle + after
    assert all(bare(needle) in bare(whole[start:end]) for start, end in found)
