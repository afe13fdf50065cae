"""Text as it is compared: NFKC without invisible characters, and the way back to the original.

Case is kept here, since it tells where the parts of an identifier begin. Imports nothing of the engine.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import regex

CLUSTER_MARKS = 30
"""Combining marks kept after one character, as in the Stream-Safe Text Format (UAX #15). NFKC sorts a run of
marks in quadratic time (5 s for 64,000), and a hostile document may be one such run."""

_IGNORABLE = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff"
)
"""Characters that nobody sees: soft hyphens, joiners, bidi controls, variation selectors, byte order marks.
All but the zero-width space are dropped, which is kept as the word boundary that it means."""

_DROPPED = regex.compile(f"[{_IGNORABLE}--\u200b]", regex.V1)
_EXCESS_MARKS = regex.compile(rf"(?<=\p{{M}}{{{CLUSTER_MARKS}}})\p{{M}}+")


def _joining() -> str:
    """Characters outside category M that NFKC may join to the one before: jamo vowels and finals in every
    form, and the half-width kana voicing marks."""
    forms = (chr(code) for block in (range(0x3131, 0x318F), range(0xFFA0, 0xFFDD)) for code in block)
    compatible = "".join(
        form for form in forms if "\u1160" <= unicodedata.normalize("NFKC", form) <= "\u11ff"
    )
    return f"\u1160-\u11ff\ud7b0-\ud7fb\uff9e\uff9f{compatible}"


_CLUSTER = regex.compile(rf"(?s:.)[\p{{M}}{_joining()}{_IGNORABLE}--\u200b]*", regex.V1)


@dataclass(frozen=True, slots=True)
class Mapped:
    """Normalised text whose every code point knows its place in the original.

    ``text[i]`` comes from ``original[starts[i]:ends[i]]``; a cluster that changed length as a whole
    (``ﬁ``, ``㎏``, ``ｶﾞ``) lends its full span to each of its code points.
    """

    text: str
    starts: range | list[int]
    ends: range | list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original span of ``text[start:end]``, which must not be empty."""
        return self.starts[start], self.ends[end - 1]


def normal(text: str) -> str:
    """NFKC of the text without invisible characters and without marks past the thirtieth of a run."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _EXCESS_MARKS.sub("", _DROPPED.sub("", text)))


def mapped(text: str) -> Mapped:
    """``normal(text)`` with offsets; equal to it because no cluster joins the one before (a property test
    holds it)."""
    if normal(text) == text:
        return Mapped(text, range(len(text)), range(1, len(text) + 1))
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        piece = normal(cluster[0])
        pieces.append(piece)
        if len(piece) == len(cluster[0]):
            starts.extend(range(*cluster.span()))
            ends.extend(range(cluster.start() + 1, cluster.end() + 1))
        else:
            starts.extend([cluster.start()] * len(piece))
            ends.extend([cluster.end()] * len(piece))
    return Mapped("".join(pieces), starts, ends)
