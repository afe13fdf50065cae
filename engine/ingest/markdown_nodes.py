"""Top-level blocks of Markdown as markdown-it-py's block rules give them, in lines. Pure.

The rules are CommonMark's and GFM tables'; inline rules never run. This is the reference that
``markdown_scan`` is held to, and what it asks where containers begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

NodeKind = Literal["heading", "paragraph", "fence", "code", "table", "list", "quote", "html", "rule"]
_KINDS: dict[str, NodeKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "code",
    "table_open": "table",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "html_block": "html",
    "hr": "rule",
}

_NOT_A_PLACE = ("inline", "bullet_list_open", "ordered_list_open")
"""Tokens that begin no place of their own: a list inside begins with its first item, at the depth of the
others."""

MAX_NESTING = 200
"""Levels after which the parser looks no deeper; one list is two. The preset's 20 are soon reached, and what
follows the list is lost with its inside; 200 stay well below the interpreter's recursion limit."""


@dataclass(frozen=True, slots=True)
class Node:
    """A top-level block: lines ``[first, after)`` from 0, without the blank lines at its end.

    ``inner`` are ``(depth, line)`` of what it holds, each line once, by its shallowest depth; of a table the
    body rows after the first, which stays with the head. ``level`` and ``text`` are a heading's. ``headings``
    are those inside a list or a quote.
    """

    kind: NodeKind
    first: int
    after: int
    level: int = 0
    text: str = ""
    inner: tuple[tuple[int, int], ...] = ()
    headings: tuple[Node, ...] = ()

    def moved(self, lines: int) -> Node:
        """The same node, so many lines further down."""
        return replace(
            self,
            first=self.first + lines,
            after=self.after + lines,
            inner=tuple((depth, line + lines) for depth, line in self.inner),
            headings=tuple(heading.moved(lines) for heading in self.headings),
        )


def parse(lines: Sequence[str]) -> list[Node]:
    """The nodes of a text given as lines without their ends. Never fails: any text is Markdown."""
    parser = _parser()
    tokens: list[Token] = []
    parser.block.parse("\n".join(lines), parser, {}, tokens)
    return [*_nodes(tokens, lines)]


def is_empty(line: str) -> bool:
    """Whether CommonMark counts the line as blank: spaces and tabs only."""
    return not line.strip(" \t")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")


def _nodes(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Node]:
    opened: Token | None = None
    inside: list[Token] = []
    for token in tokens:
        if token.level == 0 and token.nesting >= 0:
            opened, inside = token, []
        elif token.nesting >= 0:
            inside.append(token)
        if token.level == 0 and token.nesting <= 0 and opened is not None:
            yield _node(opened, inside, lines)


def _node(token: Token, inside: Sequence[Token], lines: Sequence[str]) -> Node:
    assert token.map is not None
    kind = _KINDS[token.type]
    first, after = token.map
    after = min(after, len(lines))
    while after > first + 1 and is_empty(lines[after - 1]):
        after -= 1
    if kind == "heading":
        return Node(kind, first, after, int(token.tag[1:]), inside[0].content)
    depths: dict[int, int] = {}
    for each in inside:
        if each.map and each.type not in _NOT_A_PLACE:
            depths.setdefault(each.map[0], each.level)
    if kind == "table":
        depths = dict.fromkeys(sorted(depths)[2:], 1)
    inner = tuple((depth, line) for line, depth in depths.items() if line > first)
    return Node(kind, first, after, inner=inner, headings=tuple(_nested(inside)))


def _nested(tokens: Sequence[Token]) -> Iterator[Node]:
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.map:
            first, after = token.map
            yield Node("heading", first, after, int(token.tag[1:]), inline.content)
