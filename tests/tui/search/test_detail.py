"""The result under the cursor: numbers that add up, and a passage whose query words are marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.model import QueryTerm
from engine.settings import Retrieval
from tests.tui.search.samples import HOSTILE, PASSAGE, SECOND, chunk, hostile_text
from tui.text import one_line
from tui.widgets import detail, matches
from tui.widgets.line import measure, text_of

RETRIEVAL = Retrieval(vector_weight=1.4)
TERMS = (
    QueryTerm("cjk", "自动", 0, 2, 3, 2.0),
    QueryTerm("cjk", "动重", 1, 3, 3, 2.0),
    QueryTerm("cjk", "重试", 2, 4, 3, 2.0),
    QueryTerm("fulltext", "attempt", 5, 12, 1, 3.0),
)


def test_the_numbers_stand_as_drawn() -> None:
    assert text_of(detail.why_title(SECOND, 37, focused=False)) == "  WHY 2               retry.md L16–24"
    assert [text_of(line) for line in detail.why(SECOND, RETRIEVAL, 37)] == [
        "  channel    rank  score weight  part",
        "  fulltext      1   7.21   1.00 .0164",
        "  cjk           2  11.40   1.00 .0161",
        "  vector       17   .610   1.40 .0182",
        "  graph         –      –   0.80     –",
        "  fused         4               .0507",
    ]


def test_a_rank_beyond_the_depth_adds_nothing_and_is_muted() -> None:
    beyond = replace(SECOND.channels["cjk"], rank=120, part=0.0, in_view=False)
    lines = detail.why(replace(SECOND, channels={**SECOND.channels, "cjk": beyond}), RETRIEVAL, 37)
    assert text_of(lines[2]) == "  cjk         120  11.40   1.00 .0000"
    assert {style for text, style in lines[2] if text.strip()} == {"muted"}


def test_the_brief_stands_as_drawn() -> None:
    passage = detail.lay_out(chunk(), matches.marks(PASSAGE, TERMS), 78)
    lines = [text_of(line).rstrip() for line in detail.brief(SECOND, passage, 80, 4, narrow=False)]
    assert lines[0] == " 2  retry.md › 超时           fused .0507, 4th   text 7.21  cjk 11.40  vec .610"
    assert lines[1].startswith(" 单次执行超过 10 分钟即判为超时，计入自动重试次数。")
    assert len(lines) == 4


def test_words_of_the_query_are_marked_as_the_index_found_them() -> None:
    text = "自动重试 attempts, attempt; Attempt."
    assert [text[slice(*mark)] for mark in matches.marks(text, TERMS)] == ["自动重试", "attempt", "Attempt"]
    assert matches.marks(text, ()) == ()


class Counted(Sequence):
    """Marks that count how often one is looked at."""

    def __init__(self, marks: list[tuple[int, int]]) -> None:
        self.marks, self.looks = marks, 0

    def __len__(self) -> int:
        return len(self.marks)

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        found = self.marks[at]
        self.looks += len(found) if isinstance(at, slice) else 1
        return found


def test_a_row_looks_at_its_own_marks_alone() -> None:
    """A cursor move must not cost rows times marks: that was two seconds for a chunk of one word repeated."""
    rows = tuple((at, at + 16) for at in range(0, 16_000, 16))
    marks = Counted([(at, at + 2) for at in range(0, 16_000, 5)])
    passage = detail.Passage("任务重试 " * 3_200, rows, marks)
    passage.best(20)
    passage.line(500, 40, 1)
    assert marks.looks < 40 * len(rows)


@given(
    st.lists(st.integers(0, 60), max_size=20, unique=True).map(sorted),
    st.integers(0, 50),
    st.integers(1, 20),
)
def test_a_row_marks_just_what_a_walk_over_all_marks_would(ends: list[int], start: int, length: int) -> None:
    marks = tuple(zip(ends[::2], ends[1::2], strict=False))
    passage = detail.Passage("x" * 80, ((start, start + length),), marks)
    drawn = [style == "term" for text, style in passage.line(0, length, 0) for _ in text]
    assert drawn == [any(a <= at < b for a, b in marks) for at in range(start, start + length)]


def test_marks_stay_with_their_words_across_rows() -> None:
    passage = detail.lay_out(chunk(), matches.marks(PASSAGE, TERMS), 34)
    marked = "".join(
        text
        for row in range(len(passage.rows))
        for text, style in passage.line(row, 40, 1)
        if style == "term"
    )
    assert marked == "自动重试自动attemptattempt"


def test_a_long_passage_opens_where_it_matches_unless_its_beginning_does_too() -> None:
    far = "无关的话。" * 60 + "自动重试" * 4
    passage = detail.lay_out(chunk(text=far), matches.marks(far, TERMS), 34)
    assert passage.best(5) == len(passage.rows) - 5
    near = "自动重试" * 4 + "无关的话。" * 60
    assert detail.lay_out(chunk(text=near), matches.marks(near, TERMS), 34).best(5) == 0


@given(hostile_text, st.integers(2, 90))
def test_no_row_of_a_passage_is_wider_than_its_pane_or_raw(body: str, width: int) -> None:
    passage = detail.lay_out(chunk(text=body + HOSTILE), ((0, 2),), width)
    for row in range(len(passage.rows)):
        line = passage.line(row, width + 3, 2)
        assert measure(line) == width + 3
        assert text_of(line) == one_line(text_of(line))


@given(st.integers(24, 160), st.integers(1, 8), st.booleans())
def test_the_brief_has_the_size_that_it_is_given(width: int, height: int, narrow: bool) -> None:
    passage = detail.lay_out(chunk(), (), width - 2)
    lines = detail.brief(SECOND, passage, width, height, narrow)
    assert len(lines) == height
    assert {measure(line) for line in lines} == {width}
