"""Numbers with their units, and identifiers, as a text writes them: what a passage must hold to the digit.

``三次``, ``3 次``, ``３次``, ``three times`` and ``3 times`` are one quantity; ``第三次`` and ``the 3rd`` are
another, an ordinal. Times are compared in seconds. Pure; knows no index.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import isclose
from unicodedata import normalize

_UNITS: dict[str, tuple[str, float]] = {
    word: (unit, factor)
    for unit, factor, words in (
        ("times", 1.0, "次 回 times time attempts attempt retries tries"),
        ("seconds", 0.001, "毫秒 ms millisecond milliseconds"),
        ("seconds", 1.0, "秒钟 秒 s sec secs second seconds"),
        ("seconds", 60.0, "分钟 min mins minute minutes"),
        ("seconds", 3_600.0, "个小时 小时 h hour hours"),
        ("seconds", 86_400.0, "天 day days"),
        ("seconds", 604_800.0, "周 个星期 星期 week weeks"),
        ("months", 1.0, "个月 月 month months"),
        ("years", 1.0, "年 year years"),
        ("percent", 1.0, "% percent 个百分点"),
        ("bytes", 1.0, "字节 byte bytes"),
        ("kilobytes", 1.0, "kb kib"),
        ("megabytes", 1.0, "mb mib"),
        ("gigabytes", 1.0, "gb gib"),
        ("characters", 1.0, "个字符 字符 character characters"),
        ("fold", 1.0, "倍"),
        ("lines", 1.0, "行 line lines"),
        ("pages", 1.0, "页 page pages"),
        ("people", 1.0, "人 名 person people"),
        ("things", 1.0, "个 条 项 种 台 块 段 层 级 位 份 件 组 items item"),
    )
    for word in words.split()
}
"""A measure word to its unit and factor. Words that only count things are one unit."""

_HAN_DIGITS = dict(zip("〇零一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_PLACES = {"十": 10, "百": 100, "千": 1_000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}
_HAN = "".join((*_HAN_DIGITS, *_PLACES, *_MYRIADS))
_NUMERALS = "two three four five six seven eight nine ten eleven twelve"
_WORDS = {word: float(value) for value, word in enumerate(_NUMERALS.split(), 2)}

_ASCII_NUMBER = r"(?<![a-z0-9_.])\d+(?:,\d{3})*(?:\.\d+)?(?![.,]?\d)[百千万亿]*"
_HAN_NUMBER = rf"[{_HAN}]+(?:点[{_HAN}]+)?"
_WORD_NUMBER = rf"(?:{'|'.join(_WORDS)})\b"
_NUMBER = f"{_ASCII_NUMBER}|{_HAN_NUMBER}|{_WORD_NUMBER}"
_MEASURE = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_FIRST = rf"(?:(?=[第{_HAN}])|(?<![a-z0-9_.])(?<!\d[-:/])(?=\d|t[whe]|f[oi]|s[ie]|e[il]|ni))"
_QUANTITY = re.compile(
    rf"{_FIRST}(?P<before>第|百分之)?(?P<low>{_NUMBER})(?:\s*(?:[-–—~到至]|to)\s*(?P<high>{_NUMBER}))?"
    rf"(?P<nth>(?:st|nd|rd|th)\b)?(?:\s?(?P<unit>{_MEASURE})(?<![a-z](?=[a-z0-9_])))?"
)
_IDENTIFIER = re.compile(r"[/.]?[A-Za-z0-9_](?:[\w./#+-]*[\w#+])?", re.ASCII)
_NAMED = re.compile(
    r"(?=.*[A-Za-z])(?:.*\d|.*_|/.|.*/.*/|.*(?:\w{2}\.\w|\w\.\w{2})|.*[#+]|.*[a-z][A-Z])|\d+(?:[.-]\d+){2,}",
    re.ASCII,
)
"""What makes a word a name: a digit, ``_``, two slashes or a leading one, a dot inside, a ``+``, a hump."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value, or the range ``[low, high]``, in a unit; ``""`` is a bare number. An ordinal counts
    places, not things.
    """

    low: float
    high: float
    unit: str
    ordinal: bool = False

    def meets(self, other: Quantity) -> bool:
        """Whether both can be the same: of one kind, in one unit (a bare number has any), and overlapping."""
        if self.ordinal != other.ordinal or (self.unit and other.unit and self.unit != other.unit):
            return False
        apart = self.low > other.high or other.low > self.high
        return not apart or isclose(self.low, other.high) or isclose(other.low, self.high)


@lru_cache(maxsize=1_024)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, in its order.

    A Han numeral counts only with a measure word, as an ordinal, or where it has a place (``二十五``): the 一 of
    ``一个`` and ``统一`` is no number. Parts of versions, dates and identifiers are none either.
    """
    folded = normalize("NFKC", text).casefold()
    found = (_quantity(match, folded) for match in _QUANTITY.finditer(folded))
    return tuple(quantity for quantity in found if quantity is not None)


def _quantity(match: re.Match[str], text: str) -> Quantity | None:
    low = _value(match["low"])
    high = _value(match["high"]) if match["high"] else low
    if low is None or high is None or high < low:
        return None
    ordinal = match["before"] == "第" or match["nth"] is not None
    unit, factor = _UNITS.get(match["unit"] or "", ("", 1.0))
    if match["before"] == "百分之":
        return Quantity(low, high, "percent")
    if not match["unit"] and not ordinal and not _stands_alone(match, text):
        return None
    if match["low"] == "一" and unit == "things" and not ordinal:
        return None
    return Quantity(low, high, "", ordinal=True) if ordinal else Quantity(low * factor, high * factor, unit)


def _stands_alone(match: re.Match[str], text: str) -> bool:
    """Whether a number without a measure word is one: digits that no letter follows, or a Han numeral
    with places.
    """
    if match["low"][0].isdigit() and match["low"][0].isascii():
        following = text[match.end() : match.end() + 1]
        return not (following.isascii() and (following.isalnum() or following == "_"))
    return len(match["low"]) > 1 and any(c in _PLACES or c in _MYRIADS for c in match["low"])


def _value(written: str) -> float | None:
    """The number that was written; None for what only looks like one (``万一``)."""
    if written in _WORDS:
        return _WORDS[written]
    if written[0].isascii():
        digits = written.rstrip("百千万亿")
        value = float(digits.replace(",", ""))
        for place in written[len(digits) :]:
            value *= _PLACES.get(place) or _MYRIADS[place]
        return value
    whole, _, fraction = written.partition("点")
    han = _han_value(whole)
    if han is None or not fraction:
        return han
    digits = "".join(str(_HAN_DIGITS.get(c, "")) for c in fraction)
    return han + float(f"0.{digits}") if digits else None


def _han_value(written: str) -> float | None:
    if all(c in _HAN_DIGITS for c in written):
        return float("".join(str(_HAN_DIGITS[c]) for c in written))
    if written[0] not in _HAN_DIGITS and written[0] != "十":
        return None
    total, section, digit, place = 0, 0, 0, 1
    for c in written:
        if c in _HAN_DIGITS:
            digit = _HAN_DIGITS[c]
            place = 1 if c in "零〇" else place
        elif c in _PLACES:
            place = _PLACES[c]
            section += (digit or (1 if c == "十" else 0)) * place
            digit = 0
        else:
            place = _MYRIADS[c]
            total = (total + section + digit) * place if place > total else total + (section + digit) * place
            section = digit = 0
    return float(
        total + section + digit * (place // 10 if place >= 100 and written[-1] in _HAN_DIGITS else 1)
    )


@lru_cache(maxsize=64)
def identifiers(text: str) -> tuple[str, ...]:
    """The names that code has and prose has not, each once: ``E1234``, ``max_retry``, ``node.js``,
    ``/etc/hosts``, ``maxRetry``, ``v1.2.3``, ``C++``, and dates and versions of three numbers or more.
    """
    names = (match[0].rstrip(".-/") for match in _IDENTIFIER.finditer(normalize("NFKC", text)))
    return tuple(dict.fromkeys(name for name in names if _NAMED.match(name)))
