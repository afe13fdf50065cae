"""What chunks hold once their pins are applied."""

from __future__ import annotations

from engine.edits.anchor import Anchored
from engine.edits.effective import Applied
from engine.edits.pin import Pin, pin_at
from engine.model import ChunkSpan, Role

TEXT = "甲甲甲 乙乙乙 丙丙丙 丁丁丁"


def pin(start: int, end: int, **made: object) -> Pin:
    return pin_at("d", "a.md", "r", "p", TEXT, start, end, **made)


def span(start: int, end: int, role: Role = "standalone") -> ChunkSpan:
    return ChunkSpan(1, role, start, end, 1, 1)


def applied(*pins: Pin) -> Applied:
    return Applied(TEXT, [Anchored(one, (one.start, one.end)) for one in pins])


def test_a_chunk_that_is_no_pin_holds_its_own_text() -> None:
    found = applied(pin(0, 4, text="改写")).of(span(4, 8))
    assert (found.text, found.edited, found.retrievable, found.pin) == (TEXT[4:8], False, True, None)


def test_a_pin_gives_its_text_and_its_state() -> None:
    made = applied(pin(0, 4, text="改写"), pin(4, 8, state="disabled"), pin(8, 12, boundary=True))
    assert [
        (one.text, one.edited, one.retrievable) for one in map(made.of, (span(0, 4), span(4, 8), span(8, 12)))
    ] == [
        ("改写", True, True),
        (TEXT[4:8], False, False),
        (TEXT[8:12], False, True),
    ]


def test_a_parent_says_what_its_children_say_and_marks_what_they_do_not() -> None:
    made = applied(pin(8, 12, state="deleted"), pin(0, 4, text="改写 "), pin(4, 8, boundary=True))
    found = made.of(span(0, len(TEXT), "parent"))
    assert found.text == "改写 乙乙乙 […]丁丁丁"
    assert found.edited
    untouched = made.of(span(12, len(TEXT), "parent"))
    assert (untouched.text, untouched.edited) == (TEXT[12:], False)


def test_a_pin_without_a_place_changes_nothing() -> None:
    made = Applied(TEXT, [Anchored(pin(0, 4, text="改写"), None)])
    assert made.spans == []
    assert made.of(span(0, 4)).text == TEXT[0:4]
