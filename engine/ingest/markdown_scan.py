"""The same nodes as ``markdown_nodes.parse``, several times faster: a scanner over lines. Pure.

Leaf blocks and lists of plain items are told by their first characters; where any other container begins, the
parser is asked for that stretch alone. The rules are those of CommonMark 0.31 and GFM in the order in which
markdown-it-py tries them; the tests hold both equal on the specification's examples, on real pages and on
random fragments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.common.utils import mdTrim
from markdown_it.rules_block.html_block import HTML_SEQUENCES

from engine.ingest.markdown_nodes import Node, is_empty, parse

_HEADING = re.compile(r"(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_RULE = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$")
_MARKER = re.compile(r"(?:([-+*])|[0-9]{1,9}([.)]))(?=[ \t]|$)")
_INTERRUPTING = re.compile(r"(?:[-+*]|0{0,8}1[.)])[ \t]+[^ \t]")
_DELIMITER_ROW = re.compile(r" {0,3}(?:[|:][-:| \t]|-[-:|])[-:| \t]*$")
_DELIMITER_CELL = re.compile(r":?-+:?$")
_PIPE = re.compile(r"(?<!\\)\|")
_SPECIAL = frozenset("#`~<>-+*_=|0123456789")
"""First characters of lines that may end a paragraph or open anything else."""

CELL_LIMIT = 0x10000
"""Cells of a table above which the parser may end it early, to bound what it fills in; it is asked then."""


def scan(lines: Sequence[str]) -> Iterator[Node]:
    """The nodes of a text given as lines without their ends, in order."""
    line = 0
    while line < len(lines):
        if is_empty(lines[line]):
            line += 1
            continue
        node = _leaf(lines, line)
        if node is None:
            nodes, line = _stretch(lines, line)
            yield from nodes
        else:
            yield node
            line = node.after


def _leaf(lines: Sequence[str], line: int) -> Node | None:
    """The block that begins at ``line``, or None where only the parser can tell."""
    content = _content(lines[line])
    if content is None:
        return _indented(lines, line)
    if "|" in content and _is_delimiter_row(lines, line + 1):
        columns = _columns(content, lines[line + 1])
        if columns:
            return _table(lines, line, columns)
    first = content[0]
    if first not in _SPECIAL:
        return _paragraph(lines, line)
    if first == ">":
        return None
    if first in "`~" and _FENCE.match(content):
        return _fence(lines, line, content)
    if _RULE.match(content):
        return Node("rule", line, line + 1)
    if _MARKER.match(content):
        return _list(lines, line)
    if first == "<":
        for opens, closes, _ in HTML_SEQUENCES:
            if opens.search(content):
                return _html(lines, line, closes)
    heading = _HEADING.match(content)
    if heading:
        return Node("heading", line, line + 1, len(heading[1]), _heading_text(content[heading.end() :]))
    return _paragraph(lines, line)


def _content(line: str) -> str | None:
    """The line without its indent; None if the indent is 4 columns or more, which one tab always makes."""
    if line[0] not in " \t":
        return line
    content = line.lstrip(" \t")
    indent = len(line) - len(content)
    return None if indent > 3 or "\t" in line[:indent] else content


# --- leaf blocks ----------------------------------------------------------------------------------------


def _indented(lines: Sequence[str], line: int) -> Node:
    after = position = line + 1
    while position < len(lines):
        if not is_empty(lines[position]):
            if _content(lines[position]) is not None:
                break
            after = position + 1
        position += 1
    return Node("code", line, after)


def _fence(lines: Sequence[str], line: int, content: str) -> Node:
    mark = content[0]
    opener = content[: len(content) - len(content.lstrip(mark))]
    for position in range(line + 1, len(lines)):
        closer = lines[position].lstrip(" ")
        if (
            closer.startswith(opener)
            and len(lines[position]) - len(closer) <= 3
            and is_empty(closer.lstrip(mark))
        ):
            return Node("fence", line, position + 1)
    return _trimmed(lines, Node("fence", line, len(lines)))


def _html(lines: Sequence[str], line: int, closes: re.Pattern[str]) -> Node:
    for position in range(line, len(lines)):
        content = lines[position].lstrip(" \t")
        if closes.search(content):
            return _trimmed(lines, Node("html", line, position + bool(content)))
    return _trimmed(lines, Node("html", line, len(lines)))


def _trimmed(lines: Sequence[str], node: Node) -> Node:
    after = node.after
    while after > node.first + 1 and is_empty(lines[after - 1]):
        after -= 1
    return Node(node.kind, node.first, after)


def _heading_text(written: str) -> str:
    """The text of an ATX heading without its closing hashes, which a blank must precede."""
    written = written.rstrip(" \t")
    open_end = written.rstrip("#")
    return mdTrim(open_end if open_end.endswith((" ", "\t")) else written)


def _paragraph(lines: Sequence[str], line: int) -> Node | None:
    """A paragraph or a setext heading; None where link definitions may stand at its start."""
    after = line + 1
    level = 0
    while after < len(lines) and not is_empty(lines[after]):
        content = _content(lines[after])
        if content is not None:
            if content[0] in "=-" and _UNDERLINE.match(content):
                level = 1 if content[0] == "=" else 2
                break
            if _interrupts(lines, after, content):
                break
        after += 1
    written = lines[line:after]
    if written[0].lstrip(" ").startswith("[") and any("]:" in each for each in written):
        return None
    if level:
        return Node("heading", line, after + 1, level, mdTrim("\n".join(written)))
    return Node("paragraph", line, after)


def _interrupts(lines: Sequence[str], line: int, content: str) -> bool:
    """Whether the line ends a paragraph without a blank line before it."""
    if "|" in content and _is_delimiter_row(lines, line + 1) and _columns(content, lines[line + 1]):
        return True
    return content[0] in _SPECIAL and (_INTERRUPTING.match(content) is not None or _begins_other(content))


def _begins_other(content: str) -> bool:
    """Whether a quote, fence, rule, heading or HTML block of the kinds that interrupt begins here."""
    first = content[0]
    if first == ">":
        return True
    if first in "`~":
        return _FENCE.match(content) is not None
    if first == "#":
        return _HEADING.match(content) is not None
    if first == "<":
        return next((interrupts for opens, _, interrupts in HTML_SEQUENCES if opens.search(content)), False)
    return _RULE.match(content) is not None


# --- tables ---------------------------------------------------------------------------------------------


def _is_delimiter_row(lines: Sequence[str], line: int) -> bool:
    return line < len(lines) and _DELIMITER_ROW.match(lines[line]) is not None


def _columns(header: str, delimiters: str) -> int:
    """How many columns both rows give, 0 where they differ or the second is no delimiter row."""
    cells = [mdTrim(cell) for cell in delimiters.lstrip(" ").split("|")]
    named = [cell for cell in cells if cell]
    if not all(_DELIMITER_CELL.match(cell) for cell in named) or not all(cells[1:-1]):
        return 0
    titles = _PIPE.split(mdTrim(header))
    titles = titles[not titles[0] :]
    titles = titles[: len(titles) - 1] if titles and not titles[-1] else titles
    return len(titles) if len(titles) == len(named) else 0


def _table(lines: Sequence[str], line: int, columns: int) -> Node | None:
    after = line + 2
    while after < len(lines) and not is_empty(lines[after]):
        content = _content(lines[after])
        if content is None or not mdTrim(content):
            break
        if content[0] in _SPECIAL and (_MARKER.match(content) or _begins_other(content)):
            break
        after += 1
    if (after - line) * columns > CELL_LIMIT:
        return None
    return Node("table", line, after, inner=tuple((1, row) for row in range(line + 3, after)))


# --- containers -----------------------------------------------------------------------------------------


def _list(lines: Sequence[str], line: int) -> Node | None:
    """A list at column 0 of items that hold one paragraph and lists of such items; None for any other.

    Indents are told apart only where every reading of them agrees; else the parser is asked.
    """
    levels: list[_Level] = []
    inner: list[tuple[int, int]] = []
    after = position = line
    while position < len(lines):
        written = lines[position]
        if is_empty(written):
            position += 1
            continue
        content = written.lstrip(" ")
        indent = len(written) - len(content)
        item = _MARKER.match(content)
        if item and not _RULE.match(content):
            entered = _entered(levels, indent, content, item)
            if entered is None:
                return None
            levels = entered
            if position > line:
                inner.append((2 * len(levels) - 1, position))
        elif position > after:
            if indent or content[0] == "\t":
                return None
            break
        elif content[0] in _SPECIAL or content[0] in ":\t":
            if indent or not _begins_other(content):
                return None
            break
        position += 1
        after = position
    return Node("list", line, after, inner=tuple(inner))


@dataclass(frozen=True, slots=True)
class _Level:
    """An open list: the column of its items, their kind of marker, and the column of the last one's
    content."""

    indent: int
    marker: tuple[str | None, ...]
    content: int


def _entered(levels: Sequence[_Level], indent: int, content: str, item: re.Match[str]) -> list[_Level] | None:
    """The lists open after an item, or None if it is not certain to which list it belongs or what is in
    it."""
    held = content[item.end() :]
    inside = held.lstrip(" ")
    gap = len(held) - len(inside)
    if not inside or gap > 4 or not _is_phrase(inside):
        return None
    level = _Level(indent, item.groups(), indent + item.end() + gap)
    for number, opened in enumerate(levels):
        if opened.indent == indent:
            return [*levels[:number], level] if opened.marker == level.marker else None
    if not levels:
        return [level]
    if 0 <= indent - levels[-1].content <= 3 and _INTERRUPTING.match(content):
        return [*levels, level]
    return None


def _is_phrase(inside: str) -> bool:
    """Whether an item's text is a paragraph for certain, whatever line follows."""
    if inside[0] in "`~":
        return _FENCE.match(inside) is None
    if inside[0] == "[":
        return "]:" not in inside  # no link definition
    return inside[0] not in "#><|:\t" and not (_MARKER.match(inside) or _RULE.match(inside))


def _is_outside(line: str) -> bool:
    """Whether a line after a blank one is in no list or quote above: at column 0, and no item itself."""
    return not line.startswith((" ", "\t")) and line != "" and _MARKER.match(line) is None


def _stretch(lines: Sequence[str], line: int) -> tuple[list[Node], int]:
    """What the parser finds from ``line`` to the next line that no container can reach, and where to go on.

    That line may yet be inside a fence or HTML block at the stretch's end: such a block is scanned anew.
    """
    after = line + 1
    while after < len(lines) and not (is_empty(lines[after - 1]) and _is_outside(lines[after])):
        after += 1
    nodes = [node.moved(line) for node in parse(lines[line:after])]
    if after < len(lines) and nodes and nodes[-1].kind in ("fence", "html") and nodes[-1].first > line:
        return nodes[:-1], nodes[-1].first
    return nodes, after
