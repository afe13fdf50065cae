"""What an action makes of pins: the steps that can be taken, and those that are refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.edits.actions import Held, Source, merge, resolved, split, with_state, with_text
from engine.edits.pin import Pin
from engine.errors import UsageError
from engine.text import is_blank, is_grapheme_boundary

TEXT = "甲乙丙 one two three\n丁戊己 four five six\n"
SOURCE = Source("d", "a.md", "r1", "p1", TEXT)
INK = st.text("ab任务 \n👨\u200d👩é\u0301", min_size=1, max_size=24)


def held(start: int, end: int, **made: object) -> Held:
    return Held(start, end, SOURCE.pin(start, end, **made) if made else None)


def test_the_sources_own_text_again_ends_an_edit() -> None:
    edited = held(0, 8, text="别的")
    assert with_text(SOURCE, edited, TEXT[0:8]).added == ()
    assert with_text(SOURCE, edited, TEXT[0:8]).removed == (edited.pin,)
    cut = held(0, 8, text="别的", boundary=True)
    (left,) = with_text(SOURCE, cut, TEXT[0:8]).added
    assert (left.text, left.boundary) == (None, True), "the ends were wanted for themselves"


def test_what_leaves_the_index_keeps_its_text_for_when_it_comes_back() -> None:
    edited = held(0, 8, text="别的")
    (gone,) = with_state(SOURCE, edited, "deleted").added
    assert (gone.text, gone.state) == ("别的", "deleted")
    assert with_state(SOURCE, Held(0, 8, gone), "enabled").added == (edited.pin,)


@pytest.mark.parametrize("state", ["enabled", "disabled"])
def test_pieces_of_a_split_are_in_the_state_of_the_whole(state: str) -> None:
    made = split(SOURCE, held(0, len(TEXT), state=state, boundary=True), [10, 23]).added
    assert [pin.state for pin in made] == [state] * 3
    assert [(pin.start, pin.end) for pin in made] == [(0, 10), (10, 23), (23, len(TEXT))]


@settings(max_examples=200, deadline=None)
@given(INK, INK, st.lists(st.integers(-2, 30), max_size=4))
def test_a_split_of_any_text_leaves_it_whole_over_spans_that_leave_the_source_whole(
    base: str, text: str, at: list[int]
) -> None:
    if is_blank(base) or is_blank(text):
        return
    source = replace(SOURCE, text=f"head\n{base}\ntail")
    whole = Held(5, 5 + len(base), source.pin(5, 5 + len(base), text=None if text == base else text))
    try:
        pieces = split(source, whole, at).added
    except UsageError:
        return
    assert "".join(pin.effective for pin in pieces) == text
    assert "".join(pin.base for pin in pieces) == base
    assert all(
        is_grapheme_boundary(text, sum(len(pin.effective) for pin in pieces[:n])) for n in range(len(pieces))
    )
    assert not any(is_blank(pin.base) or is_blank(pin.effective) for pin in pieces)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, len(TEXT)), min_size=3, max_size=6, unique=True), st.data())
def test_a_merge_holds_what_its_chunks_hold_and_what_lies_between(
    places: list[int], data: st.DataObject
) -> None:
    edges = sorted(places)
    overlap = data.draw(st.integers(0, 3))
    chunks = [
        Held(max(0, low - overlap), high)
        for low, high in pairwise(edges)
        if not is_blank(TEXT, max(0, low - overlap), high)
    ]
    if len(chunks) < 2:
        return
    (made,) = merge(SOURCE, chunks).added
    assert (made.start, made.end) == (chunks[0].start, chunks[-1].end)
    assert made.text is None
    edited = Held(chunks[1].start, chunks[1].end, SOURCE.pin(chunks[1].start, chunks[1].end, text="改写"))
    step = merge(SOURCE, [chunks[0], edited])
    assert step.removed == (edited.pin,)
    (made,) = step.added
    assert made.text == TEXT[chunks[0].start : chunks[0].end] + TEXT[chunks[0].end : edited.start] + "改写"


def test_a_conflict_is_put_on_the_ink_of_the_lines_that_stand_there_now() -> None:
    lost = Pin("d", "a.md", "r0", "p1", 0, 2, "旧的", "", "", text="新的", state="disabled")
    step = resolved(SOURCE, lost, (0, 18), None)
    assert step.removed == (lost,)
    (made,) = step.added
    assert (made.start, made.end, made.text, made.state) == (0, 17, "新的", "disabled")
    (made,) = resolved(SOURCE, lost, (0, 18), "第三种").added
    assert (made.text, made.state) == ("第三种", "enabled"), "a text given anew is meant to serve"
    (made,) = resolved(SOURCE, lost, (0, 17), TEXT[0:17]).added
    assert made.text is None


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (lambda: with_text(SOURCE, held(0, 8), "\u200b \n"), "cannot be empty"),
        (lambda: with_text(SOURCE, held(0, 8), "x" * 16_001), "16,001 characters, and 16,000 is the most"),
        (lambda: with_text(SOURCE, held(0, 8), TEXT[0:8]), "what it was"),
        (lambda: with_state(SOURCE, held(0, 8), "enabled"), "enabled already"),
        (lambda: split(SOURCE, held(0, 8), []), "both sides"),
        (lambda: split(SOURCE, held(0, 4), [3]), "both sides"),
        (lambda: split(replace(SOURCE, text="甲\u200b\u200b"), Held(0, 3), [1]), "both sides"),
        (lambda: merge(SOURCE, [held(0, 8)]), "no chunk to merge"),
        (lambda: merge(SOURCE, [held(0, 8), held(8, 20, state="disabled")]), "out of use"),
        (
            lambda: merge(replace(SOURCE, text="x" * 20_000), [Held(0, 9_000), Held(9_000, 20_000)]),
            "20,000 characters",
        ),
        (lambda: resolved(SOURCE, SOURCE.pin(0, 3), (17, 18), None), "gone from the file"),
        (lambda: resolved(SOURCE, SOURCE.pin(0, 3), (0, 5), " "), "cannot be empty"),
    ],
)
def test_what_cannot_be_done_is_said(work: object, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        work()  # type: ignore[operator]
