"""Positions in text: lines, blanks, grapheme clusters and sentence ends. Pure; imports nothing of the engine.

Offsets are Unicode code points. Nothing here folds, normalises or strips: an answer is a place in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line. ``str.splitlines`` also counts U+2028, VT, FF and NEL, which no editor does."""

# --- lines --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LineIndex:
    """Where each line of a text starts. Lines count from 1; a line ends with its LF, CRLF or CR.

    A text that ends with a newline has no empty line after it; the empty text has one line.
    """

    starts: tuple[int, ...]
    length: int

    @classmethod
    def of(cls, text: str) -> LineIndex:
        if "\r" in text:
            starts = [0, *(end.end() for end in LINE_END.finditer(text))]
        else:  # the same, twice as fast
            starts = list(accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))
        if len(starts) > 1 and starts[-1] == len(text):
            starts.pop()
        return cls(tuple(starts), len(text))

    @property
    def count(self) -> int:
        return len(self.starts)

    def line(self, offset: int) -> int:
        """The line that holds ``offset``; the last line for the end of the text."""
        return bisect_right(self.starts, offset)

    def start(self, line: int) -> int:
        """Where ``line`` begins; the end of the text for any line past the last."""
        return self.starts[line - 1] if line <= len(self.starts) else self.length

    def end(self, line: int) -> int:
        """Where ``line`` ends, its newline included."""
        return self.start(line + 1)


# --- blanks -------------------------------------------------------------------------------------------------

_INVISIBLE = "\u00ad\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u2800\u3164\ufeff"
_INK = re.compile(rf"[^\s{_INVISIBLE}]")


def is_blank(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether nothing in ``text[start:end]`` would leave ink: it is white space, zero-width or bidi marks."""
    return _INK.search(text, start, len(text) if end is None else end) is None


# --- grapheme clusters (UAX #29) ----------------------------------------------------------------------------

_FREE = re.compile(
    "[\x00-\u02ff\u0370-\u0482\u048a-\u0590\u05d0-\u05ff\u0620-\u064a\u0e01-\u0e30\u0e3f-\u0e46\u2010-\u2027"
    "\u3001-\u3029\u3031-\u303c\u3041-\u3096\u309b-\u3296\u329a-\ua66e\uac00-\ud7a3\uf900-\ufaff\uff01-\uff9d"
    "\U00020000-\U0003fffd]"
)
"""Characters that never join another of this set, CR LF apart: between two of them is always a boundary.

It leaves out marks, joiners, pictographs that open ZWJ sequences, regional indicators, jamo and Indic
consonants, and answers for nearly all text without looking further.
"""


_CLUSTER = r"\X(?:(?<![\r\n])\p{M}+)?"
"""An extended grapheme cluster, and the spacing marks (Burmese has some) that the standard leaves to tailoring."""


def is_grapheme_boundary(text: str, offset: int, known: int = 0) -> bool:
    """Whether a cut at ``offset`` leaves clusters and CRLF whole; ``known`` is a boundary before it."""
    return grapheme_floor(text, offset, known) == offset


def grapheme_floor(text: str, offset: int, known: int = 0) -> int:
    """The last cluster boundary at or before ``offset``, never before ``known``, itself a boundary.

    Reads no more than the text between ``known`` and ``offset`` and the cluster there, so a run of a million
    flags costs what the window costs.
    """
    if offset <= known:
        return known
    if offset >= len(text):
        return len(text)
    if _apart(text, offset):
        return offset
    return max(end for end in _cluster_ends(text, _anchor(text, offset, known), offset) if end <= offset)


def grapheme_ceiling(text: str, offset: int, known: int = 0) -> int:
    """The first cluster boundary at or after ``offset``; ``known`` is a boundary before it."""
    if offset <= known:
        return known
    if offset >= len(text):
        return len(text)
    if _apart(text, offset):
        return offset
    return min(end for end in _cluster_ends(text, _anchor(text, offset, known), offset) if end >= offset)


def _apart(text: str, offset: int) -> bool:
    """Whether the two characters around ``offset`` alone prove a boundary there."""
    before, after = text[offset - 1], text[offset]
    if before in "\r\n" or after in "\r\n":
        return not (before == "\r" and after == "\n")
    return _FREE.match(before) is not None and _FREE.match(after) is not None


def _anchor(text: str, offset: int, known: int) -> int:
    """The nearest provable boundary before ``offset``, or ``known``."""
    anchor = offset - 1
    while anchor > known and not _apart(text, anchor):
        anchor -= 1
    return max(anchor, known)


def _cluster_ends(text: str, start: int, offset: int) -> list[int]:
    """``start``, a boundary, and the ends of the clusters after it, to beyond the one that holds ``offset``.

    Works on a slice: in the whole text ``\\X`` looks back over a run of flags to its beginning each time.
    """
    import regex  # 25 ms, and most texts never come here

    reach = 64
    while True:
        window = text[start : offset + reach]
        ends = [start, *(start + cluster.end() for cluster in regex.finditer(_CLUSTER, window))]
        if offset + reach >= len(text) or ends[-2] >= offset:
            return ends
        reach *= 4


# --- sentences ----------------------------------------------------------------------------------------------

CLOSERS = "\"'”’»›）)】］\\]』」〉》｝}〕〗〙〛＂＇｣"
"""Quotes and brackets that close, as the inside of a regular expression's set; they stay with a sentence."""

_FULL_STOPS = "。！？；｡…‥‼⁇⁈⁉।॥؟۔։።፧፨။។៕།༎᠃᠉꘎꘏꠶꠷꫰"
_SENTENCE = re.compile(rf"([{_FULL_STOPS}．.!?]+)(?:[{CLOSERS}]|(?<![\s*_`])[*_`]+(?=\s))*")
_LIST_NUMBER = re.compile(r"(?:^|[\r\n])[ \t>]*\d{1,9}$")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")
_ABBREVIATIONS = frozenset(
    ("al", "approx", "ca", "cf", "dr", "ed", "eds", "e.g", "fr", "gen", "i.e", "mr", "mrs", "ms", "mt",
     "prof", "resp", "rev", "sr", "st", "univ", "viz", "vs")
)  # fmt: skip
_BEFORE_A_NUMBER = frozenset(("art", "ch", "eq", "fig", "no", "nos", "p", "pp", "sec", "vol"))
_LOOK = 16
"""Code points beyond a window that are read, so that a mark at its edge is seen with its closing quote."""


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Offsets in ``(start, end]`` right after a sentence and its closing quotes and brackets, in order.

    Knows the marks of scripts with their own (``。！？；…``, danda, Arabic, Ethiopic, Burmese, Khmer, more)
    and ASCII ``.!?`` before white space or a wide character; never inside numbers, versions, host names, list
    numbers, initials and common abbreviations.
    """
    for mark in _SENTENCE.finditer(text, start, min(len(text), end + _LOOK)):
        if mark.end() > end:
            return
        if _ends_sentence(text, mark):
            yield mark.end()


def _ends_sentence(text: str, mark: re.Match[str]) -> bool:
    marks = mark[1]
    before = text[mark.start() - 1 : mark.start()]
    after = text[mark.end() : mark.end() + 1]
    if marks == "．":
        return not (before.isalnum() and after.isalnum() and not (is_wide(before) and is_wide(after)))
    if not marks.isascii() or not after:
        return True
    if not after.isspace():
        return is_wide(after) and (marks != "." or is_wide(before) or mark.end() > mark.end(1))
    return not (marks[-1] == "." and _goes_on(text, mark, after))


def _goes_on(text: str, mark: re.Match[str], after: str) -> bool:
    """Whether a full stop before white space is that of a list number, an initial or an abbreviation."""
    head = text[max(0, mark.start() - 24) : mark.start()]
    following = text[mark.end() : mark.end() + _LOOK].lstrip(" \t")
    if following[:1].islower():
        return True
    if _LIST_NUMBER.search(head) and after in " \t":
        return True
    word = _LAST_WORD.search(head)
    if word is None or mark[0] != ".":
        return False
    initial = len(word[0]) == 1 and word[0].isupper() and not is_wide(word[0]) and after in " \t"
    known = word[0].casefold()
    return initial or known in _ABBREVIATIONS or (known in _BEFORE_A_NUMBER and following[:1].isdigit())


def is_wide(character: str) -> bool:
    """Whether lines may break on either side of it: Han, kana, Hangul and their punctuation.

    Full-width letters and digits are not, so ``３．１４`` is one token like ``3.14``.
    """
    return _WIDE.match(character) is not None


WIDE = "\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff0d\uff0f\uff1a-\uff20"
WIDE += "\uff3b-\uff40\uff5b-\uff9f\U0001b000-\U0001b2ff\U00020000-\U0003fffd"
"""The same set, as the inside of a regular expression's set."""
_WIDE = re.compile(f"[{WIDE}]")
