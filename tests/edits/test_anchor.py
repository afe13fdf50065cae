"""Where a pin stands in another text: certain, or said not to be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.edits.anchor import Anchors, Sources, anchored
from engine.edits.pin import Pin, pin_at

LINE = st.text("ab任务 \n", min_size=1, max_size=12)
TEXT = st.lists(LINE, min_size=1, max_size=12).map("".join)


def pin(text: str, start: int, end: int, revision: str = "r1") -> Pin:
    return pin_at("d", "p.md", revision, "x", text, start, end)


def spanning(sources: tuple[str, ...]) -> Sources:
    return lambda revision, parser: dict(zip(("r1",), sources, strict=False)).get(revision)


@settings(max_examples=150, deadline=None)
@given(TEXT, TEXT, TEXT, st.data())
def test_a_place_always_holds_the_text_and_what_is_only_there_is_found(
    source: str, before: str, after: str, data: st.DataObject
) -> None:
    ink = [at for at, character in enumerate(source) if not character.isspace()]
    if not ink:
        return
    start = data.draw(st.sampled_from(ink))
    end = data.draw(st.integers(start + 1, len(source)))
    made = pin(source, start, end)
    text = before + source + after
    (one,) = anchored([made], "r2", "x", text, spanning((source,)))
    if one.span is not None:
        assert text[one.span[0] : one.span[1]] == made.base
    if text.count(made.base) == 1 and text.find(made.base) == text.rfind(made.base):
        assert one.span == (text.find(made.base), text.find(made.base) + len(made.base))
    (same,) = anchored([made], "r1", "x", source, spanning(()))
    assert same.span == (start, end)
    low, high = Anchors("r2", "x", text, spanning((source,))).nearby(made)
    assert 0 <= low <= high <= len(text)


def test_a_text_that_stands_twice_is_told_by_its_lines_and_what_is_around_it() -> None:
    rule = "重试三次。\n"
    source = "甲\n" + "一" * 70 + "\n" + rule + "乙\n" + "二" * 70 + "\n" + rule + "丙\n"
    second = source.rindex(rule)
    made = pin(source, second, second + len(rule))
    text = "新的一行\n" + source
    assert place_of(made, source, text) == (text.rindex(rule), text.rindex(rule) + len(rule))
    changed = text.replace("丙", "丁")
    assert place_of(made, source, changed) is None, "what is around it is not the same any more"
    assert place_of(made, None, text) is None, "the revision it was made in is gone"
    assert place_of(made, source, "全然不同") is None


def place_of(made: Pin, source: str | None, text: str) -> tuple[int, int] | None:
    (one,) = anchored([made], "r2", "x", text, lambda revision, parser: source)
    return one.span


@pytest.mark.parametrize(("first", "second"), [((0, 4), (2, 6)), ((0, 6), (2, 4)), ((2, 4), (0, 6))])
def test_of_two_that_overlap_the_later_keeps_its_place(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    source = "甲乙丙丁戊己庚"
    pins = [pin(source, *first), pin(source, *second)]
    found = anchored(pins, "r1", "x", source, lambda revision, parser: source)
    assert [one.span for one in found] == [None, second]
    assert [one.pin for one in found] == pins
