"""The scanner finds exactly what the parser finds: on the specification, on real pages, on random fragments."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingest import markdown_scan
from engine.ingest.markdown_nodes import parse
from engine.ingest.markdown_scan import scan
from engine.text import LINE_END
from tests.pages import load

LEAVES = [
    "# h",
    "## ",
    "text",
    "===",
    "---",
    "***",
    "- - -",
    "```",
    "````",
    "~~~ py",
    "``` a`b",
    "   ```",
    "    code",
]
LEAVES += [
    "\tcode",
    "  text",
    "   # h",
    "#",
    "#x",
    "####### s",
    "*a",
    "-1",
    "text  ",
    "::: note",
    "\u3000",
    "\x0c",
]
TABLES = [
    "| a | b |",
    "|---|---|",
    "|---",
    "a|b",
    "-|-",
    ":-",
    "|-|:-:|",
    "a\\|b | c",
    "|",
    "||",
    "| x",
    ":--",
]
HTML = [
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "<b>",
    "<?php",
    "?>",
    "<script>",
    "</script>",
    "<!X",
    "<a href='x'>",
    "<a",
]
LISTS = [
    "- a",
    "* a",
    "+ p",
    "- item\n  wrapped",
    "1. one",
    "2. two",
    "10) z",
    "  - b",
    "   - n",
    "    - x",
    "  * s",
]
LISTS += [
    "   1. n",
    "      - deep",
    "-",
    "1.",
    "- - x",
    "- # h",
    "- ```",
    "- > q",
    "-\t x",
    "- [l](u)",
    "- `c` d",
]
LISTS += ["-     code", "01. q", "1234567890. q", "- [d]: x", "- | a", "* * *", "  text", "    more", "lazy"]
OTHERS = ["> q", "> ```", ">", "[a]: /u", "[b]: <", "[c]", "[d]:", "", "", "  "]


def equal(text: str) -> None:
    lines = text.split("\n")
    assert list(scan(lines)) == parse(lines)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(LEAVES + TABLES + HTML + LISTS + OTHERS), max_size=9))
def test_fragments_of_every_kind(fragments):
    equal("\n".join(fragments))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from([*LISTS, "", "text", "---", "===", "```", "> q", "# h", "|-|"]), max_size=9))
def test_fragments_of_lists(fragments):
    equal("\n".join(fragments))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="#-*+>`~|:<!=_[]()1. \t\nab\\", max_size=40))
def test_any_run_of_marks(text):
    equal(text)


@pytest.mark.parametrize("file", ["block-structure-examples.json", "spec-examples.json"])
def test_the_examples_of_the_specification(shared, file):
    for example in json.loads((shared / "data" / "commonmark" / file).read_text("utf-8")):
        equal(example["markdown"])


def test_the_specification_itself(shared):
    equal((shared / "data" / "commonmark" / "spec.txt").read_text("utf-8"))


def test_every_real_page(shared):
    for text in load(shared).values():
        equal(LINE_END.sub("\n", text))


def test_a_table_that_the_parser_would_cut_short():
    columns = 900
    equal("| a " * columns + "|\n" + "|---" * columns + "|\n" + "| x |\n" * 80)


def test_the_parser_is_asked_only_where_a_container_has_an_inside(monkeypatch):
    asked = []
    monkeypatch.setattr(markdown_scan, "parse", lambda lines: asked.append(lines) or parse(lines))
    plain = "# h\n\ntext\n\n- a\n- b\n  - c\n\n| a |\n|---|\n| 1 |\n\n```\n- x\n```\n\n<div>\n\n1. x\n2. y\n"
    list(scan(plain.split("\n")))
    assert asked == []
    list(scan([*plain.split("\n"), "> q", "", "text", "", "- a", "", "  b", "", "text"]))
    assert asked == [["> q", ""], ["- a", "", "  b", ""]]
