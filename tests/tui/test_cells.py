"""Cells: rows are exactly as wide as they say, and no wide character is halved."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.cells import (
    CLOSING,
    cut,
    cut_path,
    cut_start,
    expand,
    fit,
    place,
    right,
    row,
    spread,
    tile,
    width,
    wrap,
)
from tui.text import sanitise

texts = st.text(st.sampled_from("ab 重试，。（》é\u0301ﾊ😀\t-/x"), max_size=60)
lines = texts.map(lambda text: text.replace("\t", " "))


@given(st.text(max_size=20))
def test_a_width_is_that_which_the_toolkit_draws_with(text):
    assert width(text) == cell_len(text)


@given(lines, st.integers(0, 30))
def test_a_cut_fits_and_keeps_what_it_can(text, cells):
    for shown in (cut(text, cells), cut_start(text, cells)):
        assert width(shown) <= cells
        assert (shown == text) == (width(text) <= cells)
    if width(text) > cells > 2:
        assert width(cut(text, cells)) >= cells - 1


@given(lines, st.integers(0, 30), st.sampled_from(["left", "right"]))
def test_a_fitted_text_is_exactly_so_wide(text, cells, align):
    assert width(fit(text, cells, align)) == cells


@given(lines, lines, st.integers(0, 40))
def test_two_ends_are_exactly_so_wide(left, end, cells):
    assert width(spread(left, end, cells)) == cells


def test_numbers_stand_at_the_right():
    assert right("1,204", 8) == "   1,204"


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (30, "samples/ops/oncall.md"),
        (20, "ops/oncall.md"),
        (12, "oncall.md"),
        (7, "oncall…"),
        (0, ""),
    ],
)
def test_a_path_loses_its_folders_first_and_never_the_file_name(cells, shown):
    assert cut_path("samples/ops/oncall.md", cells) == shown


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (40, "api/jobs.md › POST /jobs/replay"),
        (28, "jobs.md › POST /jobs/replay"),
        (24, "jobs.md › POST /jobs/re…"),
        (11, "api/jobs.md"),
        (9, "jobs.md"),
    ],
)
def test_a_place_loses_folders_then_heading(cells, shown):
    assert place("api/jobs.md", "POST /jobs/replay", cells) == shown


@given(lines, lines, st.integers(0, 30))
def test_a_place_fits(path, heading, cells):
    assert width(place(path, heading, cells)) <= cells


@given(texts.map(lambda text: text.replace("x", "x\n")), st.integers(2, 20))
def test_rows_lose_only_blanks_and_fit(text, cells):
    rows = wrap(text, cells)
    assert all(width(row(text, *span)) <= cells for span in rows if text[slice(*span)].strip(" \t"))
    at = 0
    for start, end in rows:
        assert start >= at
        assert not text[at:start].strip(" \n")
        at = end
    assert not text[at:].strip(" \n")


@given(st.text(st.sampled_from("重试任务，。》！a "), min_size=1, max_size=60), st.integers(6, 20))
def test_no_row_begins_with_closing_punctuation_unless_nothing_else_could(text, cells):
    for start, _ in wrap(text, cells)[1:]:
        if text[start] in CLOSING:
            run = text[max(0, start - 4) : start]
            assert set(run) <= CLOSING | {" "} or run.strip()[-1:] in CLOSING or text[start - 1] == " "


def test_chinese_breaks_anywhere_and_latin_at_blanks():
    text = "单次执行超过 10 分钟即判为超时，计入重试。The timeout is per attempt"
    shown = [row(text, *span) for span in wrap(text, 20)]
    assert shown == ["单次执行超过 10 分钟", "即判为超时，计入重", "试。The timeout is", "per attempt"]


def test_a_comma_does_not_lead_a_row():
    text = "甲乙丙丁戊，己"
    assert [row(text, *span) for span in wrap(text, 10)] == ["甲乙丙丁", "戊，己"]


def test_a_long_word_is_broken_and_marks_stay_with_their_base():
    assert [row("abcdefgh", *span) for span in wrap("abcdefgh", 3)] == ["abc", "def", "gh"]
    marked = "ae\u0301e\u0301e\u0301"
    assert all(not row(marked, *span).startswith("\u0301") for span in wrap(marked, 2))


def test_only_the_rows_asked_for_are_laid_out():
    assert len(wrap("字" * 10_000, 10, rows=3)) == 3


def test_empty_lines_are_rows():
    assert wrap("a\n\nb", 5) == [(0, 1), (2, 2), (3, 4)]
    assert wrap("", 5) == [(0, 0)]


@given(lines, st.integers(4, 30))
def test_tiled_rows_lose_nothing_and_fit_but_for_a_blank_that_hangs(text, cells):
    begins = [*tile(text, 0, len(text), cells), len(text)]
    rows = [text[start:end] for start, end in itertools.pairwise(begins)]
    assert "".join(rows) == text
    assert all(width(shown) <= cells + shown.endswith(" ") for shown in rows)


def test_tabs_become_blanks_up_to_the_next_stop():
    assert row("a\tb") == "a   b"
    assert expand("\tb", column=2) == "  b"
    assert cell_len(row("重\tb")) == 5


def test_offsets_stay_those_of_the_raw_text():
    raw = "a\x1b[2J\u202e重试\r\nb"
    shown = sanitise(raw)
    start, end = wrap(shown, 40)[1]
    assert raw[start:end] == "b"
