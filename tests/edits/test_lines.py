"""Which lines two texts share: always the same ones in the same order, and never a guess."""

from __future__ import annotations

from bisect import bisect_right
from difflib import SequenceMatcher

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.edits import lines
from engine.edits.lines import Block, LineMap, same_lines
from engine.text import LineIndex

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=30)


@settings(max_examples=150, deadline=None)
@given(LINES, LINES)
def test_blocks_hold_equal_lines_and_rise_in_both(old: list[str], new: list[str]) -> None:
    blocks = list(same_lines(old, new))
    at = (0, 0)
    for block in blocks:
        assert block.size > 0
        assert block.old >= at[0]
        assert block.new >= at[1]
        assert old[block.old : block.old + block.size] == new[block.new : block.new + block.size]
        at = block.old + block.size, block.new + block.size
    assert at[0] <= len(old)
    assert at[1] <= len(new)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 10**6), unique=True, max_size=40), st.data())
def test_where_every_line_stands_once_the_match_is_a_longest_one(old: list[int], data: st.DataObject) -> None:
    new = data.draw(st.permutations(old)) if len(old) < 9 else [*old[7:], -1, *old[:7]]
    given_old, given_new = [str(line) for line in old], [str(line) for line in new]
    matched = sum(block.size for block in same_lines(given_old, given_new))
    assert matched >= longest(given_old, given_new)


def longest(old: list[str], new: list[str]) -> int:
    """The length of the longest common subsequence, by the table of the textbooks."""
    row = [0] * (len(new) + 1)
    for one in old:
        before = row
        row = [0]
        for place, other in enumerate(new):
            row.append(before[place] + 1 if one == other else max(before[place + 1], row[place]))
    return row[-1]


def test_what_was_put_in_and_taken_out_leaves_the_rest_matched() -> None:
    old = [f"line {number}" for number in range(60)]
    new = [*old[:10], "new", *old[10:30], *old[35:]]
    assert list(same_lines(old, new)) == [Block(0, 0, 10), Block(10, 11, 20), Block(35, 31, 25)]
    assert [tuple(block) for block in same_lines(old, new)] == [
        tuple(block) for block in SequenceMatcher(None, old, new).get_matching_blocks() if block.size
    ]


def test_a_line_that_could_be_any_of_several_is_matched_with_none() -> None:
    assert list(same_lines(["a", "x", "x", "b"], ["c", "x", "x", "x", "d"])) == []
    assert list(same_lines(["x"] * 3, ["new", "x", "x", "x"])) == [Block(0, 1, 3)], "but the ends are certain"


def test_a_text_made_to_be_slow_is_looked_at_a_bounded_number_of_times() -> None:
    """Every line stands twice but the last; each level finds one, before which another then stands once."""
    looked = 0

    class Counted(list[str]):
        def __getitem__(self, at: object) -> str:  # type: ignore[override]
            nonlocal looked
            looked += at.stop - at.start if isinstance(at, slice) else 1
            return super().__getitem__(at)  # type: ignore[index]

    order = [0, *(line for number in range(1, 600) for line in (number, number - 1))]
    old = Counted(part for line in order for part in (f"{line}", "old"))
    new = Counted(part for line in order for part in (f"{line}", "new"))
    list(same_lines(old, new))
    assert looked < 12 * lines.LEVELS * len(old)


TEXT = st.lists(st.sampled_from(["一\n", "二\r\n", "三\r", "four\n", "\n"]), min_size=1, max_size=12).map(
    "".join
)


@settings(max_examples=150, deadline=None)
@given(TEXT, TEXT, st.data())
def test_a_place_moves_with_its_line_and_the_lines_nearby_lie_between_what_is_kept(
    source: str, text: str, data: st.DataObject
) -> None:
    found = LineMap.of(source, text)
    place = data.draw(st.integers(0, len(source) - 1))
    moved = found.moved(place)
    if moved is not None:
        assert line_of(text, moved).rstrip("\r\n") == line_of(source, place).rstrip("\r\n")
    end = data.draw(st.integers(place + 1, len(source)))
    low, high = found.nearby(place, end)
    assert 0 <= low <= high <= len(text)
    starts = [*LineIndex.of(text).starts, len(text)]
    assert {low, high} <= set(starts)
    if moved is not None:
        assert low <= moved < high


def line_of(text: str, place: int) -> str:
    index = LineIndex.of(text)
    line = bisect_right(index.starts, place)
    return text[index.start(line) : index.end(line)]
