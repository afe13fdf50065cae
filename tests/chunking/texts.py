"""Hostile texts for properties: mixed scripts, clusters, newlines of every kind, fragments of Markdown."""

from __future__ import annotations

from hypothesis import strategies as st

CLUSTER = r"\X(?:(?<![\r\n])\p{M}+)?"
"""A grapheme cluster as text is cut: UAX #29's, and the spacing marks that it leaves apart."""

WORDS = st.sampled_from(
    ["word", "x", "价格是", "123.23元！", "v1.2.3", "https://a.cn/x.y", "です。", "“好。”", "ข้าว", "क्षि।", "한국어",
     "e\u0301", "👨‍👩‍👧‍👦", "🇨🇳🇯🇵", "👍🏽", "a\u0301\u0301\u0301", "\u0301", "。\ufe01", "ကောင်း", "\u200d",
     "\0", "\ud800", "z" * 90, "字" * 70, "Mr. X"]
)  # fmt: skip
BLANKS = st.sampled_from([" ", "  ", "\t", "\u3000", "\u200b", "\xa0", "", "", "\x0c", "\u2028", " " * 60])
NEWLINES = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\n\n\n\n", "\n" * 70])
MARKS = st.sampled_from(
    ["# ", "## ", "### ", "#", "> ", "- ", "  - ", "    ", "1. ", "```\n", "~~~\n", "| a | b |\n|---|---|\n",
     "| 1 | 2 |\n", "---\n", "===\n", "<div>\n", "<!-- ", "-->", "[a]: /u\n", "- x\n\n  y\n"]
)  # fmt: skip

hostile = st.lists(st.one_of(WORDS, WORDS, WORDS, BLANKS, BLANKS, NEWLINES, MARKS), max_size=60).map("".join)
"""Any of it in any order; in mean 300 code points."""

KINDS = st.sampled_from(["markdown", "markdown", "text", "log", "code"])


def prose(sentences: int) -> str:
    """One paragraph of plain sentences, each 20 code points, no two alike."""
    return "".join(f"Sentence {number:05d} here. " for number in range(sentences)).rstrip() + "\n"
