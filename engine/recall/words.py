"""Words and identifiers of one run of text between spaces: a tree of wholes, their parts, and unaccented
forms.

``src/app/main.py`` is one whole; below it stand the segments ``src``, ``app`` and ``main.py``, and below that
``main`` and ``py``. Only the leaves are words, counted in a chunk's length; wholes and unaccented forms are
further terms at the same place. Text is already normalised (``normal``) and holds no Han, kana or Hangul.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Literal

import regex

Kind = Literal["word", "whole", "folded", "bigram", "single", "last"]

TERM_LIMIT = 128
"""Code points a term may have. A longer word is cut there, a longer whole is known by its parts alone."""


@dataclass(frozen=True, slots=True)
class Word:
    """A term at ``[start, end)`` of its run, with what stands for it where a chunk does not hold it.

    ``parts`` of a ``whole`` are smaller wholes and words, those of a ``word`` its form without diacritics, if
    any.
    """

    term: str
    start: int
    end: int
    kind: Kind
    parts: tuple[Word, ...] = ()

    def walk(self) -> Iterator[Word]:
        """The word itself, then everything below it."""
        yield self
        for part in self.parts:
            yield from part.walk()


def words(run: str) -> tuple[Word, ...]:
    """The trees of one run, in order; empty where it holds no letter and no digit."""
    text = run if run.isascii() else run.translate(_VISIBLE)
    found: list[Word] = []
    for match in _WHOLE.finditer(text):
        start, end = match.span()
        trees = _split(match[0], start, 0)
        if trees and text[max(start - 1, 0) : start] + text[end : end + 1] in _BRACKETS:
            trees = _whole(text[start - 1 : end + 1], start - 1, trees)
        found.extend(trees)
    return tuple(found)


def first_of_each(found: Iterable[Word]) -> tuple[Word, ...]:
    """The first word of each term, in order."""
    first: dict[str, Word] = {}
    for word in found:
        first.setdefault(word.term, word)
    return tuple(first.values())


def fold(text: str) -> str:
    """Case folded, as in caseless matching of compatibility forms (Unicode Standard, D146)."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text.casefold())


def unaccented(term: str) -> str:
    """The term without diacritics, vowel points and strokes: ``café`` is ``cafe``, ``łódź`` is ``lodz``.

    Vowel signs of Indic scripts are letters, and stay.
    """
    if term.isascii():
        return term
    bare = _DIACRITICS.sub("", unicodedata.normalize("NFD", term)).translate(_STROKES)
    return unicodedata.normalize("NFC", bare)


# --- where a run divides, from the loosest joint to the tightest --------------------------------------------

_W = r"[0-9A-Za-z_\u0080-\U0010ffff]"
_TAIL = r"(?:\+{1,2}|[#%])?"

_WHOLE = re.compile(rf"(?:--?|~/|\.{{0,2}}/|[@#$%~.\\])?{_W}+(?:[-./\\:=+#@&',;%~$!?*^]{{1,3}}{_W}+)*{_TAIL}")
_SEGMENT = re.compile(rf"(?:--?|\.)?{_W}+(?:[-.'+#%]{{1,3}}{_W}+)*{_TAIL}")
_NAME = re.compile(rf"{_W}+(?:[-'+#%]{{1,3}}{_W}+)*{_TAIL}")
_SNAKE = re.compile(rf"{_W}+")
_PLAIN = re.compile(r"[^_]+")
_ASCII_SHAPE = str.maketrans(
    ascii_uppercase + ascii_lowercase + digits, "U" * 26 + "l" * 18 + "s" + "l" * 7 + "d" * 10
)
_HUMP = re.compile(r"U{2,}s(?![ls])|U+(?![ls])|U?[ls]+|d+")

_BRACKETS = frozenset({"<>", "[]", "{}"})
_STROKES = str.maketrans("øđłħŧı", "odlhti")
_DIACRITICS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_MARK = regex.compile(r"\p{M}")


class _Visible(dict[int, str]):
    """Maps what is neither letter, digit nor mark beyond ASCII to the ASCII joint that it means, or to a
    space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kept = character.isascii() or character.isalnum() or _MARK.match(character)
        self[code] = character if kept else " "
        return self[code]


_VISIBLE = _Visible({0x2019: "'", 0x02BC: "'", 0x2010: "-", 0x2212: "-"})


def _humps(word: str) -> list[tuple[int, int]]:
    """The parts of ``maxRetryCount``, ``HTTPServer``, ``GPT4``; one part where the pieces are so small that
    the word is a hash or encoded bytes rather than a name."""
    found = [match.span() for match in _HUMP.finditer(_shape(word))]
    opaque = len(found) > 3 and len(word) < 3 * len(found)
    return [(0, len(word))] if opaque else found


def _shape(word: str) -> str:
    """One letter a code point: ``U`` upper case, ``d`` digit, ``l`` any other letter (``s`` for an s, as the
    plural in ``URLs`` begins no hump); a mark is like what it stands on."""
    if word.isascii():
        return word.translate(_ASCII_SHAPE)
    shape: list[str] = []
    for character in word:
        if character.isupper():
            shape.append("U")
        elif character.isalpha():
            shape.append("s" if character == "s" else "l")
        elif character.isalnum():
            shape.append("d")
        else:
            shape.append(shape[-1] if shape else "l")
    return "".join(shape)


def _spans(pattern: re.Pattern[str]) -> Callable[[str], list[tuple[int, int]]]:
    return lambda text: [match.span() for match in pattern.finditer(text)]


_LEVELS: tuple[Callable[[str], list[tuple[int, int]]], ...] = (
    _spans(_SEGMENT),
    _spans(_NAME),
    _spans(_SNAKE),
    _spans(_PLAIN),
    _humps,
)


def _split(text: str, start: int, level: int) -> tuple[Word, ...]:
    if level == len(_LEVELS) or _is_plain(text):
        return _word(text, start)
    found = _LEVELS[level](text)
    if found == [(0, len(text))]:
        return _split(text, start, level + 1)
    parts = tuple(part for a, b in found for part in _split(text[a:b], start + a, level + 1))
    return _whole(text, start, parts)


def _is_plain(text: str) -> bool:
    """Whether no level can divide it; spares most words five patterns."""
    return text.isdigit() or (text.isalpha() and (text.islower() or text[1:].islower()))


def _whole(text: str, start: int, parts: tuple[Word, ...]) -> tuple[Word, ...]:
    if not parts or len(text) > TERM_LIMIT:
        return parts
    return (Word(fold(text), start, start + len(text), "whole", parts),)


def _word(text: str, start: int) -> tuple[Word, ...]:
    if not text.isalnum() and not any(character.isalnum() for character in text):
        return ()
    term, end = fold(text)[:TERM_LIMIT], start + len(text)
    bare = unaccented(term)
    folded = (Word(bare, start, end, "folded"),) if bare not in ("", term) else ()
    return (Word(term, start, end, "word", folded),)
