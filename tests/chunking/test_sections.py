"""A document falls into sections under headings, and each into units that tile it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings

from engine.chunking.sections import TITLE_LIMIT, Section, body_start, sections
from engine.text import is_blank
from tests.chunking.texts import KINDS, hostile


def units(found: list[Section]) -> list[tuple[int, int]]:
    return [(unit.start, unit.end) for section in found for unit in section.units]


def texts(text: str, kind: str, language: str = "") -> list[str]:
    return [text[start:end] for start, end in units(sections(text, kind, language))]


def test_md18_paths_follow_levels_and_a_slash_in_a_title_is_only_a_slash():
    text = "# A\n### C\n## B\n### D\n## 24/7 help\n"
    assert [section.path for section in sections(text, "markdown")] == [
        ("A",), ("A", "C"), ("A", "B"), ("A", "B", "D"), ("A", "24/7 help"),
    ]  # fmt: skip


def test_text_before_the_first_heading_has_no_path():
    assert [section.path for section in sections("lead\n\n## B\n# A\nx\n## \ny\n", "markdown")] == [
        (), ("B",), ("A",), ("A",),
    ]  # fmt: skip


def test_md16_nested_headings_open_no_section():
    (only,) = sections("> # quoted\n\n- # in item\n", "markdown")
    assert (only.path, [unit.kind for unit in only.units]) == ((), ["quote", "list"])


def test_a_heading_of_many_lines_or_great_length_is_short_in_a_path():
    (section,) = sections("Two\n  lines\n===\n", "markdown")
    assert section.path == ("Two lines",)
    (section,) = sections("# " + "长" * 5_000 + "\n", "markdown")
    assert section.path == ("长" * (TITLE_LIMIT - 1) + "…",)


def test_front_matter_and_leading_blank_lines_are_in_no_section():
    text = "---\ntitle: x\n---\n\n\n# A\n\ntext\n\n"
    assert "".join(texts(text, "markdown")) == "# A\n\ntext\n\n"


def test_plain_text_falls_into_paragraphs_whatever_the_newline():
    assert texts("\n  one\nmore\n\n \ntwo\r\n\r\nthree\r\rfour", "text") == [
        "  one\nmore\n\n \n", "two\r\n\r\n", "three\r\r", "four",
    ]  # fmt: skip


def test_a_log_falls_into_entries_with_their_traces():
    text = "12:00 ok\n12:01 failed\n  at a.b(c.java:1)\nCaused by: x\n\t... 3 more\n12:02 ok\n"
    assert texts(text, "log") == [
        "12:00 ok\n", "12:01 failed\n  at a.b(c.java:1)\nCaused by: x\n\t... 3 more\n", "12:02 ok\n",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "\n\n", " \u3000\u200b\r\n", "---\ntitle: x\n---\n"])
def test_a_text_without_ink_has_no_section(text):
    assert sections(text, "markdown") == []
    assert sections(" \n\t", "text") == []


def test_a_clipped_section_keeps_what_is_inside():
    (section,) = sections("- a\n- b\n- c\n\ntext\n\nmore\n", "markdown")
    inside = section.clipped(4, 16)
    assert [(unit.start, unit.ink, unit.end) for unit in inside.units] == [(4, 12, 13), (13, 16, 16)]


@settings(max_examples=100, deadline=None)
@given(hostile, KINDS)
def test_units_tile_the_text_from_its_first_ink_on(text, kind):
    found = sections(text, kind)
    spans = units(found)
    assert all(before[1] == after[0] for before, after in pairwise(spans))
    assert is_blank(text, spans[-1][1] if spans else body_start(text, kind))
    assert all(unit.start < unit.ink <= unit.end for section in found for unit in section.units)
    assert all(is_blank(text, unit.ink, unit.end) for section in found for unit in section.units)
