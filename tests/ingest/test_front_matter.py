"""Front matter is told from a thematic break for certain, or it is not front matter."""

from __future__ import annotations

import pytest

from engine.ingest.front_matter import LINE_LIMIT, front_matter


@pytest.mark.parametrize(
    ("text", "end", "title"),
    [
        ("---\ntitle: A page\n---\n# H\n", 22, "A page"),
        ("---\r\ntitle: x\r\n---\r\nbody", 20, "x"),
        ("---\rtitle: x\r---\rbody", 17, "x"),
        ('---\ntitle: "a \\"b\\" c"\n...\nbody', 27, 'a "b" c'),
        ("---\ntitle: 'it''s'\n---", 22, "it's"),
        ("---\ntitle: ''\nname: n\n---\n", 26, ""),
        ("---\ntitle: x # not this\n---\n", 28, "x"),
        ("---\ntitle: >\n  folded\n---\n", 26, ""),
        ("---\ngroup:\n  title: inner\ntitle: outer\n---\n", 43, "outer"),
        ("---\nkeys:\n- a\n- b\n\n# comment\nname: 名\n---\n", 41, ""),
        ("---\n标题: 名\n---\n", 14, ""),
        ("---\n---\nbody", 8, ""),
        ('+++\ntitle = "Hugo"\n[menu]\nweight = 1\n+++\nbody', 41, "Hugo"),
        ("\ufeff---\nt: x\n---\n# A\n", 14, ""),
    ],
)
def test_entries_between_delimiters_are_front_matter(text, end, title):
    found = front_matter(text)
    assert found is not None
    assert (found.start, found.end, found.title) == (0, end, title)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\n\n# H1\n\n---\n\n# H2\n",
        "---\ntitle: never closed\n# Real\n",
        "---\nJust a sentence under a rule.\n---\n",
        "---\ntitle: x\nProse goes on here\n---\n",
        "---\n# only a heading\n---\n",
        "---\n- an item\n---\n",
        "----\ntitle: x\n----\n",
        " ---\ntitle: x\n---\n",
        "text\n---\ntitle: x\n---\n",
        "--- title\ntitle: x\n---\n",
        "---\nhttps://a.example/b\n---\n",
        "+++\nno entry\n+++\n",
    ],
)
def test_a_rule_or_an_open_end_is_no_front_matter(text):
    assert front_matter(text) is None


def test_a_closer_is_looked_for_in_a_bounded_number_of_lines():
    assert front_matter("---\n" + "k: v\n" * (LINE_LIMIT - 1) + "---\n") is not None
    assert front_matter("---\n" + "k: v\n" * LINE_LIMIT + "---\n") is None
