"""Lines are exactly as wide as they are asked to be, whatever text they hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.search.samples import hostile_text
from tui import text
from tui.widgets.line import Line, ends, fit, measure, text_of
from tui.widgets.painted import changed_cells, coalesced

lines = st.lists(
    st.tuples(hostile_text.map(text.one_line), st.sampled_from(["", "strong", "muted"])), max_size=6
).map(tuple)


@given(lines, st.integers(0, 90))
def test_a_fitted_line_has_exactly_its_width(line: Line, width: int) -> None:
    assert measure(fit(line, width)) == width


@given(lines, lines, st.integers(0, 90))
def test_two_ends_have_exactly_their_width(left: Line, right: Line, width: int) -> None:
    assert measure(ends(left, right, width)) == width


def test_a_wide_character_is_never_halved() -> None:
    """UI-05: an edge that falls inside a wide character leaves a blank, and the row its width."""
    assert text_of(fit((("重试与隔离", ""),), 6)) == "重试… "


def test_what_was_cut_off_is_shown_by_an_ellipsis_even_between_pieces() -> None:
    assert text_of(fit((("ab", ""), ("cd", "")), 3)) == "ab…"
    assert text_of(fit((("abc", ""), ("d", "")), 3)) == "ab…"


@given(lines, lines, st.integers(1, 60))
def test_only_the_cells_that_differ_are_drawn_again(before: Line, after: Line, width: int) -> None:
    start, end = changed_cells(before, after, width)
    old, new = text_of(fit(before, width)), text_of(fit(after, width))
    if old != new:
        assert start < end
    assert changed_cells(before, before, width)[0] == width


def test_a_moved_mark_changes_one_cell() -> None:
    row: Line = (("  1    = .871  ", ""),)
    marked: Line = (("▸", "focus"), (" 1    = .871  ", ""))
    assert changed_cells(row, marked, 20) == (0, 1)


@given(lines)
def test_fewer_pieces_show_the_same(line: Line) -> None:
    fewer = coalesced(line)
    assert text_of(fewer) == text_of(line)
    seen = [(character, style) for text_, style in line for character in text_ if not character.isspace()]
    assert [
        (character, style) for text_, style in fewer for character in text_ if not character.isspace()
    ] == seen


def test_blanks_take_the_style_beside_them() -> None:
    assert coalesced(((" ", ""), ("12", "muted"), ("  ", ""), ("x", "muted"))) == ((" 12  x", "muted"),)
    assert coalesced((("重试", "term"), (" ", ""), ("x", ""))) == (("重试", "term"), (" x", ""))
