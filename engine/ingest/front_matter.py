"""Front matter: a block of YAML between ``---`` lines, or of TOML between ``+++`` lines, opening a document.

Only what is told apart from Markdown for certain is front matter: a document that opens with a thematic
break, or an opener that is never closed, has none. Values are not parsed, but for the title.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n|\n|\r)")
_CLOSER = {
    "---": re.compile(r"(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)"),
    "+++": re.compile(r"\+\+\+[ \t]*(?:\r\n|\n|\r|\Z)"),
}
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_ENTRY = {
    "---": re.compile(r"(?:\"[^\"]*\"|'[^']*'|[^\s#\-:\[\]{}\"'][^:]*|-[^\s:][^:]*)[ \t]*:(?:[ \t]|\Z)"),
    "+++": re.compile(r"(?:[\w\-.]+|\"[^\"]*\"|'[^']*')[ \t]*=|\[\[?[^\[\]]+\]\]?[ \t]*(?:#.*)?\Z"),
}
_REST = {
    "---": re.compile(r"\s|#|-(?:\s|\Z)|[\]}]|\Z"),
    "+++": re.compile(r"\s|#|[\]}]|\"\"\"|'''|\Z"),
}
"""What a line may be that opens no entry: indented, a comment, an item, the end of a bracket, or empty."""
_TITLE = re.compile(r"title[ \t]*[:=][ \t]*(.*?)[ \t]*\Z")
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)'")

LINE_LIMIT = 1_000
"""Lines in which the closer is looked for; without it a long list of items would be read whole to find
none.
"""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """``[start, end)`` spans both delimiters, the last newline included. ``title`` is ``""`` where it has
    none.
    """

    start: int
    end: int
    title: str


def front_matter(text: str) -> FrontMatter | None:
    """The front matter that opens ``text``, or None.

    Between the delimiters every line that is not indented must be an entry, a comment or an item, the
    first must not be blank, and one must be an entry; or there is no line at all.
    """
    opener = _OPENER.match(text)
    if opener is None:
        return None
    delimiter = opener[1]
    position, entries, title = opener.end(), 0, ""
    for number in range(LINE_LIMIT):
        closer = _CLOSER[delimiter].match(text, position)
        if closer:
            return FrontMatter(0, closer.end(), title) if entries or number == 0 else None
        match = _LINE.match(text, position)
        assert match is not None
        line = match[1]
        if match.end() == position or (number == 0 and not line.strip()):
            return None
        if _ENTRY[delimiter].match(line):
            entries += 1
            title = title or _title(line)
        elif not _REST[delimiter].match(line):
            return None
        position = match.end()
    return None


def _title(entry: str) -> str:
    """The value of a ``title`` entry on one line; a block scalar's text is not looked for."""
    match = _TITLE.match(entry)
    if match is None:
        return ""
    quoted = _QUOTED.match(match[1])
    if quoted:
        double, single = quoted[1], quoted[2]
        return re.sub(r"\\(.)", r"\1", double) if double is not None else single.replace("''", "'")
    value = match[1].partition(" #")[0].rstrip()
    return "" if value[:1] in ("|", ">", "[", "{", "&", "*", "!") else value
