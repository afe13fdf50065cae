"""Rows of a text of any length: they tile it, fit the width, and are laid out where they are looked at only."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.text import LineIndex
from tests.tui.documents.texts import texts
from tui import cells
from tui.text import sanitise
from tui.widgets.boundary_rows import STRETCH, Rows


def rows_of(text: str, width: int) -> Rows:
    return Rows(sanitise(text), LineIndex.of(text), width)


@settings(max_examples=200)
@given(texts, st.integers(20, 200))
def test_rows_give_the_text_back_and_fit(text, width):
    rows = rows_of(text, width)
    found = rows.window(0, 10_000)
    assert "".join(rows.text[start:end] for start, end in found) == rows.text
    for start, end in found:
        shown = cells.row(rows.text, start, end).rstrip("\n")
        assert cell_len(shown) <= width + shown.endswith(" ")
        assert "\n" not in rows.text[start : end - 1]


@settings(max_examples=60)
@given(texts, st.integers(20, 90), st.data())
def test_any_offset_leads_to_the_row_that_holds_it(text, width, data):
    rows = rows_of(text, width)
    found = rows.window(0, 10_000)
    number = data.draw(st.integers(0, len(found) - 1))
    start, end = found[number]
    for offset in {start, (start + end) // 2, max(start, end - 1)}:
        assert rows.at(offset) == found[number]
    by = data.draw(st.integers(-40, 40))
    assert rows.moved(start, by) == found[min(max(0, number + by), len(found) - 1)]


def test_a_line_of_a_million_characters_is_laid_out_where_it_is_seen():
    text = "重试 retry，" * 125_000
    rows = rows_of(text, 80)
    rows.window(rows.moved(len(text), -44)[0], 45)
    assert len(rows._known) <= 2
    seen = rows.window(STRETCH - 500, 20)
    assert all(first[1] == second[0] for first, second in itertools.pairwise(seen))


def test_a_stretch_parts_no_mark_from_its_base():
    text = "x" * (STRETCH - 1) + "e\u0301\u0302" + "y" * 200
    rows = rows_of(text, 80)
    starts = [start for start, _ in rows.window(STRETCH - 200, 10)]
    assert not {STRETCH, STRETCH + 1} & set(starts)


def test_a_line_that_ends_with_its_stretch_has_no_row_for_the_line_feed_alone():
    for length in range(STRETCH - 2, STRETCH + 3):
        text = "a" * length + "\nb"
        rows = rows_of(text, 64)
        found = rows.window(0, 200)
        assert "".join(text[start:end] for start, end in found) == text
        assert all(text[start:end] != "\n" for start, end in found)


def test_crlf_ends_a_row_and_stays_with_it():
    rows = rows_of("一\r\n二\rthree\r\n\r\n", 40)
    assert [rows.text[start:end] for start, end in rows.window(0, 9)] == ["一 \n", "二\n", "three \n", " \n"]


def test_the_distance_of_rows_is_counted_up_to_a_limit():
    rows = rows_of("\n".join("abcdefgh"), 40)
    assert rows.distance(0, 6, 10) == 3
    assert rows.distance(0, 14, 5) == 5
    assert rows.distance(6, 0, 10) == 10


def test_the_empty_text_has_one_row():
    assert rows_of("", 40).window(0, 5) == [(0, 0)]
