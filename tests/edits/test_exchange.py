"""Edits as TOML: the bytes that went out come in, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.edits.exchange import exported, imported
from engine.edits.pin import AROUND, Pin
from engine.errors import UsageError
from engine.text import is_blank

ANY = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
INKED = ANY.filter(lambda text: not is_blank(text))


@st.composite
def pins(draw: st.DrawFn) -> Pin:
    base, start = draw(INKED), draw(st.integers(0, 10**7))
    text = draw(st.none() | INKED)
    state = draw(st.sampled_from(["enabled", "disabled", "deleted"]))
    boundary = draw(st.booleans()) or (text is None and state == "enabled")
    names = [draw(ANY) for _ in range(6)]
    return Pin(*names[:4], start, start + len(base), base, *names[4:], text, state, boundary)


@settings(max_examples=150, deadline=None)
@given(st.lists(pins(), max_size=4, unique_by=lambda pin: pin.id))
def test_whatever_goes_out_comes_in_and_goes_out_as_the_same_bytes(made: list[Pin]) -> None:
    told = exported(made)
    assert imported(told) == made
    assert exported(imported(told)) == told
    assert imported(told.encode("utf-8").decode("utf-8")) == made


GOOD = Pin("d", "a.md", "r", "p", 3, 5, "甲乙", "", "", text="丙")


def changed(old: str, new: str) -> str:
    told = exported([GOOD])
    assert old in told
    return told.replace(old, new)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not of version 1"),
        ("version = 2", "not of version 1"),
        ("version = 1\nedit = 3", "no list of tables"),
        ("version = 1\nedit = [3]", "edit 1 lacks a field"),
        ("x = " + "[" * 3_000, "cannot be read"),
        (changed("start = 3", "start = 4"), "edit 1 has a base text that is not as long as its span"),
        (changed("start = 3", "start = true"), "edit 1 lacks a field"),
        (changed("start = 3", "start = -3"), "edit 1 lacks a field"),
        (changed('state = "enabled"', 'state = "gone"'), "edit 1 lacks a field"),
        (changed("boundary = false", "boundary = 0"), "edit 1 lacks a field"),
        (changed('path = "a.md"', 'path = "a.md"\nextra = 1'), "edit 1 lacks a field, or has one too many"),
        (changed('text = "丙"', 'text = "\\u200b"'), "edit 1 has a text without any ink"),
        (changed('text = "丙"', f'text = "{"x" * 16_001}"'), "edit 1 has a text of 16,001 characters"),
        (
            changed('before = ""', f'before = "{"x" * (AROUND + 1)}"'),
            "edit 1 has more than 64 characters around",
        ),
        (changed('text = "丙"\n', ""), "edit 1 changes nothing"),
        (exported([GOOD]) + exported([GOOD]).partition("\n")[2], "edit 2 is of the same place"),
    ],
)
def test_what_no_export_wrote_is_refused_in_a_sentence_that_says_where(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as raised:
        imported(text)
    assert "\n" not in str(raised.value)
