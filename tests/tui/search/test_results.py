"""The list of results: columns stand in the same cells on every row, as the design draws them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.search.samples import HOSTILE, chunk, hostile_text, result
from tui import cells
from tui.text import one_line
from tui.widgets import results
from tui.widgets.line import measure, text_of

FIRST = result(1, 0.871, 0.0548, (3, 1, 2, 0), chunk("retry.md", "重试与隔离", 12, 18))
SECOND = result(2, 0.646, 0.0507, (1, 2, 17, 0), chunk("retry.md", "超时", 16, 24))
THIRD = result(3, 0.617, 0.0524, (6, 5, 4, 0), chunk("ops/oncall.md", "重放失败任务", 30, 41))
TENTH = result(10, 0.450, 0.0364, (2, 0, 9, 0), chunk("api/jobs.md", "POST /jobs/replay", 55, 71))


def test_a_wide_screen_shows_every_column_in_its_cells() -> None:
    columns = results.choose(78)
    rows = [
        results.title(78, 6, 231, focused=True),
        results.header(columns),
        results.row(columns, FIRST, was=1, serves=True),
        results.row(columns, SECOND, was=3, serves=True, mark="▸", focused=True),
        results.row(columns, THIRD, was=2, serves=True),
        results.cut_line(columns, 6),
        results.row(columns, TENTH, was=14, serves=False),
    ]
    assert [text_of(row) for row in rows] == [
        " ▸RESULTS                                                            6 of 231 ",
        "    # vs A rel. fused text cjk vec graph  document › heading            lines ",
        "    1    = .871 .0548    3   1   2     –  retry.md › 重试与隔离        L12–18 ",
        " ▸  2   ▴1 .646 .0507    1   2  17     –  retry.md › 超时              L16–24 ",
        "    3   ▾1 .617 .0524    6   5   4     –  oncall.md › 重放失败任务     L30–41 ",
        "     ╌╌ top k 6 ╌╌ ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ ",
        "   10   ▴4 .450 .0364    2   –   9     –  jobs.md › POST /jobs/repl…   L55–71 ",
    ]


def test_eighty_columns_keep_the_lines_and_leave_the_fused_score_to_the_brief() -> None:
    columns = results.choose(80, margin=0, tail=2, form="normal")
    assert [
        text_of(results.row(columns, one, was=one.rank, serves=True)) for one in (FIRST, THIRD, TENTH)
    ] == [
        "   1    = .871    3   1   2     –  retry.md › 重试与隔离                L12–18  ",
        "   3    = .617    6   5   4     –  ops/oncall.md › 重放失败任务         L30–41  ",
        "  10    = .450    2   –   9     –  api/jobs.md › POST /jobs/replay      L55–71  ",
    ]


def test_forty_columns_show_rank_move_score_and_file() -> None:
    columns = results.choose(40, margin=0, form="narrow")
    assert (
        text_of(results.row(columns, SECOND, was=3, serves=True))
        == "   2   ▴1 .646  retry.md › 超时         "
    )


def test_columns_go_in_one_order_as_the_width_shrinks() -> None:
    def shown(width: int) -> tuple[bool, bool, int, bool]:
        columns = results.choose(width, idle=frozenset({"graph"}))
        return bool(columns.lines), columns.fused, len(columns.channels), columns.heading

    assert shown(78) == (True, True, 4, True)
    assert shown(66) == (False, True, 4, True)
    assert shown(58) == (False, False, 4, True)
    assert shown(52) == (False, False, 3, True)
    assert shown(44) == (False, False, 3, False)
    assert shown(36)[2] < 3


@pytest.mark.parametrize("form", ["wide", "normal", "narrow"])
@given(st.integers(30, 200), hostile_text, hostile_text, st.integers(1, 999), st.integers(1, 99_999))
def test_no_row_is_wider_or_narrower_than_its_list(
    form: str, width: int, path: str, heading: str, rank: int, line: int
) -> None:
    columns = results.choose(width, form=form)  # type: ignore[arg-type]
    one = result(rank, 0.5, 0.05, (rank, 1, 0, 2), chunk(path or "x", heading, line, line + 9))
    row = results.row(columns, one, was=None, serves=True)
    assert measure(row) == width
    assert measure(results.header(columns)) == width
    assert text_of(row) == one_line(text_of(row))


@given(st.integers(30, 160), hostile_text)
def test_the_document_begins_in_the_same_cell_on_every_row(width: int, path: str) -> None:
    columns = results.choose(width)
    rows = [
        text_of(
            results.row(
                columns, result(rank, 0.5, 0.05, (1, 0, 3, 0), chunk("x.md", path)), was=rank, serves=True
            )
        )
        for rank in (1, 22, 333)
    ]
    assert len({cells.width(row[: columns.before]) for row in rows}) == 1
    assert all(row[columns.before] == "x" for row in rows)


def test_text_of_documents_is_drawn_sanitised() -> None:
    one = result(1, 0.5, 0.05, (1, 0, 0, 0), chunk(HOSTILE, HOSTILE))
    row = text_of(results.row(results.choose(160), one, was=1, serves=True))
    assert row == one_line(row)
    assert "[/] [@click=app.quit]x[/]" in row


def test_a_rank_beyond_the_depth_is_muted() -> None:
    hits = {"vector": replace(FIRST.channels["vector"], rank=120, in_view=False)}
    row = results.row(results.choose(78), replace(FIRST, channels=hits), was=1, serves=True)
    assert (" 120", "muted") in row
    assert ("    –", "muted") in row


def test_what_the_last_turn_moved_is_strong() -> None:
    columns = results.choose(78)
    row = results.row(columns, FIRST, was=2, serves=True, moved=True)
    assert [row[4], row[3]] == [(" .871", "strong"), ("   ▴1", "strong")]
    assert (" .871", "") in results.row(columns, FIRST, was=2, serves=True)
