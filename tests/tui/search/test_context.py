"""The ledger: groups as sent, what was left out and why, in columns, and everything adding up."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.model import Context
from tests.tui.search.samples import CONTEXT, LEFT_OUT, chunk, group, hostile_text
from tui.text import one_line
from tui.widgets import context, figures
from tui.widgets.line import measure, text_of


def drawn(**more: object) -> list[str]:
    return [text_of(entry.line) for entry in context.rows(CONTEXT, LEFT_OUT, 78, 14, **more)]  # type: ignore[arg-type]


def test_the_ledger_stands_as_drawn() -> None:
    title = text_of(context.title(CONTEXT, 78, focused=False))
    assert title == "  CONTEXT  3 groups, 2 left out          5,214 of 6,000  █████████████████░░░ "
    rows = drawn()
    assert rows[0] == "  [1] 1+2    retry.md › 重试与隔离 L12–24        160 shared, once       2,214 "
    assert rows[1].startswith("      同一任务最多自动重试三次，间隔依次为 1、5、25 分钟。")
    assert rows[-2] == "  out 5      queue.md › 死信 L8–15               budget: 786 left       1,204 "
    assert rows[-1] == "  out 6      cache.md › 失效 L40–52              budget: 786 left         940 "


def test_texts_are_shortened_so_that_every_head_is_seen() -> None:
    rows = context.rows(CONTEXT, LEFT_OUT, 78, 8)
    assert len(rows) == 8
    assert sum(entry.head for entry in rows) == 5
    assert text_of(rows[1].line).rstrip().endswith("…")


def test_an_unfolded_group_is_shown_whole() -> None:
    folded, unfolded = drawn(), drawn(unfolded=frozenset({0}))
    assert "".join(unfolded).replace(" ", "").count("独重放。") == 1
    assert len(unfolded) >= len(folded)


def test_where_there_is_room_the_title_says_about_how_many_tokens_the_text_is() -> None:
    wide = text_of(context.title(CONTEXT, 110, focused=False))
    assert f"{figures.tokens(CONTEXT.text)}  5,214 of 6,000  █" in wide


def test_characters_around_the_groups_are_a_row_of_their_own_so_that_the_sum_is_right() -> None:
    framed = replace(CONTEXT, character_count=5_400)
    rows = [text_of(entry.line) for entry in context.rows(framed, LEFT_OUT, 78, 20)]
    frame = next(row for row in rows if "around the groups" in row)
    assert frame.rstrip().endswith(" 186")


def test_an_empty_context_is_no_ledger() -> None:
    assert context.rows(Context("", 0, 6_000, False, (), ()), {}, 78, 10) == ()


@given(st.integers(36, 160), st.integers(1, 40), hostile_text, hostile_text)
def test_no_row_is_wider_than_the_pane(width: int, height: int, heading: str, body: str) -> None:
    hostile = group(1, (1, 2, 3, 14, 15), chunk("a/b/c.md", heading, 1, 99_999, body), 48_000, 12_345)
    made = replace(CONTEXT, groups=(hostile, *CONTEXT.groups))
    for entry in context.rows(made, {}, width, height):
        assert measure(entry.line) == width
        assert text_of(entry.line) == one_line(text_of(entry.line))


@given(st.lists(st.integers(0, 30), max_size=20), st.integers(-5, 80))
def test_room_is_shared_evenly_and_none_is_wasted(needs: list[int], room: int) -> None:
    given_rows = context.share(needs, room)
    assert all(has <= need for has, need in zip(given_rows, needs, strict=True))
    floor = sum(min(1, need) for need in needs)
    assert sum(given_rows) == max(floor, min(room, sum(needs)))
