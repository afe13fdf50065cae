"""Markdown's block structure with exact places in the text as it is: CommonMark 0.31 and GFM tables.

Blocks come from markdown-it-py's block rules; its inline rules never run. It reads a copy whose newlines
are LF, and answers in lines; lines are mapped back here, so CRLF, CR, NUL and a byte order mark move no
offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from engine.ingest.front_matter import FrontMatter, front_matter
from engine.text import LINE_END, LineIndex, is_blank

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BlockKind = Literal[
    "heading", "paragraph", "fence", "code", "table", "list", "quote", "html", "rule", "definition"
]
_KINDS: dict[str, BlockKind] = {
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

MAX_NESTING = 200
"""Levels after which the parser looks no deeper; one list is two. The preset's 20 are soon reached, and what
follows the list is lost with its inside; 200 stay well below the interpreter's recursion limit."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, ATX or setext. ``text`` is its source without the marks, inline markup as written.

    ``start`` and ``end`` span its lines, the last newline included. ``nested`` says that it stands in a
    list or a quote, where it opens no section.
    """

    level: int
    text: str
    line: int
    end_line: int
    start: int
    end: int
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A block at top level, whole lines from ``line_start`` to ``line_end``, its last newline included.

    ``inner`` are the places where it falls apart by itself, as ``(depth, offset)`` in source order: a
    table's body rows, a list's items (depth 1), the blocks in them (2), the items of a list in them (3)
    and so on. A ``definition`` is a run of link reference definitions, which has no place in the rendered
    text.
    """

    kind: BlockKind
    start: int
    end: int
    line_start: int
    line_end: int
    inner: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """What a Markdown text is made of. ``blocks`` are in source order, and all ink of the body lies in them.

    ``title`` is the front matter's, else the first level 1 heading's, else that of a heading that opens
    the body, else ``""``.
    """

    front_matter: FrontMatter | None
    title: str
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    body: int
    """Where the body starts: after the front matter."""


def outline(text: str) -> Outline:
    """The structure of ``text``. Never fails: any text is Markdown."""
    lines = LineIndex.of(text)
    matter = front_matter(text)
    body = matter.end if matter else int(text.startswith("\ufeff"))
    tokens = _tokens(text[body:])
    first = lines.line(body) if body < len(text) else lines.count + 1
    headings = tuple(_headings(tokens, lines, first, body))
    blocks = tuple(_with_definitions(list(_blocks(tokens, lines, first, body, text)), lines, body, text))
    title = matter.title if matter and matter.title else _title(headings, blocks)
    return Outline(matter, title, headings, blocks, body)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")


def _tokens(body: str) -> list[Token]:
    source = LINE_END.sub("\n", body) if "\r" in body else body
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(source.replace("\0", "\ufffd"), parser, {}, tokens)
    return tokens


def _headings(tokens: Sequence[Token], lines: LineIndex, first: int, body: int) -> Iterator[Heading]:
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.map:
            line, after = first + token.map[0], first + token.map[1]
            start = max(lines.start(line), body)
            level = int(token.tag[1:])
            yield Heading(level, inline.content, line, after - 1, start, lines.start(after), token.level > 0)


def _blocks(tokens: Sequence[Token], lines: LineIndex, first: int, body: int, text: str) -> Iterator[Block]:
    """The top-level tokens as blocks, each without the blank lines that some rules count in at the end."""
    opened: Token | None = None
    inner: dict[int, int] = {}
    for token in tokens:
        if token.level == 0 and token.nesting >= 0:
            opened, inner = token, {}
        elif token.level > 0 and token.nesting >= 0 and token.map and token.type != "inline":
            inner.setdefault(lines.start(first + token.map[0]), token.level)
        if token.level == 0 and token.nesting <= 0 and opened and opened.map:
            start_line, end_line = first + opened.map[0], first + opened.map[1] - 1
            while end_line > start_line and is_blank(text, lines.start(end_line), lines.end(end_line)):
                end_line -= 1
            kind = _KINDS[opened.type]
            places = _table_rows(inner) if kind == "table" else inner
            start = max(lines.start(start_line), body)
            cuts = tuple((depth, offset) for offset, depth in places.items() if offset > start)
            yield Block(kind, start, lines.end(end_line), start_line, end_line, cuts)


def _table_rows(inner: dict[int, int]) -> dict[int, int]:
    """The body rows. The first stays with the head, which says what the columns are."""
    return dict.fromkeys(sorted(inner)[2:], 1)


def _with_definitions(blocks: list[Block], lines: LineIndex, body: int, text: str) -> Iterator[Block]:
    """The blocks, and what the parser took out of the text between them."""
    position = body
    for block in blocks:
        yield from _definition(position, block.start, lines, text)
        yield block
        position = block.end
    yield from _definition(position, len(text), lines, text)


def _definition(start: int, end: int, lines: LineIndex, text: str) -> Iterator[Block]:
    if is_blank(text, start, end):
        return
    line, last = lines.line(start), lines.line(end - 1)
    while is_blank(text, start, lines.end(line)):
        line += 1
        start = lines.start(line)
    while is_blank(text, lines.start(last), end):
        last -= 1
        end = lines.end(last)
    yield Block("definition", start, end, line, last)


def _title(headings: Sequence[Heading], blocks: Sequence[Block]) -> str:
    sections = [heading for heading in headings if not heading.nested and heading.text]
    for heading in sections:
        if heading.level == 1:
            return heading.text
    opens = bool(sections and blocks and sections[0].start == blocks[0].start)
    return sections[0].text if opens else ""
