"""How likely a text is in a language: the evidence by which an undeclared encoding is told. Pure.

Each candidate encoding is a hypothesis on the same bytes, and its score the log-likelihood (in nats) of what
they decode to under a unigram model of the languages written in it. Bytes are the same for all, so scores
compare, and their difference is the strength of the evidence. A decoder's word is none: most byte strings are
valid in most of these encodings.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

from engine.ingest.frequent import CYRILLIC, HANGUL, HIRAGANA, JAPANESE, SIMPLIFIED, TRADITIONAL, WESTERN

ASCII = -3.5
"""The cost of any ASCII character; what it is says nothing here."""

ERROR = -14.0
"""The cost of a U+FFFD: bytes that the encoding does not have."""

_NO_TEXT = frozenset(("Cn", "Co", "Cc", "Cs"))
_RARE_HAN = -17.0
_RARE = -15.0
_IMPOSSIBLE = -30.0
_MIXED_WORD = -8.0
_HALF_WIDTH_KANA = "".join(map(chr, range(0xFF61, 0xFFA0)))
_KATAKANA = "".join(map(chr, range(0x30A1, 0x30F7)))
_FULL_WIDTH = "".join(map(chr, range(0xFF01, 0xFF5F)))
_CJK_MARKS = "，。、：；！？（）“”‘’《》「」『』【】…—～·　"
_JAPANESE_MARKS = "、。「」ー・（）！？：『』【】～〜…　"
_WESTERN_MARKS = "‘’“”–—…•«»°§€£©®´·¿¡\u00a0ºª²³½µ±×"

Table = dict[str, float]


def _table(*tiers: tuple[str | Iterable[str], float]) -> Table:
    """Characters with their log-probabilities: each tier shares a part of the text evenly. A later tier is
    commoner and overrides."""
    table: Table = {}
    for characters, share in tiers:
        members = frozenset(characters)
        table |= dict.fromkeys(members, math.log(share / len(members)))
    return table


def _rows(codec: str, first: int, last: int) -> str:
    """The characters of the two-byte rows ``first`` to ``last`` of an encoding."""
    pairs = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in range(0x40, 0xFF))
    return "".join(pair.decode(codec, "ignore") for pair in pairs)


@cache
def simplified() -> Table:
    return _table(
        (_rows("gb2312", 0xA1, 0xA9), 0.01),
        (TRADITIONAL, 0.01),
        (_rows("gb2312", 0xD8, 0xF7), 0.006),
        (_rows("gb2312", 0xB0, 0xD7), 0.2),
        (SIMPLIFIED[100:], 0.33),
        (_CJK_MARKS, 0.12),
        (SIMPLIFIED[:100], 0.35),
    )


@cache
def traditional() -> Table:
    return _table(
        (_rows("big5", 0xA1, 0xA3), 0.01),
        (_rows("big5", 0xC9, 0xF9), 0.005),
        (_rows("big5", 0xA4, 0xC6), 0.2),
        (TRADITIONAL[100:], 0.33),
        (_CJK_MARKS, 0.12),
        (TRADITIONAL[:100], 0.35),
    )


@cache
def japanese() -> Table:
    return _table(
        (_rows("euc_jp", 0xA1, 0xA8), 0.005),
        (_rows("cp932", 0x87, 0x87) + _rows("cp932", 0xFA, 0xFC), 0.01),
        (_HALF_WIDTH_KANA, 0.002),
        (_FULL_WIDTH, 0.01),
        (_rows("euc_jp", 0xD0, 0xF4), 0.002),
        (_rows("euc_jp", 0xB0, 0xCF), 0.08),
        (JAPANESE, 0.3),
        (_rows("euc_jp", 0xA4, 0xA4), 0.05),
        (_KATAKANA, 0.13),
        (_JAPANESE_MARKS, 0.1),
        (HIRAGANA, 0.4),
    )


@cache
def korean() -> Table:
    return _table(
        (_rows("euc_kr", 0xCA, 0xFD), 0.002),
        (_rows("euc_kr", 0xA1, 0xAC), 0.005),
        (_rows("euc_kr", 0xB0, 0xC8), 0.2),
        (HANGUL, 0.7),
    )


@cache
def cyrillic() -> Table:
    return _table(
        (_WESTERN_MARKS + "№", 0.03),
        (CYRILLIC.upper(), 0.03),
        (CYRILLIC[11:], 0.35),
        (CYRILLIC[:11], 0.6),
    )


@cache
def western() -> Table:
    return _table((map(chr, range(0xA0, 0x100)), 0.02), (_WESTERN_MARKS, 0.15), (WESTERN, 0.8))


_LONE_LETTER = re.compile(r"(?<![A-Za-z])[\u00c0-\u024f]+(?![A-Za-z])")
_MIXED = re.compile(r"[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")
_MARK_IN_WORD = re.compile(r"(?<=[a-z])[\u00a1-\u00bf](?=[a-z])")


def likelihood(text: str, table: Table) -> float:
    """Log-likelihood of ``text`` in nats; every character counts by itself."""
    return sum(count * _cost(character, table) for character, count in Counter(text).items())


def western_likelihood(text: str) -> float:
    """The same for Western European text, where accented letters stand among plain ones: a run of them alone,
    or a sign inside a word, speaks of another alphabet."""
    strange = sum(len(run) for run in _LONE_LETTER.findall(text)) + len(_MARK_IN_WORD.findall(text))
    return likelihood(text, western()) + strange * _MIXED_WORD / 2


def cyrillic_likelihood(text: str) -> float:
    """The same for Cyrillic text, whose words hold no Latin letter."""
    return likelihood(text, cyrillic()) + len(_MIXED.findall(text)) * _MIXED_WORD


def any_likelihood(text: str) -> float:
    """The likelihood in whichever language fits best: for encodings that can hold all of them."""
    tables = (simplified(), traditional(), japanese(), korean(), cyrillic(), western())
    return max(likelihood(text, table) for table in tables)


def implausible(text: str) -> float:
    """The share of characters that no text holds: controls, private use, unassigned."""
    strange = sum(
        count
        for character, count in Counter(text).items()
        if character not in "\t\n\r\f\v\x1b" and unicodedata.category(character) in _NO_TEXT
    )
    return strange / max(1, len(text))


def _cost(character: str, table: Table) -> float:
    if character < "\x80":
        return ASCII if character >= " " or character in "\t\n\r\f\v\x1b" else _IMPOSSIBLE
    if character == "\ufffd":
        return ERROR
    known = table.get(character)
    if known is not None:
        return known
    category = unicodedata.category(character)
    if category in _NO_TEXT:
        return _IMPOSSIBLE
    return _RARE_HAN if category == "Lo" else _RARE
