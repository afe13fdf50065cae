"""Markdown's block structure with exact places in the text as it is: CommonMark 0.31 and GFM tables.

Blocks are found in lines of a copy whose newlines are LF, and mapped back to lines here, so CRLF, CR, NUL and
a byte order mark move no offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.cancel import CancelToken
from engine.ingest.front_matter import FrontMatter, front_matter
from engine.ingest.markdown_nodes import Node, NodeKind
from engine.ingest.markdown_scan import scan
from engine.text import LINE_END, LineIndex, is_blank

CHECK_EVERY = 200
"""Blocks between two looks at the cancel token; they take about 10 ms."""

BlockKind = NodeKind | Literal["definition"]


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


def outline(text: str, cancel: CancelToken | None = None) -> Outline:
    """The structure of ``text``. Any text is Markdown; raises only ``Cancelled``, if ``cancel`` is set meanwhile."""
    matter = front_matter(text)
    body = matter.end if matter else int(text.startswith("\ufeff"))
    lines = LineIndex.of(text)
    source = text[body:].replace("\0", "\ufffd")
    written = (LINE_END.sub("\n", source) if "\r" in source else source).split("\n")
    first = lines.line(body) if body < len(text) else lines.count + 1
    places = _Places(text, lines, first, body)
    nodes: list[Node] = []
    for node in scan(written):
        if cancel is not None and len(nodes) % CHECK_EVERY == 0:
            cancel.check()
        nodes.append(node)
    headings = tuple(places.headings(nodes))
    blocks = tuple(_with_definitions([places.block(node) for node in nodes], lines, body, text))
    title = matter.title if matter and matter.title else _title(headings, blocks)
    return Outline(matter, title, headings, blocks, body)


@dataclass(frozen=True, slots=True)
class _Places:
    """From lines of the body, counted from 0, to places of the text. ``first`` is the line of the body's
    first."""

    text: str
    lines: LineIndex
    first: int
    body: int

    def headings(self, nodes: Sequence[Node]) -> Iterator[Heading]:
        for node in nodes:
            for heading in (node,) if node.kind == "heading" else node.headings:
                yield self._heading(heading, nested=heading is not node)

    def _heading(self, node: Node, nested: bool) -> Heading:
        line, after = self.first + node.first, self.first + node.after
        start = max(self.lines.start(line), self.body)
        return Heading(node.level, node.text, line, after - 1, start, self.lines.start(after), nested)

    def block(self, node: Node) -> Block:
        """The node as a block, without lines at its end that are blank to the eye."""
        lines, first = self.lines, self.first
        line, last = first + node.first, first + node.after - 1
        while last > line and is_blank(self.text, lines.start(last), lines.end(last)):
            last -= 1
        inner = tuple((depth, lines.start(first + at)) for depth, at in node.inner if first + at <= last)
        return Block(node.kind, max(lines.start(line), self.body), lines.end(last), line, last, inner)


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
            return " ".join(heading.text.split())
    opens = bool(sections and blocks and sections[0].start == blocks[0].start)
    return " ".join(sections[0].text.split()) if opens else ""
