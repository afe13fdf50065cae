"""Headings and blocks are those of CommonMark, in places of the text as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingest.markdown import Outline, outline
from engine.text import LineIndex, is_blank
from tests.pages import load


@pytest.fixture(name="pages")
def _pages(shared):
    return load(shared)


def headings(text: str) -> list[tuple[int, str, int]]:
    return [(h.level, h.text, h.line) for h in outline(text).headings if not h.nested]


def kinds(text: str) -> list[str]:
    return [block.kind for block in outline(text).blocks]


def hold(found: Outline, text: str) -> None:
    """Blocks are whole lines in order, apart from one another, and hold all ink of the body."""
    lines, position = LineIndex.of(text), found.body
    for block in found.blocks:
        assert position <= block.start < block.end
        assert is_blank(text, position, block.start)
        assert block.start in (lines.start(block.line_start), found.body)
        assert block.end == lines.end(block.line_end)
        assert (
            not is_blank(text, lines.start(block.line_end), block.end) or block.line_start == block.line_end
        )
        places = [offset for _, offset in block.inner]
        assert places == sorted(set(places))
        assert all(block.start < offset < block.end for offset in places)
        position = block.end
    assert is_blank(text, position, len(text))
    for heading in found.headings:
        assert (lines.start(heading.line), lines.end(heading.end_line)) == (heading.start, heading.end)


# --- headings


def test_md01_a_hash_comment_in_a_fence_opens_no_section():
    assert headings("# Top\n```sh\n# not a heading\n```\n## Next\n") == [(1, "Top", 1), (2, "Next", 5)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n````md\n```py\n# no\n```\n# still no\n````\n# B\n", [(1, "A", 1), (1, "B", 8)]),
        ("# A\n```md\n```py\n# no\n```\n# B\n", [(1, "A", 1), (1, "B", 6)]),
        ("```\n~~~\n# no\n```\n# B\n", [(1, "B", 5)]),
        ("# A\n```\n# no\n`````\n# B\n", [(1, "A", 1), (1, "B", 5)]),
    ],
)
def test_md02_a_fence_closes_at_its_own_mark_as_long_and_bare(text, expected):
    assert headings(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("   ```\n# no\n   ```\n# B\n", [(1, "B", 4)]),
        ("```\n# no\n    ```\n# still no\n```\n# B\n", [(1, "B", 6)]),
        ("# A\ntext\n```\n# no\n# no2\n", [(1, "A", 1)]),
    ],
)
def test_md03_a_fence_may_be_indented_by_three_and_left_open(text, expected):
    assert headings(text) == expected
    hold(outline(text), text)


def test_md07_a_document_that_opens_with_a_rule_keeps_its_headings():
    assert headings("---\n\n# H1\n\n---\n\n# H2\n") == [(1, "H1", 3), (1, "H2", 7)]
    assert (1, "Real", 3) in headings("---\ntitle: never closed\n# Real\n")


@pytest.mark.parametrize("text", ["# A\n\n## B\n", "---\nt: x\n---\n# A\n"])
def test_md08_a_byte_order_mark_left_in_changes_no_heading(text):
    marked = outline("\ufeff" + text)
    assert [h.text for h in marked.headings] == [h.text for h in outline(text).headings]
    assert [h.line for h in marked.headings] == [h.line for h in outline(text).headings]
    assert marked.title == "A"


@pytest.mark.parametrize("text", ["# A\r\n\r\nt\r\n## B\r\n", "# A\r\rt\r## B\r", "# A\n\nt\n## B\n"])
def test_md09_headings_do_not_depend_on_the_kind_of_newline(text):
    assert headings(text) == [(1, "A", 1), (2, "B", 4)]
    hold(outline(text), text)


def test_md10_separators_that_no_editor_counts_end_no_line():
    assert headings("a\u2028# no\nb\x0cc\x85d\n# Yes\n") == [(1, "Yes", 3)]
    assert headings("a\x0b# no\x1c# no\n# Yes") == [(1, "Yes", 2)]


def test_md14_closing_hashes_empty_headings_and_hashtags():
    text = "## Title ##\n### C# ###\n## foo#\n#\n## \n#tag\n####### seven\n"
    text += "   # three\n    # four\n#\u3000full\n#\tTab\n"
    assert [(level, title) for level, title, _ in headings(text)] == [
        (2, "Title"), (3, "C#"), (2, "foo#"), (1, ""), (2, ""), (1, "three"), (1, "Tab"),
    ]  # fmt: skip


def test_md15_an_info_string_with_attributes_opens_a_fence():
    text = '# A\n```python {.numberLines startFrom="3"}\n# no\n```\n# B\n'
    assert headings(text) == [(1, "A", 1), (1, "B", 5)]


def test_md16_a_heading_in_a_quote_or_a_list_is_nested():
    text = "> # quoted\n> t\n\n- # in item\n\n# Real\n"
    assert [(h.text, h.nested) for h in outline(text).headings] == [
        ("quoted", True), ("in item", True), ("Real", False),
    ]  # fmt: skip
    assert headings(text) == [(1, "Real", 6)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two\nlines\n===\n\nmore\n---\n", [(1, "Two\nlines", 1), (2, "more", 5)]),
        ("text\n\n---\n\nafter\n", []),
        ("# A\n----\nb\n", [(1, "A", 1)]),
        ("<!-- \n# licence\n\n# more\n-->\n# B\n", [(1, "B", 6)]),
        ("```LOWER(x)```\n# B\n", [(1, "B", 2)]),
        ("\u200b```\n# B\n", [(1, "B", 2)]),
        ("[a]: /u\n===\n# B\n", [(1, "B", 3)]),
    ],
)
def test_what_looks_like_a_heading_or_hides_one(text, expected):
    assert headings(text) == expected
    hold(outline(text), text)


# --- titles


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Meta\n---\n# A\n", "Meta"),
        ("## Two\n\n# One\n", "One"),
        ("## Opens\n\ntext\n", "Opens"),
        ("text\n\n## Later\n", ""),
        ("> # Quoted\n", ""),
        ("Two\nlines\n===\n", "Two lines"),
        ("", ""),
    ],
)
def test_the_title_is_the_front_matters_or_that_of_the_first_heading(text, title):
    assert outline(text).title == title


# --- blocks


def test_every_kind_of_block_is_told_apart():
    text = (
        "# h\npara\n\n```\nfence\n```\n\n    code\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n\n> quote\n\n"
        "<div>\nhtml\n</div>\n\n---\n[a]: /u\n"
    )
    assert kinds(text) == [
        "heading", "paragraph", "fence", "code", "table", "list", "quote", "html", "rule", "definition",
    ]  # fmt: skip
    hold(outline(text), text)


def test_md21_a_table_falls_apart_between_rows_and_its_first_row_stays_with_the_head():
    text = "Caption\n\n| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |\n"
    table = outline(text).blocks[1]
    assert [text[offset:].split("\n")[0] for _, offset in table.inner] == ["| b | 2 |", "| c | 3 |"]


def test_a_list_falls_apart_at_its_items_first():
    text = "- one\n\n  more\n- two\n  - deep\n  - deeper\n"
    (block,) = outline(text).blocks
    assert [(depth, text[offset:].split("\n")[0].strip()) for depth, offset in block.inner] == [
        (2, "more"), (1, "- two"), (3, "- deep"), (3, "- deeper"),
    ]  # fmt: skip


def test_blank_lines_around_a_block_are_not_its_own():
    text = "\n\n- a\n\n\npara\n\n```\nopen\n\n\n"
    assert [text[block.start : block.end] for block in outline(text).blocks] == [
        "- a\n",
        "para\n",
        "```\nopen\n",
    ]


FRAGMENTS = st.sampled_from(
    ["# h", "## ", "text", "- a", "  - b", "1. x", "> q", "```", "~~~ py", "    code", "\tcode", "| a | b |",
     "|---|---|", "===", "---", "<div>", "<!--", "-->", "[a]: /u", "[b]: <", "", "", "\u3000", "\x0c", "\0",
     "**x**", "\ufeff"]
)  # fmt: skip
NEWLINES = st.sampled_from(["\n", "\n", "\r\n", "\r"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(FRAGMENTS, NEWLINES), max_size=20))
def test_no_ink_is_lost_whatever_the_text(pairs):
    text = "".join(fragment + newline for fragment, newline in pairs)
    hold(outline(text), text)


@settings(max_examples=60, deadline=None)
@given(st.lists(FRAGMENTS, max_size=15))
def test_the_kind_of_newline_changes_no_line_and_no_kind(fragments):
    found = [outline(newline.join(fragments)) for newline in ("\n", "\r\n", "\r")]
    assert (
        len(
            {
                tuple((h.level, h.text.replace("\r\n", "\n").replace("\r", "\n"), h.line) for h in o.headings)
                for o in found
            }
        )
        == 1
    )
    assert len({tuple((b.kind, b.line_start, b.line_end) for b in o.blocks) for o in found}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "- " * 3_000 + "x\n\n# B\n",
        "> " * 3_000 + "x\n\n# B\n",
        "[" * 200_000 + "\n\n# B\n",
        "[a" * 50_000 + "\n\n# B\n",
        "[a]: /u\n" * 3_000 + "\n# B\n",
        "| a " * 20_000 + "\n" + "|---" * 20_000 + "\n\n# B\n",
        "<" * 200_000 + "\n\n# B\n",
        "`" * 200_000 + "\n",
        "x" * 2_000_000 + "\n\n# B\n",
        "".join("  " * depth + "- x\n" for depth in range(300)) + "\n# B\n",
        "> a\n" * 5_000 + "\n# B\n",
        "*" * 100_000 + "\n\n# B\n",
        "<!-- x\n" * 3_000 + "\n# B\n",
    ],
    ids=lambda text: f"{text[:6]!r}-{len(text)}",
)
def test_deep_long_and_repeated_marks_end(text):
    hold(outline(text), text)


# --- against references


def test_headings_equal_the_reference_on_every_real_page(shared, pages):
    count = 0
    for row in (shared / "data" / "docs-structure.jsonl").read_text("utf-8").splitlines():
        expected = json.loads(row)
        found = outline(pages[expected["file"]])
        assert [(h.line, h.end_line, h.level, h.text, h.nested) for h in found.headings] == [
            (h["line"], h["end_line"], h["level"], h["text"], h["nested"]) for h in expected["headings"]
        ], expected["file"]
        count += 1
    assert count == len(pages)


def test_blocks_hold_all_ink_of_every_real_page(pages):
    for text in pages.values():
        hold(outline(text), text)


def test_blocks_hold_all_ink_of_the_specifications_block_examples(shared):
    examples = json.loads(
        (shared / "data" / "commonmark" / "block-structure-examples.json").read_text("utf-8")
    )
    assert len(examples) == 236
    for example in examples:
        for newline in ("\n", "\r\n", "\r"):
            text = example["markdown"].replace("\n", newline)
            hold(outline(text), text)
