"""The one sanitiser: text from documents, file names and servers, made safe to draw. Imports no toolkit at
module level.

How to use it: whatever reaches a terminal goes through ``sanitise`` (many lines) or ``one_line`` (one row)
first, and into a widget as ``plain(text)`` or through a ``Segment``, never as markup. Every function here
keeps the length, code point for code point, so an offset into the raw text is an offset into the shown text.

What is replaced, and why:

- C0 controls and DEL become their pictures (``␛``), C1 and bidi controls, line separators, lone surrogates,
  tag characters and fillers become U+FFFD: they would drive the terminal, reorder the row, break the encoder
  or hide text.
- Joiners, variation selectors, zero-width spaces and skin tones become a space, regional indicators their
  letter, a soft hyphen a hyphen: terminals disagree on how many cells such sequences take, and a row must
  not shift.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.content import Content

REPLACEMENT = "\ufffd"

_SPACED = (
    (0x200B, 0x200D), (0x2060, 0x2064), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0x1F3FB, 0x1F3FF), (0xE0100, 0xE01EF),
)  # fmt: skip
_REPLACED = (
    (0x80, 0x9F), (0x61C, 0x61C), (0x180B, 0x180F), (0x200E, 0x200F), (0x2028, 0x202E), (0x2065, 0x206F),
    (0x3164, 0x3164), (0xD800, 0xDFFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip
_PICTURED = ((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x7F))
_LETTERED = (0x1F1E6, 0x1F1FF)
_SOFT_HYPHEN = (0xAD, 0xAD)

# one class of ranges: as single characters it would take 15 ms to compile, at every start
SUSPECT = re.compile(
    "["
    + "".join(
        f"{re.escape(chr(first))}-{re.escape(chr(last))}"
        for first, last in (*_SPACED, *_REPLACED, *_PICTURED, _LETTERED, _SOFT_HYPHEN)
    )
    + "]"
)
"""Every character that is not drawn as it is."""

_LINE_END = re.compile("\r\n?")


class _Table(dict[int, str | int]):
    """What stands for each character, worked out when it is first met."""

    def __missing__(self, code: int) -> str | int:
        found = _stand_in(code)
        if code < 0x10000:  # kept for the basic plane alone, so that no text can fill the memory
            self[code] = found
        return found


def _stand_in(code: int) -> str | int:
    if _within(code, _SPACED):
        return " "
    if _within(code, _REPLACED):
        return REPLACEMENT
    if _within(code, _PICTURED):
        return "\u2421" if code == 0x7F else chr(0x2400 + code)
    if _within(code, (_LETTERED,)):
        return chr(ord("A") + code - _LETTERED[0])
    return "-" if code == _SOFT_HYPHEN[0] else code


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


_TABLE = _Table()
_ROW = {0x09: "\u2409", 0x0A: "\u240a"}


def sanitise(text: str) -> str:
    """The text as it may be drawn, of the same length. Keeps tab and line feed, for a layout that gives them
    meaning.

    CRLF becomes space and LF, a lone CR becomes LF: lines end where the design says that they end.
    Clean text, the usual case, is returned as it is after one scan (``translate`` alone is 8 times slower on
    it).
    """
    if not SUSPECT.search(text):
        return text
    return _LINE_END.sub(lambda end: " \n" if len(end[0]) == 2 else "\n", text).translate(_TABLE)


def one_line(text: str) -> str:
    """The text as it may be drawn in one row, of the same length: tabs and line ends are shown as ``␉`` and
    ``␊``."""
    return sanitise(text).translate(_ROW)


def spaced(text: str) -> str:
    """Like ``one_line``, for prose: tabs and line ends become spaces. Same length."""
    return sanitise(text).replace("\n", " ").replace("\t", " ")


def plain(text: str) -> Content:
    """The text as content for a widget: sanitised, and never read as markup."""
    from textual.content import Content

    return Content(sanitise(text))


def query_line(text: str, limit: int) -> tuple[str, int]:
    """A pasted or stored text as a query of one line, and how many code points did not fit in ``limit``.

    Line ends and tabs become spaces, so that nothing after them is run as keys; controls are dropped, not
    shown, because the query goes to the analyser and not only to the screen.
    """
    kept = re.sub(
        "[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "", re.sub("\r\n|[\r\n\t\v\f\x85\u2028\u2029]", " ", text)
    )
    return kept[:limit], max(0, len(kept) - limit)
